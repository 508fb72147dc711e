"""Tiles in a grid: sizes and offsets of torchvision's make_grid, the tile at a position, and tiles put together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplot.picture.tiles import TileGrid, largest_tile_side, usual_nrow

pytestmark = pytest.mark.host("arithmetic of pictures' sizes")

GRIDS = st.builds(TileGrid, st.integers(1, 12), st.integers(1, 5), st.tuples(st.integers(1, 6), st.integers(1, 6)),
                  st.integers(0, 3), st.integers(0, 3))


@pytest.mark.parametrize("n, nrow, padding, shape, offsets", [
    (5, 3, 2, (62, 92), [(2, 2), (2, 32), (2, 62), (32, 2), (32, 32)]),
    (3, 8, 2, (32, 92), [(2, 2), (2, 32), (2, 62)]),
    (1, 8, 2, (28, 28), [(0, 0)]),
    (4, 2, 0, (56, 56), [(0, 0), (0, 28), (28, 0), (28, 28)]),
    (2, 1, 5, (71, 38), [(5, 5), (38, 5)]),
])
def test_sizes_and_offsets_are_those_of_torchvision(n, nrow, padding, shape, offsets):
    grid = TileGrid.from_nrow(n, (28, 28), nrow, padding)
    assert grid.shape == shape and [grid.offset(k) for k in range(n)] == offsets


def test_eight_in_a_row_two_pixels_apart_unless_said_otherwise():
    assert TileGrid.from_nrow(64, (28, 28)).shape == (242, 242)


@pytest.mark.parametrize("shape", [(28, 28), (64, 96), (0, 0), (50, 100), (100, 50)])
@pytest.mark.parametrize("n", [1, 8, 64])
def test_images_that_are_not_long_have_the_rows_of_torchvision(n, shape):
    assert usual_nrow(n, shape) == 8


@given(st.integers(1, 100), st.integers(1, 400), st.integers(1, 400))
def test_long_images_are_as_large_as_they_can_be_on_a_page(n, height, width):
    """Eight spectrograms of 80 x 1000 in a row were lines of five pixels."""
    if max(height, width) <= 2 * min(height, width):
        return
    nrow = usual_nrow(n, (height, width))
    scale = {k: min(8 / (k * width), 12 / (-(-n // k) * height)) for k in range(1, n + 1)}  # inches an element
    assert scale[nrow] == pytest.approx(max(scale.values()), rel=1e-12)


@pytest.mark.parametrize("arguments, error", [
    (dict(n_tiles=0), ValueError), (dict(nrow=0), ValueError), (dict(nrow=2.0), TypeError), (dict(nrow=True), TypeError),
    (dict(padding=-1), ValueError), (dict(padding="2"), TypeError),
])
def test_wrong_numbers_are_refused(arguments, error):
    name = next(iter(arguments))
    with pytest.raises(error, match="image" if name == "n_tiles" else name):
        TileGrid.from_nrow(**{"n_tiles": 5, "tile_shape": (4, 4), **arguments})


@given(GRIDS)
def test_the_tile_at_every_pixel_is_the_one_put_there(grid):
    """Assembled tiles that hold their own numbers are the truth, padding and unfilled tiles being -1."""
    picture = grid.assemble([np.full(grid.tile_shape, k) for k in range(grid.n_tiles)], fill=-1)
    assert picture.shape == grid.shape and np.unique(picture[picture >= 0]).tolist() == list(range(grid.n_tiles))
    for row in range(-1, grid.shape[0] + 1):
        for col in range(-1, grid.shape[1] + 1):
            is_inside = 0 <= row < grid.shape[0] and 0 <= col < grid.shape[1]
            hit = grid.tile_at(row, col)
            assert (-1 if hit is None else hit[0]) == (picture[row, col] if is_inside else -1)
            assert hit is None or (row, col) == tuple(np.add(grid.offset(hit[0]), hit[1:]))


def test_positions_between_pixels_keep_their_fraction():
    grid = TileGrid(4, 2, (10, 20), padding=3)
    assert grid.tile_at(13.25, 42.5) == (3, 0.25, 19.5)
    assert grid.tile_at(9.999, 0) == (0, 9.999, 0)
    assert grid.tile_at(10, 0) is None and grid.tile_at(0, 43) is None and grid.tile_at(-0.5, 0) is None


def test_rows_of_pixels_that_begin_at_the_bottom_show_the_same_picture_upside_down():
    images = [np.full((4, 5), 1), np.full((2, 3), 2), np.full((4, 1), 3)]
    downward, upward = (TileGrid(3, 2, (4, 5), 1, 2, is_upward) for is_upward in (False, True))
    np.testing.assert_array_equal(upward.assemble(images)[::-1], downward.assemble(images))
    assert upward.tile_at(2, 2) == (2, 0, 0) and upward.tile_at(-1, 2) is None and upward.tile_at(12, 2) is None
    assert upward.corner(0) == (11, 2) and downward.corner(0) == (2, 2)


def test_smaller_images_lie_at_the_top_left_of_their_tiles():
    images = [np.ones((2, 3, 4), np.uint8), np.full((1, 2, 4), 7, np.uint8)]
    picture = TileGrid(2, 2, (2, 3), padding=1).assemble(images, fill=(0, 0, 0, 255))
    assert picture.shape == (2, 7, 4) and picture.dtype == np.uint8
    assert (picture[0, 4:6] == 7).all() and (picture[:, :3] == 1).all()
    for gap in (picture[:, 3], picture[1, 4:], picture[:, 6]):
        assert (gap == (0, 0, 0, 255)).all()


@given(st.integers(1, 400), st.integers(1, 9), st.integers(0, 5))
def test_the_largest_side_fits_and_one_more_does_not(side, n, padding):
    largest = largest_tile_side(side, n, padding)
    assert largest == 1 or TileGrid(n, n, (1, largest), padding).shape[1] <= side
    assert TileGrid(n, n, (1, largest + 1), padding).shape[1] > side
