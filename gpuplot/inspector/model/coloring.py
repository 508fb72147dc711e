"""Which colours the present planes get: whether they are classes, from which elements limits come, and when anew."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, replace

from matplotlib.colors import LogNorm

from ...color.categories import MIXING, is_categorical_dtype, keeps_classes
from ...color.classes import MAX_PASSES, Classes
from ...color.color_limits import CellValues, colorbar_extend, is_angle, limits_choice
from ...color.rgb import stored_unit
from ...plane.pooled_limits import joined
from ...plane.reduce import OTHER_UNITS, UNKNOWN
from .facts import WANT_POSITIVE, WANT_RANGE
from .frames import Viewport
from .shared_limits import Range, limits_with, unit_of

__all__ = ["Coloring"]

# Integers of more levels than that are numbers, not classes (definitions 22).
MOST_LEVELS = 32

# Cells a side from which limits come where nothing was drawn yet.
LIMITS_SIDE = 512


@dataclass(frozen=True)
class _Found:
    """Limits that were found, and stay while only elements change.

    Attributes
    ----------
    question : tuple
        All that they depend on but the elements and the look.
    look : Viewport
    colors : Colors
    """

    question: tuple
    look: object
    colors: object


@dataclass
class Coloring:
    """Finds the colours of what is shown, and keeps them until something that they depend on changes.

    Attributes
    ----------
    options : dict
        As the caller gave them.
    palette : Palette
    facts : FactBook
    store : CellStore
    """

    options: dict
    palette: object
    facts: object
    store: object

    def __post_init__(self):
        self._found = None  # limits that outlast the elements that they were found for
        self.own, self.others = None, frozenset()  # the range of the elements here, and those of linked inspectors
        self.forget()

    def forget(self):
        """The tensor is another one."""
        self._widest = {}
        self._kept = None

    def find_anew(self):
        """Limits are no longer those that were found before."""
        self._found = self._kept = None

    @contextmanager
    def aside(self):
        """What is asked for meanwhile is not what pages show, whose colours and cells are kept."""
        kept = self._kept, self._found, self.own
        try:
            with self.store.aside():
                yield
        finally:
            self._kept, self._found, self.own = kept

    # ---- numbers or classes -----------------------------------------------------------------------------------------------

    def agg(self, shown):
        """The aggregation in use."""
        agg = shown.settings.agg
        usual = "nearest" if agg is None and self.is_categorical(shown) else "mean"
        return agg if agg in shown.aggs else usual

    def is_sharp(self, shown):
        """Whether nobody chose an aggregation: means may be Mitchell's."""
        return self.agg(shown) == "mean" != shown.settings.agg

    def is_categorical(self, shown):
        """Whether elements are class numbers: by the dtype, and for integers by how many levels were seen so far."""
        if not self.may_be_categorical(shown):
            return False
        if self.options["categorical"] or shown.source.dtype == "bool":
            return True
        return self._levels_seen(shown) <= MOST_LEVELS

    def could_be_categorical(self, shown):
        """False where the dtype, or what is shown of the tensor, speaks against it, whatever a user chooses."""
        is_plain = shown.kind == "image" and keeps_classes(shown.view)
        return is_plain and is_categorical_dtype(shown.source.dtype) and self.options["categorical"] in (None, True)

    def may_be_categorical(self, shown):
        """False where a choice of the user speaks against it, too."""
        settings = shown.settings
        if not self.could_be_categorical(shown) or settings.agg in MIXING:
            return False
        is_number = settings.norm is not None or settings.vmin is not None or settings.vmax is not None
        return bool(self.options["categorical"]) or not is_number

    def ignored(self, shown):
        """Class numbers that stand for no class."""
        return self._classes(shown).ignored if self.is_categorical(shown) else frozenset()

    def _levels_seen(self, shown):
        """Of the planes that were shown so far: once they are many, the tensor stays one of numbers."""
        low, high = self._widest.get(shown.item, (math.inf, -math.inf))
        if high - low < MOST_LEVELS:
            first, last = self._classes(shown).ends
            low, high = min(low, first), max(high, last)
            self._widest[shown.item] = low, high
        return high - low + 1

    def _classes(self, shown):
        """The class numbers of all facets."""
        limits = joined(self.facts.limits(plane, WANT_RANGE) for plane in shown.planes)

        def count(*numbers):
            return sum(self.facts.counts(plane, *numbers) for plane in shown.planes)

        return Classes(limits, count, self.options["ignore_index"], MAX_PASSES // len(shown.planes))

    # ---- colours ----------------------------------------------------------------------------------------------------------

    def colors(self, shown, look, keeps_limits=False):
        """The Colors of what is shown; `look` is the last one, or None, `keeps_limits` as `Scene.draw` takes it."""
        look_of_limits = self._look_of_limits(shown, look, keeps_limits)
        key = shown, _box(shown, look), look_of_limits, self.others
        if self._kept is None or self._kept[0] != key:
            self._kept = (key, self._shared(shown, self._find(shown, look_of_limits or look)))
        return self._kept[1]

    def _shared(self, shown, colors):
        """Colors with limits that hold the ranges of linked inspectors, too."""
        unit = unit_of(shown, self.agg(shown), colors, self.palette)
        self.own = Range.of(unit, shown.settings, colors)
        limits = None if self.own is None else limits_with(self.own, self.others)
        return colors if limits is None else self.palette.with_limits(colors, shown.settings, shown.view, *limits)

    def last(self, shown):
        """What `colors` gave last, None where that was of something else."""
        return self._kept[1] if self._kept is not None and self._kept[0][0] is shown else None

    def unknown(self, shown):
        """Colours where no element can be read."""
        return self.palette.fit(shown.settings, None, "mean", lambda: UNKNOWN, is_centred=False)

    def _find(self, shown, look):
        settings, view = shown.settings, shown.view
        if view.is_rgb:
            unit = UNKNOWN._replace(min=0.0, max=stored_unit(shown.source.dtype))
            return self.palette.fit(settings, None, "mean", lambda: unit, _whole, is_centred=False)
        if shown.kind == "text":
            return self.unknown(shown)
        if self.is_categorical(shown):
            return self.palette.fit_categories(settings, self._classes(shown))
        if view.is_hue or (view.complex_mode == "phase" and settings.norm is None):
            return self.palette.fit(replace(settings, norm=None), view, "mean", limits=None, is_centred=not view.is_hue)
        return self._fit(shown, look)

    def _fit(self, shown, look):
        """Colours with limits that are found now, or that were and stay."""
        kind, question, found = self._limits_kind(shown), self._question(shown), self._found
        if found is not None and (found.question, found.look) == (question, look):
            return self.palette.with_cmap_of(found.colors, shown.settings, shown.view)
        colors = self.palette.fit(
            shown.settings, shown.view, "mean" if shown.kind == "line" else self.agg(shown), limits=lambda: self.limits(shown, look),
            percentiles=lambda percents, is_positive: self._percentiles(shown, look, percents, is_positive), center=shown.item.center,
            is_centred=shown.kind == "image", kind=kind, cells=lambda choice: self._cell_values(shown, look))
        is_kept = question is not None and self._have_range(shown, look, kind, colors)
        self._found = _Found(question, look, colors) if is_kept else None
        return colors

    def _have_range(self, shown, look, kind, colors):
        """Whether limits are those of something: one value, or none at all, before the first step says nothing of the next."""
        if not colors.vmin < colors.vmax:
            return False
        limits = self._cell_values(shown, look).limits if kind == "pixels" else self.limits(shown, look)
        return limits is UNKNOWN or not math.isnan(limits.min)

    def _limits_kind(self, shown):
        """What limits come from, if anybody has to find any: see `color_limits.limits_choice`."""
        settings = shown.settings
        is_plain = shown.kind == "image" and settings.region == "slice" and not self._has_own_units(shown)
        has_no_scale = shown.view.is_rgb or shown.view.is_hue or self.is_categorical(shown)
        if not is_plain or has_no_scale or (settings.vmin is not None and settings.vmax is not None):
            return "elements"
        is_given = settings.vmin is not None or settings.vmax is not None or self.palette.has_norm_object(settings.norm)
        return limits_choice(settings.limits, self.agg(shown), is_given)

    def _question(self, shown):
        """What limits depend on that stay while only elements change, but for the elements and the look; None for others."""
        settings = shown.settings
        if shown.kind != "image" or settings.region != "slice" or settings.limits == "elements":
            return None
        roles = replace(settings.roles, index=(0,) * len(settings.roles.index))
        return shown.item.name, shown.source.dtype, shown.shape, roles, self.agg(shown), self.is_sharp(shown), settings.limits, \
            settings.norm, settings.vmin, settings.vmax, settings.robust, settings.nan, settings.complex_mode

    def _look_of_limits(self, shown, look, keeps_limits):
        """The look at which limits are found, or were where they are kept. None: it is no matter.

        The units of sums and their like follow the size of the cells: pictures with cells of another size have their own.
        """
        question, found = self._question(shown), self._found
        has_own_units = self._has_own_units(shown)
        if question is None and not has_own_units:
            return None
        look = look or _unseen(shown)
        is_kept = keeps_limits and found is not None and found.question == question
        return found.look if is_kept and (not has_own_units or _scale(found.look) == _scale(look)) else look

    def wanted(self, shown):
        """What the norm has to know about elements: bits that a reduction may look after on its way; 0 for nothing."""
        settings = shown.settings
        is_given = settings.vmin is not None and settings.vmax is not None
        is_of_cells = self._limits_kind(shown) == "pixels" or self._has_own_units(shown)
        if is_given or is_of_cells or settings.region != "slice" or shown.view.is_rgb:
            return 0
        return self._bits(settings)

    def _bits(self, settings):
        is_log = type(self.palette.make_norm(settings.norm)) is LogNorm
        return WANT_RANGE | (WANT_POSITIVE if is_log else 0)

    # ---- limits -----------------------------------------------------------------------------------------------------------

    def limits(self, shown, look):
        """Facts about what limits come from: elements of the region, or cells that have units of their own."""
        settings = shown.settings
        if self._has_own_units(shown):
            return self._cell_values(shown, look).limits
        want = self._bits(settings)
        if settings.vmin is not None and settings.vmax is not None and not self.is_categorical(shown):
            return UNKNOWN  # nobody asks
        if settings.region == "all":
            return self.facts.of_many(shown.planes[0], shown.spread("all"), want)
        box = _box(shown, look)
        if box is None and shown.kind == "image" and look is not None and look.covers(shown.shape) and self.wanted(shown):
            self.store.frames(shown.planes, self.agg(shown), look, want, self.is_sharp(shown))  # which are what will be drawn next
        return joined(self.facts.limits(plane, want, box) for plane in shown.planes)

    def largest(self, shown):
        """The largest magnitude of a finite element, for reading."""
        limits = joined(self.facts.limits(plane, WANT_RANGE) for plane in shown.planes)
        return f"{max(abs(limits.min), abs(limits.max)):.3g}"

    def extend(self, shown, look, colors, is_reading=False):
        """"neither", "min", "max" or "both": at which ends of the colors elements lie beyond them.

        "neither" where that is not known and the elements would have to be read, unless `is_reading`.
        """
        has_scale = shown.kind == "image" and not (shown.view.is_rgb or colors.is_categorical or is_angle(shown.view))
        limits = self._outermost(shown, look, is_reading) if has_scale else None
        return "neither" if limits is None else colorbar_extend(colors.norm, limits)

    def _outermost(self, shown, look, is_reading):
        """Limits of all that the colors are of, or None."""
        if self._has_own_units(shown):
            return None if look is None else self._cell_values(shown, look).limits
        want = self._bits(shown.settings)
        is_known = is_reading or all(self.facts.knows(plane, want) for plane in shown.planes)
        return joined(self.facts.limits(plane, want) for plane in shown.planes) if is_known else None

    def _has_own_units(self, shown):
        """Whether cells are no elements and no means of them; a line is one of elements, whatever the aggregation."""
        return shown.kind != "line" and self.agg(shown) in OTHER_UNITS

    def _cell_values(self, shown, look):
        """Cells of the last look, or of what pages would show, all facets together."""
        frames = self.store.frames(shown.planes, self.agg(shown), look or _unseen(shown), is_sharp=self.is_sharp(shown))
        return CellValues(*(frame.cells for frame in frames))

    def _percentiles(self, shown, look, percents, is_positive_only):
        """Of the elements of the region."""
        spread, box = shown.spread(shown.settings.region), _box(shown, look)
        return self.facts.percentiles_of_many(shown.planes[0], spread, percents, is_positive_only, box)


def _whole(percents, is_positive_only):
    """Percentiles of what has no elements to be ranked."""
    return 0.0, 1.0


def _box(shown, look):
    """The elements of each plane from which limits come, None for all: those of a line follow the window."""
    settings = shown.settings
    if shown.kind == "line" and settings.region == "slice" and look is not None and not look.covers(shown.shape):
        return look.box(shown.shape)
    if settings.region == "selection":
        return (*settings.selection[0], *settings.selection[1])
    return settings.box if settings.region == "view" else None


def _unseen(shown):
    """The look at what nobody has looked at so far."""
    return Viewport.unseen(shown.shape, shown.settings.view, LIMITS_SIDE)


def _scale(look):
    """How large cells are, without the noise of a window that is moved."""
    return tuple(float(f"{side:.9g}") for side in look.cell)
