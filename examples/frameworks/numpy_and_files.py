# %% [markdown]
# # NumPy and files: a map that is read where it lies
# Elevations as surveys store them: big-endian 16-bit integers in a plain file, larger than anybody wants to load. The file is
# drawn through a memory map, and converted into another file, neither of which is ever in memory as a whole.

# %%
import os
import pathlib
import tempfile

import matplotlib.pyplot as plt
import numpy as np

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE.parent / "quiet.mplstyle")
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 8192))
folder = pathlib.Path(tempfile.mkdtemp())


# %%
def fractal(n, slope, seed):
    """A periodic (n, n) field with a power-law spectrum and standard deviation 1."""
    rng = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.fftfreq(n)[:, None], np.fft.rfftfreq(n))
    frequency[0, 0] = np.inf
    field = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((n, n))) * frequency ** -slope, (n, n))
    return (field / field.std()).astype(np.float32)


def between(field, places):
    """Rows of a field at fractional places, linearly."""
    low = np.minimum(places.astype(np.int64), len(field) - 2)
    part = (places - low).astype(np.float32)[:, None]
    return field[low] * (1 - part) + field[low + 1] * part


# The file is written once, in strips: a coarse world of ridges and basins, blown up, with finer ground laid over it.
n_coarse, n_rows = 640, 512
world = 1300 * (0.55 - np.abs(fractal(n_coarse, 1.75, 3)) + 0.75 * fractal(n_coarse, 2.2, 21))
ground = 90 * fractal(1024, 1.6, 5)
places = np.arange(n) * ((n_coarse - 1) / n)
survey = np.memmap(folder / "survey.raw", ">i2", "w+", shape=(n, n))
for start in range(0, n, n_rows):
    strip = between(between(world, places[start:start + n_rows]).T, places).T
    survey[start:start + n_rows] = strip + np.tile(ground, (1, n // 1024 + 1))[(start + np.arange(len(strip))) % 1024, :n]
survey.flush()
del survey

# %% [markdown]
# Mapped, not loaded; swapped bytes are read as they are. The norm puts the shore line in the middle of the colors.

# %%
survey = np.memmap(folder / "survey.raw", ">i2", "r", shape=(n, n))
sea = plt.matplotlib.colors.LinearSegmentedColormap.from_list("sea", [
    (0.0, "#16324f"), (0.499, "#86b6cf"), (0.5, "#4f7d4d"), (0.62, "#b8b27a"), (0.8, "#8a6b52"), (1.0, "#ffffff")])
colors = dict(cmap=sea, norm=plt.matplotlib.colors.TwoSlopeNorm(0, -1800, 3000))
fig, axes = plt.subplots(1, 2, figsize=(9.6, 4.4), layout="compressed")
images = [gpuplot.imshow(survey, ax=ax, **colors) for ax in axes]
part = n // 12
axes[0].set(title=f"the whole file, {n} x {n} '>i2'", xticks=[], yticks=[])
axes[1].set(title=f"{part} x {part} of it", xlim=(5.2 * part, 6.2 * part), ylim=(4.4 * part, 3.4 * part), xticks=[], yticks=[])
fig.colorbar(images[0], ax=axes, label="meters", shrink=0.8)
fig.savefig(OUTPUT / "files.png")

# %% [markdown]
# Into another file, as native float32 in column order: chunk by chunk, by all cores, straight into the map of the new file.

# %%
columns = np.lib.format.open_memmap(folder / "columns.npy", "w+", np.float32, survey.shape, fortran_order=True)
gpuplot.asnumpy(survey, "float32", out=columns)
columns.flush()
print(f"{survey.nbytes / 1e6:.0f} MB of {survey.dtype.str} became {columns.nbytes / 1e6:.0f} MB of {columns.dtype.str}, column by column")
same = gpuplot.asnumpy(columns, order="F")
print(f"what has the dtype and the order already comes back as it is: {np.shares_memory(same, columns)}")
print(f"{OUTPUT}/files.png")
