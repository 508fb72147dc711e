"""Costs of transfers from a device: pinned results and their budget, device memory, and no work for calls that fail."""

import gc
from types import SimpleNamespace

import foreign_arrays as foreign
import numpy as np
import pytest
from foreign_checks import A
from on_device import there

import gpuplot
from gpuplot import _native
from gpuplot.errors import DeviceError
from gpuplot.transfer import output

MIB = 2**20


@pytest.fixture
def costs(emulated):
    """costs(call): what a call adds to the counts of device 0; pinned results that lived have been let go before."""
    gc.collect()
    emulated.drain()

    def of(call):
        before = _native.cuda_counts(0)
        result = call()
        after = _native.cuda_counts(0)
        return SimpleNamespace(result=result, **{name: n - before[name] for name, n in after.items()})
    return of


@pytest.fixture
def pinned_budget(monkeypatch):
    """pinned_budget(megabytes): from now on pinned results may take so much; no blocks are kept from before."""
    gc.collect()
    _native.cuda_close()
    yield lambda megabytes: monkeypatch.setenv("GPUPLOT_PINNED_MB", str(megabytes))
    gc.collect()


def test_results_are_pinned_and_their_memory_is_used_again(emulated, costs, pinned_budget):
    pinned_budget(64)
    source = there(np.arange(MIB, dtype="f4").reshape(512, 2048)[:, ::-1])
    first = gpuplot.asnumpy(source)
    address = first.ctypes.data
    assert emulated.attributes(address)["type"] == 1
    del first
    gc.collect()
    cost = costs(lambda: gpuplot.asnumpy(source))
    assert cost.result.ctypes.data == address and cost.n_pinned_allocs == cost.n_device_allocs == 0
    assert cost.bytes_to_host == cost.result.nbytes and cost.pinned_live_bytes == cost.result.nbytes
    second = gpuplot.asnumpy(source)
    assert second.ctypes.data != address
    np.testing.assert_array_equal(second, cost.result)


def test_small_results_are_ordinary_memory(emulated, costs):
    for n, is_pinned in ((MIB // 4 - 1, False), (MIB // 4, True)):
        cost = costs(lambda n=n: gpuplot.asnumpy(there(np.arange(n, dtype="f4"))))
        assert (cost.pinned_live_bytes > 0) == is_pinned
        del cost
        gc.collect()


def test_the_budget_is_kept(emulated, costs, pinned_budget):
    pinned_budget(8)
    source = there(np.arange(MIB, dtype="f4"))
    results = [gpuplot.asnumpy(source) for _ in range(4)]
    assert _native.cuda_counts(0)["pinned_live_bytes"] <= 8 * MIB
    kinds = [emulated.attributes(result.ctypes.data)["type"] for result in results]
    assert kinds == [1, 1, 0, 0]
    for result in results:
        np.testing.assert_array_equal(result, source.owner)
    assert gpuplot.show_config("dicts")["CUDA backend"]["pinned results"] == "up to 8 MB (GPUPLOT_PINNED_MB)"
    pinned_budget(0)
    assert costs(lambda: gpuplot.asnumpy(source)).pinned_live_bytes == 0


def test_out_in_pinned_memory_is_written_without_a_stop(emulated, costs):
    """And nothing pinned is made for it, whoever made it."""
    values = np.arange(2 * MIB, dtype="f4").reshape(1024, 2048)
    source = there(values.T)
    with emulated.allocate(8 * MIB, "pinned") as memory:
        out = memory.host_view("f4").reshape(2048, 1024)
        gpuplot.asnumpy(source, out=out)
        cost = costs(lambda: gpuplot.asnumpy(source, out=out))
        np.testing.assert_array_equal(out, values.T)
        assert cost.n_pinned_allocs == cost.pinned_bytes == 0


def test_large_results_go_through_the_ring(emulated, costs, pinned_budget):
    """Whatever they take: device memory and pinned memory are those of some chunks, and each byte comes once."""
    pinned_budget(4)
    values = np.arange(6 * MIB, dtype="f4").reshape(3, 1024, 2048)
    source = there(values.transpose(2, 0, 1))
    gpuplot.asnumpy(source, "f8")
    cost = costs(lambda: gpuplot.asnumpy(source, "f8"))
    np.testing.assert_array_equal(cost.result, values.transpose(2, 0, 1))
    assert cost.result.nbytes == 48 * MIB == cost.bytes_to_host
    assert cost.pinned_live_bytes == cost.n_pinned_allocs == cost.n_device_allocs == 0
    assert _native.cuda_counts(0)["pinned_kept_bytes"] <= 48 * MIB


def test_extra_device_memory_is_bounded(emulated, costs):
    source = there(np.broadcast_to(np.arange(2048, dtype="f8")[:, None], (2048, 5000)))
    used = emulated.memory_used()
    seen = []
    gpuplot.asnumpy(source, "f4", progress=lambda *numbers: seen.append(emulated.memory_used() - used))
    del source
    gc.collect()
    assert max(seen) <= 64 * MIB + 2048 * 8 + 4096


def test_pinned_results_outlive_everything_else(emulated, pinned_budget):
    pinned_budget(64)
    values = np.arange(MIB // 2, dtype="f4")
    result = gpuplot.asnumpy(there(values))
    part = result[1000:]
    del result
    gc.collect()
    _native.cuda_close()
    np.testing.assert_array_equal(part, values[1000:])
    del part
    gc.collect()
    np.testing.assert_array_equal(gpuplot.asnumpy(there(values)), values)


# ---- nothing is started in vain ------------------------------------------------------------------------------------------


def test_refusals_come_before_anything_is_exported_or_launched(runtime, emulated, costs, monkeypatch):
    X = foreign.CupyArray(runtime, A)
    z = foreign.CupyArray(runtime, A.astype("c8"))
    gpuplot.asnumpy(X), gpuplot.asnumpy(z)
    cases = [
        (X, {"copy": False}, ValueError, "copy=False, and a copy is needed: the elements are in CUDA memory"),
        (X, {"out": np.empty((2, 2))}, ValueError, "out has shape"),
        (X, {"out": np.empty(A.shape, ">i4")}, ValueError, "byte order"),
        (z, {"dtype": "f4"}, TypeError, r"choose X\.real"),
        (X, {"dtype": "complex32"}, TypeError, "complex64"),
    ]
    for tensor, keywords, kind, message in cases:
        def refused(tensor=tensor, keywords=keywords, kind=kind, message=message):
            with pytest.raises(kind, match=message):
                gpuplot.asnumpy(tensor, **keywords)
        cost = costs(refused)
        assert cost.n_launches == cost.bytes_to_host == cost.pinned_live_bytes == 0
        assert tensor.n_exports == tensor.n_releases


def test_a_result_that_does_not_fit_is_not_begun(runtime, emulated, costs, monkeypatch):
    X = foreign.CupyArray(runtime, A)
    gpuplot.asnumpy(X)

    def no_room(n_bytes, what):
        raise MemoryError(f"{what} of {n_bytes}")
    monkeypatch.setattr(output, "check_room", no_room)

    def refused(**keywords):
        with pytest.raises(MemoryError, match="the array of 96"):
            gpuplot.asnumpy(X, **keywords)
    for keywords in ({}, {"blocking": False}):
        assert costs(lambda keywords=keywords: refused(**keywords)).n_launches == 0
    assert X.n_exports == X.n_releases
    np.testing.assert_array_equal(gpuplot.asnumpy(X, out=np.empty(A.shape, "f4")), A)


def test_no_transfer_while_a_graph_is_captured(runtime, emulated, own_stream):
    X = foreign.CupyArray(runtime, A, stream=own_stream)
    runtime.streams[0] = own_stream
    emulated.drain()
    with emulated.capture(own_stream), pytest.raises(DeviceError, match="capturing a CUDA graph"):
        gpuplot.asnumpy(X, blocking=False)
    np.testing.assert_array_equal(gpuplot.asnumpy(X), A)
