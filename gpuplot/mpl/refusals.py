"""Whether matplotlib itself can draw an object, found without converting its elements."""

import numpy as np

from ..arrays.describe import describe
from ..arrays.host_memory import has_buffer
from ..arrays.optional_imports import attribute
from ..arrays.stacking import begins_with_tensor

# Up to so many elements matplotlib draws a plane as fast.
LARGE_SIZE = 2**20

# What `numpy.dtype.isbuiltin` is for the dtypes that other libraries add to NumPy.
_EXTENSION = 2


def is_refused(X, is_image):
    """Whether gpuplot can draw an object and matplotlib cannot: as an image (`is_image`), or as other data."""
    if X is None or isinstance(X, (str, bytes, int, float)):
        return False
    try:
        array = _as_numpy(X)
    except MemoryError:
        raise
    except Exception:  # each library has its own for "this is not an array"
        return _is_described(X)
    return is_image and array is not None and not _is_image(*array) and _is_described(X)


def is_extended(X):
    """Whether an array, or the first of a list, has a dtype that another library added to NumPy, such as the bfloat16 of ml_dtypes.

    NumPy finds neither extremes nor bins of some of these, or has no room for them in their own dtype.
    """
    while isinstance(X, (list, tuple)) and len(X) > 0:
        X = X[0]
    dtype = attribute(X, "dtype")
    return isinstance(dtype, np.dtype) and dtype.isbuiltin == _EXTENSION and _is_described(X)


def is_large(X):
    """Whether an array or tensor has so many elements that gpuplot is faster."""
    size = attribute(X, "size")
    numel = size if isinstance(size, int) else attribute(X, "nelement")
    numel = numel() if callable(numel) else numel
    return isinstance(numel, (int, np.integer)) and numel > LARGE_SIZE and _is_described(X)


def _as_numpy(X):
    """(shape, dtype) of an object as a NumPy array; None if it has no shape; raises what its library raises if it refuses.

    Only ``X[:0]``, without elements, is converted: a library refuses this if it refuses the whole.
    """
    if isinstance(X, np.ndarray):
        return X.shape, X.dtype
    if isinstance(X, (list, tuple)):
        if begins_with_tensor(X):
            while isinstance(X, (list, tuple)):
                X = X[0]
            _as_numpy(X)
        return None
    try:
        shape = tuple(map(int, attribute(X, "shape")))
    except (TypeError, ValueError):  # no shape: neither an array nor a tensor
        return None
    if not any(attribute(X, name) is not None for name in ("__array__", "__array_interface__")) and not has_buffer(X):
        raise TypeError(f"NumPy finds no array in a {type(X).__name__}")
    try:
        part = X[:0] if shape else X
    except Exception:  # it cannot be sliced: the whole is converted, as matplotlib would do
        part = X
    return shape, np.asarray(part).dtype


def _is_image(shape, dtype):
    """Whether `Axes.imshow` takes arrays of this shape and dtype; of dtypes that others add to NumPy it does not find the extremes."""
    if len(shape) == 3 and shape[2] == 1:
        shape = shape[:2]
    has_shape = len(shape) == 2 or (len(shape) == 3 and shape[2] in (3, 4))
    return has_shape and dtype.isbuiltin != _EXTENSION and (dtype == np.uint8 or np.can_cast(dtype, float, "same_kind"))


def _is_described(X):
    """Whether gpuplot takes an object, or each member of a list."""
    try:
        describe(X)
    except MemoryError:
        raise
    except Exception:  # gpuplot refuses it as well: the caller then lets matplotlib raise its own error
        return isinstance(X, (list, tuple)) and len(X) > 0 and all(map(_is_described, X))
    return True
