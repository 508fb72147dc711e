"""Exact percentiles of the elements of several planes together, by counting, in constant memory."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .. import _native
from ..arrays.dtypes import is_narrow
from ..dtype_classes import is_bool_or_integer

# Bins of one pass over the elements, shared by all ranks.
N_BINS = 4096

# The largest number that has another one above it, which edges need.
_BELOW_MAX = np.nextafter(np.finfo(np.float64).max, 0.0)


def percentiles_of_planes(planes, percents, n, low, high, dtype):
    """Exact percentiles of the finite elements of all planes, as a list of floats; NaN where there are none.

    The native layer selects in one plane. Elements of several planes are counted between edges that close in on each rank, 12
    bits of the keys in each pass over all planes. `n`, `low` and `high` are the number, smallest and largest of the finite
    elements.
    """
    if n == 0:
        return [math.nan] * len(percents)
    if len(planes) == 1:
        return _native.percentiles(planes[0], [float(percent) for percent in percents]).tolist()
    return percentiles_by_counts(_counter(planes), percents, n, low, high, dtype, N_BINS)


def percentiles_by_rank(percents, n, values_at):
    """Percentiles of `n` elements, as a list of floats, between their order statistics; NaN where there are none.

    ``values_at(ranks)`` finds the order statistics of a list of ranks, which are 0-based, distinct and ascending.
    """
    if n == 0:
        return [math.nan] * len(percents)
    places = [_rank_of(n, percent) for percent in percents]
    ranks = sorted({rank for k, _ in places for rank in (k, min(k + 1, n - 1))})
    values = dict(zip(ranks, values_at(ranks), strict=True))
    return [_between(values[k], values[min(k + 1, n - 1)], t) for k, t in places]


def _rank_of(n, percent):
    """(k, t): the order statistic below a percentile, and the fraction of the way to the next one."""
    h = (n - 1) * (float(percent) / 100)
    k = math.floor(h)
    return (n - 1, 0.0) if k >= n - 1 else (k, h - k)


def _between(a, b, t):
    """The number between two order statistics, computed from the nearer of them."""
    if math.isinf(b - a):  # two halves of the range of float64
        return a * (1 - t) + b * t
    return a + (b - a) * t if t < 0.5 else b - (b - a) * (1 - t)


class Keys:
    """Integers in the order of the numbers of a range: integers themselves, floats by the bits of their magnitude."""

    def __init__(self, low, high, dtype):
        self._is_integer = is_bool_or_integer(dtype) and max(abs(low), abs(high)) < 2**53
        # Narrow floats are among the values of float32; computed elements and magnitudes of complex ones are not.
        self._float, self._bits = np.float64, np.uint64
        if dtype in ("float16", "float32") or is_narrow(dtype):
            self._float, self._bits = np.float32, np.uint32
        self.low, self.high = self.of(low), self.of(min(high, _BELOW_MAX))

    def of(self, value):
        """The key of a value; -0.0 has that of 0.0."""
        if self._is_integer:
            return int(value)
        magnitude = int(self._float(abs(value)).view(self._bits))
        return -magnitude if value < 0 else magnitude

    def values(self, keys):
        """The float64 values of keys, an int64 array; past the largest float32 that is the next power of two."""
        if self._is_integer:
            return keys.astype(np.float64)
        magnitudes = abs(keys).astype(self._bits).view(self._float).astype(np.float64)
        return np.copysign(np.minimum(magnitudes, 2.0**128) if self._float is np.float32 else magnitudes, keys)

    def value(self, key):
        """The value of one key."""
        return float(self.values(np.array([key]))[0])


def values_at(planes, ranks, low, high, dtype):
    """The order statistics of these ranks, 0-based; the other parameters as of `percentiles_of_planes`."""
    return values_by_counts(_counter(planes), ranks, low, high, dtype, N_BINS)


def _counter(planes):
    """The `count` of `values_by_counts` of all elements of planes."""
    def count(parts):
        edges = parts.values
        return np.cumsum(sum(_native.histogram(plane, edges) for plane in planes))

    return count


def percentiles_by_counts(count, percents, n, low, high, dtype, n_bins):
    """Percentiles as of `percentiles_of_planes`, of elements that `count` counts; see `values_by_counts`."""
    return percentiles_by_rank(percents, n, lambda ranks: values_by_counts(count, ranks, low, high, dtype, n_bins))


def values_by_counts(count, ranks, low, high, dtype, n_bins):
    """The order statistics of some ranks, 0-based, of elements that can be counted.

    ``count(parts)`` tells how many elements are below the end of each of `n_bins` bins between ``parts.values``, by one pass over
    all. `low`, `high` and `dtype` are as of `percentiles_of_planes`.
    """
    keys = Keys(low, high, dtype)
    brackets = {rank: (keys.low, keys.high) for rank in ranks}
    while True:
        unsettled = {bracket for bracket in brackets.values() if bracket[0] < bracket[1]}
        if not unsettled:
            return [keys.value(brackets[rank][0]) + 0.0 for rank in ranks]
        parts = KeyParts(low, high, dtype, tuple(sorted(unsettled)), n_bins)
        edges, below = parts.edges, count(parts)
        for rank, bracket in brackets.items():
            if bracket in unsettled:
                i = int(np.searchsorted(below, rank, side="right"))
                brackets[rank] = (int(edges[i]), int(edges[i + 1]) - 1)


@dataclass(frozen=True)
class KeyParts:
    """Bins between keys, as the few numbers that they are made of: what travels to where elements are counted."""

    # low, high, dtype: as of `percentiles_of_planes`.
    low: float
    high: float
    dtype: str
    brackets: tuple[tuple[int, int], ...]  # first and last key of the ranges that are divided
    n_bins: int

    @property
    def edges(self):
        """Keys that divide each bracket, from the smallest key to one past the largest."""
        keys, n_parts = Keys(self.low, self.high, self.dtype), max(2, self.n_bins // max(1, len(self.brackets)))
        edges = [(keys.low, keys.high + 1)]
        for first, last in self.brackets:
            size = last + 1 - first
            step = max(1, -(-size // n_parts))
            edges += [first + step * np.arange(-(-size // step)), (last + 1,)]
        return np.unique(np.concatenate([np.asarray(part, np.int64) for part in edges]))

    @property
    def values(self):
        """The edges as float64 numbers, not writable."""
        return _values_of(self)


@lru_cache(maxsize=2)
def _values_of(parts):
    """Kept, as all chunks of one pass are counted between the same edges."""
    values = Keys(parts.low, parts.high, parts.dtype).values(parts.edges)
    values.flags.writeable = False
    return values
