"""Enlarges the points of a density to discs of some pixels, so that lone points can be seen."""

import numpy as np

from .. import _native
from ..plane.frame import EMPTY, is_empty

# "auto" spreads by at most MAX_SPREAD pixels, and by fewer once this part of the pixels with points has such a neighbor.
MAX_SPREAD = 3
ENOUGH_NEIGHBORS = 0.5


def check_spread(n_pixels, others=""):
    """`spread` as an int; ValueError for what is not a number of pixels; `others` are other choices for the error's text."""
    if isinstance(n_pixels, (bool, np.bool_)) or not isinstance(n_pixels, (int, np.integer)) or not 0 <= n_pixels <= 16:
        raise ValueError(f"spread={n_pixels!r} must be a number of pixels from 0 to 16{others}")
    return int(n_pixels)


def spread(cells, n_pixels, agg, is_turned=(False, False)):
    """Cells whose values cover the neighbors within a circle; in host memory if anything changed.

    Parameters
    ----------
    n_pixels : int or "auto"
        How far points reach, in a circle. "auto" is 0 to 3, fewer where points are dense; the rule is that of datashader's
        ``dynspread``: the least number of pixels with which half of the points nearly touch another one.
    agg : str
        A pixel within reach of several cells shows the largest of them; for "min" the smallest.
    is_turned : (bool, bool)
        Whether to reverse rows, and columns.
    """
    if n_pixels == 0 and not any(is_turned):
        return cells
    values = cells.numpy()
    n_pixels = reach(values) if n_pixels == "auto" else n_pixels
    if n_pixels:
        values = spread_values(values, n_pixels, agg == "min")
    elif not any(is_turned):
        return cells
    rows, cols = (slice(None, None, -1 if turned else 1) for turned in is_turned)
    return _native.Cells.from_array(np.ascontiguousarray(values[rows, cols]))


def reach(values):
    """The number of pixels that "auto" means for these cells."""
    is_there = ~is_empty(values)
    for n_pixels in range(MAX_SPREAD):
        if _part_with_neighbors(is_there, 2 * n_pixels + 1) >= ENOUGH_NEIGHBORS:
            return n_pixels
    return MAX_SPREAD if is_there.any() else 0


def _part_with_neighbors(is_there, reach):
    """The part of the pixels with points that have another such pixel within a square around them; 0 without points."""
    padded = np.pad(is_there.astype(np.int32), ((reach + 1, reach), (reach + 1, reach)))
    sums = padded.cumsum(0).cumsum(1)
    size = 2 * reach + 1
    near = sums[size:, size:] - sums[:-size, size:] - sums[size:, :-size] + sums[:-size, :-size]
    return float((near[is_there] > 1).mean()) if is_there.any() else 0.0


def spread_values(values, n_pixels, is_least=False):
    """Each finite value spread over a circle of pixels, the largest (`is_least`: smallest) winning; marks are spread over these."""
    lowest = np.inf if is_least else -np.inf
    is_finite = np.isfinite(values)
    grown = _shifted_extremes(np.where(is_finite, values, lowest), n_pixels, np.minimum if is_least else np.maximum, lowest)
    grown[~np.isfinite(grown)] = EMPTY
    for is_kind in (np.isneginf(values), np.isposinf(values), np.isnan(values) & ~is_empty(values)):
        if is_kind.any():
            grown[_shifted_extremes(is_kind, n_pixels, np.logical_or, False)] = values[is_kind][0]
    return grown


def _shifted_extremes(values, n_pixels, join, nothing):
    """Each pixel joined, by a ufunc, with all pixels of the circle around it."""
    n_rows, n_cols = values.shape
    padded = np.pad(values, n_pixels, constant_values=nothing)
    out = values.copy()
    for down in range(-n_pixels, n_pixels + 1):
        for right in range(-n_pixels, n_pixels + 1):
            if 0 < down**2 + right**2 <= n_pixels * (n_pixels + 1):
                rows, cols = n_pixels + down, n_pixels + right
                join(out, padded[rows:rows + n_rows, cols:cols + n_cols], out=out)
    return out
