"""Histograms on the emulated device: the edges decide, however bins are found, and integers are counted exactly."""

import numpy as np
import pytest
import reference as ref
from device_planes import device_plane, fail_each_call, host_plane, in_modes
from device_reductions import CLASSES
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from stored_tensors import LAYOUTS, REAL, storage_of

from gpuplot import _native

SHARED_BINS = 8192
"""More bins than these are counted in global memory."""


def wanted(values, edges):
    """How many float64 values lie in each bin, the last one closed."""
    values = np.asarray(values, np.float64).ravel()
    values = values[(values >= edges[0]) & (values <= edges[-1])]
    bins = np.minimum(np.searchsorted(edges, values, side="right") - 1, len(edges) - 2)
    return np.bincount(bins, minlength=len(edges) - 1)


def check(stored, edges, dtype=None, mask=None):
    """Assert that counts on the device are those of the definition, and return them."""
    edges = np.asarray(edges, np.float64)
    values = np.asarray(ref.load(stored, dtype or stored.dtype.newbyteorder("=").name), np.float64)
    values = values if mask is None else values[~mask]
    got = _native.histogram(device_plane(stored, dtype, mask), edges)
    assert got.dtype == np.int64
    np.testing.assert_array_equal(got, wanted(values, edges))
    return got


# ---- bins --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", REAL)
def test_every_dtype_and_layout(emulated, dtype):
    """Edges inside, outside, and equal to elements."""
    stored = storage_of(np.random.default_rng(5), dtype, (41, 203), n_bad=90)
    values = np.asarray(ref.load(stored, dtype), np.float64)
    finite = np.unique(values[np.isfinite(values)])
    low, high = finite[0], finite[-1]
    for layout in LAYOUTS.values():
        check(layout(stored), np.linspace(low, high, 65), dtype)
        check(layout(stored), np.linspace(low - 1, (low + high) / 2, 8), dtype)
        check(layout(stored), finite[:: max(1, finite.size // 30)] if finite.size > 1 else [low, low + 1], dtype)


@pytest.mark.parametrize("dtype", CLASSES)
def test_every_mode(emulated, dtype):
    """One class each: counts do not depend on the order of threads and the pace of streams; shared and global counters."""
    stored = storage_of(np.random.default_rng(3), dtype, (19, 2111), n_bad=40)
    values = np.asarray(ref.load(stored, dtype), np.float64)
    device = device_plane(stored, dtype)
    for n_bins in (7, SHARED_BINS + 1):
        edges = np.linspace(-60, 120, n_bins + 1)
        got = in_modes(emulated, lambda edges=edges: _native.histogram(device, edges))
        np.testing.assert_array_equal(got, wanted(values, edges))


@pytest.mark.parametrize("n_bins", [1, 2, 3, 10, 64, 255, 256, 257, 1000, 4096, SHARED_BINS, SHARED_BINS + 1, 70_001])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_any_number_of_bins(emulated, dtype, n_bins):
    """One counter for each thread of a warp, one for all, and counters of all blocks."""
    values = np.random.default_rng(n_bins).uniform(-3.3, 7.1, (70, 300)) * (1 if dtype.startswith("float") else 1000)
    values = values.astype(dtype)
    assert check(values, np.linspace(float(values.min()), float(values.max()), n_bins + 1)).sum() == values.size


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_elements_at_the_edges(emulated, dtype):
    """Edges themselves and the numbers next to them, where estimates are wrong."""
    for low, high, n_bins in ((0, 1, 10), (-3.3, 7.1, 1400), (1, 1.001, 7), (-1e-40, 1e-40, 9), (1e30, 1.5e30, 77),
                              (-3e38, 3e38, 64)):
        edges = np.linspace(low, high, n_bins + 1)
        nearest = edges.astype(dtype)
        around = [nearest, np.nextafter(nearest, nearest.dtype.type(-np.inf)), np.nextafter(nearest, nearest.dtype.type(np.inf))]
        check(np.concatenate(around)[None], edges)


def test_by_hand(emulated):
    """The example of the definitions: numbers for which arithmetic alone gives a neighboring bin."""
    edges = np.linspace(0, 1, 11)
    edges[[3, 6, 7]] = 0.30000000000000004, 0.6000000000000001, 0.7000000000000001
    got = check(np.array([[0.3, 0.6, 0.7, 1.0, 0.0, np.nan, 1.5]]), edges)
    assert got.tolist() == [1, 0, 1, 0, 0, 1, 1, 0, 0, 1]


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64"])
def test_uneven_edges(emulated, dtype):
    """Bins of any widths are searched."""
    values = np.random.default_rng(1).integers(0, 200, (50, 70)).astype(dtype)
    check(values, [0, 1, 2, 50, 50.5, 51, 199])
    check(values, np.geomspace(1, 200, 41))
    check(values, np.concatenate([np.linspace(0, 1, 5000), np.linspace(2, 200, 6000)]))
    check(values, [-1e308, 3, 1e308])


def test_extreme_ranges(emulated):
    """Widths beyond float64, below its smallest step, and a single float32 apart."""
    values = np.array([[-1.7e308, 0, 5e-324, 1.7e308, np.inf, -np.inf, np.nan, 1]])
    check(values, [-1.7e308, 0, 1.7e308])
    check(values, np.array([0, 1, 2, 3, 4]) * 5e-324)
    one = np.nextafter(np.float32(1), np.float32(2))
    check(np.array([[1, one, 1, 2]], np.float32), [1, float(one), 2])


def test_constant_and_sorted(emulated):
    """Runs of one value cost one addition; they are counted all the same."""
    check(np.full((300, 70), 3, np.float32), np.linspace(2.5, 3.5, 5))
    check(np.arange(21000, dtype=np.int32).reshape(300, 70), np.linspace(0, 20999, 65))


def test_masked_elements_do_not_count(emulated):
    rng = np.random.default_rng(4)
    for dtype in ("int64", "uint8", "float32"):
        array, mask = rng.integers(0, 99, (30, 40)).astype(dtype), rng.random((30, 40)) < 0.4
        check(array, np.linspace(0, 98, 9), mask=mask)


def test_amplitudes(emulated):
    rng = np.random.default_rng(5)
    array = (rng.integers(-9, 9, (30, 40)) + 1j * rng.integers(-9, 9, (30, 40))).astype(np.complex64)
    edges = np.linspace(0, 12, 14)
    got = _native.histogram(device_plane(array, component="abs"), edges)
    np.testing.assert_array_equal(got, wanted(np.abs(array.astype(complex)), edges))


# ---- integers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [name for name in REAL if "int" in name or name == "bool"])
def test_ranges_of_integers(emulated, dtype):
    """A range alone decides which integers count; those beyond the edges are in the end bins."""
    stored = storage_of(np.random.default_rng(9), dtype, (37, 55))
    values = stored.astype(object)
    edges = np.linspace(float(values.min()) + 0.5, float(values.max()) - 0.25, 8)
    ranges = [(values.min(), values.max()), (int(edges[2]), int(edges[5])), (1, 1), (-(2**70), 2**70), (2**40, 2**41), (-9, -8)]
    for first, last in ranges:
        counted = np.array([x for x in values.ravel() if first <= x <= last], np.float64)
        want = np.bincount(np.clip(np.searchsorted(edges, counted, side="right") - 1, 0, 6), minlength=7)
        for layout in LAYOUTS.values():
            got = _native.histogram(device_plane(layout(stored)), edges, (int(first), int(last)))
            np.testing.assert_array_equal(got, want)


def test_wide_integers_are_counted_exactly(emulated):
    """Neighbors beyond 2^53, one of which is outside the range, also where memory is odd or some are masked."""
    for dtype, middle in (("int64", 2**62), ("uint64", 2**63), ("int64", -(2**62))):
        values = (middle + np.arange(-3, 4, dtype=object)).astype(dtype)
        array = np.repeat(values[None], 11, axis=0)
        mask = np.zeros(array.shape, bool)
        mask[0] = True
        edges = [float(middle) - 2000, float(middle), float(middle) + 2000]
        for layout in LAYOUTS.values():
            for masked in (None, layout(mask)):
                got = _native.histogram(device_plane(layout(array), mask=masked), edges, (middle - 2, middle + 1))
                assert got.tolist() == [0, 4 * (11 if masked is None else 10)]


# ---- costs, failures, refusals -----------------------------------------------------------------------------------------


def test_bins_beyond_scratch_memory_take_turns(emulated):
    """Bins are counted two million at a time, so that scratch memory stays small."""
    values = np.random.default_rng(6).uniform(0, 1, (30, 40))
    edges = np.linspace(0, 1, (1 << 21) + 1001)
    emulated.clear_counts()
    check(values, edges)
    assert emulated.counts()["cuLaunchKernel"] == 2
    assert _native.cuda_counts(0)["scratch_bytes"] <= 64 << 20


def test_pieces_of_ranges(emulated):
    """Integers beyond the outer edges count once where bins take turns."""
    values = np.arange(-50, 51, dtype=np.int64)[None]
    edges = np.linspace(-10, 10, (1 << 21) + 4)
    got = _native.histogram(device_plane(values), edges, (-20, 40))
    assert (got.sum(), got[0], got[-1]) == (61, 11, 31)


def test_costs(emulated):
    """One kernel, and nothing allocated once there is scratch memory."""
    device, edges = device_plane(np.random.default_rng(17).normal(size=(300, 2000))), np.linspace(-3, 3, 65)
    emulated.clear_counts()
    _native.histogram(device, edges)
    assert emulated.counts()["cuLaunchKernel"] == 1
    before = _native.cuda_counts(0)
    _native.histogram(device, edges)
    after = _native.cuda_counts(0)
    assert (after["n_device_allocs"], after["n_pinned_allocs"]) == (before["n_device_allocs"], before["n_pinned_allocs"])
    assert after["bytes_to_host"] - before["bytes_to_host"] == 64 * 8


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED])
def test_failures_are_device_errors(emulated, code):
    """Whatever fails in the driver, the tensor stays usable and the next call works."""
    device, edges = device_plane(np.random.default_rng(18).normal(size=(100, 200)).astype(np.float32)), np.linspace(-3, 3, 9)
    want = _native.histogram(device, edges)

    def compute():
        assert np.array_equal(_native.histogram(device, edges), want)

    assert fail_each_call(emulated, code, compute) > 4


@pytest.mark.parametrize(("edges", "integer_range"), [
    ([1.0], None), ([], None), ([1, 1], None), ([2, 1], None), ([0, np.nan], None), ([0, np.inf], None), ([0, 1], (0, 1)),
])
def test_refusals(emulated, edges, integer_range):
    """Bad arguments are refused before anything is sent to the device."""
    device = device_plane(np.ones((5, 5)))
    emulated.clear_counts()
    with pytest.raises(ValueError):
        _native.histogram(device, edges, integer_range)
    assert "cuLaunchKernel" not in emulated.counts()


def test_empty_planes(emulated):
    for plane in (device_plane(np.ones((5, 5))), host_plane(np.ones((5, 5)))):
        assert _native.histogram(plane.crop(0, 0, 0, 5), [0, 1, 2]).tolist() == [0, 0]
