"""Norms: cell value -> t, t -> color index, and the indices that rounding may give instead."""

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

import numpy as np

UNDER = -1
"""The code below all colors; above them comes N, and BAD is a code of its own."""
BAD = -2


@dataclass(frozen=True)
class Norm:
    """A norm and its parameters; `vmin` and `vmax` are those that an instance was given."""

    name: str = "linear"
    gamma: float = 1.0
    linthresh: float = 2.0
    linscale: float = 1.0
    base: float = 10.0
    linear_width: float = 1.0
    vcenter: float = 0.0
    halfrange: float | None = None
    boundaries: tuple = ()
    n_colors: int | None = None
    vmin: float | None = None
    vmax: float | None = None
    is_instance: bool = False
    instance: object = None

    @classmethod
    def of(cls, norm):
        """A Norm from None, the name of one, a Norm or a matplotlib norm object."""
        if norm is None:
            return cls()
        if isinstance(norm, cls):
            return norm
        if isinstance(norm, str):
            if norm not in NAMES:
                raise ValueError(f"norm must be one of {NAMES}, not {norm!r}")
            return cls(name=norm)
        return _from_matplotlib(norm)


NAMES = ("linear", "log", "symlog", "asinh", "power", "cbrt", "twoslope", "centered", "boundary", "eq_hist")


def _from_matplotlib(norm):
    """The norm classes with a formula of their own; anything else is called as it is."""
    import matplotlib.colors as mc

    common = {"vmin": norm.vmin, "vmax": norm.vmax, "is_instance": True}
    kind = type(norm)
    if getattr(norm, "clip", False) or (kind is mc.BoundaryNorm and norm.extend != "neither"):
        return Norm("object", instance=norm, **common)
    if kind is mc.Normalize:
        return Norm("linear", **common)
    if kind is mc.LogNorm:
        return Norm("log", **common)
    if kind is mc.SymLogNorm:
        scale = norm._scale
        return Norm("symlog", linthresh=scale.linthresh, linscale=scale.linscale, base=scale.base, **common)
    if kind is mc.AsinhNorm:
        return Norm("asinh", linear_width=norm._scale.linear_width, **common)
    if kind is mc.PowerNorm:
        return Norm("power", gamma=norm.gamma, **common)
    if kind is mc.TwoSlopeNorm:
        return Norm("twoslope", vcenter=float(norm.vcenter), **common)
    if kind is mc.CenteredNorm:
        return Norm("centered", vcenter=float(norm.vcenter), halfrange=norm.halfrange, is_instance=True)
    if kind is mc.BoundaryNorm:
        return Norm("boundary", boundaries=tuple(map(float, norm.boundaries)), n_colors=norm.Ncmap, **common)
    return Norm("object", instance=norm, **common)


def stretched(norm, v):
    """f(v): the function between whose values at vmin and vmax the norm is linear."""
    v = np.asarray(v, np.float64)
    with np.errstate(all="ignore"):
        if norm.name == "log":
            return np.where(v > 0, np.log(np.where(v > 0, v, 1.0)), np.nan)
        if norm.name == "symlog":
            a = norm.linscale / (1 - 1 / norm.base)
            outside = np.abs(v) > norm.linthresh
            ratio = np.where(outside, np.abs(v) / norm.linthresh, 1.0)
            log = norm.linthresh * (a + np.log(ratio) / math.log(norm.base))
            return np.where(outside, np.sign(v) * log, v * a)
        if norm.name == "asinh":
            return norm.linear_width * np.arcsinh(v / norm.linear_width)
        if norm.name == "cbrt":
            return np.cbrt(v)
    return v


def _two_slope(v, vmin, vcenter, vmax):
    t = np.full(v.shape, np.nan)
    with np.errstate(all="ignore"):
        lower = 0.5 * (v - vmin) / (vcenter - vmin)
        upper = 0.5 + 0.5 * (v - vcenter) / (vmax - vcenter)
    t = np.where(v <= vcenter, lower, upper)
    t = np.where(v == vcenter, 0.5, t)
    return np.where(v < vmin, -np.inf, np.where(v > vmax, np.inf, t))


def equalized(values, vmin, vmax):
    """Exact ranks: t of each cell by the number of cells in [vmin, vmax] that are not greater."""
    values = np.asarray(values, np.float64)
    pool = [v for v in np.ravel(values).tolist() if math.isfinite(v) and vmin <= v <= vmax]
    if not pool:
        return np.where(values < vmin, -np.inf, np.where(values > vmax, np.inf, 0.0))
    pool.sort()
    m, smallest = len(pool), bisect_right(pool, pool[0])
    t = np.zeros(values.shape)
    for at, v in np.ndenumerate(values):
        if m > smallest and math.isfinite(v):
            t[at] = (bisect_right(pool, v) - smallest) / (m - smallest)
    return np.where(values < vmin, -np.inf, np.where(values > vmax, np.inf, t))


def normalize(values, norm, vmin, vmax):
    """t of each value; NaN is bad, -inf and +inf are under and over. Not for boundary norms."""
    norm, v = Norm.of(norm), np.asarray(values, np.float64)
    if vmin == vmax:
        return np.where(np.isfinite(v), 0.0, np.nan)
    if norm.name == "twoslope":
        t = _two_slope(v, vmin, norm.vcenter, vmax)
    elif norm.name == "eq_hist":
        t = equalized(v, vmin, vmax)
    elif norm.name == "power":
        linear = (v - vmin) / (vmax - vmin)
        t = np.where(linear >= 0, np.where(linear >= 0, linear, 0.0) ** norm.gamma, linear)
    else:
        with np.errstate(invalid="ignore"):
            low, high = stretched(norm, vmin), stretched(norm, vmax)
            t = (stretched(norm, v) - low) / (high - low)
    return np.where(np.isfinite(v), t, np.nan)


def index_of(x, n_colors):
    """The code of x = t N: UNDER, 0..N-1, N for over, or BAD."""
    if math.isnan(x):
        return BAD
    if x < 0:
        return UNDER
    if x == n_colors:
        return n_colors - 1
    return n_colors if x > n_colors else int(x)


def boundary_code(value, boundaries, n_colors):
    """The code of one value under boundaries; the last boundary itself is over."""
    if not math.isfinite(value):
        return BAD
    if value < boundaries[0]:
        return UNDER
    if value >= boundaries[-1]:
        return n_colors
    n = len(boundaries) - 1
    region = sum(b <= value for b in boundaries) - 1
    if n == n_colors:
        return region
    if n == 1:
        return (n_colors - 1) // 2
    return int(((n_colors - 1) / (n - 1)) * region)


def codes(values, norm, vmin, vmax, n_colors):
    """The color code of each value (int array)."""
    norm, values = Norm.of(norm), np.asarray(values, np.float64)
    if norm.name == "boundary":
        n_colors_norm = norm.n_colors or n_colors
        flat = [boundary_code(v, norm.boundaries, n_colors_norm) for v in np.ravel(values)]
    else:
        flat = [index_of(t * n_colors, n_colors) for t in np.ravel(normalize(values, norm, vmin, vmax))]
    return np.reshape(np.array(flat, int), values.shape)


def _relative_width(f_low, f_high):
    return max(abs(f_low), abs(f_high)) / abs(f_high - f_low)


def index_error(value, norm, vmin, vmax, n_colors):
    """e: how far x = t N of one value may lie from the reference's."""
    if norm.name in ("eq_hist", "boundary") or vmin == vmax:
        return 1e-9
    ends = (vmin, vmax)
    if norm.name == "twoslope":
        ends = (vmin, norm.vcenter) if value <= norm.vcenter else (norm.vcenter, vmax)
        if ends[0] == ends[1]:
            return 1e-9
    f_low, f_high = (float(stretched(norm, end)) for end in ends)
    return 1e-9 + 2.0**-50 * n_colors * _relative_width(f_low, f_high)


def allowed_codes(values, tolerances, norm, vmin, vmax, n_colors):
    """The codes that another implementation may give each value.

    Returns (low, high, may_be_bad): every code from low to high is allowed, in the order UNDER,
    0..N-1, N (over); BAD alone where low is BAD. `tolerances` is the error of the values themselves.
    """
    norm, values = Norm.of(norm), np.asarray(values, np.float64)
    tolerances = np.broadcast_to(tolerances, values.shape)
    low, high = (np.empty(values.shape, int) for _ in range(2))
    may_be_bad = np.zeros(values.shape, bool)
    has_ranks = norm.name == "eq_hist" and vmin != vmax  # else 0 everywhere, as of every norm
    if has_ranks:
        lower_t, upper_t = _equalized_bounds(values, tolerances, vmin, vmax)
    for at, value in np.ndenumerate(values):
        tolerance = float(tolerances[at])
        if not math.isfinite(value):
            low[at] = high[at] = BAD
        elif has_ranks:
            low[at], high[at] = _spread(lower_t[at], upper_t[at], 1e-9, n_colors)
            if tolerance == 0 and vmin <= value <= vmax:
                # Inside the limits a rank is exact: rounding cannot lead under or over.
                low[at], high[at] = np.clip((low[at], high[at]), 0, n_colors - 1)
        else:
            low[at], high[at], may_be_bad[at] = _allowed(value, tolerance, norm, vmin, vmax, n_colors)
    return low, high, may_be_bad


def _spread(t_low, t_high, error, n_colors):
    return index_of(t_low * n_colors - error, n_colors), index_of(t_high * n_colors + error, n_colors)


def _allowed(value, tolerance, norm, vmin, vmax, n_colors):
    if norm.name == "boundary":
        pair = codes(np.array([value - tolerance, value + tolerance]), norm, vmin, vmax, n_colors)
        return int(pair[0]), int(pair[1]), False
    if tolerance == 0 and (value in (vmin, vmax) or vmin == vmax):
        code = int(codes(np.array(value), norm, vmin, vmax, n_colors))
        return code, code, False
    t = normalize(np.array([value - tolerance, value + tolerance]), norm, vmin, vmax)
    if math.isnan(t[1]):
        return BAD, BAD, True
    may_be_bad = math.isnan(t[0])
    t_low = -1.0 if may_be_bad else t[0]
    return *_spread(t_low, t[1], index_error(value, norm, vmin, vmax, n_colors), n_colors), may_be_bad


def allowed_codes_between(values, tolerances, norm, vmin_range, vmax_range, n_colors):
    """As `allowed_codes`, where the limits themselves lie anywhere in two ranges (low, high).

    t falls with vmin and with vmax, so the corners of the ranges give its extremes. Where the ranges
    meet, or a log scale could begin at zero, every color is allowed.
    """
    norm = Norm.of(norm)
    low, high, may_be_bad = allowed_codes(values, tolerances, norm, vmin_range[0], vmax_range[0], n_colors)
    if vmin_range[1] >= vmax_range[0] or (norm.name == "log" and vmin_range[0] <= 0):
        return np.where(low == BAD, BAD, UNDER), np.where(low == BAD, BAD, n_colors), may_be_bad
    for vmin in vmin_range:
        for vmax in vmax_range:
            other_low, other_high, other_bad = allowed_codes(values, tolerances, norm, vmin, vmax, n_colors)
            low, high = np.minimum(low, other_low), np.maximum(high, other_high)
            may_be_bad |= other_bad
    return low, high, may_be_bad


def _equalized_bounds(values, tolerances, vmin, vmax):
    """Smallest and largest t that inexact cells may get by rank."""
    if not np.any(tolerances):
        t = equalized(values, vmin, vmax)
        return t, t
    lows, highs = values - tolerances, values + tolerances
    inside = [(a, b) for a, b in zip(lows.flat, highs.flat) if math.isfinite(a) and b >= vmin and a <= vmax]
    m = len(inside)
    starts, ends = sorted(a for a, _ in inside), sorted(b for _, b in inside)
    lower, upper = np.zeros(values.shape), np.zeros(values.shape)
    most_smallest = bisect_right(starts, ends[0]) if inside else 0
    for at in np.ndindex(values.shape):
        if not math.isfinite(values[at]):
            continue
        fewest = bisect_left(ends, lows[at]) + 1
        most = bisect_right(starts, highs[at])
        lower[at] = max(0.0, (fewest - most_smallest) / max(m - most_smallest, 1))
        upper[at] = min(1.0, (most - 1) / max(m - 1, 1))
    lower = np.where(lows < vmin, -np.inf, np.where(lows > vmax, np.inf, lower))
    upper = np.where(highs < vmin, -np.inf, np.where(highs > vmax, np.inf, upper))
    return lower, upper
