"""Summaries, `_native.histogram` and `find` against slow references: dtypes, layouts, masks, and bad arguments."""

import math
import threading

import numpy as np
import pytest
from device_planes import host_plane, plane_of, summary_of
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from reference import hidden, loading, summaries
from stored_tensors import windows

from gpuplot import _native

NAN, INF = math.nan, math.inf
EXACT = [name for name in summaries.FIELDS if name not in ("mean", "m2", "sum_of_squares")]
CODES = {"bfloat16": np.uint16, **dict.fromkeys(loading.FLOAT8_FORMATS, np.uint8)}
LARGE = 1.7e308
REAL_DTYPES = ("bool", *loading.INTEGER_DTYPES, *loading.FLOAT_DTYPES)


def summarize(plane):
    return dict(zip(summaries.FIELDS, summary_of(plane), strict=True))


def random_elements(dtype, shape, seed=0):
    """Elements of which every bit is random, so that all kinds of float come up; a few numbers only, where seed is odd."""
    rng = np.random.default_rng(seed)
    storage = np.dtype(CODES.get(dtype, dtype if dtype != "bool" else np.uint8))
    array = rng.integers(0, 256, (*shape, storage.itemsize), np.uint8).view(storage)[..., 0]
    if storage.kind == "f" and storage.itemsize >= 4:  # hardly any exponent of random bits is full, or zero
        odd = rng.integers(0, 12, shape)
        special = np.array([NAN, INF, -INF, 0.0, -0.0, np.finfo(storage).smallest_subnormal], storage)
        array = np.where(odd < 6, special[np.minimum(odd, 5)], np.ldexp(rng.normal(size=shape), 40).astype(storage))
    if seed % 2:
        array = rng.choice(array.ravel()[:5], shape)
    return array % 2 == 1 if dtype == "bool" else array


def assert_is_summary(got, want, n_elements, where=""):
    for name in EXACT:
        assert got[name] == want[name] or (math.isnan(want[name]) and math.isnan(got[name])), (name, where)
    assert math.copysign(1, got["min"]) == 1 or got["min"] < 0
    assert math.copysign(1, got["max"]) == 1 or got["max"] < 0
    size = max(abs(want["min"]), abs(want["max"])) if want["argmin"] >= 0 else 0.0
    assert got["mean"] == pytest.approx(want["mean"], rel=1e-12, abs=1e-14 * size, nan_ok=True)
    assert got["m2"] == pytest.approx(want["m2"], rel=1e-10, abs=1e-28 * (size * want["scale"]) ** 2 * n_elements)
    assert got["sum_of_squares"] == pytest.approx(want["sum_of_squares"], rel=1e-12)
    assert sum(got[name] for name in summaries.FIELDS[:7]) == n_elements


# ---- layouts ----------------------------------------------------------------------------------------------------------


def unaligned(array):
    memory = np.empty(array.nbytes + 1, np.uint8)
    copy = np.ndarray(array.shape, array.dtype, memory.data, offset=1)
    copy[...] = array
    return copy


LAYOUTS = {
    "rows": lambda a: np.ascontiguousarray(a),
    "columns": lambda a: np.asfortranarray(a),
    "backwards": lambda a: np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
    "part of wider rows": lambda a: np.pad(a, ((0, 0), (1, 3)))[:, 1:-3],
    "part of longer columns": lambda a: np.asfortranarray(np.pad(a, ((2, 1), (0, 0))))[2:-1],
    "every other": lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
    "unaligned": unaligned,
    "swapped bytes": lambda a: a.astype(a.dtype.newbyteorder()),
}
SHAPES = [(1, 1), (1, 7), (7, 1), (3, 5), (700, 3), (3, 700), (60, 70), (1, 5000), (2100, 2)]


@pytest.mark.parametrize("dtype", REAL_DTYPES)
@pytest.mark.parametrize("is_masked", [False, True])
def test_summaries_of_all_dtypes_and_layouts(dtype, is_masked):
    for seed, shape in enumerate(SHAPES):
        values = random_elements(dtype, shape, seed)
        mask = np.random.default_rng(seed).integers(0, 3, shape) == 0 if is_masked else None
        want = summaries.summary(summaries.elements(values, dtype, mask), summaries.SMALLEST_NORMAL.get(dtype, 0.0))
        for name, layout in LAYOUTS.items():
            for missing in (mask, layout(mask)) if is_masked and name != "swapped bytes" else (mask,):
                assert_is_summary(summarize(host_plane(layout(values), dtype, missing)), want, values.size, (name, shape))


@pytest.mark.parametrize("dtype", REAL_DTYPES)
@pytest.mark.parametrize("is_masked", [False, True])
def test_histograms_and_places_of_all_dtypes(dtype, is_masked):
    for seed, shape in enumerate(SHAPES):
        values = random_elements(dtype, shape, seed)
        mask = np.random.default_rng(seed).integers(0, 3, shape) == 0 if is_masked else None
        arrays = [LAYOUTS[name](values) for name in ("rows", "columns", "every other", "swapped bytes")]
        planes = [host_plane(array, dtype, mask) for array in arrays]
        xs = summaries.elements(values, dtype, mask)
        finite = [float(x) for x in xs if math.isfinite(x)] or [0.0]
        low, high = min(finite), max(finite)
        for edges in (np.linspace(low - 1, high + 1, 65), np.linspace(low, high, 8), np.array([low, LARGE])):
            if (np.diff(edges) > 0).all():
                want = summaries.histogram(xs, edges.tolist())
                for plane in planes:
                    np.testing.assert_array_equal(_native.histogram(plane, edges), want)
        for kinds in range(1, 32):
            for start in {0, len(xs) // 2, len(xs) - 1}:
                for backwards in (False, True):
                    want = summaries.find(xs, kinds, start, backwards)
                    assert [_native.find(plane, kinds, start, backwards) for plane in planes] == [want] * 4, (shape, kinds)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "int64"])
def test_planes_of_many_pieces(dtype):
    values = np.random.default_rng(1).integers(0 if dtype == "uint8" else -100, 100, (500, 701)).astype(dtype)
    if dtype.startswith("f"):
        values[400, 600:], values[450, 3], values[17, 700] = NAN, INF, -INF
    values[300, 5], values[301, 3], values[200, 6] = 120, 120, 101
    xs, edges = summaries.elements(values), np.linspace(-99.5, 110, 300)
    planes = [host_plane(LAYOUTS[layout](values)) for layout in ("rows", "columns", "part of longer columns")]
    summary, counts = summaries.summary(xs), summaries.histogram(xs, edges.tolist())
    assert summary["argmax"] == 300 * 701 + 5
    for plane in planes:
        assert_is_summary(summarize(plane), summary, values.size)
        np.testing.assert_array_equal(_native.histogram(plane, edges), counts)
    for kinds in (1, 2, 4, 8, 16):
        for start in (0, 17 * 701 + 699, 17 * 701 + 700, 17 * 701 + 701, 400 * 701 + 650, values.size - 1):
            for backwards in (False, True):
                want = summaries.find(xs, kinds, start, backwards)
                assert [_native.find(plane, kinds, start, backwards) for plane in planes] == [want] * 3, (kinds, start)


def test_a_number_of_threads_changes_no_bit():
    values = np.random.default_rng(0).normal(1e3, 1, (1100, 997))
    values[5, 5] = NAN
    before, answers = _native.threads_limit(), []
    try:
        for n_threads in (1, 2, 3, 5):
            _native.threads_limit(n_threads)
            answers.append(np.array(summary_of(host_plane(values))).tobytes())
    finally:
        _native.threads_limit(before)
    assert len(set(answers)) == 1


# ---- numbers ------------------------------------------------------------------------------------------------------------


def test_the_example_of_the_definitions():
    x = np.array([[-2, 0, -0.0, 1, 3, NAN, INF, -INF, 1e-40, NAN]], np.float32)
    got = summarize(host_plane(x))
    assert list(got.values())[:10] == [2, 1, 1, 2, 3, 1, 0, 1, -2.0, 3.0]
    assert got["mean"] == 0.3333333333333333 and math.sqrt(got["sum_of_squares"]) == 3.7416573867739413
    assert math.sqrt(got["m2"] / 5) == pytest.approx(1.632993161855452, rel=1e-15)
    assert (got["argmin"], got["argmax"], got["first_nan"]) == (0, 4, 5)


@pytest.mark.parametrize("value", [0.1, -1e300, 3e-320, 1e16])
@pytest.mark.parametrize("shape", [(1, 3), (70, 80), (400, 700)])
def test_equal_elements_are_their_own_mean_and_do_not_vary(value, shape):
    got = summarize(host_plane(np.full(shape, value)))
    assert (got["mean"], got["m2"], got["argmin"], got["argmax"]) == (value, 0.0, 0, 0)


def test_a_variance_does_not_drown_in_the_mean():
    x = np.array([[1e8, 1e8 + 1, 1e8 + 2]])
    assert summarize(host_plane(x))["m2"] == pytest.approx(2.0, rel=1e-14)
    x = np.nextafter(1e16, np.where(np.arange(100_000) % 2, INF, -INF)).reshape(100, 1000)
    assert summarize(host_plane(x))["m2"] == pytest.approx(float(((x - 1e16) ** 2).sum()) - 100_000 * 0.5**2, rel=0.3)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("is_masked", [False, True])
def test_integers_of_64_bits_are_compared_exactly(dtype, is_masked):
    base = 2**62 if dtype == "int64" else 2**64 - 2**12
    array = np.array([[base + k for k in (5, 3, 9, 9, 1, 4, 9)]], dtype)
    mask = np.array([[False, False, True, False, True, False, False]]) if is_masked else None
    got = summarize(host_plane(array, mask=mask))
    assert (got["argmin"], got["argmax"]) == ((1, 3) if is_masked else (4, 2))
    counts = _native.histogram(host_plane(array, mask=mask), [0.0, 1e18, 3e19], (base + 3, base + 5))
    assert counts.tolist() == [0, 3]


@pytest.mark.parametrize("dtype", loading.INTEGER_DTYPES)
def test_a_range_of_integers_decides_alone_what_counts(dtype):
    info = np.iinfo(dtype)
    values = random_elements(dtype, (40, 90))
    plane, xs = host_plane(values), summaries.elements(values)
    low, high = sorted(xs)[100], sorted(xs)[-100]
    for integer_range in ((low, high), (info.min, info.max), (-(10**30), 10**30), (10**25, 10**30), (-(10**30), -(10**25)),
                          (-1, -1), (info.max + 1, info.max + 2), (2**63, 2**64 - 1), (low, low)):
        for edges in ([float(low), float(low) / 2 + float(high) / 2, float(high)], [0.0, 1.0]):
            if edges[0] < edges[1] < edges[-1] or len(edges) == 2:
                got = _native.histogram(plane, edges, integer_range)
                assert got.tolist() == summaries.histogram(xs, edges, integer_range)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_beyond_a_range_that_float64_rounds_into_it(dtype):
    values = np.array([[2**53 - 1, 2**53, 2**53 + 1, 2**54 + 1]], dtype)
    assert _native.histogram(host_plane(values), [0.0, 1.0, 2.0**53], (0, 2**53)).tolist() == [0, 2]
    assert _native.histogram(host_plane(values), [0.0, 1.0, 2.0**54], (0, 2**54)).tolist() == [0, 3]
    if dtype == "int64":
        assert _native.histogram(host_plane(-values), [-(2.0**53), -1.0, 0.0], (-(2**53), 0)).tolist() == [2, 0]


def test_bools_count_in_a_range_as_zero_and_one():
    plane = host_plane(np.array([[True, False, True]]))
    assert _native.histogram(plane, [0.0, 0.5, 1.0], (0, 1)).tolist() == [1, 2]
    assert _native.histogram(plane, [0.0, 0.5, 1.0], (1, 9)).tolist() == [0, 2]


@pytest.mark.parametrize("component", ["abs", "abs2", "re", "im", "phase"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("is_masked", [False, True])
def test_components_of_complex_numbers(component, dtype, is_masked):
    rng = np.random.default_rng(3)
    z = (rng.normal(size=(70, 80)) + 1j * rng.normal(size=(70, 80))).astype(dtype)
    z[3, 4], z[5, 6], z[7, 8], z[60, 70] = complex(NAN, 0), complex(INF, NAN), complex(-INF, 1), 1e-40
    mask = rng.integers(0, 4, z.shape) == 0 if is_masked else None
    plane = host_plane(z, mask=mask, component=component)
    axes = [_native.Axis(n, 0, n, n) for n in z.shape]
    cells = _native.reduce(plane, *axes, "nearest")[0].numpy()
    missing = np.zeros(z.size, bool) if mask is None else mask.ravel()
    np.testing.assert_array_equal(cells.view(np.uint64).ravel() == _native.MASKED_BITS, missing)
    xs = [summaries.MASKED if is_missing else float(x) for x, is_missing in zip(cells.ravel(), missing, strict=True)]
    want = summaries.summary(xs, summaries.SMALLEST_NORMAL[dtype])
    assert_is_summary(summarize(plane), want, z.size)


def test_a_complex_number_is_subnormal_if_its_amplitude_is():
    z = np.array([[1e-39 + 1e-39j, 1e-40, 1.17e-38 + 1.17e-38j, 0]], np.complex64)
    got = summarize(host_plane(z, component="abs"))
    assert (got["n_subnormal"], got["n_pos"], got["n_zero"]) == (2, 3, 1)


@pytest.mark.parametrize("op", ["mean", "max", "std", "norm"])
@pytest.mark.parametrize("nan", ["show", "skip"])
@pytest.mark.parametrize("is_masked", [False, True])
def test_planes_of_reduced_axes(op, nan, is_masked):
    rng = np.random.default_rng(4)
    values = rng.normal(size=(5, 40, 60)).astype(np.float32)
    values[2, 3, 4], values[1, 5, 6] = NAN, INF
    mask = rng.integers(0, 9, values.shape) == 0 if is_masked else None
    tensor = _native.Tensor.from_array(values, "float32", mask)
    plane = _native.Plane(tensor, [("hidden", 0, 1, 5, 0), ("rows", 0, 1, 40, 0), ("cols", 0, 1, 60, 0)], [op], nan=nan)
    want, _ = hidden.reduce_hidden(loading.load(values, mask=mask), [(op, (0,))], nan)
    got, expected = summarize(plane), summaries.summary([float(x) for x in want.ravel()], 2.0**-126)
    for name in ("n_nan", "n_neg_inf", "n_pos_inf", "first_nan", "argmin", "argmax"):
        assert got[name] == expected[name]
    assert got["mean"] == pytest.approx(expected["mean"], rel=1e-12)
    assert _native.histogram(plane, [-10.0, 0.0, 10.0]).sum() == sum(expected[name] for name in ("n_neg", "n_zero", "n_pos"))
    with pytest.raises(ValueError, match="leave it out"):
        _native.histogram(plane, [0.0, 1.0], (0, 1))


def test_longdoubles_are_read_as_float64():
    values = np.array([[1.5, -2, NAN, INF, 0, 1e-310]], np.longdouble)
    got = summarize(host_plane(values, "longdouble"))
    assert list(got.values())[:10] == [1, 0, 1, 1, 2, 1, 0, 0, -2.0, 1.5]


def test_broadcast_rows_and_columns():
    row = np.array([3.0, 1.0, 2.0, 1.0])
    got = summarize(host_plane(np.broadcast_to(row, (900, 4))))
    assert (got["min"], got["argmin"], got["argmax"], got["mean"]) == (1.0, 1, 0, 1.75)
    got = summarize(host_plane(np.broadcast_to(row[:, None], (4, 900))))
    assert (got["min"], got["argmin"], got["argmax"], got["mean"]) == (1.0, 900, 0, 1.75)


def test_nothing_among_no_elements():
    plane = host_plane(np.empty((0, 3), np.float32))
    got = summarize(plane)
    assert list(got.values())[:8] == [0] * 8 and math.isnan(got["min"]) and math.isnan(got["mean"])
    assert (got["m2"], got["argmin"], got["argmax"], got["first_nan"]) == (0.0, -1, -1, -1)
    assert _native.histogram(plane, [0.0, 1.0]).tolist() == [0]
    assert _native.find(plane, 31) == _native.find(plane, 31, -1, True) == -1


def test_flushing_of_subnormals_by_others_changes_nothing():
    torch = pytest.importorskip("torch")
    values = np.array([[1e-40, 2e-40, 0, -1e-41]] * 100, np.float32)
    want = summary_of(host_plane(values))
    assert torch.set_flush_denormal(True)
    try:
        assert summary_of(host_plane(values)) == want
        assert want[2:5] == (100, 100, 200) and want[7] == 300
    finally:
        torch.set_flush_denormal(False)


# ---- bins -----------------------------------------------------------------------------------------------------------------


def test_edges_decide_and_not_the_arithmetic():
    x = np.array([[0.3, 0.6, 0.7, 1.0, 0.0, NAN, 1.5]])
    assert _native.histogram(host_plane(x), np.linspace(0, 1, 11)).tolist() == [1, 0, 1, 0, 0, 1, 1, 0, 0, 1]


@examples(200)
@given(st.data())
def test_histograms_of_any_edges(data):
    number = st.floats(-1e3, 1e3) | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9).map(float)
    edges = sorted(data.draw(st.sets(number, min_size=2, max_size=40)))
    if data.draw(st.booleans()):
        edges = sorted(set(np.linspace(edges[0] / 2, edges[-1] / 2, len(edges)).tolist()))
    if len(edges) < 2:
        return
    near = st.sampled_from(edges).flatmap(lambda e: st.sampled_from([e, np.nextafter(e, -INF), np.nextafter(e, INF)]))
    xs = [float(x) for x in data.draw(st.lists(near | number | st.sampled_from([NAN, INF, -INF]), min_size=1, max_size=300))]
    for dtype in ("float64", "float32", "float16"):
        with np.errstate(over="ignore"):
            array = np.array([xs]).astype(dtype)
        got = _native.histogram(host_plane(array), edges)
        assert got.tolist() == summaries.histogram([float(x) for x in array[0]], edges)


@pytest.mark.parametrize("n_bins", [1, 2, 64, 255, 256, 257, 1024, 1025, 5000, 1 << 20])
@pytest.mark.parametrize("dtype", ["float32", "uint8", "int32"])
def test_many_bins_are_those_of_numpy(n_bins, dtype):
    values = np.random.default_rng(5).normal(100, 20, (300, 1000)).astype(dtype)
    counts, edges = np.histogram(values.astype(np.float64), n_bins, (20, 180))
    np.testing.assert_array_equal(_native.histogram(host_plane(values), edges), counts)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int16", "uint8"])
@pytest.mark.parametrize(("low", "high", "n_bins"), [(0, 100, 100), (3, 90, 37), (-20.1, 30, 256)])
def test_elements_at_the_edges_and_next_to_them(low, high, n_bins, dtype):
    edges = np.linspace(low, high, n_bins + 1)
    if np.dtype(dtype).kind == "f":
        nearest = edges.astype(dtype)
        values = np.concatenate([nearest, np.nextafter(nearest, np.inf, dtype=dtype), np.nextafter(nearest, -np.inf, dtype=dtype)])
    else:
        values = np.arange(110, dtype=dtype)
    values = np.tile(values, (5, 1))
    np.testing.assert_array_equal(_native.histogram(host_plane(values), edges), np.histogram(values.astype(float), edges)[0])


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("width", [0.1, 0.125, 0.5, 1, 2, 49, 64, 65536])
@pytest.mark.parametrize("shift", [0, -0.5, 2.0**-19, 2.0**-30, 1e-17])
def test_integers_in_bins_as_wide_as_a_power_of_two(dtype, width, shift):
    """Arithmetic alone finds these bins; edges moved by less, the widths 0.1 and 49, and edges out of reach are left to the search."""
    ends = np.iinfo(dtype)
    for n_bins, origin in ((300, -150 * width), (7, float(min(ends.max, 2**45)) - 5 * width), (1 << 16, -(2.0**15) * width)):
        edges = origin + shift + width * np.arange(n_bins + 1.0)
        near = np.concatenate([np.floor(edges[::max(1, n_bins // 500)]) + step for step in (-1, 0, 1)])
        values = near[(near >= ends.min) & (near < ends.max)].astype(dtype)
        values = np.tile(np.append(values, np.array([ends.min, ends.max], dtype)), (3, 1))
        want = np.histogram(values.astype(np.float64), edges)[0]
        np.testing.assert_array_equal(_native.histogram(host_plane(values), edges), want)


def test_an_integer_whose_distance_to_the_first_edge_is_exact_where_its_edge_is_rounded():
    """2^33 itself is an edge, as 2^33 + 2^-20 is no float64; its distance to the first edge, which is one, is below 2^33."""
    edges = 2.0**-20 + 2.0**20 * np.arange(2**14 + 1)
    values = np.tile([2**33, 2**33 - 1, 2**34, 0], (1, 1000))
    want = np.histogram(values.astype(np.float64), edges)[0]
    assert want[2**13] == 1000
    np.testing.assert_array_equal(_native.histogram(host_plane(values), edges), want)


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64"])
def test_integers_next_to_an_edge_far_from_the_first_one(dtype):
    """A float32 has no place for the distance of -1 to an edge at -2^30, and so none for its bin."""
    edges = 2.0**18 * np.arange(-(2**12), 2**12 + 1)
    values = np.tile(np.array([-1, 0, 1, -1], dtype), (1, 500))
    np.testing.assert_array_equal(_native.histogram(host_plane(values), edges), np.histogram(values.astype(np.float64), edges)[0])


@pytest.mark.parametrize(("dtype", "n_bins"), [("float64", 2**16), ("float32", 2**13)])
def test_an_element_just_below_an_edge_of_many(dtype, n_bins):
    """Its distance to the first edge is rounded to that of the edge, and a small doubt taken from so large a number is lost."""
    edges = np.arange(-n_bins // 2, n_bins // 2 + 1.0)
    inside = np.array([1, 2, 3, n_bins // 4, n_bins // 2 - 1], dtype)
    values = np.tile(np.concatenate([np.nextafter(inside, np.array(-INF, dtype)), inside]), (1, 500))
    np.testing.assert_array_equal(_native.histogram(host_plane(values), edges), np.histogram(values.astype(np.float64), edges)[0])


def test_bins_of_any_width_in_many_elements():
    values = np.random.default_rng(6).normal(size=(300, 1000))
    edges = np.sort(np.random.default_rng(7).normal(size=1000))
    np.testing.assert_array_equal(_native.histogram(host_plane(values), edges), np.histogram(values, edges)[0])


# ---- what is asked wrongly --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("edges", "message"), [
    ([], "at least one bin"), ([1.0], "at least one bin"), ([1.0, 1.0], r"edges\[0\] = 1 is not below"),
    ([0, 2, 1], r"edges\[1\] = 2 is not below"), ([0, NAN], r"edges\[1\] is nan"), ([-INF, 0], r"edges\[0\] is -inf"),
])
def test_edges_must_rise_and_be_finite(edges, message):
    with pytest.raises(ValueError, match=message):
        _native.histogram(host_plane(np.zeros((2, 2))), np.array(edges, float))


def test_other_arguments_of_histograms():
    plane, floats = host_plane(np.zeros((2, 2), np.int8)), host_plane(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="leave it out"):
        _native.histogram(floats, [0, 1], (0, 1))
    with pytest.raises(ValueError, match="falls"):
        _native.histogram(plane, [0, 1], (1, 0))
    for wrong in (3, (1,), [0, 1], (0, 1.5), (0, "a")):
        with pytest.raises(TypeError):
            _native.histogram(plane, [0, 1], wrong)
    with pytest.raises(ValueError, match="edges have 2 axes"):
        _native.histogram(plane, [[0, 1]])
    with pytest.raises(TypeError):
        _native.histogram(np.zeros((2, 2)), [0, 1])


@pytest.mark.parametrize(("kinds", "start", "backwards", "error", "message"), [
    (0, 0, False, ValueError, "kinds is 0"), (32, 0, False, ValueError, "kinds is 32"), (1, -1, False, IndexError, r"in 0\.\.4"),
    (1, 5, False, IndexError, "start is 5"), (1, 4, True, IndexError, r"backwards it must be in -1\.\.3"),
    (1, -2, True, IndexError, "start is -2"),
])
def test_arguments_of_find(kinds, start, backwards, error, message):
    with pytest.raises(error, match=message):
        _native.find(host_plane(np.zeros((2, 2))), kinds, start, backwards)


def test_behind_the_last_element_nothing_is_found():
    plane = host_plane(np.zeros((2, 2)))
    assert _native.find(plane, _native.HAS_FINITE, 4) == _native.find(plane, _native.HAS_FINITE, -1, True) == -1


def test_a_released_tensor_is_refused():
    tensor = _native.Tensor.from_array(np.zeros((2, 2)), "float64")
    plane = plane_of(tensor)
    tensor.release()
    for call in (lambda: summary_of(plane), lambda: _native.histogram(plane, [0, 1]), lambda: _native.find(plane, 1)):
        with pytest.raises(ValueError, match="released"):
            call()


# ---- beside other threads ---------------------------------------------------------------------------------------------------


def slow_plane():
    """A plane whose 2^36 elements take a while and no memory."""
    return host_plane(windows(1.0, (1 << 18, 1 << 18)))


@pytest.fixture
def two_threads():
    """On a hundred processors even a long call would be over before anybody can press a key."""
    _native.threads_limit(2)
    yield
    _native.threads_limit(0)


@pytest.mark.parametrize("call", [
    summary_of, lambda plane: _native.histogram(plane, [0, 1]), lambda plane: _native.find(plane, _native.HAS_NAN),
], ids=["summarize", "histogram", "find"])
def test_control_c_ends_a_long_call(call, ctrl_c, two_threads):
    key = threading.Timer(0.2, ctrl_c)  # another thread: it gets to run only if the call lets the GIL go
    with pytest.raises(KeyboardInterrupt):
        key.start()
        call(slow_plane())
    key.join()


# ---- palettes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4,), (5, 4), (7, 9, 4), (2, 30, 40, 4), (1, 1, 1, 1, 4), (3, 300, 400, 4)])
@pytest.mark.parametrize("n_colors", [1, 2, 256])
def test_palettes_say_what_the_pixels_were(shape, n_colors):
    rng = np.random.default_rng(n_colors)
    colors = rng.permutation(np.arange(256, dtype=np.uint32) * 0x01030507).astype(np.uint32)[:n_colors]
    rgba = rng.choice(colors, shape[:-1]).reshape(*shape[:-1], 1).view(np.uint8).reshape(shape)
    indices, palette = _native.palette(rgba)
    assert indices.shape == shape[:-1] and indices.dtype == palette.dtype == np.uint8
    np.testing.assert_array_equal(palette[indices], rgba)
    assert len(palette) == len(np.unique(rgba.reshape(-1, 4), axis=0)) == len(np.unique(palette, axis=0))


def test_no_palette_of_more_than_256_colors():
    rgba = np.arange(257, dtype=np.uint32).view(np.uint8).reshape(1, 257, 4)
    assert _native.palette(rgba) is None
    indices, palette = _native.palette(rgba[:, :256].copy())
    assert len(palette) == 256
    np.testing.assert_array_equal(palette[indices], rgba[:, :256])


@pytest.mark.parametrize("shape", [(0, 4), (3, 0, 4), (0, 5, 4)])
def test_no_pixels_have_no_colors(shape):
    indices, palette = _native.palette(np.empty(shape, np.uint8))
    assert indices.shape == shape[:-1] and palette.shape == (0, 4)


@pytest.mark.parametrize("rgba", [
    np.zeros((2, 3), np.uint8), np.zeros((2, 4)), np.zeros((2, 4, 4), np.uint8)[:, ::2], np.uint8(3), [[0, 0, 0, 0]],
])
def test_palettes_are_of_dense_pixels(rgba):
    with pytest.raises(TypeError, match=r"\(\.\.\., 4\)|ndarray"):
        _native.palette(rgba)
