# %% [markdown]
# # Pictures without figures
# A file, an array of colors, an array of numbers: no axes, no pyplot, no window.

# %%
import os
import pathlib
import time

import numpy as np
import sky

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE / "output"
OUTPUT.mkdir(exist_ok=True)
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 8192))
mosaic, dead = sky.mosaic(n)

# %% [markdown]
# `imsave` writes the picture of the whole array at the width that is asked for. Stars are smaller than a pixel now:
# `agg="max"` keeps them, where a mean dims them. `gamma` lifts the faint gas.

# %%
for agg in ("mean", "max"):
    start = time.perf_counter()
    path = OUTPUT / f"05_sky_{agg}.png"
    gpuplot.imsave(path, mosaic, width=1200, agg=agg, cmap="magma", vmin=0, vmax=1200, gamma=0.35, nan_color="#35e0d0")
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB in {1000 * (time.perf_counter() - start):.0f} ms")

# %% [markdown]
# `downsample` gives the cells as float64, to compute with. Sums are conserved: an element that a border cuts is shared
# out between its two cells.

# %%
filled = np.nan_to_num(mosaic)
cells = gpuplot.downsample(filled, (301, 457), agg="sum")
print(f"sum of all {filled.size:,} elements {filled.sum(dtype=np.float64):.6e}, of the {cells.size:,} cells {cells.sum():.6e}")

# %% [markdown]
# `view` looks at a part, in element coordinates; `nan="skip"` leaves out what is not finite.

# %%
row, col = dead
part = ((row - 8, row + 9), (col - 8, col + 9))
shown = gpuplot.downsample(mosaic, (3, 3), view=part)
skipped = gpuplot.downsample(mosaic, (3, 3), view=part, nan="skip")
print("around the dead element, shown:", np.round(shown[1], 1), "skipped:", np.round(skipped[1], 1))

# %% [markdown]
# `to_rgba` gives the pixels: to send them, to paste them, to make a film of them.

# %%
frames = []
for step in range(8):
    side = n / 2 ** step
    top, left = np.clip([row - side / 2, col - side / 2], 0, n - side)
    frames.append(gpuplot.to_rgba(mosaic, (240, 240), view=((top, top + side), (left, left + side)), cmap="magma",
                                  vmin=0, vmax=1200, gamma=0.35, nan_color="#35e0d0"))
strip = np.concatenate(frames, axis=1)
gpuplot.imsave(OUTPUT / "05_film.png", strip)
print(f"eight frames, {strip.shape[1]} x {strip.shape[0]} pixels: {OUTPUT}/05_film.png")
