"""ChunkedElements: statistics of an array in chunks. Tasks count chunks where these are read, and the results are joined."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from ..arrays.chunk_elements import source_of_chunk
from ..arrays.chunked_source import ChunkedSource
from ..errors import UnsupportedError
from ..plane.addends import OF_ADDENDS
from ..plane.chunks.chunk_counts import percentiles_in_chunks
from ..plane.chunks.chunk_grid import bounds, chunks_of, in_tiles, span_within
from ..plane.chunks.chunk_work import joined_limits
from ..plane.limits import WANT_ALL
from ..plane.partial_limits import PartialLimits
from .elements import Elements, all_elements
from .partial_histogram import PartialHistogram
from .partial_summary import PartialSummary


@dataclass(frozen=True)
class Part:
    """The elements of an array in chunks that are summarized; small, as each task has a copy.

    Attributes
    ----------
    chunks : tuple of tuple of int
        Sizes along each axis.
    spans : tuple of range
        The elements of each axis.
    component : str
        The native name of the number that an element gives.
    dtype : str
    """

    chunks: tuple
    spans: tuple
    component: str
    dtype: str

    def tiles(self):
        """Indices of the chunks that have such elements, grouped in tiles."""
        return in_tiles(*([k for k, _, _ in chunks_of(span, sizes)] for span, sizes in zip(self.spans, self.chunks, strict=True)))

    def spans_in(self, index):
        """For each axis the slice of the whole span that lies in a chunk, and the range of the chunk's own indices there."""
        places, spans = [], []
        for span, (begin, end) in zip(self.spans, self._bounds(index), strict=True):
            first, stop = span_within(span, begin, end)
            inside = span[first:stop]
            places.append(slice(first, stop))
            spans.append(range(inside.start - begin, inside.stop - begin, inside.step))
        return places, spans

    def begins(self, index):
        """The index of a chunk's first element in the whole array."""
        return [begin for begin, _ in self._bounds(index)]

    @contextmanager
    def elements(self, chunk, index):
        """A context with the `Elements` of a chunk, whose ranks and indices are those of the chunk."""
        source, (_, spans) = source_of_chunk(chunk, self.dtype, index), self.spans_in(index)
        with source.borrow() as tensor:
            yield all_elements(tensor, self.dtype, spans, self.component)

    @contextmanager
    def planes(self, chunk, index):
        """A context with native planes of a chunk's elements."""
        with self.elements(chunk, index) as elements:
            yield elements.pooled

    def rank_in_whole(self, index, elements):
        """A function: rank of one of the `Elements` of a chunk -> its rank among all elements."""
        begins, sizes = self.begins(index), [len(span) for span in self.spans]

        def rank(inside):
            places = zip(self.spans, begins, elements.index(inside), strict=True)
            return int(np.ravel_multi_index([span.index(begin + at) for span, begin, at in places], sizes))

        return rank

    def _bounds(self, index):
        return [bounds(sizes, k) for sizes, k in zip(self.chunks, index, strict=True)]


@dataclass(frozen=True)
class SummaryOfChunk:
    """A task: chunk -> its `PartialSummary`."""

    part: Part

    def result_bytes(self, index):
        """Next to nothing."""
        return 0

    def __call__(self, chunk, index):
        with self.part.elements(chunk, index) as elements:
            return elements.summary(self.part.rank_in_whole(index, elements))

    @staticmethod
    def together(found):
        """The PartialSummary of all chunks, joined in their order."""
        whole = PartialSummary()
        for one in found:
            whole.join(one)
        return whole


@dataclass(frozen=True)
class LimitsOfElements:
    """A task: chunk -> its `PartialLimits`."""

    part: Part
    want: int

    def result_bytes(self, index):
        """Next to nothing."""
        return 0

    def __call__(self, chunk, index):
        with self.part.planes(chunk, index) as planes:
            return joined_limits([PartialLimits.of_plane(plane, self.want) for plane in planes])

    @staticmethod
    def together(found):
        """The PartialLimits of all chunks."""
        return joined_limits(found)


@dataclass(frozen=True)
class HistogramOfChunk:
    """A task: chunk -> its `PartialHistogram`."""

    part: Part
    edges: np.ndarray
    integer_range: tuple | None = None

    def result_bytes(self, index):
        """The size of the counts."""
        return 8 * len(self.edges)

    def __call__(self, chunk, index):
        with self.part.elements(chunk, index) as elements:
            return elements.histogram(self.edges, self.integer_range).counts

    @staticmethod
    def together(found):
        """Those of all chunks."""
        return np.sum(found, axis=0)


class ChunkedElements:
    """The methods of `Elements` for an array in chunks; each but `index` takes a pass over the chunks, or a few.

    Parameters
    ----------
    source : ChunkedSource
    spans : sequence of range
        The elements of each axis, none of them empty.
    component : str
        The native name of the number that an element gives.
    to_tensor : callable
        Index of the source -> index of the tensor, if they differ.
    """

    def __init__(self, source, spans, component="value", to_tensor=tuple):
        check_countable(source)
        self._source, self._part = source, Part(source.chunks, tuple(spans), component, source.dtype)
        self.dtype, self.is_computed, self._to_tensor = source.dtype, component != "value", to_tensor

    is_integer = Elements.is_integer

    @property
    def pooled(self):
        """UnsupportedError, as there are no planes in memory."""
        raise UnsupportedError(f"this looks at all elements of an array that is {self._source.advice.read}, which is not done: give limits "
                               "or bins as numbers, or a part of the array that fits into memory")

    def index(self, rank):
        """Rank of an element -> its index in the tensor."""
        where = np.unravel_index(rank, [len(span) for span in self._part.spans])
        return self._to_tensor(tuple(span[int(place)] for span, place in zip(self._part.spans, where, strict=True)))

    def summary(self):
        """The `PartialSummary` of all."""
        return SummaryOfChunk.together(self._run(SummaryOfChunk(self._part)))

    def histogram(self, edges, integer_range=None):
        """The `PartialHistogram` of all."""
        counts = HistogramOfChunk.together(self._run(HistogramOfChunk(self._part, np.asarray(edges, np.float64), integer_range)))
        return PartialHistogram(np.asarray(edges, np.float64), integer_range, counts)

    def limits(self, want=WANT_ALL):
        """`Limits` of all, with every field, whatever `want` is."""
        return LimitsOfElements.together(self._run(LimitsOfElements(self._part, WANT_ALL))).finish()

    def percentiles(self, percents, n, low, high):
        """Percentiles of the finite elements, of which there are `n` from `low` to `high`."""
        return percentiles_in_chunks(self._source, self._part, percents, n, low, high, "float64" if self.is_computed else self.dtype)

    def outer_percentiles(self, percents, is_positive_only):
        """Two exact percentiles for color limits."""
        limits = self.limits()
        least, n = (limits.min_positive, None) if is_positive_only else (limits.min, limits.n_finite)
        low, high = self.percentiles(percents, n, least, limits.max)
        return float(low), float(high)

    def has_any(self, kinds):
        """Whether there is an element of any of these kinds, ``HAS_*`` bits."""
        return bool(self.limits().has & kinds)

    def _run(self, work):
        return self._source.run(self._part.tiles(), work, type(work).together)


def check_countable(source):
    """UnsupportedError where elements are in other processes, or are sums over several."""
    source.check_complete()
    if source.n_addends > 1:
        raise UnsupportedError(f"statistics: {OF_ADDENDS}")


def is_chunked(source):
    """Whether the elements of a source can only be read by `ChunkedElements`."""
    return isinstance(source, ChunkedSource) and bool(math.prod(source.shape))
