# %% [markdown]
# # Millions of points
# `scatter` draws few points as matplotlib does. Of many it draws the density: for every pixel the number of points in it, or an
# aggregate of their values, computed where the tensors are, again at every zoom.

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
# An attractor of Clifford Pickover: many starting points, each moved on by the same two equations.

# %%
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 2000))
x, y = np.random.default_rng(0).uniform(-1, 1, (2, n))
steps = np.empty((2, 1000, n), "float32")
for step in range(-20, 1000):
    x, y = np.sin(-1.4 * y) + np.cos(-1.4 * x), np.sin(1.6 * x) + 0.7 * np.cos(1.6 * y)
    if step >= 0:
        steps[:, step] = x, y
x, y = steps

# %% [markdown]
# All of them, on a logarithmic scale and by ranks; then a part, counted in pixels of its own size.

# %%
fig, axes = plt.subplots(2, 3, figsize=(10, 6), layout="constrained")
fig.colorbar(gpuplot.scatter(x, y, ax=axes[0, 0]), label="points in a pixel")
gpuplot.scatter(x, y, ax=axes[0, 1], norm="eq_hist", cmap="magma")
gpuplot.scatter(x, y, ax=axes[0, 2], norm="eq_hist", cmap="magma")
axes[0, 2].set(xlim=(-0.25, 0.25), ylim=(0.2, 0.7))

# %% [markdown]
# One color; the mean of a value at each place; and logarithmic axes, with one pixel that has more points than all others:
# it has the last color, as the pointed end of the colorbar shows.

# %%
gpuplot.scatter(x, y, ax=axes[1, 0], c="tab:blue")
speed = np.hypot(np.diff(x, axis=0, append=x[:1]), np.diff(y, axis=0, append=y[:1]))
fig.colorbar(gpuplot.scatter(x, y, c=speed, ax=axes[1, 1], cmap="plasma"), label="length of the next step")
sizes = np.exp(np.random.default_rng(1).normal(size=(2, 200 * n)).astype("float32"))
sizes[:, :100 * n] = 20
axes[1, 2].set(xscale="log", yscale="log")
fig.colorbar(gpuplot.scatter(*sizes, ax=axes[1, 2]), label="points in a pixel")
titles = ["scatter(x, y)", 'norm="eq_hist"', "zoomed", 'c="tab:blue"', "c=speed", "logarithms, one hot pixel"]
for ax, title in zip(axes.flat, titles):
    ax.set_title(title)
fig.savefig(OUTPUT / "13_points.png")
print(f"{OUTPUT}/13_points.png")
