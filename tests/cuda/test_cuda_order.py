"""CUDA tensors are read after the work queued on them, at every use, and never while a graph is being captured."""

import ctypes
import sys

import foreign_arrays as foreign
import foreign_memory
import numpy as np
import pytest
from emulated_device import LEGACY, PER_THREAD
from figures import axes_of
from foreign_checks import PACES, A, assert_read, written_on
from stored_tensors import elements, stored_bytes

import gpuplot
from gpuplot import _native
from gpuplot.arrays import cuda_devices
from gpuplot.arrays.describe import describe
from gpuplot.arrays.frozen import freeze
from gpuplot.errors import DeviceError

# ---- libraries --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("dialect", foreign.DIALECTS)
def test_every_dialect_is_waited_for_at_every_use(runtime, emulated, own_stream, dialect, pace):
    for stream in (own_stream, LEGACY):
        with emulated.mode("forward", pace, seed=7):
            X = written_on(runtime, dialect, stream)
            source = assert_read(X)
            assert (source.device, source.shape, source.is_host_array) == ((2, 0), X.shape, False)
            other = X.values[::-1].copy()
            X.late.rewrite(other, stream)
            np.testing.assert_array_equal(elements(source), stored_bytes(other))
        X.free()


# How to leave out the wait that a dialect relies on.
def ask_for_no_order(monkeypatch):
    monkeypatch.setattr(cuda_devices, "own_stream", lambda ordinal, X: -1)


def wait_for_nothing(monkeypatch):
    """Leave out TensorFlow's wait before an export."""
    monkeypatch.setattr(_native, "cuda_synchronize", lambda ordinal: None)
    monkeypatch.setattr(foreign.TensorflowTensor, "__dlpack__", foreign.CoreBuffer.__dlpack__)


def order_nothing(monkeypatch):
    monkeypatch.setattr(_native, "cuda_order_after", lambda ordinal, stream: None)
    monkeypatch.setattr(_native, "cuda_synchronize", lambda ordinal: None)


@pytest.mark.parametrize("dialect, forget", [
    ("torch", ask_for_no_order), ("cupy", ask_for_no_order), ("warp", ask_for_no_order), ("stranger", ask_for_no_order),
    ("core", order_nothing), ("tensorflow", wait_for_nothing), ("numba", order_nothing), ("rmm", order_nothing),
    ("pycuda", order_nothing), ("cudf", order_nothing), ("wrapper", order_nothing),
])
def test_a_forgotten_wait_shows_poison(runtime, emulated, own_stream, monkeypatch, dialect, forget):
    """The test of the tests above: without its wait, each dialect gives what was there before."""
    forget(monkeypatch)
    with emulated.mode("forward", "late"):
        X = written_on(runtime, dialect, own_stream)
        assert (elements(describe(X)) == foreign_memory.POISON).all()


def test_a_silent_library_is_waited_for_by_the_host_and_nobody_else(runtime, emulated, own_stream):
    for dialect, n_waits in [("torch", 0), ("cupy", 0), ("jax", 0), ("warp", 0), ("stranger", 0), ("numba", 0), ("rmm", 1),
                             ("core", 1), ("pycuda", 1), ("cudf", 1), ("wrapper", 1)]:
        X = written_on(runtime, dialect, own_stream)
        emulated.clear_counts()
        describe(X).borrow().release()
        n_borrowed = 1 if dialect == "torch" else 2
        assert emulated.counts().get("cuCtxSynchronize", 0) == n_waits * n_borrowed, dialect
        X.free()


@pytest.mark.parametrize("pace", PACES)
def test_version_three_may_name_any_stream(runtime, emulated, own_stream, pace):
    with emulated.mode("forward", pace):
        for stream in (own_stream, LEGACY, PER_THREAD):
            X = foreign.Wrapper(runtime, A, stream=stream if stream != PER_THREAD else LEGACY)
            X.version, X.said = 3, {"stream": stream}
            assert_read(X)
            X.free()


def test_an_interface_that_names_stream_zero_means_some_default_stream(runtime, emulated):
    with emulated.mode("forward", "late"):
        X = foreign.Wrapper(runtime, A)
        X.version, X.said = 3, {"stream": 0}
        assert_read(X)


@pytest.mark.parametrize("pace", PACES)
def test_cupy_may_hide_its_stream(runtime, emulated, own_stream, pace):
    """CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION=2, and a dtype that its DLPack refuses."""
    with emulated.mode("forward", pace):
        X = written_on(runtime, "cupy", own_stream, interface_version=2, refuses_dlpack=True)
        assert_read(X)


# ---- copies for another thread -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", PACES)
def test_cupy_copies_on_the_device_of_the_array(runtime, emulated, pace):
    """By itself it copies to the current device, by a stream that does not wait for what is queued on the array's."""
    with emulated.stream(device=1) as stream, emulated.mode("forward", pace, seed=7):
        X = written_on(runtime, "cupy", stream, device=1)
        found = freeze(X, describe(X))
        assert (found.tensor.ordinal, found.stream, runtime.device) == (1, stream, 0)
        runtime.streams.clear()
        assert_read(found.tensor, stream=found.stream)
        emulated.drain()


def test_copies_by_a_stream_of_the_thread_alone_are_not_made(runtime):
    """Another thread's wait for it would be for a stream of its own."""
    X = written_on(runtime, "cupy", PER_THREAD)
    assert freeze(X, describe(X)) is None and runtime.n_kernels == 0
    runtime.streams[0] = LEGACY
    assert freeze(X, describe(X)).stream == LEGACY


# ---- stream= ----------------------------------------------------------------------------------------------------------


class Handle:
    """A stream object of some library."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class CudaStream:
    """The protocol of cuda.core."""

    def __init__(self, handle):
        self.handle_inside = handle

    def __cuda_stream__(self):
        return 0, self.handle_inside


@pytest.mark.parametrize("wrap", [
    int, np.uint64, CudaStream, lambda handle: Handle(cuda_stream=handle), lambda handle: Handle(ptr=handle),
    lambda handle: Handle(handle=handle), lambda handle: Handle(handle=ctypes.c_void_p(handle)), ctypes.c_void_p, ctypes.c_uint64,
    lambda handle: Handle(value=handle), lambda handle: type("CUstream", (), {"__int__": lambda self: handle})(),
])
def test_a_callers_stream_is_waited_for_too(runtime, emulated, own_stream, wrap):
    """An unbound Numba array whose kernel runs on a stream that only its caller knows."""
    with emulated.mode("forward", "late"):
        for kind in (foreign.NumbaArray, foreign.TorchTensor, foreign.Stranger):
            X = kind(runtime, A)
            emulated.drain()
            X.late.rewrite(A + 100, own_stream)
            assert_read(X, A + 100, wrap(own_stream))


@pytest.mark.parametrize("stream", [
    1, 2, Handle(cuda_stream=0), Handle(ptr=0), Handle(handle=ctypes.c_void_p(0)), CudaStream(0),
])
def test_default_streams_have_names(runtime, emulated, stream):
    with emulated.mode("forward", "late"):
        X = foreign.NumbaArray(runtime, A)
        assert_read(X, stream=stream)


@pytest.mark.parametrize("stream, error, words", [
    (0, ValueError, "stream=0.*1 for the legacy.*2 for the calling"), (-1, ValueError, "stream=-1 is not a handle"),
    (2**64, ValueError, "is not a handle"), (True, TypeError, "stream=True"), ("1", TypeError, "a str is not a stream"),
    (1.5, TypeError, "a float is not a stream"), (np.zeros(1), TypeError, "an ndarray is not a stream"),
    ([3], TypeError, "a list is not a stream"), (object(), TypeError, "not a stream"), (Handle(ptr="x"), TypeError, "not a number"),
])
def test_what_is_no_stream_is_refused_for_host_arrays_too(stream, error, words):
    for draw in (lambda: gpuplot.downsample(A, (2, 3), stream=stream), lambda: gpuplot.to_rgba(A, stream=stream),
                 lambda: gpuplot.imshow(A, stream=stream), lambda: describe([1, 2], stream)):
        with pytest.raises(error, match=words):
            draw()


def test_an_image_keeps_the_stream_for_later_draws(runtime, emulated, own_stream):
    with emulated.mode("forward", "late"):
        big = np.zeros((1100, 1000), np.uint8)
        X = foreign.NumbaArray(runtime, big)
        image = gpuplot.imshow(X, ax=axes_of(), stream=own_stream, vmin=0, vmax=9)
        X.late.rewrite(big + 9, own_stream)
        image.update()
        image.figure.canvas.draw()
        assert image._frame_of(image._present_geometry().window).cells.numpy().min() == 9


# ---- captures ---------------------------------------------------------------------------------------------------------


class Capture:
    """A graph that is being captured on a stream, and must be valid at the end."""

    def __init__(self, emulator, stream):
        self.emulator, self.stream = emulator, ctypes.c_void_p(stream)

    def __enter__(self):
        with self.emulator.current():
            self.emulator.check("cuStreamBeginCapture_v2", self.stream, 0)

    def __exit__(self, *exception):
        with self.emulator.current():
            self.emulator.check("cuStreamEndCapture", self.stream, ctypes.byref(ctypes.c_void_p()))


@pytest.mark.parametrize("dialect", ["torch", "cupy", "jax", "warp", "numba", "wrapper"])
@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_nothing_is_drawn_while_a_library_captures_a_graph(runtime, emulated, own_stream, monkeypatch, dialect, library):
    X = foreign.DIALECTS[dialect](runtime, A)
    source = describe(X)
    other = "cupy" if library == "torch" else "torch"
    if dialect != other:
        monkeypatch.delitem(sys.modules, other)
    n_exports = X.n_exports
    runtime.streams[0] = own_stream
    with Capture(emulated, own_stream):
        with pytest.raises(DeviceError, match="capturing a CUDA graph.*draw before or after"):
            source.borrow()
        with pytest.raises(DeviceError, match="capturing"):
            gpuplot.to_rgba(X)
    assert X.n_exports == n_exports


def test_an_interface_is_not_asked_while_a_library_captures(runtime, emulated, own_stream):
    """Reading the interface may launch a kernel or wait for a stream, which invalidates the capture."""
    asked = []

    class Asked(foreign.NumbaArray):
        @property
        def __cuda_array_interface__(self):
            asked.append(self)
            return super().__cuda_array_interface__

    X = Asked(runtime, A)
    gpuplot.to_rgba(X)
    assert asked
    asked.clear()
    runtime.streams[0] = own_stream
    with Capture(emulated, own_stream), pytest.raises(DeviceError, match="is capturing a CUDA graph"):
        gpuplot.to_rgba(X)
    assert asked == []


def test_a_pending_conjugation_is_not_recorded_in_a_graph(runtime, emulated, own_stream):
    X = foreign.TorchTensor(runtime, np.ones((2, 3), "c8"), conj=True)
    runtime.streams[0] = own_stream
    with Capture(emulated, own_stream), pytest.raises(DeviceError, match="torch is capturing"):
        describe([X])
    with Capture(emulated, own_stream), pytest.raises(DeviceError, match="torch is capturing"):
        describe(X).borrow()
    assert runtime.n_kernels == 0


@pytest.mark.parametrize("kind", [foreign.NumbaArray, foreign.Stranger, foreign.TorchTensor])
def test_a_callers_stream_that_captures_is_refused(runtime, emulated, own_stream, kind):
    X = kind(runtime, A)
    with Capture(emulated, own_stream), pytest.raises(DeviceError, match="capturing a CUDA graph"):
        describe(X, own_stream).borrow()
    assert_read(X, stream=own_stream)


def test_a_named_stream_that_captures_is_refused(runtime, emulated, own_stream):
    X = foreign.NumbaArray(runtime, A, stream=own_stream)
    with Capture(emulated, own_stream), pytest.raises(DeviceError, match="capturing a CUDA graph"):
        describe(X)
    assert_read(X)


def test_a_blocking_stream_that_captures_keeps_the_legacy_stream_from_being_waited_for(runtime, emulated):
    X = foreign.RmmBuffer(runtime, np.arange(8, dtype="u1"))
    with emulated.stream(blocking=True) as blocking:
        with Capture(emulated, blocking), pytest.raises(DeviceError, match="capturing a CUDA graph"):
            describe(X)
        assert_read(X)
