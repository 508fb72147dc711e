"""Series: one axis of a tensor, and the first, last, smallest and largest sample of each pixel column (M4)."""

import copy
from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from .. import _native
from ..arrays.describe import describe
from .gather import gather
from .limits import find_limits
from .native_plane import native_plane
from .view import choose

# A series of at most so many samples is copied at the call, as matplotlib copies.
MAX_COPIED_SAMPLES = 2**20

# The layout of gp_m4_state: values are orders; positions are not valid where n_finite is 0.
M4_STATE = np.dtype([(name, "i8") for name in ("n_finite", "first", "last", "argmin", "argmax", "y_first", "y_last", "lowest",
                                               "highest")] + [("has", "u8")])
_POSITIONS, _ORDERS = ["first", "argmin", "argmax", "last"], ["y_first", "lowest", "highest", "y_last"]


class Series:
    """One axis of a tensor, the other axes at fixed indices.

    Parameters
    ----------
    source : Source
    axis : int
        The axis along which the samples lie.
    index : dict of int to int
        The indices of other axes; default: 0.
    is_copied : bool
        Whether the samples are a copy in memory of our own.
    """

    def __init__(self, source, axis=0, index=None, is_copied=False):
        others = dict.fromkeys(set(range(source.ndim)) - {axis}, 0) | (index or {})
        self.source, self.is_copied, self._nan = source, is_copied, "show"
        self._view = choose(source.shape, None, source.dtype, x=axis if source.ndim else None, index=others, rgb=False)

    @classmethod
    def of_view(cls, source, view, nan="show"):
        """The one row of a view, whose samples may be computed; `nan` is the policy of its hidden axes."""
        series = cls.__new__(cls)
        series.source, series.is_copied, series._view, series._nan = source, False, view, nan
        return series

    @property
    def length(self):
        """Number of samples."""
        return self._view.shape[1]

    def kept(self):
        """The series that an artist keeps: a copy if it has few samples, as float32 for narrower floats; else itself."""
        if self.is_copied or self.length > MAX_COPIED_SAMPLES:
            return self
        return Series(describe(self.gather(0, self.length).copy()), is_copied=True)

    def read_once(self):
        """A context for the same series, for several questions about one view: itself, as its samples are in memory."""
        return nullcontext(self)

    def reversed(self):
        """The samples from the last to the first."""
        uses = tuple(use._replace(start=use.start + max(use.size - 1, 0) * use.step, step=-use.step) if use.role == "cols" else use
                     for use in self._view.uses)
        turned = copy.copy(self)
        turned._view = replace(self._view, uses=uses)
        return turned

    def repeated(self, n):
        """The first sample `n` times."""
        return Series(describe(np.broadcast_to(np.ma.filled(self.gather(0, 1).astype(float), np.nan), n)), is_copied=True)

    def gather(self, begin, end):
        """Samples ``begin`` to ``end - 1`` as a host array, masked where the tensor is."""
        if begin >= end:
            return np.empty(0)
        return gather(self.source, self._view, (0, 1, begin, end))[0]

    def limits(self, want=_native.WANT_RANGE):
        """Facts about all samples; see `limits.find_limits`."""
        return find_limits(self.source, self._view, want)

    def ways(self):
        """(whether all samples rise, whether they fall), by one pass; both False if one is NaN or masked."""
        return self._ask(_native.find_ways) if self.length else (True, True)

    def search(self, values):
        """For a series that rises: for each value the position of the first sample that is not below it."""
        return self._ask(_native.search_sorted, values) if self.length else np.zeros(len(values), np.int64)

    def take(self, positions):
        """The samples at some positions as float64; masked ones are NaN."""
        return self._ask(_native.take, positions) if len(positions) else np.empty(0)

    def m4(self, bounds):
        """(the M4_STATE of each column of pixels, (n,); the type of its orders, "f64", "i64" or "u64", see `values_of_orders`).

        Column ``k`` has samples ``bounds[k]`` to ``bounds[k + 1] - 1``; the bounds, (n + 1,), never fall.
        """
        states = np.empty(max(len(bounds) - 1, 0), M4_STATE)
        return states, self._ask(_native.m4, bounds, states)

    def m4_and_limits(self, bounds):
        """The result of `m4`, and `Limits` with the smallest positive sample if they need no further pass, else None."""
        return *self.m4(bounds), None

    def _ask(self, question, *arguments):
        with self.source.borrow() as tensor:
            return question(native_plane(tensor, self._view, nan=self._nan), *arguments)


def states_of_ranges(series, begins, ends):
    """The M4_STATE of each range of samples, ``begins[k]`` to ``ends[k] - 1``, and the type of orders, as `Series.m4`.

    Ranges may overlap, as ranges of neighboring pixels can share a sample.
    """
    cuts = np.unique(np.concatenate([begins, ends]))
    parts, order = series.m4(cuts)
    first, last = np.searchsorted(cuts, begins), np.searchsorted(cuts, ends)
    states = np.zeros(len(begins), M4_STATE)
    for k in range(int(np.max(last - first, initial=0))):
        more = np.flatnonzero(first + k < last)
        joined = states[more]
        _native.join_states("m4", joined, parts[first[more] + k])
        states[more] = joined
    return states, order


def join_states(to, other, offset=0):
    """Joins states of another part of the same columns to `to`, in place; `offset` is added to the positions of that part."""
    moved = other.copy()
    for name in _POSITIONS:
        moved[name] += np.where(other["n_finite"] > 0, offset, 0)
    _native.join_states("m4", to, moved)


def values_of_orders(orders, order):
    """Orders of samples, int64, as the nearest float64."""
    orders = np.ascontiguousarray(orders, np.int64)
    if order == "i64":
        return orders.astype(np.float64)
    if order == "u64":
        return (orders.view(np.uint64) ^ np.uint64(2**63)).astype(np.float64)
    return (orders ^ ((orders >> 63) & np.int64(2**63 - 1))).view(np.float64)


def emitted(states, order):
    """The samples that draw a line over neighboring columns: at most four per column, and breaks at samples that are not finite.

    `states` and `order` are those of `Series.m4`. Returns positions, int64, -1 at breaks; and values, float64, NaN at breaks.
    """
    states = states[states["n_finite"] > 0]
    positions = np.stack([states[name] for name in _POSITIONS], axis=1)
    values = np.stack([values_of_orders(states[name], order) for name in _ORDERS], axis=1)
    rank = np.argsort(positions, axis=1, kind="stable")
    positions, values = np.take_along_axis(positions, rank, 1), np.take_along_axis(values, rank, 1)
    is_new = np.ones(positions.shape, bool)
    is_new[:, 1:] = positions[:, 1:] != positions[:, :-1]
    is_broken = np.zeros(len(states), bool)
    is_broken[1:] = states["first"][1:] - states["last"][:-1] > 1
    # Each column has five candidates: a break, then its four samples.
    positions = np.column_stack([np.full(len(states), -1), positions])
    values = np.column_stack([np.full(len(states), np.nan), values])
    is_kept = np.column_stack([is_broken, is_new])
    return positions[is_kept], values[is_kept]
