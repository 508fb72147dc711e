"""Color channels -> bytes: the value range of a dtype, `denorm`, rounding and clipping."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..arrays.literals import counted
from ..choices import ordered_items
from ..dtype_classes import is_integer

# ImageNet's channel statistics as torchvision documents them for its pretrained models.
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)
DENORMS = ("imagenet", "symmetric", "minmax")

# Floats are taken for colors where at least this part of their range lies within 0..1.
MIN_VISIBLE = 0.75


def are_colors(low, high):
    """Whether floats from `low` to `high` may be colors, which are 0..1; True for NaN, of no elements."""
    return not min(high, 1.0) - max(low, 0.0) < MIN_VISIBLE * (high - low)


@dataclass
class RgbStyle:
    """The arguments of `_native.shade_rgb`; `scale` and `offset` have 3 or 4 channels."""

    # cell * scale + offset is a color, clipped to 0..1.
    scale: tuple[float, ...]
    offset: tuple[float, ...]
    is_rounded: bool  # bytes are rounded half up, as truncation would lose levels; else truncated as in matplotlib
    is_f32: bool  # the product with 255 is rounded to float32, as in matplotlib for float32 images
    is_alpha_weighted: bool = False  # color cells are means of color times alpha
    # The artist's alpha; alpha_cells, (H, W) float32 or None, is used in its place.
    alpha: float = 1.0
    alpha_cells: np.ndarray | None = None
    is_alpha_replaced: bool = False  # without an alpha channel the artist's alpha is the pixels' alpha
    nan_rgba: tuple = field(default=(0, 0, 0, 0))
    pos_inf_rgba: tuple = field(default=(0, 0, 0, 0))
    neg_inf_rgba: tuple = field(default=(0, 0, 0, 0))


def _pair(denorm):
    """(mean, std) as three numbers each; None if `denorm` is not such a pair."""
    try:
        mean, std = (np.broadcast_to(np.asarray(counted(part), float), 3) for part in ordered_items(denorm, 3))
    except Exception:  # libraries differ in how they refuse
        return None
    return (mean, std) if np.isfinite(mean).all() and np.isfinite(std).all() else None


def check_denorm(denorm, is_rgb=True, shape=()):
    """ValueError for an unknown `denorm`, or for any if the tensor is not shown as colors."""
    if denorm is None:
        return
    is_known = denorm in DENORMS if isinstance(denorm, str) else _pair(denorm) is not None
    if not is_known:
        raise ValueError(f"denorm={denorm!r} is not one of {', '.join(DENORMS)} or a pair (mean, std) of numbers, "
                         "one for all or one for each of three channels")
    if not is_rgb:
        raise ValueError(f"denorm undoes the normalization of colors and this view of shape {tuple(shape)} has none: "
                         "give rgb=True, or use vmin and vmax")


def _affine(denorm, ranges):
    """(gain, bias) of the three color channels, for values from 0 to 1."""
    if denorm is None:
        return np.ones(3), np.zeros(3)
    if isinstance(denorm, str) and denorm == "symmetric":
        return np.full(3, 0.5), np.full(3, 0.5)
    if isinstance(denorm, str) and denorm == "minmax":
        low, high = np.array(ranges, float).T
        span = high - low
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(span > 0, 1 / span, 0.0)
            return gain, np.where(span > 0, -low / span, 0.0)
    mean, std = _pair((IMAGENET_MEAN, IMAGENET_STD) if isinstance(denorm, str) else denorm)
    return std, mean


def stored_unit(dtype):
    """The stored value of full intensity: 255 for integers, 1 for floats and bool."""
    return 255.0 if is_integer(dtype) else 1.0


def shown_range(dtype, denorm=None, ranges=None):
    """(low, high) of the stored values that colors tell apart, of all color channels together; `ranges` as in `make_rgb_style`."""
    if isinstance(denorm, str) and denorm == "minmax":
        lows, highs = zip(*ranges[:3], strict=True)
        return min(lows), max(highs)
    gain, bias = _affine(denorm, ranges)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = stored_unit(dtype) * np.array([(0 - bias) / gain, (1 - bias) / gain])
    return ends.min(), ends.max()


def make_rgb_style(dtype, n_channels, denorm=None, ranges=None, marks=None):
    """The RgbStyle for 3 or 4 channels of a dtype; integers are 0..255, floats and bool 0..1.

    `ranges` has the finite (minimum, maximum) of each color channel in stored values, for ``denorm="minmax"``; `marks` is a dict of
    ``nan_rgba``, ``pos_inf_rgba`` and ``neg_inf_rgba``. Alpha is not denormalized.
    """
    unit = stored_unit(dtype)
    gain, bias = _affine(denorm, None if ranges is None else [(low / unit, high / unit) for low, high in ranges[:3]])
    scale, offset = [*(gain / unit)], [*bias]
    if n_channels == 4:
        scale.append(1 / unit)
        offset.append(0.0)
    is_plain = denorm is None and dtype in ("float32", "float64", "longdouble")
    return RgbStyle(tuple(scale), tuple(offset), is_rounded=not is_plain, is_f32=is_plain and dtype == "float32",
                    **(marks or {}))
