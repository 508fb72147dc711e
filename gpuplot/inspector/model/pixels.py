"""Cells of a facet -> pixels."""

from ...arrays.source import Source
from ...color.alpha import opacity_on
from ...color.colorize import colorize, style_ahead
from .facts import WANT_RANGE


def facet_pixels(plane, frame, window, agg, colors, coloring):
    """The pixels of a facet's frame, (H, W, 4) uint8, and the range of color channels before they were clipped to 0..1, or None.

    `coloring` has the options, the palette and the facts.
    """
    options, facts = coloring.options, coloring.facts
    alpha = opacity_on(_alpha(options["alpha"], plane.shape), window, agg)
    return colorize(plane, frame, colors.norm, colors.cmap, coloring.palette.marks, alpha, denorm=options["denorm"],
                    ranges=lambda: facts.channel_ranges(plane), largest=lambda: facts.limits(plane, WANT_RANGE).max)


def facet_style(plane, window, agg, expected, coloring):
    """The NativeStyle by which `facet_pixels` would color cells on a device, or None; `expected` is that of `Coloring`."""
    alpha = opacity_on(_alpha(coloring.options["alpha"], plane.shape), window, agg)
    norm, cmap, search = expected
    return style_ahead(plane, norm, cmap, coloring.palette.marks, alpha, search)


def _alpha(alpha, shape):
    """The caller's alpha; None where it is an array of another shape than the plane."""
    return alpha if not isinstance(alpha, Source) or alpha.shape == tuple(shape) else None
