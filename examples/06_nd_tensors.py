# %% [markdown]
# # Tensors with more than two axes
# Which axes run across the picture, and what happens to the others: picked, cut or reduced, without a copy.

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

# %% [markdown]
# Attention weights, shaped layer x head x query x key: each head looks some way back, more sharply in later layers.

# %%
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 512))
layers, heads = 4, 6
rng = np.random.default_rng(3)
query, key = np.mgrid[:n, :n].astype(np.float32)
landmarks = rng.choice(n, n // 24, replace=False)
attention = np.empty((layers, heads, n, n), np.float32)
for layer in range(layers):
    for head in range(heads):
        back = n * 0.02 * 2.2 ** head
        score = -np.abs(query - key - back) / (back * 0.8 / (layer + 1)) + 0.4 * rng.standard_normal((n, n), dtype=np.float32)
        score[:, landmarks] += 0.9 * layer
        score[query < key] = -np.inf
        weight = np.exp(score - score.max(axis=1, keepdims=True)) + 1e-7 * (query >= key)
        attention[layer, head] = weight / weight.sum(axis=1, keepdims=True)

# %% [markdown]
# Axes can be named with `dims`. What is not shown is fixed at index 0 unless `index` or `reduce` says otherwise.

# %%
names = dict(dims=("layer", "head", "query", "key"), cmap="magma", norm="log", vmin=1e-5, vmax=1)
fig, axes = plt.subplots(2, 3, figsize=(9.6, 5.8), layout="compressed")
gpuplot.imshow(attention, ax=axes[0, 0], **names)
gpuplot.imshow(attention, ax=axes[0, 1], index={"layer": 3, "head": 2}, **names)
gpuplot.imshow(attention, ax=axes[0, 2], index={"layer": 3}, reduce={"head": "max"}, **names)
gpuplot.imshow(attention, ax=axes[1, 0], reduce={"layer": "mean", "head": "mean"}, **names)
gpuplot.imshow(attention, ax=axes[1, 1], x="key", y="head", index={"layer": 3, "query": -1}, aspect="auto", **names)
gpuplot.imshow(attention, ax=axes[1, 2], x="key", y="layer", reduce={"head": "mean", "query": "mean"}, aspect="auto", **names)
titles = ["layer 0, head 0", "layer 3, head 2", "layer 3, strongest of its heads", "mean over layers and heads",
          "layer 3, last query, all heads", "mean over heads and queries"]
labels = [("key", "query")] * 4 + [("key", "head"), ("key", "layer")]
for ax, title, (x, y) in zip(axes.flat, titles, labels):
    ax.set(title=title, xlabel=x, ylabel=y, box_aspect=1)
axes[1, 1].set_yticks(range(heads))
axes[1, 2].set_yticks(range(layers))
fig.colorbar(axes[0, 2].images[0], ax=axes, shrink=0.6, label="attention")
fig.savefig(OUTPUT / "06_attention.png")
print(f"{attention.shape}: {attention.nbytes / 1e6:.0f} MB, {OUTPUT}/06_attention.png")
