"""Points to cells: the cell of each point against the definition, on both devices."""

import numpy as np
import pytest
import reference as ref
from device_planes import device_plane, fail_each_call, host_plane
from effort import examples
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from hypothesis import given
from hypothesis import strategies as st
from matrix import matrix
from reference.points import bin_points
from stored_tensors import LAYOUTS, REAL, storage_of

from gpuplot import _native

AGGS = tuple(agg for agg in _native.AGGS if agg != "nearest")
POLICIES = ("show", "skip", "unmasked", "infinite")


def loaded(stored, dtype, mask=None):
    values = np.array(ref.load(stored, dtype), np.float64)
    if mask is not None:
        values[mask] = ref.loading.MASKED_VALUE
    return values


def check(got, want):
    """Native cells and how many points lie outside against those of the definition."""
    cells, n_outside = got
    values = cells.numpy()
    is_empty = values.view(np.uint64) == _native.EMPTY_BITS
    np.testing.assert_array_equal(is_empty, want[0].kinds == ref.EMPTY)
    values[is_empty] = want[0].values[is_empty]
    ref.assert_cells(values, want[0])
    assert n_outside == want[1]


@pytest.mark.parametrize("dtype", REAL)
def test_coordinates_of_every_dtype_and_layout(plane_on, dtype):
    rng = np.random.default_rng(3)
    x, y = (storage_of(rng, dtype, (9, 61), n_bad=20) for _ in range(2))
    xs, ys = loaded(x, dtype), loaded(y, dtype)
    finite = xs[np.isfinite(xs)]
    low, high = (finite.min(), finite.max()) if finite.min() < finite.max() else (0.0, 2.0)
    x_axis, y_axis = (low, high, 7, None), ((low + high) / 2, high, 5, None)
    want = bin_points(xs, ys, None, x_axis, y_axis)
    for layout in LAYOUTS.values():
        check(_native.bin_points(plane_on(layout(x), dtype), plane_on(layout(y), dtype), None, x_axis, y_axis, "count", "show"), want)


@matrix(dtype=REAL, agg=AGGS, nan=POLICIES, is_masked=(False, True))
def test_values_of_every_dtype(plane_on, dtype, agg, nan, is_masked):
    rng = np.random.default_rng(5)
    x, y = rng.uniform(-0.05, 1.05, (2, 3, 400))
    c = storage_of(rng, dtype, (3, 400), n_bad=12)
    mask = rng.random(c.shape) < 0.02 if is_masked else None
    axes = (0.0, 1.0, 11, None), (0.0, 1.0, 6, None)
    want = bin_points(x, y, loaded(c, dtype, mask), *axes, agg, nan)
    check(_native.bin_points(plane_on(x), plane_on(y), plane_on(c, dtype, mask), *axes, agg, nan), want)


@given(seed=st.integers(0, 2**32 - 1), n_cells=st.integers(1, 40), exponent=st.integers(-300, 300), has_edges=st.booleans())
@examples(60)
def test_cells_begin_where_they_should(emulated_library, seed, n_cells, exponent, has_edges):
    """Points at, just below and just above all borders of cells, of ranges of every size."""
    rng = np.random.default_rng(seed)
    first, last = np.sort(rng.normal(size=2)) * 2.0**exponent
    edges = np.unique(rng.uniform(first, last, n_cells + 1)) if has_edges else None
    if edges is not None:
        n_cells, first, last = edges.size - 1, edges[0], edges[-1]
    if not first < last or n_cells < 1:
        return
    borders = edges if edges is not None else first + (last - first) * np.arange(n_cells + 1) / n_cells
    x = np.concatenate([borders, np.nextafter(borders, -np.inf), np.nextafter(borders, np.inf), [np.nan, np.inf, -np.inf, 0.0]])
    x_axis, y_axis = (first, last, n_cells, edges), (0.0, 1.0, 1, None)
    want = bin_points(x, np.zeros(x.size), None, x_axis, y_axis)
    for plane in (host_plane, device_plane):
        x_plane, y_plane = plane(x.reshape(1, -1)), plane(np.zeros((1, x.size)))
        check(_native.bin_points(x_plane, y_plane, None, x_axis, y_axis, "count", "show"), want)


def test_the_definitions_example(plane_on):
    x = np.array([[0, 0.1, 0.5, 1, 0.6, np.nan, 2]])
    y = np.array([[0, 0.1, 0.5, 1, 0.9, 0.5, 2]])
    c = np.array([[1, 3, np.nan, 10, 4, 7, 8]])
    axis = (0.0, 1.0, 2, None)

    def cells(values, agg, nan):
        got, n_outside = _native.bin_points(plane_on(x), plane_on(y), values, axis, axis, agg, nan)
        assert n_outside == 2
        return got.numpy()

    np.testing.assert_array_equal(cells(None, "count", "show"), [[2, np.nan], [np.nan, 3]])
    np.testing.assert_array_equal(cells(plane_on(c), "count", "skip"), [[2, np.nan], [np.nan, 2]])
    np.testing.assert_array_equal(cells(plane_on(c), "mean", "skip"), [[2, np.nan], [np.nan, 7]])
    np.testing.assert_array_equal(cells(plane_on(c), "mean", "show"), [[2, np.nan], [np.nan, np.nan]])


def test_classes_are_counted_apart(plane_on):
    rng = np.random.default_rng(6)
    x, y = rng.uniform(-0.1, 1.1, (2, 3, 500))
    classes = rng.integers(-3, 6, x.shape).astype("int8")
    axes = (0.0, 1.0, 7, None), (0.0, 1.0, 4, None)
    cells, n_outside = _native.bin_points(plane_on(x), plane_on(y), plane_on(classes), *axes, "count", "skip", (-2, 3))
    counts = np.nan_to_num(cells.numpy()).reshape(6, 4, 7)
    for number, got in zip(range(-2, 4), counts, strict=True):
        is_one = classes == number
        want, _ = bin_points(x[is_one], y[is_one], None, *axes)
        np.testing.assert_array_equal(got, want.values)
    assert counts.sum() + n_outside == x.size
    with pytest.raises(ValueError, match="are counted"):
        _native.bin_points(plane_on(x), plane_on(y), plane_on(classes), *axes, "mean", "skip", (-2, 3))
    with pytest.raises(ValueError, match="are counted"):
        _native.bin_points(plane_on(x), plane_on(y), None, *axes, "count", "skip", (-2, 3))


def test_many_points_give_the_same_bits_on_any_number_of_threads():
    """Of five lanes, whose shares leave a rest for the last one."""
    rng = np.random.default_rng(1)
    x, y, c = (host_plane(rng.normal(size=(1, 1_500_003)).astype("float32")) for _ in range(3))
    axes = (-3.0, 3.0, 90, None), (-2.0, 3.0, 70, None)
    found = {agg: [] for agg in ("count", "mean", "std")}
    for n_threads in (1, 2, 5):
        _native.threads_limit(n_threads)
        try:
            for agg, cells in found.items():
                values = None if agg == "count" else c
                cells.append(_native.bin_points(x, y, values, *axes, agg, "show")[0].numpy().tobytes())
        finally:
            _native.threads_limit(0)
    assert all(len(set(cells)) == 1 for cells in found.values())
    counts, n_outside = _native.bin_points(x, y, None, *axes, "count", "show")
    assert np.nansum(counts.numpy()) + n_outside == 1_500_003


def test_one_coordinate_has_hidden_axes():
    """The memory that such an x is read with has room for it, also beside a y and values that need none."""
    x, (y, c) = np.random.default_rng(4).random((3, 2, 5000)), np.random.default_rng(5).random((2, 2, 5000))
    uses = [("hidden", 0, 1, 3, 0), ("rows", 0, 1, 2, 0), ("cols", 0, 1, 5000, 0)]
    hidden = _native.Plane(_native.Tensor.from_array(x, "float64"), uses, ["max"])
    axes = (0.0, 1.0, 9, None), (0.0, 1.0, 7, None)
    got = _native.bin_points(hidden, host_plane(y), host_plane(c), *axes, "mean", "show")
    check(got, bin_points(x.max(0), y, c, *axes, "mean", "show"))


def test_chunks_of_a_device(emulated):
    """More points than a chunk holds, along a row and in several rows."""
    rng = np.random.default_rng(2)
    values = rng.uniform(size=(3, 1, 4_300_000)).astype("float32")
    axes = (0.0, 1.0, 13, None), (0.0, 1.0, 9, None)
    for shape in ((1, -1), (5, -1), (-1, 5)):
        planes = [array.reshape(shape) for array in values]
        for agg in ("count", "max"):
            want = _native.bin_points(*map(host_plane, planes), *axes, agg, "show")[0].numpy()
            got = _native.bin_points(*map(device_plane, planes), *axes, agg, "show")[0].numpy()
            np.testing.assert_array_equal(got, want)


def test_no_points(plane_on):
    empty, axes = plane_on(np.zeros((0, 0))), ((0.0, 1.0, 3, None), (0.0, 1.0, 2, None))
    for values, agg in ((None, "count"), (empty, "std")):
        cells, n_outside = _native.bin_points(empty, empty, values, *axes, agg, "show")
        assert n_outside == 0 and (cells.numpy().view(np.uint64) == _native.EMPTY_BITS).all()


@pytest.mark.parametrize(("x_axis", "message"), [
    ((1.0, 1.0, 3, None), "not two rising finite"), ((0.0, np.inf, 3, None), "not two rising finite"),
    ((np.nan, 1.0, 3, None), "not two rising finite"), ((-1e308, 1e308, 3, None), "wider than float64"),
    ((0.0, 1.0, 0, None), "0 cells"), ((0.0, 1.0, 3, [0, 2, 1, 2]), "must not fall"), ((0.0, 1.0, 3, [0, 1, 2, 1]), "edge 3"),
    ((0.0, 1.0, 3, [0, np.nan, 1, 2]), "must not fall"),
    ((0.0, 1.0, 3, [0, 1]), "2 edges for 3"),
])
def test_axes_are_checked(plane_on, x_axis, message):
    plane = plane_on(np.zeros((1, 4)))
    with pytest.raises((ValueError, OverflowError), match=message):
        _native.bin_points(plane, plane, None, x_axis, (0.0, 1.0, 2, None), "count", "show")


def test_cells_between_equal_edges_are_empty(plane_on):
    """A point on these edges lies in the next cell, one on the last edge in the last cell."""
    points = plane_on(np.array([[0.5, 1.0, 1.5, 2.0, 3.0]]))
    count = lambda edges: _native.bin_points(points, points, None, (edges[0], edges[-1], len(edges) - 1, edges),  # noqa: E731
                                             (0.0, 9.0, 1, None), "count", "show")[0].numpy()[0]
    np.testing.assert_array_equal(np.nan_to_num(count([0.0, 1.0, 1.0, 1.0, 2.0, 3.0])), [1, 0, 0, 2, 2])
    np.testing.assert_array_equal(np.nan_to_num(count([0.0, 0.0, 2.0, 3.0, 3.0])), [0, 3, 1, 1])


def test_planes_are_checked(plane_on):
    axes = (0.0, 1.0, 2, None), (0.0, 1.0, 2, None)
    four, five = plane_on(np.zeros((1, 4))), plane_on(np.zeros((1, 5)))
    with pytest.raises(ValueError, match="y has 1 x 5 elements and x 1 x 4"):
        _native.bin_points(four, five, None, *axes, "count", "show")
    with pytest.raises(ValueError, match="c has 1 x 5"):
        _native.bin_points(four, four, five, *axes, "mean", "show")
    with pytest.raises(ValueError, match="can be counted"):
        _native.bin_points(four, four, None, *axes, "mean", "show")
    with pytest.raises(ValueError, match="nearest"):
        _native.bin_points(four, four, four, *axes, "nearest", "show")


def test_devices_are_not_mixed(emulated):
    axes = (0.0, 1.0, 2, None), (0.0, 1.0, 2, None)
    with pytest.raises(ValueError, match="different devices"):
        _native.bin_points(host_plane(np.zeros((1, 4))), device_plane(np.zeros((1, 4))), None, *axes, "count", "show")


@pytest.mark.parametrize("code", [LAUNCH_FAILED, OUT_OF_MEMORY])
def test_calls_that_fail(emulated, code):
    rng = np.random.default_rng(4)
    planes = [device_plane(rng.uniform(size=(2, 300))) for _ in range(3)]
    axes = (0.0, 1.0, 4, None), (0.0, 1.0, 3, [0.0, 0.1, 0.5, 1.0])
    want = _native.bin_points(*planes, *axes, "std", "show")[0].numpy()

    def compute():
        np.testing.assert_allclose(_native.bin_points(*planes, *axes, "std", "show")[0].numpy(), want, rtol=1e-12)

    fail_each_call(emulated, code, compute)
