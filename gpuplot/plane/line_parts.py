"""Parts of lines, counted where their chunk is read: the cells that each part fills, and what its neighbors have to know of its ends.

Lines over one x that rises or falls are those of `sorted_lines`. Here are the others: where x goes neither way nothing is filled between
strokes, and of lines that each have an x of their own it is only known of the whole line whether that rises or falls, so each part goes
stroke by stroke. It keeps two rows more, for what is below and above the grid: a line that does rise or fall fills all rows of a column
from its lowest to its highest place, also where samples are missing between parts, which is done when its parts are joined.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .. import _native
from ..arrays.chunk_elements import source_of_chunk
from ..arrays.chunks_together import Together
from ..arrays.describe import describe
from .chunks.chunk_grid import bounds
from .frame import is_empty
from .gather import gather_box
from .lines import LINE_ONE, SORTED, LineAxis, Lines, LineSet, cells_of, counts_of
from .series import Series
from .sorted_lines import FilledRows, sorted_lines

# Places up to this one are exact when a number of columns is subtracted.
MAX_EXACT_PLACE = 2.0**40


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
class Filled:
    """Which cells each of some lines fills, in neighboring columns; it fills none in others.

    Attributes
    ----------
    first : int
        The first of the columns, by eight.
    bits : ndarray (lines, rows + 2, bytes) uint8
        A bit for each column; the first and the last row are what is below and above the others.
    """

    first: int
    bits: np.ndarray

    @classmethod
    def of(cls, parts):
        """For each line, an iterable of its first column and its cells in the columns from there on, (rows + 2, columns) bool."""
        # Packed one by one: they are eight times as large before.
        packed = [(first // 8, np.packbits(np.pad(cells, ((0, 0), (first % 8, 0))), axis=1)) for first, cells in parts]
        first, stop = min(first for first, _ in packed), max(first + bits.shape[1] for first, bits in packed)
        whole = np.zeros((len(packed), len(packed[0][1]), stop - first), np.uint8)
        for line, (begin, bits) in zip(whole, packed, strict=True):
            line[:, begin - first:begin - first + bits.shape[1]] = bits
        used = np.flatnonzero(whole.any(axis=(0, 1)))
        begin, end = (int(used[0]), int(used[-1]) + 1) if len(used) else (0, 0)
        return cls(first + begin, whole[..., begin:end].copy())

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

    def counts(self, ends, columns, rows, normalize):
        """The number of lines through each cell; `ends` are (index of the chunk, `LineEnds`) of each part, in order."""
        counts, is_sorted = np.zeros((rows.n_cells, columns.n_cells)), _are_sorted([one for _, one in ends], columns)
        for line in range(len(self.bits)):
            strokes = np.packbits(_strokes([(k, one.samples[line]) for k, one in ends], columns, rows), axis=1)
            bits = _inside(self._of_line(line, strokes.shape[1]) | strokes, is_sorted[line])
            counts += _shares(np.unpackbits(bits, axis=1, count=columns.n_cells).view(bool), normalize)
        return counts

    def _of_line(self, line, n_bytes):
        """The bits of a line in all columns, (rows + 2, bytes)."""
        bits = np.zeros((self.bits.shape[1], n_bytes), np.uint8)
        bits[:, self.first:self.first + self.bits.shape[2]] = self.bits[line]
        return bits


class LineEnds(NamedTuple):
    """What the neighbors of a part of some lines have to know of it.

    Attributes
    ----------
    samples : ndarray (lines, 4)
        x and y of the first and of the last sample.
    rises, falls : ndarray (lines,) bool
        Which way the places of all x go.
    """

    samples: np.ndarray
    rises: np.ndarray
    falls: np.ndarray

    @classmethod
    def of(cls, lines, ways):
        """Those of some lines with ``(rises, falls)`` of each."""
        rises, falls = np.array(ways, bool).T
        return cls(np.stack([_ends(line) for line in lines]), rises, falls)

    @classmethod
    def of_sorted(cls, lines, which=None):
        """Those of `sorted_lines`, or of ``which`` (a slice) of them."""
        y = gather_box(lines.y, [range(lines.n_lines)[which or slice(None)], range(0, lines.length, max(lines.length - 1, 1))])
        y = np.ma.filled(y.astype(float), np.nan)
        first, last = (np.full(len(y), x) for x in lines.x_ends)
        is_rising = np.full(len(y), lines.way == "rises")
        return cls(np.stack([first, y[:, 0], last, y[:, -1]], 1), is_rising, ~is_rising)


@dataclass
class CutLines:
    """Cells of lines that lie in several chunks.

    Attributes
    ----------
    filled : dict of tuple to Filled or FilledRows
        By the index of the chunks of the same lines, without `axis`.
    ends : list of (tuple, int, LineEnds)
        The same index, and the index along `axis` among the chunks that have elements.
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
        return cls({key: type(same[0]).together(same) for key, same in parts.items()}, [end for one in found for end in one.ends])

    def counts(self, columns, rows, normalize):
        """The number of lines through each cell, with the strokes from each chunk to the next."""
        counts = np.zeros((rows.n_cells, columns.n_cells))
        for key, filled in self.filled.items():
            ends = sorted(((k, ends) for where, k, ends in self.ends if where == key), key=lambda one: one[0])
            counts += filled.counts(ends, columns, rows, normalize)
        return counts


def _are_sorted(ends, columns):
    """For each line whether x rises, or falls, within all its parts and from each of them to the next."""
    x = np.stack([one.samples[:, ::2] for one in ends])  # (parts, lines, 2)
    first, last = np.moveaxis(_native.line_places(x.ravel(), tuple(columns)).reshape(x.shape), 2, 0)
    rises = np.all([one.rises for one in ends], 0) & (last[:-1] <= first[1:]).all(0)
    falls = np.all([one.falls for one in ends], 0) & (last[:-1] >= first[1:]).all(0)
    return rises | falls


def _inside(bits, is_sorted):
    """The bits inside the grid, of those of a whole line with the rows outside; a sorted line fills all from its lowest to its highest."""
    if is_sorted:
        bits = np.bitwise_or.accumulate(bits) & np.bitwise_or.accumulate(bits[::-1])[::-1]
    return bits[1:-1]


def _strokes(ends, columns, rows):
    """Which cells the strokes between neighboring chunks fill; `ends` are (index along the axis, x and y of first and last sample)."""
    gap = [np.nan, np.nan]
    joined = [(before[2:], after[:2], gap) for (k, before), (next_k, after) in itertools.pairwise(ends) if next_k == k + 1]
    x, y = np.array(joined, float).reshape(-1, 2).T.copy()
    return _filled(LineSet(describe(y), 0, describe(x), "neither"), columns, rows)


def _filled(line, columns, rows):
    """Which cells one line fills, and whether it is below and above these, (rows + 2, columns) bool."""
    return ~is_empty(cells_of((line,), columns, rows, has_outside=True).numpy())


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
        filled, ends = self._sorted(chunks[-1], index) if self.way in SORTED else self._one_by_one(chunks, index)
        key = index[:self.axis] + index[self.axis + 1:]
        n_before = sum(size > 0 for size in self.chunks[self.axis][:index[self.axis]])
        return CutLines({key: filled}, [(key, n_before, ends)])

    def _sorted(self, elements, index):
        """(FilledRows, LineEnds) of lines over one x that rises or falls."""
        y = source_of_chunk(elements, self.dtypes[-1], index)
        lines = sorted_lines(y, self.axis, self._x_of(index), self.way)
        return FilledRows.of(lines, self.columns, self.rows, self.lines), LineEnds.of_sorted(lines, self.lines)

    def _one_by_one(self, chunks, index):
        """(Filled, LineEnds) of lines whose x goes neither way, or has to be read."""
        places = list(_places(chunks[-1].shape, self.axis))[self.lines or slice(None)]
        lines = [self._lines_of([chunk[place] for chunk in chunks], index, 0) for place in places]
        shared = None if self.way == "unknown" else placed(lines[0].x, self.columns)
        filled = Filled.of(self._filled(line, shared or placed(line.x, self.columns)) for line in lines)
        return filled, LineEnds.of(lines, [self._ways(line) for line in lines])

    def _filled(self, line, part):
        """(the first column of a part of a line, the cells that it fills from there on); `part` is `placed`."""
        x, columns, first = part
        return first, _filled(replace(line, x=x, x_ends=(0.0, 0.0)), columns, self.rows)

    def _ways(self, line):
        """(whether the places of a line's x rise, whether they fall); an x for all lines that gets here goes neither way."""
        return ways_of_places(line.x, self.columns) if self.way == "unknown" else (False, False)

    def _lines_of(self, chunks, index, axis):
        """The `LineSet` along an axis of the elements of a chunk, or of a part of them."""
        *xs, y = (source_of_chunk(chunk, dtype, index) for chunk, dtype in zip(chunks, self.dtypes, strict=True))
        if xs:
            return LineSet(y, axis, xs[0], "unknown" if len(self.chunks[self.axis]) == 1 else "neither")
        if self.x is None and len(self.chunks[self.axis]) == 1:
            return LineSet.of(y, axis)
        x = self._x_of(index)
        return LineSet(y, axis, describe(x), self.way, (float(x[0]), float(x[-1])))

    def _x_of(self, index):
        """The x of the samples of a chunk, for all its lines."""
        begin, end = bounds(self.chunks[self.axis], index[self.axis])
        return np.arange(begin, end, dtype=float) if self.x is None else self.x[begin:end]

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


def ways_of_places(x, columns):
    """(whether the places of an x in columns rise, whether they fall), neither if one has no place."""
    return Series(describe(_places_of(x, columns))).ways()


def _places_of(x, columns):
    series = Series(x)
    return _native.line_places(series.take(np.arange(series.length)), tuple(columns))


def placed(x, columns):
    """The x of a part of a line, in those columns alone that it touches.

    Their number is a power of two, so that an x that is a place already has this very place, to the last bit; columns are left out
    on the left by subtracting their number, which is exact, too.

    Returns
    -------
    x : Source
    columns : LineAxis
    first : int
        The first of these among the given columns.
    """
    places, n = _places_of(x, columns), columns.n_cells
    low, high = float(np.fmin.reduce(places)), float(np.fmax.reduce(places))
    if math.isnan(low) or high > MAX_EXACT_PLACE:
        return x, columns, 0
    begin = max(min(math.floor(low) - 1, n - 1), 0)  # a stroke that begins on the border of a column fills the one before, too
    end = min(max(math.floor(high) + 1, begin + 1), n)
    width = 1 << (end - begin - 1).bit_length()
    if width >= n:
        return x, columns, 0
    first = min(begin, n - width)
    return describe(places - first), LineAxis(0.0, float(width), width), first
