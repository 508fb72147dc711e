# %% [markdown]
# # Inside a small network
# A network learns a photograph as a function from position to brightness. Its weights, gradients and activations are
# tensors; here they are looked at.

# %%
import os
import pathlib

import matplotlib.cbook
import matplotlib.pyplot as plt
import numpy as np

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE / "quiet.mplstyle")
n_steps = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 600))
rng = np.random.default_rng(0)

with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
    photo = plt.imread(file, format="jpg")[:512:3, :512:3].mean(axis=2).astype(np.float32) / 255
height, width = photo.shape

# %% [markdown]
# Positions as waves of random frequencies, two hidden layers of 128 units, Adam: all in NumPy.

# %%
y, x = np.mgrid[-1:1:height * 1j, -1:1:width * 1j].reshape(2, -1)
waves = rng.normal(0, 9, (2, 64))
angles = np.stack([y, x], axis=1) @ waves
inputs = np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
weights = [rng.normal(0, (2 / 128) ** 0.5, shape).astype(np.float32) for shape in ((128, 128), (128, 128), (128, 1))]
before = [w.copy() for w in weights]
moments = [(np.zeros_like(w), np.zeros_like(w)) for w in weights]


def forward(rows):
    """Activations of every layer for some positions."""
    first = np.maximum(inputs[rows] @ weights[0], 0)
    second = np.maximum(first @ weights[1], 0)
    return first, second, second @ weights[2]


for step in range(1, n_steps + 1):
    rows = rng.integers(0, photo.size, 512)
    first, second, output = forward(rows)
    error = (output[:, 0] - photo.reshape(-1)[rows])[:, None] / len(rows)
    back_second = error @ weights[2].T * (second > 0)
    back_first = back_second @ weights[1].T * (first > 0)
    gradients = [inputs[rows].T @ back_first, first.T @ back_second, second.T @ error]
    for w, g, (m, v) in zip(weights, gradients, moments):
        m += 0.1 * (g - m)
        v += 0.001 * (g * g - v)
        w -= 0.003 * (m / (1 - 0.9 ** step)) / (np.sqrt(v / (1 - 0.999 ** step)) + 1e-8)

# %% [markdown]
# Weights are signed: `center=0` puts white at zero, `robust=True` keeps a few large ones from bleaching the rest.
# The gradient spans orders of magnitude: a symmetric logarithm shows both signs.

# %%
first, second, output = forward(slice(None))
acts = second.T.reshape(128, height, width)
fig, axes = plt.subplots(2, 3, figsize=(10, 5.9), layout="compressed")
gpuplot.imshow(weights[1], ax=axes[0, 0], center=0, robust=True, colorbar=True)
gpuplot.imshow(weights[1] - before[1], ax=axes[0, 1], center=0, robust=True, colorbar=True)
limit = float(np.abs(gradients[1]).max())
gpuplot.imshow(gradients[1], ax=axes[0, 2], cmap="RdBu_r", colorbar={"ticks": [-1e-3, -1e-4, 0, 1e-4, 1e-3]}, agg="absmax",
               norm=plt.matplotlib.colors.SymLogNorm(limit / 100, vmin=-limit, vmax=limit))

# %% [markdown]
# The activations have an axis for the unit and two for the picture: `index` picks a unit, `reduce` sums up over all of
# them without a copy.

# %%
active = acts.mean(axis=(1, 2)).argmax()
gpuplot.imshow(output.reshape(height, width), ax=axes[1, 0], cmap="gray", vmin=0, vmax=1)
gpuplot.imshow(acts, index={0: int(active)}, ax=axes[1, 1], cmap="magma", robust=True, colorbar=True)
gpuplot.imshow(acts, reduce={0: "std"}, ax=axes[1, 2], cmap="magma", robust=True, colorbar=True)
titles = [f"hidden weights after {n_steps} steps", "what training changed", "the last gradient", "what the network draws",
          f"unit {active}: where it is active", "spread over the 128 units"]
for ax, title in zip(axes.flat, titles):
    ax.set(title=title, xticks=[], yticks=[])
fig.savefig(OUTPUT / "03_network.png")
print(f"mean error {np.abs(output[:, 0] - photo.reshape(-1)).mean():.3f}: {OUTPUT}/03_network.png")
