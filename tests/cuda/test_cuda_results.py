"""Costs of copying pictures and cells from the emulated device to the host: copies, waits and memory."""

import numpy as np
import pytest
from foreign_arrays import CupyArray
from foreign_memory import Runtime

import gpuplot
from gpuplot import _native

A = np.random.default_rng(8).normal(size=(1300, 1100)).astype(np.float32)
# Shapes whose results are a megabyte and more.
CALLS = {"downsample": lambda X: gpuplot.downsample(X, (400, 400)), "to_rgba": lambda X: gpuplot.to_rgba(X, (600, 500)),
         "to_rgba of channels": lambda X: gpuplot.to_rgba(X, (600, 500), rgb=True)}
# (copies to the host, waits): the cells of a plane, with limits of elements and cells, and pixels, or of each channel; how many of
# these are NaN; the range of colors; the result.
COSTS = {"downsample": (1, 2), "to_rgba": (2, 1), "to_rgba of channels": (3, 6)}


def array_for(name):
    """The array that a call draws."""
    return np.random.default_rng(9).random((700, 600, 3)).astype(np.float32) if "channels" in name else A


@pytest.fixture
def runtime(emulated):
    return Runtime(emulated)


@pytest.mark.parametrize("name", CALLS)
def test_results_arrive_in_pinned_memory_by_one_copy(emulated, runtime, name):
    """And nothing waits for a chunk; a second result takes the first one's memory."""
    X, call = CupyArray(runtime, array_for(name)), CALLS[name]
    address = call(X).ctypes.data
    emulated.clear_counts()
    before = _native.cuda_counts(0)
    result = call(X)
    cost = {key: value - before[key] for key, value in _native.cuda_counts(0).items()}
    counts = emulated.counts()
    assert (counts["cuMemcpyDtoHAsync_v2"], counts["cuStreamSynchronize"]) == COSTS[name]
    assert "cuEventSynchronize" not in counts
    assert result.nbytes <= cost["bytes_to_host"] < result.nbytes + 400
    assert result.ctypes.data == address and cost["n_pinned_allocs"] == cost["n_device_allocs"] == 0
    assert cost["pinned_live_bytes"] >= result.nbytes
    np.testing.assert_array_equal(result, call(array_for(name)))


@pytest.mark.parametrize("name", CALLS)
def test_beyond_the_budget_results_are_ordinary_memory(emulated, runtime, monkeypatch, name):
    monkeypatch.setenv("GPUPLOT_PINNED_MB", "0")
    X, live = CupyArray(runtime, array_for(name)), _native.cuda_counts(0)["pinned_live_bytes"]
    result = CALLS[name](X)
    assert _native.cuda_counts(0)["pinned_live_bytes"] == live
    np.testing.assert_array_equal(result, CALLS[name](array_for(name)))


def test_small_results_are_ordinary_memory(emulated, runtime):
    live = _native.cuda_counts(0)["pinned_live_bytes"]
    result = gpuplot.to_rgba(CupyArray(runtime, A), (500, 500))
    assert _native.cuda_counts(0)["pinned_live_bytes"] == live and result.nbytes < 2**20


def test_pictures_larger_than_a_chunk(emulated, runtime):
    """All chunks are queued at once, and waited for together."""
    X = CupyArray(runtime, A)
    gpuplot.to_rgba(X, (1200, 1000))
    emulated.clear_counts()
    picture = gpuplot.to_rgba(X, (1200, 1000))
    copies, _ = COSTS["to_rgba"]  # and one for limits of cells that are filtered, which comes later, as pixels do; two chunks
    assert (emulated.counts()["cuMemcpyDtoHAsync_v2"], emulated.counts()["cuStreamSynchronize"]) == (copies + 2, 3)
    np.testing.assert_array_equal(picture, gpuplot.to_rgba(A, (1200, 1000)))
