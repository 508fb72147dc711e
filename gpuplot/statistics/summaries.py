"""Counts, moments, extremes, histogram and percentiles of the elements of one or several planes, together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import _native
from ..plane.bin_edges import bin_edges
from ..plane.order_statistics import percentiles_of_planes

__all__ = ["NOTHING", "Asked", "Elements", "Found", "count", "extremes", "measure"]


class Asked(NamedTuple):
    """What a caller wants to know beside counts and moments, checked.

    Attributes
    ----------
    bins : int
    value_range : (number, number) or None
        Python integers or floats, the first not above the second.
    percentiles : tuple of number
    """

    bins: int
    value_range: tuple | None
    percentiles: tuple

    @property
    def percents(self):
        """The percentiles to find together: those that are asked for, and the median."""
        return self.percentiles if 50 in self.percentiles else (*self.percentiles, 50)


class Found(NamedTuple):
    """What there is among some elements; the fields are those of `Stats`."""

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
    """Elements that are looked at together, on borrowed planes.

    Attributes
    ----------
    ordered : list of (_native.Plane, callable)
        All of them, once, and what gives the place of an element from its position in the plane.
    pooled : list of _native.Plane
        The same elements on planes whose order says nothing, which may be fewer.
    dtype : str
        Name of the tensor's dtype.
    is_computed : bool
        Whether planes hold numbers computed in float64, and no elements of the tensor.
    first : callable
        Key that sorts places by which comes first.
    index : callable
        Turns a place into an index of the tensor.
    exact : callable, optional
        Gives the element at a place as a Python number; needed for 64-bit integers, which float64 may not hold.
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
        """Whether elements are integers, False and True among them."""
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
    """Summaries of planes, joined in the order in which they come.

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
        Places of elements that may be the first of their kind: one for each plane.
    """

    def __init__(self):
        self.counts = [0] * 8
        self.n, self.mean, self.m2, self.sum_of_squares = 0, 0.0, 0.0, 0.0
        self.low = self.high = math.nan
        self.lowest, self.highest, self.nans = [], [], []

    def add(self, plane, place_of):
        """Summarizes a plane; `place_of` tells where an element is from its position in the plane."""
        found = _Native(*_native.summarize(plane))
        self.counts = [a + b for a, b in zip(self.counts, found[:8], strict=True)]
        if found.first_nan >= 0:
            self.nans.append(place_of(found.first_nan))
        n = found.n_neg + found.n_zero + found.n_pos
        if n:
            self._join_moments(n, found)
            self.low, self.lowest = _better(self.low, self.lowest, found.min, place_of(found.argmin), found.min < self.low)
            self.high, self.highest = _better(self.high, self.highest, found.max, place_of(found.argmax), found.max > self.high)

    def _join_moments(self, n, found):
        if self.n == 0:
            self.mean, self.m2 = found.mean, found.m2
        else:
            step, share = found.mean - self.mean, n / (self.n + n)
            self.mean += step * share
            self.m2 += found.m2 + step * step * self.n * share
        self.n += n
        self.sum_of_squares += found.sum_of_squares


def _better(value, places, found, place, is_better):
    """The extreme so far and the places of all planes that have it, with one more."""
    if not places or is_better:
        return found, [place]
    return value, [*places, place] if found == value else places


def measure(elements, asked):
    """Everything that is asked about some elements.

    Parameters
    ----------
    elements : Elements
    asked : Asked

    Returns
    -------
    Found
    """
    tally = _tally(elements)
    low, argmin = _extreme(elements, tally.low, tally.lowest, min)
    high, argmax = _extreme(elements, tally.high, tally.highest, max)
    hist, edges = _counted(elements, asked.bins, asked.value_range, low, high)
    n, dtype = tally.n, "float64" if elements.is_computed else elements.dtype
    values = percentiles_of_planes(elements.pooled, asked.percents, n, tally.low, tally.high, dtype)
    values = dict(zip(asked.percents, values, strict=True))
    if elements.dtype == "bool" and elements.is_integer and n:
        low, high = bool(low), bool(high)
    return Found(
        *tally.counts, low, high, tally.mean + 0.0 if n else math.nan, values[50],
        math.sqrt(tally.m2 / (n - 1)) if n > 1 else math.nan, max(abs(low), abs(high)) if n else math.nan,
        math.sqrt(tally.sum_of_squares) if n else math.nan,
        argmin, argmax, elements.index(min(tally.nans, key=elements.first)) if tally.nans else None,
        hist, edges, {percent: values[percent] for percent in asked.percentiles},
    )


def count(elements, bins, value_range):
    """The histogram alone: counts and edges; where the range is given, without another pass."""
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
    """The smallest or largest element as it is in its dtype, and the index of the first one; (NaN, None) where there is none."""
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
    """Counts of bins, and the edges; `low` and `high` are the finite extremes, NaN where nothing is finite."""
    is_any = low == low
    first, last = value_range or ((low, high) if is_any else (0, 1))
    edges, counts = bin_edges(first, last, bins), np.zeros(bins, np.int64)
    is_exact = elements.is_integer and isinstance(first, int) and isinstance(last, int)
    for plane in elements.pooled if is_any else ():
        counts += _native.histogram(plane, edges, (first, last) if is_exact else None)
    return counts, edges
