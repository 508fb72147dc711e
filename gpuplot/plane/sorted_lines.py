"""Lines over one x that rises or falls, in several chunks: the first and the last row that each part fills of a column.

Such a line fills all rows of a column from its lowest to its highest place. A part keeps what is below and above the grid as rows, too, so
that the rows of the whole line are those from the first to the last one of all its parts, and of the strokes between them.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from .. import _native
from ..arrays.describe import describe
from .gather import gather_box
from .lines import LINE_ONE, LineSet

# A column that a line fills no row of has these as its first and last row.
_NO_ROWS = np.array([np.iinfo(np.int32).max, -1], np.int32)

# Bytes for each column of a line.
BYTES_OF_COLUMN = _NO_ROWS.nbytes

# Cells of lines times columns that are counted together.
_COUNTED_TOGETHER = 2**20


@dataclass
class FilledRows:
    """Which rows each of some sorted lines fills of neighboring columns; it fills none of others.

    Attributes
    ----------
    first : int
        The first of the columns.
    rows : ndarray (lines, columns, 2) int32
        The first and the last row, the last below the first where there is none. Row 0 is below the grid, the last one above it.
    """

    first: int
    rows: np.ndarray

    @classmethod
    def of(cls, lines, columns, rows, which=None):
        """Those of `sorted_lines`, or of ``which`` (a slice) of them."""
        begin, end = _touched(lines.x_ends, columns)
        first, stop, _ = (which or slice(None)).indices(lines.n_lines)
        with lines.x.borrow() as x, lines.y.borrow() as y:
            planes = lines.planes(x, y, columns)
            return cls(begin, _native.line_rows(planes, tuple(columns), tuple(rows), (first, max(first, stop)), (begin, end)))

    @classmethod
    def together(cls, parts):
        """What parts of the same lines fill."""
        if len(parts) == 1:
            return parts[0]
        first, stop = min(part.first for part in parts), max(part.first + part.rows.shape[1] for part in parts)
        whole = cls(first, np.tile(_NO_ROWS, (len(parts[0].rows), stop - first, 1)))
        for part in parts:
            rows = whole.rows[:, part.first - first:part.first - first + part.rows.shape[1]]
            np.minimum(rows[..., 0], part.rows[..., 0], out=rows[..., 0])
            np.maximum(rows[..., 1], part.rows[..., 1], out=rows[..., 1])
        return whole

    def counts(self, ends, columns, rows, normalize):
        """The number of lines through each cell; `ends` are (index of the chunk, `LineEnds`) of each part, in order."""
        joined = [_stroke(before, after) for (k, before), (next_k, after) in itertools.pairwise(ends) if next_k == k + 1]
        whole = FilledRows.together([self, *(FilledRows.of(stroke, columns, rows) for stroke in joined)])
        counts, n_columns = np.zeros((rows.n_cells, columns.n_cells)), whole.rows.shape[1]
        step = max(1, _COUNTED_TOGETHER // max(n_columns, 1))
        for line in range(0, len(whole.rows), step):
            counts[:, whole.first:whole.first + n_columns] += _counted(whole.rows[line:line + step], rows.n_cells, normalize)
        return counts


def sorted_lines(y, axis, x, way):
    """The `LineSet` of all lines along an axis of a Source, one behind the other in host memory, over an x that rises or falls."""
    elements = y.array if y.device is None and y.array is not None else gather_box(y, [range(size) for size in y.shape])
    lines = np.moveaxis(elements, axis, -1).reshape(-1, elements.shape[axis])
    return LineSet(describe(lines), 1, describe(x), way, (float(x[0]), float(x[-1])))


def _stroke(before, after):
    """The `LineSet` of the strokes from the last samples of some lines in one chunk to their first ones in the next."""
    x = np.array([before.samples[0, 2], after.samples[0, 0]])
    return sorted_lines(describe(np.stack([before.samples[:, 3], after.samples[:, 1]], 1)), 1, x, "rises" if before.rises[0] else "falls")


def _touched(x_ends, columns):
    """The columns, from the first to behind the last, that samples of a sorted x may touch; one on a border touches both beside it."""
    low, high = sorted(_native.line_places(x_ends, tuple(columns)))
    begin = max(min(math.floor(low) - 1, columns.n_cells - 1), 0)
    return begin, min(max(math.floor(high) + 1, begin + 1), columns.n_cells)


def _counted(rows, n_rows, normalize):
    """The number of lines in each cell of columns, from (lines, columns, 2) rows: each adds at its first, subtracts after its last."""
    first, last = np.maximum(rows[..., 0], 1) - 1, np.minimum(rows[..., 1], n_rows)  # inside of the grid, `last` behind the last one
    lines, column = np.nonzero(first < last)
    first, last, n_columns = first[lines, column], last[lines, column], rows.shape[1]
    n = (last - first).astype(np.int64)
    weights = (LINE_ONE + n // 2) // n if normalize else np.ones(len(n))
    size = (n_rows + 1) * n_columns
    steps = np.bincount(first * n_columns + column, weights, size) - np.bincount(last * n_columns + column, weights, size)
    return steps.reshape(n_rows + 1, n_columns).cumsum(0)[:-1] / (LINE_ONE if normalize else 1)
