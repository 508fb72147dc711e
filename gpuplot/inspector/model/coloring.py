"""ViewState -> Colors: decides whether elements are classes, what limits are found from, and when they are found again."""

import functools
import math
from contextlib import contextmanager
from dataclasses import replace

from matplotlib.colors import LogNorm

from ...color.categories import MIXING, is_categorical_dtype, keeps_classes, looks_like_classes
from ...color.classes import MAX_NUMBER, MAX_PASSES, Classes
from ...color.color_limits import LIMITS_SIDE, CellValues, colorbar_extend, is_angle, limits_choice, robust_percents
from ...color.rgb import shown_range, stored_unit
from ...color.style import may_be_sharp
from ...plane.aggs import OTHER_UNITS
from ...plane.chunks.answers import Pending
from ...plane.chunks.chunked_plane import ChunkedPlane
from ...plane.chunks.looks import peeking
from ...plane.limits import UNKNOWN, WANT_RANKS, limits_of_cells
from ...plane.pooled_limits import joined
from .facts import WANT_POSITIVE, WANT_RANGE
from .palette import UNMEASURED, Measures
from .shared_limits import Range, limits_with, unit_of
from .viewport import Viewport

# Integers with more levels than this are shown as numbers.
MAX_CATEGORICAL_LEVELS = 32


class Coloring:
    """Finds the Colors of a ViewState and caches them.

    Parameters
    ----------
    options : dict
        The keyword groups of `inspect`.
    palette : Palette
    facts : FactCache
    store : CellStore

    Attributes
    ----------
    own_range : Range or None
        Limits without those of linked inspectors.
    peer_ranges : frozenset of Range
        Ranges of linked inspectors.
    """

    def __init__(self, options, palette, facts, store):
        self.options, self.palette, self.facts, self.store = options, palette, facts, store
        self.own_range, self.peer_ranges = None, frozenset()
        self._found = None  # (limits key, viewport, Colors) whose limits are kept when elements change
        self._of_elements = None  # (limits key, viewport) of the last limits that were of elements
        self.forget()

    def forget(self):
        """Drops results that depend on the tensor's elements; found limits stay."""
        self._class_ranges = {}
        self._cached = None  # (key, Colors)

    def drop_limits(self):
        """Makes the next `colors` recompute limits."""
        self._found = self._cached = self._of_elements = None

    @contextmanager
    def preserved(self):
        """Restores the caches, of cells as well, at the end of the block."""
        before = self._cached, self._found, self._of_elements, self.own_range
        try:
            with self.store.preserved():
                yield
        finally:
            self._cached, self._found, self._of_elements, self.own_range = before

    # ---- numbers or classes -----------------------------------------------------------------------------------------------

    def agg(self, view_state):
        """The aggregation in use."""
        agg = view_state.settings.agg
        if agg in view_state.aggs:
            return agg
        is_class = agg is None and (self._looks_like_classes(view_state) or self.is_categorical(view_state))
        return "nearest" if is_class else "mean"

    def _looks_like_classes(self, view_state):
        """Whether the chosen colormap is one of classes; needs no element."""
        cmap = self.palette.chosen_cmap(view_state.settings)
        return view_state.kind == "image" and looks_like_classes(
            self.options["categorical"], cmap, view_state.source.dtype, view_state.view)

    def is_sharp(self, view_state):
        """Whether means may use Mitchell's filter, which is so unless an aggregation was chosen."""
        settings = view_state.settings
        is_usual_mean = settings.agg != "mean" and self.agg(view_state) == "mean"
        return is_usual_mean and may_be_sharp(self.palette.make_norm(settings.norm))

    def could_be_categorical(self, view_state):
        """Whether the plane's dtype and kind allow classes."""
        is_plain = view_state.kind == "image" and keeps_classes(view_state.view)
        return is_plain and is_categorical_dtype(view_state.source.dtype) and self.options["categorical"] in (None, True)

    def is_categorical(self, view_state):
        """Whether elements are shown as classes: bool, ``categorical=True``, or integers of few levels without a norm or limits."""
        settings = view_state.settings
        if not self.could_be_categorical(view_state) or settings.agg in MIXING:
            return False
        if self.options["categorical"]:
            return True
        if settings.norm is not None or settings.given_limits != (None, None):
            return False
        return view_state.source.dtype == "bool" or self._n_levels(view_state) <= MAX_CATEGORICAL_LEVELS

    def ignored(self, view_state):
        """Class numbers that mean "no class"."""
        return self._classes(view_state).ignored if self.is_categorical(view_state) else frozenset()

    def _n_levels(self, view_state):
        """Levels of all planes of the item shown so far, so that a tensor that was shown as numbers stays so."""
        low, high = self._class_ranges.get(view_state.item, (math.inf, -math.inf))
        if high - low < MAX_CATEGORICAL_LEVELS:
            first, last = self._classes(view_state).ends
            if max(abs(first), abs(last)) > MAX_NUMBER:  # cells are float64, in which several integers are one
                first, last = -math.inf, math.inf
            low, high = min(low, first), max(high, last)
            self._class_ranges[view_state.item] = low, high
        return high - low + 1

    def _classes(self, view_state):
        """The Classes of all facets."""
        planes = view_state.planes

        def count(*numbers):
            return sum(self.facts.counts(plane, *numbers) for plane in planes)

        return Classes(self._range(view_state), count, self.options["ignore_index"], MAX_PASSES // len(planes))

    def _range(self, view_state, want=WANT_RANGE, box=None):
        """Limits of the elements of all facets, or of a box of each."""
        return joined(self.facts.limits(plane, want, box) for plane in view_state.planes)

    # ---- colors -----------------------------------------------------------------------------------------------------------

    def colors(self, view_state, viewport, keeps_limits=False):
        """The Colors of a ViewState; `viewport` is the last one that was drawn, `keeps_limits` as in `Scene.draw`."""
        limits_viewport = self._limits_viewport(view_state, viewport, keeps_limits)
        key = view_state, _box(view_state, viewport), limits_viewport, self.peer_ranges
        if self._cached is None or self._cached[0] != key:
            self._cached = key, self._with_peers(view_state, self._find(view_state, limits_viewport or viewport))
        return self._cached[1]

    def cached(self, view_state):
        """The result of the last call of `colors`; None if that was for another ViewState."""
        return self._cached[1] if self._cached is not None and self._cached[0][0] is view_state else None

    def known(self, view_state, viewport, keeps_limits, frames, agg):
        """Colors while limits are still being found: the current ones, or ones with limits of the cells of some frames under `agg`."""
        with peeking():
            try:
                return self.colors(view_state, viewport, keeps_limits)
            except Pending:
                limits = joined(limits_of_cells(frame.cells) for frame in frames)
                if self._may_be_categorical(view_state, limits):  # a class must not have another color for a while
                    raise
                settings = replace(view_state.settings, robust=False)
                return self.palette.fit(settings, view_state.view, agg, Measures(lambda: limits), view_state.item.center)

    def _may_be_categorical(self, view_state, limits):
        """`is_categorical`, but False without a look at elements if cells with `limits` span more levels than classes may have."""
        is_given = self.options["categorical"] or view_state.source.dtype == "bool"
        return (is_given or limits.max - limits.min < MAX_CATEGORICAL_LEVELS) and self.is_categorical(view_state)

    @property
    def last(self):
        """The result of the last call of `colors`, for any ViewState; None before the first."""
        return None if self._cached is None else self._cached[1]

    def expected(self, view_state, viewport, keeps_limits):
        """(norm, colormap, LimitsSearch or None) that `colors` will come to if nothing unusual is found; None if nothing is known."""
        last = self.last
        if last is None or last.is_categorical:
            return last and (last.norm, last.cmap, None)
        return self._expected_search(view_state, viewport, keeps_limits, last) or (last.norm, last.cmap, None)

    def _expected_search(self, view_state, viewport, keeps_limits, last):
        """`expected` for limits that are found anew in one facet, which is not widened to linked inspectors; else None."""
        key, settings, source = self._limits_key(view_state), view_state.settings, self._limits_source(view_state)
        at = self._limits_viewport(view_state, viewport, keeps_limits)
        is_kept = at != viewport or (self._found is not None and self._found[:2] == (key, at))
        if is_kept or len(view_state.planes) != 1 or self.peer_ranges or self.is_categorical(view_state):
            return None
        is_of_elements = source == "elements" or (source == "auto" and self._is_magnified(key, viewport))
        if is_of_elements and not self._has_own_units(view_state):
            return None
        elements = self.facts.known(view_state.planes[0], self._want_bits(settings))
        return self.palette.expected(settings, view_state.view, self.agg(view_state), source, elements, view_state.item.center,
                                     last.is_diverging)

    def fallback(self, view_state):
        """Colors for elements that cannot be read."""
        return self.palette.fit(view_state.settings, None, "mean", UNMEASURED, is_centered=False)

    def _with_peers(self, view_state, colors):
        """Colors with limits widened to the ranges of linked inspectors."""
        settings = view_state.settings
        self.own_range = Range.of(unit_of(view_state, self.agg(view_state), colors, self.palette), settings, colors)
        limits = None if self.own_range is None else limits_with(self.own_range, self.peer_ranges)
        return colors if limits is None else self.palette.with_limits(colors, settings, view_state.view, *limits)

    def _find(self, view_state, viewport):
        settings, view = view_state.settings, view_state.view
        if view.is_rgb:
            unit = self._shown_range(view_state)
            return self.palette.fit(settings, None, "mean", Measures(lambda: unit, lambda *_: (0.0, 1.0)), is_centered=False)
        if view_state.kind == "text":
            return self.fallback(view_state)
        if self.is_categorical(view_state):
            return self.palette.fit_categories(settings, self._classes(view_state))
        if view.is_hue or (view.complex_mode == "phase" and settings.norm is None):
            return self.palette.fit(replace(settings, norm=None), view, "mean", UNMEASURED, is_centered=not view.is_hue)
        return self._fit(view_state, viewport)

    def _shown_range(self, view_state):
        """Limits of the values that color channels show; those of the dtype where there are no others."""
        denorm, dtype = self.options["denorm"], view_state.source.dtype
        is_stretched = isinstance(denorm, str) and denorm == "minmax"
        found = [shown_range(dtype, denorm, self.facts.channel_ranges(plane) if is_stretched else None) for plane in view_state.planes]
        low, high = min(low for low, _ in found), max(high for _, high in found)
        is_range = math.isfinite(low) and math.isfinite(high)
        return UNKNOWN._replace(min=float(low), max=float(high)) if is_range else UNKNOWN._replace(min=0.0, max=stored_unit(dtype))

    def _fit(self, view_state, viewport):
        """Colors of numbers, with the limits that were found for the same key and viewport, or with new ones."""
        key, settings = self._limits_key(view_state), view_state.settings
        source = self._limits_source(view_state)
        if source == "auto" and self._is_magnified(key, viewport):
            source = "elements"
        if self._found is not None and self._found[:2] == (key, viewport):
            return self.palette.with_cmap_of(self._found[2], settings, view_state.view)
        is_image, cells = view_state.kind == "image", functools.cache(lambda: self._cell_values(view_state, viewport))
        measures = Measures(lambda: self.limits(view_state, viewport),
                            lambda percents, is_positive: self._percentiles(view_state, viewport, percents, is_positive),
                            lambda choice: cells(), source)
        colors = self.palette.fit(settings, view_state.view, self.agg(view_state) if is_image else "mean", measures,
                                  view_state.item.center, is_image)
        is_kept = key is not None and self._has_range(view_state, viewport, colors, cells if source == "pixels" else None)
        self._found = (key, viewport, colors) if is_kept else None
        self._of_elements = None if colors.is_of_cells or self._has_own_units(view_state) else (key, viewport)
        return colors

    def _has_range(self, view_state, viewport, colors, cells):
        """Whether limits come from more than one value; limits of a constant or empty plane are not kept for the next one.

        ``cells()`` are the CellValues that limits come from, None for elements.
        """
        if not colors.vmin < colors.vmax:
            return False
        limits = self.limits(view_state, viewport) if cells is None else cells().limits
        return limits is UNKNOWN or not math.isnan(limits.min)

    # ---- when limits are found, and from what -------------------------------------------------------------------------------

    def _limits_source(self, view_state):
        """"auto", "elements" or "pixels": what missing limits are found from, see `color_limits.limits_choice`."""
        settings, view = view_state.settings, view_state.view
        is_plain = view_state.kind == "image" and settings.region == "slice" and not self._has_own_units(view_state)
        has_no_scale = view.is_rgb or view.is_hue or self.is_categorical(view_state)
        if not is_plain or has_no_scale or None not in settings.given_limits:
            return "elements"
        is_given = settings.given_limits != (None, None) or self.palette.has_norm_object(settings.norm)
        return limits_choice(settings.limits, self.agg(view_state), is_given)

    def _is_magnified(self, key, viewport):
        """Whether "auto" takes limits of elements without looking at cells, so that zooming in does not change colors.

        This is so in a part of a viewport for which it took elements, and if no cell is a mean of several elements.
        """
        return self._is_of_elements_around(key, viewport) or max(viewport.pixel) <= 1

    def _is_of_elements_around(self, key, viewport):
        """Whether limits of elements were found for a viewport that contains this one."""
        found = self._of_elements
        return found is not None and key is not None and found[0] == key and viewport.is_part_of(found[1])

    def _limits_key(self, view_state):
        """What kept limits depend on, beside elements and viewport; None if limits are not kept."""
        settings = view_state.settings
        if view_state.kind != "image" or settings.region != "slice" or settings.limits == "elements":
            return None
        roles = replace(settings.roles, index=(0,) * len(settings.roles.index))
        return (view_state.item.name, view_state.source.dtype, view_state.shape, roles, self.agg(view_state), self.is_sharp(view_state),
                settings.limits, settings.norm, settings.given_limits, settings.robust, settings.nan, settings.complex_mode)

    def _limits_viewport(self, view_state, viewport, keeps_limits):
        """The viewport at which limits are found, or were found if they are kept; None if limits do not depend on it.

        Limits of elements are kept within the viewport at which they were found. Sums and counts grow with the cells, so their limits
        are only kept for cells of the same size.
        """
        key, found, has_own_units = self._limits_key(view_state), self._found, self._has_own_units(view_state)
        if key is None and not has_own_units:
            return None
        viewport = viewport or _default_viewport(view_state)
        if found is None or found[0] != key or not (keeps_limits or self._is_of_elements_around(key, viewport)):
            return viewport
        return found[1] if not has_own_units or _cell_size(found[1]) == _cell_size(viewport) else viewport

    def wanted(self, view_state):
        """The WANT bits of limits that the frame's reduction should find in the same pass; 0 for none."""
        settings, has_own_units = view_state.settings, self._has_own_units(view_state)
        if None not in settings.given_limits or has_own_units or settings.region != "slice" or view_state.view.is_rgb:
            return 0
        is_chunked = isinstance(view_state.planes[0], ChunkedPlane)
        return self._want_bits(settings) | (WANT_RANKS if is_chunked and robust_percents(settings.robust) is not None else 0)

    def _want_bits(self, settings):
        is_log = type(self.palette.make_norm(settings.norm)) is LogNorm
        return WANT_RANGE | (WANT_POSITIVE if is_log else 0)

    def _has_own_units(self, view_state):
        """Whether cells have another unit than elements, as sums and counts; a line always shows elements."""
        return view_state.kind != "line" and self.agg(view_state) in OTHER_UNITS

    # ---- limits -----------------------------------------------------------------------------------------------------------

    def limits(self, view_state, viewport):
        """Limits of the region's elements, or of the cells if these have another unit."""
        settings = view_state.settings
        if self._has_own_units(view_state):
            return self._cell_values(view_state, viewport).limits
        want = self._want_bits(settings)
        if None not in settings.given_limits and not self.is_categorical(view_state):
            return UNKNOWN  # not needed
        if settings.region == "all":
            return self.facts.of_many(self._element_planes(view_state, viewport)[0], view_state.stacked_axes("all"), want)
        box = _box(view_state, viewport)
        if box is None and view_state.kind == "image" and viewport is not None and viewport.covers(view_state.shape) \
                and self.wanted(view_state):
            self._frames(view_state, viewport)  # reduces the cells that are drawn next, which finds limits as well
        return joined(self.facts.limits(plane, want, box) for plane in self._element_planes(view_state, viewport))

    def largest(self, view_state):
        """The largest magnitude of a finite element as text; "" while that is not known."""
        try:
            limits = self._range(view_state)
        except Pending:
            return ""
        return f"{max(abs(limits.min), abs(limits.max)):.3g}"

    def extend(self, view_state, viewport, colors, is_reading=False):
        """The ends of the color range that elements lie beyond: "neither", "min", "max" or "both".

        "neither" if limits are not known yet, unless `is_reading` allows reading the elements.
        """
        if view_state.kind != "image" or view_state.view.is_rgb or colors.is_categorical or is_angle(view_state.view):
            return "neither"
        limits = self._known_range(view_state, viewport, is_reading)
        return "neither" if limits is None else colorbar_extend(colors.norm, limits)

    def shows_none(self, view_state, viewport, colors):
        """Whether it is known that no number has a place on a log scale, as none is above zero."""
        if type(colors.norm) is not LogNorm or view_state.view.is_rgb:
            return False
        limits = self._known_range(view_state, viewport)
        return limits is not None and limits.max <= 0

    def _known_range(self, view_state, viewport, is_reading=False):
        """`Limits` of what has colors; None if they are not known yet, unless `is_reading` allows reading the elements."""
        if self._has_own_units(view_state):
            return None if viewport is None else self._cell_values(view_state, viewport).limits
        want = self._want_bits(view_state.settings)
        is_known = is_reading or all(self.facts.knows(plane, want) for plane in view_state.planes)
        return self._range(view_state, want) if is_known else None

    def _frames(self, view_state, viewport):
        agg, is_sharp = self.agg(view_state), self.is_sharp(view_state)
        return self.store.frames(view_state.planes, agg, viewport, self.wanted(view_state), is_sharp)

    def _cell_values(self, view_state, viewport):
        """CellValues of all facets in a viewport; default: that of a page's first frame."""
        return CellValues(*(frame.cells for frame in self._frames(view_state, viewport or _default_viewport(view_state))))

    def _element_planes(self, view_state, viewport):
        """The planes that limits come from: without the NaN that "auto" leaves out of hidden axes for the cells of a viewport."""
        planes = view_state.planes
        if view_state.kind != "image" or view_state.settings.nan != "auto" or not view_state.view.is_reduced:
            return planes
        frames = self._frames(view_state, viewport or _default_viewport(view_state))
        return [plane.under("infinite") if frame.leaves_out_nan else plane for plane, frame in zip(planes, frames, strict=True)]

    def _percentiles(self, view_state, viewport, percents, is_positive_only):
        """Percentiles of the region's elements."""
        axes, box = view_state.stacked_axes(view_state.settings.region), _box(view_state, viewport)
        return self.facts.percentiles_of_many(self._element_planes(view_state, viewport)[0], axes, percents, is_positive_only, box)


def _box(view_state, viewport):
    """The elements of each plane that limits are found from, (row0, row1, col0, col1); None for all. For a line, its window."""
    settings = view_state.settings
    if view_state.kind == "line" and settings.region == "slice" and viewport is not None and not viewport.covers(view_state.shape):
        return viewport.box(view_state.shape)
    if settings.region == "selection":
        return (*settings.selection[0], *settings.selection[1])
    return settings.box if settings.region == "view" else None


def _default_viewport(view_state):
    """The viewport that is assumed before a page has sent one."""
    return Viewport.default(view_state.shape, view_state.settings.view, LIMITS_SIDE)


def _cell_size(viewport):
    """Height and width of a cell in elements, rounded, as rounding errors change them while a window moves."""
    return tuple(float(f"{side:.9g}") for side in viewport.pixel)
