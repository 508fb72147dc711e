"""Planes and cells of host arrays, on the host and on an emulated device, for tests that hold one backend against the other."""

import ctypes

import numpy as np
import pytest
from effort import calls_to_fail, modes
from on_device import lend

from gpuplot import DeviceError, _native
from gpuplot.statistics.partial_summary import PartialSummary

__all__ = ["device_cells", "device_plane", "fail_each_call", "host_plane", "in_modes", "plane_of", "summary_of"]


def plane_of(tensor, component="value", **arguments):
    """The plane of a 2-D tensor, rows first."""
    uses = [(role, 0, 1, size, 0) for role, size in zip(("rows", "cols"), tensor.shape, strict=True)]
    return _native.Plane(tensor, uses, [], component, **arguments)


def host_plane(array, dtype=None, mask=None, component="value"):
    """The plane of a host array for the CPU backend."""
    return plane_of(_native.Tensor.from_array(array, dtype or array.dtype.name, mask), component)


def device_plane(array, dtype=None, mask=None, component="value"):
    """The plane of a copy of an array in emulated memory, with its layout."""
    return plane_of(lend(array, mask, dtype=dtype), component)


def device_cells(values, n_empty=0):
    """Cells with these values on the emulated device, followed by so many empty columns."""
    values = np.atleast_2d(np.asarray(values, np.float64))
    n_rows, n_cols = values.shape
    rows, cols = _native.Axis(n_rows, 0, n_rows, n_rows), _native.Axis(n_cols, 0, n_cols + n_empty, n_cols + n_empty)
    return _native.reduce(device_plane(values), rows, cols, "nearest")[0]


def in_modes(emulator, compute):
    """The result of `compute`, which must have the same bits in all modes of this run."""
    results = []
    for mode in modes():
        with emulator.mode(*mode):
            results.append(compute())
    for result in results[1:]:
        for first, other in zip(np.atleast_1d(results[0]), np.atleast_1d(result), strict=True):
            assert np.asarray(first).tobytes() == np.asarray(other).tobytes()
    return results[0]


def fail_each_call(emulator, code, compute, step=1, call="*"):
    """Let the first call of the driver that `compute` makes fail, then the second (or one `step` later), until none is left.

    Each failure is a DeviceError that names the call, or is got over: then `compute`, which checks its result, has to be right.
    Afterwards it works again. With `call` only calls of this name count. Only a whole run lets each of them fail. Returns how many
    calls a warm `compute` makes.
    """
    for nth in calls_to_fail(400, step):
        emulator.fail(call, nth, code)
        try:
            compute()
        except DeviceError as error:
            assert error.call.startswith("cu"), error
            assert error.call in str(error) and error.code in str(error), error
        n_failures = emulator.failures()
        emulator.reset()
        emulator.recover()
        # A driver that cannot even restore the thread's mode of capture is past helping.
        emulator.check("cuThreadExchangeStreamCaptureMode", ctypes.byref(ctypes.c_int(0)))
        emulator.clear_counts()
        compute()
        if n_failures == 0:
            counts = emulator.counts()
            return sum(counts.values()) if call == "*" else counts[call]
    pytest.fail("more than 400 calls of the driver")


def summary_of(plane):
    """The finished summary of all elements of a plane."""
    return PartialSummary.of_plane(plane).finish()
