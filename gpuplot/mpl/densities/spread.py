"""Enlarges the points of a density to discs of some pixels, so that lone points can be seen."""

from dataclasses import dataclass

import numpy as np

from ... import _native
from ...plane.frame import EMPTY, is_empty
from ...plane.window import reversing

# "auto" spreads by at most MAX_SPREAD pixels at 100 dots per inch, by more where pixels are smaller, but never by more than
# MAX_FINE_SPREAD; and by fewer once this part of the pixels with points has a neighbor that it then touches. So few pixels in all are
# always spread by the most.
MAX_SPREAD, MAX_FINE_SPREAD = 3, 8
ENOUGH_NEIGHBORS = 0.5
FEW = 64

# Curves of single pixels are hairlines: where half of the pixels with points have fewer others than this within so many pixels, which is
# two curves, all are spread by at least 1.
THIN_REACH, MAX_THIN = 3, 14


def check_spread(n_pixels):
    """`spread` as an int, or "auto"; ValueError for any other value."""
    if isinstance(n_pixels, str) and n_pixels == "auto":
        return n_pixels
    if isinstance(n_pixels, (bool, np.bool_)) or not isinstance(n_pixels, (int, np.integer)) or not 0 <= n_pixels <= 16:
        raise ValueError(f"spread={n_pixels!r} must be a number of pixels from 0 to 16, or 'auto'")
    return int(n_pixels)


def spread_of_lines(dpi):
    """The number of pixels that a line reaches beyond its own: with these it is 1 pixel wide up to 199 dpi, 3 up to 399, 5 up to 599.

    That is 0.4 to 1.1 points, where single pixels of a fine printer would be hairlines.
    """
    return min(MAX_FINE_SPREAD, int(dpi / 200))


@dataclass(frozen=True)
class Growth:
    """How far the points of a picture reach: all by the same number of pixels, and lone ones by more.

    The same for all, as a picture whose sparse points grow and whose dense ones do not is darkest where density is middling.

    Attributes
    ----------
    n_of_all : int
    lone : ndarray of bool, optional
        Where lone points are, which are so far from others that they touch none.
    n_of_lone : int
    """

    n_of_all: int
    lone: np.ndarray | None = None
    n_of_lone: int = 0

    def grow(self, values, is_least=False):
        """The values spread; the largest, or smallest, wins."""
        grown = spread_values(values, self.n_of_all, is_least) if self.n_of_all else values
        if self.lone is None:
            return grown
        return np.where(is_empty(grown), spread_values(np.where(self.lone, values, EMPTY), self.n_of_lone, is_least), grown)

    @property
    def is_none(self):
        """Whether values stay what they are."""
        return not self.n_of_all and self.lone is None


@dataclass(frozen=True)
class AutoSpread:
    """As many pixels as make lone points visible at a resolution.

    The rule is that of datashader's ``dynspread``: the least number of pixels with which half of the points nearly touch another one. It
    is at least that of a line.

    Parameters
    ----------
    dpi : float
        Pixels per inch.
    """

    dpi: float

    def of(self, values):
        """The Growth of these cells."""
        is_there = ~is_empty(values)
        n_there, scale, least = int(is_there.sum()), max(self.dpi / 100, 1), spread_of_lines(self.dpi)
        most = min(MAX_FINE_SPREAD, round(MAX_SPREAD * scale))
        if n_there <= FEW:
            return Growth(most if n_there else 0)
        n_of_all = next((n for n in range(0, most, round(scale)) if (_n_around(is_there, 2 * n + 1) > 1).mean() >= ENOUGH_NEIGHBORS), most)
        if n_of_all <= least:
            is_thin = np.median(_n_around(is_there, THIN_REACH)) <= MAX_THIN
            return self._with_lone(max(least, int(is_thin)), is_there)
        return Growth(n_of_all)

    def _with_lone(self, n_of_all, is_there):
        """A Growth that enlarges those pixels more that have no other within twice their own reach."""
        n_of_lone = max(1, min(MAX_FINE_SPREAD, round(self.dpi / 100)))
        if n_of_lone <= n_of_all:
            return Growth(n_of_all)
        lone = is_there.copy()
        lone[lone] = _n_around(is_there, 2 * n_of_lone + 1) == 1
        return Growth(n_of_all, lone, n_of_lone) if lone.any() else Growth(n_of_all)


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
    growth = growth_of(n_pixels, values)
    if growth.is_none and not any(is_turned):
        return cells
    return _native.Cells.from_array(np.ascontiguousarray(growth.grow(values, agg == "min")[reversing(is_turned)]))


def growth_of(n_pixels, values):
    """The Growth of a number of pixels, or that of an `AutoSpread` for some cells."""
    return n_pixels.of(values) if isinstance(n_pixels, AutoSpread) else Growth(n_pixels)


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
