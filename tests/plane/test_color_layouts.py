"""Colors of any layout in memory: averaged where none of their channels is NaN or masked, by opacity where they have one."""

import numpy as np
from matrix import matrix

import gpuplot

ELEMENTS = 12, 600  # rows are longer than what is looked at together
CELLS = 6, 200
DTYPES = {"uint8": 255, "uint16": 255, "float16": 1, "float32": 1, "float64": 1, ">f4": 1, "longdouble": 1}


def pixels_last(colors):
    return colors, -1


def planes_first(colors):
    return np.ascontiguousarray(colors.transpose(2, 0, 1)), 0


def channels_between(colors):
    return np.ascontiguousarray(colors.transpose(0, 2, 1)).transpose(0, 2, 1), -1


def part_of_pixels(colors):
    wide = np.ones((*colors.shape[:2], 6), colors.dtype)
    wide[..., :colors.shape[2]] = colors
    return wide[..., :colors.shape[2]], -1


def backwards(colors):
    return np.ascontiguousarray(colors[::-1, ::-1, ::-1])[::-1, ::-1, ::-1], -1


def unaligned(colors):
    bytes_ = np.zeros(colors.nbytes + 1, "u1")
    moved = bytes_[1:].view(colors.dtype).reshape(colors.shape)
    moved[...] = colors
    return moved, -1


def random_colors(dtype, n_channels, n_bad):
    """Colors some of whose channels are NaN, the first of them at the end of a row."""
    rng = np.random.default_rng(7)
    opaque = DTYPES[dtype]
    colors = (rng.random((*ELEMENTS, n_channels)) * opaque).astype(dtype)
    if opaque == 1 and n_channels == 4:
        colors[..., -1] *= np.dtype(dtype).type(1.3)  # opacities are clipped
    for k in range(n_bad):
        row, col = (0, ELEMENTS[1] - 1) if k == 0 else (rng.integers(ELEMENTS[0]), rng.integers(ELEMENTS[1]))
        colors[row, col, rng.integers(n_channels)] = np.nan
    return colors


def masked(colors, mask, axis):
    """An array with a mask of the same layout: nothing in it, one channel of one pixel, or many."""
    if mask is None:
        return colors, np.zeros(colors.shape, bool)
    hidden = np.random.default_rng(8).random(colors.shape) < {"nothing": 0, "one": 0, "many": 0.2}[mask]
    np.moveaxis(hidden, axis, -1)[5, 300, 1] |= mask == "one"
    return np.ma.masked_array(colors, hidden), hidden


def expected(colors, hidden, opaque):
    """The pixels of `CELLS`, by float64 arithmetic of NumPy."""
    elems = colors.astype(float) / opaque
    shown = (np.isfinite(elems) & ~hidden).all(-1)
    weights = shown * (np.clip(elems[..., -1], 0, 1) if elems.shape[-1] == 4 else 1.0)
    elems = np.where(shown[..., None], elems, 0)
    blocks = [values.reshape(CELLS[0], 2, CELLS[1], 3, -1).sum((1, 3)) for values in (elems * np.nan_to_num(weights)[..., None],
                                                                                      np.nan_to_num(weights), shown)]
    colors_of, weights_of, n_shown = blocks
    rgba = np.zeros((*CELLS, 4))
    with np.errstate(invalid="ignore", divide="ignore"):
        rgba[..., :3] = (colors_of / weights_of)[..., :3]
        rgba[..., 3:] = weights_of / n_shown
    return np.nan_to_num(np.clip(rgba, 0, 1) * 255)


@matrix(dtype=DTYPES, n_channels=(3, 4), mask=(None, "nothing", "one", "many"), n_bad=(0, 1, 40),
        layout=(pixels_last, planes_first, channels_between, part_of_pixels, backwards, unaligned),
        where=lambda dtype, n_bad, **_: n_bad == 0 or DTYPES[dtype] == 1)
def test_colors(dtype, n_channels, mask, n_bad, layout):
    colors = random_colors(dtype, n_channels, n_bad)
    laid, axis = layout(colors)
    given, hidden = masked(laid, mask, axis)
    pixels = gpuplot.to_rgba(given, CELLS, rgb=axis, nan="skip").astype(float)
    want = expected(colors, np.moveaxis(hidden, axis, -1), DTYPES[dtype])
    np.testing.assert_allclose(pixels, want, atol=0.51 if DTYPES[dtype] == 255 else 1)  # colors of floats are cut to bytes
