"""What gpuplot takes of a real GPU's memory: little, once, and nothing for the size of the tensor."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import gpuplot
from gpuplot import _native

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).resolve().parents[2]
BUDGET_BYTES = 64 << 20


def drawing(tensor):
    """All that a user does with a tensor, at the size of a screen."""
    gpuplot.downsample(tensor, (800, 1000))
    gpuplot.downsample(tensor, (800, 1000), agg="std")
    gpuplot.to_rgba(tensor, (800, 1000), robust=True)
    gpuplot.to_rgba(tensor, (800, 1000), norm="eq_hist")
    gpuplot.stats(tensor)


@pytest.fixture
def large(torch, cuda):
    """A gigabyte."""
    tensor = torch.randn(16384, 16384, device="cuda")
    cuda.synchronize()
    yield tensor
    del tensor
    cuda.empty_cache()


def number_of(script):
    """What a script prints, in a process of its own: nothing is kept of tests before it."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "gpu")])})
    assert done.returncode == 0, done.stderr[-2000:]
    return int(done.stdout)


def test_a_gigabyte_is_drawn_with_64_megabytes(cuda):
    assert number_of("""
        import torch
        from gpuplot import _native
        from test_gpu_memory import drawing
        drawing(torch.randn(16384, 16384, device="cuda"))
        counts = _native.cuda_counts(0)
        print(counts["scratch_bytes"] + counts["cached_cells_bytes"])
    """) <= BUDGET_BYTES


def test_the_first_picture_takes_little_of_the_device(cuda):
    """By the driver's own word: memory, kernels' code and what the driver adds, in a process that torch has started."""
    assert number_of("""
        import torch, gpuplot
        tensor = torch.randn(16384, 16384, device="cuda")
        torch.cuda.synchronize()
        free = torch.cuda.mem_get_info()[0]
        gpuplot.to_rgba(tensor, (800, 1000), robust=True)
        print(free - torch.cuda.mem_get_info()[0])
    """) <= 2 * BUDGET_BYTES


def test_nothing_is_allocated_when_warm(cuda, large):
    drawing(large)
    drawing(large)
    cuda.synchronize()
    before, free, allocated = _native.cuda_counts(0), cuda.mem_get_info()[0], cuda.memory_allocated()
    cuda.reset_peak_memory_stats()
    for _ in range(5):
        drawing(large)
    after = _native.cuda_counts(0)
    for name in ("n_device_allocs", "n_pinned_allocs", "device_bytes", "pinned_bytes"):
        assert after[name] == before[name], name
    assert cuda.mem_get_info()[0] == free
    assert cuda.max_memory_allocated() == allocated, "torch was made to allocate"


def test_only_pixels_cross_to_the_host(cuda, large):
    gpuplot.to_rgba(large, (800, 1000), vmin=-3, vmax=3)
    before = _native.cuda_counts(0)
    gpuplot.to_rgba(large, (800, 1000), vmin=-3, vmax=3)
    after = _native.cuda_counts(0)
    assert after["bytes_to_host"] - before["bytes_to_host"] <= 800 * 1000 * 4 + 4096
    assert after["bytes_to_device"] - before["bytes_to_device"] <= 1 << 20


def test_the_host_needs_little(cuda, large):
    import resource

    drawing(large)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3):
        drawing(large)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 <= 32 << 20


def test_a_full_device_is_drawn_from(torch, cuda):
    """torch owns nearly all memory, as in training; what is kept already is enough."""
    tensor = torch.randn(4096, 4096, device="cuda")
    want = gpuplot.downsample(tensor, (100, 100))
    hogs, n_bytes = [], 8 << 30
    while n_bytes >= 16 << 20:
        try:
            hogs.append(torch.empty(n_bytes, dtype=torch.uint8, device="cuda"))
        except torch.OutOfMemoryError:
            n_bytes //= 2
    try:
        assert (gpuplot.downsample(tensor, (100, 100)) == want).all()
    finally:
        hogs.clear()
        cuda.empty_cache()
