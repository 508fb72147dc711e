"""Two tensors compared: the numbers over all elements, and the cells of their difference."""

import numpy as np
import pytest

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane import difference
from gpuplot.plane.difference import DifferencePlane, subtracted_elements
from gpuplot.plane.reduce import reduce_view
from gpuplot.plane.tensor_plane import TensorPlane
from gpuplot.plane.view import choose
from gpuplot.plane.window import Span, Window
from gpuplot.statistics.comparison import compare_elements


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of few elements, so that there are many."""
    monkeypatch.setattr(difference, "BLOCK_ELEMENTS", 100)
    monkeypatch.setattr("gpuplot.statistics.comparison.BLOCK_ELEMENTS", 100)


def numbers(a, b, **tolerances):
    return compare_elements(describe(a), describe(b), **tolerances)


def expected_numbers(a, b, rtol, atol):
    """What the definition says, of all elements at once."""
    a, b = (np.asarray(part).astype(complex if "c" in part.dtype.kind else float) for part in (a, b))
    with np.errstate(all="ignore"):
        error = np.where(a == b, 0, abs(a - b))
        error[np.isnan(a) | np.isnan(b)] = 0
        relative = np.where((b != 0) & np.isfinite(b), error / abs(b), 0)
        only_a, only_b = np.isnan(a) & ~np.isnan(b), np.isnan(b) & ~np.isnan(a)
        beyond = error > atol + rtol * np.where(np.isfinite(b), abs(b), 0)

    def at(values):
        return tuple(map(int, np.unravel_index(values.argmax(), values.shape))) if values.max() > 0 else None

    return {"max_abs": error.max(), "argmax_abs": at(error), "max_rel": relative.max(), "argmax_rel": at(relative),
            "n_beyond": (beyond | only_a | only_b).sum(), "nan_only_a": only_a.sum(), "nan_only_b": only_b.sum(),
            "first_nan_only": at((only_a | only_b) * 1.0)}


def noise(shape, dtype="float32", seed=0):
    return (np.random.default_rng(seed).normal(size=shape) * 10).astype(dtype)


SHAPES = [(30, 40), (3, 17, 5, 9), (1000, 2, 3), (2, 3, 500), (700,), (1, 1), ()]


# Axes of a and of b from the slowest to the fastest in memory, and the steps along them.
IN_MEMORY = {"alike": ("abcd", "abcd", 1), "both turned": ("dacb", "dacb", 1), "apart": ("abcd", "dcba", 1), "steps": ("abcd", "abcd", 2),
             "in pairs": ("cdab", "cdab", 1), "backwards": ("abcd", "abcd", -1)}


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("layout", IN_MEMORY)
def test_numbers_in_any_order_of_memory(layout, dtype, small_blocks):
    """Differences are few, so that many are equal: that with the first index counts."""
    *orders, step = IN_MEMORY[layout]
    a, b = (np.random.default_rng(seed).integers(-2, 3, (7, 4, 6, 5)).astype(dtype) for seed in range(2))
    a[1, 2, 3, 4] = b[5, 3, 2, 1] = np.nan
    laid = [np.ascontiguousarray(X.transpose(["abcd".index(axis) for axis in order])).transpose([order.index(axis) for axis in "abcd"])
            for X, order in zip((a, b), orders, strict=True)]
    a, b = (X[:, ::step, :, ::step] for X in laid)
    found = vars(numbers(a, b, rtol=0.5, atol=1))
    for name, value in expected_numbers(a, b, 0.5, 1).items():
        assert found[name] == pytest.approx(value), name


def test_many_short_axes_are_compared_at_once(monkeypatch):
    """Planes of two axes of (2,) * 12 are 1024, each with a call of its own."""
    a, calls, compare = noise((2,) * 12), [], _native.compare
    monkeypatch.setattr(_native, "compare", lambda *args: calls.append(args[0].shape) or compare(*args))
    assert numbers(a, a[::-1].copy()).argmax_abs == expected_numbers(a, a[::-1], 0, 0)["argmax_abs"] and calls == [(1, 4096)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "complex64", "uint8"])
def test_numbers_are_those_of_all_elements(shape, dtype, small_blocks):
    a = noise(shape, dtype)
    b = a.copy()
    b.reshape(-1)[::7] = noise(shape, dtype, 1).reshape(-1)[::7]
    if a.dtype.kind == "f" and a.size > 600:
        a.reshape(-1)[[5, 301]], b.reshape(-1)[[9, 301]] = np.nan, np.nan
        a.reshape(-1)[[11, 14]], b.reshape(-1)[14] = np.inf, np.inf
    found = numbers(a, b, rtol=1e-2, atol=1e-3)
    for name, value in expected_numbers(np.atleast_1d(a), np.atleast_1d(b), 1e-2, 1e-3).items():
        same = getattr(found, name)
        if shape == () and name.startswith("argmax"):
            assert (same is None) == (value is None)
        elif isinstance(value, tuple) or value is None:
            assert same == value, name
        else:
            np.testing.assert_allclose(same, value, rtol=1e-6, err_msg=name)
    assert found.numel == a.size and found.share_beyond == found.n_beyond / a.size


def test_the_largest_difference_of_integers_of_two_dtypes():
    """Exact, not that of the two as float64, which are equal."""
    a, b = np.array([2**60 + 1, 5], "i8"), np.array([2**60, 5], "u8")
    found = numbers(a, b)
    assert (found.max_abs, found.argmax_abs, found.n_beyond, numbers(b, a).max_abs) == (1, (0,), 1, 1)
    assert numbers(np.array([-(2**63)]), np.array([2**64 - 1], "u8")).max_abs == 3 * 2.0**63


@pytest.mark.parametrize("a, b, difference", [
    (np.array([2**62 + 1, -(2**63)]), np.array([2**62, 2**63 - 1]), [1.0, -(2.0**64 - 1)]),
    (np.array([2**64 - 1, 0], "u8"), np.array([2**64 - 2, 2**64 - 1], "u8"), [1.0, -(2.0**64 - 1)]),
    (np.array([0, 255], "u1"), np.array([255, 0], "u1"), [-255.0, 255.0]), (np.array([True, False]), np.array([False, False]), [1.0, 0.0]),
    (np.array([np.inf, -np.inf, 1]), np.array([np.inf, np.inf, np.nan]), [0.0, -np.inf, np.nan]),
    (np.array([3], "u1"), np.array([-4], "i2"), [7.0]), (np.array([1 + 2j], "c8"), np.array([1], "f4"), [2j])], ids=str)
def test_differences_are_exact(a, b, difference):
    """Those of large integers are rounded once."""
    np.testing.assert_array_equal(subtracted_elements(a, b), difference)


def test_tolerances_are_those_of_the_coarser_dtype():
    x = np.ones((4, 5))
    assert (numbers(x, x).rtol, numbers(x.astype("f4"), x).rtol) == (1e-7, 1e-6)
    assert (numbers(x.astype("f2"), x.astype("f4")).rtol, numbers(x.astype("i4"), x.astype("i4")).rtol) == (1e-3, 0)
    assert numbers(x, x + 1e-8).n_beyond == 0 and numbers(x, x + 1e-6).n_beyond == 20 and numbers(x, x + 1e-6, atol=1e-5).n_beyond == 0
    assert numbers(x.astype("f2"), x).n_beyond == 0


@pytest.mark.parametrize("dtype", ["float32", "int16", "complex64"])
def test_masked_elements_are_left_out(dtype, small_blocks):
    """Of one alone, of both, and beside NaN; the numbers are those of the other elements."""
    a, b = noise((30, 40), dtype), noise((30, 40), dtype, 1)
    masks = np.zeros((2, 30, 40), bool)
    masks[0, 2:9], masks[1, 5:20, 3], masks[:, 29, 39] = True, True, True
    a[2, 3] = b[29, 39] = 30000  # would be the largest differences
    found = numbers(np.ma.array(a, mask=masks[0]), np.ma.array(b, mask=masks[1]), rtol=1e-2, atol=1e-3)
    b = np.where(masks.any(0), 0, b)
    want = expected_numbers(np.where(masks.any(0), 0, a), b, 1e-2, 1e-3)
    assert (found.argmax_abs, found.n_beyond, found.masked) == (want["argmax_abs"], want["n_beyond"], masks.any(0).sum())
    assert (found.nan_only_a, found.nan_only_b, found.share_beyond) == (0, 0, found.n_beyond / (1200 - found.masked))
    assert str(found).endswith(f"masked {found.masked} of 1\u202f200")


def test_nothing_but_masked_elements():
    a = np.ma.masked_all((3, 4))
    found = numbers(a, np.full((3, 4), np.nan))
    assert (found.is_equal, found.masked, found.share_beyond) == (True, 12, 0)


def test_masked_elements_in_chunks_are_left_out():
    dask = pytest.importorskip("dask.array")
    a = np.ma.masked_greater(np.arange(12.0).reshape(3, 4), 9)
    found = numbers(dask.from_array(a, chunks=2), dask.from_array(a.data + 1, chunks=2))
    assert (found.masked, found.n_beyond, found.max_abs, found.nan_only_a) == (2, 10, 1, 0)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn"])
def test_tensors_of_torch(dtype):
    torch = pytest.importorskip("torch")
    b = torch.linspace(-3, 3, 6000).reshape(60, 100)
    found = gpuplot.compare(b.to(getattr(torch, dtype)), b).comparison
    assert found.max_abs == pytest.approx((b.to(getattr(torch, dtype)).float() - b).abs().max().item()) and found.n_beyond == 0


# ---- cells of a difference -------------------------------------------------------------------------------------------

WINDOWS = {
    "all": Window(Span(0.0, 50.0, 7), Span(0.0, 60.0, 11)), "a part": Window(Span(3.5, 30.0, 9), Span(11.0, 27.5, 7)),
    "beyond": Window(Span(-9.0, 60.0, 8), Span(-5.0, 99.0, 9)), "turned": Window(Span(50.0, 0.0, 7), Span(60.0, 0.0, 9)),
    "elements": Window(Span(5.0, 25.0, 40), Span(8.0, 40.0, 64)),
}


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("agg", ["mean", "absmax", "max", "std", "nearest", "sum"])
@pytest.mark.parametrize("nan", ["show", "skip"])
def test_cells_are_those_of_the_difference(agg, window, nan, small_blocks):
    """As if somebody had subtracted the two first."""
    a, b = noise((50, 60)), noise((50, 60), "float64", 1)
    a[3, 4], b[40, 50], a[41, 2] = np.nan, np.nan, np.inf
    a[20, 20:30] = b[20, 20:30] = -np.inf  # the difference of the same infinity is 0
    a[30, 30], b[30, 31] = np.inf, np.inf
    d = subtracted_elements(a, b)
    planes = [TensorPlane(source, choose(source.shape, None, source.dtype, rgb=False), nan) for source in map(describe, (a, b))]
    plane = DifferencePlane(*planes)
    source = describe(d)
    found = plane.reduce(window, agg).cells.numpy()
    one = reduce_view(source, choose(source.shape, None, "float64"), window, agg, nan).cells.numpy()
    np.testing.assert_allclose(found, one, rtol=1e-9, atol=1e-9)
    assert plane.limits(1).max == np.nanmax(d[np.isfinite(d)])
    low, high = plane.percentiles((2, 98))
    np.testing.assert_allclose([low, high], np.percentile(d[np.isfinite(d)], (2, 98)), rtol=1e-9)


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("agg", ["mean", "max", "nearest", "sum"])
@pytest.mark.parametrize("nan", ["auto", "show", "skip"])
def test_a_difference_is_masked_where_either_is(agg, window, nan, small_blocks):
    """It was NaN in some pictures and missing in others, by their zoom."""
    a, b = np.ma.array(noise((50, 60)), mask=np.zeros((50, 60), bool)), noise((50, 60), "float64", 1)
    a[:20, :30] = np.ma.masked
    b[40, 50] = np.nan
    plane = DifferencePlane(*(TensorPlane(describe(X), choose(X.shape, None, X.dtype.name, rgb=False), nan) for X in (a, b)))
    d = subtracted_elements(a, b)
    assert np.array_equal(np.ma.getmaskarray(d), np.ma.getmaskarray(a)) and np.array_equal(d.compressed(), (a - b).compressed(), True)
    one = reduce_view(describe(d), choose(d.shape, None, "float64"), window, agg, nan).cells.numpy()
    found = plane.reduce(window, agg).cells.numpy()
    np.testing.assert_allclose(found, one, rtol=1e-9, atol=1e-9)
    assert np.array_equal(np.isnan(found), np.isnan(one))
    numbers = plane.numbers((0, 50, 0, 60))
    assert np.array_equal(np.ma.getmaskarray(numbers), np.ma.getmaskarray(d))
