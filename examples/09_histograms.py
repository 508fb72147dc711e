# %% [markdown]
# # Histograms of any tensor
# `gpuplot.hist` and `gpuplot.hist2d` take what `plt.hist` and `plt.hist2d` take, and tensors of any size where they are: elements are
# counted there, in one pass, or two where the range has to be found, and only counts come back, which are exactly NumPy's.

# %%
import os
import pathlib
import time

import matplotlib.pyplot as plt
import numpy as np

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE / "quiet.mplstyle")
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 3000))

# %% [markdown]
# Three layers of a network: one as it was made, one that was trained, one that was trained and pruned. Several tensors share their
# bins, names become labels, and outlines (`histtype="step"`) show thousands of bins at once. On a logarithmic axis single weights far
# out are as tall as they can be.

# %%
rng = np.random.default_rng(9)
made = rng.standard_normal((n, n), dtype="float32") * 0.02
trained = made + rng.laplace(scale=0.008, size=(n, n)).astype("float32")
trained[n // 3, n // 2] = 0.31
pruned = np.where(abs(trained) < 0.02, 0, trained).astype("float16")

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
start = time.perf_counter()
found = gpuplot.hist({"made": made, "trained": trained, "pruned": pruned}, 1000, histtype="step", log=True, ax=left)
print(f"3 x {made.size:,} elements in 1000 bins in {time.perf_counter() - start:.2f} s")
assert found.n[1].tolist() == np.histogram(trained, found.bins.astype("float32"))[0].tolist()
left.legend()
left.set(title="Layers in 1000 bins: one weight is far out", xlabel="weight", ylabel="how many")

# %% [markdown]
# NumPy's rules choose the number of bins from statistics that are computed where the elements are. `weights=` adds up another tensor
# in place of counting: here how much of the layer's energy is in weights of each size.

# %%
by_size = gpuplot.hist(abs(trained), "fd", range=(0, 0.12), density=True, alpha=0.6, label="share of the weights", ax=right)
gpuplot.hist(abs(trained), by_size.bins, weights=trained**2, density=True, alpha=0.6, label="share of the energy", ax=right)
right.legend()
right.set(title=f"The rule of Freedman and Diaconis: {len(by_size.n)} bins", xlabel="size of a weight", ylabel="density")
fig.savefig(OUTPUT / "09_histograms.png")
print(f"{by_size.outside:,} weights are larger than 0.12, and in no bin")

# %% [markdown]
# `hist2d` counts pairs: what a weight was, and what it became. The image is that of `pcolormesh`, for colorbars and norms as usual.

# %%
fig, (whole, zoomed) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
pairs = gpuplot.hist2d(made, trained, (300, 300), range=((-0.1, 0.1), (-0.15, 0.15)), norm="log", cmin=1, ax=whole)
fig.colorbar(pairs.image, ax=whole, label="how many")
whole.set(title=f"Each weight before and after, {pairs.left_out:,} beyond", xlabel="made", ylabel="trained")

# %% [markdown]
# With `bins="view"` bins are four pixels wide and counted anew whenever another part of the axis is seen, by zooming or by `set_xlim`.
# The tensor is kept for that, until the patches are removed; other histograms do not keep it.

# %%
seen = gpuplot.hist(pruned, "view", ax=zoomed)
zoomed.set_xlim(0.0199, 0.0204)
zoomed.set_ylim(0, seen.n.max() * 1.1)
zoomed.set(title='Zoomed, bins="view" tells float16 values apart', xlabel="pruned weight")
fig.savefig(OUTPUT / "09_pairs.png")
print(f"after the zoom bins go from {seen.bins[0]} to {seen.bins[-1]}")
