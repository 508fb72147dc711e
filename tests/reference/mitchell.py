"""Means by Mitchell's filter, where an axis has 1 to 1.25 elements a cell and nobody chose an aggregation."""

import math

import numpy as np

from .axis_sets import axis_cells
from .cells import EMPTY, MARK_VALUES, VALUE, Cells, mark_of, reduce_cells
from .tolerances import CANCELLED, RELATIVE

MOST_ELEMENTS = 1.25
LEAST_WEIGHT = 0.25
LEAST_PART = 1e-9


def mitchell(x):
    """The piecewise cubic with B = C = 1/3."""
    x = abs(x)
    if x < 1:
        return (7 * x**3 - 12 * x**2 + 16 / 3) / 6
    return (-7 / 3 * x**3 + 12 * x**2 - 20 * x + 32 / 3) / 6 if x < 2 else 0.0


def is_sharp(n_elems, u0, u1, n_cells):
    """Whether an axis is filtered."""
    size = abs(u1 - u0)
    return n_cells > 0 and size > n_cells + n_elems * 2.0**-46 and size <= MOST_ELEMENTS * n_cells


def weights_of(n_elems, u0, u1, n_cells):
    """For each cell of an axis the weight of every element that has one, and the elements that it covers."""
    low, high = min(u0, u1), max(u0, u1)
    width, found = (high - low) / n_cells, []
    for p in range(n_cells):
        a, b = (_snapped(low + edge * (high - low) / n_cells, n_elems) for edge in (p, p + 1))
        weights = {j: mitchell((j + 0.5 - (a + b) / 2) / width) for j in range(n_elems)}
        if sum(weights.values()) <= LEAST_WEIGHT * width:
            weights = {j: max(0.0, min(j + 1, b) - max(j, a)) for j in range(n_elems)}
        touched = range(max(0, math.floor(a)), min(n_elems, math.ceil(b)))
        total = sum(weights.values()) or 1.0
        found.append(({j: w / total for j, w in weights.items() if abs(w / total) >= LEAST_PART}, touched))
    return found[::-1] if u0 > u1 else found


def _snapped(edge, n_elems):
    return float(round(edge)) if abs(edge - round(edge)) <= n_elems * 2.0**-46 else edge


def sharp_cells(plane, shape, view, nan, errors=None):
    """The Cells of a plane along whose axes some are filtered, or None where none is."""
    view = [(0, n) for n in plane.shape] if view is None else view
    asked = [is_sharp(n, *ends, n_cells) for n, ends, n_cells in zip(plane.shape, view, shape)]
    if not any(asked) or 0 in plane.shape:
        return None
    axes = [axis_cells(n, 0, n, n) if sharp else axis_cells(n, *ends, n_cells)
            for sharp, n, ends, n_cells in zip(asked, plane.shape, view, shape)]
    inner = reduce_cells(plane, *axes, "mean", nan, errors)
    parts = [weights_of(n, *ends, n_cells) if sharp else [({i: 1.0}, range(i, i + 1)) for i in range(n_cells)]
             for sharp, n, ends, n_cells in zip(asked, plane.shape, view, shape)]
    cells = Cells(np.full(shape, np.nan), np.full(shape, EMPTY), np.zeros(shape), "mean")
    for at in np.ndindex(*shape):
        _filter_into(cells, at, inner, *(part[i] for part, i in zip(parts, at)), nan)
    return cells


def _filter_into(cells, at, inner, row, col, nan):
    touched = [(i, j) for i in row[1] for j in col[1] if inner.kinds[i, j] != EMPTY]
    if not touched:
        return
    mark = mark_of([inner.values[place] for place in touched], nan)
    if mark != VALUE:
        cells.values[at], cells.kinds[at] = MARK_VALUES[mark], mark
        return
    weights = {(i, j): wy * wx for i, wy in row[0].items() for j, wx in col[0].items() if inner.kinds[i, j] == VALUE}
    total = sum(weights.values())
    if total <= LEAST_WEIGHT:
        finite = [place for place in touched if inner.kinds[place] == VALUE]
        value = math.fsum(inner.values[place] for place in finite) / len(finite)
    else:
        value = math.fsum(w * inner.values[place] for place, w in weights.items()) / total
    there = [inner.values[place] for place in weights]
    size = math.fsum(abs(w * inner.values[place]) for place, w in weights.items()) / max(total, LEAST_WEIGHT)
    cells.values[at] = min(max(value, min(there)), max(there)) if there else value
    cells.kinds[at] = VALUE
    cells.tolerances[at] = max(RELATIVE * abs(value), CANCELLED * size) + max(inner.tolerances[place] for place in touched)
