"""The cells that a frozen image of points or lines keeps in place of its tensors; other views sample these cells."""

from dataclasses import dataclass

import numpy as np

from ... import _native
from ...plane.frame import EMPTY
from ...plane.points import PointAxis


@dataclass(frozen=True)
class FrozenCells:
    """The cells of an image when it was frozen: row 0 at the bottom of the picture, column 0 on its left."""

    # Coordinates of the cells, and whether x falls towards the right and y towards the top.
    columns: PointAxis
    rows: PointAxis
    is_falling: tuple
    values: np.ndarray
    # (rows, columns, 3) uint8 where the points have classes.
    colors: np.ndarray | None
    n_outside: int
    # The number of points in each cell, where it makes values more or less opaque.
    counts: np.ndarray | None = None

    def cells(self, columns, rows, is_falling):
        """(Cells, colors or None, Cells of counts or None) of another view.

        Each cell has the value of the kept cell at its center; outside it is empty.
        """
        across, is_across = _nearest(self.columns, self.is_falling[0], columns, is_falling[0])
        up, is_up = _nearest(self.rows, self.is_falling[1], rows, is_falling[1])
        is_inside, there = np.logical_and.outer(is_up, is_across), np.ix_(up, across)
        values, counts = (None if kept is None else _native.Cells.from_array(np.where(is_inside, kept[there], EMPTY))
                          for kept in (self.values, self.counts))
        return values, None if self.colors is None else self.colors[there], counts


def _nearest(axis, is_falling, other, is_other_falling):
    """For each cell of `other`: the index of the cell of `axis` at its center, and whether there is one."""
    edges, ends = _edges(axis), _edges(other)
    centers = (ends[1:] + ends[:-1]) / 2
    if is_other_falling:
        centers = centers[::-1]
    numbers = np.searchsorted(edges, centers, side="right") - 1
    is_inside = (numbers >= 0) & (numbers < axis.n_cells)
    numbers = np.clip(numbers, 0, axis.n_cells - 1)
    return (axis.n_cells - 1 - numbers if is_falling else numbers), is_inside


def _edges(axis):
    return np.linspace(axis.first, axis.last, axis.n_cells + 1) if axis.edges is None else axis.edges
