"""The cells of any plane to pixels: numbers on a colormap, color channels, or hues of complex numbers."""

from __future__ import annotations

from .. import _native
from .shading import shade_channels, shade_hue
from .style import shade

__all__ = ["colorize"]


def colorize(plane, frame, norm, cmap, marks, alpha=None, *, denorm=None, ranges=None, largest=None):
    """Colors of a frame, on the device where its cells are.

    Parameters
    ----------
    plane : TensorPlane
        Where the cells are from, or anything with `view`, `dtype`, `limits` and `channel_ranges`.
    frame : Frame
    norm : Normalize
        With its limits; of hues those of the angle.
    cmap : Colormap
        Color channels need neither.
    marks : MarkColors
    alpha : None, float or ndarray (H, W) float32
        As `shading.opacity_on` gives it.
    denorm : None, str or pair
        How color channels were normalized.
    ranges : callable, optional
        ``ranges()``: (lowest, highest) of each color channel for ``denorm="minmax"``. Default: the plane is asked.
    largest : callable, optional
        ``largest()``: the amplitude that is opaque, of hues. Default: the largest of the plane.

    Returns
    -------
    ndarray (H, W, 4) uint8
        Straight alpha.
    (float, float) or None
        Lowest and highest color of channels before it was clipped to 0..1.
    """
    view = plane.view
    if view.is_rgb:
        is_stretched = isinstance(denorm, str) and denorm == "minmax"
        return shade_channels(frame, plane.dtype, denorm, marks, alpha, (ranges or plane.channel_ranges)() if is_stretched else None)
    if view.is_hue:
        most = plane.limits(_native.WANT_RANGE).max if largest is None else largest()
        return shade_hue(frame, most, view.complex_mode == "log10_amplitude_phase", norm, cmap, marks, alpha), None
    return shade(frame.cells, norm, cmap, marks, alpha), None
