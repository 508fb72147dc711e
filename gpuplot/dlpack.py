"""The DLPack protocol from the consumer's side: ask any library for its memory, and say clearly when it may not be read."""

from __future__ import annotations

from . import _native
from .errors import DeviceError, UnsupportedError

__all__ = ["CUDA", "has_dlpack", "is_cuda_only", "lend", "module_roots", "refuse_device"]

CUDA = 2
_CUDA_MANAGED = 13
_HOST_KINDS = (1, 3)  # ordinary and pinned host memory
_KIND_NAMES = {2: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 11: "ROCm host", 13: "CUDA managed",
               14: "oneAPI", 15: "WebGPU"}

# The newest version whose structures the native layer knows; it refuses another major version.
_MAX_VERSION = (1, 3)

# What copies an array to host memory, by the root of the module of its type.
_COPY_TO_HOST = {
    "torch": "X.cpu()", "cupy": "cupy.asnumpy(X)", "jax": "jax.device_get(X)", "jaxlib": "jax.device_get(X)",
    "tensorflow": "X.numpy()", "numba": "X.copy_to_host()", "warp": "X.numpy()", "pycuda": "X.get()",
    "cudf": "X.to_numpy()",
}


def module_roots(X):
    """The names of the packages that an object's type and its bases come from, without an import."""
    return {str(base.__module__).partition(".")[0] for base in type(X).__mro__}


def has_dlpack(X):
    """True where the type of an object exports DLPack. The object itself is not asked: that may run code that fails."""
    return getattr(type(X), "__dlpack__", None) is not None


def is_cuda_only(X):
    """True where an object has the CUDA array interface and no DLPack. Looked up without evaluating the attribute."""
    name = "__cuda_array_interface__"
    return any(name in vars(base) for base in type(X).__mro__) or name in getattr(X, "__dict__", ())


def refuse_device(kind, X):
    """Raises the error for memory that is not the host's; `kind` is DLPack's number of the device type."""
    roots = module_roots(X)
    copies = [line for root, line in _COPY_TO_HOST.items() if root in roots]
    how = f"copy it first, with {copies[0]}" if copies else "copy it to the host first"
    kind_name = _KIND_NAMES.get(kind, f"device (DLPack type {kind})")
    message = f"this build reads host memory only, and the {type(X).__name__} is in {kind_name} memory: {how}"
    raise DeviceError(message) if kind in (CUDA, _CUDA_MANAGED) else UnsupportedError(message)


def lend(X, dtype=None):
    """Borrows an object through DLPack as a native tensor.

    Parameters
    ----------
    X : object with ``__dlpack__``
    dtype : str, optional
        What the elements are, where the protocol cannot say it (8-bit floats that travel as uint8).

    Raises
    ------
    DeviceError, UnsupportedError
        Memory of a device; a library that refuses; a capsule that is none or describes no tensor.
    """
    _check_device(X)
    capsule = _export(X)
    try:
        tensor = _native.Tensor.from_dlpack(capsule, dtype)
    except BufferError as error:
        raise UnsupportedError(f"{type(X).__name__}: {error}") from None
    finally:
        # A capsule that was not taken over releases its memory as it dies, by code that may not run beside an error
        # that is being raised; here the error is caught already.
        del capsule
    kind = tensor.device[0]
    if kind not in _HOST_KINDS:
        tensor.release()
        refuse_device(kind, X)
    return tensor


def _check_device(X):
    """Asks before the export, which on a device would wait for its work. No answer is fine: the capsule has one, too."""
    try:
        kind = int(X.__dlpack_device__()[0])
    except Exception:
        return
    if kind not in _HOST_KINDS:
        refuse_device(kind, X)


def _export(X):
    """A fresh capsule. Libraries differ in how they refuse a keyword they do not know, hence every Exception."""
    try:
        return X.__dlpack__(max_version=_MAX_VERSION)
    except MemoryError:
        raise
    except Exception:
        pass
    try:
        return X.__dlpack__()
    except MemoryError:
        raise
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        hint = "; draw one shard, X.addressable_data(0)" if "shard" in reason.lower() else ""
        raise UnsupportedError(f"{type(X).__name__} does not hand out its memory through DLPack: {reason}{hint}") from error
