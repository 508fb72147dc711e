"""Parts of lines, counted where their chunk is read: the cells that each part fills, and what its neighbors have to know of its ends.

A line whose x rises or falls fills all rows of a column from its lowest to its highest place, also where samples are missing between
parts. A part thus keeps two rows more, for what is below and above the grid, and the whole is filled when its parts are joined. Where x
goes neither way nothing is filled between strokes; whether it does is only known of the whole line, so parts with an x of their own go
stroke by stroke.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import _native
from ..arrays.chunk_elements import described
from ..arrays.chunks_together import Together
from ..arrays.describe import describe
from .chunk_grid import bounds
from .frame import is_empty
from .lines import LINE_ONE, Lines, LineSet, cells_of, counts_of
from .series import Series


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
    def of(cls, cells):
        """For the cells of each line, an iterable of (rows + 2, columns) bool."""
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

    def cells(self, line, n_columns):
        """The cells of a line, (rows + 2, columns) bool."""
        bits = np.zeros((self.bits.shape[1], -(-n_columns // 8)), np.uint8)
        bits[:, self.first:self.first + self.bits.shape[2]] = self.bits[line]
        return np.unpackbits(bits, axis=1, count=n_columns).view(bool)


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


@dataclass
class CutLines:
    """Cells of lines that lie in several chunks.

    Attributes
    ----------
    filled : dict of tuple to Filled
        By the index of the chunks of the same lines, without `axis`.
    ends : list of (tuple, int, LineEnds)
        The same index, and the index along `axis`.
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
            is_sorted = _are_sorted([one for _, one in ends], columns)
            for line in range(len(filled.bits)):
                strokes = _strokes([(k, one.samples[line]) for k, one in ends], columns, rows)
                cells = filled.cells(line, columns.n_cells) | strokes
                counts += _shares(_inside(cells, is_sorted[line]), normalize)
        return counts


def _are_sorted(ends, columns):
    """For each line whether x rises, or falls, within all its parts and from each of them to the next."""
    x = np.stack([one.samples[:, ::2] for one in ends])  # (parts, lines, 2)
    first, last = np.moveaxis(_native.line_places(x.ravel(), tuple(columns)).reshape(x.shape), 2, 0)
    rises = np.all([one.rises for one in ends], 0) & (last[:-1] <= first[1:]).all(0)
    falls = np.all([one.falls for one in ends], 0) & (last[:-1] >= first[1:]).all(0)
    return rises | falls


def _inside(cells, is_sorted):
    """The cells inside the grid, of those of a whole line with the rows outside; a sorted line fills all from its lowest to its highest."""
    if is_sorted:
        cells = np.logical_or.accumulate(cells) & np.logical_or.accumulate(cells[::-1])[::-1]
    return cells[1:-1]


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
        places = list(_places(chunks[-1].shape, self.axis))[self.lines or slice(None)]
        lines = [self._lines_of([chunk[place] for chunk in chunks], index, 0) for place in places]
        filled = Filled.of(_filled(line, self.columns, self.rows) for line in lines)
        key = index[:self.axis] + index[self.axis + 1:]
        return CutLines({key: filled}, [(key, index[self.axis], LineEnds.of(lines, [self._ways(line) for line in lines]))])

    def _ways(self, line):
        """(whether the places of a line's x rise, whether they fall); an x for all lines goes its way everywhere."""
        return ways_of_places(line.x, self.columns) if self.way == "unknown" else (self.way == "rises", self.way == "falls")

    def _lines_of(self, chunks, index, axis):
        """The `LineSet` along an axis of the elements of a chunk, or of a part of them."""
        *xs, y = (described(chunk, dtype, index) for chunk, dtype in zip(chunks, self.dtypes, strict=True))
        if xs:
            return LineSet(y, axis, xs[0], "unknown" if len(self.chunks[self.axis]) == 1 else "neither")
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


def ways_of_places(x, columns):
    """(whether the places of an x in columns rise, whether they fall), neither if one has no place."""
    series = Series(x)
    places = _native.line_places(series.take(np.arange(series.length)), tuple(columns))
    return Series(describe(places)).ways()
