"""The difference of two arrays in equal chunks: subtracted where the chunks are read, never stored."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays.chunk_elements import source_of_chunk
from ...arrays.chunked_source import ChunkedSource
from ...arrays.chunks_together import together
from ..difference import subtracted_elements, without_classes
from ..gather import gather
from ..view import plain_view


def difference_of_chunks(a, b, ignored=()):
    """The `ChunkedSource` of ``a - b``, float64 or complex128; UnsupportedError where the two do not lie in equal chunks.

    Numbers in `ignored` count as masked.
    """
    pair = together({"a": a, "b": b})
    dtype = "complex128" if "complex" in a.dtype + b.dtype else "float64"
    return ChunkedSource(pair.owner, DifferenceChunks(pair, (a.dtype, b.dtype), ignored), a.shape, dtype, dims=a.dims,
                         is_masked=a.is_masked or b.is_masked or bool(ignored))


class DifferenceChunks:
    """The engine of a difference, over the source that pairs the chunks of both arrays."""

    def __init__(self, pair, dtypes, ignored=()):
        self._pair, self._dtypes, self._ignored, self.chunks = pair, dtypes, ignored, pair.chunks

    def run(self, tiles, work, join, watch):
        """See `ChunkedSource.run`; the pair's source has its own watch."""
        return self._pair.run(tiles, WorkOnDifference(work, self._dtypes, self._ignored), join)


@dataclass(frozen=True)
class WorkOnDifference:
    """Applies a task to the difference of two chunks."""

    work: object
    dtypes: tuple
    ignored: tuple = ()

    def __call__(self, chunks, index):
        left, right = (without_classes(_numbers(source_of_chunk(chunk, dtype, index)), self.ignored)
                       for chunk, dtype in zip(chunks, self.dtypes, strict=True))
        return self.work(subtracted_elements(left, right), index)


def _numbers(source):
    """All elements of a chunk as a host array, which is masked where they are."""
    values = source.array
    if values is None:
        view = replace(plain_view(source), complex_mode=None)  # both parts of complex ones
        planes = [gather(source, view.fixed_at(dict(enumerate(place))), (0, view.shape[0], 0, view.shape[1]))
                  for place in np.ndindex(source.shape[:-2])]
        values = np.ma.stack(planes).reshape(source.shape)
    return values if np.ma.is_masked(values) else np.ma.getdata(values)
