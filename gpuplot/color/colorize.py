"""The cells of any plane -> pixels: numbers on a colormap, color channels, or hues of complex numbers."""

import numpy as np

from .. import _native
from ..plane.tensor_plane import TensorPlane
from .alpha import set_opacity
from .rgb import make_rgb_style
from .style import is_cellwise, mark_bytes, native_style, shade


def style_ahead(plane, norm, cmap, marks, alpha=None, search=None):
    """The NativeStyle with which a `TensorPlane` makes pixels together with its cells; None where it cannot.

    Limits that the norm misses are found by a `LimitsSearch`, if there is one. It is a guess about `colorize`: pixels are used if that
    comes to the same style.
    """
    is_on_device = isinstance(plane, TensorPlane) and plane.source.device is not None
    if not is_on_device or plane.view.is_rgb or plane.view.is_hue or not is_cellwise(norm):
        return None
    search = None if norm.scaled() else search
    return native_style(norm, cmap, marks, alpha, search) if norm.scaled() or search else None


def colorize(plane, frame, norm, cmap, marks, alpha=None, *, denorm=None, ranges=None, largest=None, out=None):
    """The pixels of a frame, computed on the device of its cells.

    Parameters
    ----------
    plane : TensorPlane
        The plane of the cells; `view`, `dtype`, `limits` and `channel_ranges` are used.
    norm, cmap : Normalize, Colormap
        The norm has its limits; for hues it is that of the angle. Color channels need neither.
    alpha : None, float or ndarray (H, W) float32
        As `alpha.opacity_on` gives it.
    ranges, largest : callable, optional
        ``ranges()`` returns (lowest, highest) of each color channel, for ``denorm="minmax"``; ``largest()`` the amplitude that is
        opaque, for hues. Default: those of the plane.
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
    return shade(frame.cells, norm, cmap, marks, alpha, out, frame.shaded), None


def _shade_channels(frame, dtype, denorm, marks, alpha, ranges, out):
    """(pixels, (lowest, highest) color before clipping) of a frame of color channels; marks are transparent black by default."""
    mark_colors = dict(zip(("nan_rgba", "pos_inf_rgba", "neg_inf_rgba"), mark_bytes((0, 0, 0, 0), marks), strict=True))
    style = make_rgb_style(dtype, len(frame.channels), denorm, ranges, mark_colors)
    style.is_alpha_weighted = frame.is_alpha_weighted
    set_opacity(style, alpha)
    pixels, extremes = _native.shade_rgb(frame.channels, style, out)
    if frame.is_alpha_weighted and frame.is_filtered and extremes is not None and (extremes[0] < 0 or extremes[1] > 1):
        extremes = _extremes_of_products(frame, style)
    return pixels, extremes


def _extremes_of_products(frame, style):
    """(lowest, highest) color, of products with alpha.

    Negative weights can make a sum of colors times alpha much larger than the sum of alpha, though no element's color is beyond 1.
    The sums themselves stay within the products of the elements.
    """
    colors = [np.asarray(cells.numpy()) * style.scale[k] + style.offset[k] for k, cells in enumerate(frame.channels[:3])]
    finite = np.concatenate([part[np.isfinite(part)] for part in colors])
    return (float(finite.min()), float(finite.max())) if finite.size else None


def _shade_hue(frame, largest, is_log, norm, cmap, marks, alpha, out):
    """Pixels of complex numbers: hue from the angle, opacity from the amplitude against the `largest` of the plane."""
    amplitude = frame.cells.numpy()  # copies pixels from a device, not elements
    opacity = _opacity_of(amplitude, largest, is_log)
    opacity[~np.isfinite(amplitude)] = 1.0  # a mark has its own color
    opacity *= 1.0 if alpha is None else np.asarray(alpha, float)
    return shade(frame.angle, norm, cmap, marks, opacity.astype(np.float32), out)


def _opacity_of(amplitude, largest, is_log):
    """Amplitudes -> opacity from 0 to 1: proportional, or logarithmic over the two decades below the largest."""
    if not largest > 0:
        return np.zeros_like(amplitude)
    with np.errstate(divide="ignore", invalid="ignore"):
        if is_log:
            return np.clip((np.log10(amplitude) - (np.log10(largest) - 2)) / 2, 0, 1)
        return np.clip(amplitude / largest, 0, 1)
