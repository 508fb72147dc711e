"""Copies of tensors on their device, queued by the tensor's library, for a thread that reads them later."""

from dataclasses import dataclass
from typing import Any

from .cuda_devices import their_device
from .optional_imports import module_roots
from .streams import LEGACY, PER_THREAD
from .torch_tensors import copied


@dataclass(frozen=True)
class Frozen:
    """A tensor that nobody writes to any more.

    Attributes
    ----------
    tensor : object
    stream : int or None
        Stream on which the copy was queued; a reader has to wait for it.
    n_bytes : int
        Size of the copy; 0 where none had to be made.
    """

    tensor: Any
    stream: int | None
    n_bytes: int


def freeze(X, source, stream=None):
    """Copies a device tensor after the work queued so far.

    None for libraries whose copy function is not known here, and where only this thread could wait for the copy.

    Parameters
    ----------
    X : object
    source : Source
        Its description.
    stream : int, optional
        Stream on which it is written.
    """
    roots = module_roots(X)
    if "jax" in roots or "jaxlib" in roots or ("tensorflow" in roots and not hasattr(X, "assign")):
        return Frozen(X, stream, 0)  # immutable
    if stream is not None:
        return None  # a copy would have to be queued there
    if "torch" in roots:
        return _torch_copy(X, source)
    return _cupy_copy(X, source) if "cupy" in roots else None


def _torch_copy(X, source):
    import torch

    return _copy(lambda: copied(X), torch.cuda.current_stream(X.device).cuda_stream, source)


def _cupy_copy(X, source):
    import cupy

    with their_device(X):  # CuPy copies to the current device, by its current stream
        return _copy(X.copy, cupy.cuda.get_current_stream().ptr, source)


def _copy(make, stream, source):
    return None if stream == PER_THREAD else Frozen(make(), stream or LEGACY, source.nbytes)
