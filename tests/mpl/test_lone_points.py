"""Lone points of a density grow to circles that are seen, and dense ones do not."""

import numpy as np
import pytest
from figures import drawn_cells
from point_clouds import cloud, shown

from gpuplot import _native
from gpuplot.mpl.densities.spread import AutoSpread, spread
from gpuplot.plane.frame import EMPTY, is_empty


def cells_with(*points, shape=(11, 11)):
    values = np.full(shape, np.array(_native.EMPTY_BITS, np.uint64).view(np.float64))
    for row, col, value in points:
        values[row, col] = value
    return _native.Cells.from_array(values)


def test_points_grow_to_circles():
    grown = spread(cells_with((5, 5, 3.0)), 2, "count").numpy()
    assert (grown == 3).sum() == 21 and (grown.view(np.uint64) == _native.EMPTY_BITS).sum() == 100
    np.testing.assert_array_equal(grown, grown.T)


def test_the_larger_value_wins_and_marks_stay():
    grown = spread(cells_with((5, 4, 3.0), (5, 6, 7.0), (0, 0, np.nan)), 1, "mean").numpy()
    assert grown[5, 5] == 7 and np.isnan(grown[0, 1])
    assert grown[0, 1].view(np.uint64) != _native.EMPTY_BITS
    assert spread(cells_with((5, 4, 3.0), (5, 6, 7.0)), 1, "min").numpy()[5, 5] == 3


def test_lone_points_grow_and_dense_ones_do_not():
    sparse, dense = cells_with((2, 2, 1.0), (8, 8, 1.0)), cells_with(*((i, j, 1.0) for i in range(9) for j in range(9)))
    assert (spread(sparse, AutoSpread(100), "count").numpy() == 1).sum() > 2 * 25
    assert spread(dense, AutoSpread(100), "count") is dense


def blob(shape=(60, 60), *points):
    """A disc of more pixels than few, and lone ones."""
    rows, cols = np.ogrid[:40, :40]
    return cells_with(*((i, j, 2.0) for i, j in np.argwhere((rows - 20) ** 2 + (cols - 20) ** 2 < 150)), *points, shape=shape)


def test_lone_points_beside_a_dense_cloud_grow():
    """One outlier was a single pixel, and at 300 dots per inch invisible. All others reach as far as lines do."""
    cells = blob((60, 60), (50, 50, 1.0))
    for dpi, n_pixels, reach in ((100, 9, 0), (200, 21, 1), (300, 37, 1), (400, 69, 2)):
        grown = ~is_empty(spread(cells, AutoSpread(dpi), "count").numpy())
        assert grown[44:, 44:].sum() == n_pixels
        np.testing.assert_array_equal(grown[:40, :40], ~is_empty(spread(blob(), reach, "count").numpy())[:40, :40])


@pytest.mark.parametrize("dpi", [100, 200, 300])
def test_denser_points_cover_more_of_the_picture(dpi):
    """Where sparse points grew and dense ones did not, a ring of the middling ones was the most covered."""
    rng = np.random.default_rng(0)
    density = np.repeat([0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.9], 100)
    values = np.where(rng.random((300, 700)) < density, 1.0, EMPTY)
    grown = ~is_empty(spread(_native.Cells.from_array(values), AutoSpread(dpi), "count").numpy())
    covered = grown.reshape(300, 7, 100).mean((0, 2))
    assert (np.diff(covered[1:]) > -0.01).all() and covered[0] < covered[2]


def test_thin_curves_are_wider_than_hairlines():
    rows = np.arange(200)
    curve = cells_with(*((i, 3 * i // 4, 5.0) for i in rows), shape=(200, 200))
    assert (~is_empty(spread(curve, AutoSpread(100), "count").numpy())).sum() > 2.5 * 200
    assert spread(blob(), AutoSpread(100), "count").numpy().tobytes() == blob().numpy().tobytes()


def test_a_few_pixels_are_seen():
    """Of all points within two pixels, as one outlier makes them, nothing was seen."""
    for dpi, size in ((72, 7), (100, 7), (200, 13), (600, 17)):
        rows, cols = np.nonzero(~is_empty(spread(cells_with((20, 20, 9.0), shape=(40, 40)), AutoSpread(dpi), "count").numpy()))
        assert np.ptp(rows) + 1 == np.ptp(cols) + 1 == size
    x, y = cloud()
    image = shown(np.append(x, 1e7), np.append(y, 1e7))
    assert (~is_empty(drawn_cells(image))).sum() >= 2 * 37
