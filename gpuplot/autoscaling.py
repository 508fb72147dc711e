"""Colour limits of an image artist: from which elements or cells they come, and how its norm gets them."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.colors import Normalize

from . import render
from .color_limits import robust_percents, scale_to, set_limits
from .plane import wanted_limits
from .plane_stats import elements_shown
from .pooled_limits import fixed_axes, pooled_limits, pooled_percentiles
from .render import OTHER_UNITS, Limits, limits_of_cells, percentiles_of_cells

__all__ = ["autoscale", "fill_limits", "shown_limits"]

# Cells a side from which limits come where the picture itself has no lattice.
MAX_SIDE = 512

# The range of angles.
CIRCLE = Limits(-math.pi, math.pi, math.nan, 0, 0, 0, 0, 0)

REGIONS = ("slice", "view", "all")


def fill_limits(image, region="slice", robust=None):
    """Gives the image's norm the limits that it lacks, with one notice to those who watch it.

    Returns
    -------
    bool
        Whether they were put around the image's `center`.
    """
    norm, plane = image.norm, image.plane
    robust = image.robust if robust is None else robust
    before = norm.vmin, norm.vmax
    with norm.callbacks.blocked(signal="changed"):
        is_centred = _fill(image, norm, plane, region, robust)
    if (norm.vmin, norm.vmax) != before:
        norm.callbacks.process("changed")
    return is_centred


def _fill(image, norm, plane, region, robust):
    if not plane.size:
        return False
    if _is_angle(plane) and (plane.is_hue or type(norm) is Normalize):
        return set_limits(norm, CIRCLE, center=None if plane.is_hue else image.center)
    is_asked = image.center is not None or robust_percents(robust) is not None or region != "slice"
    if plane.is_gathered and not is_asked and image.cell_agg not in OTHER_UNITS:
        scale_to(norm, plane.array)
        return False
    if plane.is_rgb:
        norm.autoscale_None(np.array([0, 255 if plane.array_dtype == np.uint8 else 1]))
        return False
    if image.cell_agg in OTHER_UNITS:
        cells = _cells_of(image)
        return set_limits(norm, limits_of_cells(cells), robust=robust, center=image.center,
                          percentiles=lambda percents, is_positive: percentiles_of_cells(cells, percents, is_positive))
    if region == "all" and plane.tensor_source is not None:
        return set_limits(norm, _limits_of_tensor(plane, wanted_limits(norm)), robust=robust, center=image.center,
                          percentiles=lambda percents, is_positive: _percentiles_of_tensor(plane, percents, is_positive))
    box = _visible_box(image) if region == "view" else None
    limits = plane.limits(wanted_limits(norm), box) if region == "view" else image.limits()
    return set_limits(norm, limits, robust=robust, center=image.center,
                      percentiles=lambda percents, is_positive: plane.percentiles(percents, is_positive, box))


def _is_angle(plane):
    return plane.is_hue or (plane.view is not None and plane.view.complex_mode == "phase")


def shown_limits(image):
    """Limits of what the norm is given: the plane's elements, angles, or cells in units of their own."""
    if _is_angle(image.plane):
        return CIRCLE
    return limits_of_cells(_cells_of(image)) if image.cell_agg in OTHER_UNITS else image.limits()


def _cells_of(image):
    return (image.present_frame() or _frame_of_all(image)).cells


def _frame_of_all(image):
    """Cells of the whole plane, for a transform under which pixels are no rows and columns."""
    shape = tuple(min(n, MAX_SIDE) for n in image.plane.shape)
    return image.plane.reduce(render.Window.whole(image.plane.shape, shape), image.cell_agg, image.nan_policy)


def autoscale(image, region="slice", robust=None):
    """Sets both limits of the image's norm anew; see `TensorImage.autoscale`."""
    render.check_choice("region", region, REGIONS)
    if region == "view" and image.present_scene().box is None:
        return  # nothing is seen: the limits stay
    norm = image.norm
    before = norm.vmin, norm.vmax
    with norm.callbacks.blocked(signal="changed"):
        norm.vmin = norm.vmax = None
        try:
            fill_limits(image, region, robust)
        except BaseException:
            norm.vmin, norm.vmax = before
            raise
    if (norm.vmin, norm.vmax) != before:
        norm.callbacks.process("changed")


def _visible_box(image):
    """The elements that the present view touches, half-open."""
    row0, row1, col0, col1 = image.present_scene().visible
    return math.floor(row0), math.ceil(row1), math.floor(col0), math.ceil(col1)


def _elements_of_tensor(plane):
    """A context with the `Elements` of all planes along the axes that are fixed at an index."""
    source, view = plane.tensor_source, plane.view
    return elements_shown(source, view, nan=plane.nan, spread=fixed_axes(source, view))


def _limits_of_tensor(plane, want):
    with _elements_of_tensor(plane) as elements:
        return pooled_limits(elements, want)


def _percentiles_of_tensor(plane, percents, is_positive_only):
    with _elements_of_tensor(plane) as elements:
        return pooled_percentiles(elements, percents, is_positive_only)
