"""The cells of a facet to its pixels."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.colors import Normalize

from ..color.shading import opacity_on, shade_hue
from ..color.style import shade
from .limits import WANT_RANGE

__all__ = ["paint"]


def paint(plane, frame, window, agg, colors, painter):
    """Pixels, and the range of colour channels before they were clipped.

    Parameters
    ----------
    plane : TensorPlane or DifferencePlane
    frame : Frame
    window : Window
    agg : str
    colors : Colors
    painter : Coloring
        With the options, the palette and the facts.

    Returns
    -------
    ndarray (H, W, 4) uint8
    (float, float) or None
    """
    options, marks = painter.options, painter.palette.marks
    alpha = opacity_on(_alpha(options["alpha"], plane.shape), window, agg)
    view = plane.view
    if view.is_rgb:
        denorm = options["denorm"]
        is_stretched = isinstance(denorm, str) and denorm == "minmax"
        return plane.shade_channels(frame, denorm, painter.facts.channel_ranges(plane) if is_stretched else None, marks, alpha)
    if view.is_hue:
        largest = painter.facts.limits(plane, WANT_RANGE).max
        is_log = view.complex_mode == "log10_amplitude_phase"
        circle = Normalize(-math.pi, math.pi)
        return shade_hue(frame, largest, is_log, circle, colors.cmap, marks, alpha), None
    return shade(frame.cells, colors.norm, colors.cmap, marks, alpha), None


def _alpha(alpha, shape):
    """One factor, or one for each element where the plane has as many."""
    return alpha if alpha is None or np.ndim(alpha) == 0 or np.shape(alpha) == tuple(shape) else None
