# %% [markdown]
# # A tensor that stays on the GPU
# The picture of a tensor in CUDA memory is computed there, and only pixels come back. The code is the same as for NumPy,
# which this script falls back on where it finds no GPU.

# %%
import os
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE / "quiet.mplstyle")


def find_library():
    """(array module, keywords that put its arrays on the GPU, what it is) of the first library that has a GPU."""
    try:
        import torch

        if torch.cuda.is_available():
            return torch, {"device": "cuda"}, f"torch on {torch.cuda.get_device_name()}"
    except ImportError:
        pass
    try:
        import cupy

        if cupy.cuda.is_available():
            return cupy, {}, f"CuPy on {cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}"
    except ImportError:
        pass
    return np, {}, os.environ.get("GPUPLOT_EXAMPLE_DEVICE", "NumPy in host memory; neither torch nor CuPy has a GPU here")


xp, on_device, library = find_library()
print(f"arrays are of {library}")

# %% [markdown]
# A strange attractor: a point jumps from (x, y) to (sin(ay) + c cos(ax), sin(bx) + d cos(by)), and jumps again. `density` counts
# how often a crowd of points visits each of its elements, and never leaves the device.

# %%
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 2048 if xp is np else 8192))
a, b, c, d = -1.7, 1.3, -0.1, -1.21
spread = xp.linspace(-1.0, 1.0, max(n * n // 16, 2**16), **on_device)
x, y = spread, xp.cos(300 * spread)
density = xp.zeros((n, n), dtype=xp.float32, **on_device)


def jump(x, y):
    """Where the points are next."""
    return xp.sin(a * y) + c * xp.cos(a * x), xp.sin(b * x) + d * xp.cos(b * y)


def count(x, y):
    """How many points each element has; both coordinates lie within 1 + |c| and 1 + |d|."""
    col, row = (x / 1.13 + 1) * (n / 2), (1 - y / 2.25) * (n / 2)
    found = xp.bincount(xp.asarray(row, dtype=xp.int64) * n + xp.asarray(col, dtype=xp.int64), minlength=n * n)
    return found.reshape(n, n)


for _ in range(12):
    x, y = jump(x, y)
density += count(x, y)

# %% [markdown]
# The figure holds the tensor by reference. Each `update` reads it again, after the work that its library has queued.

# %%
fig = plt.figure(figsize=(9.6, 6.4), layout="compressed")
axes = fig.subplot_mosaic("aab\naac")
style = dict(cmap="inferno", gamma=0.3, vmin=0)
images = [gpuplot.imshow(density, ax=ax, **style) for ax in axes.values()]
for ax, (left, top, size) in zip(axes.values(), [(0, 0, 1), (0.58, 0.52, 0.27), (0.10, 0.60, 0.07)]):
    ax.set(xlim=(left * n, (left + size) * n), ylim=((top + size) * n, top * n), xticks=[], yticks=[],
           title=f"{round(size * n)} x {round(size * n)} elements")

for _ in range(24):
    x, y = jump(x, y)
    density += count(x, y)
for image in images:
    image.update()
    image.autoscale("view", robust=(0, 99.8))
fig.savefig(OUTPUT / "08_attractor.png")
print(f"{n} x {n} float32, {4 * n * n / 1e6:.0f} MB, {OUTPUT}/08_attractor.png")
