# %% [markdown]
# # CuPy: what a telescope makes of a star
# The mirror of a big telescope has eighteen hexagons, and light that goes round their edges draws six spikes on every star.
# A Fourier transform on the GPU computes them; only pixels leave it.

# %%
import os
import pathlib

import matplotlib.pyplot as plt

import gpuplot

try:
    import cupy
except ImportError:
    raise SystemExit("this example needs CuPy and an NVIDIA GPU: pip install cupy-cuda13x") from None
if not cupy.is_available():
    raise SystemExit("this example needs an NVIDIA GPU: CuPy finds none")

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE.parent / "quiet.mplstyle")
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 8192))

# %% [markdown]
# The aperture: three rings of hexagons without the one in the middle, in front of it the three arms of the second mirror.

# %%
axis = (cupy.arange(n, dtype=cupy.float32) - n // 2) * (64 / n)
x, y = axis[None, :], axis[:, None]


def hexagon(col, row, side):
    """1 inside a hexagon with two corners at the left and right, else 0."""
    across, up = cupy.abs(x - col), cupy.abs(y - row)
    return ((up < 0.866 * side) & (1.732 * across + up < 1.732 * side)).astype(cupy.float32)


mirror = cupy.zeros((n, n), dtype=cupy.float32)
for i in range(-2, 3):
    for j in range(-2, 3):
        if 0 < max(abs(i), abs(j), abs(i + j)) <= 2:
            mirror = mirror + hexagon(1.5 * i, 0.866 * i + 1.732 * j, 0.98)
for arm, other_side in ((x, y > 0), (y + 0.577 * x, y < 0), (y - 0.577 * x, y < 0)):
    mirror = mirror * ((cupy.abs(arm) > 0.065) | other_side)
light = cupy.abs(cupy.fft.fftshift(cupy.fft.fft2(mirror))) ** 2
print(f"light: {light.shape} {light.dtype.name} on {light.device}, {light.nbytes / 1e6:.0f} MB")

# %%
fig, axes = plt.subplots(1, 2, figsize=(9.0, 4.5), layout="compressed")
gpuplot.imshow(mirror, ax=axes[0], cmap="bone", extent=(-32, 32, -32, 32))
axes[0].set(title="the mirror", xlim=(-6, 6), ylim=(-6, 6), xticks=[], yticks=[])
peak = float(light.max())
half = min(450, n // 2)
gpuplot.imshow(light, ax=axes[1], cmap="inferno", norm="log", vmin=1e-7 * peak, vmax=0.02 * peak, agg="max")
axes[1].set(title="a star, seven orders of magnitude of it", xlim=(n / 2 - half, n / 2 + half), ylim=(n / 2 + half, n / 2 - half),
            xticks=[], yticks=[])
fig.savefig(OUTPUT / "cupy.png")

# %% [markdown]
# The numbers: a window of the array, gathered and cast on the GPU, comes to the host; the rest stays.

# %%
middle = slice(n // 2 - 200, n // 2 + 200)
part = gpuplot.asnumpy(light[middle, middle], "float64")
print(f"as NumPy: {part.shape} {part.dtype}, {100 * part.sum() / float(light.sum()):.0f} % of the light")
print(f"{OUTPUT}/cupy.png")
