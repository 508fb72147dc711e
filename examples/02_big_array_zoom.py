# %% [markdown]
# # A 16384 x 16384 array, zoomed a thousand times
# A mosaic of the sky with one dead element in a star cluster. Every picture is reduced from the array itself, so the
# element is seen from the whole sky down to its neighbors.

# %%
import os
import pathlib
import time

import matplotlib.pyplot as plt
import numpy as np
import sky
from matplotlib.colors import AsinhNorm

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE / "quiet.mplstyle")

n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 16384))
mosaic, (row, col) = sky.mosaic(n)
print(f"{n} x {n} float32, {mosaic.nbytes / 2**30:.2f} GiB")

# %% [markdown]
# A pixel that covers a single NaN is drawn in the NaN color, never averaged away.

# %%
CYAN = "#35e0d0"
norm = AsinhNorm(12, vmin=-2, vmax=1500)
magnifications = [1, 4, 16, 64, 256, 1000]
fig, axes = plt.subplots(2, 3, figsize=(10, 7.1), layout="compressed")
for ax, times in zip(axes.flat, magnifications):
    start = time.perf_counter()
    side = n / times
    gpuplot.imshow(mosaic, ax=ax, norm=norm, cmap="magma", nan_color=CYAN)
    top, left = np.clip([row - side * 0.45, col - side * 0.6], 0, n - side) - 0.5
    ax.set(xlim=(left, left + side), ylim=(top + side, top))
    if side > 100:
        ax.plot(col, row, "o", markersize=15, markerfacecolor="none", markeredgecolor=CYAN, markeredgewidth=0.8)
    ax.set(xticks=[], yticks=[])
    ax.set_title(f"{times} x" if times > 1 else "the whole mosaic")
    ax.set_title(f"{side:.0f} x {side:.0f} elements", loc="right", color="#888888", fontsize=8)
    print(f"  {times:5d} x: artist in {1000 * (time.perf_counter() - start):.0f} ms")

# %% [markdown]
# Drawing six views of a gigabyte, and what it takes.

# %%
start = time.perf_counter()
fig.savefig(OUTPUT / "02_zoom.png")
print(f"six views drawn and saved in {time.perf_counter() - start:.2f} s: {OUTPUT}/02_zoom.png")
