"""torch tensors -> something to borrow: flags resolved, wrappers taken off, what has no memory refused."""

from __future__ import annotations

import sys

from . import cuda_devices, dlpack
from .errors import UnsupportedError
from .host_arrays import ITEM_BYTES

__all__ = ["describe", "is_tensor", "lend", "stack"]

_NESTED = "its rows differ in length; fill them up, with X.to_padded_tensor(float('nan')), or draw one, X[0]"

# Subclasses that are not memory, and what to draw in their place.
_WRAPPERS = {
    "NestedTensor": _NESTED,
    "FakeTensor": "it has no values; draw outside of tracing and FakeTensorMode",
    "FunctionalTensor": "it has no values; draw outside of tracing",
    "DTensor": "it is spread over processes; draw this process's part, X.to_local(), or all of it, X.full_tensor()",
    "MaskedTensor": "fill what is masked, with X.to_tensor(float('nan'))",
}


def is_tensor(X):
    """True for torch.Tensor and its subclasses. torch is not imported for the question."""
    tensor_type = getattr(sys.modules.get("torch"), "Tensor", None)
    return tensor_type is not None and isinstance(X, tensor_type)


def stack(X):
    """One tensor from a list or tuple of torch tensors of the same shape (the losses of a training run); else None."""
    if not isinstance(X, (list, tuple)) or not X or not all(is_tensor(item) for item in X):
        return None
    plain = [_plain(item) for item in X]
    if len({item.shape for item in plain}) > 1:
        raise ValueError("the torch tensors of the list differ in shape: make them equal")
    if len({item.device for item in plain}) > 1:
        raise ValueError("the torch tensors of the list are on different devices: copy them to one, [x.cpu() for x in X]")
    return sys.modules["torch"].stack(plain)


def describe(tensor):
    """Shape, dtype name, names of the axes (or None) and place; raises where the tensor cannot be borrowed.

    The place is (2, ordinal) for memory of a CUDA device, None for host memory.

    Raises
    ------
    UnsupportedError
        Sparse, nested, quantized and other tensors without one element per place; the message names the way out.
    DeviceError
        The tensor is in CUDA memory and there is no driver to read it with.
    """
    tensor = _checked(tensor)
    names = _axis_names(tensor)
    device = tensor.device
    place = (dlpack.CUDA, device.index) if device.type == "cuda" else None
    return tuple(tensor.shape), _dtype_name(tensor), names if names and None not in names else None, place


def lend(tensor, stream=None):
    """Borrows a tensor's memory through DLPack; only conjugated and negated views are copied."""
    plain = _plain(tensor)
    name = _dtype_name(plain)
    if name.startswith("float8"):
        return dlpack.lend(plain.view(sys.modules["torch"].uint8), name, stream)
    return dlpack.lend(plain, None, stream)


def _plain(tensor):
    """The same memory as a torch.Tensor without gradient, subclass, axis names or pending conjugation and negation."""
    tensor = _checked(tensor)
    if tensor.device.type == "cuda":
        cuda_devices.refuse_capture(tensor.device.index)  # what comes now may queue kernels, which a graph would record
    if any(name is not None for name in _axis_names(tensor)):
        tensor = tensor.rename(None)
    # Exports do not look at these two flags: the picture would be wrong without an error.
    if tensor.is_conj():
        tensor = tensor.resolve_conj()
    return tensor.resolve_neg() if tensor.is_neg() else tensor


def _checked(tensor):
    """The tensor without gradient and subclass; raises where it has no elements in memory that is read."""
    torch = sys.modules["torch"]
    for base in type(tensor).__mro__:
        if base.__name__ in _WRAPPERS and str(base.__module__).partition(".")[0] == "torch":
            raise UnsupportedError(f"a {base.__name__} cannot be drawn: {_WRAPPERS[base.__name__]}")
    try:
        plain = tensor if type(tensor) is torch.Tensor else tensor.as_subclass(torch.Tensor)
        plain = plain.detach()
    except Exception as error:
        # Subclasses may keep their elements elsewhere and answer as they like.
        raise UnsupportedError(f"a {type(tensor).__name__} cannot be read as a torch.Tensor, make one of it first: "
                               f"{error}") from error
    _check_layout(plain)
    _check_device(plain)
    return plain


def _axis_names(tensor):
    """Names of the axes, None for an axis without one; an experiment of torch that newer versions lack."""
    return tuple(getattr(tensor, "names", None) or ())


def _dtype_name(tensor):
    name = str(tensor.dtype).removeprefix("torch.")
    if name not in ITEM_BYTES:
        raise UnsupportedError(f"torch tensors of {name} cannot be read: convert first, with X.to(torch.float32)")
    return name


def _check_layout(tensor):
    if tensor.is_nested:
        raise UnsupportedError(f"a nested torch tensor cannot be drawn: {_NESTED}")
    if tensor.layout != sys.modules["torch"].strided:
        layout = str(tensor.layout).removeprefix("torch.")
        raise UnsupportedError(f"a torch tensor of layout {layout} cannot be drawn: make it dense, with X.to_dense()")
    if tensor.is_quantized:
        raise UnsupportedError("a quantized torch tensor cannot be drawn: take X.dequantize() or X.int_repr()")


def _check_device(tensor):
    kind = tensor.device.type
    if kind == "cpu":
        return
    if kind == "meta":
        raise UnsupportedError("a torch tensor on the meta device has a shape but no values to draw")
    if kind == "cuda":
        if getattr(sys.modules["torch"].version, "hip", None) is None:
            return cuda_devices.load(tensor)
        kind = "cuda (ROCm)"  # torch for ROCm calls its devices cuda
    raise UnsupportedError(f"gpuplot reads host and CUDA memory, and the torch tensor is on {kind!r}: copy it first, with "
                           "X.cpu()")
