"""Axes whose elements share one address (a stride of zero): results equal those of copies, and each address is read once."""

import math

import numpy as np
import pytest
import reference
from device_planes import device_plane, host_plane, summary_of
from effort import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from matrix import matrix
from on_device import there
from reference import statistics, summaries
from stored_tensors import REAL, as_source, storage_of

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane.aggs import AGGS

MANY = 2**40
FACTS = _native.WANT_RANGE | _native.WANT_POSITIVE | _native.WANT_COUNTS
REPEATED = {"rows": (True, False), "cols": (False, True), "both": (True, True)}


@pytest.fixture(params=["host", "device"])
def where(request):
    """Where arrays are looked at: a name, and what makes sources and planes of arrays there."""
    if request.param == "device":
        request.getfixturevalue("emulated")
    return request.param


def source_at(where, stored, dtype):
    """What to hand to gpuplot for stored elements of a dtype."""
    return there(stored, dtype=dtype) if where == "device" else as_source(stored, dtype)


def plane_at(where, array, mask=None, dtype=None):
    return device_plane(array, dtype, mask) if where == "device" else host_plane(array, dtype, mask)


def repeat(array, shape, axes):
    """The array's first elements along some axes, repeated to a shape without a copy."""
    part = array[tuple(slice(1) if axis in axes else slice(None) for axis in range(array.ndim))]
    return np.broadcast_to(part, shape)


def copied(array):
    return np.array(array, order="C")


# ---- cells ------------------------------------------------------------------------------------------------------------

VIEWS = (None, ((0.3, 4.9), (2.0, 7.5)), ((9, 0), (8.25, -3)), ((1, 3), (2, 4)), ((-4, 5), (3, 14)), ((4.2, 4.7), (0, 9)))
SIZES = ((2, 3), (4, 4), (20, 5), (1, 1), (3, 30))


@matrix(which=REPEATED, agg=AGGS, nan=("show", "skip"), view=range(len(VIEWS)), size=range(len(SIZES)),
        dtype=("float64", "float32", "bfloat16", "float8_e5m2", "int64", "uint8", "int16", "bool"))
def test_cells(where, which, agg, nan, view, size, dtype):
    """Weights, borders, marks and cells outside, for one dtype of each class."""
    axes = [axis for axis, is_there in enumerate(REPEATED[which]) if is_there]
    array = repeat(storage_of(np.random.default_rng(len(dtype)), dtype, (9, 11), 4), (9, 11), axes)
    keywords = {"agg": agg, "nan": nan, "view": VIEWS[view]}
    want = reference.downsample(copied(array), SIZES[size], dtype_name=dtype, **keywords)
    reference.assert_cells(gpuplot.downsample(source_at(where, array, dtype), SIZES[size], **keywords), want)


@matrix(dtype=REAL, agg=AGGS, is_turned=(False, True))
def test_cells_of_every_dtype(where, dtype, agg, is_turned):
    array = repeat(storage_of(np.random.default_rng(7), dtype, (5, 40), 2), (50, 40), (0,))
    stored = array.T if is_turned else array
    want = reference.downsample(copied(stored), (3, 4), dtype_name=dtype, agg=agg)
    reference.assert_cells(gpuplot.downsample(source_at(where, stored, dtype), (3, 4), agg=agg), want)


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.sampled_from(("float64", "float32", "int32", "float16")), st.integers(0, 2**32 - 1))
def test_hidden_axes(where, data, dtype, seed):
    """Repeated hidden axes, alone or jointly with others, in the stages of several operations."""
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=3, max_size=5)))
    axes = data.draw(st.sets(st.integers(0, len(shape) - 1)))
    ops = data.draw(st.lists(st.sampled_from(("mean", "max", "min", "sum", "std", "norm")), min_size=len(shape) - 2,
                             max_size=len(shape) - 2))
    keywords = {"reduce": dict(enumerate(ops)), "nan": data.draw(st.sampled_from(("show", "skip"))),
                "agg": data.draw(st.sampled_from(AGGS))}
    array = repeat(storage_of(np.random.default_rng(seed), dtype, shape, data.draw(st.sampled_from((0, 3)))), shape, axes)
    want = reference.downsample(copied(array), (2, 3), **keywords)
    reference.assert_cells(gpuplot.downsample(source_at(where, array, dtype), (2, 3), **keywords), want)


@pytest.mark.parametrize("mode", ["amplitude", "square_amplitude", "real", "imaginary", "phase"])
def test_complex_numbers(where, mode):
    array = repeat(storage_of(np.random.default_rng(3), "complex64", (3, 6, 8), 2), (3, 6, 8), (1,))
    for keywords in ({"index": {0: 1}}, {"reduce": {0: "mean"}}, {"x": 0, "y": 2, "reduce": {1: "mean"}}):
        want = reference.downsample(copied(array), (2, 3), complex_mode=mode, **keywords)
        reference.assert_cells(gpuplot.downsample(source_at(where, array, "complex64"), (2, 3), complex_mode=mode, **keywords), want)


def test_colors(where):
    """Channels of RGB, weighted by alpha, are reduced as those of a copy."""
    for shape, axes in (((6, 9, 4), (0,)), ((6, 9, 3), (1,)), ((6, 9, 3), (2,))):
        array = repeat(np.random.default_rng(2).random(shape), shape, axes)
        for size in ((3, 4), (12, 20)):
            got = gpuplot.to_rgba(source_at(where, array, "float64"), size)
            np.testing.assert_array_equal(got, gpuplot.to_rgba(source_at(where, copied(array), "float64"), size))


# ---- facts ------------------------------------------------------------------------------------------------------------


@matrix(which=REPEATED, mask=(None, "repeated", "own"), dtype=("float64", "int64", "float16"))
def test_facts(where, which, mask, dtype):
    """Limits, percentiles, summaries, histograms and searches of a plane; a mask may repeat with it, or not."""
    axes = [axis for axis, is_there in enumerate(REPEATED[which]) if is_there]
    rng = np.random.default_rng(5)
    array = repeat(storage_of(rng, dtype, (6, 7), 5), (6, 7), axes)
    masked = None if mask is None else np.asarray(rng.random((6, 7)) < 0.3)
    masked = repeat(masked, (6, 7), axes) if mask == "repeated" else masked
    plane = plane_at(where, array, masked)
    same = host_plane(copied(array), mask=None if masked is None else copied(masked))
    assert _native.limits(plane, FACTS)[:9] == pytest.approx(_native.limits(same, FACTS)[:9], rel=0, abs=0, nan_ok=True)
    for is_positive in (False, True):
        percents = [0, 1, 17.3, 25, 50, 66.7, 99, 100]
        np.testing.assert_allclose(_native.percentiles(plane, percents, is_positive),
                                   _native.percentiles(same, percents, is_positive), rtol=1e-14, equal_nan=True)
    got, want = summary_of(plane), summary_of(same)
    assert got == pytest.approx(want, rel=1e-12, abs=1e-9 * max(abs(want[8]), abs(want[9]), 1), nan_ok=True)
    assert got[13:] == want[13:] and got[:10] == pytest.approx(want[:10], rel=0, abs=0, nan_ok=True)
    edges = np.unique([-1e12, -2.0, -0.5, 0.0, 0.25, 3.0, 100.0, 1e12])
    np.testing.assert_array_equal(_native.histogram(plane, edges), _native.histogram(same, edges))
    elements = summaries.elements(copied(array), mask=None if masked is None else copied(masked))
    for kinds in (_native.HAS_NAN, _native.HAS_POS_INF | _native.HAS_NEG_INF, _native.HAS_FINITE):
        for is_backwards in (False, True):
            for start in range(-1 if is_backwards else 0, 42 if is_backwards else 43):
                assert _native.find(plane, kinds, start, is_backwards) == summaries.find(elements, kinds, start, is_backwards)


@matrix(which=REPEATED, agg=("mean", "min", "std"))
def test_limits_with_and_without_nan(where, which, agg):
    """Both at once, with the cells."""
    axes = [axis for axis, is_there in enumerate(REPEATED[which]) if is_there]
    stored = storage_of(np.random.default_rng(11), "float32", (6, 7), 9)
    stored[0, 0] = math.nan
    array = repeat(stored, (6, 7), axes)
    rows, cols = _native.Axis(6, 0, 6, 3), _native.Axis(7, 0.25, 7, 4)
    got, want = (_native.reduce(plane, rows, cols, agg, "show", FACTS, splits_nan=True)
                 for plane in (plane_at(where, array), host_plane(copied(array))))
    np.testing.assert_allclose(got[0].numpy(), want[0].numpy(), rtol=1e-6)
    for one, other in zip(got[1::2], want[1::2], strict=True):
        assert one[:9] == pytest.approx(other[:9], rel=0, abs=0, nan_ok=True)


@pytest.mark.parametrize("which", REPEATED)
def test_elements_in_ranges(where, which):
    """All of them, each as often as it repeats, or nothing where these are too many for the room, though the distinct ones are not."""
    array = many(which)[:60, :60] if which == "both" else many(which)[:60] if which == "rows" else many(which)[:, :60]
    plane = plane_at(where, array)
    inside = np.sort(array[((array >= 0) & (array <= 2)) | (array == 7)])
    n = inside.size
    got = _native.collect(plane, [0.0, 7.0], [2.0, 7.0], n)
    np.testing.assert_array_equal(np.sort(got), inside)
    assert _native.collect(plane, [0.0, 7.0], [2.0, 7.0], n - 1) is None
    assert _native.collect(plane, [100.0], [200.0], 0).size == 0


def test_percentiles_count_every_element(where):
    """Interpolation is among all elements, so that it is seldom that of the distinct ones."""
    array = np.broadcast_to(np.array([1.0, 2.0, 3.0, 4.0]), (3, 4))
    got = _native.percentiles(plane_at(where, array), [25, 30, 50, 90, 100])
    np.testing.assert_allclose(got, np.percentile(copied(array), [25, 30, 50, 90, 100]), rtol=1e-15)
    assert not np.allclose(got, np.percentile(array[0], [25, 30, 50, 90, 100]))


@examples(120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.sampled_from(("float64", "int64", "uint8", "bfloat16", "float32", "complex64")), st.integers(0, 2**32 - 1))
def test_statistics(where, data, dtype, seed):
    """Every field of every slice, where axes repeat inside of slices, between them, or both."""
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    repeated = data.draw(st.sets(st.integers(0, len(shape) - 1)))
    dim = data.draw(st.one_of(st.none(), st.sets(st.integers(0, len(shape) - 1), min_size=1).map(tuple)))
    asked = {"bins": 5, "percentiles": (0, 12.5, 50, 99)}
    if data.draw(st.booleans()):
        asked["value_range"] = (0, 3)
    array = repeat(storage_of(np.random.default_rng(seed), dtype, shape, data.draw(st.sampled_from((0, 4)))), shape, repeated)
    order = data.draw(st.permutations(range(len(shape))))
    got = gpuplot.stats(source_at(where, array.transpose(order), dtype), dim, **asked)
    stored = copied(array.transpose(order))
    parts = statistics.slices(statistics.elements_of(stored, dtype, None), stored.shape, dim, None)
    for place, elements in zip(np.ndindex(np.shape(got.nan)), parts.values(), strict=True):
        statistics.assert_statistics(statistics.fields_at(got, place), statistics.statistics(elements, dtype, **asked), dtype)


def test_edges_of_equal_slices(where):
    """Slices that share their elements are counted once, unless their edges differ, were it in one edge alone."""
    array = np.broadcast_to(np.array([0.5, 1.5, 2.5, 3.5]), (3, 4))
    with describe(source_at(where, array, "float64")).borrow() as tensor:
        slices = _native.Slices(tensor, [(0, 1, 3, True), (0, 1, 4, False)])
        for changed in range(3):
            edges = np.tile([0.0, 1.0, 3.0], (3, 1))
            edges[1, changed] = (-1.0, 2.0, 4.0)[changed]
            want = [np.histogram(array[0], row)[0].tolist() for row in edges]
            assert _native.histogram_slices(slices, edges).tolist() == want
        assert _native.histogram_slices(slices, np.tile([0.0, 1.0, 3.0], (3, 1))).tolist() == [[1, 2]] * 3


# ---- far too many elements to look at -----------------------------------------------------------------------------------

DISTINCT = np.array([3.0, -1.0, 0.5, 7.0, 2.0])


def many(which):
    """Five elements, repeated 2^40 times: as rows, as columns, or both ways."""
    if which == "both":
        return np.broadcast_to(DISTINCT[3], (2**29, 2**29))
    rows = np.broadcast_to(DISTINCT, (MANY, DISTINCT.size))
    return rows if which == "rows" else rows.T


@pytest.mark.parametrize("which", REPEATED)
def test_many_cells(where, which):
    """Cells of 2^40 times as many elements, exactly."""
    array, shape = many(which), (2, 5) if which == "rows" else (5, 2)
    source = source_at(where, array, "float64")
    values = np.full(shape, DISTINCT[3]) if which == "both" else np.broadcast_to(DISTINCT, (2, 5)).reshape(2, 5)
    values = values.T if which == "cols" else values
    n = array.size // 10
    for agg in ("mean", "min", "max", "absmax", "nearest"):
        np.testing.assert_array_equal(gpuplot.downsample(source, shape, agg=agg), values)
    np.testing.assert_array_equal(gpuplot.downsample(source, shape, agg="std"), np.zeros(shape))
    np.testing.assert_allclose(gpuplot.downsample(source, shape, agg="sum"), values * (array.size / 10), rtol=1e-9)
    counts = gpuplot.downsample(source, shape, agg="count")
    assert counts.sum() == array.size and abs(counts - n).max() <= 2**29


@pytest.mark.parametrize("which", ["rows", "cols"])
def test_many_facts(where, which):
    """Limits, percentiles and statistics of 2^40 times as many elements."""
    array = many(which)
    source, plane = source_at(where, array, "float64"), plane_at(where, array)
    assert _native.limits(plane, FACTS)[:2] == (-1.0, 7.0) and _native.limits(plane, FACTS)[4] == array.size
    np.testing.assert_allclose(_native.percentiles(plane, [10, 30, 50, 90]), [-1, 0.5, 2, 7])
    assert _native.find(plane, _native.HAS_NAN, 12345) == -1
    assert _native.find(plane, _native.HAS_FINITE, array.size - 1, True) == array.size - 1
    found = gpuplot.stats(source, bins=2, value_range=(-2, 8))
    assert (found.neg, found.pos, found.mean, found.hist.sum()) == (MANY, 4 * MANY, 2.3, 5 * MANY)
    assert found.std == pytest.approx(DISTINCT.std(), rel=1e-11) and found.l2 == pytest.approx(np.sqrt(MANY * (DISTINCT**2).sum()))
    assert (found.argmin, found.argmax) == (((0, 1), (0, 3)) if which == "rows" else ((1, 0), (3, 0)))
    by_slice = gpuplot.stats(source, dim=0 if which == "rows" else 1, bins=2, value_range=(-2, 8))
    np.testing.assert_array_equal(by_slice.max, DISTINCT)
    np.testing.assert_array_equal(by_slice.hist.sum(axis=-1), np.full(5, MANY))


@pytest.mark.parametrize("op", ["mean", "max", "min", "sum", "std", "norm"])
def test_many_hidden(where, op):
    array = np.broadcast_to(DISTINCT[:4].reshape(1, 2, 2), (MANY, 2, 2))
    got = gpuplot.downsample(source_at(where, array, "float64"), (2, 2), reduce={0: op})
    values = DISTINCT[:4].reshape(2, 2)
    want = {"sum": values * MANY, "norm": np.sqrt(MANY) * abs(values), "std": 0 * values}.get(op, values)
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_many_between_and_around(where):
    """Two repeated axes that do not lie end to end, around one that is not."""
    array = np.broadcast_to(DISTINCT[:, None], (2**20, 5, 2**20))
    found = gpuplot.stats(source_at(where, array, "float64"), bins=2, percentiles=(50,))
    assert (found.numel, found.neg, found.argmax, found.percentiles[50]) == (5 * MANY, MANY, (0, 3, 0), 2.0)


def test_many_masked(where):
    """A mask that repeats with its elements."""
    mask = np.broadcast_to(np.array([False, True, False, False, True]), (MANY, 5))
    plane = plane_at(where, many("rows"), mask)
    assert _native.limits(plane, FACTS)[4:] == (3 * MANY, 0, 0, 0, 2 * MANY)
    assert summary_of(plane)[:7] == (0, 0, 0, 0, 3 * MANY, 0, 2 * MANY)


def test_the_device_does_as_much_as_for_one(emulated):
    """The driver's calls for 2^40 repetitions are those for the distinct elements: as many launches, copies and allocations."""
    def calls_of(array):
        plane = device_plane(array)
        rows, cols = _native.Axis(array.shape[0], 0, array.shape[0], 4), _native.Axis(array.shape[1], 0, array.shape[1], 3)
        counts = []
        for _ in range(2):  # memory is there from the second time on
            emulated.clear_counts()
            for agg in AGGS:
                _native.reduce(plane, rows, cols, agg, "show", _native.WANT_RANGE)
            _native.limits(plane, FACTS)
            summary_of(plane)
            _native.percentiles(plane, [2, 50, 98])
            _native.histogram(plane, [0.0, 1.0, 2.0])
            counts.append(emulated.counts())
        return counts[1]

    few, lots = calls_of(np.broadcast_to(DISTINCT, (20, 5))), calls_of(many("rows"))
    assert few == lots and few["cuLaunchKernel"] > 10


def test_refused(where):
    """Only axes whose elements share one address may be said to repeat."""
    with pytest.raises(ValueError, match="only elements that share one address"):
        _native.Plane(_native.Tensor.from_array(np.ones((3, 4)), "float64"), [("repeated", 0, 1, 3, 0), ("cols", 0, 1, 4, 0)], [])
