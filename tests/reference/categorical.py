"""Class numbers: when they are shown as classes, and the color of each."""

import numpy as np

from .cells import VALUE
from .colors import faded
from .loading import INTEGER_DTYPES

N_PALETTE, N_NEGATIVE, N_AGAIN = 128, 20, 113
# Of integers that the inspector takes for classes.
MOST_LEVELS = 32
CLASS_AGGS = ("nearest", "max", "min", "absmax")
"""The reductions after which a cell still holds a class number."""


def palette_entry(value):
    """The entry of the palette that class `value` has (0..9 are tab10's colors): of the first 20 where it is negative, of the last
    113 where it is beyond the palette.
    """
    if value < 0:
        return int(value) % N_NEGATIVE
    return int(value) if value < N_PALETTE else N_PALETTE - N_AGAIN + (int(value) - N_PALETTE) % N_AGAIN


def tab20_entry(value):
    """The same color's place in matplotlib's tab20: its even entries come first, then its odd ones. None beyond these."""
    entry = palette_entry(value)
    if entry >= 20:
        return None
    return 2 * entry if entry < 10 else 2 * (entry - 10) + 1


def class_pixel(value):
    """The RGBA bytes of class `value`."""
    import matplotlib

    from gpuplot.color.categories import palette  # a table, whose colors tests/color/test_classes.py measures

    if tab20_entry(value) is None:
        return tuple(int(255 * c) for c in (*palette()[palette_entry(value)], 1.0))
    return tuple(int(c) for c in matplotlib.colormaps["tab20"](tab20_entry(value), bytes=True))


def n_levels(values):
    """max - min + 1 of the finite class numbers; 0 without any."""
    finite = np.ravel(values)[np.isfinite(np.ravel(values))]
    return int(finite.max()) - int(finite.min()) + 1 if finite.size else 0


def is_shown_as_classes(categorical, dtype_name, agg=None, values=None, in_inspector=False):
    """Whether a tensor of this dtype is shown as classes, given the `categorical` argument."""
    is_integer = dtype_name in INTEGER_DTYPES
    if categorical and not (is_integer or dtype_name == "bool"):
        raise ValueError(f"categorical=True needs bool or integers, not {dtype_name}")
    if agg is not None and agg not in CLASS_AGGS:
        return False
    if categorical is None and in_inspector:
        return dtype_name == "bool" or (is_integer and n_levels(values) <= MOST_LEVELS)
    return bool(categorical)


def class_boundaries(values):
    """min - 0.5, ..., max + 0.5 of the finite class numbers, for an explicit colormap."""
    finite = np.ravel(values)[np.isfinite(np.ravel(values))]
    if not finite.size:
        return (-0.5, 0.5)
    return tuple(np.arange(finite.min(), finite.max() + 2) - 0.5)


def shade_classes(cells, marked_pixel, alpha=None):
    """The picture of cells that hold class numbers; `marked_pixel(kind)` gives marks and empty cells."""
    rgba = np.empty((*cells.values.shape, 4), np.uint8)
    for at, kind in np.ndenumerate(cells.kinds):
        rgba[at] = faded(class_pixel(cells.values[at]), alpha) if kind == VALUE else marked_pixel(kind)
    return rgba
