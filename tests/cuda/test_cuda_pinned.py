"""The pool of pinned memory: its budget, reuse, finalizers, forked children, and the closing of devices."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from emulated_device import OUT_OF_MEMORY
from on_device import lend

from gpuplot import DeviceError, _native

MB = 1 << 20


@pytest.fixture
def pool(emulated):
    """The pool, emptied."""
    gc.collect()
    _native.cuda_close()
    assert counts()["pinned_live_bytes"] == counts()["pinned_kept_bytes"] == 0
    _native.cuda_close()
    yield emulated
    gc.collect()
    assert counts()["pinned_live_bytes"] == 0


def counts():
    return _native.cuda_counts(0)


@pytest.fixture
def pinned_lines(pool):
    """A function: what is pinned now, but for what a failing call let leak in a test before."""

    def lines():
        return {line for line in pool.leaks() if "pinned" in line}

    before = lines()
    return lambda: lines() - before


def test_a_block_is_memory(pool):
    """A block can be written as a whole, and is reused after it is freed."""
    array = _native.pinned_empty(0, 3 * MB)
    array[...] = 7
    view, address = array[MB:][::2], array.ctypes.data
    del array
    assert (view == 7).all()
    assert counts()["pinned_live_bytes"] == 3 * MB
    del view
    assert counts()["pinned_kept_bytes"] == 3 * MB
    pool.clear_counts()
    again = _native.pinned_empty(1, 3 * MB - 5000)  # of nearly this size, for any device
    assert again.ctypes.data == address
    assert "cuMemHostAlloc" not in pool.counts()


def test_a_block_is_not_used_for_much_less(pool):
    """A small result does not take a large kept block."""
    address = _native.pinned_empty(0, 16 * MB).ctypes.data
    small = _native.pinned_empty(0, MB)
    assert small.ctypes.data != address


def test_what_is_given_back_spoils_no_capture(pool, pinned_lines, monkeypatch):
    """A kept block is freed for a larger one while a graph is being captured."""
    monkeypatch.setenv("GPUPLOT_PINNED_MB", "8")
    _native.pinned_empty(0, 5 * MB)
    pool.clear_counts()
    with pool.stream() as stream, pool.capture(stream):
        assert _native.pinned_empty(0, 6 * MB) is not None
    assert pool.counts()["cuMemFreeHost"] == 1
    assert len(pinned_lines()) == 1


def test_budget(pool, monkeypatch):
    """Live and kept blocks together stay below the budget: kept ones are freed first, then there is no block."""
    monkeypatch.setenv("GPUPLOT_PINNED_MB", "8")
    one = _native.pinned_empty(0, 5 * MB)
    assert _native.pinned_empty(0, 4 * MB) is None
    two = _native.pinned_empty(0, 3 * MB)
    assert two is not None
    del one
    assert counts()["pinned_kept_bytes"] == 5 * MB
    three = _native.pinned_empty(0, 2 * MB)  # the kept block is too large for it, and makes room
    assert three is not None
    assert counts()["pinned_kept_bytes"] == 0
    assert counts()["pinned_live_bytes"] == 5 * MB
    assert _native.pinned_empty(0, 9 * MB) is None


@pytest.mark.parametrize(("text", "is_there"), [("0", False), ("-3", False), ("", True), ("many", True),
                                                ("99999999999999999999", True), ("1", False)])
def test_budget_in_words(pool, monkeypatch, text, is_there):
    """GPUPLOT_PINNED_MB: 0 switches pinned results off; values that are no numbers are ignored."""
    monkeypatch.setenv("GPUPLOT_PINNED_MB", text)
    assert (_native.pinned_empty(0, 2 * MB) is not None) == is_there


def test_transfers_do_without_a_budget(pool, monkeypatch):
    """The budget is for results: transfers get chunks without it, which are kept for the next one."""
    monkeypatch.setenv("GPUPLOT_PINNED_MB", "0")
    array = np.random.default_rng(0).normal(size=(600, 500))
    tensor, out = lend(array), np.empty(array.shape, np.float32)
    _native.convert(tensor, out, "float32")
    pool.clear_counts()
    _native.convert(tensor, out, "float32")
    assert (out == array.astype(np.float32)).all()
    assert "cuMemHostAlloc" not in pool.counts()


def test_chunks_are_kept_beside_results_that_fill_the_budget(pool, monkeypatch):
    """The tensors of a model, all brought and all kept, pin memory for chunks once."""
    monkeypatch.setenv("GPUPLOT_PINNED_MB", "4")
    array = np.random.default_rng(0).normal(size=(600, 500))
    tensor, out = lend(array), np.empty(array.shape, np.float32)
    held = [_native.pinned_empty(0, 2 * MB), _native.pinned_empty(0, 2 * MB)]
    _native.convert(tensor, out, "float32")
    pool.clear_counts()
    _native.convert(tensor, out, "float32")
    assert (out == array.astype(np.float32)).all()
    assert "cuMemHostAlloc" not in pool.counts()
    del held


def test_chunks_give_way_afterwards(pool, monkeypatch):
    """Chunks kept beyond the budget are freed when the next transfer ends."""
    array = np.ones((4096, 4097), np.uint8)
    tensor, out = lend(array), np.empty(array.shape, np.uint8)
    held = [_native.pinned_empty(0, 60 * MB), _native.pinned_empty(0, 60 * MB)]
    _native.convert(tensor, out, "uint8")
    assert counts()["pinned_kept_bytes"] > 0
    monkeypatch.setenv("GPUPLOT_PINNED_MB", "80")
    _native.convert(tensor, out, "uint8")
    assert counts()["pinned_kept_bytes"] == 0
    del held


def test_no_more_pinned_memory(pool):
    """Where the system has no more, results are ordinary memory; other failures are told, and nothing is counted as live."""
    pool.fail("cuMemHostAlloc", 1, OUT_OF_MEMORY, sticky=True)
    assert _native.pinned_empty(0, MB) is None
    pool.clear_failures()
    for call in ("cuMemHostAlloc", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2"):
        pool.fail(call, 1, 100)
        with pytest.raises(DeviceError, match="NO_DEVICE"):
            _native.pinned_empty(0, MB)
        pool.clear_failures()
    assert counts()["pinned_live_bytes"] == 0
    assert _native.pinned_empty(0, MB) is not None


def test_kept_blocks_make_room_for_the_driver(pool):
    """When the driver has no more memory, kept blocks are freed and it is called again."""
    del (block := [_native.pinned_empty(0, 4 * MB)])[:]
    pool.fail("cuMemHostAlloc", 1, OUT_OF_MEMORY)
    array = _native.pinned_empty(0, 32 * MB)
    assert array.size == 32 * MB
    assert counts()["pinned_kept_bytes"] == 0
    assert block == []


def test_arrays_outlive_the_devices(pool, pinned_lines):
    """cuda_close leaves pinned memory in use, and its context; after it is freed the next result reuses it."""
    before = sorted(pool.leaks())
    array = _native.pinned_empty(1, MB)
    array[...] = 3
    del (kept := [_native.pinned_empty(0, MB)])[:]
    _native.cuda_close()
    assert kept == []
    assert len(pinned_lines()) == 1
    assert (array == 3).all()
    address = array.ctypes.data
    del array
    again = _native.pinned_empty(0, MB)
    assert again.ctypes.data == address
    again[...] = 4
    del again
    _native.cuda_close()
    assert sorted(pool.leaks()) == before


def test_from_many_threads(pool):
    """Blocks are allocated in some threads and freed in others."""
    n_right = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(30):
            n_bytes = int(rng.integers(1, 3 * MB))
            array = _native.pinned_empty(int(rng.integers(2)), n_bytes)
            array[:] = seed
            n_right.append(int((array[:: max(1, n_bytes // 50)] == seed).all()))
            thread = threading.Thread(target=lambda held: held.clear(), args=([array],))
            del array
            thread.start()
            thread.join()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(n_right) == 120
    assert counts()["pinned_kept_bytes"] <= 256 * MB


def test_let_go_while_the_device_is_busy(pool):
    """A finalizer does not wait: blocks are freed while another thread is inside the device, waiting for a copy."""
    array = np.ones((600, 700), np.float32)
    tensor, out, held = lend(array), np.zeros((600, 700), np.float32), [_native.pinned_empty(0, MB) for _ in range(5)]
    with pool.mode("forward", "late"):
        with pool.held_copies(60_000):
            thread = threading.Thread(target=lambda: _native.convert(tensor, out, "float32"))
            thread.start()
            while thread.is_alive() and not pool.waiting():
                time.sleep(0.001)
            held.clear()
            assert thread.is_alive()
        thread.join(600)
    assert (out == 1).all()


def test_a_forked_child_leaves_it_alone(pool):
    """A forked child frees its copies without a call of the driver; the parent's blocks are unchanged."""
    code = textwrap.dedent("""
        import gc, os, sys
        sys.path[:0] = {path!r}
        import emulated_device
        device = emulated_device.load()
        from gpuplot import DeviceError, _native
        import numpy as np
        from on_device import lend
        tensor, out = lend(np.ones((600, 500))), np.zeros((600, 500), np.float32)
        arrays = [_native.pinned_empty(0, 1 << 20) for _ in range(3)]
        arrays[0][...] = 5
        del arrays[1]
        child = os.fork()
        if child == 0:
            device.clear_counts()
            arrays.clear()
            gc.collect()
            n_told = 0
            for use in (lambda: _native.pinned_empty(0, 1 << 20), lambda: _native.convert(tensor, out, "float32")):
                try:
                    use()
                except DeviceError as error:
                    n_told += "fork" in str(error)
            os._exit(0 if n_told == 2 and not device.counts().get("cuMemFreeHost") and not out.any() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        counts = _native.cuda_counts(0)
        print(counts["pinned_live_bytes"] >> 20, counts["pinned_kept_bytes"] >> 20, (arrays[0] == 5).all())
    """).format(path=[entry for entry in sys.path if entry])
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=600, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["2", "1", "True"]
