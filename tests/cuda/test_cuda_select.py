"""Percentiles on the emulated device: exactly NumPy's, for every dtype, layout and kind of plane, in every mode."""

import numpy as np
import pytest
import reference as ref
from device_planes import device_plane, fail_each_call, host_plane, in_modes
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from on_device import lend
from stored_tensors import LAYOUTS, REAL, storage_of

from gpuplot import _native

PERCENTS = [0, 1, 2, 33.3, 50, 98, 99.9, 100]


def wanted(values, percents=PERCENTS, is_positive_only=False):
    """NumPy's own percentiles of the finite values."""
    values = np.asarray(values, np.float64).ravel()
    values = values[np.isfinite(values)]
    values = values[values > 0] if is_positive_only else values
    return np.percentile(values, percents) if values.size else np.full(len(percents), np.nan)


def n_launches(emulator, compute):
    emulator.clear_counts()
    compute()
    return emulator.counts().get("cuLaunchKernel", 0)


# ---- values ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_positive_only", [False, True])
@pytest.mark.parametrize("dtype", REAL)
def test_every_dtype(emulated, dtype, is_positive_only):
    """The same as np.percentile of the loaded values."""
    stored = storage_of(np.random.default_rng(len(dtype)), dtype, (37, 53), n_bad=90)
    got = _native.percentiles(device_plane(stored, dtype), PERCENTS, is_positive_only)
    assert np.array_equal(got, wanted(ref.load(stored, dtype), is_positive_only=is_positive_only), equal_nan=True)


@pytest.mark.parametrize("dtype", ["uint8", "float8_e4m3fn", "int16", "float16", "uint32", "float32", "int64", "float64"])
def test_every_mode(emulated, dtype):
    """One class each: the same bits whatever the order of threads and the pace of streams."""
    stored = storage_of(np.random.default_rng(3), dtype, (19, 211), n_bad=40)
    got = in_modes(emulated, lambda: _native.percentiles(device_plane(stored, dtype), PERCENTS))
    assert np.array_equal(got, wanted(ref.load(stored, dtype)))


@pytest.mark.parametrize("dtype", [name for name in REAL if name.startswith(("float8", "bfloat", "float16", "uint8", "int8"))])
def test_every_code_of_narrow_dtypes(emulated, dtype):
    """Each of the 256 or 65536 codes once: every value is a percentile of its own."""
    n = 256 ** _native.DTYPE_SIZES[dtype]
    codes = np.arange(n).astype(np.uint8 if n == 256 else np.uint16)
    values = np.sort(ref.load(codes if dtype not in ("int8", "float16") else codes.view(dtype), dtype))
    values = values[np.isfinite(values)] + 0.0
    steps = np.unique(np.linspace(0, values.size - 1, 300).astype(int))
    percents = steps / (values.size - 1) * 100
    got = _native.percentiles(device_plane(codes[None], dtype), percents)
    assert np.array_equal(got, np.percentile(values, percents))


@pytest.mark.parametrize("values", [
    [5.0], [1.0, 2.0], [3.0, 1.0, 2.0, 4.0], [7.0] * 100, [0.0, -0.0, 0.0], [np.nan, 5, np.inf, 1], [np.nan, -np.inf],
    [5e-324, -5e-324, 0, 1e-310], [1.7e308, -1.7e308, 0], [1.0] * 50 + [2.0] * 50,
], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_few_and_equal(emulated, values, dtype):
    """Tiny planes, ties, signed zeros, subnormals, the ends of the range, nothing finite."""
    with np.errstate(over="ignore"):
        array = np.array([values], dtype)
    for is_positive_only in (False, True):
        got = _native.percentiles(device_plane(array), PERCENTS, is_positive_only)
        assert np.array_equal(got, wanted(array, is_positive_only=is_positive_only), equal_nan=True)
        assert not np.signbit(got[got == 0]).any()


def test_large_integers(emulated):
    """Order statistics of 64-bit integers are found exactly, then converted."""
    array = np.array([[2**60 + 1, 2**60 + 256, -(2**63), 2**63 - 1, 0, -1]])
    assert np.array_equal(_native.percentiles(device_plane(array), PERCENTS), wanted(array))
    array = np.array([[2**64 - 1, 2**63 + 5, 2**63 - 1, 1]], np.uint64)
    assert np.array_equal(_native.percentiles(device_plane(array), PERCENTS), wanted(array))


def test_smooth_and_constant(emulated):
    """Runs of one value and values that share their leading digits, over more than one block."""
    smooth = np.linspace(1, 1.0000002, 300 * 70).reshape(300, 70).astype(np.float32)
    for array in (smooth, np.full((300, 70), 3.5, np.float32), np.repeat(np.arange(30.0), 700).reshape(300, 70)):
        assert np.array_equal(_native.percentiles(device_plane(array), PERCENTS), wanted(array))


@pytest.mark.parametrize("n", [0, 1, 9, 70, 1024])
def test_many_percents(emulated, n):
    """More prefixes than one pass follows; unsorted and repeated ones."""
    rng = np.random.default_rng(n)
    array = rng.normal(size=(40, 100)).astype(np.float32)
    percents = np.concatenate([rng.uniform(0, 100, n // 2), rng.choice([50, 2, 98], n - n // 2)])
    assert np.array_equal(_native.percentiles(device_plane(array), percents), np.percentile(array.astype(float), percents))


# ---- planes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
def test_layouts(emulated, dtype, layout):
    """Strides, alignments and byte orders change nothing."""
    array = LAYOUTS[layout](storage_of(np.random.default_rng(1), dtype, (41, 67), n_bad=9))
    for part in (array, array[3:30, 5:6], array[7:8], array[::-3, ::2]):
        assert np.array_equal(_native.percentiles(device_plane(part), PERCENTS), wanted(part))


def test_broadcast(emulated):
    """Strides of zero: every element counts as often as it is seen."""
    row = np.random.default_rng(2).normal(size=50)
    for array in (np.broadcast_to(row, (70, 50)), np.broadcast_to(row[:, None], (50, 60)), np.broadcast_to(row[3], (9, 9))):
        assert np.array_equal(_native.percentiles(device_plane(array), PERCENTS), wanted(array))


def test_masked(emulated):
    """Masked elements are not there."""
    rng = np.random.default_rng(4)
    array, mask = rng.integers(0, 99, (30, 40)), rng.random((30, 40)) < 0.4
    got = _native.percentiles(device_plane(array, mask=mask), PERCENTS)
    assert np.array_equal(got, wanted(array[~mask]))


@pytest.mark.parametrize("component", ["abs", "abs2", "re", "im", "phase"])
def test_complex(emulated, component):
    """Parts and amplitudes of complex numbers, as on the CPU."""
    rng = np.random.default_rng(5)
    array = (rng.normal(size=(30, 40)) + 1j * rng.normal(size=(30, 40))).astype(np.complex64)
    array[3, 4] = complex(np.nan, 1)
    got = _native.percentiles(device_plane(array, component=component), PERCENTS)
    assert np.array_equal(got, _native.percentiles(host_plane(array, component=component), PERCENTS))


@pytest.mark.parametrize("op", ["mean", "max", "std"])
def test_hidden_axes(emulated, op):
    """Elements that are computed from several."""
    array = np.random.default_rng(6).normal(size=(5, 20, 30)).astype(np.float32)
    uses = [("hidden", 0, 1, 5, 0), ("rows", 0, 1, 20, 0), ("cols", 0, 1, 30, 0)]
    got, want = (_native.percentiles(_native.Plane(tensor, uses, [op]), PERCENTS)
                 for tensor in (lend(array), _native.Tensor.from_array(array, "float32")))
    assert np.array_equal(got, want)


def test_empty_plane(emulated):
    """No elements, no percentiles, no kernel."""
    plane = device_plane(np.zeros((4, 4))).crop(0, 0, 0, 4)
    assert n_launches(emulated, lambda: np.isnan(_native.percentiles(plane, PERCENTS)).all()) == 0


# ---- costs and failures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "n_passes"), [
    ("bool", 1), ("uint8", 1), ("int8", 1), ("float8_e4m3fn", 1), ("float8_e5m2", 1), ("int16", 2), ("bfloat16", 2),
    ("float16", 2), ("int32", 3), ("float32", 3), ("int64", 6), ("float64", 6)])
def test_passes(emulated, dtype, n_passes):
    """So many reads of the plane for the two ends of robust limits."""
    stored = storage_of(np.random.default_rng(7), dtype, (64, 64))
    plane = device_plane(stored, dtype)
    assert n_launches(emulated, lambda: _native.percentiles(plane, [2, 98])) == n_passes


def test_warm_calls_allocate_nothing(emulated):
    """Memory on the device and pinned memory are those of the first call."""
    plane = device_plane(np.random.default_rng(8).normal(size=(64, 64)))
    _native.percentiles(plane, PERCENTS)
    before = _native.cuda_counts(0)
    _native.percentiles(plane, PERCENTS)
    after = _native.cuda_counts(0)
    assert [after[name] - before[name] for name in ("n_device_allocs", "n_pinned_allocs")] == [0, 0]


@pytest.mark.parametrize("percents", [[-1], [50, 101], [np.nan]])
def test_refused_percents(emulated, percents):
    """What is not a percentile is said before anything is launched."""
    plane = device_plane(np.zeros((4, 4)))

    def refuse():
        with pytest.raises(ValueError, match="not between 0 and 100"):
            _native.percentiles(plane, percents)

    assert n_launches(emulated, refuse) == 0


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED])
def test_failing_calls(emulated, code):
    """Whichever call of the driver fails: one DeviceError, and the next call works."""
    array = np.random.default_rng(9).normal(size=(20, 30)).astype(np.float32)
    plane = device_plane(array)

    def compute():
        assert np.array_equal(_native.percentiles(plane, PERCENTS), wanted(array))

    compute()
    assert fail_each_call(emulated, code, compute) > 10
