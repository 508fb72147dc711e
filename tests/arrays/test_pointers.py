"""Raw device pointers: every notation, dtype and layout, and one sentence for each mistake."""

import copy
import ctypes
import gc
import pickle
import weakref
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from effort import examples
from emulated_device import INVALID_CONTEXT, LEGACY
from foreign_checks import PACES, A
from foreign_memory import DTYPES, Late
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from stored_tensors import elements, stored_bytes

import gpuplot
from gpuplot import _native
from gpuplot.arrays import pointers
from gpuplot.arrays.describe import describe
from gpuplot.errors import DeviceError, UnsupportedError


class Buffer:
    """Memory that a program allocated, and writes on a stream."""

    def __init__(self, runtime, values, stream=LEGACY, device=0, kind="device"):
        self.late = Late(runtime, values, stream, device, kind)
        self.pointer = self.late.pointer


def pointed(runtime, values, dtype=None, stream=None, device=0, **rest):
    """An array by its pointer over memory with the layout of `values`."""
    buffer = Buffer(runtime, values, stream or LEGACY, device, **rest)
    return gpuplot.from_pointer(buffer.pointer, values.shape, dtype or values.dtype, values.strides, device, stream, buffer)


# ---- what is read ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("layout", [
    lambda a: a, lambda a: a.T, lambda a: a[::-1, ::-2], lambda a: a[1::2], lambda a: np.broadcast_to(a[1], (3, 6)), lambda a: a[2],
    lambda a: a[2, 3:4].reshape(()), lambda a: a[:0],
], ids=["contiguous", "transposed", "backwards", "strided", "broadcast", "one axis", "no axes", "no rows"])
def test_layouts(runtime, emulated, own_stream, layout, pace):
    values = layout(A)
    with emulated.mode("forward", pace):
        X = pointed(runtime, values, stream=own_stream)
        source = describe(X)
        assert (source.shape, source.dtype, X.ndim, X.size) == (values.shape, "float32", values.ndim, values.size)
        np.testing.assert_array_equal(elements(source), stored_bytes(values))


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(runtime, name):
    stored = np.dtype(DTYPES[name][2])
    values = (np.arange(24) % 2 == 1 if name == "bool" else np.arange(24)).astype(stored).reshape(4, 6)
    X = pointed(runtime, values, name)
    assert describe(X).dtype == str(X.dtype) == name
    np.testing.assert_array_equal(elements(describe(X)), stored_bytes(values))


def test_dtypes_as_others_write_them(runtime):
    torch_like = type("dtype", (), {"__module__": "torch", "__str__": lambda self: "torch.bfloat16"})()
    for dtype, name in [(np.float32, "float32"), ("<f4", "float32"), (float, "float64"), (ctypes.c_int16, "int16"), (bool, "bool"),
                        (torch_like, "bfloat16"), (np.dtype("c8"), "complex64"), ("half", "float16")]:
        assert describe(gpuplot.from_pointer(0, (0, 2), dtype)).dtype == name


def test_swapped_bytes(runtime):
    X = pointed(runtime, A.astype(">f4"))
    np.testing.assert_array_equal(elements(describe(X)), stored_bytes(A))
    assert X.__cuda_array_interface__["typestr"] == ">f4"


@pytest.mark.parametrize("kind", ["managed", "pinned", "pool"])
def test_kinds_of_memory(runtime, kind):
    np.testing.assert_array_equal(elements(describe(pointed(runtime, A, kind=kind, device=1))), stored_bytes(A))


def test_pointers_as_others_write_them(runtime):
    buffer = Buffer(runtime, A)
    address = buffer.pointer
    typed = ctypes.cast(ctypes.c_void_p(address), ctypes.POINTER(ctypes.c_float))
    named = type("CUdeviceptr", (), {"__int__": lambda self: address})()
    for ptr in (address, np.uint64(address), np.int64(address), ctypes.c_void_p(address), ctypes.c_uint64(address), typed, named,
                SimpleNamespace(value=address)):
        X = gpuplot.from_pointer(ptr, A.shape, "float32", owner=buffer)
        assert X.ptr == address and type(X.ptr) is int
        np.testing.assert_array_equal(elements(describe(X)), stored_bytes(A))


@pytest.mark.parametrize("pace", PACES)
def test_every_function_takes_it(runtime, emulated, own_stream, tmp_path, pace):
    with emulated.mode("forward", pace):
        X = pointed(runtime, A, stream=own_stream)
        np.testing.assert_array_equal(gpuplot.downsample(X, (2, 3)), gpuplot.downsample(A, (2, 3)))
        np.testing.assert_array_equal(gpuplot.to_rgba(X), gpuplot.to_rgba(A))
        np.testing.assert_array_equal(gpuplot.asnumpy(X), A)
        np.testing.assert_array_equal(gpuplot.asnumpy(X, "f2", order="F", blocking=False).result(), A.astype("f2"))
        assert gpuplot.asnumpy(X, out=(out := np.zeros((6, 4), "f8").T)) is out and out.tolist() == A.tolist()
        gpuplot.imsave(tmp_path / "a.png", X)
        gpuplot.imsave(tmp_path / "b.png", A)
        assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
        image = gpuplot.imshow(X, ax=plt.figure().subplots())
        image.figure.canvas.draw()
        assert image.get_clim() == (1, 24)
        plt.close("all")


@pytest.mark.parametrize("pace", PACES)
def test_without_a_stream_everything_is_waited_for(runtime, emulated, own_stream, pace):
    with emulated.mode("forward", pace):
        buffer = Buffer(runtime, A, own_stream)
        X = gpuplot.from_pointer(buffer.pointer, A.shape, "f4")
        np.testing.assert_array_equal(elements(describe(X)), stored_bytes(A))
        buffer.late.rewrite(A + 1, own_stream)
        np.testing.assert_array_equal(elements(describe(X)), stored_bytes(A + 1))


def test_a_stream_given_at_the_call_is_waited_for_too(runtime, emulated, own_stream):
    with emulated.mode("forward", "late"):
        buffer = Buffer(runtime, A, own_stream)
        X = gpuplot.from_pointer(buffer.pointer, A.shape, "f4", stream=1)
        np.testing.assert_array_equal(elements(describe(X, stream=own_stream)), stored_bytes(A))


def test_the_owner_lives_as_long_as_the_array(runtime):
    buffer = Buffer(runtime, A)
    dead = weakref.ref(buffer)
    X = gpuplot.from_pointer(buffer.pointer, A.shape, "f4", owner=buffer)
    del buffer
    borrowed = describe(X).borrow()
    del X
    gc.collect()
    assert dead() is not None
    borrowed.release()
    del borrowed
    gc.collect()
    assert dead() is None


def test_copies_do_not_free_the_memory_once_more(runtime):
    class Owner:
        n_freed = 0

        def __del__(self):
            Owner.n_freed += 1

    X = gpuplot.from_pointer(4096, 3, "f4", owner=Owner())
    twins = copy.copy(X), copy.deepcopy([X])
    assert twins[0].owner is twins[1][0].owner is X.owner
    with pytest.raises(TypeError, match=r"not valid in another process.*gpuplot.asnumpy\(X\)"):
        pickle.dumps(X)
    del X, twins
    gc.collect()
    assert Owner.n_freed == 1


# ---- what others read --------------------------------------------------------------------------------------------------


def test_the_interface_says_all_that_there_is(runtime, own_stream):
    X = pointed(runtime, A.T, stream=own_stream)
    assert X.__cuda_array_interface__ == {"shape": (6, 4), "typestr": "<f4", "data": (X.ptr, False), "strides": (4, 24),
                                          "stream": own_stream, "version": 3}
    Other = type("Other", (), {"__cuda_array_interface__": property(lambda self: X.__cuda_array_interface__)})
    np.testing.assert_array_equal(elements(describe(Other())), stored_bytes(A.T))
    assert not hasattr(gpuplot.from_pointer(0, 0, "complex32"), "__cuda_array_interface__")
    with pytest.raises(TypeError, match=r"on a CUDA device.*gpuplot.asnumpy\(X\)"):
        np.asarray(X)


def test_copies_are_itself_and_figures_travel(runtime):
    X = pointed(runtime, A)
    assert copy.copy(X) is copy.deepcopy(X) is X
    with pytest.raises(TypeError, match=r"pickle a copy, gpuplot.asnumpy\(X\)"):
        pickle.dumps(X)
    image = gpuplot.imshow(X, ax=plt.figure().subplots())
    other = pickle.loads(pickle.dumps(image.figure))
    other.canvas.draw()
    plt.close("all")


# ---- mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change, error, words", [
    ({"ptr": "0x7f"}, TypeError, "an int, not a str"), ({"ptr": 1.5}, TypeError, "not a float"),
    ({"ptr": None}, TypeError, "NoneType"),
    ({"ptr": True}, TypeError, "a bool"), ({"ptr": -5}, ValueError, "ptr=-5 is not a 64-bit address"),
    ({"ptr": 2**64}, ValueError, "not a 64-bit address"),
    ({"ptr": np.ones(1)}, TypeError, r"an address, not an ndarray.*X.data_ptr\(\)"), ({"ptr": object()}, TypeError, "ctypes.cast"),
    ({"ptr": 0}, ValueError, "the pointer is null and shape"), ({"ptr": ctypes.c_void_p()}, ValueError, "the pointer is null"),
    ({"shape": (-1, 6)}, ValueError, r"shape \(-1, 6\) has a negative size"), ({"shape": 4.5}, TypeError, "shape must be a tuple of int"),
    ({"shape": (4, 6.0)}, TypeError, "shape must be a tuple of int"), ({"shape": None}, TypeError, "shape must be a tuple"),
    ({"shape": (2**40, 2**40)}, ValueError, "more than 2.63 bytes"), ({"shape": (1,) * 65}, ValueError, "65 axes; at most 64"),
    ({"strides": (4,)}, ValueError, "1 strides for 2 dimensions.*in bytes"), ({"strides": 4}, TypeError, "strides must be a tuple"),
    ({"dtype": "floot"}, UnsupportedError, "dtype='floot' is not known.*float32"), ({"dtype": None}, TypeError, "dtype=None"),
    ({"dtype": object}, UnsupportedError, "dtype object"), ({"dtype": "U4"}, UnsupportedError, "<U4"),
    ({"dtype": np.longdouble}, UnsupportedError, "long double"),
    ({"dtype": "M8[s]"}, UnsupportedError, "datetime64"), ({"device": -1}, ValueError, "numbered from 0"),
    ({"device": "cuda"}, TypeError, "the number of a CUDA device"),
    ({"stream": 0}, ValueError, "stream=0"), ({"stream": "x"}, TypeError, "a str is not a stream"),
])
def test_mistakes_that_are_seen_at_once(change, error, words):
    given = {"ptr": 4096, "shape": (4, 6), "dtype": "float32"} | change
    with pytest.raises(error, match=words):
        gpuplot.from_pointer(**given)


def test_mistakes_that_the_driver_sees(runtime, emulated, monkeypatch):
    """Each is one sentence, and nothing is launched."""
    def refused(error, words, ptr, shape=A.shape, **rest):
        with pytest.raises(error, match=words):
            gpuplot.to_rgba(gpuplot.from_pointer(ptr, shape, "f4", **rest))

    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    buffer = Buffer(runtime, A)
    emulated.clear_counts()
    refused(DeviceError, r"no memory that CUDA knows.*numpy.ctypeslib.as_array\(pointer, shape\)", A.ctypes.data)
    refused(ValueError, "is on CUDA device 0: give device=0 instead of 1", buffer.pointer, device=1)
    refused(DeviceError, r"no CUDA device 7: this process sees 2.*CUDA_VISIBLE_DEVICES \(now 3,5\)", buffer.pointer, device=7)
    refused(DeviceError, "reaches 24 bytes beyond its memory", buffer.pointer, (5, 6))
    refused(ValueError, "2\\^63|address space", buffer.pointer, (2**62, 6))
    refused((ValueError, DeviceError), "2\\^63|address space|beyond", buffer.pointer, strides=(2**62, 4))
    buffer.late.memory.free()
    refused(DeviceError, "was the tensor freed", buffer.late.pointer)
    assert emulated.counts().get("cuLaunchKernel", 0) == 0


def test_memory_is_let_go_where_its_stream_cannot_be_waited_for(runtime, emulated, own_stream, monkeypatch):
    """At once, not when the error is forgotten."""
    made, inspected = [], pointers._native_tensor
    monkeypatch.setattr(pointers, "_native_tensor", lambda X: made.append(inspected(X)) or made[0])
    X = pointed(runtime, A, stream=own_stream)
    emulated.fail("cuEventRecord", code=INVALID_CONTEXT)
    with pytest.raises(DeviceError, match="cuEventRecord"):
        gpuplot.to_rgba(X)
    with pytest.raises(ValueError, match="released"):
        _native.Plane(made[0], [("rows", 0, 1, 4, 0), ("cols", 0, 1, 6, 0)], [])


def test_memory_of_another_context(runtime, emulated):
    with (emulated.other_context() as context, emulated.allocate(96, context=context) as memory,
          pytest.raises(UnsupportedError, match="CUDA context of its own.*autoprimaryctx")):
        gpuplot.to_rgba(gpuplot.from_pointer(memory.pointer, (4, 6), "f4"))


def test_a_stream_that_is_capturing(runtime, emulated, own_stream):
    X = pointed(runtime, A, stream=own_stream)
    emulated.drain()
    with emulated.capture(own_stream, mode=1), pytest.raises(DeviceError, match="capturing a CUDA graph"):
        gpuplot.to_rgba(X)


integers = st.integers(-2**65, 2**65) | st.integers(-3, 5)


@examples(80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(integers | st.none() | st.text(max_size=3), integers | st.lists(integers, max_size=4), st.none() | st.lists(integers, max_size=4),
       st.sampled_from(["f4", "bfloat16", "c16", "S3", "O", "x", None, 3]), st.integers(-2, 4))
def test_whatever_is_given_is_refused_or_empty(runtime, emulated, ptr, shape, strides, dtype, device):
    """Never a crash, never a launch for memory that is not there."""
    emulated.clear_counts()
    try:
        source = describe(gpuplot.from_pointer(ptr, shape, dtype, strides, device))
    except (TypeError, ValueError, DeviceError) as error:
        assert len(str(error)) > 10
    else:
        assert source.size == 0
    assert emulated.counts().get("cuLaunchKernel", 0) == 0
