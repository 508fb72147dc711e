"""PartialLimits: the range and counts of one piece's elements, which can be joined with those of other pieces."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .. import _native
from .limits import Limits

# native/core/states/limits_state.h: extremes as integers of the same order, and counts.
LIMITS = np.dtype([(name, "i8") for name in ("lowest", "highest", "smallest_positive", "n_finite", "n_nan", "n_pos_inf",
                                             "n_neg_inf", "n_masked")])


def _of_nothing():
    state = np.empty(1, LIMITS)
    _native.clear_states("limits", state)
    return state


@dataclass
class PartialLimits:
    """Limits state of the elements of one piece or several; of no elements at first."""

    state: np.ndarray = field(default_factory=_of_nothing)  # (1,) of LIMITS: plain memory: it may be sent to another process

    @classmethod
    def of_plane(cls, plane, want):
        """Those of all elements of a `_native.Plane`; `want` are ``_native.WANT_*`` bits."""
        limits = cls()
        _native.limits_state(plane, want, limits.state)
        return limits

    def join(self, other):
        """Adds the elements of another piece. Any order and any grouping of pieces gives the same bits."""
        _native.join_states("limits", self.state, other.state)

    def finish(self):
        """The `Limits`, as of all elements at once."""
        return Limits(*_native.finish_limits(self.state))
