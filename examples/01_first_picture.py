# %% [markdown]
# # A first picture
# An array with more elements than the screen has pixels, shown by one call.

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
# A recurrence plot: how far the state of a chaotic system at one time lies from its state at every other time.
# 6000 moments give 36 million distances.

# %%
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 6000))
path = np.empty((n, 3))
path[0] = -9.0, -14.0, 19.0
for i in range(1, n):
    x, y, z = path[i - 1]
    path[i] = path[i - 1] + 0.01 * np.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])
squares = (path ** 2).sum(axis=1)
distance = np.sqrt(np.maximum(squares[:, None] + squares - 2 * path @ path.T, 0)).astype(np.float32)

# %% [markdown]
# The same arguments as `plt.imshow`, and the same result: an artist in the axes. Each pixel is the mean of all elements
# that it covers.

# %%
fig, ax = plt.subplots(figsize=(6.4, 5.4), layout="compressed")
im = gpuplot.imshow(distance, ax=ax, cmap="magma", colorbar=True)
ax.set(title=f"Distance between states of the Lorenz system, {n} x {n}", xlabel="time step", ylabel="time step")
fig.savefig(OUTPUT / "01_whole.png")

# %% [markdown]
# Zooming asks for the visible part anew, from the array itself; nothing was thrown away.

# %%
ax.set(xlim=(0.10 * n, 0.22 * n), ylim=(0.22 * n, 0.10 * n), title="The same artist, zoomed")
fig.savefig(OUTPUT / "01_zoomed.png")
print(f"{distance.nbytes / 1e6:.0f} MB of distances: {OUTPUT}/01_whole.png, 01_zoomed.png")
