"""Malformed producers of CUDA memory: one of our exceptions or the right elements, never a crash or a useless launch."""

import ctypes
import gc
import itertools

import foreign_arrays as foreign
import numpy as np
import pytest
from capsules import Producer
from effort import examples
from foreign_checks import A
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.errors import DeviceError

OURS = (TypeError, ValueError, DeviceError)
calm = examples(50, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

numbers = st.one_of(st.integers(-3, 7), st.integers(-2**66, 2**66), st.sampled_from([2**31, 2**62, 2**63 - 1, 2**63, 2**64 - 1, -2**63]))
odd = st.one_of(st.none(), st.text(max_size=3), st.floats(), st.booleans(), st.just(Ellipsis), st.just(object()), st.binary(max_size=3))
sizes = st.one_of(st.lists(numbers, max_size=4).map(tuple), numbers, odd, st.lists(odd, max_size=2), st.just((1,) * 70))


def assert_ours(emulated, X, producers=()):
    """Assert one of gpuplot's errors or a result, no launch before an error, and that everything is released."""
    emulated.clear_counts()
    try:
        describe(X).borrow().release()
    except OURS as error:
        assert len(str(error)) > 15
    gc.collect()
    assert emulated.counts().get("cuLaunchKernel", 0) == 0
    assert all(producer.n_exports == producer.n_releases for producer in producers)


@st.composite
def interfaces(draw, pointer):
    """Interfaces that are right in most fields, with any values in one to three."""
    right = {"shape": (4, 6), "typestr": "<f4", "data": (pointer, False), "version": 3, "strides": None, "stream": None}
    anything = {
        "shape": sizes, "strides": sizes, "version": numbers | odd,
        "typestr": st.one_of(odd, st.sampled_from(["<f4", ">f4", "|b1", "<f8", "|t1", "<V2", "<f1", "<c4", "|O8", "f4", "", "<",
                                                   "=f4", "<M8[s]", ">i1"])),
        "data": st.one_of(st.tuples(numbers, odd), st.tuples(), odd, numbers, st.tuples(odd, odd), st.just((pointer + 1, False)),
                          st.just([pointer, False])),
        "stream": numbers.filter(lambda n: not 2 < n < 2**64) | odd, "mask": odd, "descr": odd,
    }
    for name in draw(st.lists(st.sampled_from(list(anything)), min_size=1, max_size=3)):
        right[name] = draw(anything[name])
    return {name: value for name, value in right.items() if value is not Ellipsis}


@pytest.mark.parametrize("name", ["shape", "strides"])
def test_sizes_that_never_end(runtime, emulated, name):
    """All memory was filled."""
    X = foreign.Wrapper(runtime, A)
    fields = X.__cuda_array_interface__ | {name: itertools.repeat(1)}
    with pytest.raises((TypeError, ValueError), match="65|64"):
        describe(Fields(fields))


class Fields:
    def __init__(self, fields):
        self.__cuda_array_interface__ = fields


@calm
@given(st.data())
def test_interfaces(runtime, emulated, data):
    X = foreign.Wrapper(runtime, A)
    said = data.draw(st.one_of(interfaces(X.pointer), odd, st.dictionaries(st.sampled_from(["shape", "data", "typestr"]), odd)))
    Said = type("Said", (), {"__cuda_array_interface__": said})
    assert_ours(emulated, Said())
    X.free()


@calm
@given(st.data())
def test_masks(runtime, emulated, data):
    """Of an interface that is right otherwise."""
    X, valid = foreign.Wrapper(runtime, A), foreign.Wrapper(runtime, A > 3)
    said = data.draw(interfaces(valid.pointer))
    said.setdefault("typestr", "|b1")
    said["typestr"] = data.draw(st.sampled_from(["|b1", "|t1", "|u1", said["typestr"]]))
    X.said = {"mask": type("Mask", (), {"__cuda_array_interface__": said})()}
    assert_ours(emulated, X)
    X.free(), valid.free()


@calm
@given(st.data())
def test_capsules(runtime, emulated, data):
    """Managed tensors of both versions whose fields lie."""
    X = foreign.Stranger(runtime, A)
    fits64 = st.one_of(st.integers(-3, 9), st.sampled_from([2**31, 2**40, 2**62, 2**63 - 1, -2**63, -2**40]))
    shape = data.draw(st.lists(fits64, max_size=4).map(tuple) | st.just((4, 6)))
    strides = data.draw(st.none() | st.lists(fits64, min_size=len(shape), max_size=len(shape)).map(tuple))
    producer = Producer(
        (), shape, strides=strides, address=X.pointer,
        dtype=data.draw(st.tuples(st.integers(0, 20), st.sampled_from([0, 1, 4, 8, 16, 32, 64, 128, 255]),
                                  st.sampled_from([0, 1, 2, 65535])) | st.just((2, 32, 1))),
        device=data.draw(st.tuples(st.sampled_from([2, 13]), st.integers(-2, 3) | st.just(2**31 - 1))),
        ndim=data.draw(st.none() | st.sampled_from([-1, 0, 65, 2**31 - 1])) if len(shape) == 0 else None,
        is_null=data.draw(st.booleans()), offset_bytes=data.draw(st.sampled_from([0, 0, 4, 95, 2**40, 2**63, 2**64 - 1])),
        version=data.draw(st.sampled_from([None, (1, 0), (1, 3), (1, 99), (0, 9), (2, 0), (2**32 - 1, 0)])),
        has_deleter=data.draw(st.just(True)), keywords=("stream", "max_version"))
    assert_ours(emulated, producer, [producer])
    X.free()


@calm
@given(said=st.one_of(odd, numbers, st.tuples(numbers | odd, numbers | odd), st.tuples(numbers)), gives=odd | numbers,
       error=st.none() | st.sampled_from([RuntimeError("no"), BufferError("no"), KeyError("no"), OSError("no"), AssertionError(),
                                          RecursionError(), StopIteration()]))
def test_methods_that_give_anything(runtime, emulated, said, gives, error):
    """`__dlpack_device__` and `__dlpack__` that give no devices and no capsules, or raise whatever they like."""
    class Strange:
        def __dlpack_device__(self):
            return said

        def __dlpack__(self, **keywords):
            if error is not None:
                raise error
            return gives

    assert_ours(emulated, Strange())


@pytest.mark.parametrize("kind", [2, 13])
@pytest.mark.parametrize("address, lies", [
    (16, {"offset_bytes": 2**64 - 16}), (0, {"offset_bytes": 2**63}), (0, {"strides": (2**62, 1)}), (0, {"strides": (-(2**60), 1)}),
], ids=["wraps", "far", "up", "down"])
def test_capsules_that_leave_the_address_space(runtime, emulated, kind, address, lies):
    """An offset that wraps to memory which the driver knows was taken."""
    X = foreign.Stranger(runtime, A)
    producer = Producer((), (2, 2), address=X.pointer + address, device=(kind, 0), keywords=("stream", "max_version"), **lies)
    with pytest.raises((ValueError, DeviceError), match="address space|2\\^63 bytes|no memory that CUDA knows"):
        gpuplot.asnumpy(producer)
    assert_ours(emulated, producer, [producer])
    X.free()


@pytest.mark.parametrize("said", [{"data": (2**64 - 64, False)}, {"data": (2**63, False)},
                                  {"strides": (2**60, 4)}, {"strides": (-(2**60), 4)}])
@pytest.mark.parametrize("is_mask", [False, True])
def test_interfaces_that_leave_the_address_space(runtime, emulated, said, is_mask):
    X, valid = foreign.Wrapper(runtime, A), foreign.Wrapper(runtime, A > 3)
    (valid if is_mask else X).said = said
    if is_mask:
        X.said = {"mask": valid}
    with pytest.raises((ValueError, DeviceError), match="address space|no memory that CUDA knows|beyond its memory"):
        gpuplot.asnumpy(X)
    assert_ours(emulated, X)
    X.free(), valid.free()


def test_interfaces_and_masks_that_ask_about_their_array(runtime, emulated):
    """Of an array that is on its way through the same interface."""
    class Asking(foreign.Wrapper):
        @property
        def __cuda_array_interface__(self):
            return gpuplot.asnumpy(self)

    class Mask:
        @property
        def __cuda_array_interface__(self):
            return gpuplot.asnumpy(X)

    for X in (Asking(runtime, A), foreign.Wrapper(runtime, A)):
        X.said = {"mask": Mask()}
        with pytest.raises(gpuplot.UnsupportedError, match="calls gpuplot with itself while gpuplot reads it"):
            gpuplot.stats(X)
        assert emulated.counts().get("cuLaunchKernel", 0) == 0
        X.free()


@pytest.mark.parametrize("typestr", [">f4", "=f4", "|f4", "f4"])
def test_orders_of_bytes(runtime, typestr):
    """What names no order is refused or read as the machine's own."""
    X = foreign.Wrapper(runtime, A.astype(">f4") if typestr == ">f4" else A)
    X.dtype_name, X.said = "float32", {"typestr": typestr}
    try:
        np.testing.assert_array_equal(gpuplot.asnumpy(X), A)
    except gpuplot.UnsupportedError as error:
        assert typestr == "f4" and "elements of type 'f4'" in str(error)


@pytest.mark.parametrize("readonly", [True, False, 0, None])
@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_versions_and_read_only_memory(runtime, version, readonly):
    X = foreign.Wrapper(runtime, A)
    X.version, X.said = version, {"data": (X.pointer, readonly)}
    np.testing.assert_array_equal(gpuplot.asnumpy(X), A)


@pytest.mark.parametrize("data", [(0, False), (None, False), None, 0])
def test_no_elements_need_no_memory(runtime, data):
    X = foreign.Wrapper(runtime, A[:0])
    X.said = {"data": data}
    assert gpuplot.asnumpy(X).shape == (0, 6)


def test_an_interface_that_is_a_ctypes_pointer(runtime):
    """Bindings put such pointers there where an int belongs."""
    X = foreign.Wrapper(runtime, A)
    X.said = {"data": (ctypes.c_void_p(X.pointer), False)}
    with pytest.raises(gpuplot.UnsupportedError, match="__cuda_array_interface__ of the Wrapper is wrong"):
        describe(X)
