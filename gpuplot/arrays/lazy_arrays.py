"""Arrays that are computed or read from a file when asked for: small ones are read, large ones refused with the line to type."""

import math
import operator

import numpy as np

from ..errors import UnsupportedError, size_text

# The largest result that is computed without being asked for: some tenths of a second, the memory of a few screens.
MAX_COMPUTED_BYTES = 64 * 2**20


def check_size(X, shape, item_bytes, lines):
    """UnsupportedError, with `lines` to type instead, where so many elements are too many to compute unasked."""
    n_bytes = math.prod(map(operator.index, shape)) * item_bytes
    if n_bytes > MAX_COMPUTED_BYTES:
        raise UnsupportedError(f"the {type(X).__name__} of shape {tuple(shape)} has its elements elsewhere and would take "
                               f"{size_text(n_bytes)} of memory: {lines}")


def from_dask(X):
    """The result of a dask array; None for other objects, UnsupportedError where it is large or of unknown size."""
    if not hasattr(X, "compute"):
        return None
    shape = getattr(X, "shape", None)
    if not hasattr(X, "dtype") or not isinstance(shape, tuple):
        raise UnsupportedError(f"a {type(X).__name__} of dask has not been computed: draw its result, X.compute()")
    if not all(isinstance(n, (int, np.integer)) for n in shape):
        raise UnsupportedError(f"the {type(X).__name__} of dask does not know its shape before it is computed: draw its result, "
                               "X.compute()")
    check_size(X, shape, X.dtype.itemsize, f"compute it yourself, X.compute(), or draw a part, {_part(shape)}")
    return X.compute()


def from_file(X):
    """The elements of a data set (h5py, zarr, netCDF4); None for other objects, UnsupportedError for large ones and groups."""
    kind = type(X)
    if not hasattr(kind, "__getitem__"):
        return None
    if not hasattr(kind, "shape") and any(hasattr(kind, name) for name in ("keys", "variables", "members")):
        raise UnsupportedError(f"a {kind.__name__} of {kind.__module__.partition('.')[0]} holds values under names, choose one with "
                               "X[name]")
    shape, dtype = getattr(X, "shape", None), getattr(X, "dtype", None)
    if not isinstance(shape, tuple) or not hasattr(dtype, "itemsize"):
        return None
    check_size(X, shape, dtype.itemsize, f"draw a part, {_part(shape)}, or read all of it, X[...]")
    return X[...]


def _part(shape):
    """The line that takes a small part of an array of this shape."""
    n_axes = len(shape)
    return "X[" + ", ".join(["0"] * (n_axes - 2) + [":2048"] * min(2, n_axes)) + "]"


def from_sparse(X):
    """A sparse array of SciPy or PyData as a dense one; None for other objects, UnsupportedError where that is large."""
    fill = "toarray" if hasattr(type(X), "toarray") else "todense"
    if not hasattr(type(X), fill) or not hasattr(X, "shape") or not hasattr(X, "dtype"):
        return None
    check_size(X, X.shape, X.dtype.itemsize, f"it is sparse; make it dense yourself, X.{fill}(), or a part of it")
    return np.asarray(getattr(X, fill)())
