"""Arrays that elements are copied to: their dtype as callers name it, their layout, memory for them, and checks of ``out=``."""

from __future__ import annotations

import math

import numpy as np

from .. import _native
from ..arrays.host_arrays import ITEM_BYTES, dtype_name, foreign_name, is_narrow
from ..errors import UnsupportedError
from .memory import check_room

__all__ = ["Layout", "check_kinds", "check_out", "empty", "is_scattered", "name_of", "numpy_dtype", "shows_nan"]

# From here on results of a device are pinned memory, into which its copy engine writes without a stop on the way.
MIN_PINNED_BYTES = 2**20

ORDERS = ("C", "F", "A", "K")


# ---- dtypes ------------------------------------------------------------------------------------------------------------


def name_of(dtype):
    """Our name of what a caller gave as ``dtype=``: whatever `numpy.dtype` takes, our names, dtypes of libraries; None for None.

    Raises
    ------
    TypeError
        Not a dtype of numbers that an array can have.
    ValueError
        Bytes in another order than the machine's.
    """
    if dtype is None:
        return None
    try:
        found = np.dtype(dtype)
    except Exception:  # objects of other libraries answer NumPy as they like
        return _checked_name(dtype, foreign_name(dtype))
    if not found.isnative:
        raise ValueError(f"asnumpy gives numbers in this machine's byte order: swap them afterwards, with "
                         f"gpuplot.asnumpy(X, {found.newbyteorder('=').name!r}).astype({found.str!r})")
    try:
        name = dtype_name(found)
    except UnsupportedError:
        name = None
    return _checked_name(dtype, name)


def _checked_name(dtype, name):
    if name == "complex32":
        raise TypeError("NumPy has no complex32: complex64 holds its elements exactly")
    if name not in ITEM_BYTES:
        raise TypeError(f"dtype={dtype!r} is no dtype of numbers that asnumpy gives: {', '.join(_names_given())}")
    return name


def _names_given():
    return (name for name in ITEM_BYTES if name != "complex32")


def numpy_dtype(name):
    """NumPy's dtype for one of our names; those that NumPy lacks come from ml_dtypes, which is imported for them alone."""
    if name == "longdouble":
        return np.dtype(np.longdouble)
    if not is_narrow(name):
        return np.dtype(name)
    try:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))
    except (ImportError, AttributeError):
        raise TypeError(f"NumPy has {name} only with ml_dtypes, which is not installed or too old: install it, or leave dtype "
                        "out for float32, which is exact") from None


def shows_nan(name):
    """Whether arrays of this dtype can say that an element is missing: floats and complex numbers."""
    return "float" in name or name.startswith(("longdouble", "complex"))


def check_kinds(name, wanted):
    """Raises TypeError where complex numbers would lose their imaginary parts."""
    if name.startswith("complex") and not wanted.startswith("complex"):
        raise TypeError(f"{name} elements have no one {wanted} value: choose X.real, X.imag or abs(X) first, or a complex dtype")


# ---- layouts -----------------------------------------------------------------------------------------------------------


class Layout:
    """Shape and byte strides, and what NumPy's orders make of them.

    Attributes
    ----------
    is_c, is_f : bool
        Whether the elements lie in row-major or column-major order without gaps.
    """

    def __init__(self, shape, strides, item_bytes):
        # An array of one item, never read, lets NumPy answer by its own rules.
        shown = np.lib.stride_tricks.as_strided(np.empty((), f"V{item_bytes}"), shape, strides, writeable=False)
        self.shape, self.strides = tuple(shape), tuple(strides)
        self.is_c, self.is_f = shown.flags.c_contiguous, shown.flags.f_contiguous

    def axes(self, order):
        """The axes of a new array in this order from the slowest to the fastest."""
        n_dims = len(self.shape)
        if order == "F" or (order in "AK" and self.is_f and not self.is_c):
            return tuple(reversed(range(n_dims)))
        if order == "K" and not self.is_c:
            return tuple(sorted(range(n_dims), key=lambda axis: -abs(self.strides[axis])))
        return tuple(range(n_dims))


def empty(layout, name, order, ordinal=None):
    """A new array for elements of this layout; pinned where it comes from a device and the budget allows it.

    Raises
    ------
    MemoryError
        It would not fit into the memory that is left.
    """
    dtype, axes = numpy_dtype(name), layout.axes(order)
    shape = [layout.shape[axis] for axis in axes]
    n_bytes = math.prod(shape) * dtype.itemsize
    pinned = None
    if ordinal is not None and n_bytes >= MIN_PINNED_BYTES:
        pinned = _native.pinned_empty(ordinal, n_bytes)
    if pinned is None:
        check_room(n_bytes, "the array")
    dense = np.empty(shape, dtype) if pinned is None else pinned.view(dtype).reshape(shape)
    if axes == tuple(range(len(axes))):
        return dense
    return dense.transpose(np.argsort(axes))


def is_scattered(array):
    """True unless it is plain that no two elements of an array share memory."""
    reach = array.itemsize
    for stride, n in sorted((abs(stride), n) for stride, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if stride < reach:
            return array.size > 0
        reach += stride * (n - 1)
    return False


# ---- out= --------------------------------------------------------------------------------------------------------------


def check_out(out, name, shape):
    """The name of the dtype of ``out=``; raises where it cannot take elements of a tensor of this shape.

    `name` is what the caller gave as ``dtype=``, or None.
    """
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__} and must be a NumPy array, such as {_out_hint(out)}")
    if not out.flags.writeable:
        raise ValueError("out is read-only: give an array that may be written to")
    if out.shape != tuple(shape):
        raise ValueError(f"out has shape {out.shape} and the tensor {tuple(shape)}: give numpy.empty({tuple(shape)}, "
                         f"{str(out.dtype)!r})")
    if not out.dtype.isnative:
        raise ValueError("out is not in this machine's byte order: let NumPy swap the bytes, with out[...] = gpuplot.asnumpy(X)")
    if isinstance(out, np.ma.MaskedArray) and out.hardmask:
        raise ValueError("out has a hard mask, which protects elements from being written: call out.soften_mask() first")
    found = name_of(out.dtype)
    if name is not None and name != found:
        raise ValueError(f"out has dtype {found} and dtype={name!r} was asked for: leave dtype out, or make them equal")
    return found


def _out_hint(out):
    root = str(type(out).__module__).partition(".")[0]
    return "X.numpy() of a torch tensor in host memory" if root == "torch" else "numpy.empty(X.shape, 'float32')"
