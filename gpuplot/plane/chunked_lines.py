"""Lines over an array in chunks: counted where the chunks are read, and joined so that a line in several chunks counts once a cell."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from .. import _native
from ..arrays.chunk_elements import described
from ..arrays.chunked_source import ChunkedSource
from ..arrays.chunks_together import Together, together
from ..arrays.describe import describe
from ..errors import UnsupportedError
from .chunk_grid import bounds, in_tiles
from .chunk_work import limits_of_chunks
from .lines import LINE_ONE, Lines, LineSet, counts_of
from .series import Series

# Lines that lie in several chunks along their axis each need a bit of every cell, which is sent from every chunk.
MAX_CUT_LINES = 64

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
            x and y lie in different chunks, or many lines lie in several.
        """
        y.check_complete()
        if isinstance(x, ChunkedSource) or (x is not None and x.ndim > 1):
            together({"x": x, "y": y})
            lines = cls(y, axis, x)
        else:
            lines = super().of(y, axis, x)
        if lines.is_cut and lines.n_lines > MAX_CUT_LINES:
            said = y.advice
            raise UnsupportedError(f"{lines.n_lines:,} lines lie in several {said.pieces} along axis {axis}, at most {MAX_CUT_LINES} are "
                                   f"joined: {said.together.format(axis=axis)}")
        return lines

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
        """The number of lines through each cell, (rows, columns) float64: one pass over the chunks that the columns show."""
        is_paired = isinstance(self.x, ChunkedSource)
        x = None if is_paired or self.x is None else Series(self.x).gather(0, self.length)
        source = together({"x": self.x, "y": self.y}) if is_paired else self.y
        dtypes = (self.x.dtype, self.y.dtype) if is_paired else (self.y.dtype,)
        work = LinesOfChunk(dtypes, self.y.chunks, self.axis, self.way, x, columns, rows, normalize)
        tiles = in_tiles(*self._needed(columns, x))
        found = source.run(tiles, work, work.together) if tiles else []
        return work.together(found).counts(columns, rows, normalize) if found else np.zeros((rows.n_cells, columns.n_cells))

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


@dataclass
class CutLines:
    """Cells of lines that lie in several chunks.

    Attributes
    ----------
    bits : dict of tuple to ndarray
        Index of the chunks of the same lines, without `axis` -> which cells each line fills, packed, (lines, bytes).
    ends : list of (tuple, int, ndarray)
        The same index, the index along `axis`, and x and y of the first and the last sample of each line there, (lines, 4).
    """

    bits: dict
    ends: list

    @classmethod
    def together(cls, found):
        """Those of all chunks: a line fills what one of its parts fills."""
        bits = {}
        for one in found:
            for key, packed in one.bits.items():
                bits[key] = bits[key] | packed if key in bits else packed
        return cls(bits, [end for one in found for end in one.ends])

    def counts(self, columns, rows, normalize):
        """The number of lines through each cell, with the strokes from each chunk to the next."""
        counts = np.zeros((rows.n_cells, columns.n_cells))
        for key, packed in self.bits.items():
            ends = sorted(((k, ends) for where, k, ends in self.ends if where == key), key=lambda one: one[0])
            for line, cells in enumerate(packed):
                is_filled = np.unpackbits(cells, count=counts.size).view(bool).reshape(counts.shape)
                counts += _shares(is_filled | _strokes([(k, one[line]) for k, one in ends], columns, rows), normalize)
        return counts


def _strokes(ends, columns, rows):
    """Which cells the strokes between neighboring chunks fill; `ends` are (index along the axis, x and y of first and last sample)."""
    gap = [np.nan, np.nan]
    joined = [(before[2:], after[:2], gap) for (k, before), (next_k, after) in itertools.pairwise(ends) if next_k == k + 1]
    x, y = np.array(joined, float).reshape(-1, 2).T.copy()
    return _filled(LineSet(describe(y), 0, describe(x)), columns, rows)


def _filled(line, columns, rows):
    """Which cells one line fills, (rows, columns) bool."""
    return counts_of(Lines((line,)).cells(columns, rows)) > 0


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
    """

    dtypes: tuple
    chunks: tuple
    axis: int
    way: str
    x: np.ndarray | None
    columns: tuple
    rows: tuple
    normalize: bool

    def __call__(self, elements, index):
        chunks = tuple(elements) if isinstance(elements, Together) else (elements,)
        if len(self.chunks[self.axis]) == 1:
            lines = Lines((self._lines_of(chunks, index, self.axis),))
            return WholeCounts(counts_of(lines.cells(self.columns, self.rows, self.normalize)))
        lines = [self._lines_of([chunk[place] for chunk in chunks], index, 0) for place in _places(chunks[-1].shape, self.axis)]
        bits = np.stack([np.packbits(_filled(line, self.columns, self.rows)) for line in lines])
        key = index[:self.axis] + index[self.axis + 1:]
        return CutLines({key: bits}, [(key, index[self.axis], np.stack([_ends(line) for line in lines]))])

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
