"""Enlarges the points of a density to discs of some pixels, so that lone points can be seen."""

from dataclasses import dataclass

import numpy as np

from .. import _native
from ..plane.frame import EMPTY, is_empty

# "auto" spreads by at most MAX_SPREAD pixels at 100 dots per inch, by more where pixels are smaller, but never by more than MOST; and by
# fewer once this part of the pixels with points has a neighbor that it then touches. So few pixels in all are always spread by the most.
MAX_SPREAD, MOST = 3, 8
ENOUGH_NEIGHBORS = 0.5
FEW = 64

# At 200 dots per inch and more, where single pixels are hardly seen, those that have less than this part of the pixels around them grow.
DENSE = 0.5


def check_spread(n_pixels):
    """`spread` as an int, or "auto"; ValueError for what is neither this nor a number of pixels."""
    if isinstance(n_pixels, str) and n_pixels == "auto":
        return n_pixels
    if isinstance(n_pixels, (bool, np.bool_)) or not isinstance(n_pixels, (int, np.integer)) or not 0 <= n_pixels <= 16:
        raise ValueError(f"spread={n_pixels!r} must be a number of pixels from 0 to 16, or 'auto'")
    return int(n_pixels)


def spread_of_lines(dpi):
    """The number of pixels that a line reaches beyond its own: with these it is 1 pixel wide up to 199 dpi, 3 up to 399, 5 up to 599.

    That is 0.7 to 1.1 points, where single pixels of a fine printer would be hairlines.
    """
    return min(MOST, int(dpi / 200))


@dataclass(frozen=True)
class AutoSpread:
    """As many pixels as make lone points visible at a resolution.

    The rule is that of datashader's ``dynspread``: the least number of pixels with which half of the points nearly touch another one.

    Parameters
    ----------
    dpi : float
        Pixels per inch.
    """

    dpi: float

    @property
    def of_lone(self):
        """The number of pixels of a point that has no other one near it, or few."""
        return max(1, int(self.dpi / 200))

    def lone(self, values):
        """Where such points are, bool of the shape of the cells; None if there are none."""
        lone, n_pixels = ~is_empty(values), self.of_lone
        if self.dpi < 200:
            lone[lone] = _n_around(lone, 2 * n_pixels + 1) == 1
        else:
            lone[lone] = _n_around(lone, n_pixels) < DENSE * (2 * n_pixels + 1)**2
        return lone if lone.any() else None

    def of(self, values):
        """The number of pixels for these cells, from 0."""
        is_there = ~is_empty(values)
        n_there, scale = int(is_there.sum()), max(self.dpi / 100, 1)
        most = min(MOST, round(MAX_SPREAD * scale))
        if n_there <= FEW:
            return most if n_there else 0
        return next((n for n in range(0, most, round(scale)) if (_n_around(is_there, 2 * n + 1) > 1).mean() >= ENOUGH_NEIGHBORS), most)


def spread(cells, n_pixels, agg, is_turned=(False, False)):
    """Cells whose values cover the neighbors within a circle; in host memory if anything changed.

    Parameters
    ----------
    n_pixels : int or AutoSpread
        How far points reach, in a circle.
    agg : str
        A pixel within reach of several cells shows the largest of them; for "min" the smallest.
    is_turned : (bool, bool)
        Whether to reverse rows, and columns.
    """
    if n_pixels == 0 and not any(is_turned):
        return cells
    values = cells.numpy()
    grown = _grown(values, n_pixels, agg == "min")
    if grown is values and not any(is_turned):
        return cells
    rows, cols = (slice(None, None, -1 if turned else 1) for turned in is_turned)
    return _native.Cells.from_array(np.ascontiguousarray(grown[rows, cols]))


def _grown(values, n_pixels, is_least):
    """The values spread by a number of pixels; or by an `AutoSpread`, which enlarges the lone points of a dense picture, too."""
    n_of_all = spread_of(n_pixels, values)
    if n_of_all:
        return spread_values(values, n_of_all, is_least)
    lone = n_pixels.lone(values) if isinstance(n_pixels, AutoSpread) else None
    if lone is None:
        return values
    return np.where(is_empty(values), spread_values(np.where(lone, values, EMPTY), n_pixels.of_lone, is_least), values)


def spread_of(n_pixels, values):
    """A number of pixels, or that of an `AutoSpread` for some cells."""
    return n_pixels.of(values) if isinstance(n_pixels, AutoSpread) else n_pixels


def _n_around(is_there, reach):
    """For each pixel with points: how many such pixels, itself among them, are in the square that reaches so far around it."""
    padded = np.pad(is_there.astype(np.int32), ((reach + 1, reach), (reach + 1, reach)))
    sums = padded.cumsum(0).cumsum(1)
    size = 2 * reach + 1
    return (sums[size:, size:] - sums[:-size, size:] - sums[size:, :-size] + sums[:-size, :-size])[is_there]


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
