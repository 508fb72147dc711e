"""Limits of elements on the emulated device, alone and with a reduction: values, costs, and failures."""

import numpy as np
import pytest
from device_planes import device_plane, fail_each_call, host_plane, in_modes
from device_reductions import AGGS, KINDS, WANT, axes_of, check, planes, views_of
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from matrix import matrix
from stored_tensors import LAYOUTS, REAL, storage_of

from gpuplot import DeviceError, _native

# ---- facts about elements ----------------------------------------------------------------------------------------------


ALL_FACTS = WANT | _native.WANT_COUNTS


@matrix(dtype=REAL, shape=((1, 1), (3, 5000), (400, 7), (50, 61)), layout=("C", "F", "strided", "reversed"))
def test_limits(emulated, dtype, shape, layout):
    """Range, smallest positive element and counts equal those of the CPU."""
    part = LAYOUTS[layout](storage_of(np.random.default_rng(15), dtype, shape, n_bad=shape[0] * shape[1] // 9))
    want = _native.limits(host_plane(part, dtype), ALL_FACTS)
    assert np.array_equal(_native.limits(device_plane(part, dtype), ALL_FACTS), want, equal_nan=True)


@pytest.mark.parametrize("values", [[np.nan, np.nan], [np.inf, -np.inf], [-0.0, -1.0], [0.0, 5e-324], [-1e308, 1e308],
                                    [np.inf, 3.0]], ids=str)
def test_limits_of_few(emulated, values):
    """Nothing finite, nothing positive, zeros, the ends of the range; the same by the way of a reduction."""
    array = np.array([values] * 3)
    want = _native.limits(host_plane(array), ALL_FACTS)
    got = in_modes(emulated, lambda: _native.limits(device_plane(array), ALL_FACTS))
    assert np.array_equal(got, want, equal_nan=True)
    assert not np.signbit(np.array(got)[:3][np.array(got)[:3] == 0]).any()
    fused = _native.reduce(device_plane(array), *axes_of((3, 2), (1, 1), ((0, 3), (0, 2))), "mean", "show", WANT)[1]
    assert np.array_equal(fused[:4], want[:4], equal_nan=True)


def test_limits_of_wide_integers(emulated):
    """64-bit integers beyond float64 keep their order, 32-bit ones their value."""
    for values, dtype in (([2**63 - 1, -(2**63), 5], "int64"), ([2**64 - 1, 1, 2**63], "uint64"), ([2**32 - 1, 0, 7], "uint32"),
                          ([-(2**31), 2**31 - 1, 0], "int32")):
        array = np.array([values], dtype)
        got = _native.limits(device_plane(array), ALL_FACTS)
        assert got[:3] == (float(array.min()), float(array.max()), float(array[array > 0].min()))


@pytest.mark.parametrize("agg", AGGS)
def test_limits_are_of_the_whole_plane(emulated, agg):
    """Whatever the view shows, and whether or not a cell's elements are all looked at."""
    array = np.random.default_rng(16).normal(size=(60, 70)).astype(np.float32)
    host, device, largest = planes(array)
    for view in views_of(array.shape):
        check(host, device, (7, 8), view, agg, "show", largest, WANT)
        check(host, device, (7, 8), view, agg, "show", largest, WANT | _native.WANT_COUNTS)


# ---- sizes, costs, failures --------------------------------------------------------------------------------------------


def test_empty_planes(emulated):
    """No elements: empty cells, no facts, and only the kernel that says so."""
    host, device = (plane.crop(0, 0, 0, 5) for plane in (host_plane(np.ones((5, 5))), device_plane(np.ones((5, 5)))))
    axes = [_native.Axis(0, 0, 5, 3), _native.Axis(0, 0, 5, 4)]
    for agg in AGGS:
        got, limits = _native.reduce(device, *axes, agg, "show", ALL_FACTS)
        want, host_limits = _native.reduce(host, *axes, agg, "show", ALL_FACTS)
        assert got.numpy().tobytes() == want.numpy().tobytes()
        assert np.array_equal(limits, host_limits, equal_nan=True)


def test_axes_must_be_the_planes(emulated):
    """Axes of another size are refused before anything is launched."""
    device = device_plane(np.ones((5, 5)))
    emulated.clear_counts()
    with pytest.raises(ValueError):
        _native.reduce(device, _native.Axis(6, 0, 6, 2), _native.Axis(5, 0, 5, 2))
    assert "cuLaunchKernel" not in emulated.counts()


@pytest.mark.parametrize(("shape", "cells", "n_launches"), [((64, 4000), (40, 100), 1), ((200, 3000), (1, 1), 2), ((9, 9), (20, 20), 1)])
def test_launches(emulated, shape, cells, n_launches):
    """One kernel, and one more where cells are so few that blocks share them; limits come with it."""
    device = device_plane(np.ones(shape, np.float32))
    axes = axes_of(shape, cells, [(0, n) for n in shape])
    emulated.clear_counts()
    _native.reduce(device, *axes)
    assert emulated.counts()["cuLaunchKernel"] == n_launches
    is_single = cells[0] > shape[0]
    _native.reduce(device, *axes, "mean", "show", WANT)
    assert emulated.counts()["cuLaunchKernel"] == 2 * n_launches + is_single


def test_warm_calls_allocate_nothing(emulated):
    """Scratch memory is that of the first call, and small."""
    device = device_plane(np.random.default_rng(17).normal(size=(300, 2000)))
    axes = axes_of((300, 2000), (2, 3), ((0, 300), (0, 2000)))
    for agg in KINDS:
        _native.reduce(device, *axes, agg, "show", WANT)
    before = emulated.counts()
    allocated = _native.cuda_counts(0)["n_device_allocs"]
    for agg in KINDS:
        _native.reduce(device, *axes, agg, "show", WANT)
    assert _native.cuda_counts(0)["n_device_allocs"] == allocated
    for call in ("cuMemAllocFromPoolAsync", "cuMemAlloc_v2"):
        assert emulated.counts().get(call, 0) == before.get(call, 0)


def test_states_of_many_cells_take_turns(emulated):
    """Where partial results would take more than 16 MB, some rows of cells come after others."""
    _native.cuda_close()  # with what others have used
    row = np.arange(10, dtype=np.float32)
    device = device_plane(np.repeat(row[None], 8200, axis=0))
    axes = axes_of((8200, 10), (2, 20000), ((0, 8200), (0, 10)))
    emulated.clear_counts()
    got = _native.reduce(device, *axes)[0].numpy()
    assert emulated.counts()["cuLaunchKernel"] == 4
    assert np.array_equal(got, np.repeat([row, row], 2000, axis=1))
    assert _native.cuda_counts(0)["scratch_bytes"] <= 20 << 20


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED])
@pytest.mark.parametrize("call", ["cuLaunchKernel", "cuMemcpyHtoDAsync_v2", "execute"])
def test_failures_are_device_errors(emulated, call, code):
    """Whatever fails in the driver, the tensor stays usable and the next call works."""
    array = np.random.default_rng(18).normal(size=(100, 2000)).astype(np.float32)
    device, axes = device_plane(array), axes_of((100, 2000), (1, 2), ((0, 100), (0, 2000)))
    want = _native.reduce(device, *axes, "mean", "show", WANT)

    def compute():
        got = _native.reduce(device, *axes, "mean", "show", WANT)
        assert got[0].numpy().tobytes() == want[0].numpy().tobytes() and got[1] == want[1]

    assert fail_each_call(emulated, code, compute, call=call) > 0


def test_without_memory_for_parts_cells_are_not_cut(emulated):
    """A device that has no room for partial results gives the cells by one kernel; without any room it says so."""
    array = np.random.default_rng(19).normal(size=(100, 2000)).astype(np.float32)
    device, axes = device_plane(array), axes_of((100, 2000), (1, 2), ((0, 100), (0, 2000)))
    want = _native.reduce(host_plane(array), *axes)[0].numpy()
    outcomes = []
    for nth in range(1, 20):
        _native.cuda_close()
        emulated.clear_counts()
        emulated.fail("cuMemAllocFromPoolAsync", nth)
        try:
            got = _native.reduce(device, *axes)[0].numpy()
            np.testing.assert_allclose(got, want, rtol=1e-12)
            outcomes.append(emulated.counts()["cuLaunchKernel"])
        except DeviceError:
            outcomes.append("DeviceError")
        failed = emulated.failures()
        emulated.reset()
        if not failed:
            break
    assert set(outcomes) <= {"DeviceError", 1, 2} and outcomes[-1] == 2
    assert 1 in outcomes or 2 in outcomes[:-1], outcomes
