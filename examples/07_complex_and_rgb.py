# %% [markdown]
# # Complex numbers and colors
# A complex array as amplitude, phase, or both at once; channels as colors, wherever their axis is.

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

# %% [markdown]
# A beam of light with vortices: where its brightness is zero, the phase turns around once or several times.

# %%
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 2000))
y, x = np.mgrid[3:-3:n * 1j, -3:3:n * 1j]
z = x + 1j * y
beam = (np.exp(-(x ** 2 + y ** 2) / 2) * (z ** 3 / 2.4 - 0.9 * np.conj(z) ** 2 + 0.7) * np.exp(1.5j * x)).astype(np.complex64)

# %%
fig, axes = plt.subplots(2, 3, figsize=(10, 6), layout="compressed")
gpuplot.imshow(beam, ax=axes[0, 0], cmap="magma", colorbar=True)
gpuplot.imshow(beam, ax=axes[0, 1], complex_mode="phase", cmap="twilight", colorbar=True)
gpuplot.imshow(beam, ax=axes[0, 2], complex_mode="amplitude_phase")
axes[0, 2].set_facecolor("black")

# %% [markdown]
# A photograph as height x width x channel, then with the channels first as networks keep it, normalized as for
# training: `denorm` undoes that.

# %%
with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
    photo = plt.imread(file, format="jpg")[:512]
mean, spread = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
prepared = (((photo / 255 - mean) / spread).transpose(2, 0, 1)).astype(np.float32)
gpuplot.imshow(photo, ax=axes[1, 0])
gpuplot.imshow(prepared, ax=axes[1, 1], rgb=True, denorm="imagenet")
gpuplot.imshow(prepared, ax=axes[1, 2], rgb=False, index={0: 0}, center=0, colorbar=True)
titles = ["amplitude of a beam", "its phase", "both: opacity and hue", "uint8, channels last", "normalized, channels first, undone",
          "its red channel as numbers"]
for ax, title in zip(axes.flat, titles):
    ax.set(title=title, xticks=[], yticks=[])
fig.savefig(OUTPUT / "07_complex_rgb.png")
print(f"{OUTPUT}/07_complex_rgb.png")
