# %% [markdown]
# # Numba: a kernel's output, without copy_to_host
# A CUDA kernel in Python writes how long a point of the plane stays near zero. Where there is no GPU, Numba's simulator runs
# it, slowly: set `NUMBA_ENABLE_CUDASIM=1`.

# %%
import os
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import gpuplot

try:
    from numba import cuda
except ImportError:
    raise SystemExit("this example needs Numba: pip install numba-cuda") from None
if not cuda.is_available():
    raise SystemExit("this example needs an NVIDIA GPU or Numba's simulator: NUMBA_ENABLE_CUDASIM=1 python numba_arrays.py")

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE.parent / "quiet.mplstyle")
is_simulated = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 320 if is_simulated else 8192))
n_most = 300 if is_simulated else 2000
left, right, low, high = -0.7545, -0.7405, 0.0965, 0.1105


# %%
@cuda.jit
def escape(out, n_most):
    """Steps of z*z + c until z is far away, with a fraction that makes the count smooth; NaN where it stays."""
    first_row, first_col = cuda.grid(2)
    row_step, col_step = cuda.gridsize(2)
    for row in range(first_row, out.shape[0], row_step):
        for col in range(first_col, out.shape[1], col_step):
            c = complex(left + (right - left) * col / out.shape[1], high + (low - high) * row / out.shape[0])
            z, steps = 0j, 0
            while steps < n_most and z.real * z.real + z.imag * z.imag < 1e4:
                z, steps = z * z + c, steps + 1
            size = abs(z)
            out[row, col] = np.nan if steps == n_most else steps + 1 - np.log2(np.log(size) / np.log(100.0))


counts = cuda.device_array((n, n), np.float32)
escape[(1, 2) if is_simulated else (64, 64), (4, 4) if is_simulated else (16, 16)](counts, n_most)
print(f"counts: {counts.shape} {counts.dtype}, a {type(counts).__name__}, {counts.dtype.itemsize * n * n / 1e6:.1f} MB")

# %% [markdown]
# The device array itself is drawn, after what its stream still has to do. NaN has a color of its own.

# %%
fig, ax = plt.subplots(figsize=(6.4, 5.4), layout="compressed")
gpuplot.imshow(counts, ax=ax, cmap="inferno", norm="log", vmin=20, vmax=250, nan_color="#0b4f6c", extent=(left, right, low, high),
               colorbar={"label": "steps until it is far away"})
ax.set(title=f"Seahorses, {n} x {n}; blue: NaN, for ever near", xlabel="real part", ylabel="imaginary part")
fig.savefig(OUTPUT / "numba.png")

# %% [markdown]
# The numbers: any view of it, any dtype, into existing memory.

# %%
out = np.empty((n // 2, n), np.float16)
gpuplot.asnumpy(counts[::2], "float16", out=out)
print(f"every second row as {out.dtype}: {out.shape}, median {np.nanmedian(out.astype(np.float32)):.1f}, "
      f"{100 * np.isnan(out).mean():.0f} % NaN")
print(f"{OUTPUT}/numba.png")
