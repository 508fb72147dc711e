"""The array that `asnumpy` copies to: its dtype, layout and memory, and the checks of ``out=``."""

import math

import numpy as np

from .. import _native
from ..arrays.dtypes import ITEM_BYTES, dtype_name, foreign_name, is_narrow
from ..arrays.host_memory import from_ndarray
from ..dtype_classes import is_complex
from ..errors import UnsupportedError, type_text, value_text
from .memory import check_room

# Results from this size on are pinned memory, to which a device copies directly.
MIN_PINNED_BYTES = 2**20

ORDERS = ("C", "F", "A", "K")


# ---- dtypes ------------------------------------------------------------------------------------------------------------


def name_asked(dtype):
    """The name of a `dtype` parameter: anything that `numpy.dtype` takes, one of our names, or a library's dtype; None for None.

    TypeError for what is not a dtype of numbers, ValueError for swapped bytes.
    """
    if dtype is None:
        return None
    try:
        dtype_found = np.dtype(dtype)
    except Exception:  # libraries' dtypes may raise anything here
        return _checked_name(dtype, foreign_name(dtype))
    if not dtype_found.isnative:
        raise ValueError(f"asnumpy gives numbers in this machine's byte order: swap them afterwards, with "
                         f"gpuplot.asnumpy(X, {dtype_found.newbyteorder('=').name!r}).astype({dtype_found.str!r})")
    try:
        name = dtype_name(dtype_found)
    except UnsupportedError:
        name = None
    return _checked_name(dtype, name)


def _checked_name(dtype, name):
    if name == "complex32":
        raise TypeError("NumPy has no complex32: complex64 holds its elements exactly")
    if name not in ITEM_BYTES:
        raise TypeError(f"dtype={value_text(dtype)} is not a dtype of numbers that asnumpy gives: {', '.join(_names_given())}")
    return name


def _names_given():
    return (name for name in ITEM_BYTES if name != "complex32")


def numpy_dtype(name):
    """The NumPy dtype for one of our names; dtypes that NumPy lacks are ml_dtypes', which is imported only for them."""
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
    """Whether arrays of this dtype can mark a missing element by NaN: floats and complex numbers."""
    return "float" in name or name == "longdouble" or is_complex(name)


def masked_error(name):
    """The ValueError for masked elements that neither the result's dtype nor ``out=`` can mark."""
    return ValueError(f"elements are masked, and neither {name} nor out can mark them: give out=numpy.ma.empty(X.shape, dtype), or an "
                      "array of floats, where they are NaN")


def check_complex(given, wanted):
    """TypeError if the elements are complex and the dtype of the result is not; both are names of dtypes."""
    if is_complex(given) and not is_complex(wanted):
        raise TypeError(f"{given} elements do not fit into {wanted}: choose X.real, X.imag or abs(X) first, or a complex dtype")


# ---- layouts -----------------------------------------------------------------------------------------------------------


class Layout:
    """Shape and byte strides; `is_c` and `is_f`: whether elements lie in row-major or column-major order without gaps."""

    def __init__(self, shape, strides, item_bytes):
        # NumPy's own flags, of a view of one item that is never read.
        shown = np.lib.stride_tricks.as_strided(np.empty((), f"V{item_bytes}"), shape, strides, writeable=False)
        self.shape, self.strides = tuple(shape), tuple(strides)
        self.is_c, self.is_f = shown.flags.c_contiguous, shown.flags.f_contiguous

    def axes(self, order):
        """The axes of a new array with this `order`, from the slowest to the fastest in memory."""
        n_dims = len(self.shape)
        if order == "F" or (order in "AK" and self.is_f and not self.is_c):
            return tuple(reversed(range(n_dims)))
        if order == "K" and not self.is_c:
            return tuple(sorted(range(n_dims), key=lambda axis: -abs(self.strides[axis])))
        return tuple(range(n_dims))


def pinned_empty(shape, dtype, ordinal):
    """A new array in memory that is pinned for a device; None for few bytes, or beyond the budget of pinned memory."""
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    pinned = _native.pinned_empty(ordinal, n_bytes) if n_bytes >= MIN_PINNED_BYTES else None
    return None if pinned is None else pinned.view(dtype).reshape(shape)


def empty(layout, name, order, ordinal=None):
    """A new array for elements of this layout; in pinned memory, if possible, for elements of device `ordinal`."""
    dtype, axes = numpy_dtype(name), layout.axes(order)
    shape = [layout.shape[axis] for axis in axes]
    dense = None if ordinal is None else pinned_empty(shape, dtype, ordinal)
    if dense is None:
        check_room(math.prod(shape) * dtype.itemsize, "the array")
        dense = np.empty(shape, dtype)
    if axes == tuple(range(len(axes))):
        return dense
    return dense.transpose(np.argsort(axes))


def overlaps_itself(array):
    """Whether elements of an array may share memory with each other."""
    reach = array.itemsize
    for stride, n in sorted((abs(stride), n) for stride, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if stride < reach:
            return array.size > 0
        reach += stride * (n - 1)
    return False


# ---- out= --------------------------------------------------------------------------------------------------------------


def check_out(out, name, shape):
    """The name of the dtype of ``out=``; TypeError or ValueError if it is not `name` (unless None), or `out` does not fit `shape`."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is {type_text(type(out))} and must be a NumPy array, such as {_out_hint(out)}")
    if not out.flags.writeable:
        raise ValueError("out is read-only: give an array that may be written to")
    if out.shape != tuple(shape):
        raise ValueError(f"out has shape {out.shape} and the tensor {tuple(shape)}: give numpy.empty({tuple(shape)}, "
                         f"{str(out.dtype)!r})")
    if not out.dtype.isnative:
        raise ValueError("out is not in this machine's byte order: let NumPy swap the bytes, with out[...] = gpuplot.asnumpy(X)")
    if isinstance(out, np.ma.MaskedArray) and out.hardmask:
        raise ValueError("out has a hard mask, which protects elements from being written: call out.soften_mask() first")
    _, mask = from_ndarray(out)
    if isinstance(out, np.ma.MaskedArray) and not _has_own_mask(out, mask):
        raise ValueError("out has a mask that cannot be written: it is not the array of bool, of out's shape, that numpy.ma makes; give "
                         "numpy.ma.empty(X.shape, dtype)")
    out_name = name_asked(out.dtype)
    if name is not None and name != out_name:
        raise ValueError(f"out has dtype {out_name} and dtype={name!r} was asked for: leave dtype out, or make them equal")
    return out_name


def _has_own_mask(out, mask):
    """Whether a masked array has no mask, or one of its shape, and its class is NumPy's about it."""
    is_right = np.ma.getmask(out) is np.ma.nomask or (isinstance(mask, np.ndarray) and mask.shape == out.shape and mask.dtype == bool)
    return is_right and type(out).mask is np.ma.MaskedArray.mask


def _out_hint(out):
    root = str(type(out).__module__).partition(".")[0]
    return "X.numpy() of a torch tensor in host memory" if root == "torch" else "numpy.empty(X.shape, 'float32')"
