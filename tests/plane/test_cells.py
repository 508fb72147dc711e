"""`_native.Cells`: angles, limits and percentiles of cells, and their lifetime."""

import gc
import math

import numpy as np
import pytest
from device_planes import host_plane

from gpuplot import _native
from gpuplot.plane.limits import limits_of_cells, percentiles_of_cells

NAN, INF = math.nan, math.inf
EMPTY = np.uint64(_native.EMPTY_BITS).view(np.float64)

cells_of = _native.Cells.from_array


@pytest.mark.parametrize(("real", "imaginary", "angle"), [
    (1.0, 0.0, 0.0), (-1.0, 0.0, math.pi), (0.0, -2.0, -math.pi / 2), (0.0, 0.0, 0.0), (3.0, 4.0, 0.9272952180016122),
    (1e300, -5e-324, 0.0), (-INF, -INF, -INF), (INF, INF, INF), (NAN, NAN, NAN),
])
def test_angle(real, imaginary, angle):
    got = _native.angle(cells_of([[real, 1]]), cells_of([[imaginary, 1]])).numpy()
    np.testing.assert_allclose(got, [[angle, math.pi / 4]], rtol=1e-15, atol=0)
    assert math.copysign(1, got[0, 0]) == 1 or angle < 0  # no zero is negative


def test_the_angle_of_an_empty_cell_is_an_empty_cell():
    empty = cells_of([[EMPTY, 1]])
    assert _native.angle(empty, empty).numpy().view(np.uint64)[0, 0] == _native.EMPTY_BITS


def test_the_angles_of_a_large_picture_are_those_of_numpy():
    z = np.random.default_rng(0).normal(size=(2, 700, 900))
    got = _native.angle(*map(cells_of, z)).numpy()
    np.testing.assert_allclose(got, np.arctan2(z[1], z[0]), rtol=1e-15)
    assert _native.angle(cells_of(np.empty((0, 3))), cells_of(np.empty((0, 3)))).shape == (0, 3)


def test_grids_that_are_read_together_have_one_size():
    a, b = cells_of(np.zeros((2, 3))), cells_of(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="2 x 3 and of 3 x 2"):
        _native.angle(a, b)
    with pytest.raises(ValueError, match="2 x 3 and of 3 x 2"):
        _native.shade_rgb((a, a, b), None)
    for wrong in ((a, a), [a, a, a], (a, a, np.zeros((2, 3)))):
        with pytest.raises(TypeError, match="a tuple of 3 or 4 Cells"):
            _native.shade_rgb(wrong, None)


def test_results_need_room():
    """Memory that a call would write beyond, or leave a part of as it was, and numbers of ranges that differ, are refused."""
    plane = host_plane(np.arange(12.0).reshape(3, 4))
    fixed = np.empty((3, 4))
    fixed.flags.writeable = False
    for out in (np.empty(11), np.empty(13), np.empty((3, 4), "float32"), np.empty((3, 8))[:, ::2], fixed):
        with pytest.raises(ValueError, match="writable C-contiguous array of 96 bytes"):
            _native.gather(plane, out)
    for lows, highs, most in (([0, 1], [1], 5), ([0], [1, 2], 5), ([0], [1], -1)):
        with pytest.raises(ValueError, match="as many lows as highs"):
            _native.collect(plane, lows, highs, most)
    assert _native.percentiles(plane, np.linspace(0, 100, 1024))[[0, -1]].tolist() == [0, 11]
    with pytest.raises(ValueError, match="at most 1024"):
        _native.percentiles(plane, np.zeros(1025))


def test_limits_and_percentiles_of_cells_are_those_of_finite_ones():
    values = np.random.default_rng(0).normal(size=(40, 50))
    values[3, 4], values[5, 6], values[7, 8], values[9, 9] = NAN, INF, -INF, EMPTY
    finite = values[np.isfinite(values)]
    found = limits_of_cells(cells_of(values))
    assert found[:3] == (finite.min(), finite.max(), finite[finite > 0].min())
    np.testing.assert_allclose(percentiles_of_cells(cells_of(values), (2, 98)), np.percentile(finite, (2, 98)), rtol=1e-15)
    np.testing.assert_allclose(percentiles_of_cells(cells_of(values), (50,), True), np.percentile(finite[finite > 0], 50))


@pytest.mark.parametrize("values", [np.empty((0, 3)), np.full((2, 2), NAN), np.full((2, 2), EMPTY)])
def test_cells_without_a_finite_one_have_no_limits(values):
    assert np.isnan(limits_of_cells(cells_of(values))[:3]).all()


def test_a_tensor_of_cells_keeps_them_alive():
    cells = cells_of([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    tensor = _native.Tensor.from_cells(cells)
    assert (tensor.shape, tensor.strides, tensor.dtype, tensor.device) == ((2, 3), (24, 8), "float64", cells.device)
    del cells
    gc.collect()
    plane = _native.Plane(tensor, [("rows", 0, 1, 2, 0), ("cols", 0, 1, 3, 0)], ())
    np.testing.assert_array_equal(_native.gather(plane, np.empty((2, 3))), [[1, 2, 3], [4, 5, 6]])
    tensor.release()
    with pytest.raises(ValueError, match="released"):
        _native.limits(plane, 1)
    with pytest.raises(TypeError, match="takes Cells"):
        _native.Tensor.from_cells(np.zeros((2, 2)))


def test_cells_of_the_host_are_a_buffer():
    cells = cells_of([[1.0, 2.0]])
    assert cells.device == (1, 0)
    np.asarray(cells)[0, 0] = 5
    assert cells.numpy().tolist() == [[5.0, 2.0]]
