"""CUDA tensors of other libraries: each dialect is understood and waited for, and what cannot be read is refused before anything is queued."""

import ctypes
import gc
import os
import subprocess
import sys
import weakref
from types import SimpleNamespace

import foreign_arrays as foreign
import gpuplot
import numpy as np
import pytest
from emulated_device import LEGACY, PER_THREAD

from gpuplot import _native, cuda_devices
from gpuplot.errors import DeviceError, UnsupportedError
from gpuplot.host_arrays import ITEM_BYTES
from gpuplot.tensor import describe
from gpuplot.view import choose

PACES = ["eager", "late", "random"]
A = np.arange(1, 25, dtype="f4").reshape(4, 6)


@pytest.fixture
def runtime(emulated, monkeypatch):
    """State of a library on the emulated device, with PyTorch and CuPy in sys.modules."""
    state = foreign.installed(monkeypatch, foreign.Runtime(emulated))
    yield state
    emulated.drain()
    for memory in state.memories:
        memory.free()


@pytest.fixture
def own_stream(emulated):
    """A stream of a producer that nothing but an event or the host can wait for."""
    with emulated.stream() as handle:
        yield handle
        emulated.drain()


def elements(source):
    """The stored bytes of a tensor's plane as the native layer finds them, (rows, columns, bytes of an element)."""
    view = choose(source.shape, None, source.dtype, rgb=False)
    out = np.empty((*view.shape, ITEM_BYTES[source.dtype]), np.uint8)
    with source.borrow() as tensor:
        return _native.gather(_native.Plane(tensor, view.uses, view.stage_ops, view.component), out)


def stored_bytes(values):
    """The same of an ndarray, one row if it has one axis or none."""
    plane = np.atleast_2d(values)
    return np.ascontiguousarray(plane).view(np.uint8).reshape(*plane.shape, plane.itemsize)


def assert_read(X, values=None, stream=None):
    """A tensor is read as its values, and everything that it exported was released."""
    source = describe(X, stream)
    np.testing.assert_array_equal(elements(source), stored_bytes(X.values if values is None else values))
    assert X.n_exports == X.n_releases
    return source


def written_on(runtime, dialect, stream, values=A, **keywords):
    """An array of a dialect whose memory is written on a stream in the way in which the library would do it."""
    if dialect in ("torch", "cupy"):
        runtime.streams[keywords.get("device", 0)] = stream
    if dialect in ("rmm", "core", "cudf"):
        values = (np.arange(24) * 1.5).astype("f8" if dialect == "cudf" else "u1")
    return foreign.DIALECTS[dialect](runtime, values, stream=stream, **keywords)


# ---- order -------------------------------------------------------------------------------------------------------------


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
    monkeypatch.setattr(cuda_devices, "our_stream", lambda ordinal, X: -1)


def wait_for_nothing(monkeypatch):
    """TensorFlow waits by itself; here it forgets to."""
    monkeypatch.setattr(_native, "cuda_synchronize", lambda ordinal: None)
    monkeypatch.setattr(foreign.TensorflowTensor, "__dlpack__", foreign.CoreBuffer.__dlpack__)


def order_nothing(monkeypatch):
    monkeypatch.setattr(_native, "cuda_order_after", lambda ordinal, stream: None)
    monkeypatch.setattr(_native, "cuda_synchronize", lambda ordinal: None)


@pytest.mark.parametrize("dialect, forget", [
    ("torch", ask_for_no_order), ("cupy", ask_for_no_order), ("warp", ask_for_no_order), ("stranger", ask_for_no_order),
    ("core", order_nothing), ("tensorflow", wait_for_nothing), ("numba", order_nothing), ("rmm", order_nothing), ("pycuda", order_nothing), ("cudf", order_nothing), ("wrapper", order_nothing),
])
def test_a_forgotten_wait_shows_poison(runtime, emulated, own_stream, monkeypatch, dialect, forget):
    """The test of the tests above: without its wait, each dialect gives what was there before."""
    forget(monkeypatch)
    with emulated.mode("forward", "late"):
        X = written_on(runtime, dialect, own_stream)
        assert (elements(describe(X)) == foreign.POISON).all()


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


# ---- stream= -----------------------------------------------------------------------------------------------------------


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
    lambda handle: Handle(handle=handle), lambda handle: Handle(handle=ctypes.c_void_p(handle)),
])
def test_a_callers_stream_is_waited_for_too(runtime, emulated, own_stream, wrap):
    """An unbound Numba array whose kernel runs on a stream that only its caller knows."""
    with emulated.mode("forward", "late"):
        for kind in (foreign.NumbaArray, foreign.TorchTensor, foreign.Stranger):
            X = kind(runtime, A)
            emulated.drain()
            X.late.rewrite(A + 100, own_stream)
            assert_read(X, A + 100, wrap(own_stream))


@pytest.mark.parametrize("stream", [1, 2, Handle(cuda_stream=0), Handle(ptr=0), Handle(handle=ctypes.c_void_p(0)), CudaStream(0)])
def test_default_streams_have_names(runtime, emulated, stream):
    with emulated.mode("forward", "late"):
        X = foreign.NumbaArray(runtime, A)
        assert_read(X, stream=stream)


@pytest.mark.parametrize("stream, error, words", [
    (0, ValueError, "stream=0.*1 for the legacy.*2 for the calling"), (-1, ValueError, "stream=-1 is no handle"),
    (2**64, ValueError, "is no handle"), (True, TypeError, "stream=True"), ("1", TypeError, "a str is no stream"),
    (1.5, TypeError, "a float is no stream"), (object(), TypeError, "no stream"), (Handle(ptr="x"), TypeError, "no number"),
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
        image = gpuplot.imshow(X, stream=own_stream, vmin=0, vmax=9)
        X.late.rewrite(big + 9, own_stream)
        image.update()
        image.figure.canvas.draw()
        assert image.frame_of(image.present_scene().window).cells.numpy().min() == 9


# ---- captures ------------------------------------------------------------------------------------------------------------


class Capture:
    """A graph that is being captured on a stream; at the end it must not be spoilt."""

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


# ---- layouts and dtypes ----------------------------------------------------------------------------------------------------


def layouts():
    whole = np.arange(48, dtype="f4").reshape(6, 8)
    yield "transposed", whole.T
    yield "strided", whole[1::2, ::3]
    yield "backwards", whole[::-1, ::-2]
    yield "broadcast", np.broadcast_to(whole[2], (5, 8))
    yield "one row", whole[2:3]
    yield "one axis", whole[3]
    yield "no axes", whole[2, 3:4].reshape(())
    yield "no rows", whole[:0]


@pytest.mark.parametrize("dialect", ["torch", "cupy", "jax", "warp", "stranger", "numba", "pycuda", "wrapper"])
@pytest.mark.parametrize("values", [pytest.param(values, id=name) for name, values in layouts()])
def test_layouts(runtime, emulated, dialect, values):
    with emulated.mode("forward", "late"):
        X = foreign.DIALECTS[dialect](runtime, values)
        source = assert_read(X)
        assert source.shape == values.shape
        assert values.size == 0 or source.device == (2, 0)


def test_strides_that_are_no_multiple_of_an_element(runtime):
    """CuPy's DLPack divides and rounds down; the interface in bytes is right."""
    memory = np.arange(40, dtype="u1")
    X = foreign.CupyArray(runtime, np.lib.stride_tricks.as_strided(memory.view("f4")[:6], (3, 2), (13, 4)))
    np.testing.assert_array_equal(elements(describe(X)), np.lib.stride_tricks.as_strided(memory, (3, 2, 4), (13, 4, 1)))
    assert X.n_exports == 0


@pytest.mark.parametrize("name", foreign.DTYPES)
def test_dtypes_of_torch(runtime, emulated, name):
    stored = np.dtype(foreign.DTYPES[name][2])
    values = (np.arange(24) % 2 == 1 if name == "bool" else np.arange(24)).astype(stored).reshape(4, 6)
    with emulated.mode("forward", "late"):
        X = foreign.TorchTensor(runtime, values, dtype=name)
        assert assert_read(X).dtype == name


@pytest.mark.parametrize("name", [name for name in foreign.DTYPES if name != "complex32"])
def test_dtypes_of_the_interface(runtime, name):
    """bfloat16 and 8-bit floats have typestrs that say little; the name of the dtype says it."""
    stored = np.dtype(foreign.DTYPES[name][2])
    values = (np.arange(24) % 2 == 1 if name == "bool" else np.arange(24)).astype(stored).reshape(4, 6)
    X = foreign.CupyArray(runtime, values, dtype=name, refuses_dlpack=True)
    assert assert_read(X).dtype == name


def test_swapped_bytes(runtime):
    for code in ("f4", "i2", "u8", "c8"):
        X = foreign.Wrapper(runtime, np.arange(24).reshape(4, 6).astype(f">{code}"))
        X.dtype_name = np.dtype(code).name
        X.said = {"typestr": f">{code}"}
        assert_read(X, X.values.astype(code))
        X.free()


@pytest.mark.parametrize("typestr, words", [
    ("<M8[ns]", "dates"), ("<m8[s]", "durations"), ("|V8", "convert it first"), ("|t1", "unpack"), ("|O8", "convert"),
    ("<f16", "convert"), ("<c4", "convert"), ("<V2", "convert"),
])
def test_types_without_a_picture_are_named(runtime, typestr, words):
    X = foreign.Wrapper(runtime, A)
    X.said = {"typestr": typestr}
    with pytest.raises(UnsupportedError, match=rf"elements of type '{typestr[:2]}.*{words}".replace("|", r"\|")):
        describe(X)


# ---- dialects, row by row ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", PACES)
def test_torch_gradients_conjugates_and_negatives(runtime, emulated, own_stream, pace):
    """Exports refuse the first two and say nothing about the third; resolving writes late, on torch's stream."""
    z = (np.arange(6) + 1j * np.arange(6)[::-1]).astype("c8").reshape(2, 3)
    runtime.streams[0] = own_stream
    with emulated.mode("forward", pace):
        assert_read(foreign.TorchTensor(runtime, A, stream=own_stream, requires_grad=True))
        assert_read(foreign.TorchTensor(runtime, z, stream=own_stream, conj=True), np.conj(z))
        assert_read(foreign.TorchTensor(runtime, A, stream=own_stream, neg=True), -A)
        Parameter = type("Parameter", (foreign.TorchTensor,), {"__module__": "torch.nn.parameter"})
        assert_read(Parameter(runtime, A, stream=own_stream, requires_grad=True))


@pytest.mark.parametrize("pace", PACES)
def test_old_torch(runtime, emulated, own_stream, pace):
    runtime.streams[0] = own_stream
    with emulated.mode("forward", pace):
        assert_read(foreign.TorchTensor(runtime, A, stream=own_stream, age="old", requires_grad=True))


@pytest.mark.parametrize("dialect", ["torch", "cupy", "jax", "numba", "rmm", "wrapper"])
def test_arrays_of_another_device_than_the_current_one(runtime, emulated, dialect):
    """torch refuses to export them and CuPy would wait for the wrong stream, were their device not the current one."""
    with emulated.stream(1) as stream, emulated.mode("forward", "late"):
        X = written_on(runtime, dialect, stream, device=1)
        assert assert_read(X).device == (2, 1)
        assert runtime.device == 0
        emulated.drain()
        X.free()


@pytest.mark.parametrize("pace", PACES)
def test_torch_tensors_of_a_list_are_stacked_on_their_device(runtime, emulated, own_stream, pace):
    runtime.streams[0] = own_stream
    with emulated.mode("forward", pace):
        losses = [foreign.TorchTensor(runtime, np.array(k, "f4"), stream=own_stream, requires_grad=True) for k in range(3)]
        np.testing.assert_array_equal(elements(describe(losses)), stored_bytes(np.arange(3, dtype="f4")))
    with pytest.raises(ValueError, match=r"different devices.*\[x.cpu\(\) for x in X\]"):
        describe([losses[0], foreign.TorchTensor(runtime, np.array(3, "f4"), device=1)])


def test_torch_for_rocm_is_refused(runtime, monkeypatch):
    monkeypatch.setattr(sys.modules["torch"], "version", SimpleNamespace(hip="6.0", cuda=None))
    with pytest.raises(UnsupportedError, match=r"'cuda \(ROCm\)'.*X.cpu\(\)"):
        describe(foreign.TorchTensor(runtime, A))


def test_hip_arrays_with_an_interface_like_cudas_are_refused(runtime):
    class HipArray(foreign.CupyArray):
        def __dlpack_device__(self):
            return (10, 0)

    with pytest.raises(UnsupportedError, match="ROCm memory.*cupy.asnumpy"):
        describe(HipArray(runtime, A))


def test_jax_says_what_was_deleted_and_what_is_sharded(runtime):
    X = foreign.JaxArray(runtime, A)
    source = describe(X)
    X.is_deleted = True
    with pytest.raises(UnsupportedError, match=r"Array has been deleted with shape=float32\[4, 6\]"):
        source.borrow()
    X.is_deleted, X.n_shards = False, 2
    with pytest.raises(UnsupportedError, match=r"Sharding over 2 devices.*X.addressable_data\(0\)"):
        describe(X)
    assert X.n_exports == X.n_releases == 1


def test_variables_of_tensorflow(runtime, emulated, own_stream):
    with emulated.mode("forward", "late"):
        variable = foreign.TensorflowVariable(foreign.TensorflowTensor(runtime, A, stream=own_stream))
        source = describe(variable)
        variable.value = foreign.TensorflowTensor(runtime, A + 1, stream=own_stream)
        np.testing.assert_array_equal(elements(source), stored_bytes(A + 1))


def test_pycuda_has_a_context_of_its_own(runtime, emulated):
    with emulated.other_context() as context:
        X = foreign.PycudaArray(runtime, A, context=context)
        with pytest.raises(UnsupportedError, match="CUDA context of its own.*autoprimaryctx"):
            describe(X)
        X.free()


def test_cudf_with_missing_values_and_text(runtime):
    X = foreign.CudfSeries(runtime, np.arange(8.0))
    X.has_nulls = True
    with pytest.raises(UnsupportedError, match=r"mask for missing elements.*X.fillna\(float\('nan'\)\)"):
        describe(X)
    X.is_text = True
    with pytest.raises(UnsupportedError, match="strings are not supported"):
        describe(X)


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("device", [0, 1])
def test_managed_memory_is_read_on_the_device_that_it_is_on(runtime, emulated, device, pace):
    """DLPack gives no device for it: the driver knows. Its writer ordered another stream then, so the host waits."""
    with emulated.stream(device) as stream, emulated.mode("forward", pace):
        X = foreign.CupyArray(runtime, A, device=device, stream=stream, kind="managed")
        runtime.streams[device] = stream
        assert assert_read(X).device == (2, device)
        Y = foreign.Stranger(runtime, A, device=0, stream=LEGACY, kind="managed")
        assert_read(Y)
        emulated.drain()
        X.free(), Y.free()


def test_memory_of_a_pool_has_no_context(runtime, emulated):
    X = foreign.Stranger(runtime, A, kind="pool", device=1)
    assert assert_read(X).device == (2, 1)


def test_pinned_host_memory_is_host_memory(runtime, emulated):
    class Pinned(foreign.ForeignArray):
        def __dlpack_device__(self):
            return (3, 0)

        def __dlpack__(self, *, stream=None, max_version=None):
            assert stream is None
            return self.capsule(kind=1)

    X = Pinned(runtime, A, kind="pinned")
    emulated.drain()
    emulated.clear_counts()
    source = assert_read(X)
    assert source.device is None and emulated.counts() == {}


# ---- lies and errors -----------------------------------------------------------------------------------------------------------


def assert_refused_unread(emulated, X, error, words):
    """One clear error; nothing was launched, and what was exported was released."""
    emulated.clear_counts()
    with pytest.raises(error, match=words):
        describe(X)
    gc.collect()
    assert emulated.counts().get("cuLaunchKernel", 0) == 0
    assert X.n_exports == X.n_releases


@pytest.mark.parametrize("kind", [foreign.TorchTensor, foreign.Stranger, foreign.NumbaArray])
def test_pointers_that_are_none(runtime, emulated, kind):
    def draw(X, error, words):
        emulated.clear_counts()
        with pytest.raises(error, match=words):
            describe(X).borrow()
        assert emulated.counts().get("cuLaunchKernel", 0) == 0
        assert X.n_exports == X.n_releases

    X = kind(runtime, A)
    X.free()
    draw(X, DeviceError, "no memory that CUDA knows: was the tensor freed")
    X.late.pointer = A.ctypes.data
    draw(X, DeviceError, "no memory that CUDA knows")
    X.late.pointer = 0
    draw(X, ValueError, "data pointer is null")


@pytest.mark.parametrize("kind", [foreign.Stranger, foreign.Wrapper])
@pytest.mark.parametrize("view", [
    lambda a: np.lib.stride_tricks.as_strided(a, (5, 6), (24, 4), writeable=False),
    lambda a: np.lib.stride_tricks.as_strided(a, (4, 6), (24, 8), writeable=False),
    lambda a: np.lib.stride_tricks.as_strided(a, (2, 6), (-24, 4), writeable=False),
    lambda a: np.lib.stride_tricks.as_strided(a, (2, 2), (2**40, 4), writeable=False),
], ids=["rows", "stride", "backwards", "far"])
def test_strides_that_leave_the_memory(runtime, emulated, kind, view):
    X = kind(runtime, A)
    X.values = view(A)
    assert_refused_unread(emulated, X, DeviceError, "beyond its memory|no memory that CUDA knows")


def test_a_device_that_is_not_the_memorys(runtime, emulated):
    class Liar(foreign.Stranger):
        def __dlpack_device__(self):
            return (2, 1)

    X = Liar(runtime, A)
    assert_refused_unread(emulated, X, ValueError, "said to be on CUDA device 1 and its memory is on device 0")
    emulated.clear_problems()  # a stream of device 1 was given to a library on device 0
    Y = foreign.Stranger(runtime, A)
    Y.ordinal = 7
    assert_refused_unread(emulated, Y, DeviceError, "device 7|INVALID_DEVICE")


@pytest.mark.parametrize("said, error, words", [
    ({"shape": None}, TypeError, "is wrong"), ({"shape": Ellipsis}, TypeError, "'shape' is missing"),
    ({"shape": (4.5, 6)}, TypeError, "is wrong"), ({"shape": (-4, 6)}, ValueError, "negative size"),
    ({"shape": (2**62, 6), "strides": None}, ValueError, "2\\^63"), ({"shape": (2**70, 6)}, (ValueError, OverflowError), "."),
    ({"shape": (1,) * 70, "strides": None}, ValueError, "70 dimensions"), ({"strides": (4,)}, ValueError, "1 strides for 2"),
    ({"strides": (2**62, 2**62)}, ValueError, "2\\^63"), ({"strides": 3}, TypeError, "is wrong"),
    ({"typestr": None}, TypeError, "is wrong"), ({"typestr": 5}, TypeError, "is wrong"), ({"data": ()}, TypeError, "is wrong"),
    ({"data": Ellipsis}, TypeError, "'data' is missing"), ({"data": ("x", 1)}, TypeError, "is wrong"),
    ({"data": (None, False)}, ValueError, "null"), ({"data": (-5, False)}, (ValueError, OverflowError), "."),
    ({"stream": "x"}, TypeError, "is wrong"), ({"version": "x"}, TypeError, "is wrong"),
    ({"mask": object()}, UnsupportedError, "mask for missing elements"),
])
def test_interfaces_that_lie(runtime, emulated, said, error, words):
    X = foreign.Wrapper(runtime, A)
    X.said = said
    assert_refused_unread(emulated, X, error, words)
    X.said = {}
    assert_read(X)


@pytest.mark.parametrize("error", [AttributeError("no"), RuntimeError("no luck"), KeyError("no")])
def test_interfaces_that_fail(runtime, error):
    class Failing:
        @property
        def __cuda_array_interface__(self):
            raise error

    with pytest.raises(UnsupportedError, match="does not hand out its memory through __cuda_array_interface__"):
        describe(Failing())


def test_a_refusal_through_both_protocols(runtime):
    X = foreign.CupyArray(runtime, A, refuses_dlpack=True)
    X.dtype_name = "complex32"
    with pytest.raises(UnsupportedError):
        describe(X)


@pytest.mark.parametrize("kind", [foreign.TorchTensor, foreign.Stranger, foreign.NumbaArray, foreign.RmmBuffer])
def test_every_call_of_the_driver_may_fail_once(runtime, emulated, kind):
    """Whichever call fails: one DeviceError that names call and code, nothing leaks, and the next draw is right."""
    X = kind(runtime, A if kind is not foreign.RmmBuffer else np.arange(8, dtype="u1"))
    describe(X).borrow().release()
    for n in range(1, 200):
        emulated.fail("*", n, 719)
        try:
            describe(X).borrow().release()
        except (DeviceError, UnsupportedError) as error:
            if isinstance(error, DeviceError):
                assert error.call.startswith("cu") and error.code == "CUDA_ERROR_LAUNCH_FAILED", error
        n_raised = emulated.failures()
        emulated.clear_failures()
        emulated.recover()
        assert X.n_exports == X.n_releases
        if not n_raised:
            break
    assert 3 < n < 100
    emulated.clear_problems()
    assert_read(X)


# ---- who keeps what alive -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", foreign.DIALECTS)
def test_the_object_lives_while_it_is_borrowed_and_no_longer(runtime, dialect):
    gc.disable()
    try:
        X = written_on(runtime, dialect, LEGACY)
        memory, dead = X.late.memory, weakref.ref(X)
        tensor = describe(X).borrow()
        producers = X.producers
        del X
        if not producers:  # only a capsule keeps the memory by itself
            assert dead() is not None
        tensor.release()
        del tensor
        assert dead() is None, gc.get_referrers(dead())
        assert sum(p.n_exports for p in producers) == sum(p.n_releases for p in producers)
        memory.free()
    finally:
        gc.enable()


def test_a_refusal_keeps_nothing_alive(runtime):
    gc.disable()
    try:
        for kind, keywords in [(foreign.JaxArray, {}), (foreign.Stranger, {}), (foreign.Wrapper, {})]:
            X = kind(runtime, A, **keywords)
            X.is_deleted, X.said = True, {"shape": None}
            X.free()
            dead = weakref.ref(X)
            with pytest.raises((TypeError, RuntimeError)):
                describe(X)
            del X
            assert dead() is None, kind
    finally:
        gc.enable()


def test_nothing_is_left_on_the_devices(runtime, emulated):
    _native.cuda_close()
    before = emulated.leaks()
    for dialect in foreign.DIALECTS:
        X = written_on(runtime, dialect, LEGACY)
        assert_read(X)
        X.free()
    _native.cuda_close()
    assert emulated.leaks() == before


# ---- without a device -------------------------------------------------------------------------------------------------------

WITHOUT = """
import os, sys
sys.path.insert(0, {tests!r})
os.environ["GPUPLOT_CUDA_DRIVER"] = {driver!r}
import gpuplot
from capsules import Producer
import numpy as np
{code}
"""


def run_without(code, driver="/nonexistent/libcuda.so.1"):
    tests = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, "-c", WITHOUT.format(tests=tests, driver=str(driver), code=code)],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("module, line", [("torch", "X.cpu()"), ("cupy", "cupy.asnumpy(X)"), ("numba.cuda", "X.copy_to_host()")])
def test_without_a_driver_the_error_names_the_copy(module, line):
    said = run_without(f"""
Array = type("Array", (Producer,), {{"__module__": {module!r}}})
Device = type("Device", (), {{"__module__": {module!r}, "__cuda_array_interface__": property(lambda self: 1 / 0)}})
for X in (Array(range(6), device=(2, 0)), Array(range(6), device=(13, 0)), Device()):
    try:
        gpuplot.to_rgba(X)
    except gpuplot.DeviceError as error:
        print(error.call, error)
print(gpuplot.downsample(np.eye(2), (1, 1), stream=1))
""")
    lines = said.splitlines()
    assert len(lines) == 4 and lines[3] == "[[0.5]]"
    for text in lines[:3]:
        assert text.startswith("None the ") and "no CUDA driver" in text and text.endswith(f"copy it to the host first, with {line}")


def test_show_config_says_why_not_and_never_raises(emulated_library):
    assert "no CUDA driver" in run_without("gpuplot.show_config()")
    said = run_without("print(gpuplot.show_config(mode='dicts')['CUDA backend'])", emulated_library.path)
    assert "'usable': True" in said and "Emulated device 1" in said
    said = run_without("os.environ['EMU_DEVICES'] = '0'; print(gpuplot.show_config(mode='dicts')['CUDA backend'])", emulated_library.path)
    assert "'usable': False" in said
    old = emulated_library.path.parent / "old" / "libcuda.so.1"
    assert "too old" in run_without("gpuplot.show_config()", old)


def test_a_forked_child_is_told(emulated_library):
    said = run_without("""
gpuplot.show_config("dicts")
pid = os.fork()
try:
    gpuplot.to_rgba(Producer(range(6), device=(2, 0)))
except gpuplot.DeviceError as error:
    print(f"{'child' if pid == 0 else 'parent'}: {error}\\n", end="", flush=True)
if pid == 0:
    print(gpuplot.show_config("dicts")["CUDA backend"]["reason"] + "\\n", end="", flush=True)
    os._exit(0)
os.waitpid(pid, 0)
""", emulated_library.path)
    assert said.count("before this process was forked") == 2 and "child: the Producer" in said and "parent: address" in said


def test_the_driver_is_not_loaded_before_somebody_has_a_device_tensor(emulated_library):
    said = run_without("""
gpuplot.to_rgba(np.eye(3), stream=1)
print("libcuda" in open("/proc/self/maps").read())
gpuplot.show_config("dicts")
print("libcuda" in open("/proc/self/maps").read())
""", emulated_library.path)
    assert said.split() == ["False", "True"]
