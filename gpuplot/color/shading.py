"""Frames to pixels where one colormap is not all: colour channels, hues with opacity, one factor of alpha per cell."""

from __future__ import annotations

import numpy as np

from .. import _native
from ..arrays.describe import describe
from ..plane.reduce import reduce_view
from ..plane.view import choose
from .rgb import make_rgb_style
from .style import find_cmap, mark_bytes, shade

__all__ = ["opacity_on", "set_opacity", "shade_channels", "shade_hue"]


def opacity_on(alpha, window, agg):
    """The alpha of a picture's cells.

    Parameters
    ----------
    alpha : None, float or array_like, shape (rows, cols)
        One factor for all, or one per element; those are reduced as the picture is.
    window : Window
    agg : str
        Of the picture.

    Returns
    -------
    None, float or ndarray (H, W) float32
    """
    if alpha is None or np.ndim(alpha) == 0:
        return alpha
    source = describe(alpha)
    view = choose(source.shape, None, source.dtype, rgb=False)
    factors = reduce_view(source, view, window, "nearest" if agg == "nearest" else "mean").cells.numpy()
    return np.nan_to_num(factors, nan=0.0).astype(np.float32)


def set_opacity(style, alpha):
    """Gives an RgbStyle what `opacity_on` returned."""
    if alpha is not None:
        style.alpha, style.alpha_cells = (float(alpha), None) if np.ndim(alpha) == 0 else (1.0, np.ascontiguousarray(alpha))


def shade_channels(frame, dtype, denorm, marks, alpha, ranges=None):
    """Colour channels to pixels.

    Parameters
    ----------
    frame : Frame
        With `channels`.
    dtype : str
        Of the tensor.
    denorm : None, str or pair
    marks : MarkColors
        Marks without a colour of their own are transparent black, whatever a colormap's bad colour is.
    alpha : None, float or ndarray (H, W) float32
    ranges : list of (float, float), optional
        Each color channel's range, for ``denorm="minmax"``.

    Returns
    -------
    ndarray (H, W, 4) uint8
    (float, float)
        Lowest and highest colour before it was clipped to 0..1.
    """
    transparent = find_cmap("gray").with_extremes(bad=(0, 0, 0, 0))
    mark_colors = dict(zip(("nan_rgba", "pos_inf_rgba", "neg_inf_rgba"), mark_bytes(transparent, marks), strict=True))
    style = make_rgb_style(dtype, len(frame.channels), denorm, ranges, mark_colors)
    style.is_alpha_weighted = frame.is_alpha_weighted
    set_opacity(style, alpha)
    return _native.shade_rgb(frame.channels, style)


def shade_hue(frame, largest, is_log, norm, cmap, marks, alpha):
    """Pixels of complex numbers: hue from the angle, opacity from the amplitude against the `largest` of the plane."""
    amplitude = frame.cells.numpy()  # from a device 8 bytes a pixel, and 4 of opacity back: a picture's size, not the tensor's
    opacity = _opacity_of(amplitude, largest, is_log)
    opacity[~np.isfinite(amplitude)] = 1.0  # a mark has its own colour
    opacity *= 1.0 if alpha is None else np.asarray(alpha, float)
    return shade(frame.angle, norm, cmap, marks, opacity.astype(np.float32))


def _opacity_of(amplitude, largest, is_log):
    """0 to 1: proportional, or two decades of the logarithm."""
    if not largest > 0:
        return np.zeros_like(amplitude)
    with np.errstate(divide="ignore", invalid="ignore"):
        if is_log:
            return np.clip((np.log10(amplitude) - (np.log10(largest) - 2)) / 2, 0, 1)
        return np.clip(amplitude / largest, 0, 1)
