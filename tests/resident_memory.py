"""How much resident memory this process has, and had at most during a call."""

import gc
from pathlib import Path

import pytest

__all__ = ["peak_bytes_of", "status_bytes"]


def status_bytes(field):
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def peak_bytes_of(call):
    """The peak of resident memory during a call, in bytes above that before it."""
    try:
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pytest.skip("this system does not tell its peak of memory")
    before = status_bytes("VmRSS")
    call()
    return status_bytes("VmHWM") - before
