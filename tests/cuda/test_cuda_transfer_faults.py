"""Large conversions of emulated device memory with little memory, failing calls, and captures at the same time."""

import numpy as np
import pytest
from device_conversions import converted, example_values, moved
from device_planes import fail_each_call
from emulated_device import INVALID_CONTEXT, LAUNCH_FAILED, OUT_OF_MEMORY
from on_device import lend

from gpuplot import DeviceError, _native


@pytest.fixture(scope="module")
def values():
    return example_values()


# ---- short memory ------------------------------------------------------------------------------------------------------


def test_little_device_memory(emulated, values):
    """Smaller chunks where the device has no room for larger ones."""
    tensor = lend(values.T)
    _native.cuda_close()
    converted(lend(values[:9, :9]), np.float64)  # the device's own state is there again
    emulated.set_memory_limit(emulated.memory_used() + 300_000)
    try:
        counted, calls = moved(emulated, tensor, out := np.empty(values.T.shape, np.float64), "float64")
    finally:
        emulated.set_memory_limit(0)
    assert (out == values.T).all()
    assert counted["bytes_to_host"] == out.nbytes
    assert calls["cuLaunchKernel"] >= values.size * 8 // 150_000


@pytest.mark.parametrize("n_refused", [1, 2, 3])
def test_little_pinned_memory(emulated, values, n_refused):
    """The same for pinned memory; what was only kept goes first."""
    _native.cuda_close()
    tensor = lend(values)
    for _ in range(n_refused):
        emulated.fail("cuMemHostAlloc", 1, OUT_OF_MEMORY)
    assert (converted(tensor, np.float32) == values).all()
    assert emulated.failures() == n_refused


def test_no_memory_at_all(emulated, values):
    """One error that says so, and the next transfer is right."""
    _native.cuda_close()
    tensor = lend(values.T)
    for call in ("cuMemAllocFromPoolAsync", "cuMemHostAlloc"):
        _native.cuda_close()
        out = np.full(values.T.shape, 3.0)
        emulated.fail(call, 1, OUT_OF_MEMORY, sticky=True)
        with pytest.raises(DeviceError, match="OUT_OF_MEMORY.*be pinned" if call == "cuMemHostAlloc" else "OUT_OF_MEMORY.*free some GPU"):
            converted(tensor, np.float64, out=out)
        emulated.clear_failures()
        assert (out == 3).all()
        assert (converted(tensor, np.float64) == values.T).all()


# ---- failures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED, INVALID_CONTEXT])
@pytest.mark.parametrize("pace", ["eager", "late"])
def test_failing_calls(emulated, values, pace, code):
    """Whichever call of the driver fails, warm: one DeviceError, nothing queued, nothing lost, and the next transfer is right."""
    part = values[:512, :520].T
    tensor = lend(part)

    def compute():
        assert (converted(tensor, np.float32) == part).all()

    with emulated.mode("forward", pace):
        compute()
        live = sorted(emulated.leaks())
        assert fail_each_call(emulated, code, compute, step=1 if pace == "eager" else 3) > 30
        assert sorted(emulated.leaks()) == live
    assert _native.cuda_counts(0)["pinned_live_bytes"] == 0


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED])
def test_failing_first_calls(emulated, values, code):
    """The same where everything is made anew."""
    tensor = lend(values.T)

    def compute():
        _native.cuda_close()
        assert (converted(tensor, np.float32) == values.T).all()

    assert fail_each_call(emulated, code, compute, step=3) > 40


def test_a_failing_kernel(emulated, values):
    """A sticky error ends the transfer, says what failed, and stays until the context is well again."""
    tensor = lend(values.T)
    converted(tensor, np.float32)
    for nth in (1, 2, 5):
        emulated.fail("execute", nth, LAUNCH_FAILED)
        with emulated.mode("forward", "late"), pytest.raises(DeviceError, match="LAUNCH_FAILED"):
            converted(tensor, np.float32)
        with pytest.raises(DeviceError, match="LAUNCH_FAILED"):
            converted(tensor, np.float32)
        emulated.reset()
        assert (converted(tensor, np.float32) == values.T).all()


def test_while_this_thread_captures(emulated, values):
    """Waits and allocations spoil no graph that the thread captures on another stream."""
    tensor = lend(values.T)
    _native.cuda_close()
    with emulated.stream() as stream, emulated.capture(stream):
        assert (converted(tensor, np.float32) == values.T).all()
