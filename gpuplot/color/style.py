"""A matplotlib colormap and norm -> the arguments of the native shader, or a call of these objects on the host."""

from __future__ import annotations

import copy
import functools
import math
from dataclasses import dataclass, fields
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib import colors as mcolors
from matplotlib import scale as mscale
from matplotlib.cm import ScalarMappable

from .. import _native
from ..arrays.scalars import number_in, one_number
from ..plane.frame import is_empty, is_masked
from .even_ticks import AsinhScale
from .norms import CbrtNorm, EqHistNorm
from .symlog_ticks import SymlogScale

OWN_NORMS = {"cbrt": CbrtNorm, "eq_hist": EqHistNorm}

# Scales of gpuplot's own for the colorbars of matplotlib's norms, by their names.
_OWN_SCALES = {"asinh": AsinhScale, "symlog": SymlogScale}

# Names of matplotlib's own colormaps, which cannot be given to others.
_OWN_CMAPS = frozenset(getattr(mpl.colormaps, "_builtin_cmaps", ()))

# matplotlib's scales that need more arguments than a name.
NAMELESS_SCALES = ("function", "functionlog")


class LimitsSearch(NamedTuple):
    """How a device finds missing limits together with cells, for ``_native.reduce``."""

    origin: str  # "elements", "cells", or "either": cells where these use less than `least_part` of the elements' colors
    least_part: float
    center: float = math.nan  # limits lie at equal distances from it
    # The smallest and the largest element where they are known.
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True, eq=False)
class NativeStyle:
    """The arguments of ``_native.shade``, or of ``_native.reduce`` for limits that are still to be found."""

    norm: str  # a name of the native table of norms
    vmin: float
    vmax: float
    params: tuple[float, ...]  # the norm's own parameters, in the native table's order
    # For the norm "boundary": n ascending float64 values, and the n - 1 table rows (int32) between them.
    boundaries: np.ndarray | None
    boundary_indices: np.ndarray | None
    table: np.ndarray  # (N + 3, 4) uint8: the N colors, then under, over and bad
    # Colors, 4 int each, of cells that are NaN, +Inf, -Inf, or masked; masked cells always have the colormap's bad color.
    nan_rgba: tuple
    pos_inf_rgba: tuple
    neg_inf_rgba: tuple
    masked_rgba: tuple
    # A factor for every alpha; alpha_cells, (H, W) float32 or None, is used in its place.
    alpha: float = 1.0
    alpha_cells: np.ndarray | None = None
    search: LimitsSearch | None = None  # where vmin or vmax is NaN: how the device finds it

    def is_like(self, other):
        """Whether cells have the same colors by another NativeStyle."""
        return all(np.array_equal(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))


# Colors of elements that are not finite, far from those of the usual colormaps: the defaults of `inspect`, `watch` and `compare`.
VISIBLE_MARKS = {"nan": "#ff00ff", "pos_inf": "#00ffff", "neg_inf": "#ff8000"}


@dataclass(frozen=True)
class MarkColors:
    """Colors of NaN, infinities and values outside the limits; None is the colormap's own color (bad, under, over)."""

    nan: object = None
    pos_inf: object = None
    neg_inf: object = None
    under: object = None
    over: object = None

    @classmethod
    def of(cls, options):
        """The MarkColors of the keywords ``nan_color``, ``pos_inf_color``, ... in `options`."""
        return cls(*(options[f"{field.name}_color"] for field in fields(cls)))

    def with_ends(self, cmap):
        """The colormap with the under and over colors that are given."""
        has_ends = self.under is not None or self.over is not None
        return cmap.with_extremes(under=self.under, over=self.over) if has_ends else cmap

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not _is_color(value):
                raise ValueError(f"{field.name}_color={value!r} is not a color: use a name, '#rrggbb' or an RGB(A) tuple of 0..1")


def _is_color(value):
    """Whether matplotlib takes a color; a number beyond float64 is none."""
    try:
        return mcolors.is_color_like(value)
    except OverflowError:
        return False


# ---- colormaps -----------------------------------------------------------------------------------------------------


@functools.cache
def _own_cmap(name):
    """One of matplotlib's own colormaps, with its table computed; cached, so it must not be changed."""
    cmap = mpl.colormaps[name]
    cmap(0.0)
    return cmap


def find_cmap(cmap=None, is_diverging=False):
    """The Colormap for a name, an object, or None: rcParams' default, or 'RdBu_r' for centered limits."""
    if cmap is None:
        cmap = "RdBu_r" if is_diverging else mpl.rcParams["image.cmap"]
    if isinstance(cmap, mcolors.Colormap):
        return cmap
    if not isinstance(cmap, str):
        raise TypeError(f"cmap must be a name or a matplotlib Colormap, not {type(cmap).__name__}")
    try:
        return copy.copy(_own_cmap(cmap)) if cmap in _OWN_CMAPS else mpl.colormaps[cmap]
    except KeyError:
        raise ValueError(f"{cmap!r} is not a known colormap: matplotlib.colormaps lists the names") from None


def color_table(cmap, marks=MarkColors()):
    """(N + 3, 4) bytes: the N colors that the installed matplotlib computes, then under, over and bad."""
    cmap, n = marks.with_ends(cmap), cmap.N
    rows = np.ma.array(np.arange(n + 3), mask=np.arange(n + 3) == n + 2)
    rows.data[n:] = -1, n, 0
    return np.ascontiguousarray(cmap(rows, bytes=True), dtype=np.uint8)


def mark_bytes(bad, marks):
    """(NaN, +Inf, -Inf) colors, 4 int each; `bad` is the default."""
    given = (marks.nan, marks.pos_inf, marks.neg_inf)
    return tuple(tuple(bad) if color is None else _color_bytes(color) for color in given)


def _color_bytes(color):
    """A color's bytes, truncated as in matplotlib's own tables."""
    return tuple((np.array(mcolors.to_rgba(color)) * 255).astype(np.uint8).tolist())


# ---- norms ---------------------------------------------------------------------------------------------------------


def limit_number(name, value):
    """A limit that was given as a float, None for one that is found; ValueError if it is not finite: nothing would have a color."""
    number = one_number(name, value)
    if number is not None and not math.isfinite(number):
        found_from = "; found from elements with NaN? leave it out to use the finite ones" if math.isnan(number) else ""
        raise ValueError(f"{name} has to be finite, not {number}{found_from}")
    return number


def find_norm(norm=None, vmin=None, vmax=None, gamma=None):
    """The Normalize for a name, an object or None, with the given limits.

    ValueError for an unknown name, and for limits or `gamma` together with a norm object; TypeError if limits are not numbers.
    """
    vmin, vmax = limit_number("vmin", vmin), limit_number("vmax", vmax)
    if gamma is not None:
        if norm is not None:
            raise ValueError("gamma is itself a norm (a power law): give gamma or norm, not both")
        power = number_in(gamma)
        if power is None or not 0 < power < float("inf"):
            raise ValueError(f"gamma={gamma!r} must be a number above zero")
        return mcolors.PowerNorm(power, vmin, vmax)
    if norm is None:
        return mcolors.Normalize(vmin, vmax)
    if isinstance(norm, str):
        norm = _norm_from_name(norm)
        norm.vmin, norm.vmax = vmin, vmax
        return norm
    if not isinstance(norm, mcolors.Normalize):
        raise TypeError(f"norm must be a name or a matplotlib Normalize object, not {type(norm).__name__}")
    if vmin is not None or vmax is not None:
        raise ValueError("Passing a Normalize instance simultaneously with vmin/vmax is not supported.  "
                         "Please pass vmin/vmax directly to the norm when creating it.")
    return norm


def own_norm(norm):
    """A new norm of gpuplot's own, or with its own ticks, for its name; anything else unchanged, for matplotlib to take."""
    return _norm_from_name(norm) if isinstance(norm, str) and (norm in OWN_NORMS or norm in _OWN_SCALES) else norm


def norm_names():
    """Names of norms: matplotlib's scales and gpuplot's own."""
    scales = mscale.get_scale_names()
    return sorted({*scales, *OWN_NORMS}.difference(NAMELESS_SCALES))


def _norm_from_name(name):
    if name not in norm_names():
        raise ValueError(f"{name!r} is not a valid value for norm; supported values are {', '.join(norm_names())}")
    norm = OWN_NORMS[name]() if name in OWN_NORMS else ScalarMappable(norm=name).norm
    if name in _OWN_SCALES:
        norm._scale = _OWN_SCALES[name](None)  # which a colorbar asks for
    return norm


@functools.cache
def _scale_norm(name):
    """The norm class that matplotlib makes for the name of a scale."""
    return type(_norm_from_name(name))


def _transform_params(norm, *names):
    """Parameters of the transform of a norm that matplotlib made from a scale; None for other norms."""
    transform = getattr(norm, "_trf", None)
    values = tuple(getattr(transform, name, None) for name in names)
    return None if None in values else tuple(float(value) for value in values)


def _native_kind(norm):
    """(name, params) of the native norm with the same values; None if there is none, as for subclasses."""
    kind = type(norm)
    if kind in (mcolors.Normalize, mcolors.CenteredNorm, _scale_norm("linear")):
        return "linear", ()
    if kind is mcolors.LogNorm:
        return "log", ()
    if kind is mcolors.PowerNorm:
        return "power", (float(norm.gamma),)
    if kind is mcolors.TwoSlopeNorm:
        return "two_slope", (float(norm.vcenter),)
    if kind is mcolors.SymLogNorm or kind is _scale_norm("symlog"):
        params = _transform_params(norm, "linthresh", "linscale", "base")
        return params and ("symlog", params)
    if kind is mcolors.AsinhNorm or kind is _scale_norm("asinh"):
        params = _transform_params(norm, "linear_width")
        return params and ("asinh", params)
    return {CbrtNorm: ("cbrt", ()), EqHistNorm: ("eq_hist", ())}.get(kind)


def check_limits(norm, is_found=False, limits=None):
    """ValueError for limits that the norm cannot use: its own, of which both are set, or others.

    `is_found`: one of them is from the data.
    """
    vmin, vmax = (norm.vmin, norm.vmax) if limits is None else limits
    if vmin > vmax:
        advice = ("; the limit that was not given is the data's own: give both" if is_found else
                  ": exchange them, and for reversed colors use a colormap such as 'viridis_r'")
        raise ValueError(f"vmin ({vmin}) must be less than or equal to vmax ({vmax}){advice}")
    if type(norm) is mcolors.LogNorm and vmin != vmax and not (vmin > 0 and np.isfinite(vmax)):
        raise ValueError(f"Invalid vmin or vmax: a log norm needs limits above zero, not {vmin} to {vmax}; give vmin, or "
                         "use norm='symlog'")
    if type(norm) is mcolors.TwoSlopeNorm and not vmin <= norm.vcenter <= vmax:
        raise ValueError("vmin, vcenter, vmax must increase monotonically")


def check_given_limits(norm):
    """ValueError for limits that the norm cannot use, whatever those are that are not set yet."""
    if norm.scaled():
        check_limits(norm)
    elif type(norm) is mcolors.LogNorm and any(limit is not None and not limit > 0 for limit in (norm.vmin, norm.vmax)):
        raise ValueError(f"Invalid vmin or vmax: a log norm needs limits above zero, not vmin={norm.vmin} and vmax={norm.vmax}")


def _boundary_rows(norm, n_colors):
    """(boundaries, table row of each region, row of values above) of a BoundaryNorm; None if the norm has to be called."""
    edges = np.asarray(norm.boundaries, dtype=np.float64)
    is_plain = (norm.extend == "neither" and norm.Ncmap < 2**15 and edges.ndim == 1 and np.all(np.diff(edges) >= 0)
                and (norm.vmin, norm.vmax) == (edges[0], edges[-1]))
    if not is_plain:
        return None
    n_regions = len(edges) - 1
    if norm.Ncmap == n_regions:
        rows = np.arange(n_regions)
    elif n_regions == 1:
        rows = np.array([(norm.Ncmap - 1) // 2])
    else:
        rows = ((norm.Ncmap - 1) / (n_regions - 1) * np.arange(n_regions)).astype(np.int64)
    over = norm.Ncmap - 1 if norm.clip else norm.Ncmap
    return None if rows.max() >= n_colors else (edges, rows.astype(np.int32), over)


def _native_boundary(norm, cmap, table, shared):
    rows_found = _boundary_rows(norm, cmap.N)
    if rows_found is None:
        return None
    edges, rows, over = rows_found
    if over < cmap.N:
        table[cmap.N + 1] = table[over]
    if norm.clip:
        table[cmap.N] = table[rows[0]]
    return NativeStyle("boundary", float(edges[0]), float(edges[-1]), (), edges, rows, table, **shared)


def native_style(norm, cmap, marks=MarkColors(), alpha=None, search=None):
    """The NativeStyle with the colors of ``cmap(norm(cells), bytes=True)``; None if the objects have to be called.

    `norm` has both limits, or there is a `LimitsSearch`; `alpha` is None, one factor for all cells, or (H, W) factors.
    """
    is_boundary = type(norm) is mcolors.BoundaryNorm
    kind = ("boundary", ()) if is_boundary else _native_kind(norm)
    if kind is None:
        return None
    table = color_table(cmap, marks)
    shared = dict(zip(("nan_rgba", "pos_inf_rgba", "neg_inf_rgba"), mark_bytes(table[-1].tolist(), marks), strict=True))
    shared["masked_rgba"] = tuple(table[-1].tolist())
    if alpha is not None:
        shared |= {"alpha": float(alpha)} if np.ndim(alpha) == 0 else {"alpha_cells": np.ascontiguousarray(alpha, np.float32)}
    if is_boundary:
        return _native_boundary(norm, cmap, table, shared)
    if search is None:
        check_limits(norm)
    if norm.clip and type(norm) is not mcolors.TwoSlopeNorm:  # TwoSlopeNorm ignores its clip
        table[-3:] = table[[0, cmap.N - 1, 0]]
    vmin, vmax = (math.nan if limit is None else float(limit) for limit in (norm.vmin, norm.vmax))
    return NativeStyle(kind[0], vmin, vmax, kind[1], None, None, table, **shared, search=search)


def is_cellwise(norm):
    """Whether there is a NativeStyle for a norm; a cell's color then does not depend on other cells."""
    return type(norm) is not EqHistNorm and (type(norm) is mcolors.BoundaryNorm or _native_kind(norm) is not None)


def may_be_sharp(norm):
    """Whether a norm, or its name, may color cells of Mitchell's filter, whose negative weights leave noise around 0 beside edges.

    A logarithm would show the sign of that noise, and its size.
    """
    return norm != "log" if isinstance(norm, str) else not isinstance(norm, mcolors.LogNorm)


# ---- cells to pixels -------------------------------------------------------------------------------------------------


def shade(cells, norm, cmap, marks=MarkColors(), alpha=None, out=None, shaded=None):
    """Cells (H, W) -> pixels (H, W, 4) uint8 with straight alpha, written to `out` if it is given.

    `shaded` are the `Shaded` pixels of the cells, written to `out` already, if there are any.
    """
    style = native_style(norm, cmap, marks, alpha)
    if style is not None:
        pixels = None if shaded is None else shaded.take(style)
        return _native.shade(cells, style, out) if pixels is None else pixels
    pixels = shade_on_host(cells.numpy(), norm, cmap, marks, alpha)  # copies one value per pixel
    if out is None:
        return pixels
    out[...] = pixels
    return out


def shade_on_host(values, norm, cmap, marks=MarkColors(), alpha=None):
    """The pixels of (H, W) float64 values, by calling any Normalize and Colormap on the host."""
    cmap = marks.with_ends(cmap)
    pixels = cmap(norm(np.ma.masked_invalid(values)), bytes=True)
    bad = cmap(np.array([np.nan]), bytes=True)[0]
    nan_rgba, pos_inf_rgba, neg_inf_rgba = mark_bytes(bad, marks)
    pixels[np.isnan(values)] = nan_rgba
    pixels[np.isposinf(values)] = pos_inf_rgba
    pixels[np.isneginf(values)] = neg_inf_rgba
    pixels[is_masked(values)] = bad
    pixels[is_empty(values)] = 0
    if alpha is not None:
        pixels[..., 3] = np.clip(pixels[..., 3] * np.asarray(alpha, np.float32), 0, 255).astype(np.uint8)
    return pixels
