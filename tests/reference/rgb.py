"""RGB and RGBA tensors: which axis holds the channels, alpha-weighted means, denorm, bytes."""

from dataclasses import dataclass

import numpy as np

from .cells import EMPTY, MARK_VALUES, VALUE, block_of, mark_of, weighted_mean, weighted_sum
from .colors import TRANSPARENT, ClassColors, color_bytes, faded
from .loading import FLOAT_DTYPES, MASKED_VALUE, is_masked
from .tolerances import CANCELLED, RELATIVE

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)
ARITHMETIC = 2.0**-40
"""Room for the last bits of a denorm, which decide a byte only at an exact half."""


@dataclass
class RgbCells:
    """Cells of colors: values H x W x C (stored units until finished), kinds H x W, tolerances H x W x C."""

    values: np.ndarray
    kinds: np.ndarray
    tolerances: np.ndarray


def guessed_channel_axis(shape, dtype_name):
    """The channel axis (0 or 2) that three axes alone suggest, or None."""
    if len(shape) != 3 or dtype_name not in ("uint8", *FLOAT_DTYPES):
        return None
    sizes = (3, 4) if dtype_name == "uint8" else (3,)
    # A size of 4 that is not guessed still makes the other end ambiguous.
    first, last = shape[0] in (3, 4), shape[2] in (3, 4)
    if first == last:
        return None
    axis = 0 if first else 2
    return axis if shape[axis] in sizes else None


def channel_axis_of_stack(shape, dtype_name):
    """The channel axis of a stack of uint8 pictures, (..., H, W, C) or (..., C, H, W); None for other tensors."""
    if len(shape) < 4 or dtype_name != "uint8":
        return None
    if shape[-1] in (3, 4):
        return len(shape) - 1
    return len(shape) - 3 if shape[-3] in (3, 4) and shape[-1] != 1 else None


def channel_axis(shape, dtype_name, rgb=None, is_explicit=False, may_be_stack=None):
    """The channel axis of a tensor that is drawn, or None for a plane.

    `is_explicit` says that x, y, dims, index or reduce was given, which stops every guess but that of a stack, which
    `may_be_stack` allows (default: where nothing was given). A last axis
    of 3 or 4 is RGB(A) for every real dtype, as matplotlib reads it; the guess serves the other shapes.
    """
    n_dims = len(shape)
    if rgb is False or dtype_name.startswith("complex"):
        return None
    if rgb is None:
        if n_dims > 3 and (not is_explicit if may_be_stack is None else may_be_stack):
            return channel_axis_of_stack(shape, dtype_name)
        if is_explicit or n_dims != 3:
            return None
        return 2 if shape[2] in (3, 4) else guessed_channel_axis(shape, dtype_name)
    if rgb is True:
        for axis in (n_dims - 1, n_dims - 3):
            if axis >= 0 and n_dims >= 3 and shape[axis] in (3, 4):
                return axis
        raise ValueError(f"rgb=True needs an axis of 3 or 4 channels, first or last; the shape is {shape}")
    if not -n_dims <= rgb < n_dims or shape[rgb] not in (3, 4):
        raise ValueError(f"rgb={rgb} is not an axis of 3 or 4 channels in shape {shape}")
    return rgb % n_dims


def channel_values(values, dtype_name, is_last):
    """The channels as stored values and the dtype that they count as.

    Integers other than uint8 are clipped to 0..255 where matplotlib takes them (channels last); elsewhere they raise.
    """
    if dtype_name in ("uint8", "bool", *FLOAT_DTYPES):
        return values, dtype_name
    if not is_last:
        raise ValueError(f"RGB takes uint8 (0..255) or floats (0..1), not {dtype_name}")
    return np.clip(values, 0, 255), "uint8"


def whole_marks(channels, nan):
    """An element with a masked channel is masked in all of them (last axis); one that is not finite has one mark in all."""
    masked = is_masked(channels).any(axis=-1, keepdims=True)
    marks = [mark_of(element, "unmasked") for element in channels.reshape(-1, channels.shape[-1])]
    values = np.array([MARK_VALUES.get(mark, 0.0) for mark in marks]).reshape(masked.shape)
    bad = ~np.isfinite(channels).all(axis=-1, keepdims=True)
    return np.where(masked, MASKED_VALUE, np.where(bad, values, channels))


def _one_pixel(blocks, n_colors, alpha_scale):
    """Values and tolerances of one cell from its finite elements; `blocks` is one Block per channel."""
    finite = np.logical_and.reduce([np.isfinite(block.values) for block in blocks])
    weights = blocks[0].weights[finite]
    channels = [block.values[finite] for block in blocks]
    if blocks[0].is_one_element:
        return [float(channel[0]) for channel in channels], [0.0] * len(channels)
    alphas = [np.clip(channel / alpha_scale, 0.0, 1.0) for channel in channels[n_colors:]]
    color_weights = weights * alphas[0] if alphas else weights
    if weighted_sum(color_weights, np.ones_like(weights)) == 0:
        return [0.0] * len(channels), [0.0] * len(channels)
    values = [weighted_mean(color_weights, channel) for channel in channels[:n_colors]]
    magnitudes = [weighted_mean(color_weights, np.abs(channel)) for channel in channels[:n_colors]]
    for alpha in alphas:
        values.append(weighted_mean(weights, alpha) * alpha_scale)
        magnitudes.append(values[-1])
    return values, [max(RELATIVE * abs(v), CANCELLED * a) for v, a in zip(values, magnitudes)]


def reduce_rgb(channels, rows, cols, agg="mean", nan="show", alpha_scale=1.0):
    """Cells of colors from an (Ny, Nx, C) float64 array of stored values (alpha_scale is 255 for uint8)."""
    if agg not in ("mean", "nearest"):
        raise ValueError(f"agg={agg!r} of colors has no meaning; use 'mean' or 'nearest'")
    channels = whole_marks(channels, nan)
    n_channels = channels.shape[2]
    shape = (len(rows), len(cols))
    cells = RgbCells(np.zeros((*shape, n_channels)), np.full(shape, VALUE), np.zeros((*shape, n_channels)))
    for q, row in enumerate(rows):
        for p, col in enumerate(cols):
            blocks = [block_of(channels[:, :, c], row, col, agg) for c in range(n_channels)]
            if blocks[0] is None:
                cells.kinds[q, p] = EMPTY
                continue
            kind = mark_of(np.concatenate([block.values for block in blocks]), nan)
            cells.kinds[q, p] = kind
            if kind != VALUE:
                cells.values[q, p] = MARK_VALUES[kind]
                continue
            cells.values[q, p], cells.tolerances[q, p] = _one_pixel(blocks, min(n_channels, 3), alpha_scale)
    return cells


def denorm_coefficients(denorm, channels):
    """(scale, offset) of each color channel, c * scale + offset; `channels` is (Ny, Nx, 3) in 0..1 units."""
    if denorm is None:
        return np.ones(3), np.zeros(3)
    if isinstance(denorm, str) and denorm == "imagenet":
        return np.array(IMAGENET_STD), np.array(IMAGENET_MEAN)
    if isinstance(denorm, str) and denorm == "symmetric":
        return np.full(3, 0.5), np.full(3, 0.5)
    if isinstance(denorm, str) and denorm == "minmax":
        return _min_max_coefficients(channels)
    if isinstance(denorm, str):
        raise ValueError(f"denorm must be 'imagenet', 'symmetric', 'minmax' or (mean, std), not {denorm!r}")
    mean, std = denorm
    return np.broadcast_to(np.asarray(std, float), 3), np.broadcast_to(np.asarray(mean, float), 3)


def _min_max_coefficients(channels):
    scales, offsets = np.zeros(3), np.zeros(3)
    for c in range(3):
        finite = channels[..., c][np.isfinite(channels[..., c])]
        if finite.size and finite.max() > finite.min():
            scales[c] = 1.0 / (finite.max() - finite.min())
            offsets[c] = -finite.min() * scales[c]
    return scales, offsets


def does_round(dtype_name, denorm=None):
    """True where bytes round half up; float32 and float64 as they are truncate, as matplotlib does."""
    return denorm is not None or dtype_name not in ("bool", "float32", "float64", "longdouble")


def color_byte(c, is_rounded):
    """The byte of a channel in 0..1."""
    return int(np.clip(np.floor(255 * c + 0.5) if is_rounded else np.trunc(255 * c), 0, 255))


def finish_rgb(cells, dtype_name, denorm=None, elements=None):
    """Turn stored values into 0..1 channels: uint8 by 255 first, then denorm (never on alpha)."""
    unit = 255.0 if dtype_name == "uint8" else 1.0
    values, tolerances = cells.values / unit, cells.tolerances / unit
    scale, offset = denorm_coefficients(denorm, None if elements is None else elements / unit)
    if denorm is not None:
        values[..., :3] = values[..., :3] * scale + offset
        tolerances[..., :3] = tolerances[..., :3] * np.abs(scale) + ARITHMETIC
    return RgbCells(values, cells.kinds, tolerances)


def _byte_range(c, tolerance, dtype_name, is_rounded):
    """All bytes that another implementation may give a channel."""
    found = {color_byte(v, is_rounded) for v in (c - tolerance, c, c + tolerance)}
    if dtype_name == "float32" and not is_rounded:
        # matplotlib multiplies float32 colors in float32.
        found.add(int(np.clip(np.trunc(np.float32(255) * np.float32(c)), 0, 255)))
    return range(min(found), max(found) + 1)


def _mark_pixel(kind, colors, alpha):
    names = {1: "nan_color", 2: "pos_inf_color", 3: "neg_inf_color"}
    given = getattr(colors, names[kind]) if kind in names else None
    return TRANSPARENT if given is None else faded(color_bytes(given), alpha)


def shade_rgb(cells, dtype_name, denorm=None, colors=None, alpha=None):
    """(rgba, allowed): the uint8 picture of finished cells, and the ranges of bytes that are as good.

    allowed is an H x W object array of four ranges (or of one pixel, for marks and empty cells).
    """
    colors = colors or ClassColors()
    rounds = does_round(dtype_name, denorm)
    shape = cells.kinds.shape
    rgba, allowed = np.zeros((*shape, 4), np.uint8), np.empty(shape, object)
    for at, kind in np.ndenumerate(cells.kinds):
        if kind != VALUE:
            rgba[at] = _mark_pixel(kind, colors, alpha)
            allowed[at] = tuple(range(int(b), int(b) + 1) for b in rgba[at])
            continue
        channels, tolerances = cells.values[at], cells.tolerances[at]
        ranges = [_byte_range(c, e, dtype_name, rounds) for c, e in zip(channels, tolerances)]
        pixel = [color_byte(c, rounds) for c in channels]
        if len(pixel) == 3:
            pixel.append(255)
            ranges.append(range(255, 256))
        rgba[at] = faded(tuple(pixel), alpha)
        last = {faded((0, 0, 0, byte), alpha)[3] for byte in (ranges[3][0], ranges[3][-1])}
        if alpha is not None and len(channels) == 4:
            # The artist's alpha may also multiply the opacity before that becomes a byte.
            opacity = float(np.clip(channels[3], 0.0, 1.0))
            last |= {color_byte((opacity + side * tolerances[3]) * alpha, rounds) for side in (-1, 0, 1)}
        allowed[at] = (*ranges[:3], range(min(last), max(last) + 1))
    return rgba, allowed


def assert_rgb_allowed(got, allowed, what="picture"):
    """Raise AssertionError unless each byte of the uint8 picture `got` is in its range."""
    got = np.asarray(got)
    assert got.dtype == np.uint8, f"{what}: dtype {got.dtype}, want uint8"
    assert got.shape == (*allowed.shape, 4), f"{what}: shape {got.shape}, want {(*allowed.shape, 4)}"
    for at in np.ndindex(allowed.shape):
        fits = all(int(byte) in bytes_ for byte, bytes_ in zip(got[at], allowed[at]))
        assert fits, f"{what}: pixel {at}: got {got[at].tolist()}, want {[list(r) for r in allowed[at]]}"
