"""`downsample` against the slow reference: dtype x layout x view x aggregation x policy for what is not finite."""

import numpy as np
import pytest
import reference
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from stored_tensors import CODED, LAYOUTS, REAL, as_source, storage_of

import gpuplot
from gpuplot.plane.aggs import AGGS


def check(X, shape, stored=None, dtype=None, **keywords):
    want = reference.downsample(X if stored is None else stored, shape, dtype_name=dtype, **keywords)
    got = gpuplot.downsample(X if dtype is None else as_source(stored, dtype), shape, **keywords)
    assert got.shape == tuple(shape) and got.dtype == np.float64
    reference.assert_cells(got, want)


sizes = st.integers(1, 24)
limits = st.floats(-5, 29, allow_nan=False).flatmap(
    lambda a: st.tuples(st.just(a), st.one_of(st.floats(-5, 29), st.integers(-5, 29).map(float)).filter(lambda b: abs(b - a) > 1e-3)))


@st.composite
def calls(draw):
    shape = draw(st.tuples(sizes, sizes))
    keywords = {"agg": draw(st.sampled_from(AGGS)), "nan": draw(st.sampled_from(("show", "skip")))}
    if draw(st.booleans()):
        keywords["view"] = (draw(limits), draw(limits))
    return shape, draw(st.tuples(sizes, sizes)), keywords


@examples(150)
@given(calls(), st.sampled_from(REAL), st.sampled_from(sorted(LAYOUTS)), st.integers(0, 2**32 - 1), st.sampled_from((0, 1, 30)))
def test_equals_the_reference(call, dtype, layout, seed, n_bad):
    """Cells of any dtype in any layout are those of the definition, within its tolerance."""
    shape, cells, keywords = call
    stored = storage_of(np.random.default_rng(seed), dtype, shape, n_bad)
    if layout == "swapped" and dtype in CODED:
        layout = "strided"
    stored = LAYOUTS[layout](stored)
    check(stored, cells, stored, dtype, **keywords)


@examples(50)
@given(calls(), st.sampled_from(("complex64", "complex128")), st.integers(0, 2**32 - 1), st.sampled_from((0, 1, 9)),
       st.sampled_from(("amplitude", "square_amplitude", "real", "imaginary", "phase")))
def test_complex_modes(call, dtype, seed, n_bad, mode):
    """Each mode gives one real number an element; angles are averaged as directions."""
    shape, cells, keywords = call
    if mode == "phase" and keywords["agg"] in ("range", "std", "var", "sum", "count"):
        keywords["agg"] = "mean"
    stored = storage_of(np.random.default_rng(seed), dtype, shape, n_bad)
    check(stored, cells, complex_mode=mode, **keywords)


@pytest.mark.parametrize("odd", [0, 1e-200, 1e200 + 1j, np.nan, complex(-np.inf, 1)], ids=str)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_amplitudes_have_no_neighbors(put, dtype, odd):
    """Amplitudes are worked out many at once, but for those of no usual size: each is that of the element by itself."""
    z = np.random.default_rng(5).normal(size=(4, 600, 2)).astype("f4").view("c8")[..., 0].astype(dtype)
    with np.errstate(over="ignore"):
        z[2, ::7] = np.array(odd, dtype)
    alone = [gpuplot.downsample(put(np.ascontiguousarray(z[i : i + 1, j : j + 1])), (1, 1))[0, 0] for i in (1, 2) for j in range(21)]
    np.testing.assert_array_equal(gpuplot.downsample(put(z), z.shape)[1:3, :21].ravel(), alone)


@examples(50)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.sampled_from(("float32", "int16", "float64")),
       st.data(), st.integers(0, 2**32 - 1), st.sampled_from((0, 5)))
def test_hidden_axes(shape, dtype, data, seed, n_bad):
    """Hidden axes are indexed or reduced, element by element, before the picture is."""
    shape = (*shape, 9, 8)
    stored = storage_of(np.random.default_rng(seed), dtype, shape, n_bad)
    hidden = range(len(shape) - 2)
    reduce = {axis: data.draw(st.sampled_from(("mean", "max", "min", "sum", "std", "norm")))
              for axis in hidden if data.draw(st.booleans())}
    index = {axis: data.draw(st.integers(-shape[axis], shape[axis] - 1)) for axis in hidden
             if axis not in reduce and data.draw(st.booleans())}
    check(stored, (5, 6), index=index or None, reduce=reduce or None, agg=data.draw(st.sampled_from(AGGS)),
          nan=data.draw(st.sampled_from(("show", "skip"))))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
@pytest.mark.parametrize("width", [2, 3, 4, 5, 6, 8, 17])
def test_cells_of_one_width(width, dtype):
    """Where cells lie side by side loops know how wide they are; part of a plane has columns before and behind them."""
    rng = np.random.default_rng(width)
    array = rng.integers(0, 200, (3 * width, 9 * width)).astype(dtype)
    if array.dtype.kind == "f":
        array[0, width], array[-1, -1] = np.nan, np.inf
    for agg in AGGS:
        for nan in ("show", "skip"):
            check(array, (3, 9), agg=agg, nan=nan)
            check(array, (3, 7), view=((0, 3 * width), (width, 8 * width)), agg=agg, nan=nan)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int16"])
@pytest.mark.parametrize("width", [1.07, 1.5, 2, 2.5, 3, 3.4, 4, 4.6, 5, 5.7, 6, 6.9, 7, 7.7, 8, 9.3, 40])
def test_finite_cells_by_the_vector(width, dtype):
    """Without a mark cells are reduced whole vectors at a time: narrow ones of any width, beside each other, and the few that are left."""
    rng = np.random.default_rng(int(100 * width))
    n_cells = 37 if width < 20 else 5
    array = (100 * rng.standard_normal((int(4 * width) + 1, int(n_cells * width) + 1))).astype(dtype)
    whole = array[: int(4 * width), : int(n_cells * width)]
    for agg in AGGS:
        check(whole, (4, n_cells), agg=agg)
        check(array, (3, n_cells - 2), view=((0.3, 3 * width), (0.4, (n_cells - 2) * width)), agg=agg)


@pytest.mark.parametrize("agg", ["mean", "max", "absmax", "std"])
@pytest.mark.parametrize("width", [2, 2.6, 9])
def test_a_mark_changes_no_other_tile(width, agg):
    """Wide planes are reduced tile by tile; one with a NaN goes another way than the others, to the same cells."""
    array = np.random.default_rng(3).standard_normal((40, 9000)).astype(np.float32)
    shape = (int(40 / width), int(9000 / width))
    want = gpuplot.downsample(array, shape, agg=agg)
    array[20, 4500] = np.nan
    got = gpuplot.downsample(array, shape, agg=agg)
    is_marked = np.isnan(got)
    assert 1 <= is_marked.sum() <= 4
    np.testing.assert_allclose(got[~is_marked], want[~is_marked], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("value", [0.1, -7e300, 1 + 2.0**-48, 5e-324])
@pytest.mark.parametrize("width", [2, 2.3, 5, 11])
def test_equal_elements_spread_by_nothing(width, value):
    """The deviation of equal elements is exactly 0, whatever rounding does to their mean."""
    array = np.full((60, 90), value)
    assert not gpuplot.downsample(array, (int(60 / width), int(90 / width)), agg="std").any()


@pytest.mark.parametrize("n_cells", [1, 7, 64, 500])
@pytest.mark.parametrize("agg", ["mean", "max", "range", "std", "var", "sum"])
def test_a_lone_nan_is_seen_at_every_offset(n_cells, agg):
    """Wherever a view begins, one NaN marks a cell."""
    a = np.ones((700, 700), np.float32)
    a[311, 402] = np.nan
    for offset in np.linspace(0, 1, 7, endpoint=False):
        view = ((300 + offset, 300 + offset + 20), (offset, 600 + offset))
        cells = gpuplot.downsample(a, (min(n_cells, 20), n_cells), view=view, agg=agg)
        assert np.isnan(cells).sum() in (1, 2, 4)


def test_narrow_cells_that_end_at_the_plane_show_nothing_of_it():
    """Here no end of the view is a whole number."""
    for view, want in [((-0.5, 2.5), [np.nan, 1, 1, 2, 2, np.nan]), ((2.5, -0.5), [np.nan, 2, 2, 1, 1, np.nan])]:
        np.testing.assert_array_equal(gpuplot.downsample([[1, 2]], (1, 6), view=((0, 1), view)), [want])


def test_wide_cells_that_reach_beyond_the_plane_have_its_ends_in_full():
    for view, want in [((0, 8), [17 / 3, 76 / 3, 0]), ((-3, 5), [0, 13 / 3, 80 / 3])]:
        np.testing.assert_allclose(gpuplot.downsample([[1, 2, 4, 8, 16]], (1, 3), view=((0, 1), view), agg="sum"), [want], rtol=1e-15)


@pytest.mark.parametrize("agg", ["mean", "sum", "std", "var"])
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (1, 2), (2, 1)])
def test_cells_side_by_side_with_ends_in_part(agg, shape):
    """As many elements in each, though not the same share of them."""
    X = np.random.default_rng(12).normal(size=(40, 60))
    check(X, shape, agg=agg, view=((0.25, 39.75), (0.5, 59.5)))


def test_masked_elements_are_nan():
    """A masked element marks its cell, or is left out."""
    a = np.ma.masked_greater(np.arange(64.0).reshape(8, 8), 60)
    filled = a.filled(np.nan)
    for nan in ("show", "skip"):
        np.testing.assert_array_equal(gpuplot.downsample(a, (3, 3), nan=nan), gpuplot.downsample(filled, (3, 3), nan=nan))
    ints = np.ma.array(np.arange(16).reshape(4, 4), mask=np.eye(4, dtype=bool))
    assert np.isnan(gpuplot.downsample(ints, (2, 2))[0, 0])


def test_broadcast_and_huge_axes_cost_nothing():
    """A stride of zero makes an axis of 2^33 elements out of one, and a sum of its ends is exact."""
    a = np.broadcast_to(np.float32(2), (1, 2**33))
    np.testing.assert_array_equal(gpuplot.downsample(a, (1, 4), view=((0, 1), (2**33 - 8, 2**33)), agg="sum"), [[4.0] * 4])


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_empty_planes_are_empty_cells(shape):
    """Nothing to show is not an error."""
    assert np.isnan(gpuplot.downsample(np.zeros(shape), (3, 4))).all()
    assert (gpuplot.downsample(np.zeros(shape), (3, 4), agg="count") == 0).all()


def test_results_are_the_same_on_every_run_and_number_of_threads():
    """Partial results are joined in a fixed order."""
    a = np.random.default_rng(0).normal(size=(2000, 1500)).astype(np.float32)
    limit = gpuplot._native.threads_limit
    before = limit()
    try:
        results = []
        for n_threads in (1, 2, 3, 8):
            limit(n_threads)
            results.append({agg: gpuplot.downsample(a, (37, 41), agg=agg).tobytes() for agg in AGGS})
    finally:
        limit(before)
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("keywords, message", [
    ({"agg": "median"}, "mean, max"), ({"nan": "drop"}, "show, skip"), ({"view": ((0, 0), (0, 1))}, "differ"),
    ({"view": ((0, np.nan), (0, 1))}, "finite"), ({"rgb": True}, "to_rgba"),
    ({"complex_mode": "amplitude_phase"}, "to_rgba"), ({"complex_mode": "abs"}, "amplitude"),
])
def test_unknown_values_name_the_known_ones(keywords, message):
    """Bad values are refused before anything is read."""
    with pytest.raises(ValueError, match=message):
        gpuplot.downsample(np.zeros((4, 4)), (2, 2), **keywords)


@pytest.mark.parametrize("shape, error", [((0, 5), ValueError), ((5, -1), ValueError), (5, TypeError), ((2.5, 2), TypeError),
                                          ((1, 2, 3), TypeError), ((2**40, 2**40), ValueError), (None, TypeError)])
def test_sizes_that_no_grid_has(shape, error):
    """Sizes are two positive integers."""
    with pytest.raises(error):
        gpuplot.downsample(np.zeros((4, 4)), shape)


def test_unknown_keywords_are_type_errors():
    """The function's own name is in the message."""
    with pytest.raises(TypeError, match="downsample.*aggr"):
        gpuplot.downsample(np.zeros((4, 4)), (2, 2), aggr="max")


@pytest.mark.parametrize("n_cells", [4, 61])
@pytest.mark.parametrize("n_cols", [2, 3, 8])
@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("agg", ["min", "max", "range", "sum", "std"])
def test_long_narrow_planes(agg, dtype, n_cols, n_cells):
    """Many short rows behind each other in memory are added as if they were few long ones."""
    X = (np.random.default_rng(4).normal(size=(40_000, n_cols)) * 50).astype(dtype)
    cells = n_cells, n_cols
    reference.assert_cells(gpuplot.downsample(X, cells, agg=agg), reference.downsample(X, cells, agg=agg))


@pytest.mark.parametrize("agg", ["min", "max", "range"])
def test_integers_in_cells_of_one_width(agg):
    """More columns than are taken at a time, which ends within a cell."""
    width = 3
    X = np.random.default_rng(9).integers(0, 2**40, (2, 9000 * width))
    low, high = (f(X.reshape(2, -1, width), axis=(0, 2)) for f in (np.min, np.max))
    want = {"min": low, "max": high, "range": high - low}[agg]
    np.testing.assert_array_equal(gpuplot.downsample(X, (1, 9000), agg=agg), want[None])


@pytest.mark.parametrize("agg", ["min", "max", "sum", "std"])
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_narrow_parts_of_wider_rows(agg, dtype):
    """Short rows that do not follow each other in memory."""
    X = (np.random.default_rng(10).normal(size=(20_000, 20)) * 50).astype(dtype)[:, 5:12]
    reference.assert_cells(gpuplot.downsample(X, (2, 7), agg=agg), reference.downsample(X, (2, 7), agg=agg))


@pytest.mark.parametrize("shape, cells", [
    ((3, 100_001), (2, 9)),  # long runs in few rows, one of which two cells share
    ((1, 1_100_000), (1, 3)),  # runs that several threads share
    ((1, 1_100_000), (1, 40)),
    ((200_001, 5), (3, 2)),  # blocks of rows
], ids=str)
@pytest.mark.parametrize("agg", ["mean", "std", "max", "sum", "count"])
def test_few_cells_of_many_elements(agg, shape, cells):
    """Cells that are joined from parts, whose borders have weights, with a NaN in the first."""
    X = np.random.default_rng(11).normal(3, 2, shape).astype("float32")
    X[0, 1] = np.nan
    for nan in ("show", "skip") if shape[0] == 3 else ("skip",):
        keywords = {"agg": agg, "nan": nan, "view": ((0, shape[0]), (0.3, shape[1] - 0.3))}
        reference.assert_cells(gpuplot.downsample(X, cells, **keywords), reference.downsample(X, cells, **keywords))


@pytest.mark.parametrize("agg", ["mean", "std"])
@pytest.mark.parametrize("share", [0, 0.1])
def test_many_cells_of_which_some_reach_beyond_the_plane(agg, share):
    """Each has the weight of its own columns, in every tile of cells."""
    rng = np.random.default_rng(12)
    X = rng.normal(size=(2, 5000))
    X[rng.random(X.shape) < share] = np.nan
    keywords = {"agg": agg, "nan": "skip", "view": ((0, 2), (-700.3, 5200.2))}
    reference.assert_cells(gpuplot.downsample(X, (1, 2360), **keywords), reference.downsample(X, (1, 2360), **keywords))


@pytest.mark.parametrize("agg", ["mean", "std", "max"])
@pytest.mark.parametrize("cells", [(1, 70), (1, 1), (2, 35)])
def test_hidden_axes_under_long_columns(cells, agg):
    """More rows than are worked out at a time, in cells of few columns and of many."""
    X = np.random.default_rng(13).normal(size=(2, 600, 140))
    X[:, 3, 3] = X[0, 400, 100] = np.nan
    want = np.where(np.isnan(X[0]), X[1], np.where(np.isnan(X[1]), X[0], X.mean(0)))
    got = gpuplot.downsample(X, cells, reduce={0: "mean"}, agg=agg, nan="skip")
    np.testing.assert_allclose(got, gpuplot.downsample(want, cells, agg=agg, nan="skip"), rtol=1e-12)
