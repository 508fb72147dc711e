"""`stats` of tensors of every kind, memory layout and library."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import reference

import gpuplot
from gpuplot import _native

MAX = float(np.finfo(float).max)


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
    """Their distance is not a number; one plane and several."""
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


@pytest.mark.parametrize("percent", [Fraction(1, 2), Decimal("0.5"), np.float32(0.5)], ids=lambda percent: type(percent).__name__)
def test_percents_of_any_type_are_written(percent):
    """A table for a notebook ended in words about the format of a Fraction."""
    found, expected = (gpuplot.stats(np.arange(9.0), percentiles=one) for one in (percent, 0.5))
    assert found._repr_html_() == expected._repr_html_() and repr(found) == repr(expected)
    assert found.percentiles[percent] == found.percentiles[0.5]


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
