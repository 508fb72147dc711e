"""The cells of any plane -> pixels: numbers on a colormap, color channels, or hues of complex numbers."""

import numpy as np

from .. import _native
from .alpha import set_opacity
from .rgb import make_rgb_style
from .style import mark_bytes, shade


def colorize(plane, frame, norm, cmap, marks, alpha=None, *, denorm=None, ranges=None, largest=None, out=None):
    """The pixels of a frame, made on the device where its cells are.

    Parameters
    ----------
    plane : TensorPlane
        Where the cells are from, or anything with `view`, `dtype`, `limits` and `channel_ranges`.
    norm, cmap : Normalize, Colormap
        The norm with its limits, of hues those of the angle. Color channels need neither.
    alpha : None, float or ndarray (H, W) float32
        As `alpha.opacity_on` gives it.
    ranges, largest : callable, optional
        ``ranges()``: (lowest, highest) of each color channel, for ``denorm="minmax"``. ``largest()``: the amplitude of hues that
        is opaque. Default: those of the plane.
    out : ndarray (H, W, 4) uint8, optional
        Where the pixels are to be written, C-contiguous. Default: a new array.

    Returns
    -------
    ndarray (H, W, 4) uint8, and (float, float) or None
        Straight alpha; lowest and highest color of channels before it was clipped to 0..1.
    """
    view = plane.view
    if view.is_rgb:
        is_stretched = isinstance(denorm, str) and denorm == "minmax"
        found = (ranges or plane.channel_ranges)() if is_stretched else None
        return _shade_channels(frame, plane.dtype, denorm, marks, alpha, found, out)
    if view.is_hue:
        most = plane.limits(_native.WANT_RANGE).max if largest is None else largest()
        return _shade_hue(frame, most, view.complex_mode == "log10_amplitude_phase", norm, cmap, marks, alpha, out), None
    return shade(frame.cells, norm, cmap, marks, alpha, out), None


def _shade_channels(frame, dtype, denorm, marks, alpha, ranges, out):
    """(pixels, (lowest, highest) color before clipping) of a frame of color channels.

    Marks without a color of their own are transparent black, whatever a colormap's bad color is.
    """
    mark_colors = dict(zip(("nan_rgba", "pos_inf_rgba", "neg_inf_rgba"), mark_bytes((0, 0, 0, 0), marks), strict=True))
    style = make_rgb_style(dtype, len(frame.channels), denorm, ranges, mark_colors)
    style.is_alpha_weighted = frame.is_alpha_weighted
    set_opacity(style, alpha)
    return _native.shade_rgb(frame.channels, style, out)


def _shade_hue(frame, largest, is_log, norm, cmap, marks, alpha, out):
    """Pixels of complex numbers: hue from the angle, opacity from the amplitude against the `largest` of the plane."""
    amplitude = frame.cells.numpy()  # from a device 8 bytes a pixel, and 4 of opacity back: a picture's size, not the tensor's
    opacity = _opacity_of(amplitude, largest, is_log)
    opacity[~np.isfinite(amplitude)] = 1.0  # a mark has its own color
    opacity *= 1.0 if alpha is None else np.asarray(alpha, float)
    return shade(frame.angle, norm, cmap, marks, opacity.astype(np.float32), out)


def _opacity_of(amplitude, largest, is_log):
    """Amplitudes -> 0 to 1: proportional, or by the upper two decades of the logarithm."""
    if not largest > 0:
        return np.zeros_like(amplitude)
    with np.errstate(divide="ignore", invalid="ignore"):
        if is_log:
            return np.clip((np.log10(amplitude) - (np.log10(largest) - 2)) / 2, 0, 1)
        return np.clip(amplitude / largest, 0, 1)
