"""The cells of a facet to its pixels."""

from __future__ import annotations

import numpy as np

from ...color.alpha import opacity_on
from ...color.colorize import colorize
from .facts import WANT_RANGE

__all__ = ["facet_pixels"]


def facet_pixels(plane, frame, window, agg, colors, coloring):
    """Pixels, and the range of colour channels before they were clipped.

    Parameters
    ----------
    plane : InspectedPlane or DifferencePlane
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
    options, facts = coloring.options, coloring.facts
    alpha = opacity_on(_alpha(options["alpha"], plane.shape), window, agg)
    return colorize(plane, frame, colors.norm, colors.cmap, coloring.palette.marks, alpha, denorm=options["denorm"],
                    ranges=lambda: facts.channel_ranges(plane), largest=lambda: facts.limits(plane, WANT_RANGE).max)


def _alpha(alpha, shape):
    """One factor, or one for each element where the plane has as many."""
    return alpha if alpha is None or np.ndim(alpha) == 0 or np.shape(alpha) == tuple(shape) else None
