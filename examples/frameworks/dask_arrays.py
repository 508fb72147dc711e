# %% [markdown]
# # Dask: an array that is never whole
# A field of 16384 x 16384 numbers, 1 GB, whose chunks are computed on request and released when they are reduced. With
# `da.from_zarr(...)`, a data set of h5py or `xr.open_zarr(...)` in its place the lines below stay the same.

# %%
import os
import pathlib
import threading

import matplotlib.pyplot as plt
import numpy as np

import gpuplot

try:
    import dask
    import dask.array as da
except ImportError:
    raise SystemExit("this example needs dask: pip install 'dask[array]' distributed") from None

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE.parent / "quiet.mplstyle")
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 16384))
side, n_read, lock = n // 8, [0], threading.Lock()


# %%
def waves(block_info):
    """A chunk: two sources of waves, and one dead element in the whole field."""
    (row0, row1), (col0, col1) = block_info[None]["array-location"]
    y, x = np.arange(row0, row1, dtype="float32")[:, None] / n, np.arange(col0, col1, dtype="float32") / n
    field = sum(np.cos(600 * np.hypot(x - a, y - b)) / (1 + 8 * np.hypot(x - a, y - b)) for a, b in ((0.35, 0.4), (0.7, 0.65)))
    if row0 <= n // 3 < row1 and col0 <= n // 2 < col1:
        field[n // 3 - row0, n // 2 - col0] = np.nan
    with lock:
        n_read[0] += 1
    return field


sizes = (side,) * 7 + (n - 7 * side,)
field = da.map_blocks(waves, chunks=(sizes, sizes), dtype="float32", meta=np.empty((0, 0), "float32"))
print(f"{field.nbytes / 2**20:.0f} MB in {field.npartitions} chunks, by the scheduler {dask.config.get('scheduler', 'threads')}")

# %% [markdown]
# The first draw computes every chunk once, for pixels and limits together; the zoom only the chunks that it shows. A layout that moves
# the Axes as they are drawn would ask for other pixels, and compute all of them again.

# %%
fig, axes = plt.subplots(1, 3, figsize=(12.6, 4.2), layout="none")
fig.subplots_adjust(0.05, 0.08, 0.98, 0.9, wspace=0.2)
options = {"cmap": "RdBu_r", "center": 0, "nan_color": "black"}
gpuplot.imshow(field, ax=axes[0], limits="elements", **options)
fig.canvas.draw()
print(f"chunks computed for all: {n_read[0]}")
gpuplot.imshow(field, ax=axes[1], vmin=-1, vmax=1, **options)
axes[1].set(xlim=(n // 2 - 12, n // 2 + 12), ylim=(n // 3 + 12, n // 3 - 12), title="24 elements a side: the dead one")
n_read[0] = 0
fig.canvas.draw()
print(f"chunks computed for the zoom: {n_read[0]}")
gpuplot.hist(field[:n // 4], 200, ax=axes[2], histtype="stepfilled")
axes[0].set_title(f"{n} x {n} elements")
axes[2].set_title("the upper quarter in 200 bins")
fig.savefig(OUTPUT / "dask.png")

# %% [markdown]
# Numbers, in a few passes.

# %%
found = gpuplot.stats(field, percentiles=())
print(f"NaN: {found.nan} at {found.first_nan}; largest {found.max:.3f} at {found.argmax}")
print(f"{OUTPUT}/dask.png")
