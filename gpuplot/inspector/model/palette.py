"""Colours of the inspector: what its menus offer, and the colormap, norm and limits that a plane gets."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace

import numpy as np
from matplotlib import colors as mcolors

from ...arrays.scalars import one_number
from ...color.categories import category_colors, check_labels
from ...color.color_limits import fill_limits, robust_percents, set_limits, usual_cmap
from ...color.norms import CbrtNorm, EqHistNorm
from ...color.style import MarkColors, color_table, find_cmap, find_norm, mark_bytes
from ...plane.reduce import OTHER_UNITS, check_choice
from .ticks import edges_between

__all__ = ["Colors", "Palette"]

# Colours of the bar, and of each colormap in the menu.
N_STEPS, N_SAMPLES = 64, 8

CMAPS = ("viridis", "magma", "inferno", "plasma", "cividis", "gray", "turbo", "RdBu_r", "coolwarm", "seismic", "PiYG",
         "twilight", "hsv", "tab10", "tab20")
NORMS = ("linear", "log", "symlog", "asinh", "cbrt", "eq_hist")

# Elements that are not finite must not be missed: colours far from those of the usual maps (definitions 20.6).
VISIBLE_MARKS = {"nan": "#ff00ff", "pos_inf": "#00ffff", "neg_inf": "#ff8000"}

# Norms that lose nothing when their limits are taken away; the others mean what their limits say.
_FREE_NORMS = (mcolors.Normalize, mcolors.LogNorm, mcolors.PowerNorm, mcolors.SymLogNorm, mcolors.AsinhNorm,
               mcolors.TwoSlopeNorm, CbrtNorm, EqHistNorm)

# Norms in which a centre has no meaning, or that have their own.
_WITHOUT_CENTRE = (mcolors.LogNorm, mcolors.BoundaryNorm, mcolors.TwoSlopeNorm, mcolors.CenteredNorm)

# More classes than that nobody looks up in a list.
MOST_CATEGORIES = 128


@dataclass(frozen=True)
class Colors:
    """How the cells of the present frame are coloured.

    Attributes
    ----------
    cmap : Colormap
    norm : Normalize
        With both limits.
    is_categorical : bool
    categories : tuple of int
        The class numbers, where they are categories.
    is_of_cells : bool
        Whether limits are those of the cells that are drawn.
    is_diverging : bool
        Whether they are centred.
    """

    cmap: object
    norm: object
    is_categorical: bool = False
    categories: tuple = ()
    is_of_cells: bool = False
    is_diverging: bool = False

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
        """(64 colours as text, the 65 values between which they are): as even as the norm makes them, from vmin to vmax.

        Parameters
        ----------
        cells : array_like, optional
            Values for norms that rank them.

        Returns
        -------
        list of str
        ndarray or None
            None where the values are even.
        """
        norm, low, high = self.norm, self.vmin, self.vmax
        steps = (np.arange(N_STEPS) + 0.5) / N_STEPS
        edges = edges_between(norm, low, high, N_STEPS)
        t = steps if edges is not None else self._places_of(low * (1 - steps) + high * steps, cells)
        return [hex_of(color) for color in self.cmap(t, bytes=True)], edges

    def _places_of(self, values, cells):
        """From 0 to 1 under the norm; even ones for a caller's norm that has no meaning for these limits: the frame says so."""
        norm = self.norm
        if self.is_ranked:
            norm = EqHistNorm(self.vmin, self.vmax).fit([self.vmin, self.vmax] if cells is None else cells)
        with np.errstate(all="ignore"):
            try:
                return norm(np.ma.masked_invalid(values))
            except ValueError:
                return np.linspace(0, 1, len(values))

    def category_colors(self, labels):
        """``[text, "#rrggbb"]`` of every class, or of the first ones and how many more there are."""
        if not self.categories:
            return []
        shown = self.categories[:MOST_CATEGORIES]
        colors = self.cmap(self.norm(np.array(shown, float)), bytes=True)
        named = [[str(labels.get(value, value)), hex_of(color)] for value, color in zip(shown, colors, strict=True)]
        n_more = len(self.categories) - len(shown)
        return named + [[f"and {n_more} more", "transparent"]] * (n_more > 0)


class Palette:
    """The colormaps and norms that can be chosen by name, and the colours of what has no place among them.

    Parameters
    ----------
    options : dict
        The keyword group STYLE. Its colormap and norm may be objects, which then have a place in the menus.
    """

    def __init__(self, options):
        self._cmaps = {name: name for name in CMAPS}
        self._norms = {name: name for name in NORMS}
        self._made = {}
        self.cmap = self._add_cmap(options["cmap"])
        self.norm = self._add_norm(options["norm"], options["gamma"])
        self._given_norm = self.norm if isinstance(options["norm"], mcolors.Normalize) else None
        self.labels = dict(check_labels(options["labels"]) or {})
        given = {name: options[f"{name}_color"] for name in ("nan", "pos_inf", "neg_inf", "under", "over")}
        self.marks = MarkColors(**{name: VISIBLE_MARKS.get(name) if color is None else color for name, color in given.items()})
        self.center = options["center"]
        norm = self.make_norm(self.norm)
        set_limits(norm, _SOME_LIMITS, center=self._centre(norm), percentiles=lambda *_: (0.0, 1.0))

    def _add_cmap(self, cmap):
        found = find_cmap(cmap)
        if cmap is None:
            return None
        self._cmaps[found.name if not isinstance(cmap, str) else cmap] = cmap
        return found.name if not isinstance(cmap, str) else cmap

    def _add_norm(self, norm, gamma):
        if norm is None and gamma is None:
            return None
        if isinstance(norm, str) and gamma is None:
            find_norm(norm)
            self._norms.setdefault(norm, norm)
            return norm
        found = find_norm(norm, gamma=gamma)
        name = f"power {found.gamma:g}" if norm is None else type(norm).__name__
        self._norms[name] = found
        return name

    def menus(self, choice):
        """Names of colormaps and of norms, those that were chosen among them."""
        own = (CMAPS, NORMS), (self.cmap, self.norm), (choice.cmap, choice.norm)
        return tuple(list(dict.fromkeys([*own[0][i], *(name for name in (own[1][i], own[2][i]) if name is not None)]))
                     for i in (0, 1))

    def samples(self, choice):
        """``{name: [8 colours as text]}`` of the colormaps that can be chosen."""
        places = np.linspace(0, 1, N_SAMPLES)
        return {name: [hex_of(color) for color in find_cmap(self._cmaps.get(name, name))(places, bytes=True)]
                for name in self.menus(choice)[0]}

    # ---- choices ------------------------------------------------------------------------------------------------------

    def check_cmap(self, name):
        """The name of a colormap, None for the automatic one; names outside the menu join it."""
        if name is None:
            return None
        if isinstance(name, str) and name in self._cmaps:
            return name
        return self._add_cmap(name)

    def check_norm(self, name):
        """A name in the menu; None is the automatic one."""
        return None if name is None else check_choice("norm", name, self._norms)

    def make_norm(self, name, vmin=None, vmax=None):
        """A norm of its own, with the limits that are given."""
        known = self._norms.get(name)
        if known is None or isinstance(known, str):
            return find_norm(known, vmin, vmax)
        norm = copy.deepcopy(known)
        if type(norm) in _FREE_NORMS:
            norm.vmin = norm.vmax = None
        if type(norm) is not mcolors.BoundaryNorm:
            for limit, value in (("vmin", vmin), ("vmax", vmax)):
                if value is not None:
                    setattr(norm, limit, value)
        return norm

    def own_limits(self):
        """Limits that a norm object brought along, which count as given."""
        known = self._norms.get(self.norm)
        if isinstance(known, mcolors.Normalize) and type(known) in _FREE_NORMS:
            return known.vmin, known.vmax
        return None, None

    def check_limits(self, name, vmin, vmax):
        """Raises ValueError for limits that a user gave and the norm cannot use."""
        if vmin is not None and vmax is not None and vmin > vmax:
            raise ValueError(f"vmin ({vmin:g}) must be less than or equal to vmax ({vmax:g}): exchange them, or use a reversed "
                             "colormap such as 'viridis_r'")
        if type(self.make_norm(name)) is mcolors.LogNorm:
            for limit, value in (("vmin", vmin), ("vmax", vmax)):
                if value is not None and value <= 0:
                    raise ValueError(f"{limit} ({value:g}): a log norm needs limits above zero; use norm='symlog' for both signs")

    def _centre(self, norm):
        """The centre that was asked for, where the norm can have one; only an explicit one is refused."""
        is_auto = isinstance(self.center, str) and self.center == "auto"
        return None if is_auto and isinstance(norm, _WITHOUT_CENTRE) else self.center

    # ---- what a plane gets --------------------------------------------------------------------------------------------

    def has_norm_object(self, name):
        """Whether the norm of this name is an object that the caller gave."""
        return name is not None and name == self._given_norm

    def fit(self, choice, view, agg, limits, percentiles=None, center=None, is_centred=True, kind="elements", cells=None):
        """The colours for elements of which `limits` are known.

        Parameters
        ----------
        choice : Settings
            With ``cmap, norm, vmin, vmax, robust``.
        view : View or None
            Angles have limits and a colormap of their own.
        agg : str
        limits : callable
            ``limits() -> Limits`` of the elements.
        percentiles : callable
            As `color_limits.set_limits` takes it.
        center : float, optional
            A centre that the item itself has, before the one that was asked for.
        is_centred : bool
            Whether limits may be put around a centre.
        kind : {"auto", "elements", "pixels"}
            What limits come from.
        cells : callable, optional
            As `color_limits.fill_limits` takes it.
        """
        norm = self.make_norm(choice.norm, choice.vmin, choice.vmax)
        centre = self._centre(norm) if center is None else center
        if not is_centred or isinstance(norm, _WITHOUT_CENTRE):  # which may have been chosen from the menu
            centre = None
        try:
            is_diverging, is_of_cells = fill_limits(
                norm, view, agg, kind, robust=choice.robust, center=centre, cells=cells,
                elements=lambda: set_limits(norm, limits(), robust=choice.robust, center=centre, percentiles=percentiles))
        except ValueError:
            norm, is_diverging, is_of_cells = self._flat(choice), False, False
        return Colors(self._cmap_of(choice, view, is_diverging), norm, is_of_cells=is_of_cells and agg not in OTHER_UNITS,
                      is_diverging=is_diverging)

    def with_cmap_of(self, colors, choice, view):
        """The colours that were found before, on the colormap of a choice."""
        return replace(colors, cmap=self._cmap_of(choice, view, colors.is_diverging))

    def with_limits(self, colors, choice, view, vmin, vmax, is_diverging):
        """The colours of a choice with other limits; None leaves one as it is."""
        norm = self.make_norm(choice.norm, *(old if new is None else new for old, new in ((colors.vmin, vmin), (colors.vmax, vmax))))
        return replace(colors, cmap=self._cmap_of(choice, view, is_diverging), norm=norm, is_diverging=is_diverging)

    def _cmap_of(self, choice, view, is_diverging):
        """A Colormap; matplotlib makes a new one for each name, whose colours would be computed again and again."""
        cmap = None if choice.cmap is None else self._cmaps[choice.cmap]
        found = usual_cmap(cmap, view, is_diverging)
        return self._made.setdefault(found.name, found) if cmap is None or isinstance(cmap, str) else found

    def _flat(self, choice):
        """A norm for a user's limit that lies beyond all the data: the other limit joins it, and one colour is left."""
        given = [limit for limit in (choice.vmin, choice.vmax) if limit is not None]
        norm = self.make_norm(choice.norm)
        norm.vmin = norm.vmax = given[0] if given else 1.0
        return norm

    def fit_categories(self, choice, classes):
        """The colours of class numbers, of which there are `Classes`."""
        cmap, norm = category_colors(classes, None if choice.cmap is None else self._cmaps[choice.cmap])
        return Colors(cmap, norm, True, classes.present or ())

    def mark_texts(self, cmap):
        """The colours of NaN, +Inf and -Inf as text."""
        return dict(zip(("nan", "pos_inf", "neg_inf"), map(hex_of, mark_bytes(cmap, self.marks)), strict=True))

    def end_texts(self, cmap):
        """The colours of elements below and above the limits as text."""
        under, over, _ = color_table(cmap, self.marks)[-3:]
        return {"under": hex_of(under, has_alpha=True), "over": hex_of(over, has_alpha=True)}


@dataclass(frozen=True)
class _Some:
    min: float = 1.0
    max: float = 2.0
    min_positive: float = 1.0


# Stand for data where only the combination of norm and centre is checked.
_SOME_LIMITS = _Some()


def hex_of(rgba, has_alpha=False):
    """Bytes of a colour as the page writes it."""
    return "#" + "".join(f"{int(part):02x}" for part in rgba[:4 if has_alpha else 3])


def check_number(value, name):
    """A finite float, or None for a limit that follows the data."""
    if value is None:
        return None
    number = one_number(name, value)
    if getattr(value, "shape", ()) != () or isinstance(value, (bool, np.bool_)) or getattr(value, "dtype", None) == np.bool_:
        raise TypeError(f"{name} is a number or None, not {type(value).__name__}")  # a trait is compared with what it was
    if not math.isfinite(number):
        raise ValueError(f"{name} has to be finite, not {number}")
    return number


def check_robust(value):
    """False, or what `robust` of `gpuplot.imshow` takes."""
    percents = robust_percents(value)
    if percents is None:
        return False
    return percents if np.iterable(value) else value
