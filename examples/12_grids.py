# %% [markdown]
# # Batches, and two tensors beside each other
# `grid` shows many images as one artist, `compare` two tensors and their difference.

# %%
import os
import pathlib

import matplotlib.pyplot as plt
import numpy as np
import sky

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE / "quiet.mplstyle")
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 4096))

# %% [markdown]
# Filters as a first layer of a network learns them: waves of some direction, length and color. 96 of shape (3, 15, 15), the layout
# of frameworks, with the names of torchvision's `make_grid`: each is stretched to its own range.

# %%
rng = np.random.default_rng(4)
row, col = np.mgrid[-7:8, -7:8].astype("float32")
angle, length, phase = rng.uniform(0, np.pi, 96), rng.uniform(4, 14, 96), rng.uniform(0, 6.3, 96)
across = np.cos(angle)[:, None, None] * col + np.sin(angle)[:, None, None] * row
wave = np.cos(2 * np.pi * across / length[:, None, None] + phase[:, None, None]) * np.exp(-(row**2 + col**2) / 40)
tint = np.where(rng.random((96, 1)) < 0.5, 1.0, rng.normal(size=(96, 3)))
filters = (tint[:, :, None, None] * wave[:, None]).astype("float32")
figure = gpuplot.grid(filters, nrow=24, normalize=True, scale_each=True, padding=1, pad_value=1, max_items=96)
figure.savefig(OUTPUT / "12_filters.png")

# %% [markdown]
# Images of one channel share one range of colors, and a colorbar. Each is reduced for the pixels that it has: here 36 parts of a
# large picture. The one dead element in a star cluster is seen all the same.

# %%
mosaic, (dead_row, dead_col) = sky.mosaic(n)
side = n // 6
parts = mosaic[:6 * side, :6 * side].reshape(6, side, 6, side).swapaxes(1, 2)     # (6, 6, side, side), without a copy
figure = gpuplot.grid(parts, nrow=6, padding=side // 30, agg="max", cmap="magma", gamma=0.35, vmin=0, vmax=1200,
                      nan_color="#35e0d0", colorbar=True, titles=[f"{r}, {c}" for r in range(6) for c in range(6)])
figure.savefig(OUTPUT / "12_parts.png")
print(f"{parts.shape}, {parts.nbytes / 1e6:.0f} MB; the dead element is in part {dead_row // side}, {dead_col // side}")

# %% [markdown]
# `imsave` writes the same grid without a figure, `width` pixels across.

# %%
gpuplot.imsave(OUTPUT / "12_filters_alone.png", filters, grid={"nrow": 16, "normalize": True, "scale_each": True}, width=1200)

# %% [markdown]
# What does half precision cost? Two tensors with one scale; the largest difference under each pixel; and a line about all
# elements: one of them was overwritten.

# %%
smooth = np.nan_to_num(mosaic) / 100
half = smooth.astype("float16")
half[n // 3, n // 4] += 8
figure = gpuplot.compare(half, smooth, cmap="magma", gamma=0.35, vmin=0, vmax=12, titles=("float16", "float32"))
figure.savefig(OUTPUT / "12_compare.png")
print(figure.comparison)
