"""Checks the extent of an image: four edges, in data coordinates or in the units of the axes."""

from math import isfinite
from numbers import Complex, Real

import numpy as np

from ...arrays.literals import counted
from ...errors import value_text


def check_extent(extent):
    """ValueError for an extent without four edges, which matplotlib would keep, so that no later draw succeeds."""
    if not _has_four_edges(extent):
        raise ValueError(f"extent={value_text(extent)} must be the four edges (left, right, bottom, top) in data coordinates")
    left, right, bottom, top = (float(edge) if isinstance(edge, Real) else 0.0 for edge in extent)
    if not (isfinite(right - left) and isfinite(top - bottom)):
        raise ValueError(f"extent={value_text(extent)}: the edges are farther apart than float64 has numbers: divide them, such as by 1e6")


def _has_four_edges(extent):
    """Whether an extent has four edges, which may have units; NaN and None are none."""
    try:
        if isinstance(extent, str) or np.ndim(counted(extent)) == 0 or len(extent) != 4:
            return False
        return all(map(_is_edge, extent))
    except Exception:  # a class, such as np.float32, whose ndim is no number; libraries differ in how they refuse
        return False


def _is_edge(edge):
    if edge is None or np.ndim(edge):
        return False
    return isfinite(edge) if isinstance(edge, Real) else not isinstance(edge, Complex)
