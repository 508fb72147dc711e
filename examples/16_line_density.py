# %% [markdown]
# # Thousands of lines
# Drawn one over the other, thousands of lines are one dark stain. `plot` with `density=True` shows how many of them pass each pixel,
# counted where the tensors are, again at every zoom.

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
# Neurons of the Izhikevich model under noise: of each the membrane potential in millivolts, every half millisecond. One kind
# fires regularly, one chatters in bursts.

# %%
n, n_steps = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 2000)) * 5, 600
rng = np.random.default_rng(0)
is_chattering = rng.random(n) < 0.15
reset, kick = np.where(is_chattering, -50, -65), np.where(is_chattering, 2, 8)
v, u = np.full(n, -70.0), np.full(n, -14.0)
volts = np.empty((n, n_steps), "float32")
for step in range(n_steps):
    drive = 10.0 * (step > 60) + rng.normal(0, 2, n)
    for _ in range(2):
        v += 0.25 * (0.04 * v**2 + 5 * v + 140 - u + drive)
    u += 0.5 * 0.02 * (0.2 * v - u)
    volts[:, step] = np.minimum(v, 30)
    is_firing = v >= 30
    v, u = np.where(is_firing, reset, v), u + kick * is_firing
time = np.arange(n_steps, dtype="float32") / 2

# %% [markdown]
# matplotlib's lines with some transparency, in a thirtieth of their number; then all of them: on a logarithmic scale a pixel with
# one line and one with thousands are both visible. Steep strokes fill many pixels; where each line weighs the same in each column
# (`normalize=True`) they give way to where lines dwell.

# %%
fig, axes = plt.subplots(2, 2, figsize=(11, 6.6), layout="constrained")
axes[0, 0].plot(time, volts[::30].T, color="black", alpha=0.05, linewidth=0.7)
axes[0, 0].set_title(f"Axes.plot, alpha=0.05, {len(volts[::30])} lines")
for ax, title, options in (
        (axes[0, 1], f"density=True, {n:,} lines", {"cmap": "inferno"}),
        (axes[1, 0], "normalize=True", {"normalize": True, "cmap": "inferno", "vmin": n / 1e4}),
        (axes[1, 1], "zoomed: each pixel counts anew", {"cmap": "inferno"})):
    image = gpuplot.plot(time, volts, x=1, density=True, ax=ax, **options)
    fig.colorbar(image, ax=ax, label="lines in a pixel")
    ax.set_title(title)
    ax.set_facecolor("black")
axes[1, 1].set(xlim=(30, 75), ylim=(-80, 35))
for ax in axes.flat:
    ax.set(xlabel="ms", ylabel="mV")
for ax in axes.flat[:3]:
    ax.set(xlim=(0, 300), ylim=(-85, 35))
fig.savefig(OUTPUT / "16_line_density.png")
print(f"{OUTPUT}/16_line_density.png")
