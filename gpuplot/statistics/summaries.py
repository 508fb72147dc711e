"""Counts, moments, extremes, histogram and percentiles of the elements of one or several planes together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import _native
from ..plane.bin_edges import bin_edges
from ..plane.order_statistics import percentiles_of_planes


class StatsSpec(NamedTuple):
    """The parameters of `stats`, checked; ends of the range are Python integers or floats, the first not above the second."""

    bins: int
    value_range: tuple | None
    percentiles: tuple

    @property
    def percents(self):
        """The percentiles to find together: those that are wanted, and the median."""
        return self.percentiles if 50 in self.percentiles else (*self.percentiles, 50)


class StatsValues(NamedTuple):
    """Statistics of some elements; the fields are those of `Stats`."""

    nan: int
    neg_inf: int
    neg: int
    zero: int
    pos: int
    pos_inf: int
    masked: int
    subnormal: int
    min: object
    max: object
    mean: float
    median: float
    std: float
    absmax: object
    l2: float
    argmin: tuple | None
    argmax: tuple | None
    first_nan: tuple | None
    hist: np.ndarray
    bin_edges: np.ndarray
    percentiles: dict


@dataclass(frozen=True)
class Elements:
    """Elements that are summarized together, on borrowed planes.

    Attributes
    ----------
    ordered : list of (_native.Plane, callable)
        Each with a function from an element's position in the plane to its place.
    pooled : list of _native.Plane
        The same elements on planes in any order, which may be fewer.
    dtype : str
        Of the tensor.
    is_computed : bool
        Whether planes hold numbers computed in float64 in place of the tensor's elements.
    first : callable
        Key that sorts places by which comes first.
    index : callable
        Place -> index of the tensor.
    exact : callable, optional
        Place -> element as a Python number; needed for 64-bit integers, which float64 may not hold.
    """

    ordered: list
    pooled: list
    dtype: str
    is_computed: bool
    first: Callable
    index: Callable
    exact: Callable | None = None

    @property
    def is_integer(self):
        """Whether elements are integers or bool."""
        return not self.is_computed and self.dtype.startswith(("int", "uint", "bool"))


# No elements at all.
NOTHING = Elements([], [], "float64", True, min, tuple)


class _Native(NamedTuple):
    """The native summary of a plane."""

    n_nan: int
    n_neg_inf: int
    n_neg: int
    n_zero: int
    n_pos: int
    n_pos_inf: int
    n_masked: int
    n_subnormal: int
    min: float
    max: float
    mean: float
    m2: float
    sum_of_squares: float
    argmin: int
    argmax: int
    first_nan: int


class _Tally:
    """The joined summaries of planes.

    Attributes
    ----------
    counts : list of int
        NaN, -Inf, negative, zero, positive, +Inf, masked, subnormal.
    n : int
        Number of finite elements.
    mean, m2, sum_of_squares : float
        Of finite elements; `m2` is the sum of the squared distances from the mean.
    low, high : float
        The smallest and the largest, NaN where there is none.
    lowest, highest, nans : list
        Places of the candidates for the first such element, one for each plane.
    """

    def __init__(self):
        self.counts = [0] * 8
        self.n, self.mean, self.m2, self.sum_of_squares = 0, 0.0, 0.0, 0.0
        self.low = self.high = math.nan
        self.lowest, self.highest, self.nans = [], [], []

    def add(self, plane, place_of):
        """Joins the summary of a plane; `place_of` gives the place of an element from its position in the plane."""
        summary = _Native(*_native.summarize(plane))
        self.counts = [a + b for a, b in zip(self.counts, summary[:8], strict=True)]
        if summary.first_nan >= 0:
            self.nans.append(place_of(summary.first_nan))
        n = summary.n_neg + summary.n_zero + summary.n_pos
        if n:
            self._join_moments(n, summary)
            self.low, self.lowest = _better(self.low, self.lowest, summary.min, place_of(summary.argmin), summary.min < self.low)
            self.high, self.highest = _better(self.high, self.highest, summary.max, place_of(summary.argmax), summary.max > self.high)

    def _join_moments(self, n, summary):
        if self.n == 0:
            self.mean, self.m2 = summary.mean, summary.m2
        else:
            step, share = summary.mean - self.mean, n / (self.n + n)
            self.mean += step * share
            self.m2 += summary.m2 + step * step * self.n * share
        self.n += n
        self.sum_of_squares += summary.sum_of_squares


def _better(value, places, found, place, is_better):
    """(extreme, places of all planes that have it) with those of one more plane."""
    if not places or is_better:
        return found, [place]
    return value, [*places, place] if found == value else places


def measure(elements, spec):
    """The `StatsValues` of some `Elements` by a `StatsSpec`."""
    tally = _tally(elements)
    low, argmin = _extreme(elements, tally.low, tally.lowest, min)
    high, argmax = _extreme(elements, tally.high, tally.highest, max)
    hist, edges = _counted(elements, spec.bins, spec.value_range, low, high)
    n, dtype = tally.n, "float64" if elements.is_computed else elements.dtype
    values = percentiles_of_planes(elements.pooled, spec.percents, n, tally.low, tally.high, dtype)
    values = dict(zip(spec.percents, values, strict=True))
    if elements.dtype == "bool" and elements.is_integer and n:
        low, high = bool(low), bool(high)
    return StatsValues(
        *tally.counts, low, high, tally.mean + 0.0 if n else math.nan, values[50],
        math.sqrt(tally.m2 / (n - 1)) if n > 1 else math.nan, max(abs(low), abs(high)) if n else math.nan,
        math.sqrt(tally.sum_of_squares) if n else math.nan,
        argmin, argmax, elements.index(min(tally.nans, key=elements.first)) if tally.nans else None,
        hist, edges, {percent: values[percent] for percent in spec.percentiles},
    )


def count(elements, bins, value_range):
    """(counts, edges) of the histogram alone; where the range is given, in one pass."""
    if value_range is not None:
        return _counted(elements, bins, value_range, 0, 0)
    return _counted(elements, bins, None, *extremes(elements))


def extremes(elements):
    """The smallest and the largest finite element, integers exactly; NaN where there are none."""
    tally = _tally(elements)
    return _extreme(elements, tally.low, tally.lowest, min)[0], _extreme(elements, tally.high, tally.highest, max)[0]


def _tally(elements):
    tally = _Tally()
    for plane, place_of in elements.ordered:
        tally.add(plane, place_of)
    return tally


def _extreme(elements, value, places, better):
    """(smallest or largest element in its dtype, index of the first such element); (NaN, None) without finite elements."""
    if not places:
        return math.nan, None
    if elements.is_integer and abs(value) < 2**53:
        value = int(value)
    elif elements.is_integer:
        exact = {place: elements.exact(place) for place in places}
        value = better(exact.values())
        places = [place for place in places if exact[place] == value]
    return value, elements.index(min(places, key=elements.first))


def _counted(elements, bins, value_range, low, high):
    """(counts, edges) of bins; `low` and `high` are the finite extremes, NaN where nothing is finite."""
    is_any = low == low
    first, last = value_range or ((low, high) if is_any else (0, 1))
    edges, counts = bin_edges(first, last, bins), np.zeros(bins, np.int64)
    is_exact = elements.is_integer and isinstance(first, int) and isinstance(last, int)
    for plane in elements.pooled if is_any else ():
        counts += _native.histogram(plane, edges, (first, last) if is_exact else None)
    return counts, edges
