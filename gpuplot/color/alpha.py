"""Opacities that callers give: one factor, or one for each element."""

from __future__ import annotations

import numpy as np

from .. import _native
from ..arrays.describe import describe
from ..arrays.scalars import number_in
from ..plane.reduce import find_limits
from ..plane.view import choose

__all__ = ["check_alpha"]


def check_alpha(alpha, plane_shape):
    """One factor as a float, an array of one for each element as it is, or None; TypeError, ValueError for anything else."""
    if alpha is None:
        return None
    if np.ndim(alpha) == 0:
        factor = number_in(alpha)
        if factor is None:
            raise TypeError(f"alpha must be numeric or None, not {type(alpha).__name__}")
        if not 0 <= factor <= 1:
            raise ValueError(f"alpha ({alpha}) is outside 0-1 range")
        return factor
    if np.ndim(alpha) != 2:
        raise TypeError("alpha must be a float, two-dimensional array, or None")
    if np.shape(alpha) != tuple(plane_shape):
        raise ValueError(f"an alpha of shape {np.shape(alpha)} for a plane of {plane_shape}: give one factor per element")
    source = describe(alpha)
    found = find_limits(source, choose(source.shape, None, source.dtype), _native.WANT_RANGE)
    if found.min < 0 or found.max > 1:
        raise ValueError(f"alpha from {found.min} to {found.max} is outside 0-1 range")
    return alpha
