"""Statistics of all slices of an array in chunks in one pass, or a few: slices in one chunk where it is, others put together."""

from __future__ import annotations

import itertools
import math
import operator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..arrays.chunk_elements import source_of_chunk
from ..arrays.chunked_source import check_n_chunks
from ..arrays.describe import describe
from ..arrays.dtypes import ITEM_BYTES, is_narrow
from ..arrays.host_arrays import in_narrow_dtype
from ..plane.chunks.chunk_grid import chunks_of
from ..plane.coalesce_axes import elements_of
from ..plane.gather import gather_box
from .chunked_elements import Part, check_countable
from .summaries import StatsSpec, StatsValues
from .tensor_values import values_of_tensor

PLACES = ("argmin", "argmax", "first_nan")

# Numbers of one slice beside its bins, percentiles and the indices of three elements.
N_NUMBERS = 15

# Most bytes of slices that are put together in host memory, by each thread or worker.
SLAB_BYTES = 64 * 2**20


class _Block(NamedTuple):
    """Elements of a chunk, those of one slab, on the host; they wait for those of the slab's other chunks."""

    index: tuple
    elements: np.ndarray


class _Found(NamedTuple):
    """Where some slices are among all, and their statistics."""

    place: tuple
    values: StatsValues


def can_be_put_together(source, spans, axes):
    """Whether the slices along `axes` of the elements in `spans` each lie in one chunk, or are small enough for `values_of_slices`."""
    is_small = _bytes_of_slice(source, spans, axes) <= SLAB_BYTES and not source.is_collective
    return is_small or _n_chunks(source.chunks, spans, axes) == 1


def values_of_slices(source, spans, axes, component, spec):
    """The `StatsValues` of all slices of a `ChunkedSource`, arrays over them; see `tensor_values.values_of_tensor`.

    Each pass reads one slab, neighboring slices, of each column of chunks along `axes`. `can_be_put_together` of the slices is true.
    """
    check_countable(source)
    part = Part(source.chunks, tuple(spans), component, source.dtype)
    n_chunks, found = _n_chunks(source.chunks, spans, axes), []
    sizes = _slab_sizes(part, axes, source.size if n_chunks == 1 else SLAB_BYTES // _bytes_of_slice(source, spans, axes))
    for number in itertools.product(*(range(-(-most // size)) for most, size in sizes)):
        work = SlicesOfChunk(part, tuple(axes), spec, n_chunks, number, tuple(size for _, size in sizes))
        found += itertools.chain.from_iterable(source.run(work.tiles(), work, work.together))
    return _joined(found, tuple(len(span) for axis, span in enumerate(spans) if axis not in axes), spec)


def _n_chunks(chunks, spans, axes):
    """The number of chunks in which each slice lies."""
    return math.prod(len(list(chunks_of(spans[axis], chunks[axis]))) for axis in axes)


def _bytes_of_slice(source, spans, axes):
    return ITEM_BYTES[source.dtype] * math.prod(len(spans[axis]) for axis in axes)


def _slab_sizes(part, axes, n):
    """[(most elements in a chunk, elements of a slab)] along each axis; along `axes` both are 1. A slab has at most `n` slices."""
    sizes = [(1, 1)] * len(part.spans)
    for axis in reversed(range(len(part.spans))):
        if axis not in axes:
            most = max(stop - first for _, first, stop in chunks_of(part.spans[axis], part.chunks[axis]))
            size = min(most, max(1, n))
            sizes[axis] = most, size
            n //= size
    return sizes


@dataclass(frozen=True)
class SlicesOfChunk:
    """A task: chunk -> [`_Found`] of the slices of one slab, or [`_Block`] where these lie in other chunks, too.

    Attributes
    ----------
    part : Part
    axes : tuple of int
        The axes inside slices.
    spec : StatsSpec
    n_chunks : int
        The number of chunks in which each slice lies.
    number : tuple of int
        Which slab of a chunk it is, along each axis.
    sizes : tuple of int
        Elements of a slab along each axis but `axes`.
    """

    part: Part
    axes: tuple
    spec: StatsSpec
    n_chunks: int
    number: tuple
    sizes: tuple

    def result_bytes(self, index):
        """The size of the numbers of all its slices, where these lie in one chunk: blocks are not sent to all processes."""
        n_numbers = 2 * self.spec.bins + len(self.spec.percentiles) + N_NUMBERS + len(PLACES) * len(index)
        return 8 * n_numbers * math.prod(place.stop - place.start for place in self._slices(index))

    def tiles(self):
        """The chunks of each slab."""
        along = [[k for k, _, _ in chunks_of(span, sizes)] for span, sizes in zip(self.part.spans, self.part.chunks, strict=True)]
        check_n_chunks(math.prod(map(len, along)))
        columns = itertools.product(*([None] if axis in self.axes else chunks for axis, chunks in enumerate(along)))
        tiles = [list(itertools.product(*(chunks if k is None else [k] for k, chunks in zip(column, along, strict=True))))
                 for column in columns]
        if not any(self.number):  # every chunk has a first slab
            return tiles
        return [tile for tile in tiles if all(place.start < place.stop for place in self._slices(tile[0]))]

    def _slab(self, index):
        """For each axis the slice of the whole span that is in a chunk's slab."""
        places = list(self.part.spans_in(index)[0])
        for axis, (place, number, size) in enumerate(zip(places, self.number, self.sizes, strict=True)):
            if axis not in self.axes:
                first = place.start + number * size
                places[axis] = slice(first, max(first, min(first + size, place.stop)))
        return places

    def _slices(self, index):
        """Where the slices of a chunk's slab are among all."""
        return tuple(place for axis, place in enumerate(self._slab(index)) if axis not in self.axes)

    def _spans_in(self, index):
        """The ranges of a chunk's own indices in the slab."""
        spans = tuple(span[place] for span, place in zip(self.part.spans, self._slab(index), strict=True))
        return replace(self.part, spans=spans).spans_in(index)[1]

    def __call__(self, chunk, index):
        source, spans = source_of_chunk(chunk, self.part.dtype, index), self._spans_in(index)
        if self.n_chunks > 1:
            return [_Block(index, gather_box(source, spans))]
        begins = self.part.begins(index)
        return [_Found(self._slices(index), self._values(source, spans, lambda place: tuple(map(operator.add, place, begins))))]

    def together(self, found):
        """Those of several chunks; blocks that are all of their slab become the statistics of its slices."""
        found = [one for part in found for one in part]
        return found if len(found) < self.n_chunks or self.n_chunks == 1 else [self._of_blocks(found)]

    def _of_blocks(self, blocks):
        index = blocks[0].index
        places = [span if axis in self.axes else span[place]
                  for axis, (span, place) in enumerate(zip(self.part.spans, self._slab(index), strict=True))]
        make = np.ma.empty if any(isinstance(block.elements, np.ma.MaskedArray) for block in blocks) else np.empty
        whole = make([len(span) for span in places], blocks[0].elements.dtype)
        for block in blocks:
            inside = self._slab(block.index)
            whole[tuple(place if axis in self.axes else slice(None) for axis, place in enumerate(inside))] = block.elements
        source = describe(whole)
        if is_narrow(self.part.dtype):  # of which blocks are float32
            source = in_narrow_dtype(source, self.part.dtype)
        return _Found(self._slices(index), self._values(source, [range(len(span)) for span in places],
                                                       lambda place: elements_of(places, place)))

    def _values(self, source, spans, to_whole):
        """The statistics of the slices of a source; `to_whole` makes the index of an element of the source that of the whole array."""
        with source.borrow() as tensor:
            found = values_of_tensor(tensor, source.dtype, spans, self.axes, self.part.component, self.spec)
        return found._replace(**{name: _moved(getattr(found, name), to_whole) for name in PLACES})


def _moved(places, to_whole):
    """An array of indices, or None, each replaced by ``to_whole(index)``."""
    moved = np.empty(places.shape, object)
    moved.ravel()[:] = [None if place is None else to_whole(place) for place in places.ravel()]
    return moved


# ---- all slices --------------------------------------------------------------------------------------------------------


def _joined(found, sizes, spec):
    """The `StatsValues` of all slices, arrays of shape `sizes`, from a list of `_Found`."""

    def whole(values_of):
        return _whole([(place, values_of(values)) for place, values in found], sizes)

    columns = {name: whole(operator.attrgetter(name)) for name in StatsValues._fields if name != "percentiles"}
    percentiles = {percent: whole(lambda values, percent=percent: values.percentiles[percent]) for percent in spec.percentiles}
    return StatsValues(**columns, percentiles=percentiles)


def _whole(blocks, sizes):
    """The array of shape `sizes`, and of the axes of bins, of which `blocks` are [(place, values)]."""
    whole = np.empty((*sizes, *blocks[0][1].shape[len(sizes):]), _common_dtype([values for _, values in blocks]))
    for place, values in blocks:
        whole[place] = values
    return whole


def _common_dtype(arrays):
    """The dtype of several arrays; where some are float64 for NaN among integers, objects if float64 would round integers of others."""
    dtypes = {array.dtype for array in arrays}
    if len(dtypes) == 1:
        return dtypes.pop()
    is_large = any(array.dtype.kind in "iu" and (np.abs(array.astype(float)) > 2**53).any() for array in arrays)
    return np.dtype(object) if is_large or np.dtype(object) in dtypes else np.dtype(float)
