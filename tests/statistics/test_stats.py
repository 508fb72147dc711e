"""`stats`: the examples of its definition, its parameters and mistakes, and what it returns."""

import itertools
import math

import numpy as np
import pytest
from reference import statistics
from stored_tensors import as_source, storage_of

import gpuplot
from gpuplot.plane.bin_edges import bin_edges
from gpuplot.statistics.arguments import touched

MAX = float(np.finfo(float).max)
TEN = np.array([-2, 0, -0.0, 1, 3, np.nan, np.inf, -np.inf, 1e-40, np.nan], "float32")


# ---- the examples of the definition ------------------------------------------------------------------------------------


def test_ten_elements():
    found = gpuplot.stats(TEN)
    assert (found.shape, found.dtype, found.numel, found.nbytes) == ((10,), "float32", 10, 40)
    assert (found.nan, found.neg_inf, found.neg, found.zero, found.pos, found.pos_inf, found.subnormal) == (2, 1, 1, 2, 3, 1, 1)
    assert (found.min, found.max, found.mean, found.std) == (-2, 3, 0.3333333333333333, 1.632993161855452)
    assert (found.absmax, found.l2) == (3, pytest.approx(3.7416573867739413, rel=1e-15))
    assert (found.argmin, found.argmax, found.first_nan) == ((0,), (4,), (5,))
    assert gpuplot.stats(TEN.reshape(2, 5)).first_nan == (1, 0)


def test_one_to_four():
    assert gpuplot.stats([1, 2, 3, 4]).std == pytest.approx(1.2909944487358056, rel=1e-15)


def test_bins_are_decided_by_their_edges():
    X = [0.3, 0.6, 0.7, 1.0, 0.0, np.nan, 1.5]
    assert gpuplot.stats(X, bins=10, value_range=(0, 1)).hist.tolist() == [1, 0, 1, 0, 0, 1, 1, 0, 0, 1]
    found = gpuplot.stats([3, 3, 3], bins=4)
    assert found.bin_edges.tolist() == [2.5, 2.75, 3, 3.25, 3.5] and found.hist.tolist() == [0, 0, 3, 0]


def test_percentiles():
    found = gpuplot.stats([3, 1, 2, 4], percentiles=(25, 50, 90)).percentiles
    assert found == {25: 1.75, 50: 2.5, 90: 3.7}
    assert gpuplot.stats(np.arange(101), percentiles=(2, 98)).percentiles == {2: 2.0, 98: 98.0}
    assert gpuplot.stats([np.nan, 5, np.inf, 1], percentiles=[50]).percentiles == {50: 3}
    apart = np.array([[-1.5e308, 1.5e308]])  # their difference is beyond float64
    assert gpuplot.stats(apart, percentiles=(25, 50)).percentiles == {25: -7.5e307, 50: 0}
    assert gpuplot.stats(apart, dim=1, percentiles=(25, 50)).percentiles == {25: -7.5e307, 50: 0}


@pytest.mark.parametrize("percentiles", [(), None, (50,), (50.0,), (1, 99), np.linspace(0, 100, 1023)])
def test_median_whatever_percentiles_are_asked_for(percentiles):
    found = gpuplot.stats([3, 1, np.nan, 2, 4], percentiles=percentiles)
    assert type(found.median) is float and found.median == 2.5
    assert list(found.percentiles) == ([] if percentiles is None else list(percentiles))
    by_row = gpuplot.stats([[3, 1, np.nan, 2, 4], [np.nan, np.inf, 8, 8, np.nan], [np.nan] * 5], dim=1, percentiles=percentiles)
    np.testing.assert_array_equal(by_row.median, [2.5, 8, np.nan])
    assert by_row.median.dtype == np.float64 and list(by_row.percentiles) == list(found.percentiles)


def medians_of(X):
    """The medians of rows of the reference's elements, and that of all of them."""
    rows = [[element for element in row if element.value is not None] for row in X]
    return [statistics.percentile([element.value for element in row], 50) for row in [*rows, list(itertools.chain(*rows))]]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "uint64", "float16", "bfloat16", "float8_e4m3fn", "float64", "complex64"])
@pytest.mark.parametrize("n_bad", [0, 3])
def test_median_of_every_kind_of_dtype(dtype, n_bad):
    """Of all elements, of each row, and of a 0-d tensor."""
    stored = storage_of(np.random.default_rng(9), dtype, (5, 6), n_bad)
    elements = statistics.elements_of(stored, dtype)
    *rows, whole = medians_of([elements[i:i + 6] for i in range(0, 30, 6)])
    X = as_source(stored, dtype)
    np.testing.assert_allclose(gpuplot.stats(X, percentiles=()).median, whole, 1e-14)
    np.testing.assert_allclose(gpuplot.stats(X, dim=1, percentiles=()).median, rows, 1e-14)
    [_, one] = medians_of([elements[15:16]])
    np.testing.assert_allclose(gpuplot.stats(as_source(stored[2:3, 3:4].reshape(()), dtype), percentiles=()).median, one, 1e-14)


@pytest.mark.parametrize("dtype", ["int64", "float32", "float16"])
def test_median_leaves_out_what_is_masked(dtype):
    X = np.ma.array([[1025, 5, 7, 8], [1, 2, 3, 4]], dtype, mask=[[0, 0, 1, 0], [1, 1, 1, 1]])
    assert gpuplot.stats(X, percentiles=()).median == 8
    np.testing.assert_array_equal(gpuplot.stats(X, dim=1, percentiles=()).median, [8, np.nan])


@pytest.mark.parametrize("X", [[], np.zeros((3, 0, 2), "int32"), [np.nan, np.inf, -np.inf], np.ma.masked_all((2, 2))])
def test_median_of_nothing_is_nan(X):
    assert math.isnan(gpuplot.stats(X).median) and type(gpuplot.stats(X).median) is float
    assert np.isnan(gpuplot.stats(np.zeros((0, 3)), dim=0).median).tolist() == [True] * 3


@pytest.mark.parametrize("X", [np.array([1, 1.001], "float16"), np.full(9, 1e9, "float32"), np.array([2**60, 2**60 + 3])])
def test_narrow_ranges_have_bins(X):
    """NumPy refuses to divide them."""
    found = gpuplot.stats(X)
    assert found.hist.sum() == X.size and (np.diff(found.bin_edges) > 0).all()
    assert found.bin_edges[0] <= float(X.min()) and found.bin_edges[-1] >= float(X.max())


def test_integers_that_float64_does_not_hold():
    X = np.array([[2**53 + 1, 2**53, 2**63 - 1], [-(2**53) - 1, 2**63 - 2, -(2**53)]])
    found = gpuplot.stats(X)
    assert (found.min, found.max, found.absmax) == (-(2**53) - 1, 2**63 - 1, 2**63 - 1)
    assert (found.argmin, found.argmax) == ((1, 0), (0, 2))
    turned = gpuplot.stats(np.ascontiguousarray(X.T).T[:, None, ::-1])
    assert (turned.min, turned.max, turned.argmax) == (found.min, found.max, (0, 0, 0))
    smallest = gpuplot.stats(np.array([-(2**63)]))
    assert (smallest.min, smallest.absmax) == (-(2**63), 2**63) and isinstance(smallest.min, int)


def test_ranges_of_integers_are_exact():
    X = np.array([2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3])
    assert gpuplot.stats(X, value_range=(2**60 + 1, 2**60 + 2)).hist.sum() == 2
    assert gpuplot.stats(X, value_range=(2**60 + 1, 2**70)).hist.sum() == 3
    assert gpuplot.stats(np.array([2**64 - 1, 3], "uint64"), value_range=(-5, 2**64 - 2)).hist.sum() == 1
    assert gpuplot.stats(X, value_range=(2.0**60, 2.0**60)).hist.sum() == 4  # compared as float64
    assert gpuplot.stats([1, 2, 3, 4], bins=3, value_range=(0.5, 2.5)).hist.tolist() == [1, 0, 1]


# ---- edges -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("low, high", [
    (0, 0), (1, 1), (-3.5, 4), (1e-320, 2e-320), (0, 2e-320), (0, 5e-324), (-5e-324, 5e-324), (1e9, 1e9), (2.0**60, 2.0**60 + 512),
    (1e300, 1e300), (-1.7e308, 1.7e308), (-MAX, MAX), (MAX, MAX), (-MAX, -MAX), (1.797693134862315e308, MAX), (1, 1 + 2**-52),
    (1 - 2**-53, 1), (2.0**53, 2.0**53 + 2), (2.0**50, 2.0**50), (-1e308, 1.5e308)])
@pytest.mark.parametrize("bins", [1, 2, 3, 64, 128, 1000])
def test_edges_rise_strictly_for_every_range(low, high, bins):
    edges = bin_edges(low, high, bins)
    assert edges.shape == (bins + 1,) and np.isfinite(edges).all() and (edges[1:] > edges[:-1]).all()
    assert edges[0] <= low and edges[-1] >= high
    assert edges.tolist() == statistics.bin_edges(low, high, bins).tolist()


def test_edges_are_numpys_where_it_has_any():
    for low, high, bins in ((0, 1, 10), (-3.3, 7.1, 64), (5, 5, 7)):
        assert bin_edges(low, high, bins).tolist() == np.histogram_bin_edges([low, high], bins).tolist()


# ---- axes --------------------------------------------------------------------------------------------------------------


def test_axes_that_remain():
    X = np.arange(24, dtype="int16").reshape(2, 3, 4)
    found = gpuplot.stats(X, dim=(0, -1), bins=5, percentiles=(50,))
    assert found.dim == (0, 2) and found.numel == 24
    assert found.nan.tolist() == [0, 0, 0] and found.min.tolist() == [0, 4, 8] and found.min.dtype == np.int16
    assert found.mean.tolist() == X.mean((0, 2)).tolist() and found.std == pytest.approx(X.std((0, 2), ddof=1))
    assert found.hist.shape == (3, 5) and found.hist.sum() == 24 and found.bin_edges.shape == (3, 6)
    assert found.bin_edges[1, [0, -1]].tolist() == [4, 19]
    assert found.argmax.tolist() == [(1, 0, 3), (1, 1, 3), (1, 2, 3)] and found.first_nan.tolist() == [None] * 3
    assert found.percentiles[50].tolist() == np.median(X, (0, 2)).tolist()


def test_all_axes_are_one_slice():
    X = np.arange(6.0).reshape(2, 3)
    for dim in (None, (0, 1), (-1, 0), [1, 0], ()):
        assert gpuplot.stats(X, dim=dim).max == 5.0 and gpuplot.stats(X, dim=dim).dim is None
    assert gpuplot.stats(np.float32(3), dim=0).max == gpuplot.stats(np.float32(3), dim=-1).max == 3


def test_slices_without_elements():
    masked = np.ma.array([[1, 2], [3, 4]], mask=[[0, 0], [1, 1]])
    found = gpuplot.stats(masked, dim=1)
    assert found.max.tolist()[0] == 2 and np.isnan(found.max[1]) and found.masked.tolist() == [0, 2]
    assert found.argmax.tolist() == [(0, 1), None] and found.first_nan.tolist() == [None, None]
    large = gpuplot.stats(np.ma.array([[2**60 + 1], [5]], mask=[[0], [1]]), dim=1)
    assert large.max[0] == 2**60 + 1 and np.isnan(large.max[1])
    empty = gpuplot.stats(np.zeros((0, 3)), dim=0, bins=4)
    assert np.isnan(empty.min).all() and empty.min.shape == (3,) and empty.hist.tolist() == [[0] * 4] * 3
    assert empty.bin_edges[2].tolist() == [0, 0.25, 0.5, 0.75, 1]
    none = gpuplot.stats(np.zeros((0, 3)), dim=1, bins=4)
    assert none.min.shape == none.argmin.shape == (0,) and none.hist.shape == (0, 4) and none.percentiles[50].shape == (0,)


def test_extremes_of_slices_keep_their_dtype():
    for dtype in ("bool", "uint8", "int8", "int64", "uint64", "float16", "float32"):
        X = np.array([[0, 1], [1, 1]], dtype)
        assert gpuplot.stats(X, dim=0).min.dtype == X.dtype
    assert gpuplot.stats(np.array([[-128]], "int8"), dim=0).absmax.tolist() == [128]
    assert gpuplot.stats(np.array([[-(2**63)]]), dim=1).absmax.tolist() == [2**63]


# ---- regions -----------------------------------------------------------------------------------------------------------


def test_region_is_what_the_view_touches():
    X = np.arange(2 * 5 * 6).reshape(2, 5, 6)
    for region, part in [
        (((1, 3), (2, 5)), np.s_[:, 1:3, 2:5]), (((0.5, 1.5), (5.5, 0.1)), np.s_[:, 0:2, 0:6]),
        (((-9, 99), (-0.5, 0.5)), np.s_[:, :, :1]),
        (((1 - 1e-15, 3 + 1e-15), (0, 6)), np.s_[:, 1:3]), (((3, 1), (0, 1)), np.s_[:, 1:3, :1]),
    ]:
        found, want = gpuplot.stats(X, region=region), X[part]
        assert (found.min, found.max, found.neg + found.zero + found.pos) == (want.min(), want.max(), want.size)
        assert X[found.argmin] == want.min() and found.shape == X.shape and found.numel == X.size
    outside = gpuplot.stats(X, region=((5, 9), (0, 6)))
    assert outside.zero == outside.pos == 0 and np.isnan(outside.mean)


def test_region_of_few_axes():
    assert gpuplot.stats([1, 2, 3, 4], region=((0, 1), (1, 3))).max == 3
    assert gpuplot.stats([1, 2, 3, 4], region=((1, 2), (1, 3))).pos == 0
    assert gpuplot.stats(np.int8(3), region=((0, 1), (0.2, 0.8))).pos == 1
    assert gpuplot.stats(np.int8(3), region=((0, 1), (1, 2))).pos == 0


def test_touched_elements():
    assert touched((0.5, 2.5), 4) == range(3) and touched((2.5, 0.5), 4) == range(3)
    assert touched((1.9999999999999998, 3.0000000000000004), 4) == range(2, 3)
    assert len(touched((-3, -1), 4)) == len(touched((7, 9), 4)) == len(touched((0, 1), 0)) == 0


# ---- mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error, words, asked", [
    (ValueError, "rules that choose bins", {"bins": "auto"}), (ValueError, "at least one bin", {"bins": 0}),
    (ValueError, "at least one bin", {"bins": -3}), (TypeError, "an integer", {"bins": 2.5}),
    (TypeError, "an integer", {"bins": True}), (TypeError, "an integer", {"bins": [0, 1, 2]}), (TypeError, "an integer", {"bins": None}),
    (ValueError, "falls", {"value_range": (2, 1)}), (ValueError, "finite", {"value_range": (0, np.inf)}),
    (ValueError, "finite", {"value_range": (np.nan, 1)}), (ValueError, "finite", {"value_range": (0, 10**400)}),
    (TypeError, "pair of numbers", {"value_range": 3}), (TypeError, "pair of numbers", {"value_range": (1, 2, 3)}),
    (TypeError, "pair of numbers", {"value_range": "ab"}), (ValueError, "from 0 to 100", {"percentiles": (50, 101)}),
    (ValueError, "from 0 to 100", {"percentiles": (-1e-9,)}), (ValueError, "from 0 to 100", {"percentiles": (np.nan,)}),
    (TypeError, "numbers", {"percentiles": "50"}), (TypeError, "numbers", {"percentiles": ("50",)}),
    (TypeError, "numbers", {"percentiles": (1j,)}), (TypeError, "numbers", {"percentiles": b"2"}),
    (ValueError, "axis 2 does not exist", {"dim": 2}),
    (ValueError, "axis -3 does not exist", {"dim": (0, -3)}), (ValueError, "twice", {"dim": (0, -2)}),
    (TypeError, "an axis is an integer", {"dim": 0.5}), (TypeError, "an axis is an integer", {"dim": True}),
    (ValueError, "no axis 'row'", {"dim": "row"}), (TypeError, "region", {"region": 3}),
    (TypeError, "region", {"region": ((0, 1),)}), (ValueError, "region", {"region": ((0, 0), (0, 1))}),
    (ValueError, "region", {"region": ((0, np.inf), (0, 1))}),
    (ValueError, "region.*finite", {"region": ((0, 10**400), (0, 1))}),
    (ValueError, "at most 16777216", {"bins": 2**31}), (ValueError, "at most 16777216", {"bins": 2**70}),
    (ValueError, "at most 1023", {"percentiles": itertools.repeat(50)}),
    (ValueError, "at most 1023", {"percentiles": np.linspace(0, 100, 1024)}),
])
def test_wrong_parameters(error, words, asked):
    with pytest.raises(error, match=words):
        gpuplot.stats(np.zeros((2, 3)), **asked)


def test_too_many_counts_of_slices_together():
    with pytest.raises(ValueError, match="fewer bins, or reduce more axes"):
        gpuplot.stats(np.broadcast_to(np.float32(1), (2**20, 2)), dim=1, bins=2**10)


def test_wrong_tensors():
    for X in ("text", None, object(), np.array(["a"]), np.array([None])):
        with pytest.raises(gpuplot.UnsupportedError):
            gpuplot.stats(X)
    with pytest.raises(TypeError):
        gpuplot.stats(X=[1, 2])


def test_ways_to_give_numbers():
    X = np.arange(10.0)
    assert gpuplot.stats(X, percentiles=50).percentiles == {50: 4.5}
    assert gpuplot.stats(X, percentiles=None).percentiles == gpuplot.stats(X, percentiles=()).percentiles == {}
    assert list(gpuplot.stats(X, percentiles=np.array([1.5, 99])).percentiles) == [1.5, 99]
    assert list(gpuplot.stats(X, percentiles=(p for p in (3, 1, 3))).percentiles) == [3, 1]
    found = gpuplot.stats(X, bins=np.int64(2), value_range=np.array([0, 10]))
    assert found.hist.tolist() == [5, 5]


# ---- what comes back ---------------------------------------------------------------------------------------------------


def test_results_do_not_change():
    found = gpuplot.stats(TEN)
    with pytest.raises(AttributeError):
        found.nan = 3


def test_results_travel():
    import copy
    import pickle

    for X in (TEN, {"a": TEN, "b": [1.0, 2.0]}):
        found = gpuplot.stats(X)
        assert repr(pickle.loads(pickle.dumps(found))) == repr(copy.deepcopy(found)) == repr(found)
