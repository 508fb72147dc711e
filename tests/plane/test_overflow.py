"""Finite elements whose sum, square or magnitude leaves the range of float64: they count as finite, and results are right."""

import math
from fractions import Fraction

import numpy as np
import pytest
from device_planes import host_plane
from matrix import matrix

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane.partial_cells import PartialCells, reduce_piece
from gpuplot.plane.view import choose
from gpuplot.plane.window import Span, Window
from gpuplot.statistics.partial_summary import PartialSummary

LARGE = 1.7e308

# Elements, and the mark of a cell that touches all of them (None: there is none).
ROWS = {
    "two": ([8e307, 1.797e308], None),
    "both signs": ([LARGE, LARGE, -LARGE, -LARGE, 1.0], None),
    "below": ([-LARGE, -LARGE, 0.0], None),
    "-Inf behind": ([LARGE, LARGE, -np.inf, 1.0], -np.inf),
    "+Inf before": ([np.inf, -LARGE, -LARGE, 2.0], np.inf),
    "NaN between": ([LARGE, np.nan, LARGE], np.nan),
    "all three": ([-np.inf, LARGE, LARGE, np.nan, np.inf], np.nan),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("shape", [(1, 1), (6, 1), (40, 9), (5, 300)])
def test_counts_and_marks(put, name, shape):
    """Every cell holds the row, times over: few and many such cells take different ways."""
    row, mark = ROWS[name]
    n_rows, n_cols = shape
    array = np.tile(np.asarray(row), (3 * n_rows, 2 * n_cols))
    n_finite = 6 * np.isfinite(row).sum()
    for agg, nan in [("count", "show"), ("count", "skip"), ("max", "show"), ("absmax", "skip")]:
        cells = gpuplot.downsample(put(array), shape, agg=agg, nan=nan)
        finite = np.asarray(row)[np.isfinite(row)]
        want = {"count": n_finite, "max": finite.max(), "absmax": max(finite, key=lambda x: (abs(x), x))}[agg]
        want = mark if nan == "show" and mark is not None else want
        np.testing.assert_array_equal(cells, np.full(shape, want, np.float64), err_msg=f"{agg} {nan}")
    if mark is not None:
        for agg in ("mean", "sum", "std"):
            np.testing.assert_array_equal(gpuplot.downsample(put(array), shape, agg=agg), np.full(shape, mark), err_msg=agg)


def test_marks_stay_where_they_are(put):
    """Cells beside one that overflows have values of their own, whatever the share of those that do."""
    array = np.ones((4, 80))
    array[:, :8], array[:, 40:42] = LARGE, -np.inf
    counts = gpuplot.downsample(put(array), (1, 20), agg="count")
    np.testing.assert_array_equal(counts[0], np.where(np.arange(20) == 10, -np.inf, 16.0))
    means = gpuplot.downsample(put(array), (1, 20))
    np.testing.assert_array_equal(means[0, 2:], np.where(np.arange(2, 20) == 10, -np.inf, 1.0))


def test_long_runs_and_parts(put):
    """Cells of many elements are made from parts, some of which overflow and one of which has the only infinity."""
    array = np.full((2, 300_000), LARGE)
    array[1, 299_999] = -np.inf
    assert gpuplot.downsample(put(array), (1, 1), agg="count")[0, 0] == -np.inf
    assert gpuplot.downsample(put(array), (1, 1))[0, 0] == -np.inf
    assert gpuplot.downsample(put(array), (1, 1), agg="count", nan="skip")[0, 0] == 599_999
    assert gpuplot.downsample(put(array[:1]), (1, 1), agg="count")[0, 0] == 300_000


@pytest.mark.parametrize("reduce", ["mean", "sum", "std", "norm", "max", "min"])
@pytest.mark.parametrize("sign", [1, -1])
def test_hidden_axes(put, reduce, sign):
    """What finite elements are reduced to is an element like others, however large."""
    array = np.ones((3, 4, 5))
    array[:, :2] = sign * LARGE
    array[1, 0] = -sign * LARGE
    source = put(array)
    np.testing.assert_array_equal(gpuplot.downsample(source, (2, 5), agg="count", reduce={0: reduce}), np.full((2, 5), 2.0))
    assert np.isfinite(gpuplot.downsample(source, (4, 5), reduce={0: reduce})).all()


@pytest.mark.parametrize("mode", ["amplitude", "square_amplitude", "phase", "real", "imaginary"])
def test_complex_numbers(put, mode):
    """A finite complex number gives a finite one in every mode; the squares of large parts are beyond float64."""
    array = np.full((4, 6), LARGE + LARGE * 1j)
    array[2:] = -1e200
    agg = "max" if mode == "phase" else "count"
    cells = gpuplot.downsample(put(array), (4, 6), agg=agg, complex_mode=mode)
    assert np.isfinite(cells).all()
    if mode != "phase":
        np.testing.assert_array_equal(gpuplot.downsample(put(array), (2, 2), agg="count", complex_mode=mode), np.full((2, 2), 6.0))


def test_directions_of_large_numbers(put):
    """A direction has no length: that of the largest numbers counts as that of others."""
    array = np.array([[LARGE + LARGE * 1j, 1.0 + 1.0j, -LARGE * 1j]])
    angle = gpuplot.downsample(put(array), (1, 1), complex_mode="phase")[0, 0]
    unit = np.exp([1j * np.pi / 4, 1j * np.pi / 4, -1j * np.pi / 2]).sum()
    assert angle == pytest.approx(np.angle(unit), abs=1e-12)


@pytest.mark.parametrize("name", ROWS)
def test_facts_and_statistics(put, name):
    """Limits, counts, histograms and percentiles never add elements up to tell what they are."""
    row = np.asarray(ROWS[name][0])
    array, finite = np.tile(row, (50, 7)), row[np.isfinite(row)]
    found = gpuplot.stats(put(array), bins=4, value_range=(-1.0, 1.0), percentiles=(0, 100))
    assert (found.nan, found.pos_inf, found.neg_inf) == tuple(350 * n for n in (np.isnan(row).sum(), np.isposinf(row).sum(),
                                                                               np.isneginf(row).sum()))
    assert found.neg + found.zero + found.pos == 350 * finite.size
    assert (found.min, found.max) == (finite.min(), finite.max()) == (found.percentiles[0], found.percentiles[100])
    by_row = gpuplot.stats(put(array), dim=1, bins=4, value_range=(-1.0, 1.0), percentiles=())
    np.testing.assert_array_equal(by_row.pos + by_row.zero + by_row.neg, np.full(50, 7 * finite.size))


@pytest.mark.parametrize("agg", ["mean", "sum", "count", "std"])
def test_limits_beside_cells(put, agg):
    """Limits that are found on the way of a reduction are of the elements."""
    array = np.full((8, 8), LARGE)
    array[:, 0] = -1.0
    with describe(put(array)).borrow() as lent:
        plane = _native.Plane(lent, [("rows", 0, 1, 8, 0), ("cols", 0, 1, 8, 0)], [])
        limits = _native.reduce(plane, _native.Axis(8, 0, 8, 2), _native.Axis(8, 0, 8, 2), agg, "show", _native.WANT_RANGE)[1]
        assert (limits[0], limits[1], limits[3]) == (-1.0, LARGE, _native.HAS_FINITE)
        counts = _native.limits(plane, _native.WANT_RANGE | _native.WANT_COUNTS)
        assert counts[4:] == (64, 0, 0, 0, 0)


# ---- results within float64 that are made of sums and squares outside of its range --------------------------------------


def lent(put, array):
    """An array, or a masked one, where `put` puts arrays."""
    is_there = np.ma.isMaskedArray(array) and not isinstance(put(np.zeros(1)), np.ndarray)
    return put(np.ma.getdata(array), np.ma.getmaskarray(array)) if is_there else put(array)


def exact(row, n_times, agg):
    """What an aggregation of a cell with these elements, each so many times, comes to by exact arithmetic."""
    numbers = [Fraction(float(x)) for x in row]
    mean = sum(numbers) / len(numbers)
    if agg == "sum":
        return sum(numbers) * n_times
    return mean if agg == "mean" else root(sum((x - mean) ** 2 for x in numbers) / len(numbers))


def root(square):
    """The root of a fraction, to 2^-1400."""
    return Fraction(math.isqrt(int(square * 4**1400)), 2**1400)


CROWDS = {
    "two": [1.7e308, 1.79e308],
    "below": [-1.7e308, -1.6e308, -1.5e308],
    "both signs": [LARGE, LARGE, -LARGE],
    "balanced": [LARGE, -LARGE, LARGE, -LARGE, 0.0],
    "one": [LARGE, 1.0, 3.0, -2.0],
    "squares": [1e200, 3e200, -5e199],
    "small": [1e-170, 3e-170, -5e-171, 0.0],
    "subnormal": [5e-324, 2e-318, 3e-310],
}


@matrix(crowd=tuple(CROWDS), layout=("rows", "columns", "long", "swapped", "masked", "complex"), agg=("mean", "sum", "std"))
def test_results_within_float64(put, crowd, layout, agg):
    """Means and spreads are never beyond float64, and sums are only where they are so in the end, with their sign."""
    row = np.asarray(CROWDS[crowd])
    n = 3 if layout != "long" else 40_000
    wanted = exact(row, n if layout == "long" else 4 * n, agg)
    tiles = np.tile(row, (3 if layout == "long" else 12, n))
    array = {"rows": tiles, "columns": np.asfortranarray(tiles), "long": tiles, "swapped": tiles.astype(">f8"),
             "masked": np.ma.array(np.hstack([tiles, tiles]), mask=np.repeat([False, True], tiles.shape[1])[None].repeat(len(tiles), 0)),
             "complex": tiles * 1j}[layout]
    arguments = {"complex_mode": "imaginary"} if layout == "complex" else {}
    for nan in ("show", "skip") if layout != "masked" else ("skip",):
        cells = gpuplot.downsample(lent(put, array), (3, 1), agg=agg, nan=nan, **arguments)
        if abs(wanted) > Fraction(np.finfo(np.float64).max):
            np.testing.assert_array_equal(cells, np.full((3, 1), np.inf if wanted > 0 else -np.inf))
            continue
        scale = Fraction(float(np.abs(row).max())) * (12 * row.size * n if agg == "sum" else 1)
        assert all(abs(Fraction(x) - wanted) <= abs(wanted) / 10**9 + scale / 10**12 for x in cells.ravel())


@pytest.mark.parametrize("nan", ["show", "skip"])
def test_windows_beside_marks(put, nan):
    """Weighted means near the largest number, of cells that other kinds of element mark or not."""
    array = np.full((30, 400), LARGE)
    array[3, 11], array[7, 120], array[20, 200] = np.nan, np.inf, -np.inf
    array[:, 300:] = 1.0
    cells = gpuplot.downsample(put(array), (7, 60), view=((0.3, 29.1), (1.7, 399.2)), nan=nan)
    is_known = np.isfinite(cells)
    touched = gpuplot.downsample(~np.isfinite(array), (7, 60), view=((0.3, 29.1), (1.7, 399.2)), agg="max") == 1
    np.testing.assert_array_equal(~is_known, touched if nan == "show" else np.zeros_like(touched))
    np.testing.assert_allclose(cells[:, :44][is_known[:, :44]], LARGE, rtol=1e-12)
    np.testing.assert_array_equal(cells[:, 46:], 1.0)


@pytest.mark.parametrize("operation", ["mean", "std", "norm"])
def test_hidden_axes_within_float64(put, operation):
    """Hidden axes are reduced to what their elements come to, in one stage and in two; tiny elements stay beside large ones."""
    array = np.ones((4, 3, 5, 6)) * 1e-300
    array[:, :, 0] = np.array([LARGE, -LARGE / 2, LARGE, LARGE / 4])[:, None, None] / 4
    column = array[:, 0, 0, 0] / LARGE
    wanted = {"mean": column.mean(), "std": column.std(), "norm": np.sqrt((column**2).sum())}[operation] * LARGE
    planes = [gpuplot.downsample(put(array), (5, 6), index={1: 0}, reduce={0: operation}),
              gpuplot.downsample(put(array * 2), (5, 6), reduce={0: operation, 1: "max"}) / 2]
    for cells in planes:
        np.testing.assert_allclose(cells[0], wanted, rtol=1e-12)
    if operation == "mean":
        np.testing.assert_allclose(planes[0][1:], 1e-300, rtol=1e-12)


@pytest.mark.parametrize("operation", ["std", "norm"])
def test_hidden_axes_of_small_numbers(put, operation):
    """Squares of small elements are zero in float64, their root is not."""
    array = np.random.default_rng(4).normal(size=(5, 4, 6)) * 1e-200
    array[:, 0] = 0
    want = {"std": lambda a: a.std(0), "norm": lambda a: np.sqrt((a**2).sum(0))}[operation](array * 1e200) * 1e-200
    np.testing.assert_allclose(gpuplot.downsample(put(array), (4, 6), reduce={0: operation}), want, rtol=1e-12)


@pytest.mark.parametrize("nan", ["show", "skip"])
@pytest.mark.parametrize("large", [[1e300, 1e300], [-1e300, np.nan], [1e300, np.inf]])
def test_hidden_axes_of_small_numbers_beside_large_ones(put, large, nan):
    """Equal elements spread by nothing, however large, whatever is beside them."""
    array = np.array([large, [1e-200, 3e-200]]).T[:, None]
    cells = gpuplot.downsample(put(array), (1, 2), reduce={0: "std"}, nan=nan)
    spread = large[1] if nan == "show" and not np.isfinite(large[1]) else 0
    np.testing.assert_allclose(cells, [[spread, 1e-200]], rtol=1e-12)


@pytest.mark.parametrize("size", [1e149, 1e152, 1e153, 1e154, 1e160])
def test_spreads_of_many_large_numbers_in_hidden_axes(put, size):
    """The square of the sum of deviations is beyond float64 where the sum of their squares is not."""
    array = np.repeat([0, size], 5000).reshape(-1, 1, 1)
    np.testing.assert_allclose(gpuplot.downsample(put(array), (1, 1), reduce={0: "std"}), size / 2, rtol=1e-12)


@pytest.mark.parametrize("operation", ["std", "norm"])
def test_small_results_beside_large_numbers_that_cancel(put, operation):
    """Those in the first of two stages leave the range of float64 where small results of the second one are worked out again."""
    stages = np.array([[1e130, 3e-200, 1e-200], [-1e130, 1e-200, 5e-200], [1e-200, 2e-200, 0]])
    cells = gpuplot.downsample(put(stages[:, :, None, None] + np.zeros((1, 1, 1, 2))), (1, 2), reduce={0: "mean", 1: operation})
    np.testing.assert_array_equal(cells, 0)


@pytest.mark.parametrize("agg", ["std", "var"])
def test_small_cells_beside_others(put, agg):
    """Only cells whose squares leave the range of float64 are worked out by other elements."""
    row = np.repeat([[1.0, 2.0], [1e-170, 3e-170], [0.0, 0.0], [1e200, 3e200], [7.0, 7.0], [np.nan, 1e200]], 2, axis=0).ravel()
    cells = gpuplot.downsample(put(row[None].repeat(3, 0)), (1, 6), agg=agg)[0]
    want = {"std": [0.5, 1e-170, 0.0, 1e200, 0.0, np.nan], "var": [0.25, 0.0, 0.0, np.finfo(float).max, 0.0, np.nan]}[agg]
    np.testing.assert_allclose(cells, want, rtol=1e-12)


@pytest.mark.parametrize("agg", ["std", "var"])
@pytest.mark.parametrize("equal", [0.1, 1e100, -1e127, 1e300])
@pytest.mark.parametrize("swapped", [False, True])
def test_equal_elements_beside_small_ones(put, agg, equal, swapped):
    """Equal elements spread by nothing but rounding errors, also where others make all elements larger."""
    row = np.full(200, equal)
    row[1::2], row[-4:] = np.nan, [1e-200, 2e-200, 3e-200, 1e-200]
    cells = gpuplot.downsample(put(row[None].astype(">f8" if swapped else "f8")), (1, 61), agg=agg, nan="skip")[0]
    np.testing.assert_allclose(cells[:59], 0, atol=1e-12 * abs(equal) if agg == "std" else 0)
    assert cells[60] == 0 if agg == "var" else 5e-201 < cells[60] < 1e-200


def test_equal_elements_at_the_end_of_float64(put):
    """Weights round, and a mean is no larger than its elements."""
    array = np.full((7, 11), np.finfo(float).max)
    np.testing.assert_allclose(gpuplot.downsample(put(array), (3, 4)), array[:3, :4], rtol=1e-15)


@matrix(crowd=tuple(CROWDS), agg=("mean", "sum", "std", "var"))
def test_pieces_within_float64(put, crowd, agg):
    """Partial results are joined by elements that suit both, in any order."""
    row = np.asarray(CROWDS[crowd])
    array = np.hstack([np.tile(row, (6, 4)), np.tile(row[::-1], (6, 5))])
    view, window = choose(array.shape, None, "float64", rgb=False), Window(Span(0, 6, 2), Span(0, array.shape[1], 1))
    parts = [reduce_piece(describe(put(array[r:r + 2, c:c + 3])), choose(array[r:r + 2, c:c + 3].shape, None, "float64", rgb=False),
                          window, agg, whole=view.shape, origin=(r, c)) for r in (2, 0, 4) for c in range(0, array.shape[1], 3)]
    want = gpuplot.downsample(array, (2, 1), agg=agg)
    for order in (1, -1):
        whole = PartialCells.of_nothing(agg, (2, 1))
        for part in parts[::order]:
            whole.join(part)
        error = 1e-12 * np.abs(row).max() * (array.size if agg == "sum" else 1)
        np.testing.assert_allclose(whole.finish(), want, rtol=1e-9, atol=0 if agg == "var" else error)


@pytest.mark.parametrize("agg", ["mean", "std"])
def test_one_cell_of_large_numbers_and_nan_among_many(put, agg):
    """It is reduced by itself, and its sum leaves the range on the way."""
    array = np.random.default_rng(10).normal(size=(40, 400))
    array[4:8, 40:44], array[5, 41] = LARGE * np.linspace(0.6, 1, 16).reshape(4, 4), np.nan
    got = gpuplot.downsample(put(array), (10, 100), agg=agg, nan="skip")
    tiles = array.reshape(10, 4, 100, 4).transpose(0, 2, 1, 3).reshape(10, 100, 16)
    want = getattr(np, f"nan{agg}")(tiles / 2.0**600, axis=2) * 2.0**600
    want[got < 1e300] = getattr(np, f"nan{agg}")(np.where(tiles > 1e300, 0, tiles), axis=2)[got < 1e300]
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("agg", ["mean", "std"])
def test_pieces_of_the_smallest_numbers(put, agg):
    """Their squares are small even after they were multiplied; no other scale suits them better."""
    array = np.random.default_rng(9).integers(1, 1000, (6, 8)) * 5e-324
    view = choose((2, 8), None, "float64", rgb=False)
    whole = PartialCells.of_nothing(agg, (1, 2))
    for row in (0, 2, 4):
        piece = describe(put(array[row:row + 2]))
        whole.join(reduce_piece(piece, view, Window(Span(0, 6, 1), Span(0, 8, 2)), agg, whole=(6, 8), origin=(row, 0)))
    want = gpuplot.downsample(array, (1, 2), agg=agg)
    assert (want > 100 * 5e-324).all() and abs(whole.finish() - want).max() <= 5e-324


def test_pieces_of_large_numbers_are_counted(put):
    """The sum that leaves the range beside the count is of no weight."""
    array = np.full((6, 8), LARGE)
    view = choose((2, 8), None, "float64", rgb=False)
    whole = PartialCells.of_nothing("count", (1, 2))
    for row in (0, 2, 4):
        piece = describe(put(array[row:row + 2]))
        whole.join(reduce_piece(piece, view, Window(Span(0, 6, 1), Span(0, 8, 2)), "count", whole=(6, 8), origin=(row, 0)))
    assert whole.finish().tolist() == [[24, 24]]


@matrix(crowd=tuple(CROWDS), agg=("mean", "sum", "std", "var"))
def test_pieces_of_a_hidden_axis_within_float64(put, crowd, agg):
    """Elements that are computed need as much care as those that are stored."""
    row = np.asarray(CROWDS[crowd])
    plane = np.hstack([np.tile(row, (6, 4)), np.tile(row[::-1], (6, 5))])
    array = np.stack([plane, plane])
    view = choose(array.shape, None, "float64", rgb=False, reduce={0: "max"})
    part = reduce_piece(describe(put(array)), view, Window(Span(0, 6, 2), Span(0, plane.shape[1], 3)), agg)
    whole = PartialCells.of_nothing(agg, (2, 3))
    whole.join(part)
    error = 1e-12 * np.abs(row).max() * (plane.size if agg == "sum" else 1)
    np.testing.assert_allclose(whole.finish(), gpuplot.downsample(plane, (2, 3), agg=agg), rtol=1e-9, atol=0 if agg == "var" else error)


@matrix(crowd=tuple(CROWDS), layout=("rows", "columns", "swapped", "masked"))
def test_statistics_within_float64(put, crowd, layout):
    """Mean, deviation and norm of all, and of each slice, are beyond float64 only where they are so in the end."""
    row = np.asarray(CROWDS[crowd])
    tiles = np.tile(row, (30, 40))
    array = {"rows": tiles, "columns": np.asfortranarray(tiles), "swapped": tiles.astype(">f8"),
             "masked": np.ma.array(np.hstack([tiles, tiles]), mask=np.repeat([False, True], tiles.shape[1])[None].repeat(30, 0))}[layout]
    scale = Fraction(float(np.abs(row).max()))
    for dim, n in ((None, 30 * 40), (1, 40)):
        found = gpuplot.stats(lent(put, array), dim=dim)
        numbers = [Fraction(float(x)) for x in row] * n
        spread = exact(row, 1, "std") ** 2 * len(numbers) / (len(numbers) - 1)
        want = {"mean": exact(row, 1, "mean"), "std": root(spread), "l2": root(n * sum(x * x for x in numbers[:row.size]))}
        for name, value in want.items():
            for x in np.ravel(getattr(found, name)).tolist():
                is_beyond = value > Fraction(np.finfo(np.float64).max)
                assert x == np.inf if is_beyond else abs(Fraction(x) - value) <= abs(value) / 10**9 + scale / 10**12, (name, x)


def test_summaries_of_pieces():
    """Zeros, large and small elements in different pieces: the largest of them decide."""
    pieces = [np.zeros((2, 2)), np.full((1, 3), 1e-170), np.array([[3e-170, -1e-170]]), np.array([[1.0, 2.0]]), np.full((2, 3), 1e200)]
    for n in range(2, 6):
        whole = PartialSummary()
        for piece in pieces[:n]:
            whole.join(PartialSummary.of_plane(host_plane(piece)))
        found, all_of_them = whole.finish(), np.concatenate([piece.ravel() for piece in pieces[:n]])
        scaled = all_of_them / np.abs(all_of_them).max()
        assert found.std == pytest.approx(scaled.std(ddof=1) * np.abs(all_of_them).max(), rel=1e-12)
        assert found.l2 == pytest.approx(np.sqrt((scaled**2).sum()) * np.abs(all_of_them).max(), rel=1e-12)
