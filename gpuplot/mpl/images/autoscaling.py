"""Color limits of an image artist: from elements or cells, and into its norm."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.artist import Artist
from matplotlib.colors import BoundaryNorm, LogNorm

from ... import _native
from ...choices import check_choice
from ...color.color_limits import (
    CIRCLE,
    LIMITS_SIDE,
    MIN_PART,
    CellValues,
    colorbar_extend,
    completed,
    fill_limits,
    has_limits,
    is_angle,
    limits_choice,
    limits_search,
    put_limits,
    robust_percents,
    scale_to,
    set_limits,
    wanted_limits,
)
from ...plane.aggs import OTHER_UNITS
from ...plane.frame import values_of
from ...plane.limits import limits_of_cells
from ...plane.pooled_limits import fixed_axes, joined
from ...plane.window import Window
from .expected_geometry import is_surely_magnified

# matplotlib makes ticks of a colorbar up to this.
MAX_LIMIT = 2.0**1021

REGIONS = ("slice", "view", "all", "pixels")


@dataclass(frozen=True)
class AutoLimits:
    """Limits that were found in the data, and how."""

    norm: object  # Normalize
    limits: tuple[float, float]  # its vmin and vmax
    # seen: tuple or None: of limits of cells, the visible part (`_visible_part`): for another part they are found anew. None for
    # limits of elements, and where one limit and a center are given.
    seen: tuple | None
    # region, robust: the parameters of `autoscale`.
    region: str | None
    robust: object
    # The caller's vmin and vmax, None for those that were found.
    given: tuple[float | None, float | None]

    def are_in_force(self, image):
        """Whether they are still the limits of the image's norm."""
        return self.norm is image.norm and has_limits(image.norm, self.limits)


def autoscale_missing(image, region=None, robust=None):
    """Sets the norm's missing limits, notifying its observers once; returns whether the limits were centered.

    `region` is {"slice", "view", "all", "pixels"}; by default the elements of the slice, or the cells that are drawn, as the
    image's choice of limits says.
    """
    norm = image.norm
    robust = image.robust if robust is None else robust
    before = norm.vmin, norm.vmax
    with norm.callbacks.blocked(signal="changed"):
        is_centered, is_of_cells = _fill(image, norm, region, robust)
        _keep_in_reach_of_ticks(norm, before)
    if is_of_cells or before == (None, None):
        seen = _visible_part(image) if is_of_cells and not (is_centered and before != (None, None)) else None
        image._auto_limits = AutoLimits(norm, (norm.vmin, norm.vmax), seen, region, robust, before)
    note_ends(image)
    if (norm.vmin, norm.vmax) != before:
        norm.callbacks.process("changed")
    return is_centered


def _keep_in_reach_of_ticks(norm, given):
    """Moves limits that were found closer to 0 where differences and ticks of them would be beyond float64."""
    if is_beyond_ticks(norm):  # moved, they would be equal, and the picture of one color
        return
    for name, before in zip(("vmin", "vmax"), given, strict=True):
        limit = getattr(norm, name)
        if before is None and limit is not None and abs(limit) > MAX_LIMIT and not isinstance(norm, LogNorm):
            setattr(norm, name, math.copysign(MAX_LIMIT, limit))


def is_beyond_ticks(norm):
    """Whether matplotlib finds no ticks between two different limits: both lie on one side of 0, beyond `MAX_LIMIT`."""
    if not norm.scaled() or not abs(norm.vmax - norm.vmin) > 1e-9 * abs(norm.vmax):
        return False
    return min(norm.vmin, norm.vmax) > MAX_LIMIT or max(norm.vmin, norm.vmax) < -MAX_LIMIT


def tells_ends(image):
    """Whether the image shows by `extend` that values may lie beyond the limits of its norm."""
    plane = image.plane
    return plane is not None and not plane.is_rgb and bool(plane.size) and not image._class_options


def note_ends(image):
    """Sets `extend` of a norm that the image made itself, for colorbars that are made later."""
    norm = image.norm
    if norm is image._own_norm and norm.scaled() and not isinstance(norm, BoundaryNorm) and tells_ends(image):
        norm.extend = shown_ends(image)


def _fill(image, norm, region, robust):
    """(whether limits are centered, whether they are those of cells)."""
    plane = image.plane
    if not plane.size:
        return False, False
    if plane.is_rgb:
        return _fill_from_elements(image, norm, "slice", None), False
    return fill_limits(norm, plane.view, image._cell_agg, _choice(image, norm, region), robust=robust, center=image.center,
                       elements=lambda: _fill_from_elements(image, norm, region or "slice", robust),
                       cells=lambda choice: _drawn_values(image, choice, robust))


def _choice(image, norm, region):
    """The origin of limits: "elements", "pixels", or "auto" for those that show more."""
    if norm.scaled() or region in ("slice", "view", "all"):
        return "elements"
    is_given = norm is not image._own_norm or (norm.vmin, norm.vmax) != (None, None) or image._averages_colors
    return region or limits_choice(image._limits_choice, image._cell_agg, is_given)


def _drawn_values(image, choice, robust):
    """The cells that limits may come from; None where they are the elements, or not the display's rows and columns."""
    search = limits_search(image.norm, image.plane.view, image._cell_agg, choice, robust=robust, center=image.center,
                           elements=image._cells.known_limits)
    if choice == "pixels":
        return CellValues(_cells_of(image, search))
    if is_surely_magnified(image):
        return None
    geometry = image._present_geometry()
    if geometry.box is None or not geometry.is_separable or not any(geometry.is_dense):
        return None
    values = CellValues(image._present_frame(geometry, search).cells, is_smooth=lambda: _is_smooth_part(image, geometry, values.limits))
    return values


def _is_smooth_part(image, geometry, limits):
    """Whether new Axes show a part of the plane, as an inset does, where `limits` of cells are nearly those of its elements.

    Its colors are those of the whole plane, as in a picture of that beside it. The part is read once more.
    """
    plane, box = image.plane, geometry.touched
    if image._geometry_of_draw is not None or box == (0, plane.shape[0], 0, plane.shape[1]):
        return False
    elements = image._cells.limits(_native.WANT_RANGE, box)
    return limits.max - limits.min >= MIN_PART * (elements.max - elements.min)


def _fill_from_elements(image, norm, region, robust):
    plane = image.plane
    is_asked = image.center is not None or robust_percents(robust) is not None or region != "slice"
    if plane.is_gathered and not is_asked:
        scale_to(norm, plane.array)
        return False
    if plane.is_rgb:
        norm.autoscale_None(np.array([0, 255 if plane.array_dtype == np.uint8 else 1]))
        return False
    fill = functools.partial(set_limits, norm, robust=robust, center=image.center)
    if region == "all" and plane.tensor_source is not None:
        return fill(_limits_of_tensor(image, wanted_limits(norm)), sample=lambda: _sample_of(image, _whole(image)),
                    percentiles=lambda percents, is_positive: _percentiles_of_tensor(image, percents, is_positive))
    if region != "view":
        return fill(image._element_limits(), percentiles=image._cells.percentiles, sample=lambda: _sample_of(image, _whole(image)),
                    elements=(lambda: plane.array) if plane.is_gathered else None)
    box = image._present_geometry().touched
    return fill(image._cells.limits(wanted_limits(norm), box), sample=lambda: _sample_of(image, box),
                percentiles=lambda percents, is_positive: image._cells.percentiles(percents, is_positive, box))


def shown_limits(image):
    """Limits of the norm's input: the plane's elements, angles, or cells with other units than the elements."""
    if is_angle(image.plane.view):
        return CIRCLE
    return limits_of_cells(_cells_of(image)) if image._cell_agg in OTHER_UNITS else image._element_limits()


def shown_ends(image):
    """The `extend` of a colorbar: which limits values lie beyond, of this image and of the one `_beside` it on the same scale."""
    beside = image._beside
    is_shared = beside is not None and beside.plane is not None and beside.norm is image.norm
    limits = shown_limits(image)
    return colorbar_extend(image.norm, joined([limits, shown_limits(beside)]) if is_shared else limits)


def shows_elements(image):
    """Whether the plane has elements that the norm can show: finite ones, above 0 on a logarithm."""
    limits = image._element_limits()
    return not math.isnan(limits.min_positive if type(image.norm) is LogNorm else limits.min)


def _cells_of(image, search=None):
    return (image._present_frame(search=search) or _frame_of_all(image)).cells


def _frame_of_all(image):
    """Cells of the whole plane, where the next draw shows none of them."""
    return image.plane.reduce(Window.at_most(LIMITS_SIDE, _whole(image)), image._cell_agg, image._cells.nan)


def _sample_of(image, box):
    """Some elements of a box, on the host."""
    return values_of(image.plane.reduce(Window.at_most(LIMITS_SIDE, box), "nearest", image._cells.nan).cells)


def _whole(image):
    """The box of all elements."""
    n_rows, n_cols = image.plane.shape
    return 0, n_rows, 0, n_cols


def _visible_part(image):
    """The part of the image that its Axes show, of a turned one all that they show, in data coordinates; the same at every size."""
    view = image.axes.viewLim
    if image.is_transform_set() and image.get_transform() != image.axes.transData:
        return (*view.intervalx, *view.intervaly)  # the image may turn, or shrink with these
    left, right, bottom, top = image.get_extent()
    (left, right), (bottom, top) = sorted((left, right)), sorted((bottom, top))
    (x0, x1), (y0, y1) = sorted(view.intervalx), sorted(view.intervaly)
    return max(left, x0), min(right, x1), max(bottom, y0), min(top, y1)


def follow_view(image):
    """Recomputes limits of cells when another part is visible; returns whether it did.

    Limits that were set by hand since then stay, and so do those of a norm shared with other artists.
    """
    auto, norm = image._auto_limits, image.norm
    if auto is None or auto.seen is None:
        return False
    if not auto.are_in_force(image):
        image._auto_limits = None
        return False
    seen = _visible_part(image)
    if seen == auto.seen or _is_shared(image):
        return False
    geometry = image._present_geometry()
    if geometry.box is None:
        return False
    image._geometry_of_draw = geometry
    try:
        autoscale(image, auto.region, auto.robust, auto.given)
    except BaseException:  # including `Pending`: limits are found at the next draw
        image._auto_limits = auto
        raise
    finally:
        image._geometry_of_draw = None
    # Under "auto" limits may change from elements to cells once more of the plane is visible.
    image._auto_limits = replace(image._auto_limits, limits=(norm.vmin, norm.vmax), seen=seen)
    return True


def _is_shared(image):
    """Whether the norm colors other artists, too, apart from colorbars and removed ones."""
    artists = [artist for artist in _listeners(image.norm.callbacks) if artist is not image and artist.axes is not None]
    return any(not hasattr(artist.axes, "_colorbar") for artist in artists)


def _listeners(registry):
    """The artists that are notified of a change, directly or through a colorizer (of matplotlib 3.10 and newer)."""
    for reference in list(registry.callbacks.get("changed", {}).values()):
        owner = getattr(reference(), "__self__", None)
        if isinstance(owner, Artist):
            yield owner
        elif hasattr(owner, "callbacks"):
            yield from _listeners(owner.callbacks)


def autoscale_again(image):
    """Recomputes the limits that were found in the data, for pixels of another size."""
    auto = image._auto_limits
    autoscale(image, auto.region, auto.robust, auto.given)


def autoscale(image, region=None, robust=None, given=(None, None)):
    """Recomputes the limits of the image's norm but for the `given` ones; see `TensorImage.autoscale`."""
    if region is not None:
        check_choice("region", region, REGIONS)
    if region == "view" and image._present_geometry().box is None:
        return  # nothing is visible: the limits stay
    norm = image.norm
    before = norm.vmin, norm.vmax
    image._auto_limits = None
    with norm.callbacks.blocked(signal="changed"):
        put_limits(norm)
        try:
            autoscale_missing(image, region, robust)
            _put_given(image, given)
        except BaseException:
            put_limits(norm, *before)
            raise
    if (norm.vmin, norm.vmax) != before:
        norm.callbacks.process("changed")


def _put_given(image, given):
    """Puts the `given` limits, (vmin or None, vmax or None), in place of those that were found."""
    norm = image.norm
    if given != (None, None):
        put_limits(norm, *completed(given, (norm.vmin, norm.vmax)))
        image._auto_limits = replace(image._auto_limits, limits=(norm.vmin, norm.vmax), given=given)


def _elements_of_tensor(image):
    """A context with the `Elements` of all planes along the axes that are fixed at an index."""
    from ...statistics.plane_stats import elements_shown  # an eighth of the modules of a first picture, which seldom needs them

    source, view = image.plane.tensor_source, image.plane.view
    return elements_shown(source, view, nan=image._cells.policy, stacked_axes=fixed_axes(source, view))


def _limits_of_tensor(image, want):
    with _elements_of_tensor(image) as elements:
        return elements.limits(want)


def _percentiles_of_tensor(image, percents, is_positive_only):
    with _elements_of_tensor(image) as elements:
        return elements.outer_percentiles(percents, is_positive_only)
