"""Points to cells, point by point: which cell each lies in, and what the values in a cell come to."""

import math

import numpy as np

from .cells import EMPTY, MARK_VALUES, VALUE, Block, Cells, _aggregate, mark_of
from .tolerances import cell_tolerance

__all__ = ["bin_points", "point_cell"]


def point_cell(x, first, last, n_cells, edges=None):
    """The number of the cell that holds a coordinate, None for what lies outside of the closed range or is not a number."""
    if not first <= x <= last:
        return None
    if edges is not None:
        return min(n_cells - 1, sum(edge <= x for edge in edges) - 1)
    return min(n_cells - 1, math.floor(((x - first) * n_cells) / (last - first)))


def bin_points(x, y, values, x_axis, y_axis, agg="count", nan="show"):
    """What the points in each cell come to.

    Parameters
    ----------
    x, y : sequences of float64
    values : sequence of float64, or None to count the points themselves
    x_axis, y_axis : (first, last, n_cells, edges or None)
    agg, nan : as in `reduce_cells`

    Returns
    -------
    Cells
        Row 0 is that of the smallest y.
    int
        How many points lie in no cell.
    """
    shape = (y_axis[2], x_axis[2])
    members = {}
    n_outside = 0
    for i, (a, b) in enumerate(zip(np.ravel(x), np.ravel(y), strict=True)):
        at = point_cell(b, *y_axis), point_cell(a, *x_axis)
        if None in at:
            n_outside += 1
        else:
            members.setdefault(at, []).append(1.0 if values is None else float(np.ravel(values)[i]))
    empty = 0.0 if agg in ("count", "sum") else np.nan
    cells = Cells(np.full(shape, empty), np.full(shape, EMPTY), np.zeros(shape), agg)
    for at, held in members.items():
        _fill(cells, at, np.array(held), nan)
    return cells, n_outside


def _fill(cells, at, values, nan):
    mark = mark_of(values, nan)
    cells.kinds[at] = mark
    if mark != VALUE:
        cells.values[at] = MARK_VALUES[mark]
        return
    block = Block(values, None, None, False)  # all of weight 1
    is_counted = cells.agg == "count"
    cells.values[at] = float(np.isfinite(values).sum()) if is_counted else _aggregate(block, cells.agg) + 0.0
    cells.tolerances[at] = 0.0 if is_counted else cell_tolerance(cells.agg, cells.values[at], block)
