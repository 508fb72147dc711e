"""Arrays of NumPy -> native tensors over their memory."""

import itertools

import numpy as np

from .. import _native
from ..errors import no_numbers
from .dtypes import ITEM_BYTES, dtype_name, holder_of
from .object_hints import items_hint, may_be_number
from .source import Source

# Maximum number of objects of an array that are checked for one that is not a number, for an error to name.
MAX_SEARCHED = 10_000


def name_of(array):
    """`dtype_name` of an array; for arrays of objects the error names the type of the first that is not a number."""
    if array.dtype.kind == "O" and array.size:
        objects = [one for one in itertools.islice(array.flat, MAX_SEARCHED) if one is not None]
        wrong = [one for one in objects if not may_be_number(one)] or objects
        raise no_numbers(array.dtype, items_hint(wrong[0] if wrong else None))
    return dtype_name(array.dtype)


def lend(array, mask):
    """An ndarray of any layout, with a boolean mask of its shape or None -> a native tensor."""
    name = name_of(array)
    if array.dtype.type.__module__ != "numpy":
        array = array.view(f"u{array.dtype.itemsize}")
    return _native.Tensor.from_array(array, name, mask)


def lend_converted(array, mask):
    """An ndarray of elements of fewer than 8 bits, with its mask or None -> a native tensor of the dtype that holds them."""
    return lend(array.astype(holder_of(array.dtype)), mask)


def in_narrow_dtype(source, dtype):
    """The elements of a float32 copy as a Source of the dtype that they were copied from, in which other numbers are subnormal."""
    codes = np.empty(source.shape, f"u{ITEM_BYTES[dtype]}")
    with source.borrow() as tensor:
        _native.convert(tensor, codes, dtype)
    mask = np.ma.getmask(source.array) if source.is_masked else None
    return Source(codes, lambda codes: _native.Tensor.from_array(codes, dtype, mask), codes.shape, dtype, is_masked=source.is_masked)
