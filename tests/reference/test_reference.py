"""The slow reference against worked examples: loading, lattice, cells, hidden axes and hover."""

import math
from fractions import Fraction

import numpy as np
import pytest

import reference as ref
from reference.cells import absolute_maximum, weighted_mean
from reference.loading import float8_table

NAN, INF = math.nan, math.inf


def row_values(data, n_cells, **arguments):
    """The values of one row of cells."""
    return ref.downsample(np.asarray(data), (1, n_cells), **arguments).values[0]


def assert_near(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-15, atol=0)


# ---- axes -----------------------------------------------------------------------------------------------------


def test_default_plane_is_index_0_of_every_hidden_axis():
    x = np.arange(120.0).reshape(5, 4, 6)
    np.testing.assert_array_equal(ref.downsample(x).values, x[0])


def test_axes_by_name_index_and_step():
    x = np.random.default_rng(1).normal(size=(3, 4, 5, 6))
    dims = ("n", "c", "h", "w")
    got = ref.downsample(x, dims=dims, x="c", y=3, index={"n": -1, "w": slice(None, None, 2)}, reduce={"h": "max"})
    np.testing.assert_array_equal(got.values, x[-1].max(axis=1)[:, ::2].T)


def test_hidden_reductions_join_by_operation_and_keep_their_order():
    x = np.random.default_rng(2).normal(size=(3, 4, 5, 2, 2))
    got = ref.downsample(x, reduce={2: "max", 0: "mean", 1: "max"}).values
    assert_near(got, x.max(axis=(1, 2)).mean(axis=0))
    other = ref.downsample(x, reduce={0: "mean", 1: "max", 2: "max"}).values
    assert_near(other, x.mean(axis=0).max(axis=(0, 1)))
    assert not np.array_equal(got, other)


@pytest.mark.parametrize(
    ("op", "want"),
    [("mean", 0), ("max", 3), ("min", -4), ("sum", 0), ("std", 2.5495097567963922), ("norm", 5.0990195135927845)],
)
def test_hidden_operations(op, want):
    x = np.array([3.0, -4, 0, 1]).reshape(4, 1, 1)
    assert ref.downsample(x, reduce={0: op}).values == pytest.approx(want, rel=1e-15, abs=0)


def test_hidden_marks_follow_the_policy():
    x = np.array([[1.0, NAN, INF], [3.0, 5.0, 7.0]]).reshape(2, 1, 3)
    np.testing.assert_array_equal(ref.downsample(x, reduce={0: "mean"}).values, [[2, NAN, INF]])
    np.testing.assert_array_equal(ref.downsample(x, reduce={0: "mean"}, nan="skip").values, [[2, 5, 7]])


@pytest.mark.parametrize(
    ("shape", "arguments", "error"),
    [
        ((2, 3, 4), {"index": {0: 2}}, IndexError),
        ((2, 3, 4), {"index": {0: -3}}, IndexError),
        ((2, 3, 4), {"x": 1, "y": 1}, ValueError),
        ((2, 3, 4), {"reduce": {2: "mean"}}, ValueError),
        ((2, 3, 4), {"reduce": {0: "median"}}, ValueError),
        ((2, 3, 4), {"index": {0: slice(1)}}, ValueError),
        ((2, 3, 4), {"index": {3: 0}}, ValueError),
        ((2, 3, 4), {"x": "w"}, ValueError),
    ],
)
def test_wrong_axes_raise(shape, arguments, error):
    with pytest.raises(error):
        ref.downsample(np.zeros(shape), **arguments)


@pytest.mark.parametrize(("shape", "want"), [((), (1, 1)), ((5,), (1, 5)), ((0,), (1, 0)), ((3, 0), (3, 0))])
def test_few_or_no_elements(shape, want):
    assert ref.downsample(np.zeros(shape)).values.shape == want


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3, 4)])
@pytest.mark.parametrize(("agg", "want"), [("mean", NAN), ("sum", 0), ("count", 0)])
def test_a_size_of_zero_is_an_empty_picture(shape, agg, want):
    cells = ref.downsample(np.zeros(shape), (2, 3), agg=agg)
    np.testing.assert_array_equal(cells.values, np.full((2, 3), want))
    assert (cells.kinds == ref.EMPTY).all()


# ---- loading --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype_name", "code", "value"),
    [("bfloat16", 0x3FC0, 1.5), ("bfloat16", 0x7F7F, 3.3895313892515355e38), ("float8_e4m3fn", 0x01, 0.001953125)],
)
def test_loading_codes(dtype_name, code, value):
    storage = np.array([code], np.uint16 if dtype_name == "bfloat16" else np.uint8)
    assert ref.load(storage, dtype_name) == [value]


def test_loading_native_types():
    assert ref.load(np.array([0x7BFF], np.uint16).view(np.float16)) == [65504]
    assert ref.load(np.array([2**53 + 1])) == [9007199254740992.0]
    assert ref.load(np.array([2**64 - 1], np.uint64)) == [2.0**64]
    np.testing.assert_array_equal(ref.load(np.array([False, True])), [0.0, 1.0])
    np.testing.assert_array_equal(ref.load(np.array([1.5, -2], ">f4")), [1.5, -2])
    np.testing.assert_array_equal(ref.load(np.array([[1, 2]], np.float16), "complex32"), [1 + 2j])
    np.testing.assert_array_equal(ref.load(np.ma.array([1, 2], mask=[0, 1])), [1, NAN])
    with pytest.raises(TypeError):
        ref.load(np.array([None]))


@pytest.mark.parametrize(
    ("dtype_name", "largest", "largest_code", "one_and_a_half"),
    [
        ("float8_e4m3fn", 448, 0x7E, 0x3C),
        ("float8_e5m2", 57344, 0x7B, 0x3E),
        ("float8_e4m3fnuz", 240, 0x7F, 0x44),
        ("float8_e5m2fnuz", 57344, 0x7F, 0x42),
        ("float8_e4m3b11fnuz", 30, 0x7F, 0x5C),
        ("float8_e4m3", 240, 0x77, 0x3C),
        ("float8_e3m4", 15.5, 0x6F, 0x38),
        ("float8_e8m0fnu", 2.0**127, 0xFE, None),
    ],
)
def test_float8_formats(dtype_name, largest, largest_code, one_and_a_half):
    table, fmt = float8_table(dtype_name), ref.FLOAT8_FORMATS[dtype_name]
    assert table[largest_code] == largest == table[np.isfinite(table)].max()
    assert set(np.flatnonzero(np.isnan(table))) == set(fmt.nan_codes)
    assert set(np.flatnonzero(np.isinf(table))) == set(fmt.inf_codes)
    assert table[one_and_a_half if one_and_a_half else 0x7F] == (1.5 if one_and_a_half else 1.0)


@pytest.mark.parametrize("dtype_name", [*ref.FLOAT8_FORMATS, "bfloat16"])
def test_small_floats_equal_ml_dtypes(dtype_name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kind = getattr(ml_dtypes, dtype_name, None)
    if kind is None:
        pytest.skip(f"this ml_dtypes has no {dtype_name}")
    codes = np.arange(65536, dtype=np.uint16) if dtype_name == "bfloat16" else np.arange(256, dtype=np.uint8)
    with np.errstate(invalid="ignore"):
        want = codes.view(kind).astype(np.float64)
    np.testing.assert_array_equal(ref.load(codes, dtype_name), want)
    np.testing.assert_array_equal(ref.load(codes.view(kind), dtype_name), want)


# ---- NaN and infinities ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("elements", "shown", "skipped"),
    [
        ([1, NAN, 3], NAN, 2),
        ([1, -INF], -INF, 1),
        ([1, INF, 2], INF, 1.5),
        ([NAN, NAN], NAN, NAN),
        ([INF, -INF], INF, INF),
        ([NAN, INF], NAN, NAN),
    ],
)
@pytest.mark.parametrize("agg", [agg for agg in ref.AGGS if agg != "nearest"])
def test_marks(elements, shown, skipped, agg):
    got = row_values(elements, 1, agg=agg)
    np.testing.assert_array_equal(got, [shown])
    got = row_values(elements, 1, agg=agg, nan="skip")
    if agg == "mean":
        np.testing.assert_array_equal(got, [skipped])
    assert np.isfinite(got[0]) == np.isfinite(skipped)


def test_nearest_is_marked_by_its_own_element_only():
    np.testing.assert_array_equal(row_values([1, NAN, 3, 4, 5, INF], 2, agg="nearest"), [NAN, 5])
    np.testing.assert_array_equal(row_values([NAN, 2, 3, 4, INF, 6], 2, agg="nearest"), [2, INF])


def test_a_zero_cell_is_positive():
    for agg in ref.PUBLIC_AGGS:
        assert not np.signbit(row_values([-0.0, -0.0], 1, agg=agg)[0]), agg
        assert not np.signbit(row_values([-0.0], 1, agg=agg)[0]), agg


@pytest.mark.parametrize("offset", np.linspace(0, 4, 17))
@pytest.mark.parametrize("agg", ["mean", "max", "count", "std"])
def test_one_nan_shows_at_every_offset(offset, agg):
    plane = np.zeros((1, 24))
    plane[0, 12] = NAN
    cells = ref.downsample(plane, (1, 5), view=((0, 1), (offset, offset + 18.7)), agg=agg)
    assert 1 <= (cells.kinds == ref.NAN).sum() <= 2


# ---- accuracy -------------------------------------------------------------------------------------------------


def test_the_reference_survives_cancellation():
    data = np.array([1, 2.0**-24, -1], np.float32)
    assert row_values(data, 1)[0] == 2.0**-24 / 3
    assert row_values([1e8, 1e8 + 1, 1e8 + 2], 1, agg="var")[0] == 0.6666666666666666


def test_tolerances_follow_the_cells():
    cells = ref.downsample(np.array([[1.0, -1.0, 2.0, 4.0]]), (1, 2))
    np.testing.assert_allclose(cells.tolerances, [[1e-12, 3e-6]])
    assert not ref.downsample(np.arange(4.0), (1, 2), agg="max").tolerances.any()
    assert not ref.downsample(np.arange(4.0), (1, 8), agg="sum").tolerances.any()
    hidden = ref.downsample(np.array([1.0, -3]).reshape(2, 1, 1), reduce={0: "mean"})
    np.testing.assert_allclose(hidden.tolerances, 2e-12)


def test_assert_cells_accepts_the_tolerance_and_nothing_more():
    want = ref.downsample(np.array([[1.0, 2.0, NAN, 4.0, 0.0, 0.0]]), (1, 3))
    ref.assert_cells(want.values * (1 + 9e-7), want)
    for wrong in (want.values * (1 + 2e-6), np.nan_to_num(want.values), -want.values, want.values[:, :2]):
        with pytest.raises(AssertionError):
            ref.assert_cells(wrong, want)


# ---- lattice --------------------------------------------------------------------------------------------------


def test_edges_of_whole_views():
    assert ref.axis_edges(4, 0, 4, 3).edges == (0, Fraction(4, 3), Fraction(8, 3), 4)
    edges = ref.axis_edges(10, 0, 10, 4).edges
    assert edges == (0, 2.5, 5, 7.5, 10)
    assert [math.floor(a) for a in edges] == [0, 2, 5, 7, 10]
    assert [math.ceil(a) for a in edges] == [0, 3, 5, 8, 10]


def test_element_coordinates_hit_element_edges():
    assert ref.element_coordinate(1, 0, 49, 49) == 1.0
    assert (1 / 49) * 49 == 0.9999999999999999
    for n in range(1, 300):
        j = np.arange(n + 1.0)
        np.testing.assert_array_equal(ref.element_coordinate(j, 0, n, n), j)


def test_the_last_edge_is_the_end_of_the_view():
    assert (3 * 0.1) / 3 != 0.1
    lattice = ref.axis_edges(1, 0.0, 0.1, 3)
    assert float(lattice.edges[-1]) == 0.1


def test_edges_snap_to_whole_numbers():
    assert 0.2 + (6 * (8.2 - 0.2)) / 10 == 4.999999999999999
    assert ref.axis_edges(50, 0.2, 8.2, 10).edges[6] == 5
    assert ref.axis_edges(50, 1e-13, 8 - 1e-13, 3).edges == (0, Fraction(8, 3), Fraction(16, 3), 8)


def test_log_axis_edges():
    lattice = ref.explicit_edges(100, [10**0, 10**1, 10**2], [10**0.5, 10**1.5])
    assert lattice.edges == (1, 10, 100)
    assert [cell.nearest for cell in ref.cells_of(lattice)] == [3, 31]
    np.testing.assert_allclose(
        ref.reduce_cells(np.arange(100.0)[None], ref.axis_cells(1, 0, 1, 1), ref.cells_of(lattice)).values, [[5, 54.5]]
    )


def test_each_cell_of_a_non_linear_axis_has_its_own_regime():
    lattice = ref.explicit_edges(8, [0, 0.5, 2, 8], [0.25, 1.2, 4.4])
    assert lattice.nearest == (True, False, False)


def test_edges_that_are_not_finite_make_empty_cells():
    cells = ref.cells_of(ref.explicit_edges(8, [-INF, 0.5, 4, 8], [NAN, 2, 6]))
    assert [list(cell.touched) for cell in cells] == [[], [0, 1, 2, 3], [4, 5, 6, 7]]
    with pytest.raises(ValueError):
        ref.explicit_edges(8, [0, 3, 2, 8], [1, 2, 3])


@pytest.mark.parametrize(("u0", "u1"), [(1, 1), (0, INF), (NAN, 2)])
def test_views_without_extent_raise(u0, u1):
    with pytest.raises(ValueError):
        ref.axis_edges(4, u0, u1, 3)


def test_a_reversed_view_reverses_the_cells():
    x = np.arange(7.0)
    forward = ref.downsample(x, (1, 3), view=((0, 1), (0.5, 6))).values
    backward = ref.downsample(x, (1, 3), view=((0, 1), (6, 0.5))).values
    np.testing.assert_array_equal(backward, forward[:, ::-1])


# ---- the elements of a cell -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_elems", "n_cells", "touched", "owned"),
    [
        (4, 3, [[0, 1], [1, 2], [2, 3]], [[0], [1], [2, 3]]),
        (10, 4, [[0, 1, 2], [2, 3, 4], [5, 6, 7], [7, 8, 9]], [[0, 1], [2, 3, 4], [5, 6], [7, 8, 9]]),
    ],
)
def test_touched_and_owned_elements(n_elems, n_cells, touched, owned):
    cells = ref.axis_cells(n_elems, 0, n_elems, n_cells)
    assert [list(cell.touched) for cell in cells] == touched
    assert [list(cell.owned) for cell in cells] == owned


def test_weights():
    third = Fraction(1, 3)
    cells = ref.axis_cells(4, 0, 4, 3)
    assert [cell.exact_weights for cell in cells] == [(1, third), (2 * third, 2 * third), (third, 1)]


@pytest.mark.parametrize(
    ("n_elems", "view", "n_cells", "want"),
    [
        (3, (0, 3), 6, [0, 0, 1, 1, 2, 2]),
        (4, (0, 4), 3, [0, 2, 3]),
        (10, (0, 10), 4, [1, 3, 6, 8]),
        (4, (0.5, 3.5), 4, [0, 1, 2, 3]),
        (6, (6, 10), 4, [None] * 4),
    ],
)
def test_nearest_elements(n_elems, view, n_cells, want):
    assert [cell.nearest for cell in ref.axis_cells(n_elems, *view, n_cells)] == want


@pytest.mark.parametrize("agg", ref.AGGS)
def test_cells_not_wider_than_an_element_are_that_element(agg):
    x = np.array([[-3.5, 2.0, 0.1]])
    want = {"std": [0] * 6, "var": [0] * 6, "range": [0] * 6, "count": [1] * 6, "any": [1] * 6}.get(agg, [-3.5, -3.5, 2, 2, 0.1, 0.1])
    np.testing.assert_array_equal(ref.downsample(x, (1, 6), agg=agg).values, [want])


def test_a_pan_at_one_to_one_stays_nearest():
    for offset in np.linspace(0, 30, 301):
        assert all(ref.axis_edges(50, offset, offset + 20, 20).nearest)
    assert not any(ref.axis_edges(50, 0, 20.001, 20).nearest)


def test_a_cell_partly_outside_may_own_nothing():
    last = ref.axis_cells(4, 0.5, 2.6, 2)[-1]
    assert list(last.touched) == [1, 2] and list(last.owned) == [1]
    sliver = ref.axis_cells(4, -5, 0.5, 2)[-1]
    assert list(sliver.touched) == [0] and list(sliver.owned) == []
    assert row_values([1.0, 2, 3, 4], 2, view=((0, 1), (-5, 0.5)), agg="count").tolist() == [0, 0]


# ---- reductions -----------------------------------------------------------------------------------------------


def test_mean_has_fractional_coverage():
    means = row_values([1, 2, 3, 4], 3)
    assert_near(means, [1.25, 2.5, 3.75])
    assert sum(means * 4 / 3) == pytest.approx(10)
    assert_near(row_values(np.arange(10), 4), [0.8, 3.2, 5.8, 8.2])
    assert_near(row_values([1, 2, 3, 4], 2, view=((0, 1), (0.5, 3))), [1.6, 2.8])
    square = ref.downsample(np.arange(1, 10).reshape(3, 3), (2, 2)).values
    assert_near(square, [[7 / 3, 11 / 3], [19 / 3, 23 / 3]])
    assert (square * 9 / 4).sum() == pytest.approx(45)


def test_mean_with_a_nan():
    np.testing.assert_array_equal(row_values([1, NAN, 3, 4], 3), [NAN, NAN, 3.75])
    assert_near(row_values([1, NAN, 3, 4], 3, nan="skip"), [1, 3, 3.75])


@pytest.mark.parametrize("agg", ["mean", "sum"])
@pytest.mark.parametrize("n_cells", [2, 3, 7, 10])
def test_totals_are_conserved(agg, n_cells):
    x = np.random.default_rng(n_cells).normal(size=11)
    cells = row_values(x, n_cells, agg=agg)
    assert (cells * (11 / n_cells if agg == "mean" else 1)).sum() == pytest.approx(x.sum())


@pytest.mark.parametrize(
    ("agg", "n_cells", "want"),
    [
        ("max", 2, [3, 1]),
        ("min", 2, [-3, -1]),
        ("absmax", 2, [3, 1]),
        ("max", 4, [2, 3, 1, 0.5]),
        ("min", 4, [-3, 2, -1, -1]),
        ("absmax", 4, [-3, 3, 1, -1]),
    ],
)
def test_extremes_of_touched_elements(agg, n_cells, want):
    np.testing.assert_array_equal(row_values([-3, 2, 3, 1, -1, 0.5], n_cells, agg=agg), want)


def test_absmax_does_not_depend_on_order():
    assert absolute_maximum(np.array([-3.0, 3])) == absolute_maximum(np.array([3.0, -3])) == 3


@pytest.mark.parametrize(
    ("agg", "want"),
    [
        ("sum", [5 / 3, 10 / 3, 5]),
        ("count", [1, 1, 2]),
        ("var", [3 / 16, 1 / 4, 3 / 16]),
        ("std", [0.4330127018922193, 0.5, 0.4330127018922193]),
        ("any", [1, 1, 1]),
    ],
)
def test_sum_count_and_spread(agg, want):
    assert_near(row_values([1, 2, 3, 4], 3, agg=agg), want)


@pytest.mark.parametrize(
    ("data", "agg", "want"),
    [([7, 5, 6, 8], "first", [7, 5, 6]), ([7, 5, 6, 8], "last", [5, 6, 8]), ([7, 5, 5, 7], "mode", [7, 5, 7])],
)
def test_first_last_and_mode(data, agg, want):
    np.testing.assert_array_equal(row_values(data, 3, agg=agg), want)


def test_joined_moments_give_the_same_variance():
    (wa, ma, sa), (wb, mb, sb) = (1, 1, 0), (1 / 3, 2, 0)
    w, d = wa + wb, mb - ma
    m, s = ma + d * wb / w, sa + sb + d * d * wa * wb / w
    assert_near([w, m, s, s / w], [4 / 3, 5 / 4, 1 / 4, 3 / 16])
    assert weighted_mean(np.array([wa, wb]), np.array([1.0, 2.0])) == m


@pytest.mark.parametrize("agg", ["mean", "max", "min", "absmax", "sum", "std", "var"])
@pytest.mark.parametrize("n_cells", [(4, 3), (2, 6), (12, 1)])
def test_whole_ratios_equal_reshaping(agg, n_cells):
    x = np.random.default_rng(5).normal(size=(12, 12))
    blocks = x.reshape(n_cells[0], 12 // n_cells[0], n_cells[1], 12 // n_cells[1]).swapaxes(1, 2)
    blocks = blocks.reshape(*n_cells, -1)
    want = np.take_along_axis(blocks, np.abs(blocks).argmax(-1)[..., None], -1)[..., 0] if agg == "absmax" else None
    want = getattr(np, agg)(blocks, axis=-1) if want is None else want
    np.testing.assert_allclose(ref.downsample(x, n_cells, agg=agg).values, want, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(("n_elems", "n_cells"), [(7, 3), (10, 4), (13, 12), (5, 1), (31, 7)])
def test_every_element_split_into_n_cells_parts_gives_whole_cells(n_elems, n_cells):
    x = np.random.default_rng(n_elems).normal(size=n_elems)
    parts = np.repeat(x, n_cells).reshape(n_cells, n_elems)
    numbers = np.repeat(np.arange(n_elems), n_cells).reshape(n_cells, n_elems)
    for agg in ("mean", "max", "min", "std"):
        np.testing.assert_allclose(row_values(x, n_cells, agg=agg), getattr(parts, agg)(axis=1), rtol=1e-12, atol=1e-15)
    cells = ref.axis_cells(n_elems, 0, n_elems, n_cells)
    assert [list(cell.touched) for cell in cells] == [sorted(set(row)) for row in numbers.tolist()]
    assert [element for cell in cells for element in cell.owned] == list(range(n_elems))


@pytest.mark.parametrize("seed", range(20))
def test_sets_of_any_view(seed):
    rng = np.random.default_rng(seed)
    n_elems, n_cells = rng.integers(1, 40, 2)
    u0, u1 = rng.uniform(-10, n_elems + 10, 2)
    lattice = ref.axis_edges(int(n_elems), u0, u1, int(n_cells))
    cells = ref.cells_of(lattice)
    owned = [elem for cell in cells for elem in cell.owned]
    if not lattice.nearest[0]:
        assert len(owned) == len(set(owned))
    for cell in cells:
        assert set(cell.owned) <= set(cell.touched) and len(cell.weights) == len(cell.touched)
        assert all(0 < w <= 1 for w in cell.exact_weights)
        assert cell.is_empty == (not cell.touched) == (cell.nearest is None)


# ---- hover ----------------------------------------------------------------------------------------------------


def test_hover_over_a_bin():
    x = np.arange(10)[None]
    cells = ref.axis_cells(1, 0, 1, 1), ref.axis_cells(10, 0, 10, 4)
    said = ref.hover(x.astype(float), *cells, 0, 1, x)
    assert (said.cols, said.n, said.minimum, said.maximum) == ((2, 5), 3, 2, 4)
    assert said.mean == pytest.approx(3.2)
    assert (said.n_nan, said.n_pos_inf, said.n_neg_inf) == (0, 0, 0)


def test_hover_over_one_element_is_exact():
    x = np.array([[2**53 + 1, 5]])
    cells = ref.axis_cells(1, 0, 1, 1), ref.axis_cells(2, 0, 2, 4)
    assert ref.hover(x.astype(float), *cells, 0, 1, x).value == 9007199254740993
    assert ref.hover(x.astype(float), cells[0], ref.axis_cells(2, 2, 4, 2), 0, 0, x) is None
