"""Facets: planes of a tensor shown as tiles of a grid, and the labels of its rows and columns."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from ...plane.picture_size import is_long
from ...plane.slice_text import position_text

# Most facets; more would be too small.
MAX_FACETS = 64
# Ratios of width to height: of a long plane as it is shown, the largest of one row of facets, and of a grid of facets that wrap. One column
# has as many facets at least before it wraps.
LONG_RATIO, WIDEST, USUAL_RATIO = 1.5, 8, 2.5
# Letters of a row's label for which there is room beside the picture.
MAX_LETTERS = 16
# The cost of empty tiles in the last row, as a logarithm of the grid's ratio.
BLANK_COST = 0.5


@dataclass(frozen=True)
class Facets:
    """Which planes are shown, and in what grid."""

    axes: tuple[int, ...]  # the facet axes: that of rows first
    counts: tuple[int, int]  # shown elements of the axes of rows and of columns
    sizes: tuple[int, int]  # all elements of them
    grid: tuple[int, int]  # rows and columns of tiles. A long axis wraps where it is the only one.

    @classmethod
    def of(cls, roles):
        """The facets of Roles; a single one without facet axes."""
        sizes = tuple(1 if axis is None else roles.axes.shape[axis] for axis in (roles.rows, roles.columns))
        counts = _fitting(*sizes)
        plane = tuple(1 if axis is None else roles.axes.shape[axis] for axis in (roles.y, roles.x))
        grid = counts if None not in (roles.rows, roles.columns) else _wrapped(counts, plane)
        return cls(tuple(axis for axis in (roles.rows, roles.columns) if axis is not None), counts, sizes, grid)

    def __len__(self):
        return self.counts[0] * self.counts[1]

    @property
    def is_wrapped(self):
        """Whether the facets of one axis go on in the next row, so that a row has several of its elements."""
        return self.grid != self.counts

    def indices(self, roles):
        """The index ``((axis, element), ...)`` of each facet, row by row."""
        sides = [[] if axis is None else [(axis, i) for i in range(count)]
                 for axis, count in zip((roles.rows, roles.columns), self.counts, strict=True)]
        return list(itertools.product(*(side for side in sides if side))) if self.axes else [()]

    def labels(self, roles, source):
        """``{"rows": [text], "columns": [text], "short": [text]}`` for the grid, short of columns without a name; None without facets."""
        if not self.axes:
            return None
        if self.is_wrapped:
            n, n_cols = len(self), self.grid[1]
            rows = [_label(roles, source, self.axes[0], range(first, min(first + n_cols, n))) for first in range(0, n, n_cols)]
            columns = [("", "")] * n_cols
        else:
            rows, columns = ([] if axis is None else [_label(roles, source, axis, [i]) for i in range(count)]
                             for axis, count in zip((roles.rows, roles.columns), self.counts, strict=True))
        return {"rows": _fitting_rows(rows), "columns": [text for text, _ in columns], "short": [short for _, short in columns]}

    @property
    def notice(self):
        """How many facets are left out, as text; "" for none."""
        n_all = self.sizes[0] * self.sizes[1]
        return "" if n_all == len(self) else f"showing {len(self)} of {n_all} facets"


def _fitting(n_rows, n_cols):
    """(rows, columns) of facets, at most MAX_FACETS in all, with at least 8 columns if there are as many."""
    n_cols_shown = min(n_cols, max(8, MAX_FACETS // max(n_rows, 1)))
    return min(n_rows, MAX_FACETS // max(n_cols_shown, 1)), n_cols_shown


def _wrapped(counts, plane):
    """Rows and columns for the facets of one axis, of a plane: as they are, or wrapped to the ratio of a screen where that is too long."""
    n, ratio = max(counts), LONG_RATIO if is_long(plane) else plane[1] / max(plane[0], 1)
    if not ratio or (counts[1] * ratio <= WIDEST * counts[0] and counts[0] <= WIDEST * max(1, ratio)):
        return counts

    def cost(n_cols):
        n_rows = -(-n // n_cols)
        n_blank = n_rows * n_cols - n
        return abs(math.log(n_cols * ratio / n_rows / USUAL_RATIO)) + (BLANK_COST + n_blank / n if n_blank else 0)

    n_cols = min(range(1, n + 1), key=cost)
    return -(-n // n_cols), n_cols


def _fitting_rows(labels):
    """Labels of rows, pairs (text, without the name): without names where one is too long, and cut at their end."""
    texts = [text for text, _ in labels]
    if all(len(text) <= MAX_LETTERS for text in texts):
        return texts
    return [short if len(short) <= MAX_LETTERS else short[:MAX_LETTERS - 1] + "…" for _, short in labels]


def _label(roles, source, axis, elements):
    """The label of one or several elements of an axis, and that without the axis' name: ``("layer 0…7", "0…7")``."""
    name = roles.axes.names[axis] if roles.axes.names else f"axis {axis}:"
    alone = "…".join(_element_alone(roles, source, axis, i) for i in dict.fromkeys((elements[0], elements[-1])))
    return f"{name} {alone}", alone


def element_text(roles, source, axis, i):
    """A label of one element of an axis, with its coordinate if it has one: ``"layer 3"`` or ``"axis 0: 3"``."""
    return _label(roles, source, axis, [i])[0]


def _element_alone(roles, source, axis, i):
    position = position_text(source, axis, i) if roles.axes.names else None
    return str(i) if position is None else position
