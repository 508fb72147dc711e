"""The demo: a big array to a file and to a figure, a lost NaN found, the weights of a network. usage: 00_demo.py [FOLDER]"""

# %%
import os
import pathlib
import sys
import time
from contextlib import contextmanager

import matplotlib.pyplot as plt
import numpy as np
import sky
from matplotlib.colors import AsinhNorm

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "output"
OUTPUT.mkdir(parents=True, exist_ok=True)
plt.style.use(HERE / "quiet.mplstyle")
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 8192))
CYAN = "#35e0d0"


@contextmanager
def step(name, file=None):
    """Says what is going on, then how long it took and what it left."""
    print(f"{name:<62}", end="", flush=True)
    start = time.perf_counter()
    yield
    size = f"  {file} ({(OUTPUT / file).stat().st_size / 1000:.0f} kB)" if file else ""
    print(f"{1000 * (time.perf_counter() - start):7.0f} ms{size}", flush=True)


# %% A big array to a file: no figure, no copy of the array.
with step(f"making up {n} x {n} float32, {4 * n * n / 2**20:.0f} MiB of night sky"):
    mosaic, (row, col) = sky.mosaic(n)
colors = dict(cmap="magma", nan_color=CYAN)
with step("all of it as a picture of 1200 x 1200 pixels", "0_sky.png"):
    gpuplot.imsave(OUTPUT / "0_sky.png", mosaic, width=1200, agg="max", vmin=0, vmax=1200, gamma=0.35, **colors)

# %% The same array in a matplotlib figure, and the one dead element in a star cluster at every zoom.
norm = AsinhNorm(12, vmin=-2, vmax=1500)
with step("a figure with axes and a colorbar", "1_figure.png"):
    fig, ax = plt.subplots(figsize=(6.4, 5.6), layout="compressed")
    gpuplot.imshow(mosaic, ax=ax, norm=norm, colorbar={"ticks": [0, 10, 100, 1000]}, **colors)
    ax.set(title="Counts above the background", xlabel="column", ylabel="row")
    fig.savefig(OUTPUT / "1_figure.png")
with step("one NaN among all elements, seen at every zoom", "2_lone_nan.png"):
    fig, axes = plt.subplots(1, 4, figsize=(12, 3.3), layout="compressed")
    for ax, side in zip(axes, np.geomspace(n / 3, 16, 4)):
        gpuplot.imshow(mosaic, ax=ax, norm=norm, **colors)
        ax.set(xlim=(col - side / 2, col + side / 2), ylim=(row + side / 2, row - side / 2), xticks=[], yticks=[],
               title=f"{side:.0f} x {side:.0f} elements")
        if side > 100:
            ax.plot(col, row, "o", markersize=15, markerfacecolor="none", markeredgecolor=CYAN, markeredgewidth=0.8)
    fig.savefig(OUTPUT / "2_lone_nan.png")

# %% What the usual shortcut loses: every k-th element, against the mean and the maximum of all.
with step("every 20th element, the mean of all, the maximum of all", "3_decimation.png"):
    every = max(1, n // 400)
    fig, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="compressed")
    axes[0].imshow(mosaic[::every, ::every], norm=norm, cmap="magma")
    gpuplot.imshow(mosaic, ax=axes[1], norm=norm, **colors)
    gpuplot.imshow(mosaic, ax=axes[2], norm=norm, agg="max", **colors)
    titles = [f"a[::{every}, ::{every}]: stars, trail and NaN are lost", "gpuplot: the mean of all elements, NaN kept",
              'agg="max": every peak kept']
    for ax, title in zip(axes, titles):
        ax.set(title=title, xticks=[], yticks=[])
    fig.savefig(OUTPUT / "3_decimation.png")

# %% Weights of a network, signed: white is zero, and a few large ones don't bleach the rest.
with step("a linear layer learns to continue waves"):
    rng = np.random.default_rng(0)
    weights = np.zeros((512, 512), np.float32)
    places = np.arange(1024)
    for _ in range(150):
        period, phase = rng.uniform(6, 250, (64, 1)), rng.uniform(0, 6.3, (64, 1))
        waves = np.sin(places * 2 * np.pi / period + phase).astype(np.float32)
        past, future = waves[:, :512], waves[:, 512:]
        weights -= 0.15 / 512 * past.T @ (past @ weights - future)
with step("its weights", "4_weights.png"):
    gpuplot.imsave(OUTPUT / "4_weights.png", weights, cmap="RdBu_r", center=0, robust=True)
print(f"pictures are in {OUTPUT}")
