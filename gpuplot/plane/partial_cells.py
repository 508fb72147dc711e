"""PartialCells: the reduction of one piece of a plane, which can be joined with those of other pieces; PiecesOfCells: several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _native
from .aggs import native_nan
from .cell_states import STATE, packed, unpacked
from .native_plane import native_plane
from .partial_limits import PartialLimits
from .window import reversing

# Boxes that are told apart; with more, all cells are taken for joined.
MAX_BOXES = 64

# Bytes of the rows of cells that are joined and finished at once: they stay in a processor's cache, and beside all pieces nothing is
# as large as their cells' states.
BAND_BYTES = 4 * 2**20


@dataclass
class PartialCells:
    """Partial results for the cells of a window, from the elements of one piece of a plane or several."""

    # agg: another one of the same kind of partial result may finish them: mean and sum, max, min, absmax and range, std
    # and var.
    agg: str
    states: np.ndarray  # (rows, columns) of STATE: in the direction of growing index
    place: tuple[int, int] = (0, 0)  # which cell of the window the first one is
    order: str = "f64"  # {"f64", "i64", "u64"}: what extremes are compared as: 64-bit integers are exact until they end
    limits: PartialLimits | None = None  # of the elements themselves, where they were asked for
    # Boxes (row0, row1, col0, col1) of cells that something was joined to; None where that may be any.
    joined: list | None = None

    @classmethod
    def of_nothing(cls, agg, shape):
        """The cells of a whole window before anything is joined."""
        states = np.empty(shape, STATE)
        _native.clear_states(agg, states)
        return cls(agg, states, order="", joined=[])

    def __getstate__(self):
        return {**self.__dict__, "states": packed(self.states)}

    def __setstate__(self, state):
        self.__dict__.update(state, states=unpacked(state["states"]))

    @classmethod
    def together(cls, parts):
        """The cells of several pieces, joined in their order, in the smallest box of cells that holds them."""
        if len(parts) == 1:
            return parts[0]
        first = [min(part.place[axis] for part in parts) for axis in (0, 1)]
        stop = [max(part.place[axis] + part.states.shape[axis] for part in parts) for axis in (0, 1)]
        whole = cls.of_nothing(parts[0].agg, tuple(end - begin for begin, end in zip(first, stop, strict=True)))
        whole.place = tuple(first)
        for part in parts:
            whole.join(part)
        return whole

    def join(self, other):
        """Adds the cells of another piece, which lie within these; the order of calls decides the last bits of sums."""
        self._check_kind(other.agg)
        row, col = other.place[0] - self.place[0], other.place[1] - self.place[1]
        n_rows, n_cols = other.states.shape
        if min(row, col) < 0 or row + n_rows > self.states.shape[0] or col + n_cols > self.states.shape[1]:
            raise ValueError(f"cells {other.place} to {(other.place[0] + n_rows, other.place[1] + n_cols)} lie outside of these")
        self._add(self._in_one_order(other), (row, row + n_rows, col, col + n_cols))
        if other.limits is not None:
            self.limits = self.limits or PartialLimits()
            self.limits.join(other.limits)

    def _add(self, theirs, box):
        """Joins states where there are some already, mostly a row or a column of cells; elsewhere they are put in."""
        overlaps = [box] if self.joined is None else [part for part in (_overlap(box, one) for one in self.joined) if part is not None]
        both = []
        for part in overlaps:
            row0, row1, col0, col1 = part
            states, inside = (np.empty((row1 - row0, col1 - col0), STATE) for _ in range(2))
            _words(states)[:] = _words(self.states, part)
            _words(inside)[:] = _words(theirs, (row0 - box[0], row1 - box[0], col0 - box[2], col1 - box[2]))
            _native.join_states(self.agg, states, inside)
            both.append(states)
        _words(self.states, box)[:] = _words(theirs)
        for part, states in zip(overlaps, both, strict=True):
            _words(self.states, part)[:] = _words(states)
        if self.joined is not None:
            self.joined = [*self.joined, box] if len(self.joined) < MAX_BOXES else None

    def rows(self, first, stop):
        """Those within the rows ``first:stop`` of the window, without limits; None where there are none."""
        begin, end = max(first, self.place[0]), min(stop, self.place[0] + len(self.states))
        inside = self.states[begin - self.place[0]:end - self.place[0]]
        return PartialCells(self.agg, inside, (begin, self.place[1]), self.order) if begin < end else None

    def _check_kind(self, agg):
        if agg not in _native.AGG_STATES or _native.AGG_STATES[agg] != _native.AGG_STATES[self.agg]:
            alike = [known for known, kind in _native.AGG_STATES.items() if kind == _native.AGG_STATES[self.agg]]
            raise ValueError(f"agg={agg!r} does not fit partial results of {self.agg}, but {', '.join(alike)} do: reduce anew")

    def _in_one_order(self, other):
        """The other's states in an order that both have, which is made float64's where the two differ."""
        theirs = other.states
        self.order = self.order or other.order
        if self.order != other.order:
            theirs = np.array(theirs, STATE)
            _native.round_states(self.agg, self.order, self.states)
            _native.round_states(self.agg, other.order, theirs)
            self.order = "f64"
        return theirs

    def finish(self, agg=None, nan="show", is_reversed=(False, False)):
        """The cells, float64, as a reduction of all elements at once gives them, under the policy `nan`.

        `agg` may be another one of the same kind of partial result. Under "auto" masked elements are left out. `is_reversed` says
        whether the window shows rows, or columns, in the other direction.
        """
        self._check_kind(agg or self.agg)
        states = np.ascontiguousarray(self.states[reversing(is_reversed)])
        return _native.finish_states(agg or self.agg, native_nan(nan), self.order or "f64", states)


@dataclass
class PiecesOfCells:
    """Partial results of several pieces for the cells of a window, joined in their order, and a band of rows at a time, when finished."""

    agg: str
    shape: tuple[int, int]
    parts: list  # of PartialCells, which lie within the window
    n_addends: int = 1  # in how many parts each element is counted

    def finish(self, agg, nan, is_reversed=(False, False)):
        """The cells; see `PartialCells.finish`."""
        cells = np.empty(self.shape)
        shown, n_rows = cells[reversing(is_reversed)], max(1, BAND_BYTES // (STATE.itemsize * max(1, self.shape[1])))
        for first in range(0, self.shape[0], n_rows):
            stop = min(first + n_rows, self.shape[0])
            shown[first:stop] = self._band(first, stop).finish(agg, nan)
        return cells

    def _band(self, first, stop):
        """The joined `PartialCells` of the rows ``first:stop``."""
        band = PartialCells.of_nothing(self.agg, (stop - first, self.shape[1]))
        band.place = first, 0
        band.order = "f64" if len({part.order for part in self.parts}) > 1 else ""  # one order for all bands
        for part in self.parts:
            if (rows := part.rows(first, stop)) is not None:
                band.join(rows)
        if self.n_addends > 1:
            band.states["b"] /= self.n_addends  # the weights of sums
        return band


def _words(states, box=None):
    """The words of the states of a box: NumPy copies rows of these at once, and records one by one, in four times the time."""
    row0, row1, col0, col1 = box or (0, states.shape[0], 0, states.shape[1])
    return states[row0:row1, col0:col1].view(np.uint64)


def _overlap(a, b):
    """The box that two half-open boxes have in common; None for nothing."""
    box = max(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), min(a[3], b[3])
    return box if box[0] < box[1] and box[2] < box[3] else None


def cropped_axes(window, whole, origin, shape, agg):
    """(the native axis of the cells that touch a piece, the first of them) of rows and of columns; None where none does."""
    spans = zip((window.rows, window.cols), whole, origin, shape, strict=True)
    return [span.fit(n, agg == "nearest").crop(begin, begin + size) for span, n, begin, size in spans]


def reduce_piece(source, view, window, agg="mean", nan="show", *, whole=None, origin=(0, 0), component=None, channel=None,
                 is_alpha_weighted=False, want=0):
    """Reduces a piece of a plane to partial cells of a window over the whole plane.

    Parameters
    ----------
    source : Source
        The piece.
    view : View
        Which plane of it; of colors one channel.
    window : Window
        In elements of the whole plane.
    agg, nan : str
        `nan` is the policy of hidden axes.
    whole : (int, int), optional
        Rows and columns of the whole plane. Default: those of the piece.
    origin : (int, int)
        The row and the column of the whole plane at which the piece begins.
    component : str, optional
        The native name of the number that an element gives. Default: the view's.
    channel : int, optional
        Of colors: the one whose cells are made.
    is_alpha_weighted : bool
        Whether that is multiplied by the opacity; opacity itself is clipped to its range.
    want : int
        ``_native.WANT_*`` bits: limits of the piece's elements, found in the same pass where the window covers them.

    Returns
    -------
    PartialCells or None
        None where no cell touches an element of the piece.
    """
    whole = whole or view.shape
    cropped = cropped_axes(window, whole, origin, view.shape, agg)
    if None in cropped:
        return None
    (rows, first_row), (cols, first_col) = cropped
    states = np.empty((rows.n_cells, cols.n_cells), STATE)
    limits = PartialLimits() if want else None
    with source.borrow() as tensor:
        plane = native_plane(tensor, view, component, channel or 0, is_alpha_weighted, nan)
        order = _native.reduce_states(plane, rows, cols, agg, native_nan(nan), states, want, limits and limits.state)
    return PartialCells(agg, states, (first_row, first_col), order, limits)
