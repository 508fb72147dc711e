"""`asnumpy` of device memory, over the emulated device: every dialect and late stream, values, masks, ``out=``, handles."""

import threading

import foreign_arrays as foreign
import numpy as np
import pytest
import stored_tensors
from emulated_device import LEGACY, PER_THREAD
from foreign_checks import PACES, A, written_on
from on_device import there

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.errors import DeviceError

MIB = 2**20
DEADLINE = 60.0


# ---- every dialect -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("dialect", foreign.DIALECTS)
def test_every_dialect_is_brought_after_it_is_written(runtime, emulated, own_stream, dialect, pace):
    for stream in (own_stream, LEGACY):
        with emulated.mode("forward", pace, seed=5):
            X = written_on(runtime, dialect, stream)
            found = gpuplot.asnumpy(X)
            np.testing.assert_array_equal(found, X.values)
            assert found.dtype == X.values.dtype and found.flags.writeable and found.flags.c_contiguous
            X.late.rewrite(X.values[::-1].copy(), stream)
            np.testing.assert_array_equal(gpuplot.asnumpy(X, "f8", order="F"), X.values[::-1].astype("f8"))
            assert X.n_exports == X.n_releases
        X.free()


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("dialect", foreign.DIALECTS)
def test_a_handle_is_ordered_by_the_thread_that_asked(runtime, emulated, own_stream, dialect, pace):
    with emulated.mode("forward", pace, seed=6):
        X = written_on(runtime, dialect, own_stream)
        transfer = gpuplot.asnumpy(X, blocking=False)
        runtime.streams.clear()  # whatever is current later says nothing about this array
        np.testing.assert_array_equal(transfer.result(DEADLINE), X.values)
        assert X.n_exports == X.n_releases


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("stream", [PER_THREAD, "own"])
def test_streams_that_only_the_caller_can_name(runtime, emulated, own_stream, stream, pace):
    """The per-thread default stream is another one in the thread of the transfer."""
    handle = own_stream if stream == "own" else stream
    with emulated.mode("forward", pace, seed=7):
        X = foreign.Wrapper(runtime, A, stream=handle)
        X.version, X.said = 3, {"stream": None}
        np.testing.assert_array_equal(gpuplot.asnumpy(X, stream=handle, blocking=False).result(DEADLINE), A)
        X.late.rewrite(A + 1, handle)
        np.testing.assert_array_equal(gpuplot.asnumpy(X, stream=handle), A + 1)


def test_tensors_of_torch_that_are_more_than_memory(runtime, own_stream):
    z = (A + 1j * A[::-1]).astype("c8")
    runtime.streams[0] = own_stream
    for X, expected in [
        (foreign.TorchTensor(runtime, A, requires_grad=True, stream=own_stream), A),
        (foreign.TorchTensor(runtime, z, conj=True, requires_grad=True, stream=own_stream), z.conj()),
        (foreign.TorchTensor(runtime, A, neg=True, stream=own_stream), -A),
        (foreign.TorchTensor(runtime, A[::2, ::-3], stream=own_stream), A[::2, ::-3]),
        (foreign.TorchTensor(runtime, np.broadcast_to(A[0], (5, 6)), stream=own_stream), np.broadcast_to(A[0], (5, 6))),
        (foreign.TorchTensor(runtime, np.zeros((0, 3), "f4"), stream=own_stream), np.zeros((0, 3), "f4")),
        (foreign.TorchTensor(runtime, np.float32(2.5).reshape(()), stream=own_stream), np.float32(2.5)),
    ]:
        np.testing.assert_array_equal(gpuplot.asnumpy(X), expected)
        assert X.n_exports == X.n_releases


@pytest.mark.parametrize("pace", PACES)
def test_raw_pointers(emulated, own_stream, pace):
    codes = np.arange(24, dtype="u2").reshape(4, 6) + 0x3F80
    with emulated.mode("forward", pace), emulated.allocate(codes.nbytes) as memory:
        memory.write_late(codes, own_stream)
        X = gpuplot.from_pointer(memory.pointer + 2, (3, 4), "bfloat16", strides=(2, 12), stream=own_stream)
        found = gpuplot.asnumpy(X, blocking=False).result(DEADLINE)
        np.testing.assert_array_equal(found, (codes.T[1:4].astype("u4") << 16).view("f4"))
        assert gpuplot.asnumpy(X, "i2").dtype == "i2"


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("kind", ["device", "managed", "pinned", "pool"])
@pytest.mark.parametrize("pace", PACES)
def test_kinds_of_memory_and_devices(runtime, emulated, kind, device, pace):
    """DLPack does not say on which device managed memory is."""
    with emulated.mode("forward", pace, seed=8):
        X = foreign.Stranger(runtime, A, kind=kind, device=device)
        np.testing.assert_array_equal(gpuplot.asnumpy(X), A)
        X.late.rewrite(A + 1, LEGACY)
        np.testing.assert_array_equal(gpuplot.asnumpy(X, "f2", blocking=False).result(DEADLINE), (A + 1).astype("f2"))


# ---- values ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*stored_tensors.PLAIN, *stored_tensors.CODED, "complex32"])
def test_every_dtype_comes_as_numpy_has_it(emulated, dtype):
    rng = np.random.default_rng(3)
    if dtype == "complex32":
        halves = rng.normal(size=(5, 7, 2)).astype("f2")
        stored, expected = halves.view("u4")[..., 0], halves[..., 0] + 1j * halves[..., 1].astype("c8")
    else:
        stored = stored_tensors.storage_of(rng, dtype, (5, 7))
        expected = stored
    if dtype in stored_tensors.CODED:
        import reference
        expected = reference.load(stored, dtype).astype("f4")
    for move in (lambda a: a, lambda a: a.T[::-2]):
        found = gpuplot.asnumpy(there(move(stored), dtype=dtype))
        np.testing.assert_array_equal(found, move(expected))
        assert found.dtype == (expected.dtype if dtype != "complex32" else np.complex64)


def test_long_doubles_are_made_on_the_host(emulated):
    values = np.array([2**62 + 1, -3, 0])
    found = gpuplot.asnumpy(there(values), "longdouble")
    assert found.dtype == np.longdouble and found.astype("i8").tolist() == values.tolist()
    out = np.zeros(6, np.longdouble)
    gpuplot.asnumpy(there(values.astype("u2"), dtype="bfloat16"), out=out[::2])
    assert out[::2].astype("f4").view("u4").tolist() == (values.astype("u2").astype("u4") << 16).tolist() and not out[1::2].any()


def test_masks_of_devices(emulated):
    mask = (np.arange(24) % 5 == 0).reshape(4, 6)
    integers = A.astype("i4")
    found = gpuplot.asnumpy(there(integers, mask))
    assert isinstance(found, np.ma.MaskedArray) and found.dtype == "i4"
    np.testing.assert_array_equal(found.mask, mask)
    np.testing.assert_array_equal(found.compressed(), integers[~mask])
    np.testing.assert_array_equal(gpuplot.asnumpy(there(A, mask)), np.where(mask, np.nan, A))
    np.testing.assert_array_equal(gpuplot.asnumpy(there(integers, mask), "f4"), np.where(mask, np.nan, A))
    out = np.ma.array(np.zeros((4, 6)), mask=False)
    np.testing.assert_array_equal(gpuplot.asnumpy(there(integers.T, mask.T), out=out.T).mask, mask.T)
    assert out.mask.tolist() == mask.tolist()


def test_masks_of_devices_are_not_lost_in_silence(emulated):
    out = np.full(A.shape, 7)
    mask = np.zeros(A.shape, bool)
    gpuplot.asnumpy(there(A.astype("i4"), mask), out=out)
    np.testing.assert_array_equal(out, A)
    mask[2, 3] = True
    before = out.copy()
    with pytest.raises(ValueError, match="elements are masked, and neither int64 nor out can mark them"):
        gpuplot.asnumpy(there(A.astype("i4") + 1, mask), out=out)
    np.testing.assert_array_equal(out, before)


def test_masks_that_tell_what_is_valid(runtime):
    """Those of the CUDA array interface; of 0-d masks one element is for all."""
    valid = foreign.Wrapper(runtime, (np.arange(24) % 7 != 0).reshape(4, 6))
    X = foreign.Wrapper(runtime, A.astype("i2"))
    X.version, X.said = 3, {"mask": valid}
    found = gpuplot.asnumpy(X)
    np.testing.assert_array_equal(found.mask, ~valid.values)
    np.testing.assert_array_equal(found.data, A)
    X.said = {}
    source = describe(X)
    X.said = {"mask": valid}  # a column may get one at any time
    np.testing.assert_array_equal(gpuplot.asnumpy(source).mask, ~valid.values)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_layouts_of_results_are_numpys(emulated, order):
    whole = np.arange(120, dtype="f4").reshape(2, 3, 4, 5)
    for array in (whole, whole.T, whole.transpose(2, 0, 3, 1), whole[:, ::-1, :, ::2], np.broadcast_to(whole[0], (3, 3, 4, 5))):
        found = gpuplot.asnumpy(there(array), order=order)
        np.testing.assert_array_equal(found, array)
        assert found.strides == array.astype("f4", order=order).strides


# ---- out= --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_out_is_the_memory_of_the_source_with_another_layout(runtime, emulated, kind):
    """Pinned memory has other addresses on devices than on the host; in one chunk of a transfer nothing overlaps in time."""
    values = np.arange(700 * 700, dtype="f4").reshape(700, 700)
    for begin in (0, 3):
        X = foreign.PycudaArray(runtime, values.T, kind=kind)
        emulated.drain()
        memory = X.late.memory.host_view("f4").reshape(700, 700)
        expected = values.T[begin:].copy()
        source = foreign.PycudaArray(runtime, values.T[begin:], late=X.late)
        source.late.pointer += 4 * begin
        gpuplot.asnumpy(source, out=memory[begin:])
        np.testing.assert_array_equal(memory[begin:], expected)
        X.free()


def test_out_of_any_kind(emulated, tmp_path):
    file = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", "f2", (1000, 600))
    values = np.arange(600_000, dtype="f4").reshape(600, 1000) % 2048
    assert gpuplot.asnumpy(there(values.T), out=file) is file
    file.flush()
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), values.T)
    wide = np.full((1200, 3000), -1.0)
    gpuplot.asnumpy(there(values), out=wide[::-2, 1::3])
    np.testing.assert_array_equal(wide[::-2, 1::3], values)
    assert (wide[::2] == -1).all() and (wide[:, ::3] == -1).all() and (wide[:, 2::3] == -1).all()


# ---- transfers that go on ------------------------------------------------------------------------------------------------


BIG = np.arange(10 * MIB, dtype="f4").reshape(1024, -1)


def test_the_tensor_stays_exported_until_the_transfer_is_over(runtime, emulated):
    X = foreign.CupyArray(runtime, BIG)
    emulated.drain()
    with emulated.mode("forward", "late"), emulated.held_copies(MIB):
        transfer = gpuplot.asnumpy(X, blocking=False)
        assert X.n_exports - X.n_releases == 1 and not transfer.done()
        with pytest.raises(TimeoutError):
            transfer.result(0.05)
    np.testing.assert_array_equal(transfer.result(DEADLINE), BIG)
    assert X.n_exports == X.n_releases


def test_pictures_are_drawn_while_a_transfer_waits(runtime, emulated):
    """The device is not kept for the transfer while that waits for a copy."""
    X = foreign.CupyArray(runtime, BIG)
    picture = gpuplot.to_rgba(X, (30, 40))
    with emulated.mode("forward", "late"), emulated.held_copies(MIB):
        transfer = gpuplot.asnumpy(X, "f8", blocking=False)
        np.testing.assert_array_equal(gpuplot.to_rgba(X, (30, 40)), picture)
        assert not transfer.done()
    np.testing.assert_array_equal(transfer.result(DEADLINE), BIG)


def test_progress_stops_a_transfer_between_chunks(emulated):
    told = []

    def stop(n_done, n_bytes):
        told.append((n_done, n_bytes))
        raise KeyboardInterrupt
    source, out = there(BIG.T), np.full(BIG.T.shape, -1.0)
    with pytest.raises(KeyboardInterrupt):
        gpuplot.asnumpy(source, out=out, progress=stop)
    assert len(told) == 1 and told[0][1] == out.nbytes and (out == -1).any()
    emulated.drain()
    np.testing.assert_array_equal(gpuplot.asnumpy(source, out=out), BIG.T)


def test_a_cancelled_transfer_lets_go(runtime, emulated):
    X = foreign.CupyArray(runtime, BIG)
    first = threading.Event()
    transfer = gpuplot.asnumpy(X, "f8", blocking=False, progress=lambda *numbers: first.wait(DEADLINE))
    transfer.cancel()
    first.set()
    assert transfer._is_over.wait(DEADLINE)
    assert X.n_exports == X.n_releases
    emulated.drain()
    np.testing.assert_array_equal(gpuplot.asnumpy(X), BIG)


def test_several_transfers_of_one_device(runtime, emulated):
    arrays = [BIG[i:i + 200] for i in range(0, 600, 100)]
    sources = [there(array.T) for array in arrays]
    transfers = [gpuplot.asnumpy(source, dtype, blocking=False) for source, dtype in zip(sources, ["f8", "f4", "i4"] * 2, strict=True)]
    for transfer, array in zip(transfers, arrays, strict=True):
        np.testing.assert_array_equal(transfer.result(DEADLINE), array.T)


def test_failures_of_the_driver_leave_a_device_that_works(emulated, runtime):
    X = foreign.CupyArray(runtime, BIG)
    gpuplot.asnumpy(X)
    for call in ("cuLaunchKernel", "cuMemcpyDtoHAsync_v2", "cuEventRecord", "cuEventSynchronize"):
        emulated.fail(call, 2, code=719)
        for blocking in (True, False):
            found = None
            try:
                found = gpuplot.asnumpy(X, "f8", blocking=blocking)
                found = found if blocking else found.result(DEADLINE)
            except DeviceError as error:
                assert error.call and error.code
            if found is not None:
                np.testing.assert_array_equal(found, BIG)
            assert X.n_exports == X.n_releases
        emulated.clear_failures()
        emulated.recover()
        _native.cuda_close()
        np.testing.assert_array_equal(gpuplot.asnumpy(X, "f8"), BIG)
    emulated.clear_problems()
