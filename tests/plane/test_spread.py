"""Aggregations of spread: variances against a direct computation, exact ranges, and 0 for one element."""

import numpy as np
import pytest

import gpuplot

LARGEST = np.finfo(np.float64).max


def test_variances_by_hand(put):
    """Elements under a part of a cell count by that part."""
    row = put(np.array([[1.0, 2.0, 3.0, 4.0]], np.float32))
    np.testing.assert_allclose(gpuplot.downsample(row, (1, 3), agg="var"), [[3 / 16, 1 / 4, 3 / 16]], rtol=1e-15)
    np.testing.assert_array_equal(gpuplot.downsample(row, (1, 4), agg="var"), np.zeros((1, 4)))
    np.testing.assert_array_equal(gpuplot.downsample(row, (1, 8), agg="var"), np.zeros((1, 8)))


@pytest.mark.parametrize("row", [[1e200, -1e200, 0.0, 1.0], [1.7e308, -1.7e308, 1.7e308, 5.0]])
def test_deviations_whose_squares_are_beyond_float64(put, row):
    """They were 0, which says that all elements are equal."""
    array, std = put(np.tile(np.array([row]), (3, 2))), float(np.std(np.array(row, np.longdouble)))
    for agg, want in (("std", std), ("var", LARGEST)):
        for shape in ((1, 1), (3, 1), (1, 2)):
            np.testing.assert_allclose(gpuplot.downsample(array, shape, agg=agg), np.full(shape, want), rtol=1e-15, err_msg=agg)
    reduced = gpuplot.downsample(put(np.array([row] * 4)[..., None]), (4, 1), x=2, y=0, reduce={1: "std"})
    np.testing.assert_allclose(reduced, np.full((4, 1), std), rtol=1e-15)


@pytest.mark.parametrize("dtype, row, want", [
    ("int64", [[-(2**63), 2**63 - 1, 5, 6]], [2.0**64, 1]),
    ("int64", [[2**62, 2**62 + 1, 2**62 + 3, 2**62 + 3]], [1, 0]),
    ("uint64", [[2**64 - 1, 0, 2**64 - 1, 2**64 - 3]], [2.0**64, 2]),
    ("uint8", [[255, 0, 7, 7]], [255, 0]),
    ("float64", [[1.7e308, -1.7e308, -0.0, 0.0]], [LARGEST, 0]),
    ("float16", [[65504, -65504, 2, 1]], [131008, 1]),
])
def test_ranges(put, dtype, row, want):
    """Whole numbers are subtracted before they are rounded; what is beyond float64 is held at its largest number."""
    array = put(np.array(row, dtype))
    got = gpuplot.downsample(array, (1, 2), agg="range")
    np.testing.assert_array_equal(got, [want])
    assert not np.signbit(got).any()
    np.testing.assert_array_equal(gpuplot.downsample(array, (1, 4), agg="range"), np.zeros((1, 4)))


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (40, 300)])
@pytest.mark.parametrize("dtype", ["int64", "uint64", "int32", "float32"])
def test_ranges_of_many_elements(put, dtype, shape):
    """Whole rows and columns of cells, whose elements go through columns of extremes."""
    rng = np.random.default_rng(3)
    part = rng.integers(0, 9, (shape[0] * 7, shape[1] * 11))
    base = {"int64": 2**62, "uint64": 2**63 + 2**62}.get(dtype, 1000)
    array = (part.astype(np.uint64) + np.uint64(base)).astype(dtype)
    blocks = part.reshape(shape[0], 7, shape[1], 11)
    np.testing.assert_array_equal(gpuplot.downsample(put(array), shape, agg="range"), blocks.max((1, 3)) - blocks.min((1, 3)))


def test_marks_as_for_deviations(put):
    """A cell with a NaN is marked or not as one of std is, and one beyond the plane is empty."""
    array = put(np.array([[1.0, np.nan, np.inf, 2.0, np.nan, np.nan]], np.float32))
    for nan in ("show", "skip"):
        ranges, deviations = (gpuplot.downsample(array, (1, 4), view=((0, 1), (0, 8)), agg=agg, nan=nan) for agg in ("range", "std"))
        np.testing.assert_array_equal(np.isfinite(ranges), np.isfinite(deviations))
        np.testing.assert_array_equal(ranges[~np.isfinite(ranges)].view(np.uint64), deviations[~np.isfinite(ranges)].view(np.uint64))


@pytest.mark.parametrize("agg", ["range", "var"])
def test_refusals_as_for_deviations(agg):
    """Of colors and of angles it has no meaning, nor over hidden axes, and limits of elements do not fit it."""
    with pytest.raises(ValueError, match="colors"):
        gpuplot.downsample(np.zeros((8, 8, 3), np.uint8), (2, 2), agg=agg, rgb=True)
    with pytest.raises(ValueError, match="angles"):
        gpuplot.downsample(np.ones((8, 8), np.complex64), (2, 2), agg=agg, complex_mode="phase")
    with pytest.raises(ValueError, match="reduce"):
        gpuplot.downsample(np.zeros((3, 8, 8)), (2, 2), reduce={0: agg})
    with pytest.raises(ValueError, match="elements"):
        gpuplot.to_rgba(np.eye(8), (2, 2), agg=agg, limits="elements")
