"""Limits and percentiles of several planes together, as for the color limits of a whole tensor."""

import numpy as np

from .. import _native
from .limits import UNKNOWN, Limits
from .order_statistics import percentiles_of_planes


def fixed_axes(source, view):
    """``{axis: range}`` of every axis that a view fixes: all planes along these are the whole tensor."""
    return {axis: range(source.shape[axis]) for axis, use in enumerate(view.uses) if use.role == "fixed"}


def pooled_limits(planes, want):
    """`Limits` of the elements of native planes."""
    return joined(Limits(*_native.limits(plane, want)) for plane in planes)


def pooled_percentiles(planes, dtype, percents, is_positive_only):
    """Percentiles of the elements of native planes, numbers of a dtype, as a pair of floats.

    They are exact but for the positive elements of several planes: then the lowest and the highest of any plane.
    """
    if is_positive_only or len(planes) == 1:
        return outermost(_native.percentiles(plane, percents, is_positive_only) for plane in planes)
    facts = pooled_limits(planes, _native.WANT_RANGE | _native.WANT_COUNTS)
    low, high = percentiles_of_planes(planes, percents, facts.n_finite, facts.min, facts.max, dtype)
    return float(low), float(high)


def outermost(pairs):
    """The lowest low and the highest high of (low, high) pairs, some of which may be NaN."""
    lows, highs = zip(*pairs, strict=True)
    return float(np.fmin.reduce(lows)), float(np.fmax.reduce(highs))


def joined(limits_of_planes):
    """The `Limits` of several planes together."""
    limits_of_planes = list(limits_of_planes)
    if len(limits_of_planes) < 2:
        return limits_of_planes[0] if limits_of_planes else UNKNOWN
    columns = np.array([[limits.min, limits.max, limits.min_positive] for limits in limits_of_planes]).T
    bits = np.bitwise_or.reduce([limits.has for limits in limits_of_planes])
    counts = np.sum([limits[4:] for limits in limits_of_planes], axis=0)
    return Limits(float(np.fmin.reduce(columns[0])), float(np.fmax.reduce(columns[1])), float(np.fmin.reduce(columns[2])),
                  int(bits), *(int(n) for n in counts))
