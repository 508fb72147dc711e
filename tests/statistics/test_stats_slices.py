"""`stats` over some axes equals `stats` of each slice, for every dtype, layout, mask and order of axes."""

import math

import numpy as np
import pytest
from reference import loading

import gpuplot

EXACT = ("nan", "neg_inf", "neg", "zero", "pos", "pos_inf", "subnormal", "min", "max", "median", "absmax", "hist", "bin_edges")
PERCENTS = (0, 33.3, 100)
DTYPES = ("bool", *loading.INTEGER_DTYPES, "float16", "float32", "float64", "complex64", "complex128")


def elements(dtype, shape, rng):
    """Numbers that often repeat and reach the ends of the dtype, some of them not finite."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        ends = np.iinfo(dtype)
        wide = rng.integers(ends.min, ends.max, shape, dtype, endpoint=True)
        return np.where(rng.random(shape) < 0.5, wide, rng.integers(0, 4, shape).astype(dtype))
    odd = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 6e-6, 3.0], shape)
    values = np.where(rng.random(shape) < 0.3, odd, np.round(rng.normal(size=shape) * 20))
    return (values + 1j * rng.normal(size=shape) if kind == "c" else values).astype(dtype)


def assert_alike(got, want, where):
    got, want = np.asarray(got), np.asarray(want)
    same = got.shape == want.shape and all(a == b or (a != a and b != b)
                                           for a, b in zip(got.ravel().tolist(), want.ravel().tolist(), strict=True))
    assert same, (where, got, want)


def check(X, dim, n_places=3, rng=None, **asked):
    """Some slices of `stats(X, dim)` beside `stats` of these slices."""
    rng = rng or np.random.default_rng(0)
    asked = {"bins": 7, "percentiles": PERCENTS} | asked
    found = gpuplot.stats(X, dim=dim, **asked)
    kept = [axis for axis in range(X.ndim) if axis not in dim]
    places = list(np.ndindex(*(X.shape[axis] for axis in kept)))
    for i in rng.choice(len(places), min(n_places, len(places)), replace=False):
        place = places[i]
        index = [slice(None)] * X.ndim
        for axis, at in zip(kept, place, strict=True):
            index[axis] = slice(at, at + 1)
        want, where = gpuplot.stats(X[tuple(index)], **asked), (X.dtype, X.shape, X.strides, dim, place)
        for name in EXACT:
            assert_alike(getattr(found, name)[place], getattr(want, name), (name, *where))
        for name in ("argmin", "argmax", "first_nan"):
            at = getattr(want, name)
            full = at and tuple(place[kept.index(axis)] if axis in kept else at[axis] for axis in range(X.ndim))
            assert getattr(found, name)[place] == full, (name, *where)
        for percent in PERCENTS:
            assert_alike(found.percentiles[percent][place], want.percentiles[percent], (percent, *where))
        for name in ("mean", "std", "l2"):
            assert float(getattr(found, name)[place]) == pytest.approx(getattr(want, name), rel=1e-12, nan_ok=True,
                                                                       abs=1e-13 * float(np.nan_to_num(want.absmax)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_in_every_order_of_axes(dtype):
    rng = np.random.default_rng(3)
    for shape, order in (((4, 30, 9), (0, 1, 2)), ((2, 3, 300), (2, 1, 0)), ((300, 2, 2), (1, 2, 0))):
        stored = elements(dtype, shape, rng)
        for dim in ((0,), (2,), (0, 2), (1, 2)):
            check(stored.transpose(order), dim, 1, rng)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float32"])
def test_masked_slices(dtype):
    rng = np.random.default_rng(4)
    for share in (0.1, 0.9):
        X = np.ma.array(elements(dtype, (3, 40, 7), rng), mask=rng.random((3, 40, 7)) < share)
        for dim in ((0,), (0, 2), (0, 1)):
            check(X, dim, 1, rng)
            check(X.T[::-1], dim, 1, rng)


def test_integers_beside_a_slice_without_any_stay_exact():
    """NaN stands for that slice, which would make all of them float64."""
    X = np.ma.array([[2**60 + 1, 5], [3, 4], [0, 0]], mask=[[0, 0], [0, 0], [1, 1]])
    found = gpuplot.stats(X, dim=1)
    assert_alike(found.max, np.array([2**60 + 1, 4, np.nan], object), "max")
    assert_alike(found.min, np.array([5, 3, np.nan], object), "min")


def test_layouts():
    rng = np.random.default_rng(5)
    X = elements("float32", (5, 30, 8), rng)
    unaligned = np.ndarray(X.shape, X.dtype, np.empty(X.nbytes + 1, np.uint8).data, offset=1)
    unaligned[...] = X
    layouts = (X[::-2, ::3, ::-1], X.astype(">f4"), np.broadcast_to(X[:, None], (5, 3, 30, 8)), np.broadcast_to(X[:1], X.shape),
               unaligned, np.ascontiguousarray(X.T).T[:, 5:, 3:])
    for layout in layouts:
        for dim in ((0,), (layout.ndim - 1,), (0, layout.ndim - 1), (1, 2)):
            check(layout, dim, 1, rng)


def test_slices_that_are_cut_into_parts():
    """Few long slices are shared out over threads, the joints of which nobody should see."""
    rng = np.random.default_rng(6)
    X = elements("float32", (2, 300_001), rng)
    X[0, 170_000:] += 1000
    check(X, (1,), 2, rng)
    check(X.T, (0,), 2, rng)
    check(np.ascontiguousarray(X.T), (0,), 2, rng)
    check(np.ascontiguousarray(np.repeat(X.T[:, :1], 20, 1)), (0,), 2, rng)


def test_number_of_threads_does_not_matter(monkeypatch):
    X = elements("float32", (700, 900), np.random.default_rng(7))
    for dim in (0, 1):
        many = gpuplot.stats(X, dim=dim)
        gpuplot._native.threads_limit(1)
        try:
            one = gpuplot.stats(X, dim=dim)
        finally:
            gpuplot._native.threads_limit(0)
        for name in ("mean", "std", "l2"):
            assert getattr(one, name).tobytes() == getattr(many, name).tobytes()


def test_given_ranges():
    rng = np.random.default_rng(8)
    for dtype in ("uint8", "int64", "uint64", "float32"):
        X = elements(dtype, (30, 20), rng)
        for value_range in ((0, 3), (1, 1), (-5, 2**64), (0.5, 2.5)):
            check(X, (0,), value_range=value_range, rng=rng)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_beside_a_range_that_float64_takes_for_its_ends(dtype):
    base = 2**62 if dtype == "int64" else 2**64 - 2**12
    array = np.array([[base + k for k in (5, 3, 9, 4, 1, 0)], [base + k for k in (2, 3, 3, 3, 6, 5)]], dtype)
    edges = np.tile([0.0, 1e18, 3e19], (2, 1))
    for stored in (array, np.asfortranarray(array)):
        tensor = gpuplot._native.Tensor.from_array(stored, dtype)
        slices = gpuplot._native.Slices(tensor, [(0, 1, 2, True), (0, 1, 6, False)])
        assert gpuplot._native.histogram_slices(slices, edges, (base + 3, base + 5)).tolist() == [[0, 3], [0, 4]]


def summaries_of(values, mask, uses):
    tensor = gpuplot._native.Tensor.from_array(values, values.dtype.name, mask)
    return gpuplot._native.summarize_slices(gpuplot._native.Slices(tensor, uses)).tolist()


@pytest.mark.parametrize("between", [(0,), (1,), (0, 1), (2,), ()])
def test_masks_with_a_layout_of_their_own(between):
    """Axes that lie end to end in memory, but not in the mask; and steps along both."""
    rng = np.random.default_rng(11)
    values, mask = rng.normal(size=(4, 6, 10)).astype("float32"), rng.random((4, 6, 10)) < 0.4
    whole = [(0, 1, n, axis in between) for axis, n in enumerate(values.shape)]
    for layout in (np.asfortranarray(mask), np.broadcast_to(mask[:1], mask.shape), np.broadcast_to(mask[..., :1], mask.shape)):
        assert summaries_of(values, layout, whole) == summaries_of(values, np.ascontiguousarray(layout), whole)
    steps = [(1, 2, (n - 1) // 2, axis in between) for axis, n in enumerate(values.shape)]
    some = tuple(slice(start, start + step * n, step) for start, step, n, _ in steps)
    copies = [np.ascontiguousarray(array[some]) for array in (values, mask)]
    assert summaries_of(values, mask, steps) == summaries_of(*copies, [(0, 1, n, is_between) for _, _, n, is_between in steps])


def test_percentiles_of_long_slices_are_refused():
    for n in (2**17, 2**17 + 1):
        tensor = gpuplot._native.Tensor.from_array(np.arange(2.0 * n).reshape(2, n), "float64")
        slices = gpuplot._native.Slices(tensor, [(0, 1, 2, True), (0, 1, n, False)])
        if n == 2**17:
            assert gpuplot._native.percentiles_slices(slices, [0, 100]).tolist() == [[0, n - 1], [n, 2 * n - 1]]
        else:
            with pytest.raises(ValueError, match="131073 elements are too many for a slice"):
                gpuplot._native.percentiles_slices(slices, [50])


def test_many_bins():
    """As many counts as there are elements, or more: of long slices that lie beside each other, and behind each other."""
    rng = np.random.default_rng(9)
    X = elements("float32", (20_000, 33), rng)
    for bins in (1000, 70_000):
        check(X, (0,), 2, rng, bins=bins)
        check(np.ascontiguousarray(X.T).T, (0,), 2, rng, bins=bins)


def test_many_percentiles():
    """More than are looked for at once, of slices among others and of all elements."""
    rng = np.random.default_rng(10)
    X, percents = rng.normal(size=(4, 301)), tuple(np.sort(rng.uniform(0, 100, 150)).tolist())
    found = gpuplot.stats(X, dim=1, percentiles=percents).percentiles
    whole = gpuplot.stats(X, percentiles=percents).percentiles
    for percent in percents:
        np.testing.assert_allclose(found[percent], np.percentile(X, percent, axis=1), rtol=1e-13)
        assert whole[percent] == pytest.approx(np.percentile(X, percent), rel=1e-13)


def test_percentiles_between_numbers_that_float64_cannot_subtract():
    X = np.array([[-1.5e308, 1.5e308], [1.5e308, -1e308]])
    by_row = gpuplot.stats(X, dim=1, percentiles=(25, 50, 75)).percentiles
    assert by_row[25].tolist() == pytest.approx([-0.75e308, -0.375e308]) and by_row[50].tolist() == pytest.approx([0, 0.25e308])
    assert gpuplot.stats(X[0], percentiles=(75,)).percentiles[75] == pytest.approx(0.75e308)


def test_ranges_that_numpy_refuses():
    """Edges of few floating-point numbers, and of more than float64 can subtract, beside plain ones."""
    X = np.array([[1.0, 1.0 + 2**-52], [-1.7e308, 1.7e308], [0.0, 10.0], [5e-324, 1e-323], [2.0, 2.0], [math.nan, math.nan]])
    check(X, (1,), 6)


def test_the_table_of_the_native_layer_is_checked():
    tensor = gpuplot._native.Tensor.from_array(np.zeros((3, 4), np.float32), "float32")
    slices = gpuplot._native.Slices(tensor, [(0, 1, 3, True), (0, 1, 4, False)])
    assert slices.shape == (3, 4)
    with pytest.raises(ValueError, match="slices, bins"):
        gpuplot._native.histogram_slices(slices, np.zeros((2, 5)))
    with pytest.raises(ValueError, match="rise strictly"):
        gpuplot._native.histogram_slices(slices, np.zeros((3, 5)))
    for wrong in range(3):  # of one slice alone
        edges = np.tile(np.arange(5.0), (3, 1))
        edges[wrong, 3] = 2
        with pytest.raises(ValueError, match="rise strictly"):
            gpuplot._native.histogram_slices(slices, edges)
    with pytest.raises(ValueError, match="percent"):
        gpuplot._native.percentiles_slices(slices, [101.0])
    with pytest.raises(IndexError, match="outside"):
        gpuplot._native.Slices(tensor, [(0, 1, 4, True), (0, 1, 4, False)])
    with pytest.raises(ValueError, match="uses"):
        gpuplot._native.Slices(tensor, [(0, 1, 3, True)])
    tensor.release()
    with pytest.raises(ValueError, match="released"):
        gpuplot._native.summarize_slices(slices)
    with pytest.raises(ValueError, match="released"):
        gpuplot._native.Slices(tensor, [(0, 1, 3, True), (0, 1, 4, False)])
