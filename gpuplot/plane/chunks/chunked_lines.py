"""Lines over an array in chunks: counted where the chunks are read, and joined so that a line in several chunks counts once a cell."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

from ...arrays.chunked_source import ChunkedSource
from ...arrays.chunks_together import together
from ..line_limits import LineLimitsOfChunk, PairedLimitsOfChunk, all_limits, paired_limits
from ..line_parts import LinesOfChunk, ways_of_places
from ..lines import SORTED, LineSet
from ..series import Series
from ..sorted_lines import BYTES_OF_COLUMN
from .chunk_grid import MAX_TILES, bounds, in_tiles, over_all

# Bytes of the cells that lines in several chunks fill, a bit each, which one pass collects; more lines are counted in several passes.
MAX_FILLED_BYTES = 64 * 2**20


def line_set(y, axis=0, x=None):
    """The lines of a tensor, a `ChunkedLineSet` where it lies in chunks; arguments are those of `LineSet.of`."""
    if isinstance(x, ChunkedSource) and not isinstance(y, ChunkedSource):
        y = _cut(y, x, {"x": x, "y": y})
    elif isinstance(y, ChunkedSource) and x is not None and x.ndim > 1 and not isinstance(x, ChunkedSource):
        x = _cut(x, y, {"x": x, "y": y})
    return (ChunkedLineSet if isinstance(y, ChunkedSource) else LineSet).of(y, axis, x)


def _cut(source, like, named):
    """An array in memory in the chunks of another; an UnsupportedError where that cannot be."""
    return like.cut_alike(source) or together(named)


@dataclass(frozen=True)
class ChunkedLineSet(LineSet):
    """The interface of `LineSet` over chunks.

    x is positions, an array in memory of one axis, or one of the shape and chunks of y.
    """

    is_in_chunks = True

    @classmethod
    def of(cls, y, axis=0, x=None):
        """See `LineSet.of`.

        Raises
        ------
        UnsupportedError
            x and y lie in different chunks.
        """
        y.check_complete()
        if isinstance(x, ChunkedSource) or (x is not None and x.ndim > 1):
            together({"x": x, "y": y})
            return cls(y, axis, x)
        return super().of(y, axis, x)

    @property
    def is_cut(self):
        """Whether each line lies in several chunks."""
        return len(self.y.chunks[self.axis]) > 1

    def limits(self):
        """See `LineSet.limits`: one pass over y, and one over x where it is in chunks."""
        if not self.y.size:
            return super().limits()
        if isinstance(self.x, ChunkedSource):
            return paired_limits(self.x, self.y)
        self.y.check_complete()
        x = self.shared_x
        if self.is_paired and x is None:
            work = PairedLimitsOfChunk(self.y.dtype, self.y.chunks, Series(self.x).gather(0, self.length))
            return over_all(self.y, work, work.together)
        work = LineLimitsOfChunk(self.y.dtype, self.y.chunks, self.axis, () if x is None else x.spans)
        of_y, ends = over_all(self.y, work, work.together)
        return all_limits(self.x) if x is None else x.limits(ends), of_y.finish()

    def counts(self, columns, rows, normalize):
        """The number of lines through each cell, (rows, columns) float64.

        One pass over the chunks that the columns show; of very many lines in several chunks each a pass over those of each batch.
        """
        is_paired = isinstance(self.x, ChunkedSource)
        x = None if is_paired or self.x is None else Series(self.x).gather(0, self.length)
        source = together({"x": self.x, "y": self.y}) if is_paired else self.y
        dtypes = (self.x.dtype, self.y.dtype) if is_paired else (self.y.dtype,)
        way = "unknown" if is_paired else self._way_of_places(columns)
        work = LinesOfChunk(dtypes, self.y.chunks, self.axis, way, x, columns, rows, normalize)
        counts = np.zeros((rows.n_cells, columns.n_cells))
        for indices, lines in self._batches(self._needed(columns, x), self._most_lines(way, columns, rows)):
            part, tiles = replace(work, lines=lines), in_tiles(*indices)
            found = source.run(tiles, part, part.together) if tiles else []
            if found:
                counts += part.together(found).counts(columns, rows, normalize)
        return counts

    def _way_of_places(self, columns):
        """Which way the places of an x for all lines go in columns: all of them decide how each part of a line is taken."""
        if self.way != "unknown":
            return self.way if self.has_places(columns) else "neither"
        rises, falls = ways_of_places(self.x, columns)
        return "rises" if rises else "falls" if falls else "neither"

    def _batches(self, needed, most):
        """(indices along each axis of the chunks of a pass, which of the lines in each chunk, None for all) for every pass.

        Each chunk is read by one pass, but chunks with more lines than a pass collects, `most`, by several.
        """
        sizes = self.y.chunks
        if not self.is_cut or self.n_lines <= most:
            yield needed, None
            return
        others = [k for k in range(self.y.ndim) if k != self.axis]
        along = max(others, key=lambda k: len(needed[k]))  # a pass reads neighbors along this axis, at one place along `beside`
        beside = [k for k in others if k != along]
        for place in itertools.product(*(needed[k] for k in beside)):
            at = dict(zip(beside, place, strict=True))
            n_beside = math.prod(sizes[k][index] for k, index in at.items())
            for group in _grouped_up_to(needed[along], lambda index, n=n_beside: n * sizes[along][index], most):
                indices = list(needed)
                indices[along] = group
                for k, index in at.items():
                    indices[k] = [index]
                n_lines = n_beside * sum(sizes[along][index] for index in group)
                if n_lines <= most:
                    yield indices, None
                    continue
                for first in range(0, n_lines, most):
                    yield indices, slice(first, first + most)

    def _most_lines(self, way, columns, rows):
        """How many lines in several chunks one pass collects the rows or cells of; `way` is that of the places of x."""
        if way in SORTED:
            return max(1, MAX_FILLED_BYTES // (columns.n_cells * BYTES_OF_COLUMN))
        n_states = 1 if self.way != "unknown" else min(MAX_TILES, len(self.y.chunks[self.axis]))  # chunks with all columns
        return max(1, MAX_FILLED_BYTES // (n_states * (rows.n_cells + 2) * -(-columns.n_cells // 8)))

    def _needed(self, columns, x):
        """Indices along each axis of the chunks with lines in the columns: those with a sample, or an end of a stroke, inside."""
        along = [[k for k, size in enumerate(sizes) if size] for sizes in self.y.chunks]
        if isinstance(self.x, ChunkedSource):
            return along
        ends = columns.ends()
        along[self.axis] = [k for k in along[self.axis] if self._touches(*bounds(self.y.chunks[self.axis], k), x, ends)]
        return along

    def _touches(self, begin, end, x, ends):
        """Whether samples `begin` to `end` - 1, or the strokes from them to their neighbors, may be between two values."""
        first, stop = max(begin - 1, 0), min(end + 1, self.length)
        low, high = (first, stop - 1) if x is None else (np.fmin.reduce(x[first:stop]), np.fmax.reduce(x[first:stop]))
        return bool(low <= ends[1] and high >= ends[0])


def _grouped_up_to(items, size_of, most):
    """Lists of neighboring items whose sizes together are at most `most`; a larger item is alone."""
    group, total = [], 0
    for item in items:
        if group and total + size_of(item) > most:
            yield group
            group, total = [], 0
        group.append(item)
        total += size_of(item)
    if group:
        yield group
