"""Large conversions of emulated device memory: chunks in every mode of streams, counts, threads, and cancellation."""

import ctypes
import threading
import time

import numpy as np
import pytest
from device_conversions import converted, example_values, moved
from device_planes import in_modes
from emulated_device import OUT_OF_MEMORY
from on_device import lend

import gpuplot
from gpuplot import DeviceError, _native

MB = 1 << 20


@pytest.fixture(scope="module")
def values():
    return example_values()


# ---- chunks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", ["float32", "float64", "int8"])
@pytest.mark.parametrize("part", ["whole", "turned", "strided", "reversed"])
def test_every_mode(emulated, values, part, to):
    """Made, copied and unloaded at any pace: the same bits."""
    values = np.tile(values, (1, 4)) if to == "int8" else values
    array = {"whole": values, "turned": values.T, "strided": values[:, 1::2], "reversed": values[::-1]}[part]
    array = np.concatenate([array] * 2, axis=1) if part == "strided" else array
    want = converted(_native.Tensor.from_array(array, "float32"), to)
    assert want.nbytes >= MB
    assert in_modes(emulated, lambda: converted(lend(array), to)).tobytes() == want.tobytes()


SHAPES = [(3, 5, 7, 41, 73), (2, 160_001), (160_001, 2), (320_003,), (33, 100, 99), (1, 1_000_003), (9, 9, 9, 9, 49)]


@pytest.mark.parametrize("shape", SHAPES)
def test_borders_of_chunks(emulated, shape):
    """Boxes of odd sizes, along whichever axis: nothing is left out and nothing is written twice at the wrong place."""
    array = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    for part in (array, array.T, np.moveaxis(array, 0, -1)[..., ::-1]):
        assert (converted(lend(part), np.int32) == part).all()
        assert (converted(lend(part), np.float64) == part).all()


@pytest.mark.parametrize("pace", ["eager", "late", "random"])
def test_targets_with_gaps(emulated, values, pace):
    """The host puts elements where they belong, and writes nothing beside them."""
    with emulated.mode("forward", pace):
        for source in (values, values.T):
            whole = np.full((source.shape[0], 2, source.shape[1] + 5), -7.5, np.float32)
            out = whole[:, 1, 3:-2]
            converted(lend(source), np.float32, out=out)
            assert (out == source).all()
            out[...] = -7.5
            assert (whole == -7.5).all()
            turned = np.zeros(source.shape[::-1], np.float64).T
            assert (converted(lend(source), np.float64, out=turned[::-1]) == source).all()


def test_little_with_gaps(emulated):
    """A target with gaps takes this way whatever its size."""
    whole = np.zeros((9, 8))
    converted(lend(np.arange(20, dtype=np.uint8).reshape(5, 4)), np.float64, out=whole[::2, 1::2])
    assert np.array_equal(whole[::2, 1::2], np.arange(20).reshape(5, 4))
    assert whole.sum() == np.arange(20).sum()


def test_masks(emulated, values):
    """Chunks know their part of the mask."""
    mask = np.random.default_rng(2).random(values.shape) < 0.1
    for array, where in ((values, mask), (values.T, mask.T), (values[:, ::-1], mask)):
        got = converted(lend(array, where), np.float32)
        assert np.array_equal(got, np.where(where, np.nan, array), equal_nan=True)


def test_after_its_producer(emulated):
    """Copies wait for what the producer had queued, with a kernel before them or without."""
    want = np.arange(400_000, dtype=np.float32).reshape(500, 800)
    for order, to in (("C", "float32"), ("F", "float32"), ("C", "float64")):
        with emulated.mode("forward", "late"), emulated.stream() as stream, emulated.allocate(want.nbytes) as memory:
            memory.write_late(want if order == "C" else want.T, stream)
            shape, strides = want.shape, want.strides if order == "C" else want.T.copy().T.strides
            tensor = _native.Tensor.from_cuda(memory.pointer, shape, strides, "float32", 0, False, 0, None, memory)
            _native.cuda_order_after(0, stream)
            assert (converted(tensor, to) == want).all()


@pytest.mark.parametrize("kind", ["device", "managed", "pool", "pinned"])
def test_kinds_of_memory(emulated, values, kind):
    """Managed, stream-ordered and mapped host memory are read as memory of the device, with and without a kernel."""
    with emulated.upload(values, kind) as memory:
        pointer = emulated.device_pointer(memory.pointer) if kind == "pinned" else memory.pointer
        for n_rows in (40, 700):
            array = values[:n_rows]
            for part in (array, array.T):
                tensor = _native.Tensor.from_cuda(pointer, part.shape, part.strides, "float32", 0, False, 0, None, memory)
                for to in ("float32", "float64"):
                    assert (converted(tensor, to) == part).all()


# ---- counts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "to"), [("whole", "float32"), ("turned", "float32"), ("turned", "float64")])
def test_a_warm_transfer_allocates_nothing(emulated, values, part, to):
    """And brings each byte of the target once; device memory is that of two chunks."""
    tensor = lend(values if part == "whole" else values.T)
    out = converted(tensor, to)
    counted, calls = moved(emulated, tensor, out, to)
    assert counted["bytes_to_host"] == out.nbytes
    assert counted["n_device_allocs"] == counted["n_pinned_allocs"] == 0
    assert counted["pinned_live_bytes"] == counted["pinned_kept_bytes"] == 0
    assert not {"cuMemAlloc_v2", "cuMemAllocFromPoolAsync", "cuMemHostAlloc", "cuStreamCreate", "cuModuleLoadData"} & set(calls)
    assert calls["cuEventCreate"] == calls["cuEventDestroy_v2"]
    assert ("cuLaunchKernel" in calls) == (part != "whole")
    assert 4 <= calls["cuMemcpyDtoHAsync_v2"] <= 16


@pytest.mark.parametrize("is_touched", [False, True])
def test_memory_of_a_large_transfer(emulated, is_touched):
    """Two chunks of 8 MB on the device and 32 MB of pinned memory, however large the tensor is; to new memory and to old."""
    _native.cuda_close()
    raw = np.empty(48 * MB + 100, np.uint8)
    if is_touched:
        raw[...] = 9
    out = raw[37:-63].reshape(3, 16 * MB)
    with emulated.upload(np.array([5, 6, 7], np.uint8)) as memory:
        tensor = _native.Tensor.from_cuda(memory.pointer, out.shape, (1, 0), "uint8", 0, False, 0, None, memory)
        used = emulated.memory_used()
        counted, calls = moved(emulated, tensor, out, "uint8")
        assert emulated.memory_used() - used == 16 * MB
    assert counted["device_bytes"] == 16 * MB
    assert counted["pinned_bytes"] == 32 * MB
    assert counted["bytes_to_host"] == 48 * MB
    assert calls["cuLaunchKernel"] == calls["cuMemcpyDtoHAsync_v2"] == 6
    assert (out.min(axis=1) == [5, 6, 7]).all()
    assert (out.max(axis=1) == [5, 6, 7]).all()
    assert not is_touched or ((raw[:37] == 9).all() and (raw[-63:] == 9).all())


def test_pinned_targets_are_written_by_the_copy_engine(emulated, values):
    """Ours and the caller's: no chunk of pinned memory beside them, and right at every pace."""
    pinned = _native.pinned_empty(0, values.nbytes)
    with emulated.allocate(values.nbytes, "pinned") as memory:
        for buffer in (pinned[:values.nbytes], memory.host_view()):
            out = buffer.view(np.float32)
            for array in (values, values.T):
                target, tensor = out.reshape(array.shape), lend(array)
                for pace in ("eager", "late", "random"):
                    with emulated.mode("forward", pace):
                        target[...] = 0
                        counted, _ = moved(emulated, tensor, target)
                    assert (target == array).all()
                    assert counted["pinned_bytes"] == 0
                    assert counted["bytes_to_host"] == values.nbytes


def test_partly_pinned_targets_are_not(emulated, values):
    """Memory that only begins as pinned memory is filled through chunks."""
    with emulated.allocate(MB, "pinned") as memory:
        view = memory.host_view()
        out = np.lib.stride_tricks.as_strided(view[:4096].view(np.float32), (2, 512), (MB // 2, 4))  # gaps, pinned
        array = np.arange(1024, dtype=np.float32).reshape(2, 512)
        assert (converted(lend(array), np.float32, out=out) == array).all()


# ---- stopping and waiting ------------------------------------------------------------------------------------------------


class Stopped(Exception):
    pass


def test_stopped_between_chunks(emulated, values):
    """An exception of progress ends the transfer; what was there stays, nothing is queued, and the next one is right."""
    tensor, out = lend(values.T), np.full(values.T.shape, 1e9, np.float32)

    def stop(n_done, n_all):
        assert 0 < n_done < n_all == values.size
        stop.n_done = n_done
        raise Stopped

    with emulated.mode("forward", "late"):
        with pytest.raises(Stopped):
            converted(tensor, np.float32, out=out, progress=stop)
        assert emulated.pending() == 0
    flat = out.reshape(-1)
    assert (flat[:stop.n_done] == values.T.reshape(-1)[:stop.n_done]).all()
    assert (flat[stop.n_done:] == 1e9).all()
    assert _native.cuda_counts(0)["pinned_live_bytes"] == 0
    assert (converted(tensor, np.float32) == values.T).all()


def test_progress_may_use_the_device(emulated, values):
    """Nothing is locked while it is asked: it draws, frees, and even asks for everything to be closed."""
    seen = []

    def draw(n_done, n_all):
        seen.append((n_done, n_all))
        assert gpuplot.to_rgba(values, (4, 4)).shape == (4, 4, 4)
        _native.cuda_close()

    tensor = lend(values.T)
    assert (converted(tensor, np.float32, progress=draw) == values.T).all()
    assert seen
    assert all(n_done < n_all for n_done, n_all in seen)


def _started(emulated, work):
    """A thread that does this work, once it waits for a copy that is held."""
    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive() and not emulated.waiting():
        time.sleep(0.001)
    return thread


@pytest.mark.parametrize("to", ["float32", "float64"])
def test_others_draw_meanwhile(emulated, values, to):
    """While a transfer waits for its copies, pictures are drawn on the same device and results are freed."""
    tensor, plane = lend(values), lend(values)
    uses = [("rows", 0, 1, 700, 0), ("cols", 0, 1, 650, 0)]
    results = []
    with emulated.mode("forward", "late"):
        with emulated.held_copies(60_000):
            thread = _started(emulated, lambda: results.append(converted(tensor, to)))
            assert thread.is_alive()
            rows, cols = _native.Axis(700, 0, 700, 5), _native.Axis(650, 0, 650, 6)
            cells = _native.reduce(_native.Plane(plane, uses, [], "value"), rows, cols, "max")[0]
            del cells, plane
            assert thread.is_alive()
            assert not results
        thread.join(600)
    assert (results[0] == values).all()


def test_closing_waits_for_transfers(emulated, values):
    """gp_cuda_close takes nothing away from under a transfer."""
    tensor, results = lend(values.T), []
    with emulated.mode("forward", "late"):
        with emulated.held_copies(60_000):
            thread = _started(emulated, lambda: results.append(converted(tensor, np.float32)))
            closer = threading.Thread(target=_native.cuda_close)
            closer.start()
            closer.join(0.05)
            assert closer.is_alive()
        thread.join(600)
        closer.join(600)
    assert not closer.is_alive()
    assert (results[0] == values.T).all()


def test_several_threads_and_devices(emulated, values):
    """Transfers share a device's streams, and each gets its own elements."""
    sources = {(device, shift): np.roll(values, shift, axis=0) for device in (0, 1) for shift in range(3)}
    tensors = {key: lend(array.T if key[1] % 2 else array, device=key[0]) for key, array in sources.items()}
    wrong = []

    def convert(key):
        for to in ("float32", "float64"):
            got = converted(tensors[key], to)
            if not (got == (sources[key].T if key[1] % 2 else sources[key])).all():
                wrong.append((key, to))

    with emulated.mode("forward", "random", 3):
        threads = [threading.Thread(target=convert, args=(key,)) for key in sources]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(600)
    assert wrong == []
    assert _native.cuda_counts(0)["pinned_live_bytes"] == 0


def test_the_thread_is_as_before(emulated, values):
    """The caller's own context stays current, also where a transfer fails."""
    tensor = lend(values.T)
    with emulated.other_context() as context, emulated.current(0, context):
        before = emulated.thread_state()
        converted(tensor, np.float32)
        emulated.fail("cuEventSynchronize", 2, OUT_OF_MEMORY)
        with pytest.raises(DeviceError):
            converted(tensor, np.float32)
        assert emulated.thread_state() == before
        current = ctypes.c_void_p()
        emulated.check("cuCtxGetCurrent", ctypes.byref(current))
        assert current.value == context
