"""LineData: x and y of a line, and the samples needed to draw a view of it; all of x is read only once."""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

import numpy as np

from ..arrays.describe import describe
from .limits import WANT_FOR_AXES
from .series import Series, emitted
from .shown_samples import shown_states

# More samples than these must be sorted by x: which of them a view needs could not be told without reading all.
MAX_UNSORTED_SAMPLES = 10**7

# Samples outside of a view, on either side, that are drawn as well: the nearest one ends the stroke that comes in, and with another one
# the stroke has a join there, as in the whole line, and no cap, which would move it by less than a pixel.
N_NEIGHBORS = 2

# Most samples of a view, NaN included, that are all drawn, with their markers, where few of them are finite.
MAX_WITH_GAPS = 2**20

# Columns of the whole line, for limits, legends and pickles.
N_WHOLE_COLUMNS = 1024


class LineSamples(NamedTuple):
    """Samples to draw for a line.

    Attributes
    ----------
    positions : ndarray of int64, shape (n,)
        Which samples of the line they are, -1 at breaks.
    x, y : ndarray of float64, shape (n,)
        y is NaN at breaks.
    is_complete : bool
        Whether no sample between the first and the last was left out.
    has_all_finite : bool
        Whether none was left out that is finite.
    """

    positions: np.ndarray
    x: np.ndarray
    y: np.ndarray
    is_complete: bool
    has_all_finite: bool


class LineData:
    """Samples (x, y) of a line.

    Parameters
    ----------
    y : Series
    x : Series, optional
        As long as `y`. Default: positions, 0, 1, 2, ....

    Raises
    ------
    ValueError
        x and y differ in length.
    """

    def __init__(self, y, x=None):
        if x is not None and x.length != y.length:
            raise ValueError(f"x and y must have same first dimension, but have shapes ({x.length},) and ({y.length},)")
        self.x, self.y = x, y
        self._known_way = self._whole = self._y_limits = None
        self._has_gaps = True  # as far as is known

    @property
    def length(self):
        """Number of samples."""
        return self.y.length

    @property
    def is_sorted(self):
        """Whether x rises or falls, so that samples of a view are found by search; x is read once for this."""
        return self._way != "neither"

    @property
    def _way(self):
        """Which way x goes: "rises", "falls" or "neither"; found once."""
        if self._known_way is None:
            rises, falls = (True, False) if self.x is None else self.x.ways()
            self._known_way = "rises" if rises else "falls" if falls else "neither"
        return self._known_way

    def check_order(self):
        """Refuses x in no order with more samples than matplotlib is handed."""
        if not self.is_sorted and self.length > MAX_UNSORTED_SAMPLES:
            raise ValueError(
                f"x neither rises nor falls (or has a NaN), and {self.length:,} samples are more than the {MAX_UNSORTED_SAMPLES:,} that "
                "are drawn in any order: density=True draws them all, in pixels; or sort both by x, such as i = x.argsort(); "
                "gpuplot.plot(x[i], y[i]), or thin them: x[::100], y[::100]")

    def check_length(self):
        """Refuses more samples than matplotlib is handed, where columns of pixels have no range of x each."""
        if self.length > MAX_UNSORTED_SAMPLES:
            raise ValueError(f"where x and y are not transformed apart, as in polar Axes, a line has {MAX_UNSORTED_SAMPLES:,} "
                             f"samples at most, not {self.length:,}: thin them, such as x[::100], y[::100]")

    def _rising(self):
        """x and y in the order of rising x."""
        return (self.x.reversed(), self.y.reversed()) if self._way == "falls" else (self.x, self.y)

    def _in_order(self, positions, x, y, *flags):
        """Samples by rising x as those of the line: strokes and dashes depend on the direction."""
        if self._way == "falls":
            positions, x, y = np.where(positions < 0, -1, self.length - 1 - positions)[::-1], x[::-1], y[::-1]
        return LineSamples(positions, x, y, *flags)

    def all_samples(self):
        """Every sample; their order is that of the line."""
        x = np.arange(self.length, dtype=float) if self.x is None else _floats(self.x.gather(0, self.length))
        return LineSamples(np.arange(self.length), x, _floats(self.y.gather(0, self.length)), True, True)

    def at(self, positions):
        """x and y, float64, of the samples at some positions."""
        return positions.astype(float) if self.x is None else self.x.take(positions), self.y.take(positions)

    def samples(self, edges, max_complete=0, shows=None, is_marked=False):
        """The samples to draw for a view.

        Parameters
        ----------
        edges : ndarray of float64, shape (n + 1,)
            Rising: a sample is in column k where ``edges[k] <= x < edges[k + 1]``.
        max_complete : int
            So many samples are drawn whole, though columns would need fewer.
        shows : callable, optional
            Which y the scale of the Axes shows, as of `shown_states`; others are left out, as NaN are. Default: all.
        is_marked : bool
            Whether samples have markers: those that are NaN then do not count, among up to `MAX_WITH_GAPS`.

        Returns
        -------
        LineSamples
            In the order of the line: at most four a column, and the two nearest neighbors on either side; or all of them where they are
            no more, or at most `max_complete`.
        """
        x, y = self._rising()
        with nullcontext() if x is None else x.read_once() as x:
            return self._samples_of(x, y, edges, max_complete, shows, is_marked)

    def _samples_of(self, x, y, edges, max_complete, shows, is_marked):
        bounds = _positions_of(edges, self.length) if x is None else x.search(edges)
        begin, end = max(int(bounds[0]) - N_NEIGHBORS, 0), min(int(bounds[-1]) + N_NEIGHBORS, self.length)
        max_finite = 4 * (len(bounds) - 1) + 2 * N_NEIGHBORS
        if end - begin <= max(max_finite, max_complete + 2 * N_NEIGHBORS):
            return self._all_between(x, y, begin, end)
        bounds = [begin, *bounds, end]
        states, order = y.m4(bounds) if shows is None else shown_states(y, bounds, shows)
        if is_marked and end - begin <= MAX_WITH_GAPS and states["n_finite"].sum() <= max_finite:
            return self._all_between(x, y, begin, end)
        positions, values = emitted(states, order)
        return self._in_order(positions, _with_breaks(positions, x), values, False, _has_all(states, positions))

    def _all_between(self, x, y, begin, end):
        positions, values = np.arange(begin, end), _floats(y.gather(begin, end))
        xs = positions.astype(float) if x is None else _floats(x.gather(begin, end))
        return self._in_order(positions, xs, values, True, True)

    def whole(self):
        """The samples to draw for the whole line, in columns of equally many samples; their limits are those of all samples."""
        if self._whole is None:
            self._whole = self._find_whole() if self.is_sorted else self.all_samples()
        return self._whole

    def _find_whole(self):
        if self.length <= 4 * N_WHOLE_COLUMNS:
            return self.all_samples()
        states, order, self._y_limits = self.y.m4_and_limits(np.arange(N_WHOLE_COLUMNS + 1) * self.length // N_WHOLE_COLUMNS)
        self._has_gaps = bool(states["n_finite"].sum() < self.length)
        positions, values = emitted(states, order)
        return LineSamples(positions, _with_breaks(positions, self.x), values, False, _has_all(states, positions))

    def least_positive(self):
        """The smallest positive x of a finite y, and y, where logarithmic axes begin; NaN where there are none."""
        of_y = self._y_limits or self.y.limits(WANT_FOR_AXES)
        return self._least_positive_x(), of_y.min_positive

    def _least_positive_x(self):
        if not self.is_sorted:
            return np.nan
        x, y = self._rising()
        position = 1 if x is None else int(x.search([np.nextafter(0.0, 1.0)])[0])
        position = min(_first_finite(y, position) if self._has_gaps else position, self.length)
        if position == self.length:
            return np.nan
        return float(position) if x is None else x.take(np.array([position]))[0]

    def portable(self):
        """The line in its own memory: all samples if they were copied, else those of `whole`."""
        if self.y.is_copied and (self.x is None or self.x.is_copied):
            return self
        whole = self.whole()
        return LineData.of_arrays(whole.x, whole.y)

    @classmethod
    def of_arrays(cls, x, y):
        """A line over host arrays; x may be None."""
        return cls(Series(describe(y), is_copied=True), None if x is None else Series(describe(x), is_copied=True))

    def arrays(self):
        """x, or None, and y as host arrays."""
        return tuple(None if series is None else series.gather(0, series.length) for series in (self.x, self.y))


def _floats(array):
    """float64, NaN where masked."""
    return np.ma.filled(np.ma.asarray(array).astype(float), np.nan)


def _first_finite(y, position):
    """The first position from this one on where y is finite, the length of y where there is none; most often one sample is read."""
    if position >= y.length or np.isfinite(y.take(np.array([position]))[0]):
        return position
    state = y.m4([position, y.length])[0][0]
    return int(state["first"]) if state["n_finite"] else y.length


def _has_all(states, positions):
    """Whether the positions, -1 at breaks, are those of all finite samples of the columns."""
    return bool(states["n_finite"].sum() == np.count_nonzero(positions >= 0))


def _positions_of(edges, n):
    """For each edge the first of 0, 1, ... n - 1 that is not below it, n where there is none."""
    return np.clip(np.ceil(edges), 0, n).astype(np.int64)


def _with_breaks(positions, x):
    """x of each sample; a break gets the x of the next sample, so that x still increases."""
    behind = np.append(positions[1:], -1)
    filled = np.where(positions < 0, behind, positions)
    return filled.astype(float) if x is None else x.take(filled)
