"""Edges of histogram bins: NumPy's where it accepts the range, else strictly increasing edges."""

import math

import numpy as np

_MAX = float(np.finfo(np.float64).max)
# The smallest number above zero: a width of bins below `bins` times this is rounded too much to be added up.
_TINY = 5e-324

# Number of slices whose edges are computed at a time, so that they stay in the cache.
_N_TOGETHER = 512


def bin_edges(low, high, bins):
    """(bins + 1,) float64 edges of bins of equal width between two finite numbers; equal ends are each moved apart by 0.5.

    They increase strictly, and equal NumPy's except for ranges that NumPy refuses as too large or with too few floating-point numbers.
    """
    low, high = float(low), float(high)
    first, last = (low - 0.5, high + 0.5) if low == high else (low, high)
    if max(8 * math.ulp(max(abs(first), abs(last))), bins * _TINY) < (last - first) / bins < math.inf:
        return np.linspace(first, last, bins + 1)  # as NumPy does; its check for repeated edges is not needed here
    if math.isinf(last - first):
        return _of_halves(first, last, bins)
    edges = _by_numpy(first, last, bins)
    if edges is not None:
        return edges
    # Too few numbers lie in the range: widen it by one unit in the last place per bin on either side.
    ulp = math.ulp(max(abs(low), abs(high)))
    low, high = max(low - bins * ulp, -_MAX), min(high + bins * ulp, _MAX)
    edges = None if math.isinf(high - low) else _by_numpy(low, high, bins)
    return _of_ulps(low, high, bins, ulp) if edges is None else edges


def bin_edges_of_slices(low, high, bins):
    """`bin_edges` of many ranges, (n,) and (n,) -> (n, bins + 1)."""
    edges = np.empty((len(low), bins + 1))
    is_equal = low == high
    first, last = low - 0.5 * is_equal, high + 0.5 * is_equal
    with np.errstate(over="ignore"):
        # Far enough from ranges that NumPy refuses: no two edges can be equal.
        least = np.maximum(8 * np.spacing(np.maximum(abs(first), abs(last))), bins * _TINY)
        is_plain = np.isfinite(last - first) & ((last - first) / bins > least)
    for at in range(0, len(low), _N_TOGETHER):
        part = slice(at, at + _N_TOGETHER)
        if is_plain[part].all():
            edges[part] = np.linspace(first[part], last[part], bins + 1, axis=-1)
        else:
            for i in range(*part.indices(len(low))):
                edges[i] = bin_edges(low[i], high[i], bins)
    return edges


def _by_numpy(low, high, bins):
    """NumPy's edges, or None where it refuses the range or edges repeat."""
    try:
        with np.errstate(over="ignore"):
            edges = np.histogram_bin_edges(np.array([low, high], np.float64), bins)
    except ValueError:
        return None
    return edges if np.isfinite(edges).all() and (np.diff(edges) > 0).all() else None


def _of_halves(low, high, bins):
    """Edges of a range whose width overflows: computed for half the values and doubled."""
    with np.errstate(over="ignore"):  # at the last edge, which NumPy then replaces by the end itself
        edges = np.histogram_bin_edges(np.array([low / 2, high / 2], np.float64), bins)
    return np.clip(edges, -_MAX / 2, _MAX / 2) * 2


def _of_ulps(low, high, bins, ulp):
    """Edges a whole number of units in the last place apart, the fewest that reach from one end to the other."""
    n_ulps = max(1, math.ceil((high - low) / (bins * ulp)))
    while low + bins * (n_ulps * ulp) < high:
        n_ulps += 1
    return low + np.arange(bins + 1) * (n_ulps * ulp)
