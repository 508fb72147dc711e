"""`stats`: the examples of its definition, its parameters, its mistakes, and tensors of every library and layout."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import reference
from reference import statistics
from stored_tensors import as_source, storage_of

import gpuplot
from gpuplot import _native
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
    (0, 0), (1, 1), (-3.5, 4), (1e-320, 2e-320), (0, 5e-324), (-5e-324, 5e-324), (1e9, 1e9), (2.0**60, 2.0**60 + 512),
    (1e300, 1e300), (-1.7e308, 1.7e308), (-MAX, MAX), (MAX, MAX), (-MAX, -MAX), (1.797693134862315e308, MAX), (1, 1 + 2**-52),
    (1 - 2**-53, 1), (2.0**53, 2.0**53 + 2), (2.0**50, 2.0**50), (-1e308, 1.5e308)])
@pytest.mark.parametrize("bins", [1, 2, 3, 64, 1000])
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


# ---- kinds of tensors --------------------------------------------------------------------------------------------------


def test_no_elements():
    for X in ([], np.zeros((3, 0, 2), "int32"), np.zeros(0, "complex64")):
        found = gpuplot.stats(X, bins=2)
        assert found.numel == 0 and found.nan == found.zero == 0
        assert all(math.isnan(getattr(found, name)) for name in ("min", "max", "mean", "std", "absmax", "l2"))
        assert found.argmin is found.argmax is found.first_nan is None
        assert found.hist.tolist() == [0, 0] and found.bin_edges.tolist() == [0, 0.5, 1]
        assert all(math.isnan(value) for value in found.percentiles.values())
    assert gpuplot.stats([], bins=2, value_range=(3, 5)).bin_edges.tolist() == [3, 4, 5]


def test_nothing_finite():
    found = gpuplot.stats([np.nan, np.inf, -np.inf, -np.inf])
    assert (found.nan, found.pos_inf, found.neg_inf, found.first_nan, found.argmax) == (1, 1, 2, (0,), None)
    assert math.isnan(found.mean) and found.hist.sum() == 0


def test_one_element():
    found = gpuplot.stats(np.float64(2.5))
    assert (found.shape, found.min, found.mean, found.argmin, found.l2) == ((), 2.5, 2.5, (), 2.5) and math.isnan(found.std)


def test_bool_counts_as_zero_and_one():
    found = gpuplot.stats([[True, False, True]])
    assert (found.min, found.max, found.zero, found.pos, found.absmax) == (False, True, 1, 2, 1)
    assert found.mean == pytest.approx(2 / 3) and isinstance(found.min, bool)


def test_zeros_have_no_sign():
    found = gpuplot.stats(np.array([-0.0, -0.0]))
    assert math.copysign(1, found.min) == math.copysign(1, found.max) == math.copysign(1, found.mean) == 1


def test_complex_by_magnitude():
    found = gpuplot.stats(np.array([3 + 4j, -1j, complex(np.nan, np.inf), complex(-np.inf, 0), 0]))
    assert (found.nan, found.neg_inf, found.neg, found.zero, found.pos, found.pos_inf) == (1, 0, 0, 1, 2, 1)
    assert (found.min, found.max, found.mean, found.l2) == (0, 5, 2, pytest.approx(26**0.5))
    assert gpuplot.stats(np.array([1e-39 + 0j, 1e-38j, 1], "complex64")).subnormal == 2


@pytest.mark.parametrize("dim", [None, 1])
def test_a_magnitude_beyond_float64_is_finite(dim):
    """As both parts are: it counts as the largest number."""
    found = gpuplot.stats(np.array([[1e308 + 1.7e308j, 3 + 4j, complex(np.inf, 1)]]), dim=dim)
    assert (found.pos, found.pos_inf, found.min, found.max, found.hist.sum()) == (2, 1, 5, MAX, 2)


def test_subnormal_numbers_of_each_dtype():
    assert gpuplot.stats(np.array([2.0**-14, 2.0**-15, -(2.0**-24), 0], "float16")).subnormal == 2
    assert gpuplot.stats(np.array([2.0**-1022, 5e-324])).subnormal == 1
    assert gpuplot.stats(np.array([1, 0], "int8")).subnormal == 0
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert gpuplot.stats(np.array([2.0**-6, 2.0**-7, 2.0**-9], ml_dtypes.float8_e4m3fn)).subnormal == 2
    assert gpuplot.stats(np.array([2.0**-14, 2.0**-15, -(2.0**-16)], ml_dtypes.float8_e5m2)).subnormal == 2


def test_subnormal_numbers_where_libraries_flush_them():
    torch = pytest.importorskip("torch")
    X = torch.tensor([1e-40, -1e-40, 0.0, 1.0])
    try:
        torch.set_flush_denormal(True)
        found = gpuplot.stats(X)
    finally:
        torch.set_flush_denormal(False)
    assert (found.subnormal, found.zero, found.neg, found.pos) == (2, 1, 1, 2) and found.min == -float(np.float32(1e-40))


def test_long_doubles_are_read_as_float64():
    X = np.array([1.5, -2.25, np.nan, np.inf], np.longdouble)
    found = gpuplot.stats(X)
    assert (found.min, found.max, found.nan, found.pos_inf) == (-2.25, 1.5, 1, 1) and found.numel == 4


def test_variance_where_raw_moments_fail():
    assert gpuplot.stats(np.array([1e8, 1e8 + 1, 1e8 + 2])).std == pytest.approx(1.0, rel=1e-12)
    many = np.concatenate([np.full(10**5, 1e8), np.full(10**5, 1e8 + 1)])
    assert gpuplot.stats(many).std == pytest.approx(0.5 * (2e5 / (2e5 - 1)) ** 0.5, rel=1e-6)


def test_sums_are_those_of_exact_rationals():
    X = np.array([1, 2**-24, -1], "float32")
    assert gpuplot.stats(X).mean == pytest.approx(float(Fraction(1, 3 * 2**24)), rel=1e-12)


# ---- layouts -----------------------------------------------------------------------------------------------------------


def first(X, value):
    return tuple(int(i) for i in np.argwhere(X == value)[0])


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_ties_are_decided_in_the_order_of_the_axes(order):
    """The first of several equal elements, whatever the order in memory."""
    X = np.random.default_rng(0).integers(0, 4, (5, 6, 7, 8)).astype("float32")
    X[X == 2] = np.nan
    Y = np.ascontiguousarray(X.transpose(order)).transpose(np.argsort(order))
    found = gpuplot.stats(Y)
    assert (found.argmin, found.argmax) == (first(X, 0), first(X, 3))
    assert found.first_nan == tuple(int(i) for i in np.argwhere(np.isnan(X))[0])


def test_broadcast_and_overlapping_memory():
    X = np.broadcast_to(np.array([1.0, np.nan, 3.0]), (4, 2, 3))
    found = gpuplot.stats(X)
    assert (found.nan, found.pos, found.first_nan, found.argmax, found.percentiles[50]) == (8, 16, (0, 0, 1), (0, 0, 2), 2)
    windows = np.lib.stride_tricks.sliding_window_view(np.arange(10.0), 4)
    assert gpuplot.stats(windows).mean == pytest.approx(4.5) and gpuplot.stats(windows, dim=0).max.tolist() == [6, 7, 8, 9]


def test_dense_tensors_are_read_where_they_are(monkeypatch):
    """One plane holds a dense tensor, in any order of its axes: nothing is gathered, and no element is seen twice in a pass."""
    X = np.random.default_rng(0).normal(size=(6, 5, 4, 3))
    seen = []

    def watch(name):
        call = getattr(_native, name)

        def watched(plane, *arguments):
            seen.append((name, math.prod(plane.shape)))
            return call(plane, *arguments)

        monkeypatch.setattr(_native, name, watched)

    for name in ("summarize", "histogram", "percentiles", "gather", "convert"):
        watch(name)
    gpuplot.stats(X)
    assert seen == [("summarize", X.size), ("histogram", X.size), ("percentiles", X.size)]
    seen.clear()
    gpuplot.stats(X.transpose(3, 1, 0, 2)[::-1], percentiles=())
    assert [n for name, n in seen if name == "histogram"] == [X.size]
    assert sum(n for name, n in seen if name == "summarize") == X.size
    seen.clear()
    for percentiles in ((), (50,), (1, 2, 98, 99)):  # the median is found with them, in one pass
        gpuplot.stats(X, percentiles=percentiles)
        assert seen == [("summarize", X.size), ("histogram", X.size), ("percentiles", X.size)]
        seen.clear()
    gpuplot.stats(X[:, ::2, 1:, ::2])  # on several planes, percentiles are found by counting
    assert {name for name, _ in seen} == {"summarize", "histogram"}


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("spread", [1, 1e30])
def test_percentiles_of_several_planes(dtype, spread):
    """Order statistics found by counting are those of sorting, from ordinary to the widest ranges."""
    rng = np.random.default_rng(5)
    if dtype.startswith(("int", "uint")):
        info = np.iinfo(dtype)
        X = rng.integers(info.min if spread > 1 else 0, info.max if spread > 1 else 9, (7, 9, 8), dtype, endpoint=True)
    else:
        X = rng.normal(size=(7, 9, 8)) * (np.exp(rng.normal(size=(7, 9, 8)) * 9) if spread > 1 else 1)
        X[0, 0, :3] = np.nan, np.inf, 0
        X = np.clip(X, -np.finfo(dtype).max, np.finfo(dtype).max).astype(dtype)
    part = X[:, 1::2, ::3]
    percents = (0, 1, 25, 50, 99.9, 100)
    found = gpuplot.stats(part, percentiles=percents).percentiles
    for percent in percents:
        assert found[percent] == pytest.approx(reference.percentile(part.astype(part.dtype), percent), rel=1e-15)


def test_largest_numbers_on_several_planes():
    big = np.finfo(float).max
    X = np.full((3, 4, 5), big)
    X[::2] = -big
    found = gpuplot.stats(X[:, ::2, ::2], percentiles=(0, 20, 100))
    assert found.percentiles[0] == -big and found.percentiles[20] == -big
    assert found.percentiles[100] == pytest.approx(big, rel=1e-15)


@pytest.mark.parametrize("part", [np.s_[:], np.s_[:, ::2, ::2]])
def test_percentiles_between_opposite_ends_of_the_range(part):
    """Their distance is no number; one plane and several."""
    X = np.full((4, 4, 4), np.finfo(float).max)
    X[:2] *= -1
    found = gpuplot.stats(X[part], percentiles=(0, 50, 100)).percentiles
    assert found == {0: X[0, 0, 0], 50: 0, 100: X[-1, 0, 0]}


@pytest.mark.parametrize("part", [np.s_[:], np.s_[:, ::2, ::2]])
def test_percents_of_any_type_are_exact(part):
    """A float32 percent does not make the percentile a float32; one plane and several."""
    X = np.random.default_rng(6).normal(size=(5, 6, 7))[part]
    for percent in (np.float32(33.3), np.float16(12.5), np.int8(100), Fraction(1, 3)):
        [found] = gpuplot.stats(X, percentiles=(percent,)).percentiles.values()
        assert type(found) is float and found == pytest.approx(np.percentile(X, float(percent)), rel=1e-14)


# ---- libraries ---------------------------------------------------------------------------------------------------------


def test_torch():
    torch = pytest.importorskip("torch")
    X = torch.randn(3, 4, 5, requires_grad=True)
    found = gpuplot.stats(X, dim=(0, 2))
    assert found.std == pytest.approx(X.detach().double().std((0, 2)).numpy()) and found.device == "cpu"
    half = gpuplot.stats(torch.tensor([3.0e38, -1.5], dtype=torch.bfloat16))
    assert half.dtype == "bfloat16" and half.max == float(torch.tensor(3.0e38, dtype=torch.bfloat16)) and half.nbytes == 4
    last = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert gpuplot.stats(last).mean == pytest.approx(last.double().mean().item(), abs=1e-12)


@pytest.mark.slow
def test_torch_compile_leaves_it_out():
    torch = pytest.importorskip("torch")

    @torch.compile(backend="eager")
    def step(X):
        return gpuplot.stats(X * 2).max

    assert step(torch.tensor([1.0, 3.0])) == 6.0


def test_names_of_axes():
    xarray = pytest.importorskip("xarray")
    X = xarray.DataArray(np.arange(6).reshape(2, 3), dims=("t", "x"))
    assert gpuplot.stats(X, dim="t").max.tolist() == [3, 4, 5] and gpuplot.stats(X, dim=("t", "x")).max == 5


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
