"""What can be set on an inspector, each value checked before anything changes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...color.color_limits import LIMITS
from ...plane.reduce import AGGS, NAN_POLICIES, check_choice
from ...plane.view import COMPLEX_MODES
from .axes import Roles
from .palette import check_number, check_robust
from .selection import check_selection

__all__ = ["AUTOMATIC", "ROLE_FIELDS", "SETTABLE", "Settings", "check_values", "check_window", "rounded_view"]

# What a menu calls the choice that nobody made.
AUTOMATIC = "automatic"

ROLE_FIELDS = ("x", "y", "rgb", "rows", "columns", "reduce", "index")
SETTABLE = ("item", *ROLE_FIELDS, "cmap", "norm", "vmin", "vmax", "agg", "nan", "view", "aspect", "region",
            "complex_mode", "limits", "robust", "selection")
ASPECTS = ("equal", "auto")
REGIONS = ("view", "slice", "all", "selection")

# Beyond that elements have no places of their own in float64.
MAX_POSITION = 2.0**53


@dataclass(frozen=True)
class Settings:
    """Every choice of a user about the item that is shown; None stands for the automatic one.

    Attributes
    ----------
    roles : Roles
    cmap, norm, agg, aspect : str or None
    vmin, vmax : float or None
    limits : {"auto", "elements", "pixels"}
    robust : bool, float or (float, float)
    nan, region, complex_mode : str
    view : ((float, float), (float, float)) or None
    box : (int, int, int, int) or None
        The elements from which limits come where `region` is "view"; None is the whole plane.
    selection : ((int, int), (int, int)) or None
        Rows and columns that are selected.
    """

    roles: Roles
    cmap: str | None = None
    norm: str | None = None
    agg: str | None = None
    vmin: float | None = None
    vmax: float | None = None
    limits: str = "auto"
    robust: object = False
    nan: str = "auto"
    aspect: str | None = None
    region: str = "slice"
    complex_mode: str = "amplitude"
    view: tuple | None = None
    box: tuple | None = None
    selection: tuple | None = None

    @property
    def given_limits(self):
        """(vmin, vmax) as the user gave them, None for a limit that is found."""
        return self.vmin, self.vmax

    def changed(self, values, palette):
        """Other settings; `values` are some of SETTABLE but the item.

        Raises
        ------
        ValueError, TypeError, IndexError
            With nothing changed.
        """
        checks = {
            "cmap": palette.check_cmap, "norm": palette.check_norm, "agg": check_agg, "robust": check_robust,
            "vmin": lambda value: check_number(value, "vmin"), "vmax": lambda value: check_number(value, "vmax"),
            "nan": lambda value: check_choice("nan", value, NAN_POLICIES),
            "limits": lambda value: check_choice("limits", value, LIMITS),
            "aspect": lambda value: check_choice("aspect", value, ASPECTS),
            "region": lambda value: check_choice("region", value, REGIONS),
            "complex_mode": lambda value: check_choice("complex_mode", value, COMPLEX_MODES),
            "view": check_view, "selection": check_selection,
        }
        fields = {name: check(values[name]) for name, check in checks.items() if name in values}
        roles = self.roles.changed({name: values[name] for name in ROLE_FIELDS if name in values})
        other = replace(replace(self, roles=roles, **self._seen_under(roles)), **fields)
        if "region" in values and other.region == "selection" and other.selection is None:
            raise ValueError("region='selection': nothing is selected")
        return other._with_usable_limits(palette, values).with_selection(other.selection)

    def with_selection(self, selection):
        """Another selection, or none: limits are then no longer those of it."""
        region = "slice" if selection is None and self.region == "selection" else self.region
        return replace(self, selection=selection, region=region)

    def within(self, shape):
        """Without a selection that reaches beyond a plane."""
        is_inside = self.selection is None or all(part[1] <= n for part, n in zip(self.selection, shape, strict=True))
        return self if is_inside else self.with_selection(None)

    def _seen_under(self, roles):
        """The part of the plane that is looked at, under other axes: turned where they are exchanged, all of it else."""
        if (roles.x, roles.y) == (self.roles.x, self.roles.y):
            return {}
        is_turned = (roles.y, roles.x) == (self.roles.x, self.roles.y)
        view = self.view[::-1] if is_turned and self.view is not None else None
        box = (*self.box[2:], *self.box[:2]) if is_turned and self.box is not None else None
        selection = self.selection[::-1] if is_turned and self.selection is not None else None
        return {"view": view, "box": box, "selection": selection}

    def _with_usable_limits(self, palette, values):
        """Limits that were given for another norm and do not fit the new one are the data's again."""
        try:
            palette.check_limits(self.norm, self.vmin, self.vmax)
        except ValueError:
            if "norm" not in values or "vmin" in values or "vmax" in values:
                raise
            return replace(self, vmin=None, vmax=None)
        return self


def check_values(values):
    """The dict of values itself, or an error that says what can be set."""
    if not isinstance(values, Mapping):
        raise TypeError(f"values is a dict of fields of the state, not {type(values).__name__}")
    unknown = [name for name in values if not isinstance(name, str) or name not in SETTABLE]
    if unknown:
        raise ValueError(f"{str(unknown[0])[:60]!r} cannot be set; what can be set is {', '.join(SETTABLE)}")
    return dict(values)


def check_agg(agg):
    return None if agg is None else check_choice("agg", agg, AGGS)


def check_view(view):
    """((row0, row1), (col0, col1)) of finite floats in rising order, or None for the whole plane."""
    if view is None:
        return None
    rows, cols = (_pair(part) for part in _two(view))
    return rows, cols


def rounded_view(view, size):
    """The view of a hand on so many pixels, in decimals that a pixel can mean: a tenth of one, at most whole elements.

    Examples
    --------
    >>> in_decimals(((12.000000000000002, 33.333333333333336), (0.0, 16384.0)), (400, 512))
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
    """(low, high), finite, low < high, apart enough to be told from each other."""
    low, high = (check_number(edge, "an edge of the view") for edge in _two(part))
    if low is None or high is None:
        raise TypeError("edges of the view are numbers")
    if not (abs(low) <= MAX_POSITION and abs(high) <= MAX_POSITION):
        raise ValueError(f"a view from {low:g} to {high:g} is too far from any element")
    if not high - low > 16 * math.ulp(max(abs(low), abs(high))):
        raise ValueError(f"a view from {low:g} to {high:g} shows nothing: the second edge has to be the larger one")
    return low, high
