"""Settings of the shown item, and the checks of their values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...choices import check_choice
from ...color.color_limits import LIMITS
from ...plane.aggs import AGGS, NAN_POLICIES
from ...plane.view import COMPLEX_MODES
from .axes import Roles
from .palette import check_limit, check_robust
from .selection import check_selection

# The name of an automatic choice in menus.
AUTOMATIC = "automatic"

ROLE_FIELDS = ("x", "y", "rgb", "rows", "columns", "reduce", "index")
SETTABLE = ("item", *ROLE_FIELDS, "cmap", "norm", "vmin", "vmax", "agg", "nan", "view", "aspect", "region",
            "complex_mode", "limits", "robust", "selection")
ASPECTS = ("equal", "auto")
REGIONS = ("view", "slice", "all", "selection")

# Larger positions are not exact in float64.
MAX_POSITION = 2.0**53


@dataclass(frozen=True)
class Settings:
    """All choices for the shown item; None is the automatic one."""

    roles: Roles
    cmap: str | None = None
    norm: str | None = None
    agg: str | None = None
    vmin: float | None = None
    vmax: float | None = None
    limits: str = "auto"  # {"auto", "elements", "pixels"}
    robust: object = False  # bool, float or (float, float)
    nan: str = "auto"
    aspect: str | None = None
    region: str = "slice"
    complex_mode: str = "amplitude"
    view: tuple | None = None  # ((float, float), (float, float)) or None
    # Elements that limits are found from if `region` is "view"; None is the whole plane.
    box: tuple[int, int, int, int] | None = None
    selection: tuple | None = None  # ((int, int), (int, int)) or None: rows and columns

    @property
    def given_limits(self):
        """(vmin, vmax) that the user gave; None for a limit that is found."""
        return self.vmin, self.vmax

    def changed(self, values, palette):
        """The Settings with some fields of SETTABLE, other than the item, changed; ValueError, TypeError or IndexError for bad ones."""
        checks = {
            "cmap": palette.check_cmap, "norm": palette.check_norm, "agg": _check_agg, "robust": check_robust,
            "vmin": lambda value: check_limit("vmin", value), "vmax": lambda value: check_limit("vmax", value),
            "nan": lambda value: check_choice("nan", value, NAN_POLICIES),
            "limits": lambda value: check_choice("limits", value, LIMITS),
            "aspect": lambda value: check_choice("aspect", value, ASPECTS),
            "region": lambda value: check_choice("region", value, REGIONS),
            "complex_mode": lambda value: check_choice("complex_mode", value, COMPLEX_MODES),
            "view": _check_view, "selection": check_selection,
        }
        fields = {name: check(values[name]) for name, check in checks.items() if name in values}
        roles = self.roles.changed({name: values[name] for name in ROLE_FIELDS if name in values})
        other = replace(replace(self, roles=roles, **self._seen_under(roles)), **fields)
        if "region" in values and other.region == "selection" and other.selection is None:
            raise ValueError("region='selection': nothing is selected")
        return other._with_usable_limits(palette, values).with_selection(other.selection)

    def with_selection(self, selection):
        """The Settings with another selection; None also ends limits that are found from it."""
        region = "slice" if selection is None and self.region == "selection" else self.region
        return replace(self, selection=selection, region=region)

    def within(self, shape):
        """The Settings without a selection that does not lie in a plane of that shape."""
        is_inside = self.selection is None or all(part[1] <= n for part, n in zip(self.selection, shape, strict=True))
        return self if is_inside else self.with_selection(None)

    def _seen_under(self, roles):
        """View, box and selection for other axes: transposed if x and y are exchanged, else none."""
        if (roles.x, roles.y) == (self.roles.x, self.roles.y):
            return {}
        is_turned = (roles.y, roles.x) == (self.roles.x, self.roles.y)
        view = self.view[::-1] if is_turned and self.view is not None else None
        box = (*self.box[2:], *self.box[:2]) if is_turned and self.box is not None else None
        selection = self.selection[::-1] if is_turned and self.selection is not None else None
        return {"view": view, "box": box, "selection": selection}

    def _with_usable_limits(self, palette, values):
        """The Settings with limits reset that do not fit a new norm; ValueError if these are among the new values."""
        try:
            palette.check_limits(self.norm, self.vmin, self.vmax)
        except ValueError:
            if "norm" not in values or "vmin" in values or "vmax" in values:
                raise
            return replace(self, vmin=None, vmax=None)
        return self


def check_values(values):
    """A copy of the dict; an error for names that cannot be set."""
    if not isinstance(values, Mapping):
        raise TypeError(f"values is a dict of fields of the state, not {type(values).__name__}")
    unknown = [name for name in values if not isinstance(name, str) or name not in SETTABLE]
    if unknown:
        raise ValueError(f"{str(unknown[0])[:60]!r} cannot be set; what can be set is {', '.join(SETTABLE)}")
    return dict(values)


def _check_agg(agg):
    """An aggregation or None; ValueError for an unknown one."""
    return None if agg is None else check_choice("agg", agg, AGGS)


def _check_view(view):
    """((row0, row1), (col0, col1)) of finite floats in rising order, or None for the whole plane."""
    if view is None:
        return None
    rows, cols = (_pair(part) for part in _two(view))
    return rows, cols


def rounded_view(view, size):
    """A view rounded to a tenth of a pixel, (height, width) being the page's size, at most to whole elements.

    Examples
    --------
    >>> rounded_view(((12.000000000000002, 33.333333333333336), (0.0, 16384.0)), (400, 512))
    ((12.0, 33.333), (0.0, 16384.0))
    """
    def edges(low, high, n):
        digits = max(0, -math.floor(math.log10((high - low) / (10 * n))))
        return round(low, digits), round(high, digits)

    return tuple(edges(*part, n) for part, n in zip(view, size, strict=True))


def check_window(window):
    """The four edges of a window as floats: row0 < row1 and col0 < col1."""
    if isinstance(window, (str, bytes)) or not np.iterable(window):
        raise TypeError("window is [row0, row1, col0, col1] in elements of the plane")
    edges = list(window) if len(window) == 4 else []
    if len(edges) != 4:
        raise ValueError("window is [row0, row1, col0, col1] in elements of the plane")
    return *_pair(edges[:2]), *_pair(edges[2:])


def _two(pair):
    if isinstance(pair, (str, bytes)) or not isinstance(pair, (list, tuple, np.ndarray)):
        raise TypeError("view is ((row0, row1), (col0, col1)) in elements of the plane, or None")
    if len(pair) != 2:
        raise ValueError("view is ((row0, row1), (col0, col1)) in elements of the plane, or None")
    return pair


def _pair(part):
    """(low, high): finite, rising, and distinct in float64."""
    low, high = (check_limit("an edge of the view", edge) for edge in _two(part))
    if low is None or high is None:
        raise TypeError("edges of the view are numbers")
    if not (abs(low) <= MAX_POSITION and abs(high) <= MAX_POSITION):
        raise ValueError(f"a view from {low:g} to {high:g} is too far from any element")
    if not high - low > 16 * math.ulp(max(abs(low), abs(high))):
        raise ValueError(f"a view from {low:g} to {high:g} shows nothing: the second edge has to be the larger one")
    return low, high
