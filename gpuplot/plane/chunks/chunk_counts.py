"""Exact percentiles of an array in chunks: histogram passes narrow down each rank until the remaining elements can be collected."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from ... import _native
from ...arrays.describe import describe
from ...arrays.dtypes import is_narrow
from ...dtype_classes import is_bool_or_integer
from ...errors import ChunkError
from ..native_plane import native_plane
from ..order_statistics import KeyParts, Keys, percentiles_by_counts, percentiles_by_rank
from ..view import plain_view
from .chunk_grid import ChunkGrid
from .first_counts import RANGE_VALUES, counted_edges

# Bins of one pass, shared by all ranks.
N_BINS = 2**16

# Equal bins: at least MIN_BINS, and FINENESS for each time that the elements are more than may be collected. Few bins stay in
# the nearest cache, where counting takes a third of the time.
MIN_BINS, FINENESS = 2**10, 64

# The maximum number of elements that are collected, and of those that every process sends to all others.
MAX_COLLECTED = 2**20
MAX_GATHERED = 2**18

# Elements in brackets are few where they are at most one in this many of all.
FEW = 16

# A bracket of at most this many values of a dtype is settled by one pass: a range of `first_counts`, or the one around zero.
MAX_SETTLED = 2 * RANGE_VALUES

# After a pass of equal bins that leaves more than this share of the elements, the next pass uses bins between keys.
POOR = 1 / 16

# Above these values there may be no float64 at which a bin could begin.
LARGE = 1e308


@dataclass(frozen=True)
class Bracket:
    """The range of values, both ends included, that contains the element of a rank.

    Attributes
    ----------
    low, high : float
    below, inside : int
        Number of elements below the range, and in it.
    by_keys : bool
        Whether it is divided by keys, because equal bins did not narrow it enough.
    """

    low: float
    high: float
    below: int = 0
    inside: int = 0
    by_keys: bool = False

    def starts(self, dtype, n_bins):
        """The strictly increasing float64 starts of its bins, from `low` on; each bin ends where the next one starts."""
        if self.by_keys:
            keys = Keys(self.low, self.high, dtype)
            evenly = keys.low + -(-(keys.high - keys.low) // n_bins) * np.arange(n_bins + 1)
            starts = keys.values(np.append(evenly, [0, 1]))  # a bin for zero alone: no other value is as frequent
            return np.unique(starts[(self.low <= starts) & (starts <= self.high)])
        starts = self.low + (self.high / n_bins - self.low / n_bins) * np.arange(n_bins)
        return np.unique(starts[starts < self.high])

    def n_values(self, dtype):
        """Number of values of a dtype in the range, if it is divided by keys; infinite otherwise."""
        keys = Keys(self.low, self.high, dtype)
        return keys.high - keys.low + 1 if self.by_keys else math.inf

    @property
    def searched(self):
        """``(low, high)`` if bins are searched for, as unequal ones are, and None if arithmetic finds them."""
        return (self.low, self.high) if self.by_keys else None

    def within(self, rank, counts, dtype):
        """The bracket of the range of `first_counts` that holds the element of a rank."""
        return replace(self.narrowed(rank, counted_edges(dtype)[:-1], counts, dtype), by_keys=True)

    def counts(self, planes, dtype, n_bins):
        """The number of elements of native planes in each bin; those above `high` are in none."""
        starts = self.starts(dtype, n_bins)
        if not self.by_keys:  # equal bins, which are counted fast
            return sum(_native.histogram(plane, np.append(starts, self.high)) for plane in planes)
        above = math.nextafter(self.high, math.inf)
        edges = np.append(starts, [above, math.nextafter(above, math.inf)])
        return sum(_native.histogram(plane, edges)[:-1] for plane in planes)

    def narrowed(self, rank, starts, counts, dtype):
        """The bracket of the bin that holds the element of a rank."""
        ends = self.below + np.cumsum(counts)
        i = int(np.searchsorted(ends, rank, side="right"))
        high = self.high if i == len(counts) - 1 else math.nextafter(float(starts[i + 1]), -math.inf)
        n = int(counts[i])
        return Bracket(*snapped(float(starts[i]), high, dtype), int(ends[i]) - n, n, n > POOR * self.inside)


def snapped(low, high, dtype):
    """The smallest and the largest number of a dtype between two values; if they are equal the rank is settled."""
    if is_bool_or_integer(dtype):
        return float(math.ceil(low)), float(math.floor(high))
    if dtype == "float32" or dtype == "float16" or is_narrow(dtype):
        first, last = np.float32(low), np.float32(high)
        # As Python floats: NumPy would compare a float32 with these in float32, where both are equal.
        first = first if float(first) >= low else np.nextafter(first, np.float32(np.inf))
        return float(first), float(last if float(last) <= high else np.nextafter(last, np.float32(-np.inf)))
    return low, high


@dataclass(frozen=True)
class KeyBins:
    """Bins between keys instead of values, for integers that float64 rounds, and for the largest float64 numbers."""

    parts: KeyParts
    searched = None  # all elements are: bins are there for every value

    def counts(self, planes, dtype, n_bins):
        """See `Bracket.counts`."""
        edges = self.parts.values
        return sum(_native.histogram(plane, edges) for plane in planes)


@dataclass(frozen=True)
class PlaneOfChunk:
    """The elements of a chunk that belong to a plane."""

    grid: ChunkGrid
    nan: str

    def tiles(self):
        """Indices of the chunks, grouped in tiles."""
        return self.grid.tiles()

    @contextmanager
    def planes(self, elements, index):
        """A context with native planes of the elements."""
        source, view, _ = self.grid.read(elements, index)
        with source.borrow() as tensor:
            yield [native_plane(tensor, view, nan=self.nan)]


@dataclass(frozen=True)
class CountsOfChunk:
    """Counts the elements of a chunk in the bins of some brackets."""

    part: object
    brackets: tuple
    dtype: str
    n_bins: int

    def result_bytes(self, index):
        """Size of the counts in bytes."""
        return 8 * (self.n_bins + 2) * len(self.brackets)

    def __call__(self, elements, index):
        with self.part.planes(elements, index) as planes:
            few = _few_inside(planes, [bracket.searched for bracket in self.brackets])
            if few is None:
                return self._counts(planes)
        source = describe(few)
        with source.borrow() as tensor:
            return self._counts([native_plane(tensor, plain_view(source))])

    def _counts(self, planes):
        return [bracket.counts(planes, self.dtype, self.n_bins) for bracket in self.brackets]

    @staticmethod
    def together(found):
        """The summed counts of several chunks."""
        return [np.sum(counts, axis=0) for counts in zip(*found, strict=True)]


def _few_inside(planes, ranges):
    """The elements of planes in some ranges of values, float64; None if these are not few, or one of the ranges is None.

    One pass that collects these few, and a search for the bin of each, take a fifth of the time of a search for every element.
    """
    if None in ranges:
        return None
    ends, found = list(zip(*ranges, strict=True)), []
    for plane in planes:
        found.append(_native.collect(plane, *ends, math.prod(plane.shape) // FEW))
        if found[-1] is None:
            return None
    return np.concatenate(found)


@dataclass(frozen=True)
class ValuesOfChunk:
    """Collects the elements of a chunk that are in any of some brackets, which do not overlap, as float64 in any order."""

    part: object
    brackets: tuple

    @property
    def n_inside(self):
        """Number of such elements in all chunks."""
        return sum(bracket.inside for bracket in self.brackets)

    def result_bytes(self, index):
        """Maximum size of the collected values in bytes."""
        return 8 * self.n_inside

    def __call__(self, elements, index):
        ends = [bracket.low for bracket in self.brackets], [bracket.high for bracket in self.brackets]
        with self.part.planes(elements, index) as planes:
            found = [_native.collect(plane, *ends, self.n_inside) for plane in planes]
        if any(values is None for values in found):
            raise _error_of_change()
        return np.concatenate(found)

    @staticmethod
    def together(found):
        """The values of several chunks."""
        return np.concatenate(found)


def percentiles_in_chunks(source, part, percents, n, low, high, dtype, counts=None):
    """Exact percentiles (0 to 100) of the finite elements between two values, as a list of floats; NaN where there are none.

    Parameters
    ----------
    source : ChunkedSource
    part : PlaneOfChunk or object
        With ``tiles()`` and ``planes(elements, index)``.
    percents : sequence of float
    n : int or None
        Number of finite elements; None where a pass has to count them.
    low, high : float
        The smallest and the largest of them.
    dtype : str
        Dtype of the elements.
    counts : ndarray, optional
        The `first_counts` of these elements, which save a pass.
    """
    if n == 0 or math.isnan(low):
        return [math.nan] * len(percents)
    if low == high:
        return [low + 0.0] * len(percents)
    elements, whole, found = _Elements(source, part, dtype), Bracket(low, high), None
    if counts is not None:
        n = int(counts.sum())
    elif n is None:
        found = elements.counts((whole,), N_BINS)[0]
        n = int(found.sum())
    if max(abs(low), abs(high)) >= (2**53 if dtype in ("int64", "uint64") else LARGE):
        return percentiles_by_counts(elements.counts_between_keys, percents, n, low, high, dtype, N_BINS)
    whole = replace(whole, inside=n)

    def bracket(rank):
        if counts is not None:
            return whole.within(rank, counts, dtype)
        return whole if found is None else whole.narrowed(rank, whole.starts(dtype, N_BINS), found, dtype)

    def values_at(ranks):
        return elements.values_at({rank: bracket(rank) for rank in ranks}).values()

    return percentiles_by_rank(percents, n, values_at)


@dataclass(frozen=True)
class _Elements:
    """The elements whose percentiles are found; each question is a pass over their chunks, or several."""

    source: object  # ChunkedSource
    part: object  # as of `percentiles_in_chunks`
    dtype: str

    def counts(self, brackets, n_bins):
        """The number of elements in each bin of each bracket."""
        found = self.source.run(self.part.tiles(), CountsOfChunk(self.part, brackets, self.dtype, n_bins), CountsOfChunk.together)
        return CountsOfChunk.together(found)

    def counts_between_keys(self, parts):
        """The summed counts of bins between keys."""
        return np.cumsum(self.counts((KeyBins(parts),), N_BINS)[0])

    def values_at(self, brackets):
        """{rank: value} from {rank: the bracket that holds it}."""
        while True:
            open_ones = tuple(dict.fromkeys(bracket for bracket in brackets.values() if bracket.low < bracket.high))
            if not open_ones:
                return {rank: bracket.low + 0.0 for rank, bracket in brackets.items()}
            if sum(bracket.inside for bracket in open_ones) <= self._most_collected:
                values = self._sorted_values(open_ones)
                return {rank: float(values[bracket][rank - bracket.below]) + 0.0 if bracket in values else bracket.low + 0.0
                        for rank, bracket in brackets.items()}
            brackets = self._narrowed(brackets, open_ones)

    @property
    def _most_collected(self):
        """The maximum number of elements that are collected."""
        return min(MAX_COLLECTED, MAX_GATHERED) if self.source.is_collective else MAX_COLLECTED

    def _narrowed(self, brackets, open_ones):
        """{rank: a narrower bracket that holds it} from {rank: bracket}, by counting in the bins of those that are open."""
        n_bins = _n_bins(open_ones, self.dtype, self._most_collected)
        counts = dict(zip(open_ones, self.counts(open_ones, n_bins), strict=True))
        _check_same({bracket: found.sum() for bracket, found in counts.items()})
        starts = {bracket: bracket.starts(self.dtype, n_bins) for bracket in open_ones}
        return {rank: bracket.narrowed(rank, starts[bracket], counts[bracket], self.dtype) if bracket in counts else bracket
                for rank, bracket in brackets.items()}

    def _sorted_values(self, brackets):
        """{bracket: its elements in ascending order}, by one pass."""
        found = self.source.run(self.part.tiles(), ValuesOfChunk(self.part, brackets), ValuesOfChunk.together)
        values = np.sort(ValuesOfChunk.together(found))
        ends = {bracket: (np.searchsorted(values, bracket.low, "left"), np.searchsorted(values, bracket.high, "right"))
                for bracket in brackets}
        _check_same({bracket: stop - first for bracket, (first, stop) in ends.items()})
        return {bracket: values[first:stop] for bracket, (first, stop) in ends.items()}


def _n_bins(brackets, dtype, most_collected):
    """Bins of each bracket: one for each value where brackets are narrow, so that this pass settles all ranks; else a share.

    Equal bins are as many as leave no more than `most_collected` elements, if these are not very uneven.
    """
    most = max(bracket.n_values(dtype) for bracket in brackets)
    if most <= MAX_SETTLED:
        return most
    share = max(2, N_BINS // len(brackets))
    if any(bracket.by_keys for bracket in brackets):
        return share
    return min(share, max(MIN_BINS, FINENESS * sum(bracket.inside for bracket in brackets) // max(1, most_collected)))


def _check_same(found):
    """ChunkError where a pass met another number of elements in a bracket than the one before."""
    if any(n != bracket.inside for bracket, n in found.items()):
        raise _error_of_change()


def _error_of_change():
    """The ChunkError about a pass that met other elements than the one before."""
    return ChunkError("the chunks gave other elements when they were read again, and percentiles need several passes: give random "
                      "numbers a seed, or store the result first, such as X.persist()")
