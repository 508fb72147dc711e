"""Summaries on the emulated device equal the CPU's, for every dtype, layout and kind of plane."""

import numpy as np
import pytest
import reference as ref
from device_planes import device_plane, fail_each_call, host_plane, in_modes, summary_of
from device_reductions import CLASSES
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from matrix import matrix
from on_device import lend
from stored_tensors import LAYOUTS, REAL, storage_of

from gpuplot import _native

FIELDS = ("n_nan", "n_neg_inf", "n_neg", "n_zero", "n_pos", "n_pos_inf", "n_masked", "n_subnormal", "min", "max", "mean", "m2",
          "sum_of_squares", "argmin", "argmax", "first_nan", "scale")
MOMENTS = ("mean", "m2", "sum_of_squares")
SHAPES = [(1, 1), (3, 5000), (400, 7), (50, 61)]


def named(summary):
    return dict(zip(FIELDS, summary, strict=True))


def assert_same(got, want, largest, n_elems):
    """Equal; moments within rounding of so many elements of at most this magnitude."""
    got, want = named(got), named(want)
    for field in FIELDS:
        if field not in MOMENTS:
            assert got[field] == want[field] or (np.isnan(got[field]) and np.isnan(want[field])), (field, got, want)
    squares = n_elems * (largest * want["scale"]) ** 2
    sizes = {"mean": largest, "m2": squares, "sum_of_squares": squares}
    for field in MOMENTS:
        assert got[field] == pytest.approx(want[field], rel=1e-9, abs=1e-13 * sizes[field], nan_ok=True), (field, got, want)
    zeros = [got[field] for field in ("min", "max", "mean") if got[field] == 0]
    assert not np.signbit(zeros).any()


def check(array, dtype=None, mask=None, component="value"):
    """The same plane on both devices; what the device found, by name."""
    host, device = host_plane(array, dtype, mask, component), device_plane(array, dtype, mask, component)
    got, want = summary_of(device), summary_of(host)
    largest = max((abs(x) for x in want[8:10] if np.isfinite(x)), default=0)
    assert_same(got, want, largest, array.size)
    return named(got)


# ---- values ------------------------------------------------------------------------------------------------------------


PARTS = LAYOUTS | {"steps": lambda array: array[::-2, ::3], "without a column": lambda array: array[:, 1:]}


@matrix(dtype=REAL, shape=SHAPES, part=PARTS)
def test_every_dtype_and_layout(emulated, dtype, shape, part):
    """Some elements that are not finite, rows that begin anywhere, columns in any direction."""
    stored = storage_of(np.random.default_rng(15), dtype, shape, n_bad=shape[0] * shape[1] // 9)
    check(PARTS[part](stored), dtype)


@pytest.mark.parametrize("dtype", CLASSES)
def test_every_mode(emulated, dtype):
    """One class each: the same bits whatever the order of threads and the pace of streams."""
    stored = storage_of(np.random.default_rng(3), dtype, (19, 2111), n_bad=40)
    device = device_plane(stored, dtype)
    got = in_modes(emulated, lambda: summary_of(device))
    assert_same(got, summary_of(host_plane(stored, dtype)), max(map(abs, got[8:10])), stored.size)


def test_by_hand(emulated):
    """The example of the definitions."""
    got = check(np.array([[-2, 0, -0.0, 1, 3, np.nan, np.inf, -np.inf, 1e-40, np.nan]], np.float32))
    assert [got[field] for field in FIELDS[:8]] == [2, 1, 1, 2, 3, 1, 0, 1]
    assert (got["min"], got["max"], got["argmin"], got["argmax"], got["first_nan"]) == (-2, 3, 0, 4, 5)
    assert got["mean"] == pytest.approx(1 / 3, rel=1e-15)
    assert got["m2"] == pytest.approx(1.632993161855452**2 * 5, rel=1e-15)
    assert got["sum_of_squares"] == pytest.approx(14, rel=1e-15)


FEW = [[np.nan] * 5, [np.inf, -np.inf], [-0.0, 0.0], [-1.7e308, 1.7e308], [7.5], [0.1] * 3000]


@pytest.mark.parametrize("values", FEW, ids=lambda values: str(values[:2]))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_few_and_equal(emulated, values, dtype):
    """Nothing finite, zeros of both signs, ends of the range, one element, equal ones, whose mean is themselves."""
    with np.errstate(over="ignore"):
        array = np.array([values], dtype)
    host, got = named(summary_of(host_plane(array))), named(summary_of(device_plane(array)))
    if abs(values[0]) < 1e300:  # squares that float64 holds
        check(array)
    for field in ("n_nan", "n_masked", "n_neg_inf", "n_neg", "n_pos_inf", "min", "max", "argmin", "argmax", "first_nan"):
        assert got[field] == pytest.approx(host[field], abs=0, rel=0, nan_ok=True), field
    if len(set(values)) == 1 and np.isfinite(values[0]):
        assert (got["mean"], got["m2"]) == (float(array[0, 0]), 0)


def test_empty_planes(emulated):
    """No elements: no position, no moments, no launch."""
    device, host = (plane(np.ones((5, 5))).crop(0, 0, 0, 5) for plane in (device_plane, host_plane))
    emulated.clear_counts()
    assert np.array_equal(summary_of(device), summary_of(host), equal_nan=True)
    assert "cuLaunchKernel" not in emulated.counts()


@pytest.mark.parametrize("shape", [(3, 0), (0, 3)])
def test_slices_without_elements_and_no_slices(emulated, shape):
    """Counts of nothing are zeros in new memory; nothing is launched."""
    edges = np.tile(np.arange(200.0), (shape[0], 1))
    for tensor in (lend(np.empty(shape, np.float32)), _native.Tensor.from_array(np.empty(shape, np.float32), "float32")):
        slices = _native.Slices(tensor, [(0, 1, shape[0], True), (0, 1, shape[1], False)])
        emulated.clear_counts()
        counts = _native.histogram_slices(slices, edges)
        assert counts.shape == (shape[0], 199) and not counts.any()
        assert "cuLaunchKernel" not in emulated.counts()


@pytest.mark.parametrize("dtype", [name for name in REAL if name.startswith(("float8", "bfloat", "float16", "uint8", "int8"))])
def test_every_code_of_narrow_dtypes(emulated, dtype):
    """Subnormals are those of the dtype itself; every code is counted where it belongs."""
    n = 256 ** _native.DTYPE_SIZES[dtype]
    codes = np.arange(n).astype(np.uint8 if n == 256 else np.uint16)
    stored = codes if dtype not in ("int8", "float16") else codes.view(dtype)
    got = check(stored[None], dtype)
    values = ref.load(stored, dtype)
    finite = values[np.isfinite(values)]
    assert [got["n_neg"], got["n_zero"], got["n_pos"]] == [(finite < 0).sum(), (finite == 0).sum(), (finite > 0).sum()]
    mantissas = {"float16": 1024, "bfloat16": 128, "float8_e5m2": 4, "float8_e5m2fnuz": 4, "float8_e3m4": 16, "float8_e8m0fnu": 1,
                 "uint8": 1, "int8": 1}
    assert got["n_subnormal"] == 2 * (mantissas.get(dtype, 8) - 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_subnormals(emulated, dtype):
    """The largest subnormal is one, the smallest normal is none, and zeros are none."""
    tiny = np.finfo(dtype).tiny
    below = np.nextafter(tiny, tiny.dtype.type(0))
    values = np.array([0, -0.0, tiny, -tiny, below, np.finfo(dtype).smallest_subnormal] * 50, dtype)
    assert check(values[None])["n_subnormal"] == 100
    assert check(-values[None])["n_subnormal"] == 100


def test_wide_integers_are_compared_exactly(emulated):
    """Neighbors beyond 2^53 are different elements, however they are stored or masked."""
    for dtype, high, low in (("int64", 2**63 - 1, -(2**63)), ("uint64", 2**64 - 1, 0)):
        array = np.full((40, 61), high - 1, dtype)
        array[7, 9], array[33, 60], array[20, 3], array[30, 30] = high, high, low, low
        mask = np.zeros(array.shape, bool)
        mask[0, 0] = True
        for layout in LAYOUTS.values():
            for masked in (None, layout(mask)):
                got = named(summary_of(device_plane(layout(array), mask=masked)))
                assert (got["argmax"], got["argmin"]) == (7 * 61 + 9, 20 * 61 + 3)
                assert (got["max"], got["min"]) == (float(high), float(low))


@pytest.mark.parametrize("dtype", [name for name in REAL if "int" in name or name == "bool"])
def test_the_ends_of_integers_alone(emulated, dtype):
    """Nothing else is there, so that they are where every search for an extreme begins."""
    info = np.iinfo("uint8" if dtype == "bool" else dtype)
    for value in {0, int(info.min), 1 if dtype == "bool" else int(info.max)}:
        for mask in (None, np.array([[True, False, False]])):
            got = named(summary_of(device_plane(np.full((1, 3), value, dtype), mask=mask)))
            first = 0 if mask is None else 1
            assert (got["min"], got["max"], got["argmin"], got["argmax"]) == (float(value), float(value), first, first)


# ---- positions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", CLASSES)
def test_first_of_equal_extremes(emulated, dtype, layout):
    """Of elements that are alike the first in rows, wherever memory begins."""
    rng = np.random.default_rng(8)
    for shape in ((90, 130), (1, 9000), (2600, 3), (700, 40)):
        stored = LAYOUTS[layout]((rng.integers(0, 3, shape) + 56).astype(np.uint8 if dtype.startswith("float8") else dtype))
        values = ref.load(stored, dtype).ravel()
        got = check(stored, dtype)
        assert (got["argmin"], got["argmax"]) == (values.argmin(), values.argmax())


@pytest.mark.parametrize("layout", ["C", "F", "reversed", "strided"])
def test_first_nan(emulated, layout):
    """The first in rows, not the first that memory has."""
    for place in ((0, 0), (7, 3), (59, 69), (31, 0)):
        array = np.zeros((60, 70), np.float32)
        array[place], array[59, 69] = np.nan, np.nan
        assert check(LAYOUTS[layout](array))["first_nan"] == place[0] * 70 + place[1]


@pytest.mark.parametrize("order", [1, -1])
def test_sorted(emulated, order):
    """Every run has a new extreme."""
    got = check(np.arange(30000, dtype=np.float32)[::order].reshape(100, 300).copy())
    assert (got["argmin"], got["argmax"]) == ((0, 29999) if order > 0 else (29999, 0))


# ---- planes ------------------------------------------------------------------------------------------------------------


def test_broadcast(emulated):
    """Strides of zero: every element counts as often as it is seen."""
    row = np.random.default_rng(2).normal(size=50)
    for array in (np.broadcast_to(row, (70, 50)), np.broadcast_to(row[:, None], (50, 60)), np.broadcast_to(row[3], (9, 9))):
        check(array)


def test_masked(emulated):
    """A masked element is of no other kind, also where dtypes have no NaN."""
    rng = np.random.default_rng(4)
    for dtype in ("int64", "uint8", "float16", "float32"):
        array, mask = rng.integers(0, 99, (30, 40)).astype(dtype), rng.random((30, 40)) < 0.4
        got = check(array, mask=mask)
        assert (got["n_nan"], got["n_masked"], got["first_nan"]) == (0, mask.sum(), -1)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("component", ["abs", "abs2", "re", "im", "phase"])
def test_complex(emulated, component, dtype):
    """Parts and amplitudes; an infinite part makes an infinite amplitude, and subnormal is what is so for the part's type."""
    rng = np.random.default_rng(5)
    array = (rng.integers(-9, 9, (30, 40)) + 1j * rng.integers(-9, 9, (30, 40))).astype(dtype)
    array[3, 4], array[5, 5], array[6, 6], array[7, 7] = complex(np.nan, 1), complex(-np.inf, 1), 1e-40, 5e-324
    check(array, component=component)


@pytest.mark.parametrize("op", ["mean", "max", "std"])
def test_hidden_axes(emulated, op):
    """Elements that are computed from several."""
    array = np.random.default_rng(6).integers(-50, 50, (5, 20, 30)).astype(np.float32)
    array[2, 3, 4] = np.nan
    uses = [("hidden", 0, 1, 5, 0), ("rows", 0, 1, 20, 0), ("cols", 0, 1, 30, 0)]
    tensors = lend(array), _native.Tensor.from_array(array, "float32")
    assert_same(*(summary_of(_native.Plane(tensor, uses, [op], "value")) for tensor in tensors), 50, 600)


def test_moments_do_not_drown(emulated):
    """A large mean, and a first element far from all others."""
    rng = np.random.default_rng(7)
    values = rng.normal(1e9, 1e-3, (100, 300))
    got = check(values)
    assert got["m2"] == pytest.approx(float(((values - values.mean()) ** 2).sum()), rel=1e-6)
    values = np.zeros((100, 300))
    values[0, 0], values[99, 299], values[50, 7] = 1e30, -1e30, 3
    got = check(values)
    assert abs(got["mean"] - 1e-4) <= 1e-12 * 2e30 / values.size


# ---- costs and failures ------------------------------------------------------------------------------------------------


def test_costs(emulated):
    """One kernel, scratch memory for its states alone, and nothing allocated once it is there."""
    device = device_plane(np.random.default_rng(17).normal(size=(300, 2000)))
    emulated.clear_counts()
    summary_of(device)
    assert emulated.counts()["cuLaunchKernel"] == 1
    before = _native.cuda_counts(0)
    summary_of(device)
    after = _native.cuda_counts(0)
    assert (after["n_device_allocs"], after["n_pinned_allocs"]) == (before["n_device_allocs"], before["n_pinned_allocs"])
    assert after["bytes_to_host"] - before["bytes_to_host"] < 1 << 18
    assert after["bytes_to_device"] == before["bytes_to_device"]


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED])
def test_failures_are_device_errors(emulated, code):
    """Whatever fails in the driver, the tensor stays usable and the next call works."""
    device = device_plane(np.random.default_rng(18).normal(size=(100, 200)).astype(np.float32))
    want = summary_of(device)

    def compute():
        assert summary_of(device) == want

    assert fail_each_call(emulated, code, compute) > 3
