"""The partial results of cells as an array, and packed in fewer bytes for another process."""

import numpy as np

from .. import _native

# One cell: sums, extremes or moments of its finite elements (native/core/states/cell_state.h), and the GP_HAS_* bits of all, which
# fit in a byte.
STATE = np.dtype([("a", "f8"), ("b", "f8"), ("c", "f8"), ("has", "u8")])

# The names of its numbers.
NUMBERS = ("a", "b", "c")


def packed(states):
    """The states (rows, columns) as a tuple that `unpacked` turns into the same bits, of `packed_bytes` a cell at most.

    What is equal in all cells, rows or columns is there once. Weights of cells without missing elements are the weight of the row times
    that of the column, but for rounding: one byte a cell.
    """
    return states.shape, [_packed(states[name]) for name in NUMBERS], _cut(states["has"].astype(np.uint8))


def packed_bytes(agg):
    """The most bytes of one packed cell under an aggregation."""
    n_numbers = {_native.AGG_STATES["std"]: 3, _native.AGG_STATES["nearest"]: 1}.get(_native.AGG_STATES[agg], 2)
    return 8 * n_numbers + 1


def unpacked(found):
    """The states that `packed` was given."""
    shape, numbers, has = found
    states = np.empty(shape, STATE)
    states["has"] = has
    for name, (column, row, apart) in zip(NUMBERS, numbers, strict=True):
        states[name].view(np.int64)[:] = apart if column is None else _product(column, row).view(np.int64) + apart
    return states


def _packed(values):
    """``(column, row, apart)``: numbers (rows, columns) whose bits are those of ``_product(column, row)`` plus `apart`, int8.

    Where there is no such column and row these are None, and `apart` are the bits themselves, int64.
    """
    bits = _cut(np.ascontiguousarray(values).view(np.int64))
    if 1 in bits.shape:
        return None, None, bits
    column, row = np.array(values[:, :1]), np.array(values[:1])
    ends = slice(None, None, len(bits) - 1)  # most planes without such a product show it in the last row
    if _apart(bits[ends], column[ends], row) is None:
        return None, None, bits
    apart = _apart(bits, column, row)
    return (None, None, bits) if apart is None else (column, row, _cut(apart))


def _apart(bits, column, row):
    """How many units in the last place (ulp) numbers differ from ``_product(column, row)``, int8; None where an int8 is too small."""
    product = _product(column, row)
    apart = bits - product.view(np.int64)
    # Subnormal numbers are 0 for processors that are told so.
    is_near = (apart >= -128) & (apart <= 127) & (np.abs(product) >= np.finfo(float).tiny)
    return apart.astype(np.int8) if is_near.all() else None


def _product(column, row):
    """The numbers (rows, columns) with this first column and first row, where each is a factor of its row times one of its column."""
    with np.errstate(all="ignore"):
        return column * (row / row[0, 0])


def _cut(plane):
    """A plane without repetition: one row where all rows are equal, one column where all columns are; assigning it fills the plane."""
    for axis in (0, 1):
        first, last = plane.take([0], axis), plane.take([-1], axis)
        if (first == last).all() and (plane == first).all():
            plane = first
    return np.ascontiguousarray(plane)
