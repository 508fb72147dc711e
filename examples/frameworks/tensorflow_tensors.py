# %% [markdown]
# # TensorFlow: a complex spectrogram
# Whistles that rise, fall and tremble, and what `tf.signal.stft` makes of them: a complex tensor. It is drawn as
# it is, without a copy; a `tf.Variable` is taken, too.

# %%
import math
import os
import pathlib

import matplotlib.pyplot as plt

import gpuplot

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import tensorflow as tf
except ImportError:
    raise SystemExit("this example needs TensorFlow: pip install tensorflow") from None

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE.parent / "quiet.mplstyle")
n_frames = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 4000))
rate, step = 16000, 64

# %% [markdown]
# Each whistle is a phase: the integral of its frequency over time. Overtones are multiples of it.

# %%
time = tf.range(n_frames * step + 1024, dtype=tf.float64) / rate
long = float(time[-1])


def whistle(frequency, start, stop, strength):
    """A tone of a changing frequency in hertz, with two overtones, that swells and fades between two moments."""
    phase = 2 * math.pi * tf.cumsum(frequency) / rate
    inside = tf.clip_by_value((time / long - start) / (stop - start), 0, 1)
    overtones = sum(tf.sin(k * phase) / k ** 2 for k in (1, 2, 3))
    return strength * tf.sin(math.pi * inside) ** 2 * overtones


sound = sum([
    whistle(700 + 900 * tf.sin(3.0 * time / long) ** 2, 0.02, 0.55, 1.0),
    whistle(1500 + 120 * tf.sin(2 * math.pi * 5.5 * time) * tf.minimum(1.0, time / 6), 0.30, 0.80, 0.6),
    whistle(2600 * tf.exp(-2.2 * time / long) + 300, 0.45, 0.98, 0.9),
    whistle(400 + 5000 * (time / long) ** 2, 0.05, 0.95, 0.08),
    0.003 * tf.random.stateless_normal(time.shape, seed=[1, 2], dtype=tf.float64)])
spectrum = tf.signal.stft(tf.cast(sound, tf.float32), frame_length=1024, frame_step=step, fft_length=1024)
print(f"spectrum: {spectrum.shape} {spectrum.dtype.name} on {spectrum.device.rpartition('/')[2]}")

# %% [markdown]
# Frequency goes up, so the axes change places: `x` and `y` choose them, nothing is transposed.

# %%
whole = dict(x=0, y=1, origin="lower", aspect="auto", extent=(0, long, 0, rate / 2000))
colors = dict(complex_mode="amplitude", norm="log", vmin=0.02, vmax=100, cmap="magma", agg="max")
fig, axes = plt.subplots(2, 1, figsize=(8.4, 6.2), layout="compressed")
gpuplot.imshow(spectrum, ax=axes[0], **whole, **colors)
image = gpuplot.imshow(tf.Variable(spectrum), ax=axes[1], **whole, **colors)
axes[0].set(title="amplitude of a complex EagerTensor", ylabel="kHz", ylim=(0, 6))
axes[1].set(title="the same as a Variable, zoomed", xlabel="seconds", ylabel="kHz", xlim=(0.42 * long, 0.62 * long), ylim=(0.8, 3.4))
fig.colorbar(image, ax=axes, extend="both")
fig.savefig(OUTPUT / "tensorflow.png")

# %% [markdown]
# The numbers: without a copy where TensorFlow's memory is the host's.

# %%
frames = gpuplot.asnumpy(spectrum)
print(f"as NumPy: {frames.shape} {frames.dtype}, loudest {abs(frames).max():.0f}")
print(f"{OUTPUT}/tensorflow.png")
