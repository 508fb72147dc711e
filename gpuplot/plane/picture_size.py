"""The view and the size of a picture: the keywords `view`, `shape` and `width`, which are checked, and what they are by default."""

from __future__ import annotations

import math
import operator

import numpy as np

from ..arrays.literals import counted
from ..choices import ordered_items
from ..errors import value_text
from .window import Span, Window

MAX_DEFAULT_SIDE = 4096
MAX_SIDE = 2**31 - 1
# How many times longer than the other one a side of a plane may be where its elements are shown as squares.
MAX_SQUARE = 8


def check_shape(shape):
    """(rows, columns) as two positive integers."""
    try:
        rows, cols = map(operator.index, ordered_items(shape, 3))
    except Exception:  # libraries differ in how they refuse
        raise TypeError(f"shape={value_text(shape)} must be a pair of integers (rows, columns)") from None
    if not (1 <= rows <= MAX_SIDE and 1 <= cols <= MAX_SIDE):
        raise ValueError(f"shape={value_text(shape)}: a picture has at least 1 x 1 and at most {MAX_SIDE} pixels a side")
    return rows, cols


def is_long(plane_shape):
    """Whether a plane (rows, columns) is too long for square elements."""
    return max(plane_shape) > MAX_SQUARE * min(plane_shape)


def default_shape(extent):
    """One cell per element up to 4096 a side, beyond that the largest size of the same aspect; `extent` in elements."""
    longest = max(extent)
    if longest <= MAX_DEFAULT_SIDE:
        return tuple(max(1, math.ceil(n)) for n in extent)
    return tuple(max(1, math.floor(n * MAX_DEFAULT_SIDE / longest + 0.5)) for n in extent)


def shape_for_width(extent, width, name="width"):
    """Rows and columns of a picture of a width, with the aspect of `extent`."""
    try:
        width = operator.index(width)
    except Exception:  # libraries differ in how they refuse
        raise TypeError(f"{name}={width!r} must be an integer number of pixels") from None
    if width < 1:
        raise ValueError(f"{name}={width}: a picture is at least one pixel {'wide' if name == 'width' else 'high'}")
    if width > MAX_SIDE:
        raise ValueError(f"{name}={width}: a picture has at most {MAX_SIDE} pixels a side")
    return check_shape((max(1, math.floor(extent[0] * width / extent[1] + 0.5)), width))


def check_view(view, plane_shape, name="view"):
    """((row0, row1), (col0, col1)) as floats; the whole plane for None."""
    if view is None:  # an empty plane still shows an area
        return (0.0, float(plane_shape[0] or 1)), (0.0, float(plane_shape[1] or 1))
    try:
        limits = np.asarray(counted(view), dtype=float)
    except OverflowError:  # an integer beyond all floats
        limits = np.full((2, 2), np.inf)
    except Exception:  # libraries differ in how they refuse
        limits = np.empty(0)
    if limits.shape != (2, 2):
        raise TypeError(f"{name}={value_text(view)} must be ((row0, row1), (col0, col1)) in elements of the plane")
    if not np.isfinite(limits).all() or (limits[:, 0] == limits[:, 1]).any():
        raise ValueError(f"{name}={value_text(view)}: both limits of rows and of columns must be finite and differ")
    return tuple(map(float, limits[0])), tuple(map(float, limits[1]))


def window_of(plane_shape, view=None, shape=None, choose_shape=default_shape):
    """The window for `view` and `shape`; `choose_shape` gives the size where `shape` is None."""
    rows, cols = check_view(view, plane_shape)
    extent = abs(rows[1] - rows[0]), abs(cols[1] - cols[0])
    n_rows, n_cols = choose_shape(extent) if shape is None else check_shape(shape)
    return Window(Span(*rows, n_rows), Span(*cols, n_cols))
