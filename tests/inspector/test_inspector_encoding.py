"""Pixels as the buffers of a frame: lossless, one byte per pixel if that suffices, deflated if that is smaller."""

import zlib

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from gpuplot.inspector.kernel.encoding import encode_line, encode_pixels

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

RNG = np.random.default_rng(3)


def decoded(encoded, shape):
    """What a page paints."""
    name, _, packing = encoded.format.partition("-")
    data = bytes(encoded.buffers[0])
    data = np.frombuffer(zlib.decompress(data) if packing else data, np.uint8)
    if name == "rgba":
        assert len(encoded.buffers) == 1
        return data.reshape(*shape, 4)
    palette = np.frombuffer(encoded.buffers[1], np.uint8).reshape(-1, 4)
    assert len(palette) <= 256
    return palette[data].reshape(*shape, 4)


def of_colors(n, shape=(2, 30, 40)):
    """Pixels of so many colors, all of which occur."""
    colors = RNG.choice(256**3, n, replace=False)
    colors = np.stack([colors % 256, colors // 256 % 256, colors // 65536, np.full(n, 255)], -1).astype(np.uint8)
    which = np.concatenate([np.arange(n), RNG.integers(0, n, np.prod(shape) - n)])
    return colors[RNG.permutation(which)].reshape(*shape, 4)


@pytest.mark.parametrize("is_deflated", [False, True])
@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 2000])
def test_every_pixel_comes_back(n, is_deflated):
    pixels = of_colors(n)
    encoded = encode_pixels(pixels, is_deflated)
    assert encoded.format.startswith("index" if n <= 256 else "rgba")
    assert np.array_equal(decoded(encoded, pixels.shape[:3]), pixels)
    assert encoded.n_bytes == sum(len(bytes(buffer)) for buffer in encoded.buffers)


def test_what_shrinks_is_deflated_and_noise_is_not():
    smooth, noise = np.zeros((1, 100, 100, 4), np.uint8), RNG.integers(0, 256, (1, 100, 100, 4), dtype=np.uint8)
    assert encode_pixels(smooth, True).format == "index-zlib" and encode_pixels(smooth, True).ratio < 0.1
    assert encode_pixels(noise, True).format == "rgba" and encode_pixels(noise, True).ratio == 1
    assert encode_pixels(smooth).format == "index" and encode_pixels(smooth).ratio == 1


def test_a_byte_a_pixel_and_four_for_each_color():
    assert encode_pixels(of_colors(7)).n_bytes == 2 * 30 * 40 + 7 * 4


def test_any_strides():
    pixels = of_colors(50, (1, 20, 24))
    for view in (pixels[:, ::-1], pixels[:, :, ::2], pixels.transpose(0, 2, 1, 3)):
        assert np.array_equal(decoded(encode_pixels(view), view.shape[:3]), view)


def test_the_alpha_of_colors_counts():
    pixels = np.zeros((1, 1, 256, 4), np.uint8)
    pixels[..., 3] = np.arange(256)
    assert np.array_equal(decoded(encode_pixels(pixels), (1, 1, 256)), pixels)


@examples(50)
@given(st.integers(1, 3), st.integers(1, 9), st.integers(1, 9), st.integers(1, 400), st.booleans(), st.integers(0, 2**31))
def test_any_picture_comes_back(n, height, width, most, is_deflated, seed):
    pixels = np.random.default_rng(seed).integers(0, min(most, 256), (n, height, width, 4), dtype=np.uint8)
    assert np.array_equal(decoded(encode_pixels(pixels, is_deflated), pixels.shape[:3]), pixels)


def test_lines_are_little_endian_rows():
    columns = np.array([[1.5, np.nan], [2, np.inf], [-0.0, 1e300], [0, 1], [3, 4]])
    encoded = encode_line(columns[:, ::-1])
    assert encoded.format == "line" and encoded.n_bytes == 80
    assert np.array_equal(np.frombuffer(encoded.buffers[0], "<f8").reshape(5, 2), columns[:, ::-1], equal_nan=True)
