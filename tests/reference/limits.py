"""Color limits: finite extremes, exact percentiles, centering, and the colorbar's `extend`."""

import copy
import math
from dataclasses import dataclass

import numpy as np

from .norms import Norm


@dataclass(frozen=True)
class Extremes:
    """Of the finite elements: how many, smallest, largest, smallest positive (None where there is none)."""

    n_finite: int
    minimum: float | None
    maximum: float | None
    smallest_positive: float | None


@dataclass(frozen=True)
class Limits:
    """The color limits, and whether they were centered (which makes the default colormap diverging)."""

    vmin: float
    vmax: float
    is_centered: bool = False


def extremes(values):
    """The Extremes of float64 (or integer) elements; integers stay exact."""
    values = np.ravel(values)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return Extremes(0, None, None, None)
    positive = finite[finite > 0]
    smallest, largest = finite.min().item(), finite.max().item()
    return Extremes(finite.size, smallest + 0, largest + 0, positive.min().item() if positive.size else None)


def percentile(values, percent):
    """NumPy's 'linear' percentile of the finite elements: order statistics in the type, then float64."""
    values = np.ravel(values)
    ordered = np.sort(values[np.isfinite(values)])
    n = len(ordered)
    if n == 0:
        return math.nan
    h = (n - 1) * (percent / 100)
    k = math.floor(h)
    t = h - k
    if k >= n - 1:
        return float(ordered[-1])
    a, b = float(ordered[k]), float(ordered[k + 1])
    return a + (b - a) * t if t < 0.5 else b - (b - a) * (1 - t)


def robust_percents(robust):
    """The two percents that `robust` asks for, or None."""
    if robust is None or robust is False:
        return None
    if robust is True:
        return 2.0, 98.0
    low, high = robust if np.ndim(robust) else (robust, 100 - robust)
    if not (0 <= low <= high <= 100):
        raise ValueError(f"robust={robust!r} needs percents with 0 <= low <= high <= 100")
    return float(low), float(high)


def _data_limits(values, norm, robust):
    """Both limits from the elements alone."""
    values = np.ravel(values)
    values = values[np.isfinite(values)]
    if norm.name == "log":
        values = values[values > 0]
    if not values.size:
        return (1.0, 10.0) if norm.name == "log" else (0.0, 1.0)
    percents = robust_percents(robust)
    if percents is None:
        return float(values.min()) + 0.0, float(values.max()) + 0.0
    return percentile(values, percents[0]), percentile(values, percents[1])


def centered(vmin, vmax, center, given_vmin, given_vmax):
    """The limits around a center; None if there is no centering to do, and two given limits do not lie around it."""
    if center is None or center is False:
        return None
    if isinstance(center, str):
        if center != "auto":
            raise ValueError(f"center must be a number, True, 'auto' or None, not {center!r}")
        if not vmin < 0 < vmax:
            return None
    c = 0.0 if center is True or center == "auto" else float(center)
    if given_vmin is not None and given_vmax is not None:
        return (vmin, vmax) if vmin < c < vmax and math.isclose(c - vmin, vmax - c, rel_tol=1e-9) else None
    given = given_vmin if given_vmin is not None else given_vmax
    half = abs(given - c) if given is not None else max(abs(vmin - c), abs(vmax - c))
    ends = (vmin, vmax) if given is None else (given,)
    return min(c - half, *ends), max(c + half, *ends)


def autoscale(values, norm=None, vmin=None, vmax=None, robust=False, center=None):
    """The Limits of a picture.

    Parameters
    ----------
    values : array of float64
        What the limits come from: the elements of the plane, or the view's cells for std, sum and count.
    norm : None, str, Norm or a matplotlib Normalize
    vmin, vmax, robust, center : as in the public calls
    """
    norm = Norm.of(norm)
    robust_percents(robust)
    if (vmin is not None or vmax is not None) and norm.is_instance:
        raise ValueError("a norm instance has its own limits, so vmin and vmax cannot be given with it")
    vmin = norm.vmin if vmin is None else vmin
    vmax = norm.vmax if vmax is None else vmax
    if norm.name == "object":
        return _own_limits(values, norm.instance)
    if norm.name == "boundary":
        return Limits(norm.boundaries[0], norm.boundaries[-1])
    if center not in (None, False) and norm.name == "log":
        raise ValueError("center has no meaning on a log scale")
    if norm.name == "centered":
        return _centered_norm_limits(values, norm)
    low, high = _data_limits(values, norm, robust)
    limits = Limits(low if vmin is None else float(vmin), high if vmax is None else float(vmax))
    around = centered(limits.vmin, limits.vmax, center, vmin, vmax)
    if around is not None:
        limits = Limits(*around, True)
    if norm.name == "twoslope":
        limits = _two_slope_limits(limits, norm.vcenter)
    return _checked(limits, norm)


def limit_ranges(values, errors, **arguments):
    """((low, high) of vmin, (low, high) of vmax) where every value may be off by its error.

    The arguments are those of `autoscale`. Extremes and percentiles move with the values; centered
    limits may in addition move by the largest error.
    """
    found = [autoscale(values, **arguments)]
    for shifted in (values - errors, values + errors):
        try:
            found.append(autoscale(shifted, **arguments))
        except ValueError:
            # A given limit equals the data's other end: the shift made it the wrong one of two.
            continue
    slack = float(np.max(errors)) if np.size(errors) and any(limits.is_centered for limits in found) else 0.0
    return tuple(
        (min(getattr(limits, end) for limits in found) - slack, max(getattr(limits, end) for limits in found) + slack)
        for end in ("vmin", "vmax")
    )


def _checked(limits, norm):
    if limits.vmin > limits.vmax:
        raise ValueError(f"vmin = {limits.vmin} is above vmax = {limits.vmax}")
    if norm.name == "log" and limits.vmin <= 0 and limits.vmin != limits.vmax:
        raise ValueError(f"a log scale needs vmin > 0, not {limits.vmin}")
    return limits


def autoscaled(instance, values):
    """A copy of a matplotlib norm object with the limits that it finds itself in the finite values."""
    instance = copy.deepcopy(instance)
    instance.autoscale_None(np.ma.masked_invalid(values))
    return instance


def _own_limits(values, instance):
    instance = autoscaled(instance, values)
    return Limits(instance.vmin, instance.vmax)


def _centered_norm_limits(values, norm):
    half = norm.halfrange
    if half is None:
        finite = np.ravel(values)
        finite = finite[np.isfinite(finite)]
        if not finite.size:
            return Limits(0.0, 1.0)
        half = float(np.max(np.abs(finite - norm.vcenter)))
    return Limits(norm.vcenter - half, norm.vcenter + half)


def _two_slope_limits(limits, vcenter):
    vmin, vmax = limits.vmin, limits.vmax
    if vmin >= vcenter:
        vmin = vcenter - (vmax - vcenter)
    if vmax <= vcenter:
        vmax = vcenter + (vcenter - vmin)
    return Limits(vmin, vmax, limits.is_centered)


def colorbar_extend(values, vmin, vmax):
    """'min', 'max', 'both' or 'neither': which ends of the colorbar the finite elements pass."""
    found = extremes(values)
    below = found.n_finite > 0 and found.minimum < vmin
    above = found.n_finite > 0 and found.maximum > vmax
    return {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}[below, above]
