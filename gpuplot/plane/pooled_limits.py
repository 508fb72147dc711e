"""Limits and percentiles of the elements of several planes together: where the color limits of a whole tensor come from."""

from __future__ import annotations

import numpy as np

from .. import _native
from .order_statistics import percentiles_of_planes
from .reduce import UNKNOWN, Limits

__all__ = ["fixed_axes", "joined", "pooled_limits", "pooled_percentiles"]


def fixed_axes(source, view):
    """``{axis: range}`` of every axis that a view fixes at an index: all planes along these are the whole tensor."""
    return {axis: range(source.shape[axis]) for axis, use in enumerate(view.uses) if use[0] == "fixed"}


def pooled_limits(elements, want):
    """Facts about some `Elements`."""
    return joined(Limits(*_native.limits(plane, want)) for plane in elements.pooled)


def pooled_percentiles(elements, percents, is_positive_only):
    """Percentiles of some `Elements`, as a pair of floats.

    They are exact but for the positive elements of several planes: then the lowest and the highest of any plane.
    """
    if is_positive_only or len(elements.pooled) == 1:
        found = np.array([_native.percentiles(plane, percents, is_positive_only) for plane in elements.pooled])
        return float(np.fmin.reduce(found[:, 0])), float(np.fmax.reduce(found[:, 1]))
    facts = pooled_limits(elements, _native.WANT_RANGE | _native.WANT_COUNTS)
    dtype = "float64" if elements.is_computed else elements.dtype
    low, high = percentiles_of_planes(elements.pooled, percents, facts.n_finite, facts.min, facts.max, dtype)
    return float(low), float(high)


def joined(found):
    """Facts about several planes together."""
    found = list(found)
    if len(found) < 2:
        return found[0] if found else UNKNOWN
    columns = np.array([[limits.min, limits.max, limits.min_positive] for limits in found]).T
    bits = np.bitwise_or.reduce([limits.has for limits in found])
    counts = np.sum([limits[4:] for limits in found], axis=0)
    return Limits(float(np.fmin.reduce(columns[0])), float(np.fmax.reduce(columns[1])), float(np.fmin.reduce(columns[2])),
                  int(bits), *(int(n) for n in counts))
