"""Partial results of cells: a reduction that stops before its end, so that pieces of a plane can be joined to the whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _native
from .reduce import _plane, native_nan

__all__ = ["STATE", "PartialCells", "reduce_piece"]

# One cell: sums, extremes or moments of its finite elements (native/core/cell_state.h), and the GP_HAS_* bits of all.
STATE = np.dtype([("a", "f8"), ("b", "f8"), ("c", "f8"), ("has", "u8")])


@dataclass
class PartialCells:
    """What the elements of one piece of a plane, or of several, add to the cells of a window.

    Attributes
    ----------
    agg : str
        Another aggregation of the same kind of partial result may finish them: mean and sum, max, min, absmax and range, std and
        var.
    states : ndarray of STATE, shape (rows, columns)
        In the direction of growing index.
    place : (int, int)
        Which cell of the window the first one is.
    order : {"f64", "i64", "u64"}
        What extremes are compared as: 64-bit integers are exact until they end.
    """

    agg: str
    states: np.ndarray
    place: tuple[int, int] = (0, 0)
    order: str = "f64"

    @classmethod
    def of_nothing(cls, agg, shape):
        """The cells of a whole window before anything is joined."""
        states = np.zeros(shape, STATE)
        states["a"], states["b"] = _START.get(agg, (0.0, 0.0))
        return cls(agg, states, order="")

    def join(self, other):
        """Adds what another piece gives, whose cells lie within these; in the order of calls, which last bits of sums depend on."""
        if other.agg != self.agg:
            raise ValueError(f"partial results of agg={self.agg!r} and {other.agg!r} cannot be joined")
        row, col = other.place[0] - self.place[0], other.place[1] - self.place[1]
        n_rows, n_cols = other.states.shape
        if min(row, col) < 0 or row + n_rows > self.states.shape[0] or col + n_cols > self.states.shape[1]:
            raise ValueError(f"cells {other.place} to {(other.place[0] + n_rows, other.place[1] + n_cols)} lie outside of these")
        theirs = self._in_one_order(other)
        here = self.states[row:row + n_rows, col:col + n_cols]
        joined = np.ascontiguousarray(here)
        _native.join_states(self.agg, joined, theirs)
        here[...] = joined

    def _in_one_order(self, other):
        """The other's states in an order that both have, which is made float64's where the two differ."""
        theirs = np.array(other.states, STATE)
        self.order = self.order or other.order
        if self.order != other.order:
            _native.round_states(self.order, self.states)
            _native.round_states(other.order, theirs)
            self.order = "f64"
        return theirs

    def finish(self, agg=None, nan="show", is_reversed=(False, False)):
        """The cells, float64, as a reduction of all elements at once gives them.

        Parameters
        ----------
        agg : str, optional
            Another one of the same kind of partial result.
        nan : {"auto", "show", "skip", "infinite"}
            What elements that are not finite do; under "auto" masked elements are left out. It may be asked with several.
        is_reversed : (bool, bool)
            Whether the window shows rows or columns in the other direction.
        """
        rows, cols = (slice(None, None, -1 if turned else 1) for turned in is_reversed)
        states = np.ascontiguousarray(self.states[rows, cols])
        return _native.finish_states(agg or self.agg, native_nan(nan), self.order or "f64", states)


# Of no elements, extremes are the last and the first integer of their order.
_FIRST, _LAST = np.array([-2**63, 2**63 - 1], np.int64).view(np.float64)
_START = dict.fromkeys(("max", "min", "absmax", "range"), (_LAST, _FIRST))


def reduce_piece(source, view, window, agg="mean", nan="show", *, whole=None, origin=(0, 0)):
    """What a piece of a plane adds to the cells of a window over the whole plane.

    Parameters
    ----------
    source : Source
        The piece.
    view : View
        Which plane of it; of numbers, not of colours or angles.
    window : Window
        In elements of the whole plane.
    agg, nan : str
        `nan` is the policy of hidden axes.
    whole : (int, int), optional
        Rows and columns of the whole plane. Default: those of the piece.
    origin : (int, int)
        The row and the column of the whole plane at which the piece begins.

    Returns
    -------
    PartialCells or None
        None where no cell touches an element of the piece.
    """
    whole = whole or view.shape
    spans = zip((window.rows, window.cols), whole, origin, view.shape, strict=True)
    cropped = [span.fit(n, agg == "nearest").crop(begin, begin + size) for span, n, begin, size in spans]
    if None in cropped:
        return None
    (rows, first_row), (cols, first_col) = cropped
    states = np.empty((rows.n_cells, cols.n_cells), STATE)
    with source.borrow() as tensor:
        order = _native.reduce_states(_plane(tensor, view, nan=nan), rows, cols, agg, native_nan(nan), states)
    return PartialCells(agg, states, (first_row, first_col), order)
