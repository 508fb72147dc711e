"""Counts, moments, extremes, histogram and percentiles of the elements of one or several planes, together."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from . import _native
from .bin_edges import bin_edges
from .order_statistics import percentiles_of_planes

__all__ = ["Asked", "Found", "Tally", "counted", "is_integer", "measure"]


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


class Found(NamedTuple):
    """What there is among some elements; the fields are those of `Stats`."""

    nan: int
    neg_inf: int
    neg: int
    zero: int
    pos: int
    pos_inf: int
    subnormal: int
    min: object
    max: object
    mean: float
    std: float
    absmax: object
    l2: float
    argmin: tuple | None
    argmax: tuple | None
    first_nan: tuple | None
    hist: np.ndarray
    bin_edges: np.ndarray
    percentiles: dict


class _Native(NamedTuple):
    """The native summary of a plane."""

    n_nan: int
    n_neg_inf: int
    n_neg: int
    n_zero: int
    n_pos: int
    n_pos_inf: int
    n_subnormal: int
    min: float
    max: float
    mean: float
    m2: float
    sum_of_squares: float
    argmin: int
    argmax: int
    first_nan: int


class Tally:
    """Summaries of planes, joined in the order in which they come.

    Attributes
    ----------
    counts : list of int
        NaN, -Inf, negative, zero, positive, +Inf, subnormal.
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
        self.counts = [0] * 7
        self.n, self.mean, self.m2, self.sum_of_squares = 0, 0.0, 0.0, 0.0
        self.low = self.high = math.nan
        self.lowest, self.highest, self.nans = [], [], []

    def add(self, plane, place_of):
        """Summarizes a plane; `place_of` tells where an element is from its position in the plane."""
        found = _Native(*_native.summarize(plane))
        self.counts = [a + b for a, b in zip(self.counts, found[:7], strict=True)]
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


def is_integer(dtype):
    """Whether elements are integers, False and True among them."""
    return dtype.startswith(("int", "uint", "bool"))


def counted(planes, asked, low, high, is_exact):
    """Counts of bins over all planes, and the edges.

    Parameters
    ----------
    planes : list of _native.Plane
    asked : Asked
    low, high : number
        The finite extremes, NaN where there are none.
    is_exact : bool
        Whether elements are integers that stand for themselves.

    Returns
    -------
    (ndarray of int64, ndarray of float64)
    """
    first, last = asked.value_range or ((low, high) if low == low else (0, 1))
    edges = bin_edges(first, last, asked.bins)
    counts = np.zeros(asked.bins, np.int64)
    if low != low:
        return counts, edges
    limits = (first, last) if is_exact and isinstance(first, int) and isinstance(last, int) else None
    for plane in planes:
        counts += _native.histogram(plane, edges, limits)
    return counts, edges


def measure(tally, pooled, asked, dtype, *, is_computed, exact, first, index):
    """Everything that is asked about the elements of a tally.

    Parameters
    ----------
    tally : Tally
    pooled : list of _native.Plane
        The same elements, on planes whose order says nothing.
    asked : Asked
    dtype : str
        Name of the tensor's dtype.
    is_computed : bool
        Whether elements are computed as float64, and not those of the dtype.
    exact : callable
        Gives the element at a place, as a Python number; asked for 64-bit integers that float64 does not hold.
    first : callable
        Key that sorts places by which comes first.
    index : callable
        Turns a place into an index of the tensor.

    Returns
    -------
    Found
    """
    is_exact = is_integer(dtype) and not is_computed
    low, argmin = _extreme(tally.low, tally.lowest, min, is_exact, exact, first)
    high, argmax = _extreme(tally.high, tally.highest, max, is_exact, exact, first)
    hist, edges = counted(pooled, asked, low, high, is_exact)
    kind = "float64" if is_computed else dtype
    values = percentiles_of_planes(pooled, asked.percentiles, tally.n, tally.low, tally.high, kind) if asked.percentiles else []
    n = tally.n
    if dtype == "bool" and is_exact and n:
        low, high = bool(low), bool(high)
    return Found(
        *tally.counts, low, high, tally.mean + 0.0 if n else math.nan,
        math.sqrt(tally.m2 / (n - 1)) if n > 1 else math.nan, max(abs(low), abs(high)) if n else math.nan,
        math.sqrt(tally.sum_of_squares) if n else math.nan,
        None if argmin is None else index(argmin), None if argmax is None else index(argmax),
        index(min(tally.nans, key=first)) if tally.nans else None,
        hist, edges, dict(zip(asked.percentiles, values, strict=True)),
    )


def _extreme(value, places, better, is_exact, exact, first):
    """The smallest or largest element as it is in its dtype, and the first place that has it."""
    if not places:
        return math.nan, None
    if not is_exact:
        return value, min(places, key=first)
    if abs(value) < 2**53:
        return int(value), min(places, key=first)
    elements = {place: exact(place) for place in places}
    value = better(elements.values())
    return value, min((place for place in places if elements[place] == value), key=first)
