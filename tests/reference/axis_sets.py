"""Which elements of one axis a cell touches, owns and weighs."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

import numpy as np

from .lattice import AxisLattice, axis_edges


@dataclass(frozen=True)
class AxisCell:
    """One cell of one axis.

    touched, owned : range of element indices
    exact_weights : Fraction per touched element (1 each where the cell is not wider than an element)
    nearest : the element under the center, clipped to the axis; None in an empty cell
    is_nearest : the cell is not wider than an element and has that one element only
    is_empty : no element of the axis lies in the cell
    """

    touched: range
    owned: range
    exact_weights: tuple
    nearest: int | None
    is_nearest: bool
    is_empty: bool

    @cached_property
    def weights(self):
        """The weights as float64."""
        return np.array([float(w) for w in self.exact_weights], np.float64)


_EMPTY = range(0)


def _clipped(first, stop, n_elems):
    """The whole numbers first..stop-1 that are elements."""
    first, stop = max(first, 0), min(stop, n_elems)
    return range(first, stop) if first < stop else _EMPTY


def _overlap(elem, left, right):
    """How much of element `elem` lies in [left, right)."""
    return max(Fraction(0), min(Fraction(elem + 1), right) - max(Fraction(elem), left))


def _weights(touched, left, right):
    """How much of each touched element lies in [left, right): all of those between the first and the last."""
    ends = [_overlap(elem, left, right) for elem in (touched[0], touched[-1])]
    return (ends[0], *[Fraction(1)] * (len(touched) - 2), ends[1]) if len(touched) > 1 else (ends[0],)


def _axis_cell(n_elems, left, right, center, is_nearest):
    if n_elems == 0 or left is None or right is None or right <= 0 or left >= n_elems:
        return AxisCell(_EMPTY, _EMPTY, (), None, is_nearest, True)
    nearest = min(max(floor(center), 0), n_elems - 1)
    if is_nearest:
        one = range(nearest, nearest + 1)
        return AxisCell(one, one, (Fraction(1),), nearest, True, False)
    touched = _clipped(floor(left), ceil(right), n_elems)
    owned = _clipped(floor(left), floor(right), n_elems)
    return AxisCell(touched, owned, _weights(touched, left, right), nearest, False, False)


def cells_of(lattice: AxisLattice):
    """The cells of a lattice, in display order (that is, reversed if the view was)."""
    cells = [
        _axis_cell(lattice.n_elems, left, right, center, is_nearest)
        for left, right, center, is_nearest in zip(
            lattice.edges, lattice.edges[1:], lattice.centers, lattice.nearest
        )
    ]
    return cells[::-1] if lattice.is_reversed else cells


def axis_cells(n_elems, u0, u1, n_cells):
    """The cells of n_cells equal steps from element coordinate u0 to u1, in display order."""
    return cells_of(axis_edges(n_elems, u0, u1, n_cells))
