"""What is seen between the images of a grid: the background, gaps and borders, however few pixels they have."""

import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import pixels
from grids import noise, saved, spec_of

import gpuplot
from gpuplot.plane.frame import is_empty
from gpuplot.plane.window import Span, Window


@pytest.mark.parametrize("scale_each", [False, True])
def test_no_color_of_the_colormap_is_between_images_of_one_channel(scale_each, tmp_path):
    x = np.ones((2, 5, 5)) * [[[1]], [[0]]]
    found = saved(tmp_path, x, grid={"scale_each": scale_each})
    assert (found[..., 3] == 0).sum() == found[..., 3].size - x.size
    colors = pixels(gpuplot.grid(x, scale_each=scale_each, padding=1, interpolation="nearest"))
    assert (colors == 255).all(axis=2).mean() > 0.05  # the background


@pytest.mark.parametrize("n_cells", [650, 640, 630, 500, 400, 330])
def test_borders_of_a_pixel_or_more_are_seen_everywhere(n_cells):
    """Pixels that lay half in a border were those of an image, and some borders were lost."""
    x = np.ones((4, 160, 160))
    spec = spec_of(x, pad_value=7)
    cells = spec.plane.reduce(Window(Span(0.0, 164.0, 164), Span(0.0, 650.0, n_cells)), "mean").cells.numpy()
    in_border = np.flatnonzero(cells[80] == 7)
    starts = in_border[np.append(True, np.diff(in_border) > 1)]
    assert len(starts) == 5 and (cells[80][cells[80] != 7] == 1).all()


def test_borders_are_seen_everywhere_where_one_pixel_is_wider():
    """A row of pixels at the edge of the picture may have 2.1 elements where the others have 1.5; most borders were lost for it."""
    plane = spec_of(np.ones((40, 28, 28)), nrow=40).plane
    edges = np.delete(np.linspace(0, plane.shape[0], 22), 1)
    rows = Span.of_edges(edges, (edges[1:] + edges[:-1]) / 2, "up")
    cells = plane.reduce(Window(rows, Span(0.0, float(plane.shape[1]), 790)), "mean").cells.numpy()
    assert np.diff(edges).max() > 2 and np.count_nonzero(np.diff(is_empty(cells[10]).astype(int)) == 1) == 40


GAPS = {"mean": ("mean", 300, True), "classes": ("nearest", 300, True), "peaks": ("max", 300, False),
        "tiles of few cells": ("mean", 90, False)}


@pytest.mark.parametrize("agg, n_cells, is_gap", GAPS.values(), ids=GAPS)
@pytest.mark.parametrize("fill", [None, 0.0], ids=["nothing", "zero"])
def test_large_images_do_not_touch(agg, n_cells, is_gap, fill):
    """Two elements between images are less than a cell, and some gaps, or all, were not seen. A NaN beside a gap is, and so is a peak."""
    images = noise((8, 340, 340)) ** 2 + 1
    images[5, 0, 200], images[6, 339, 339] = np.nan, np.inf
    plane = spec_of(images, nrow=4, pad_value=fill).plane
    n_rows = round(n_cells * plane.shape[0] / plane.shape[1])
    window = Window.whole(plane.shape, (n_rows, n_cells))
    cells = plane.reduce(window, agg).cells.numpy()
    is_nothing = is_empty(cells) if fill is None else cells == fill
    middles = [np.array([1, *(342 * k + 1 for k in range(1, n)), side - 1]) for n, side in zip((2, 4), plane.shape, strict=True)]
    rows, cols = (np.unique(places * n // side) for places, n, side in zip(middles, cells.shape, plane.shape, strict=True))
    want = np.zeros(cells.shape, bool)
    if is_gap:
        want[rows], want[:, cols] = True, True
        want &= ~(np.isnan(cells) & ~is_empty(cells)) & ~np.isinf(cells)
    np.testing.assert_array_equal(is_nothing, want)
    assert agg == "nearest" or (np.isinf(cells).any() and (np.isnan(cells) & ~is_empty(cells)).any())


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("n_short", [22, 5], ids=["elements", "few cells"])
def test_long_images_do_not_touch_at_their_ends(is_turned, n_short):
    """As they have few elements, or few cells, along the other axis, no gaps were shown at all."""
    images = noise((12, 8, 2000)) ** 2 + 1
    plane = spec_of(images.transpose(0, 2, 1) if is_turned else images, nrow=2 if is_turned else 8).plane
    shape = (n_short, 800)
    cells = plane.reduce(Window.whole(plane.shape, shape[::-1] if is_turned else shape), "mean").cells.numpy()
    cells = cells.T if is_turned else cells
    n_images = 6 if is_turned else 8
    ends = [(2002 * k + 1) * 800 // (2002 * n_images + 2) for k in range(n_images + 1)]
    has_no_gap_across = ~is_empty(cells).all(axis=1)
    assert is_empty(cells[has_no_gap_across]).all(axis=0).nonzero()[0].tolist() == ends
    assert has_no_gap_across.sum() == (16 if n_short == 22 else 5)


@pytest.mark.filterwarnings("ignore:colors from .* are clipped")
@pytest.mark.parametrize("fill", [0.5, 1, -1, 300, 1e300, np.nan, np.inf, None])
@pytest.mark.parametrize("dtype", ["uint8", "bool", "int64", "float32"])
@pytest.mark.parametrize("shape", [(2, 6, 6), (2, 6, 6, 3), (2, 6, 6, 4)], ids=["numbers", "RGB", "RGBA"])
def test_magnified_images_have_the_same_between_them_as_reduced_ones(shape, dtype, fill):
    """Between integers 0.5 was 0, and 300 or NaN an error of NumPy at the draw; nothing between colors was black."""
    limits = {"vmin": -2, "vmax": 2} if len(shape) == 3 else {}
    file = io.BytesIO()
    gpuplot.imsave(file, np.zeros(shape, dtype), shape=(12, 12), grid={"pad_value": fill, "padding": 4, "nrow": 1}, **limits)
    rgba = plt.imread(io.BytesIO(file.getvalue()), format="png")[0, 0]
    on_white = rgba[:3] if len(rgba) == 3 else rgba[:3] * rgba[3] + 1 - rgba[3]
    figure = gpuplot.grid(np.zeros(shape, dtype), pad_value=fill, padding=4, nrow=1, **limits)
    seen = pixels(figure)
    x, y = figure.axes[0].transData.transform((0.5, 0.5))
    np.testing.assert_allclose(seen[len(seen) - int(y), int(x)], [*(255 * on_white), 255], atol=1)


@pytest.mark.parametrize("value", [1e11, -1e12, 1e300, 10**15])
def test_constant_images_of_large_numbers_have_the_lowest_color(value, tmp_path):
    """Their range was empty, and they were drawn as NaN."""
    found, expected = (saved(tmp_path, np.full((2, 5, 5), number), grid={"scale_each": True, "padding": 0}) for number in (value, 1.0))
    np.testing.assert_array_equal(found, expected)
    assert (found[..., 3] == 255).all()


def test_black_is_between_images_of_colors(tmp_path):
    found = saved(tmp_path, np.ones((2, 3, 4, 4), "float32"), grid=True)
    assert found.shape[2] == 3 or (found[..., 3] == 255).all()
    np.testing.assert_array_equal(found[0, 0, :3], [0, 0, 0])
