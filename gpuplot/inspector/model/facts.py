"""Facts about elements that are found once and kept, and the colour limits that follow from them."""

from __future__ import annotations

import math

from ... import _native
from ...plane.plane import lacks
from ...plane.pooled_limits import pooled_limits, pooled_percentiles

__all__ = ["FactCache", "snapped"]

WANT_RANGE, WANT_POSITIVE = _native.WANT_RANGE, _native.WANT_POSITIVE

# So many planes and boxes are remembered: more than anybody steps through at a time, and little memory.
MAX_KNOWN = 4096

# Ranges in which numbers often are.
NICE_RANGES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 255.0))


class FactCache:
    """Limits of planes and of boxes of them, each found by one pass over the elements."""

    def __init__(self):
        self._known = {}

    def clear(self):
        """Forgets everything: the tensor is another one."""
        self._known.clear()

    def knows(self, plane, want, box=None):
        found = self._known.get((plane.key, box))
        return found is not None and not lacks(found, want)

    def is_finite(self, plane):
        """Whether a plane is known to have nothing but finite and masked elements."""
        found = self._known.get((plane.key, None))
        return found is not None and not found.has & (_native.HAS_NAN | _native.HAS_POS_INF | _native.HAS_NEG_INF)

    def has_nan(self, plane):
        """Whether a plane has a NaN, or None where nobody has looked."""
        found = self._known.get((plane.key, None))
        return None if found is None else bool(found.has & _native.HAS_NAN)

    def note(self, plane, limits):
        """Keeps what a reduction found on its way."""
        if limits is not None:
            self._keep((plane.key, None), limits)

    def limits(self, plane, want, box=None):
        """Facts about the elements of a plane, or of a half-open box of it."""
        key = (plane.key, box)
        if not self.knows(plane, want, box):
            self._keep(key, plane.limits(want, box))
        return self._known[key]

    def counts(self, plane, first, last, step):
        """How many elements of a plane are each of the integers from `first` to `last`, of `step` in a row together."""
        key = (plane.key, "counts", first, last, step)
        if key not in self._known:
            self._keep(key, plane.counts(first, last, step))
        return self._known[key]

    def channel_ranges(self, plane):
        """(lowest, highest) of each of three colour channels."""
        key = (plane.key, "channels")
        if key not in self._known:
            self._keep(key, plane.channel_ranges())
        return self._known[key]

    def of_many(self, plane, stacked_axes, want, box=None):
        """Facts about a plane at several places along axes that stand at an index; `spread` is ``{axis: range}``."""
        key = (_places(plane, stacked_axes), box)
        found = self._known.get(key)
        if found is None or lacks(found, want):
            with plane.elements_over(stacked_axes, box) as elements:
                found = pooled_limits(elements, want)
            self._keep(key, found)
        return found

    def percentiles_of_many(self, plane, stacked_axes, percents, is_positive_only, box=None):
        """Percentiles of all these elements; see `pooled_percentiles`."""
        key = (_places(plane, stacked_axes), box, tuple(percents), is_positive_only)
        if key not in self._known:
            with plane.elements_over(stacked_axes, box) as elements:
                self._keep(key, pooled_percentiles(elements, percents, is_positive_only))
        return self._known[key]

    def _keep(self, key, found):
        while len(self._known) >= MAX_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[key] = found


def _places(plane, stacked_axes):
    """What a plane at several places is known by, wherever along these axes it stands itself."""
    return plane.at(dict.fromkeys(stacked_axes, 0)).key, tuple(stacked_axes.items())


def snapped(limits):
    """The nice range that holds the data.

    Raises
    ------
    ValueError
        None does.
    """
    if math.isnan(limits.min):
        raise ValueError("there is no finite element to find a range for")
    for low, high in NICE_RANGES:
        if low <= limits.min and limits.max <= high:
            return low, high
    raise ValueError(f"the data, {limits.min:.4g} to {limits.max:.4g}, are in none of the ranges 0..1, -1..1 and 0..255")
