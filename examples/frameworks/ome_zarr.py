# %% [markdown]
# # OME-Zarr: an image that is stored at several resolutions
# A file of microscopy with four levels, made here, each half as wide and as high as the one before. gpuplot draws level 0 exactly; the
# other levels are previews of the file, which is what `level=` shows.

# %%
import os
import pathlib
import tempfile

import matplotlib.pyplot as plt
import numpy as np

import gpuplot

try:
    import zarr
except ImportError:
    raise SystemExit("this example needs zarr: pip install zarr dask") from None

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE.parent / "quiet.mplstyle")
n, n_levels = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 4096)) // 8 * 8, 4

# %%
y, x = np.mgrid[:n, :n].astype("float32") / n
cells = np.random.default_rng(5).random((60, 2))
image = sum(np.exp(-((y - a) ** 2 + (x - b) ** 2) / 8e-4) for a, b in cells)
image[n // 2:n // 2 + 2, n // 3:n // 3 + 2] = 9  # a flash of four elements
group = zarr.open_group(tempfile.mkdtemp(suffix=".zarr"), mode="w", zarr_format=2)
datasets = []
for k in range(n_levels):
    array = group.create_array(str(k), shape=image.shape, chunks=(512, 512), dtype="f4")
    array[:] = image
    scale = {"type": "scale", "scale": [0.25 * 2**k] * 2}
    datasets.append({"path": str(k), "coordinateTransformations": [scale]})
    image = image[::2, ::2]  # many writers take every second element; the metadata does not say it
axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
group.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": datasets}]
print(f"levels: {', '.join(str(group[str(k)].shape) for k in range(n_levels))}")

# %% [markdown]
# The same part of level 0 and of level 3: axes and pointer count elements of level 0 in both, and the title says what is shown.

# %%
fig, panels = plt.subplots(1, 3, figsize=(12.6, 4.4), layout="none")
fig.subplots_adjust(0.06, 0.08, 0.98, 0.9, wspace=0.25)
for ax, level in zip(panels, (None, None, 3), strict=True):
    gpuplot.imshow(group, ax=ax, level=level, agg="max", vmin=0, vmax=3, cmap="magma")
for ax in panels[1:]:
    ax.set(xlim=(n // 3 - n // 12, n // 3 + n // 12), ylim=(n // 2 + n // 12, n // 2 - n // 12))
panels[0].set_title(f"level 0, {n} x {n}, agg='max'")
panels[1].set_title("level 0: a flash of four elements")
fig.savefig(OUTPUT / "ome_zarr.png")
view = (n // 2 - 8, n // 2 + 8), (n // 3 - 8, n // 3 + 8)
for level in (0, 3):
    largest = gpuplot.downsample(group, (1, 1), view=view, agg="max", level=level)[0, 0]
    print(f"largest of 16 x 16 elements, level {level}: {largest:.2f}")
print(f"{OUTPUT}/ome_zarr.png")
