"""The colormaps and norms of the inspector's menus, and Colors: the colormap, norm and limits of a frame."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace

import numpy as np
from matplotlib import colors as mcolors

from ...choices import check_choice
from ...color.categories import category_colors, check_labels
from ...color.color_limits import (
    NORMS_WITHOUT_CENTER,
    center_number,
    fill_limits,
    limits_search,
    robust_percents,
    set_limits,
    usual_cmap,
)
from ...color.norms import CbrtNorm, EqHistNorm
from ...color.style import VISIBLE_MARKS, MarkColors, color_table, find_cmap, find_norm, limit_number, mark_bytes
from ...plane.aggs import OTHER_UNITS
from ...plane.limits import UNKNOWN
from .ticks import norm_edges

# Colors of the bar, and of each colormap in the menu.
N_STEPS, N_SAMPLES = 64, 8

CMAPS = ("viridis", "magma", "inferno", "plasma", "cividis", "gray", "turbo", "RdBu_r", "coolwarm", "seismic", "PiYG",
         "twilight", "hsv", "tab10", "tab20")
NORMS = ("linear", "log", "symlog", "asinh", "cbrt", "eq_hist")

# Norms whose limits may be found from the data; other norm objects keep their own.
_RESCALABLE_NORMS = (mcolors.Normalize, mcolors.LogNorm, mcolors.PowerNorm, mcolors.SymLogNorm, mcolors.AsinhNorm,
                     mcolors.TwoSlopeNorm, CbrtNorm, EqHistNorm)

# Classes that are listed with their colors.
MAX_CATEGORIES = 128


@dataclass(frozen=True)
class Colors:
    """How cells become colors."""

    cmap: object  # Colormap
    norm: object  # Normalize: with both limits
    is_categorical: bool = False
    categories: tuple[int, ...] = ()  # the class numbers of classes
    is_of_cells: bool = False  # whether limits were found in cells, else in elements
    center: float | None = None  # the number around which limits lie; None: around none
    is_beyond: bool = False  # whether the one limit that was given lies beyond all data

    @property
    def is_diverging(self):
        """Whether limits lie around a center."""
        return self.center is not None

    @property
    def vmin(self):
        return float(self.norm.vmin)

    @property
    def vmax(self):
        return float(self.norm.vmax)

    @property
    def is_ranked(self):
        """Whether the norm ranks the cells of the picture."""
        return isinstance(self.norm, EqHistNorm)

    def bar(self, cells=None):
        """The color bar from vmin to vmax: 64 colors, and the 65 values at their edges, None where these are evenly spaced.

        `cells` are values for a norm that ranks them. Up to 128 classes have one color each.
        """
        low, high = self.vmin, self.vmax
        n_classes = round(high - low) if self.is_categorical else 0
        n = n_classes if 0 < n_classes <= MAX_CATEGORIES else N_STEPS
        steps = (np.arange(n) + 0.5) / n
        edges = norm_edges(self.norm, low, high, N_STEPS)
        # The norm's own difference of such limits is infinite.
        is_too_wide = type(self.norm) is mcolors.Normalize and not math.isfinite(high - low)
        t = steps if edges is not None or is_too_wide else self._normalized(low * (1 - steps) + high * steps, cells)
        return [hex_color(color) for color in self.cmap(t, bytes=True)], edges

    def _normalized(self, values, cells):
        """Values normalized to 0..1; evenly spaced ones if a caller's norm refuses these limits, which drawing reports."""
        norm = self.norm
        if self.is_ranked:
            norm = EqHistNorm(self.vmin, self.vmax).fit([self.vmin, self.vmax] if cells is None else cells)
        with np.errstate(all="ignore"):
            try:
                return norm(np.ma.masked_invalid(values))
            except ValueError:
                return np.linspace(0, 1, len(values))

    def category_colors(self, labels):
        """``[label, "#rrggbb"]`` of each of the first 128 classes, and ``["and 5 more", "transparent"]`` where there are more."""
        if not self.categories:
            return []
        listed = self.categories[:MAX_CATEGORIES]
        colors = self.cmap(self.norm(np.array(listed, float)), bytes=True)
        named = [[str(labels.get(value, value)), hex_color(color)] for value, color in zip(listed, colors, strict=True)]
        n_more = len(self.categories) - len(listed)
        if n_more:
            named.append([f"and {n_more} more", "transparent"])
        return named


@dataclass(frozen=True)
class Measures:
    """What color limits are found from: functions that are called when they are needed.

    Attributes
    ----------
    limits : callable
        ``limits()`` returns the `Limits` of the elements.
    percentiles, cells : callable, optional
        As of `color_limits.set_limits` and `fill_limits`.
    source : {"auto", "elements", "pixels"}
        What limits are found from.
    """

    limits: object
    percentiles: object = None
    cells: object = None
    source: str = "elements"

    def sample(self):
        """The numbers of all cells, None where they are not known."""
        values = None if self.cells is None else self.cells("pixels")
        return None if values is None else values.numbers()


UNMEASURED = Measures(lambda: UNKNOWN)


class Palette:
    """The colormaps and norms that can be chosen by name, and the colors of marks.

    Parameters
    ----------
    options : dict
        The keyword group STYLE. A colormap or norm object gets an entry in the menus.
    """

    def __init__(self, options):
        self._cmaps = {name: name for name in CMAPS}
        self._norms = {name: name for name in NORMS}
        self._cmap_cache = {}
        self.cmap = None if options["cmap"] is None else self._add_cmap(options["cmap"])
        self.norm = self._add_norm(options["norm"], options["gamma"])
        self._norm_object = self.norm if isinstance(options["norm"], mcolors.Normalize) else None
        self.labels = dict(check_labels(options["labels"]) or {})
        given = {name: options[f"{name}_color"] for name in ("nan", "pos_inf", "neg_inf", "under", "over")}
        self.marks = MarkColors(**{name: VISIBLE_MARKS.get(name) if color is None else color for name, color in given.items()})
        self.center = None if options["center"] is False else options["center"]
        norm = self.make_norm(self.norm)  # raises for a center that the norm cannot have
        set_limits(norm, UNKNOWN._replace(min=1.0, max=2.0, min_positive=1.0), center=self._center_for(norm))

    def _add_cmap(self, cmap):
        colormap = find_cmap(cmap)
        name = cmap if isinstance(cmap, str) else colormap.name
        self._cmaps[name] = cmap
        return name

    def _add_norm(self, norm, gamma):
        if norm is None and gamma is None:
            return None
        found = find_norm(norm, gamma=gamma)
        if isinstance(norm, str):
            self._norms.setdefault(norm, norm)
            return norm
        name = f"power {found.gamma:g}" if norm is None else type(norm).__name__
        self._norms[name] = found
        return name

    def menus(self, settings):
        """Names of colormaps and of norms for the menus: the usual ones, the caller's and the chosen one."""
        return (_unique(*CMAPS, self.cmap, settings.cmap), _unique(*NORMS, self.norm, settings.norm))

    def samples(self, settings):
        """``{name: [8 colors]}`` of the colormaps in the menu."""
        t = np.linspace(0, 1, N_SAMPLES)
        return {name: [hex_color(color) for color in find_cmap(self._cmaps.get(name, name))(t, bytes=True)]
                for name in self.menus(settings)[0]}

    # ---- choices ------------------------------------------------------------------------------------------------------

    def check_cmap(self, name):
        """The name of a colormap, None for the automatic one; a new one is added to the menu."""
        return name if name is None or (isinstance(name, str) and name in self._cmaps) else self._add_cmap(name)

    def check_norm(self, name):
        """A name in the menu, None for the automatic one."""
        return None if name is None else check_choice("norm", name, self._norms)

    def make_norm(self, name, vmin=None, vmax=None):
        """A new norm with the given limits."""
        known = self._norms.get(name)
        if known is None or isinstance(known, str):
            return find_norm(known, vmin, vmax)
        norm = copy.deepcopy(known)
        if type(norm) in _RESCALABLE_NORMS:
            norm.vmin = norm.vmax = None
        if type(norm) is not mcolors.BoundaryNorm:
            for limit, value in (("vmin", vmin), ("vmax", vmax)):
                if value is not None:
                    setattr(norm, limit, value)
        return norm

    def own_limits(self):
        """Limits of the caller's norm object, which count as given."""
        known = self._norms.get(self.norm)
        return (known.vmin, known.vmax) if type(known) in _RESCALABLE_NORMS else (None, None)

    def check_limits(self, name, vmin, vmax):
        """Raises ValueError for limits that the norm cannot use."""
        if vmin is not None and vmax is not None and vmin > vmax:
            raise ValueError(f"vmin ({vmin:g}) must be less than or equal to vmax ({vmax:g}): exchange them, or use a reversed "
                             "colormap such as 'viridis_r'")
        if type(self.make_norm(name)) is mcolors.LogNorm:
            for limit, value in (("vmin", vmin), ("vmax", vmax)):
                if value is not None and value <= 0:
                    raise ValueError(f"{limit} ({value:g}): a log norm needs limits above zero; use norm='symlog' for both signs")

    def _center_for(self, norm, center=None):
        """An item's own center, else the caller's; None for "auto" with a norm that cannot have one."""
        is_auto = isinstance(self.center, str) and self.center == "auto"
        usual = None if is_auto and isinstance(norm, NORMS_WITHOUT_CENTER) else self.center
        return usual if center is None else center

    def has_norm_object(self, name):
        """Whether the norm of this name is an object that the caller gave."""
        return name is not None and name == self._norm_object

    # ---- what a plane gets --------------------------------------------------------------------------------------------

    def fit(self, settings, view, agg, measures, center=None, is_centered=True):
        """Colors with the limits of the data.

        Parameters
        ----------
        settings : Settings
            With ``cmap, norm, vmin, vmax, robust``.
        view : View or None
            Views of angles have their own limits and colormap.
        agg : str
        measures : Measures
        center : float, optional
            The item's own center, which precedes the caller's.
        is_centered : bool
            Whether limits may lie around a center.
        """
        norm = self.make_norm(settings.norm, settings.vmin, settings.vmax)
        center = self._center_for(norm, center)
        if not is_centered or isinstance(norm, NORMS_WITHOUT_CENTER):  # such a norm may be chosen from the menu
            center = None
        is_beyond = False
        try:
            is_diverging, is_of_cells = fill_limits(
                norm, view, agg, measures.source, robust=settings.robust, center=center, cells=measures.cells,
                elements=lambda: set_limits(norm, measures.limits(), robust=settings.robust, center=center,
                                            percentiles=measures.percentiles, sample=measures.sample))
        except ValueError:  # a given limit lies beyond all data
            norm, is_diverging, is_of_cells, is_beyond = self._constant_norm(settings), False, False, True
        return Colors(self._cmap_of(settings, view, is_diverging), norm, is_of_cells=is_of_cells and agg not in OTHER_UNITS,
                      center=center_number(center) if is_diverging else None, is_beyond=is_beyond)

    def expected(self, settings, view, agg, source, elements, center, is_diverging):
        """(norm, colormap, LimitsSearch) of `fit` for an image before its cells are known; None where they cannot be told.

        Parameters are those of `fit`, but `elements` are the `Limits` of the elements, or None; `is_diverging` is a guess about limits
        whose center is 0 where they have both signs.
        """
        norm = self.make_norm(settings.norm, settings.vmin, settings.vmax)
        center = None if isinstance(norm, NORMS_WITHOUT_CENTER) else self._center_for(norm, center)
        if isinstance(center, str):
            center = 0.0 if is_diverging else None
        search = limits_search(norm, view, agg, source, robust=settings.robust, center=center, elements=elements)
        return search and (norm, self._cmap_of(settings, view, not math.isnan(search.center)), search)

    def with_cmap_of(self, colors, settings, view):
        """Colors with the colormap of other settings."""
        return replace(colors, cmap=self._cmap_of(settings, view, colors.is_diverging))

    def with_limits(self, colors, settings, view, vmin, vmax, center):
        """Colors with other limits, around a center if that is not None; None keeps a limit."""
        norm = self.make_norm(settings.norm, colors.vmin if vmin is None else vmin, colors.vmax if vmax is None else vmax)
        return replace(colors, cmap=self._cmap_of(settings, view, center is not None), norm=norm, center=center)

    def chosen_cmap(self, settings):
        """The colormap of some settings, a name or an object; None for the automatic one."""
        return None if settings.cmap is None else self._cmaps[settings.cmap]

    def _cmap_of(self, settings, view, is_diverging):
        """The Colormap; cached, as matplotlib makes a new one, without its table, at each call."""
        cmap = self.chosen_cmap(settings)
        colormap = usual_cmap(cmap, view, is_diverging)
        return self._cmap_cache.setdefault(colormap.name, colormap) if cmap is None or isinstance(cmap, str) else colormap

    def _constant_norm(self, settings):
        """A norm with both limits at the given one."""
        norm = self.make_norm(settings.norm)
        norm.vmin = norm.vmax = next((limit for limit in settings.given_limits if limit is not None), 1.0)
        return norm

    def fit_categories(self, settings, classes):
        """Colors of Classes."""
        cmap, norm = category_colors(classes, self.chosen_cmap(settings))
        return Colors(cmap, norm, True, classes.present or ())

    def mark_texts(self, cmap):
        """``{"nan", "pos_inf", "neg_inf"}: "#rrggbb"``."""
        return dict(zip(("nan", "pos_inf", "neg_inf"), map(hex_color, mark_bytes(cmap, self.marks)), strict=True))

    def end_texts(self, cmap):
        """``{"under", "over"}: "#rrggbbaa"``: the colors beyond the limits."""
        under, over, _ = color_table(cmap, self.marks)[-3:]
        return {"under": hex_color(under, has_alpha=True), "over": hex_color(over, has_alpha=True)}


def _unique(*names):
    return list(dict.fromkeys(name for name in names if name is not None))


def hex_color(rgba, has_alpha=False):
    """Bytes of a color as "#rrggbb" or "#rrggbbaa"."""
    return "#" + bytes(rgba[:4 if has_alpha else 3]).hex()


def check_limit(name, value):
    """A finite float, or None for a limit that is found from the data."""
    if value is None:
        return None
    if getattr(value, "shape", ()) != () or isinstance(value, (bool, np.bool_)) or getattr(value, "dtype", None) == np.bool_:
        raise TypeError(f"{name} must be a number or None, not {type(value).__name__}")  # also for arrays of one element
    return limit_number(name, value)


def check_robust(value):
    """`robust`, checked as in `gpuplot.imshow`; False for None."""
    percents = robust_percents(value)
    if percents is None:
        return False
    return percents if np.iterable(value) else value
