# %% [markdown]
# # Raw CUDA: a pointer, a stream, a picture
# Memory that no Python library owns: the driver's own calls, by ctypes. `from_pointer` describes it, and every function
# that takes a tensor takes the result. The numbers are bfloat16, which NumPy does not have.

# %%
import ctypes
import os
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import gpuplot

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE.parent / "quiet.mplstyle")
n = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 8192))
n_rows = n // 8  # of a chunk

try:
    driver = ctypes.CDLL(os.environ.get("GPUPLOT_CUDA_DRIVER", "libcuda.so.1"))
except OSError:
    raise SystemExit("this example needs an NVIDIA GPU: there is no driver (libcuda.so.1)") from None


def call(name, *arguments):
    """One call of the driver; its error codes become exceptions."""
    code = getattr(driver, name)(*arguments)
    if code:
        raise SystemExit(f"this example needs an NVIDIA GPU: {name} says {code}")


# %%
context, stream, pointer, pinned = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxPushCurrent_v2", context)
call("cuStreamCreate", ctypes.byref(stream), 1)  # non-blocking
call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(2 * n * n))
call("cuMemHostAlloc", ctypes.byref(pinned), ctypes.c_size_t(2 * n * n), 0)

# %% [markdown]
# Seven plane waves make a quasicrystal: order without a period. Chunks of rows are copied on the stream while the next ones
# are computed; the upper half of a float32 is a bfloat16. Nobody waits here: the last copies are still on their way below.

# %%
waves = 2 * np.pi * np.arange(7) / 7
axis = np.linspace(-90, 90, n, dtype=np.float32)
across = np.exp(1j * axis * np.cos(waves)[:, None]).astype(np.complex64)
up = np.exp(1j * axis[:, None] * np.sin(waves)).astype(np.complex64)
staging = np.frombuffer((ctypes.c_char * (2 * n * n)).from_address(pinned.value), np.uint16).reshape(n, n)
for row in range(0, n, n_rows):
    chunk = (up[row:row + n_rows] @ across).real
    staging[row:row + n_rows] = np.ascontiguousarray(chunk).view(np.uint32) >> 16
    call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(pointer.value + 2 * n * row), ctypes.c_void_p(pinned.value + 2 * n * row),
         ctypes.c_size_t(2 * staging[row:row + n_rows].size), stream)

# %% [markdown]
# This is all that gpuplot needs to know. It orders itself after what is queued on the stream. Strides, in bytes, make a view:
# every fourth row and column is copied while the picture is drawn.

# %%
x = gpuplot.from_pointer(pointer.value, (n, n), "bfloat16", stream=stream.value)
print(f"x: {n} x {n} bfloat16 at {pointer.value:#x}, {2 * n * n / 1e6:.0f} MB")
fourth = gpuplot.from_pointer(pointer.value, (n // 4, n // 4), "bfloat16", strides=(8 * n, 8), stream=stream.value)
copying = gpuplot.asnumpy(fourth, blocking=False)

fig, axes = plt.subplots(1, 2, figsize=(9.0, 4.5), layout="compressed")
images = [gpuplot.imshow(x, ax=ax, cmap="RdYlBu_r", center=0, vmax=7) for ax in axes]
part = n / 2.5
for ax, title in zip(axes, [f"{n} x {n} bfloat16 in CUDA memory", "the middle of it"]):
    ax.set(title=title, xticks=[], yticks=[])
axes[1].set(xlim=((n - part) / 2, (n + part) / 2), ylim=((n + part) / 2, (n - part) / 2))
fig.savefig(OUTPUT / "raw_cuda.png")

# %% [markdown]
# The copy is a float32 array that owns its memory. The memory stays yours: let the pictures and the copy finish, then free it.

# %%
host = copying.result()
print(f"as NumPy: {host.shape} {host.dtype}, {host.min():.2f} to {host.max():.2f}")
for image in images:
    image.freeze()  # keeps the cells that are drawn, forgets the pointer
del x, fourth, staging
call("cuMemFree_v2", pointer)
call("cuMemFreeHost", pinned)
call("cuStreamDestroy_v2", stream)
call("cuDevicePrimaryCtxRelease_v2", 0)
print(f"{OUTPUT}/raw_cuda.png")
