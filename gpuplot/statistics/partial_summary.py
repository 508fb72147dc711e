"""PartialSummary: counts, extremes and moments of one piece, which can be joined with those of other pieces."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .. import _native

# The layout of gp_partial_summary (native/core/statistics/summary.h): counts, extremes (as integers with the same order) and their
# positions, moments, and the power of two by which elements were multiplied for these.
SUMMARY = np.dtype([(name, "i8") for name in ("n_nan", "n_neg_inf", "n_pos_inf", "n_masked", "n_finite", "n_neg", "n_zero",
                                              "n_subnormal", "lowest", "highest", "argmin", "argmax", "first_nan")]
                   + [(name, "f8") for name in ("weight", "mean", "m2", "scale")])

POSITIONS = ("argmin", "argmax", "first_nan")
NOWHERE = 2**63 - 1


class Summary(NamedTuple):
    """Counts of each kind of element, extremes and their positions, moments.

    `min`, `max` and `mean` are NaN if nothing is finite; positions are -1 where there is none; `m2` is the sum of squared
    distances from the mean, that and `sum_of_squares` of elements times `scale`.
    """

    n_nan: int
    n_neg_inf: int
    n_neg: int
    n_zero: int
    n_pos: int
    n_pos_inf: int
    n_masked: int
    n_subnormal: int
    min: float
    max: float
    mean: float
    m2: float
    sum_of_squares: float
    argmin: int
    argmax: int
    first_nan: int
    scale: float

    @property
    def std(self):
        """The standard deviation of a sample of two or more finite elements (ddof = 1)."""
        n = self.n_neg + self.n_zero + self.n_pos
        return math.sqrt(self.m2 / (n - 1)) / self.scale if n > 1 else math.nan

    @property
    def l2(self):
        """The root of the sum of squares of finite elements, NaN if there is none; infinite only where it is beyond float64."""
        return math.sqrt(self.sum_of_squares) / self.scale if self.min == self.min else math.nan


def _of_nothing():
    state = np.empty(1, SUMMARY)
    _native.clear_states("summary", state)
    return state


@dataclass
class PartialSummary:
    """The summary of the elements of one or several pieces; of none at first."""

    state: np.ndarray = field(default_factory=_of_nothing)  # (1,) of SUMMARY: plain memory that may be sent to another process
    # The type that extremes are compared in: "f64", or exactly in "i64" or "u64"; "" before anything was joined.
    order: str = ""

    @classmethod
    def of_plane(cls, plane, position=None):
        """The summary of all elements of a `_native.Plane`.

        ``position(k)``, which rises with k, is the position in the whole of the plane's k-th element. Default: k.
        """
        partial = cls()
        partial.order = _native.summarize(plane, partial.state)
        for name in POSITIONS if position is not None else ():
            if partial.state[name][0] != NOWHERE:
                partial.state[name] = position(int(partial.state[name][0]))
        return partial

    def join(self, other):
        """Adds the summary of another piece of the same whole.

        Pieces may be joined in any order and grouping; only the last bits of moments depend on it.
        """
        theirs = other.state
        self.order = self.order or other.order
        if other.order and self.order != other.order:
            theirs = theirs.copy()
            _native.round_states("summary", self.order, self.state)
            _native.round_states("summary", other.order, theirs)
            self.order = "f64"
        _native.join_states("summary", self.state, theirs)

    def finish(self):
        """The `Summary` of all elements so far."""
        return Summary(*_native.finish_summary(self.order or "f64", self.state))

    @property
    def n(self):
        """The number of finite elements."""
        return int(self.state["n_finite"][0])

    @property
    def low(self):
        """The smallest finite element: a float, or an int for 64-bit integers; NaN if there is none."""
        return self._extreme("lowest", self.finish().min)

    @property
    def high(self):
        """The largest finite element, as `low`."""
        return self._extreme("highest", self.finish().max)

    def _extreme(self, name, value):
        if not self.n:
            return math.nan
        if self.order == "i64":
            return int(self.state[name][0])
        if self.order == "u64":  # as signed integers of the same order
            return int(self.state[name][0]) + 2**63
        return value
