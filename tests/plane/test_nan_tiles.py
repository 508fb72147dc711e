"""Cells with a NaN, among others in the same tile of cells: marked, left out, or both in one pass."""

import numpy as np
import pytest
import reference
from matrix import matrix

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane.native_plane import native_plane
from gpuplot.plane.view import choose

ELEMENTS = 24, 300
AGGS = "mean", "sum", "std", "var", "min", "max", "absmax", "range"
SHAPES = (12, 150), (7, 83), (5, 20), (24, 100)
SHARES = 0.0, 0.001, 0.05, 0.6


def elements(dtype, share, infinities=0):
    """Normal numbers, a share of which is NaN, a few infinities, and one block of NaN alone."""
    rng = np.random.default_rng(5)
    values = rng.normal(1, 2, ELEMENTS).astype(dtype)
    values[rng.random(ELEMENTS) < share] = np.nan
    values[8:16, 100:140] = np.nan if share else values[8:16, 100:140]
    places = rng.integers(0, values.size, infinities)
    values.flat[places] = np.where(rng.random(infinities) < 0.5, np.inf, -np.inf)
    return values


def split(values, shape, agg):
    """Cells under "show", and those without NaN, of one look."""
    source = describe(values)
    is_nearest = agg == "nearest"
    rows, cols = (_native.Axis(n, 0, n, n_cells, nearest=is_nearest) for n, n_cells in zip(values.shape, shape, strict=True))
    with source.borrow() as tensor:
        plane = native_plane(tensor, choose(source.shape, None, source.dtype, rgb=False))
        cells, _, without_nan, _ = _native.reduce(plane, rows, cols, agg, "unmasked", splits_nan=True)
    if np.isnan(cells.numpy()).any():
        _native.fill_without_nan(cells, without_nan)
        return cells.numpy(), without_nan.numpy()
    return cells.numpy(), cells.numpy()


@matrix(agg=AGGS, nan=("show", "skip"), dtype=("f4", "f8", "f2"), share=SHARES, shape=SHAPES, infinities=(0, 2))
def test_against_the_reference(agg, nan, dtype, share, shape, infinities):
    values = elements(dtype, share, infinities)
    got, want = (module.downsample(values, shape, agg=agg, nan=nan) for module in (gpuplot, reference))
    reference.assert_cells(got, want)


@matrix(agg=AGGS, dtype=("f4", "f8", "f2"), share=SHARES, shape=SHAPES)
def test_both_in_one_look(agg, dtype, share, shape):
    """Without infinities, leaving out NaN is what "skip" does."""
    values = elements(dtype, share)
    for got, nan in zip(split(values, shape, agg), ("show", "skip"), strict=True):
        reference.assert_cells(got, reference.downsample(values, shape, agg=agg, nan=nan))


@pytest.mark.parametrize("agg", AGGS)
def test_limits_on_the_way(agg):
    """A NaN hides neither the smallest nor the largest element."""
    values = elements("f4", 0.05)
    values[0, 0], values[0, 1], values[23, 299], values[23, 298] = -50, np.nan, 70, np.nan
    source = describe(values)
    rows, cols = (_native.Axis(n, 0, n, n // 2) for n in values.shape)
    with source.borrow() as tensor:
        plane = native_plane(tensor, choose(source.shape, None, source.dtype, rgb=False))
        for nan in ("show", "skip", "unmasked"):
            assert _native.reduce(plane, rows, cols, agg, nan, _native.WANT_RANGE)[1][:2] == (-50, 70)


def test_neighbors_do_not_depend_on_nan():
    """Cells without a NaN have the value that they have where there is none in the picture."""
    values = np.random.default_rng(1).normal(size=(40, 600)).astype("f4")
    spoiled = values.copy()
    spoiled[17, 301] = np.nan
    for agg in AGGS:
        want, got = (gpuplot.downsample(X, (20, 300), agg=agg) for X in (values, spoiled))
        assert np.isnan(got[8, 150])
        want[8, 150] = got[8, 150]
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=0)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(6, 75), (5, 70), (2, 1)])
def test_spreads_of_what_is_not_nan_lose_no_bits(dtype, shape):
    """Many NaN: finite elements far from zero spread by what they do, and equal ones by nothing."""
    rng = np.random.default_rng(3)
    values = (1e4 + rng.normal(0, 0.01, (24, 4500))).astype(dtype)
    values[rng.random(values.shape) < 0.4] = np.nan
    got, want = (module.downsample(values, shape, agg="std", nan="skip") for module in (gpuplot, reference))
    np.testing.assert_allclose(got, want.values, rtol=1e-9)
    values[np.isfinite(values)] = 0.1
    assert np.all(gpuplot.downsample(values, shape, agg="std", nan="skip") == 0)


@pytest.mark.parametrize("agg", ["std", "var"])
def test_spreads_of_large_numbers_beside_nan(agg):
    """Sums of float64 may be beyond it where neither elements nor their spread is."""
    values = np.full((16, 160), 1.7e308)
    values[:, ::2] = np.nan
    assert np.all(gpuplot.downsample(values, (2, 20), agg=agg, nan="skip") == 0)


@pytest.mark.parametrize("agg", ["mean", "std", "max"])
def test_limits_of_positive_elements_are_those_of_every_row(agg):
    """Whole rows and those that two cells share, the first and the last one included."""
    for row in range(9):
        values = np.full((9, 50), 3.0)
        values[row, 7], values[8 - row, 9] = 0.5, 0
        source = describe(values)
        rows, cols = _native.Axis(9, 0, 9, 4), _native.Axis(50, 0, 50, 10)
        with source.borrow() as tensor:
            plane = native_plane(tensor, choose(source.shape, None, source.dtype, rgb=False))
            want = _native.WANT_RANGE | _native.WANT_POSITIVE
            assert _native.reduce(plane, rows, cols, agg, "show", want)[1][:3] == (0, 3, 0.5)


@pytest.mark.parametrize("agg", ["mean", "std", "max"])
def test_limits_under_hidden_axes_with_nan_and_without(agg):
    """What elements are without NaN has limits of its own; cells of one element have no other value."""
    values = np.random.default_rng(7).normal(size=(2, 300, 400))
    values[0, 50, 60], values[1, 50, 60], values[0, 0, 0] = np.nan, 100, np.nan
    shown, finite = values.mean(0), np.where(np.isnan(values).any(0), np.nanmax(values, 0), values.mean(0))
    tensor = _native.Tensor.from_array(values, "float64")
    plane = _native.Plane(tensor, [("hidden", 0, 1, 2, 0), ("rows", 0, 1, 300, 0), ("cols", 0, 1, 400, 0)], ["mean"])
    axes = _native.Axis(300, 0, 300, 150), _native.Axis(400, 0, 400, 200)
    cells, found, without_nan, finite_found = _native.reduce(plane, *axes, agg, "show", _native.WANT_RANGE, True)
    assert found[:2] == (np.nanmin(shown), np.nanmax(shown)) and finite_found[:2] == (finite.min(), finite.max() == 100 and 100)
    if np.isnan(cells.numpy()).any():
        _native.fill_without_nan(cells, without_nan)
        want = gpuplot.downsample(finite, (150, 200), agg=agg, nan="skip")
        np.testing.assert_allclose(without_nan.numpy(), want, rtol=1e-12)


@pytest.mark.parametrize("shape", [(12, 150), (24, 300), (40, 500)])
def test_single_elements_beside_nan(shape):
    """Agg "nearest" has nothing to show in place of a NaN."""
    values = elements("f8", 0.05)
    for cells in split(values, shape, "nearest"):
        reference.assert_cells(cells, reference.downsample(values, shape, agg="nearest"))


def test_few_sums_beyond_float64_beside_infinities():
    """Cells of finite elements have their means, as if all were 2^60 times smaller."""
    values = np.ones((40, 400))
    values[3, 4:8], values[9, 300], values[30, 200:203] = 1.7e308, -np.inf, -1.7e308
    for shape in ((20, 100), (13, 77)):
        got, small = gpuplot.downsample(values, shape), gpuplot.downsample(values * 2.0**-60, shape)
        np.testing.assert_allclose(got, small * 2.0**60, rtol=1e-12)
        assert np.isinf(got).any()


@pytest.mark.parametrize("agg", ["mean", "sum", "min", "absmax", "nearest"])
def test_zero_has_no_sign(agg):
    for dtype in ("f4", "f8"):
        assert not np.signbit(gpuplot.downsample(np.full((30, 40), -0.0, dtype), (10, 9), agg=agg)).any()
