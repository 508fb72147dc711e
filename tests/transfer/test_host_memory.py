"""Available memory of machines and control groups, errors for results that do not fit, and the memory of conversions."""

from pathlib import Path

import numpy as np
import pytest
from resident_memory import peak_bytes_of

import gpuplot
from gpuplot.transfer import memory, output

A = np.arange(24, dtype="f4").reshape(4, 6)
host = pytest.mark.host("arrays of the host have memory to share")


def test_a_result_that_does_not_fit_is_refused_before_anything_is_done(monkeypatch, tmp_path):
    monkeypatch.setattr(output, "check_room", lambda n, what: memory.check_room(n * 2**30, what))
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**33)
    with pytest.raises(MemoryError, match=r"the array takes 192 GB and 8 GB of host memory are available.*out=.*memmap"):
        gpuplot.asnumpy(np.zeros((4, 6)), "i8")
    gpuplot.asnumpy(A, out=np.lib.format.open_memmap(tmp_path / "x.npy", "w+", "i2", A.shape))
    assert gpuplot.asnumpy(A[:1, :2], "i1").tolist() == [[0, 1]]


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Files of a system of one's own: system(name, text) writes one below /proc or /sys/fs/cgroup."""
    monkeypatch.setattr(memory, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path / "cgroup")

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return write


def test_memory_of_the_machine(system):
    assert memory.available_bytes() is None  # nothing is known: nothing is refused
    memory.check_room(2**60, "the array")
    system("proc/meminfo", "MemTotal: 100 kB\nMemAvailable:    2048 kB\n")
    assert memory.available_bytes() == 2**21


@pytest.mark.parametrize("limit, left", [("max\n", 2**33), ("4000000\n", 4000000 - 3000000 + 500), ("1000\n", 0)])
def test_memory_of_control_groups(system, limit, left):
    system("proc/meminfo", "MemAvailable: 8388608 kB\n")
    system("proc/self/cgroup", "0::/jobs/7\n")
    system("cgroup/jobs/memory.max", limit)
    system("cgroup/jobs/memory.current", "3000000\n")
    system("cgroup/jobs/memory.stat", "anon 1\nactive_file 200\ninactive_file 300\n")
    system("cgroup/jobs/7/memory.max", "max\n")
    assert memory.available_bytes() == left


def test_memory_of_control_groups_of_version_one(system):
    system("proc/meminfo", "MemAvailable: 8388608 kB\n")
    system("proc/self/cgroup", "3:cpu,memory:/not/here\n1:name=x:/\n")
    system("cgroup/memory/memory.limit_in_bytes", "5000\n")
    system("cgroup/memory/memory.usage_in_bytes", "4000\n")
    assert memory.available_bytes() == 1000
    system("cgroup/memory/memory.stat", "active_file 1\ninactive_file 1\ntotal_active_file 300\ntotal_inactive_file 400\n")
    assert memory.available_bytes() == 1700


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="a system without /proc")
def test_memory_of_this_machine():
    assert 2**20 < memory.available_bytes() < 2**50


@host
def test_conversions_take_memory_for_the_result_alone():
    """Whatever the layout: nothing of the tensor's size is made on the way."""
    x, out = np.broadcast_to(np.arange(8192, dtype="f8")[:, None], (8192, 8192)), np.ones((8192, 8192), "f2")
    gpuplot.asnumpy(x[:100, :100], "f2")
    for source in (x, x.T, x[::-1]):
        assert peak_bytes_of(lambda source=source: gpuplot.asnumpy(source, out=out)) < 40 * 2**20


def test_more_elements_than_memory_are_refused_and_not_tried():
    for dtype in (None, "f8"):
        with pytest.raises(MemoryError, match="the array takes .* are available"):
            gpuplot.asnumpy(np.broadcast_to(np.float32(1), (2**20, 2**20, 2**10)), dtype, copy=True)
