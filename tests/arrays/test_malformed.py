"""Malformed arguments and producers: one clear exception before anything is computed or written, and the next call works."""

import ctypes
import datetime
import io
import tracemalloc
from collections import UserString

import numpy as np
import pytest
from capsules import Producer
from front_ends import EVERYWHERE

import gpuplot
from gpuplot.arrays.describe import describe

A = np.arange(30.0).reshape(5, 6)


class Interface:
    """An object whose ``__array_interface__`` says what it is told to say."""

    memory = np.arange(24, dtype="f4")

    def __init__(self, **lies):
        self.__array_interface__ = {"version": 3, "typestr": "<f4", "data": (self.memory.ctypes.data, True), "shape": (4, 6)} | lies


class Raiser:
    """An object whose ``__array_interface__`` raises."""

    def __init__(self, error):
        self.error = error

    @property
    def __array_interface__(self):
        raise self.error


@pytest.mark.host("array interfaces are about host memory")
@pytest.mark.parametrize("lies", [
    {"shape": (-4, 6)}, {"shape": (2**62, 6)}, {"shape": (2**70, 6)}, {"shape": (4.5, 6)}, {"shape": None},
    {"shape": (1,) * 70}, {"strides": (2**62, 2**62)}, {"typestr": "<z9"}, {"typestr": "|O8"}, {"typestr": "|V4"},
    {"data": (0, False)}, {"data": None},
])
def test_lying_array_interfaces_are_refused(lies):
    """An impossible description is one clear TypeError or ValueError."""
    with pytest.raises((TypeError, ValueError), match=r"\w+ \w+"):
        gpuplot.downsample(Interface(**lies), (2, 3))
    np.testing.assert_array_equal(gpuplot.downsample(Interface(), (4, 6)), Interface.memory.reshape(4, 6))


@pytest.mark.host("array interfaces are about host memory")
@pytest.mark.parametrize("lies", [
    {"data": b"x" * 95}, {"data": b""}, {"data": bytearray(9)}, {"data": memoryview(b"x" * 96), "offset": 4},
    {"data": b"x" * 96, "offset": -4}, {"data": b"x" * 96, "strides": (1000, 4)}, {"data": b"x" * 96, "strides": (-24, 4)},
    {"data": np.zeros(5, "f4"), "shape": (6,)},
])
@pytest.mark.parametrize("function", [
    lambda X: gpuplot.downsample(X, (2, 3)), gpuplot.stats, gpuplot.asnumpy, gpuplot.plot, gpuplot.hist, lambda X: gpuplot.hist2d(X, X),
    lambda X: gpuplot.scatter(X, X), lambda X: gpuplot.asnumpy([X, X]), lambda X: gpuplot.asnumpy([[X]]), lambda X: gpuplot.hist([[X]]),
], ids=["downsample", "stats", "asnumpy", "plot", "hist", "hist2d", "scatter", "list", "nested list", "hist of lists"])
def test_a_buffer_smaller_than_its_interface_says_is_refused(lies, function):
    """NumPy makes arrays of such interfaces that reach beyond the buffer, into any memory: for units of axes, and for lists."""
    with pytest.raises(TypeError, match=r"buffer .* smaller than shape .*; copy its numbers into a NumPy array"):
        function(Interface(**lies))


@pytest.mark.host("array interfaces are about host memory")
@pytest.mark.parametrize("lies", [
    {"data": Interface.memory.tobytes()}, {"data": b"1234" + Interface.memory.tobytes(), "offset": 4},
    {"data": Interface.memory}, {"data": memoryview(Interface.memory)},
    {"data": Interface.memory[::-1].tobytes(), "offset": 92, "strides": (-24, -4)},
])
def test_a_buffer_in_an_interface_is_read(lies):
    np.testing.assert_array_equal(gpuplot.asnumpy(Interface(**lies)), Interface.memory.reshape(4, 6))
    np.testing.assert_array_equal(gpuplot.asnumpy([[Interface(**lies)]] * 2), np.tile(Interface.memory.reshape(4, 6), (2, 1, 1, 1)))


VALID = np.array([True, False, True, True, True, False])


@pytest.mark.host("array interfaces are about host memory")
@pytest.mark.parametrize("mask", [VALID, VALID.astype("u1"), np.tile(VALID, (4, 1)), Interface(
    typestr="|b1", data=(VALID.ctypes.data, True), shape=(6,))], ids=["bool", "bytes", "whole", "interface"])
def test_the_mask_of_an_interface_says_which_elements_are_valid(mask):
    """It was ignored, as NumPy ignores it; the CUDA array interface has the same field."""
    expected = np.where(VALID, Interface.memory.reshape(4, 6), np.nan)
    X = Interface(mask=mask)
    np.testing.assert_array_equal(gpuplot.asnumpy(X), expected)
    np.testing.assert_array_equal(gpuplot.asnumpy([X, X]), [expected, expected])
    np.testing.assert_array_equal(gpuplot.to_rgba(X), gpuplot.to_rgba(np.ma.masked_invalid(expected)))
    assert "8 masked" in repr(gpuplot.stats(X)) and describe(X).array.mask.sum() == 8


class InterfaceAndCapsules(Interface):
    """An object that exports DLPack, too, which has no masks."""

    def __dlpack__(self, **keywords):
        return self.memory.reshape(4, 6).__dlpack__(**keywords)

    def __dlpack_device__(self):
        return 1, 0


@pytest.mark.host("array interfaces are about host memory")
def test_a_mask_is_not_lost_where_dlpack_is_spoken_as_well():
    """The mask was ignored, except in lists."""
    X = InterfaceAndCapsules(mask=VALID)
    expected = np.where(VALID, Interface.memory.reshape(4, 6), np.nan)
    np.testing.assert_array_equal(gpuplot.asnumpy(X), expected)
    np.testing.assert_array_equal(gpuplot.asnumpy([X, X]), [expected, expected])
    assert "8 masked" in repr(gpuplot.stats(X))
    assert not describe(InterfaceAndCapsules()).is_host_array  # read through DLPack


@pytest.mark.host("array interfaces are about host memory")
@pytest.mark.parametrize(("mask", "words"), [
    ([1] * 6, "its mask is no array but a list; fill missing elements first"), (VALID.astype(float), "its mask is of float64"),
    (VALID[:5], r"the mask of the Interface has shape \(5,\) and the array \(4, 6\)"), (7, "its mask is no array but an int"),
])
def test_masks_of_interfaces_that_cannot_be_read_are_refused(mask, words):
    for X in (Interface(mask=mask), [Interface(mask=mask)] * 2):
        with pytest.raises((TypeError, ValueError), match=words):
            gpuplot.asnumpy(X)


@pytest.mark.host("array interfaces are about host memory")
def test_an_interface_that_says_something_else_later_is_refused():
    """An array whose interface changed between two reads was described as float32 and shared as int32."""
    X = Interface()
    source = describe(X)
    for lies in ({"typestr": "<i4"}, {"shape": (3, 6)}):
        X.__array_interface__ = Interface(**lies).__array_interface__
        with pytest.raises(ValueError, match="the tensor was float32"):
            gpuplot.asnumpy(source)


@pytest.mark.host("arrays of NumPy that a device could not hold either")
def test_repetition_beyond_counting_is_no_fault_of_the_producer():
    with pytest.raises(ValueError, match=r"more than 2\^59 elements.*take a part of it"):
        gpuplot.asnumpy(np.lib.stride_tricks.as_strided(np.zeros(1, "u1"), (2**31, 2**31), (0, 0)), "f4")


@pytest.mark.parametrize("lies", [
    {"shape": (-2, 3)}, {"shape": (2**40, 2**40)}, {"strides": (2**60, 2**60)}, {"strides": (-(2**63), 1)}, {"is_null": True},
    {"ndim": -1}, {"ndim": 100}, {"dtype": (2, 32, 4)}, {"dtype": (2, 32, 0)}, {"dtype": (2, 4, 1)}, {"dtype": (99, 32, 1)},
    {"version": (9, 0)}, {"device": (99, -1)},
])
def test_lying_capsules_are_refused_and_released_once(lies):
    """A capsule that describes no tensor is refused, and its memory is let go exactly once."""
    producer = Producer(**lies)
    for call in (lambda: gpuplot.to_rgba(producer, (2, 3)), lambda: gpuplot.asnumpy(producer, order="K")):
        with pytest.raises((TypeError, ValueError), match=r"\w+ \w+"):
            call()
        assert producer.n_exports == producer.n_releases



OUTSIDE = [2**64 - 16, 2**63, 2**62, 2**56]


@pytest.mark.parametrize("function", EVERYWHERE)
@pytest.mark.parametrize("lies", [
    *({"offset_bytes": offset} for offset in OUTSIDE), {"strides": (2**60, 1)}, {"strides": (-(2**60), 1)},
    {"address": 2**64 - 24}, {"address": 2**63},
])
def test_capsules_that_leave_the_address_space_are_refused(lies, function):
    """A byte_offset that wraps round the address space was accepted, and so were strides that leave it: reading crashed."""
    producer = Producer(**lies)
    with pytest.raises(ValueError, match=r"leave.? the address space: its producer is wrong|span more than 2\^63 bytes"):
        EVERYWHERE[function](producer)
    assert producer.n_exports == producer.n_releases


def test_an_offset_to_no_elements_is_never_taken():
    assert gpuplot.asnumpy(Producer(shape=(0, 3), offset_bytes=2**64 - 16)).shape == (0, 3)


@pytest.mark.host("array interfaces, buffers and strides of NumPy are about host memory")
@pytest.mark.parametrize("function", EVERYWHERE)
@pytest.mark.parametrize("make", [
    *(lambda address=address: Interface(data=(address, True)) for address in OUTSIDE), lambda: Interface(strides=(2**60, 4)),
    lambda: Interface(strides=(-(2**50), 4)), lambda: (ctypes.c_float * 24).from_address(2**63),
    lambda: np.lib.stride_tricks.as_strided(np.zeros(4, "f4"), (2, 2), (2**60, 4)),
    lambda: np.ma.array(np.zeros((2, 2)), mask=np.lib.stride_tricks.as_strided(np.zeros(1, bool), (2, 2), (2**60, 1))),
])
def test_host_memory_that_leaves_the_address_space_is_refused(make, function):
    """Crashed, in NumPy's own loops for small planes, and asnumpy gave an array over such memory."""
    with pytest.raises(ValueError, match="leave the address space: its producer is wrong"):
        EVERYWHERE[function](make())


@pytest.mark.host("array interfaces are about host memory")
@pytest.mark.parametrize("call", [
    lambda X: gpuplot.asnumpy([X, X]), lambda X: gpuplot.stats([[X]]), lambda X: gpuplot.plot([X]), lambda X: gpuplot.hist([X, X]),
    lambda X: gpuplot.asnumpy(Interface(mask=X)), lambda X: gpuplot.scatter(X, X),
], ids=["list", "nested", "plot", "hist", "mask", "scatter"])
@pytest.mark.parametrize("typestr", ["|u1", "<f4", "<M8[s]"])
def test_host_memory_of_an_item_that_leaves_the_address_space_is_refused(call, typestr):
    """NumPy copied the items of a list, and compared a mask, before their addresses were looked at: a crash."""
    for address in OUTSIDE:
        with pytest.raises((TypeError, ValueError), match="leave the address space|mask is of float32|datetime64"):
            call(Interface(data=(address, True), typestr=typestr))


@pytest.mark.host("the array to write into is on the host")
def test_an_array_to_write_into_lies_in_the_address_space():
    out = np.lib.stride_tricks.as_strided(np.zeros(4, "f4"), (2, 2), (2**60, 4))
    with pytest.raises(ValueError, match="leave the address space"):
        gpuplot.asnumpy(np.ones((2, 2)), "f4", out=out)


@pytest.mark.host("array interfaces are about host memory")
def test_a_null_pointer_to_more_than_there_is_memory():
    """NumPy allocates the array before it looks at the pointer, so that a MemoryError came out."""
    X = Interface(data=(0, False), shape=(2**63 - 2**30,), typestr="|u1")
    with pytest.raises(gpuplot.UnsupportedError, match="data pointer in its __array_interface__ is null"):
        gpuplot.asnumpy(X)


def test_lack_of_memory_in_a_producer_is_a_memory_error():
    """A MemoryError raised by ``__array_interface__`` became a TypeError about the kind of tensor."""
    with pytest.raises(MemoryError):
        gpuplot.downsample(Raiser(MemoryError("none left")), (2, 2))
    with pytest.raises(gpuplot.UnsupportedError, match="no luck"):
        gpuplot.downsample(Raiser(RuntimeError("no luck")), (2, 2))


def test_a_step_that_is_never_taken_may_be_huge():
    """index={1: slice(None, None, 2**62)} multiplied the step by the stride: overflow, undefined in C."""
    np.testing.assert_array_equal(gpuplot.downsample(A, (5, 1), index={1: slice(None, None, 2**62)}), A[:, :1])
    np.testing.assert_array_equal(gpuplot.downsample(A, (1, 6), index={0: slice(-(2**70), None, 2**61)}), A[:1])


@pytest.mark.parametrize("draw", [
    gpuplot.plot, gpuplot.hist, lambda X: gpuplot.hist2d(X, X), lambda X: gpuplot.scatter(X, X), lambda X: gpuplot.plot([X]),
    lambda X: gpuplot.hist(np.ones(5), weights=X), lambda X: gpuplot.asnumpy([X]), lambda X: gpuplot.plot([[X]]),
], ids=["plot", "hist", "hist2d", "scatter", "list", "weights", "asnumpy of a list", "nested list"])
@pytest.mark.parametrize("is_record", [False, True], ids=["objects", "records"])
def test_pointers_in_foreign_memory_are_never_followed(draw, is_record):
    """NumPy followed them for the units of an axis: plot, hist, hist2d and scatter crashed where the memory held none."""
    dates = np.array([datetime.date(2024, 1, day) for day in range(1, 6)], object)
    lies = {"descr": [("date", "|O")], "typestr": "|V8"} if is_record else {"typestr": "|O8"}
    X = Interface(shape=dates.shape, data=(dates.ctypes.data, True), **lies)
    with pytest.raises(gpuplot.UnsupportedError, match="not numbers"):
        draw(X)


@pytest.mark.parametrize("call", [
    lambda X: gpuplot.downsample(A, (2, 2), view=X), lambda X: gpuplot.downsample(A, (2, 2), view=[X, X]),
    lambda X: gpuplot.stats(A, region=X), lambda X: gpuplot.imshow(A, extent=[X] * 4),
    lambda X: gpuplot.to_rgba(np.ones((4, 4, 3)), denorm=[X, X]),
], ids=["view", "views", "region", "extent", "denorm"])
def test_pointers_in_the_memory_of_a_parameter_are_never_followed(call):
    """view, region, extent and denorm were read by NumPy, which crashed where memory that says it holds objects holds none."""
    numbers = np.arange(1, 5, dtype="i8").reshape(2, 2)
    with pytest.raises((TypeError, ValueError), match="view=|region=|extent=|denorm="):
        call(Interface(shape=numbers.shape, data=(numbers.ctypes.data, True), typestr="|O8"))


V = np.arange(8.0)


@pytest.mark.parametrize(("function", "name"), [
    (lambda **given: gpuplot.hist(V, **given), name) for name in ("bottom", "rwidth", "label", "linewidth", "hatch")] + [
    (lambda **given: gpuplot.hist2d(V, V, **given), name) for name in ("alpha", "antialiased")] + [
    (lambda **given: gpuplot.plot(V, **given), name) for name in ("lw", "marker")] + [
    (lambda **given: gpuplot.scatter(V, V, **given), name) for name in ("linewidths", "marker", "alpha")])
@pytest.mark.parametrize("shape", [(), (3,), "list"], ids=["scalar", "array", "list"])
def test_pointers_in_the_memory_of_a_style_are_never_followed(function, name, shape):
    """matplotlib and NumPy were handed these values as they were, and the process crashed."""
    numbers = np.arange(1, 4, dtype="i8")
    X = Interface(shape=() if shape == "list" else shape, data=(numbers.ctypes.data, True), typestr="|O8")
    with pytest.raises(TypeError, match=f"^{name}=an Interface has elements that are not numbers but Python's objects"):
        function(**{name: [X, X] if shape == "list" else X})


@pytest.mark.parametrize("function", EVERYWHERE)
def test_lists_that_hold_themselves_are_refused(function):
    """`stats` recursed into such a list until Python's stack overflowed."""
    inner = []
    for X in (inner, [inner, inner], [1, inner], [1.0, inner, inner]):
        inner[:] = [X]
        with pytest.raises(ValueError, match="nested more than 64 levels deep, or contains itself"):
            EVERYWHERE[function](X)


class Boasting:
    """A sequence of numbers without end, which says that it is of a length."""

    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return 1.0


@pytest.mark.parametrize("function", ["asnumpy", "stats", "to_rgba"])
def test_sequences_longer_than_lists_are_refused(function):
    """Their items were collected one by one until all memory was taken."""
    for length in (2**62, 10**9):
        with pytest.raises(ValueError, match=f"Boasting says that it has {length} items, too many to be read one by one: give an array"):
            EVERYWHERE[function](Boasting(length))
    np.testing.assert_array_equal(gpuplot.asnumpy(Boasting(3)), [1.0, 1.0, 1.0])


class Fading:
    """An object whose ``__array_interface__`` is right for some uses and then another one."""

    def __init__(self, n_uses, then):
        self.n_uses, self.then = n_uses, then

    @property
    def __array_interface__(self):
        self.n_uses -= 1
        if self.n_uses >= 0:
            return A.__array_interface__
        return self.then()


def gone():
    raise RuntimeError("gone")


@pytest.mark.host("array interfaces are about host memory")
@pytest.mark.parametrize("then", [gone, lambda: A.T.__array_interface__, lambda: A.astype("f4").__array_interface__, lambda: None])
@pytest.mark.parametrize("name", EVERYWHERE)
def test_interfaces_that_change_between_two_uses(name, then):
    """Its own exceptions came through where the elements were read without a borrow."""
    for n_uses in range(1, 8):
        try:
            EVERYWHERE[name](Fading(n_uses, then))
        except (TypeError, ValueError) as error:
            assert any(words in str(error) for words in ("gone", "or update() of the picture that shows it", "cannot be read"))


@pytest.mark.host("a protocol of NumPy's")
def test_what_an_object_masks_stays_masked():
    """NumPy drops the mask of what `__array__` gives."""
    class Masking:
        def __array__(self, dtype=None, copy=None):
            return np.ma.array(A, mask=A > 3)

    expected = np.where(A > 3, np.nan, A)
    np.testing.assert_array_equal(gpuplot.asnumpy(Masking()), expected)
    assert gpuplot.stats(Masking()).max == 3
    np.testing.assert_array_equal(gpuplot.asnumpy([Masking(), Masking()]), [expected, expected])
    np.testing.assert_array_equal(gpuplot.asnumpy([[Masking()], (A,)]), [[expected], [A]])


class WithoutFunctions(np.ndarray):
    """An array that takes part in no function of NumPy's."""

    __array_ufunc__ = None

    def __array_function__(self, *_):
        raise RuntimeError("no functions")


@pytest.mark.host("a subclass of NumPy's arrays")
@pytest.mark.parametrize("name", EVERYWHERE)
def test_subclasses_of_arrays_are_read_as_arrays(name):
    """matplotlib computed with that of a small image."""
    EVERYWHERE[name](A.view(WithoutFunctions))
    assert type(gpuplot.asnumpy(A.view(WithoutFunctions))) is np.ndarray


class Converting:
    """An object whose ``__array__`` raises."""

    def __init__(self, error):
        self.error = error

    def __array__(self, dtype=None, copy=None):
        raise self.error


@pytest.mark.parametrize("error, reason", [
    (RuntimeError("first line.\nsecond line"), "first line"), (NotImplementedError(), "NotImplementedError"),
    (KeyError("x"), r"KeyError\('x'\)"), (ValueError("a" * 5000), "a{200}"), (RuntimeError("\n"), "RuntimeError"),
])
def test_the_reason_of_another_library_ends_one_sentence(error, reason):
    """Several lines came through as they were, and an exception without words left the sentence without an end."""
    hint = "copy its numbers into a NumPy array and give that"
    with pytest.raises(gpuplot.UnsupportedError, match=f"^Converting cannot be read as an array: {reason}; {hint}$"):
        gpuplot.asnumpy(Converting(error))


def test_lack_of_memory_in_a_conversion_is_a_memory_error():
    with pytest.raises(MemoryError, match="none left"):
        gpuplot.asnumpy(Converting(MemoryError("none left")))


class Sparse:
    """As the arrays of SciPy, which NumPy takes for objects."""

    ndim = 2

    def toarray(self):
        raise AssertionError("called")


@pytest.mark.host("text and records")
@pytest.mark.parametrize("make, message", [
    (lambda: np.array(["a", "b"], np.dtypes.StringDType()), "text is not numbers"),
    (lambda: memoryview(np.array(None, object)), "elements of dtype object are not numbers"), (ctypes.py_object, "dtype object are not"),
    (lambda: np.zeros(3, "V2"), r"raw bytes; view them with a dtype, for example X.view\('float16'\) or X.view\(ml_dtypes.bfloat16\)"),
    (lambda: np.zeros(4, "V1"), r"raw bytes; .*, for example X.view\(ml_dtypes.float8_e4m3fn\) or X.view\(ml_dtypes.int4\)"),
    (lambda: np.zeros(3, "V4"), r"choose one field, such as X\['name'\], or view the bytes with a dtype"),
    (lambda: np.ma.array([None, 1], mask=[True, False], dtype=object), "numpy.asarray"),
    (lambda: [np], r"not numbers: give an array of numbers"), (lambda: io.BytesIO(b"abc"), "is a file, read it first"),
    (lambda: type("Table", (dict,), {})(a=1), r"choose one with X\[key\]"),
    (lambda: [Sparse(), Sparse()], r"it holds Sparse objects, which are sparse: make them dense, with \[x.toarray\(\) for x in X\]"),
    (lambda: UserString("12"), "text is not numbers"), (lambda: np.array([[1j, 2]], object), r"numpy.asarray\(X, dtype=complex\)"),
])
def test_what_is_no_numbers_gets_the_line_that_helps(make, message):
    """A masked array of objects was an AttributeError; files were said to be iterators, text to be converted to float32.

    Of a buffer of one object the array interface, which it does not have, was said to be no dict.
    """
    with pytest.raises(gpuplot.UnsupportedError, match=message):
        gpuplot.asnumpy(make())


@pytest.mark.parametrize("strides", [(2**63 - 1, 1), (2**62, -(2**63)), (-(2**62), 2**62)])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_strides_of_an_empty_tensor_are_never_taken(shape, strides):
    """A tensor without elements was refused for strides that nobody takes."""
    producer = Producer(shape=shape, strides=strides)
    assert gpuplot.asnumpy(producer).shape == shape
    del producer.memory
    assert producer.n_exports == producer.n_releases


def test_a_number_of_dimensions_below_zero_is_the_producers_mistake():
    """It was told how many are supported at most."""
    producer = Producer(ndim=-1)
    with pytest.raises(ValueError, match="-1 dimensions: its producer is wrong"):
        gpuplot.asnumpy(producer)
    assert producer.n_exports == producer.n_releases


@pytest.mark.parametrize("shape", [(3,), (2, 4), (576460752303423486,)], ids=str)
@pytest.mark.parametrize("data", [{}, {"data": None}], ids=["left out", "None"])
def test_an_array_interface_without_memory_is_refused(shape, data):
    """NumPy makes an array of whatever lies in new memory, as large as the shape says."""
    X = type("X", (), {"__array_interface__": {"shape": shape, "typestr": "<f8", "version": 3} | data})()
    for call in (gpuplot.asnumpy, gpuplot.stats, gpuplot.to_rgba):
        with pytest.raises(gpuplot.UnsupportedError, match="has no data, and it is no buffer"):
            call(X)


def test_elements_at_address_0_are_refused_before_memory_is_taken_for_them():
    """NumPy allocates as many as the interface names, and then refuses them."""
    X = type("Freed", (), {"__array_interface__": {"shape": (10**8,), "typestr": "<i2", "data": (0, False), "version": 3}})()
    tracemalloc.start()
    try:
        with pytest.raises(gpuplot.UnsupportedError, match="the data pointer in its __array_interface__ is null, was it freed"):
            gpuplot.stats(X)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()
