"""Sums of a few rows in 32 bits before they go to float64: exact ones of 8-bit floats, and pairs where float64 is slow."""

import math
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import reference
from device_planes import device_plane
from device_reductions import WANT
from stored_tensors import REAL
from watched_process import WITHOUT_FORK_WARNINGS

from gpuplot import _native

FLOAT8 = tuple(name for name in REAL if name.startswith("float8"))


def extreme_codes(dtype):
    """The codes of the largest and of the smallest positive element."""
    values = np.asarray(reference.load(np.arange(256, dtype=np.uint8), dtype), np.float64)
    is_positive = np.isfinite(values) & (values > 0)
    return np.argmax(np.where(is_positive, values, -np.inf)), np.argmin(np.where(is_positive, values, np.inf))


@pytest.mark.parametrize("n_before", [0, 1], ids=["aligned", "dense"])
@pytest.mark.parametrize("want", [0, WANT], ids=["cells", "cells and limits"])
@pytest.mark.parametrize("dtype", FLOAT8)
def test_sums_of_float8_are_exact(emulated, dtype, want, n_before):
    """A thread has more large elements of a column than float32 adds up beside the smallest one without a loss."""
    largest, smallest = extreme_codes(dtype)
    codes = np.full((600, n_before + 16000), largest, np.uint8)[:, n_before:]  # so wide that a column is not cut into parts
    codes[::97, ::3] = smallest
    axes = _native.Axis(600, 0, 600, 1), _native.Axis(codes.shape[1], 0, codes.shape[1], codes.shape[1])
    got = _native.reduce(device_plane(codes, dtype), *axes, "sum", "show", want)[0].numpy()
    mixed, large = (math.fsum(np.asarray(reference.load(codes[:, k], dtype), np.float64)) for k in range(2))
    assert np.array_equal(got[0], np.where(np.arange(codes.shape[1]) % 3, large, mixed))


# ---- devices whose float64 is slow ------------------------------------------------------------------------------------------


@pytest.fixture
def run_on(emulated_library):
    """Runs lines of Python on an emulated device of a compute capability; what they printed."""

    def run_lines(capability, lines):
        begin = f"import sys; sys.path[:0] = {[entry for entry in sys.path if entry]!r}\n" + textwrap.dedent("""
            import emulated_device
            device = emulated_device.load()
            import numpy as np
            from device_planes import device_plane
            from device_reductions import WANT, check, planes, views_of
            from gpuplot import _native
            from stored_tensors import CODED, storage_of
        """)
        done = subprocess.run([sys.executable, "-c", begin + textwrap.dedent(lines)], check=False, capture_output=True, text=True,
                              timeout=600, env={**os.environ, **WITHOUT_FORK_WARNINGS, "EMU_CAPABILITY": str(capability)})
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run_lines


@pytest.mark.parametrize(("capability", "total"), [(75, 1), (80, 0), (89, 0), (90, 0)])
def test_pairs_are_for_devices_whose_float64_is_slow(run_on, capability, total):
    """A pair of float32 keeps what float64 rounds off beside 2**60, and so tells which of the two added up.

    The emulated compiler knows no 8.9, and compiles for 8.0 instead, whose float64 is quick.
    """
    assert run_on(capability, """
        column = np.repeat(np.array([[2.0**60], [1], [-(2.0**60)], [0]], np.float32), 8, axis=1)
        axes = _native.Axis(4, 0, 4, 1), _native.Axis(8, 0, 8, 8)
        print(_native.reduce(device_plane(column), *axes, "sum")[0].numpy().tolist(), device.problems())
    """).strip() == f"{[[float(total)] * 8]} []"


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_pairs_give_what_the_cpu_gives(run_on, dtype):
    """In narrow and wide cells, of few and of many rows, with elements that are not finite and without."""
    assert run_on(75, f"""
        dtype, rng = {dtype!r}, np.random.default_rng(4)
        for shape, cells in (((23, 100), (3, 9)), ((700, 90), (2, 11)), ((40, 3000), (2, 2)), ((2, 20000), (1, 3)), ((200, 300), (1, 1)),
                             ((9, 40), (20, 100))):
            for n_bad in 0, 3:
                for layout in slice(None), slice(1, None), slice(None, None, 3):
                    stored = storage_of(rng, dtype, shape, n_bad)[:, layout]
                    host, device_side, largest = planes(stored, dtype)
                    for view in views_of(stored.shape)[:2]:
                        for agg, nan, want in ("mean", "show", 0), ("sum", "show", WANT), ("mean", "skip", WANT):
                            check(host, device_side, cells, view, agg, nan, largest, want)
        print(device.problems())
    """).strip() == "[]"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("shape", [(64, 48), (4, 20000)], ids=["narrow", "wide"])
def test_pairs_that_leave_the_range_of_float32_are_added_up_in_float64(run_on, dtype, shape):
    assert run_on(75, f"""
        dtype, shape = {dtype!r}, {shape!r}
        values = np.full(shape, 3e38, np.float32) * np.where(np.arange(shape[1]) % 3, 1, -1).astype(np.float32)
        values[::5, ::7] = 1e30
        stored = (values.view(np.uint32) >> 16).astype(np.uint16) if dtype == "bfloat16" else values
        host, device_side, largest = planes(stored, dtype)
        for cells in (1, 16), (1, 2), (1, 1):
            for agg in "mean", "sum":
                check(host, device_side, cells, views_of(shape)[0], agg, "show", largest, WANT)
        print(device.problems())
    """).strip() == "[]"
