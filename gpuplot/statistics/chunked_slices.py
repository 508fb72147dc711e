"""Statistics of all slices of an array in chunks, where every slice lies in one chunk: one pass over the chunks."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

import numpy as np

from ..arrays.chunk_elements import described
from ..plane.chunks.chunk_grid import chunks_of
from .chunked_elements import Part, check_countable
from .summaries import StatsSpec, StatsValues
from .tensor_values import values_of_tensor

PLACES = ("argmin", "argmax", "first_nan")

# Numbers of one slice beside its bins, percentiles and the indices of three elements.
N_NUMBERS = 15


def are_within_chunks(chunks, spans, axes):
    """Whether each slice along `axes` of the elements in `spans` lies in one chunk."""
    return all(len(list(chunks_of(spans[axis], chunks[axis]))) == 1 for axis in axes)


def values_of_slices(source, spans, axes, component, spec):
    """The `StatsValues` of all slices of a `ChunkedSource`, arrays over them; see `tensor_values.values_of_tensor`.

    `are_within_chunks` of the slices is true.
    """
    check_countable(source)
    part = Part(source.chunks, tuple(spans), component, source.dtype)
    found = SlicesOfChunk.together(source.run(part.tiles(), SlicesOfChunk(part, tuple(axes), spec), SlicesOfChunk.together))
    sizes = tuple(len(span) for axis, span in enumerate(spans) if axis not in axes)

    def whole(values_of):
        return _whole([(place, values_of(values)) for place, values in found], sizes)

    columns = {name: whole(operator.attrgetter(name)) for name in StatsValues._fields if name != "percentiles"}
    percentiles = {percent: whole(lambda values, percent=percent: values.percentiles[percent]) for percent in spec.percentiles}
    return StatsValues(**columns, percentiles=percentiles)


@dataclass(frozen=True)
class SlicesOfChunk:
    """A task: chunk -> [(where its slices are among all, their `StatsValues`)].

    Attributes
    ----------
    part : Part
    axes : tuple of int
        The axes inside slices.
    spec : StatsSpec
    """

    part: Part
    axes: tuple
    spec: StatsSpec

    def result_bytes(self, index):
        """The size of the numbers of all its slices."""
        n_numbers = 2 * self.spec.bins + len(self.spec.percentiles) + N_NUMBERS + len(PLACES) * len(index)
        return 8 * n_numbers * math.prod(len(inside) for axis, inside in enumerate(self.part.spans_in(index)[1]) if axis not in self.axes)

    def __call__(self, chunk, index):
        places, spans = self.part.spans_in(index)
        with described(chunk, self.part.dtype, index).borrow() as tensor:
            found = values_of_tensor(tensor, self.part.dtype, spans, self.axes, self.part.component, self.spec)
        begins = self.part.begins(index)
        of_whole = {name: _moved(getattr(found, name), begins) for name in PLACES}
        return [(tuple(place for axis, place in enumerate(places) if axis not in self.axes), found._replace(**of_whole))]

    @staticmethod
    def together(found):
        """Those of all chunks."""
        return [one for part in found for one in part]


def _moved(places, begins):
    """An array of indices in a chunk, or None, as indices in the array of which the chunk begins at `begins`."""
    moved = np.empty(places.shape, object)
    moved.ravel()[:] = [None if place is None else tuple(at + begin for at, begin in zip(place, begins, strict=True))
                        for place in places.ravel()]
    return moved


def _whole(blocks, sizes):
    """The array of shape `sizes`, and of the axes of bins, of which `blocks` are [(place, values)]."""
    first = blocks[0][1]
    whole = np.empty((*sizes, *first.shape[len(sizes):]), _common_dtype([values for _, values in blocks]))
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
