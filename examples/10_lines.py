# %% [markdown]
# # Lines of any length
# A line of a hundred million samples is drawn from four in each column of pixels: the first, the last, the smallest and the largest.
# No spike is lost, and zooming finds the samples of the new view, at the pixels of that view.

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
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 10_000)) * 1000

# %% [markdown]
# A sensor that drifts and hums, drops out for a while, and once, for a single sample, jumps. Every 1000th sample misses that
# jump. The times are read once, to learn that they rise.

# %%
rng = np.random.default_rng(4)
signal = rng.standard_normal(n, dtype="float32").cumsum(dtype="float32") * (60 / n**0.5)
signal += np.sin(np.arange(n, dtype="float32") * (200 * np.pi / n)) * 4 + rng.standard_normal(n, dtype="float32")
signal[int(0.62 * n):int(0.66 * n)] = np.nan
spike = int(0.3 * n) + 7
signal[spike] = 160
seconds = np.arange(n) / 10_000

fig, (whole, zoomed, near) = plt.subplots(3, figsize=(9, 6.4))
start = time.perf_counter()
line, = gpuplot.plot(seconds, signal, ax=whole, linewidth=0.7, label=f"all {n:,} samples")
whole.plot(seconds[::1000], signal[::1000], "C1", linewidth=0.7, label="every 1000th, by matplotlib")
whole.legend(loc="lower right")
gpuplot.plot(seconds, signal, ax=zoomed, linewidth=0.7)
zoomed.set_xlim(seconds[spike - n // 1000], seconds[spike + n // 1000])
gpuplot.plot(seconds, signal, "o-", ax=near, markersize=3, linewidth=0.7)
near.set(xlim=(seconds[spike - 40], seconds[spike + 40]), xlabel="seconds")
whole.set_title("A line of many samples keeps its spike and its gap")
zoomed.set_title("the spike, magnified 500 times")
near.set_title("80 samples, and their markers")
fig.savefig(OUTPUT / "10_lines.png")
print(f"three views of {n:,} samples in {time.perf_counter() - start:.2f} s; the first drew {len(line.get_xydata()):,} of them")

# %% [markdown]
# The columns of a table are lines, and so is any axis of a tensor: here the activations of one head over time. Formats, cycles of
# colors, legends, markers and limits are matplotlib's.

# %%
activations = rng.standard_normal((2, 3, n // 10), dtype="float32").cumsum(axis=2)
fig, ax = plt.subplots(figsize=(9, 3))
gpuplot.plot(activations[0], x=1, ax=ax, linewidth=0.7, label=["query", "key", "value"])
ax.legend(ncols=3, loc="upper left")
ax.set_title("three channels, each a line over the last axis")
fig.savefig(OUTPUT / "10_channels.png")

# %% [markdown]
# A training loop writes into its tensor and asks the line to read it again; matplotlib then adapts the limits.

# %%
losses = np.full(5000, np.nan, "float32")
fig, ax = plt.subplots(figsize=(9, 2.6))
curve, = gpuplot.plot(losses, ax=ax, linewidth=0.8)
for step in range(losses.size):
    losses[step] = 3 * np.exp(-step / 1500) + 0.3 * rng.random()
    if step % 1000 == 999:
        curve.update(losses)
        ax.relim()
        ax.autoscale_view()
        fig.canvas.draw()
ax.set_title("a loss, drawn five times while it fell")
fig.savefig(OUTPUT / "10_losses.png")
