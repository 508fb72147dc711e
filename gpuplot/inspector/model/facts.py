"""Limits, counts and percentiles of planes, each found once and cached; and round limits that contain them."""

import math

from ... import _native
from ...plane.limits import lacks

WANT_RANGE, WANT_POSITIVE = _native.WANT_RANGE, _native.WANT_POSITIVE

# Most entries of the cache: they take little memory.
MAX_KNOWN = 4096

# Common ranges of values.
NICE_RANGES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 255.0))


class FactCache:
    """A cache of results of passes over elements; the oldest entries are dropped."""

    def __init__(self):
        self._known = {}

    def clear(self):
        """Drops all entries, for another tensor."""
        self._known.clear()

    def knows(self, plane, want, box=None):
        """Whether limits with these WANT bits are cached."""
        limits = self._known.get((plane.key, box))
        return limits is not None and not lacks(limits, want)

    def known(self, plane, want):
        """The cached limits of a plane if they have these WANT bits, else None."""
        return self._known[plane.key, None] if self.knows(plane, want) else None

    def is_finite(self, plane):
        """Whether a plane is known to have only finite and masked elements."""
        limits = self._known.get((plane.key, None))
        return limits is not None and not limits.has & (_native.HAS_NAN | _native.HAS_POS_INF | _native.HAS_NEG_INF)

    def has_nan(self, plane):
        """Whether a plane has a NaN, None where that is not known."""
        limits = self._known.get((plane.key, None))
        return None if limits is None else bool(limits.has & _native.HAS_NAN)

    def note(self, plane, limits):
        """Adds limits that a reduction of the whole plane found."""
        if limits is not None:
            self._add((plane.key, None), limits)

    def limits(self, plane, want, box=None):
        """Limits of a plane, or of a half-open box of it."""
        return self._limits((plane.key, box), want, lambda: plane.limits(want, box))

    def of_many(self, plane, stacked_axes, want, box=None):
        """Limits of a plane at several indices, ``{axis: range}``; see `InspectedPlane.elements_over`."""
        if not (stacked_axes or plane.view.is_rgb):
            return self.limits(plane, want, box)

        def find():
            with plane.elements_over(stacked_axes, box) as elements:
                return elements.limits(want)

        return self._limits((_stack_key(plane, stacked_axes), box), want, find)

    def counts(self, plane, first, last, step):
        """See `InspectedPlane.counts`."""
        return self._find((plane.key, "counts", first, last, step), lambda: plane.counts(first, last, step))

    def channel_ranges(self, plane):
        """(lowest, highest) of each of three color channels."""
        return self._find((plane.key, "channels"), plane.channel_ranges)

    def percentiles_of_many(self, plane, stacked_axes, percents, is_positive_only, box=None):
        """Percentiles of a plane at several indices; see `Elements.outer_percentiles`."""
        def find():
            if not stacked_axes:
                return tuple(map(float, plane.percentiles(percents, is_positive_only, box)))
            with plane.elements_over(stacked_axes, box) as elements:
                return elements.outer_percentiles(percents, is_positive_only)

        return self._find((_stack_key(plane, stacked_axes), box, tuple(percents), is_positive_only), find)

    def _limits(self, key, want, find):
        found = self._known.get(key)
        return self._add(key, find()) if found is None or lacks(found, want) else found

    def _find(self, key, find):
        return self._known[key] if key in self._known else self._add(key, find())

    def _add(self, key, found):
        while len(self._known) >= MAX_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[key] = found
        return found


def _stack_key(plane, stacked_axes):
    """Equal for planes that differ in the index of the stacked axes alone."""
    return plane.at(dict.fromkeys(stacked_axes, 0)).key, tuple(stacked_axes.items())


def nice_range(limits):
    """The first of NICE_RANGES that contains limits; ValueError if none does."""
    if math.isnan(limits.min):
        raise ValueError("there is no finite element to find a range for")
    for low, high in NICE_RANGES:
        if low <= limits.min and limits.max <= high:
            return low, high
    raise ValueError(f"the data, {limits.min:.4g} to {limits.max:.4g}, are in none of the ranges 0..1, -1..1 and 0..255")
