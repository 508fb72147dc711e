"""Lines over an array in chunks: counted where the chunks are read, and joined so that a line in several chunks counts once a cell."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

from .. import _native
from ..arrays.chunk_elements import described
from ..arrays.chunked_source import ChunkedSource
from ..arrays.chunks_together import Together, together
from ..arrays.describe import describe
from .chunk_grid import MAX_TILES, bounds, in_tiles
from .chunk_work import limits_of_chunks
from .frame import is_empty
from .lines import LINE_ONE, Lines, LineSet, counts_of
from .series import Series

# Bytes of the cells that lines in several chunks fill, a bit each, which one pass collects; more lines are counted in several passes.
MAX_FILLED_BYTES = 64 * 2**20

WANT = _native.WANT_RANGE | _native.WANT_POSITIVE


def line_set(y, axis=0, x=None):
    """The lines of a tensor, a `ChunkedLineSet` where it lies in chunks; arguments are those of `LineSet.of`."""
    is_chunked = isinstance(y, ChunkedSource) or isinstance(x, ChunkedSource)
    return (ChunkedLineSet if is_chunked else LineSet).of(y, axis, x)


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
        x = limits_of_chunks(self.x, WANT) if isinstance(self.x, ChunkedSource) else self.limits_of_x()
        return x, limits_of_chunks(self.y, WANT)

    def counts(self, columns, rows, normalize):
        """The number of lines through each cell, (rows, columns) float64.

        One pass over the chunks that the columns show; of very many lines in several chunks each a pass over those of each batch.
        """
        is_paired = isinstance(self.x, ChunkedSource)
        x = None if is_paired or self.x is None else Series(self.x).gather(0, self.length)
        source = together({"x": self.x, "y": self.y}) if is_paired else self.y
        dtypes = (self.x.dtype, self.y.dtype) if is_paired else (self.y.dtype,)
        work = LinesOfChunk(dtypes, self.y.chunks, self.axis, self.way, x, columns, rows, normalize)
        counts = np.zeros((rows.n_cells, columns.n_cells))
        for indices, lines in self._batches(self._needed(columns, x), columns, rows):
            part, tiles = replace(work, lines=lines), in_tiles(*indices)
            found = source.run(tiles, part, part.together) if tiles else []
            if found:
                counts += part.together(found).counts(columns, rows, normalize)
        return counts

    def _batches(self, needed, columns, rows):
        """(indices along each axis of the chunks of a pass, which of the lines in each chunk, None for all) for every pass.

        Each chunk is read by one pass, but chunks with more lines than a pass collects by several.
        """
        most, others = self._most_lines(columns, rows), [k for k in range(self.y.ndim) if k != self.axis]
        if not self.is_cut or self.n_lines <= most:
            yield needed, None
            return
        along = max(others, key=lambda k: len(needed[k]))
        apart = [[[index] for index in indices] if k not in (along, self.axis) else [indices] for k, indices in enumerate(needed)]
        for place in itertools.product(*apart):
            n_beside = math.prod(self.y.chunks[k][place[k][0]] for k in others if k != along)
            for group in _grouped_up_to(place[along], lambda index, n=n_beside: n * self.y.chunks[along][index], most):
                n_lines = n_beside * sum(self.y.chunks[along][index] for index in group)
                indices = [*place[:along], group, *place[along + 1:]]
                yield from ((indices, slice(k, k + most) if n_lines > most else None) for k in range(0, n_lines, most))

    def _most_lines(self, columns, rows):
        """How many lines in several chunks one pass collects the cells of."""
        n_states = 1 if self.way != "unknown" else min(MAX_TILES, len(self.y.chunks[self.axis]))  # chunks with all columns
        return max(1, MAX_FILLED_BYTES // (n_states * rows.n_cells * -(-columns.n_cells // 8)))

    def _needed(self, columns, x):
        """Indices along each axis of the chunks with lines in the columns: those with a sample, or an end of a stroke, inside."""
        along = [range(len(sizes)) for sizes in self.y.chunks]
        if isinstance(self.x, ChunkedSource):
            return [list(indices) for indices in along]
        ends = columns.ends()
        along[self.axis] = [k for k in along[self.axis] if self._touches(*bounds(self.y.chunks[self.axis], k), x, ends)]
        return [list(indices) for indices in along]

    def _touches(self, begin, end, x, ends):
        """Whether samples `begin` to `end` - 1, or the strokes from them to their neighbors, may be between two values."""
        first, stop = max(begin - 1, 0), min(end + 1, self.length)
        low, high = (first, stop - 1) if x is None else (np.fmin.reduce(x[first:stop]), np.fmax.reduce(x[first:stop]))
        return bool(low <= ends[1] and high >= ends[0])


@dataclass
class WholeCounts:
    """Counts of lines that lie in one chunk each."""

    values: np.ndarray

    @classmethod
    def together(cls, found):
        """Those of all chunks."""
        return cls(np.sum([one.values for one in found], axis=0))

    def counts(self, columns, rows, normalize):
        """The number of lines through each cell."""
        return self.values


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


@dataclass
class Filled:
    """Which cells each of some lines fills, in neighboring columns; it fills none in others.

    Attributes
    ----------
    first : int
        The first of the columns, by eight.
    bits : ndarray (lines, rows, bytes) uint8
        A bit for each column.
    """

    first: int
    bits: np.ndarray

    @classmethod
    def of(cls, cells):
        """For the cells of each line, an iterable of (rows, columns) bool."""
        bits = np.stack([np.packbits(one, axis=1) for one in cells])  # packed one by one: they are eight times as large before
        used = np.flatnonzero(bits.any(axis=(0, 1)))
        first, stop = (int(used[0]), int(used[-1]) + 1) if len(used) else (0, 0)
        return cls(first, bits[..., first:stop].copy())

    @classmethod
    def together(cls, parts):
        """What parts of the same lines fill."""
        used = [part for part in parts if part.bits.shape[2]] or parts[:1]
        if len(used) == 1:
            return used[0]
        first, stop = min(part.first for part in used), max(part.first + part.bits.shape[2] for part in used)
        whole = cls(first, np.zeros((*used[0].bits.shape[:2], stop - first), np.uint8))
        for part in used:
            whole.bits[..., part.first - first:part.first - first + part.bits.shape[2]] |= part.bits
        return whole

    def cells(self, line, shape):
        """The cells of a line, (rows, columns) bool."""
        bits = np.zeros((shape[0], -(-shape[1] // 8)), np.uint8)
        bits[:, self.first:self.first + self.bits.shape[2]] = self.bits[line]
        return np.unpackbits(bits, axis=1, count=shape[1]).view(bool)


@dataclass
class CutLines:
    """Cells of lines that lie in several chunks.

    Attributes
    ----------
    filled : dict of tuple to Filled
        By the index of the chunks of the same lines, without `axis`.
    ends : list of (tuple, int, ndarray)
        The same index, the index along `axis`, and x and y of the first and the last sample of each line there, (lines, 4).
    """

    filled: dict
    ends: list

    @classmethod
    def together(cls, found):
        """Those of all chunks: a line fills what one of its parts fills."""
        parts = {}
        for one in found:
            for key, filled in one.filled.items():
                parts.setdefault(key, []).append(filled)
        return cls({key: Filled.together(same) for key, same in parts.items()}, [end for one in found for end in one.ends])

    def counts(self, columns, rows, normalize):
        """The number of lines through each cell, with the strokes from each chunk to the next."""
        counts = np.zeros((rows.n_cells, columns.n_cells))
        for key, filled in self.filled.items():
            ends = sorted(((k, ends) for where, k, ends in self.ends if where == key), key=lambda one: one[0])
            for line in range(len(filled.bits)):
                strokes = _strokes([(k, one[line]) for k, one in ends], columns, rows)
                counts += _shares(filled.cells(line, counts.shape) | strokes, normalize)
        return counts


def _strokes(ends, columns, rows):
    """Which cells the strokes between neighboring chunks fill; `ends` are (index along the axis, x and y of first and last sample)."""
    gap = [np.nan, np.nan]
    joined = [(before[2:], after[:2], gap) for (k, before), (next_k, after) in itertools.pairwise(ends) if next_k == k + 1]
    x, y = np.array(joined, float).reshape(-1, 2).T.copy()
    return _filled(LineSet(describe(y), 0, describe(x)), columns, rows)


def _filled(line, columns, rows):
    """Which cells one line fills, (rows, columns) bool."""
    return ~is_empty(Lines((line,)).cells(columns, rows).numpy())


def _shares(is_filled, normalize):
    """What one line adds to each cell: 1, or normalized an equal share of each column, rounded as the native layer does."""
    if not normalize:
        return is_filled
    n = np.maximum(is_filled.sum(0, dtype=np.int64), 1)
    return is_filled * ((LINE_ONE + n // 2) // n / LINE_ONE)


@dataclass(frozen=True)
class LinesOfChunk:
    """Counts the lines of a chunk: `WholeCounts`, or `CutLines` where they lie in several.

    Attributes
    ----------
    dtypes : tuple of str
        Of x, where it is in chunks, and y.
    chunks : tuple of tuple of int
    axis : int
    way : str
        As of `LineSet`.
    x : ndarray or None
        An x in memory, for all lines.
    columns, rows : LineAxis
    normalize : bool
    lines : slice or None
        Which of the lines of each chunk are counted, where they lie in several; None for all.
    """

    dtypes: tuple
    chunks: tuple
    axis: int
    way: str
    x: np.ndarray | None
    columns: tuple
    rows: tuple
    normalize: bool
    lines: slice | None = None

    def __call__(self, elements, index):
        chunks = tuple(elements) if isinstance(elements, Together) else (elements,)
        if len(self.chunks[self.axis]) == 1:
            lines = Lines((self._lines_of(chunks, index, self.axis),))
            return WholeCounts(counts_of(lines.cells(self.columns, self.rows, self.normalize)))
        places = list(_places(chunks[-1].shape, self.axis))[self.lines or slice(None)]
        lines = [self._lines_of([chunk[place] for chunk in chunks], index, 0) for place in places]
        filled = Filled.of(_filled(line, self.columns, self.rows) for line in lines)
        key = index[:self.axis] + index[self.axis + 1:]
        return CutLines({key: filled}, [(key, index[self.axis], np.stack([_ends(line) for line in lines]))])

    def _lines_of(self, chunks, index, axis):
        """The `LineSet` along an axis of the elements of a chunk, or of a part of them."""
        *xs, y = (described(chunk, dtype, index) for chunk, dtype in zip(chunks, self.dtypes, strict=True))
        if xs:
            return LineSet(y, axis, xs[0])
        begin, end = bounds(self.chunks[self.axis], index[self.axis])
        if self.x is None and len(self.chunks[self.axis]) == 1:
            return LineSet.of(y, axis)
        x = np.arange(begin, end, dtype=float) if self.x is None else self.x[begin:end]
        return LineSet(y, axis, describe(x), self.way, (float(x[0]), float(x[-1])))

    def together(self, found):
        """The joined results of all chunks, in order."""
        return type(found[0]).together(found)


def _places(shape, axis):
    """The index of each line in a chunk."""
    for place in np.ndindex(*shape[:axis], *shape[axis + 1:]):
        yield (*place[:axis], slice(None), *place[axis:])


def _ends(line):
    """x and y of the first and the last sample of one line: (x0, y0, x1, y1)."""
    x, y = (Series(source).take([0, line.length - 1]) for source in (line.x, line.y))
    return np.stack([x, y], axis=1).ravel()
