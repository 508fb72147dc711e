"""Objects of every kind that can be borrowed, with the right elements, and errors for the others."""

import array
import collections
import copy
import ctypes
import gc
import pathlib
import re
import subprocess
import sys
import types
import weakref

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from stored_tensors import elements, stored_bytes

from gpuplot import _native, asnumpy, hist, stats
from gpuplot.arrays.describe import Source, describe
from gpuplot.errors import UnsupportedError
from gpuplot.plane.view import choose

pytestmark = pytest.mark.host("what is said of arrays in host memory")

NUMPY_DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32",
                "float64", "longdouble", "complex64", "complex128"]
ML_DTYPES = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3b11fnuz",
             "float8_e4m3", "float8_e3m4", "float8_e8m0fnu", "complex32"]


def some(dtype, shape=(4, 6)):
    return np.arange(1, 1 + np.prod(shape)).reshape(shape).astype(dtype)


@pytest.mark.parametrize("name", NUMPY_DTYPES)
def test_numpy_dtypes(name):
    values = some(name)
    source = describe(values)
    assert (source.shape, source.dtype, source.nbytes) == ((4, 6), name, values.nbytes)
    assert source.is_host_array and not source.is_masked and source.array is values
    np.testing.assert_array_equal(elements(source), stored_bytes(values))


@pytest.mark.parametrize("name", ML_DTYPES)
def test_dtypes_of_ml_dtypes_are_known_by_name(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    if not hasattr(ml_dtypes, name):
        pytest.skip(f"this ml_dtypes has no {name}")
    values = some("float32").astype(getattr(ml_dtypes, name))
    for layout in (values, values[::-2, ::2], values.T):
        source = describe(layout)
        assert source.dtype == name
        np.testing.assert_array_equal(elements(source), stored_bytes(np.ascontiguousarray(layout).view(f"u{layout.itemsize}")))


HOLDERS = {"int1": "int8", "int2": "int8", "int4": "int8", "uint1": "uint8", "uint2": "uint8", "uint4": "uint8",
           "float4_e2m1fn": "float32", "float6_e2m3fn": "float32", "float6_e3m2fn": "float32"}


@pytest.mark.parametrize("name", HOLDERS)
@pytest.mark.parametrize("is_masked", [False, True])
def test_elements_of_fewer_than_8_bits_are_read_as_wider_ones(name, is_masked):
    """Every code, whatever the unused bits of its byte are, and as it is now: the copy is made at each use."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    if not hasattr(ml_dtypes, name):
        pytest.skip(f"this ml_dtypes has no {name}")
    values = np.arange(256, dtype=np.uint8).reshape(16, 16)[:, ::-1].view(getattr(ml_dtypes, name))
    X = np.ma.array(values, mask=np.eye(16)) if is_masked else values
    source = describe(X)
    assert (source.shape, source.dtype, source.is_masked, source.is_host_array) == ((16, 16), HOLDERS[name], is_masked, False)
    for _ in range(2):
        np.testing.assert_array_equal(elements(source), stored_bytes(values.astype(HOLDERS[name])))
        values[3, 4] = 1


def test_longdouble_and_long_names():
    assert describe(np.zeros(2, np.longlong)).dtype == "int64"
    assert describe(np.zeros(2, np.longdouble)).dtype in ("longdouble", "float64")


@st.composite
def layouts(draw):
    """A 2-D array as any sequence of NumPy's views leaves it."""
    base = np.arange(12 * 14 * 3, dtype=draw(st.sampled_from(["u1", "i2", "<f4", ">f4", ">f8", ">c16", ">i8"])))
    values = base.reshape(12, 14, 3)[:, :, draw(st.integers(0, 2))]
    if draw(st.booleans()):
        values = values[draw(st.slices(12)), draw(st.slices(14))]
    if draw(st.booleans()):
        values = values.T
    if draw(st.booleans()):
        values = np.asfortranarray(values)
    if draw(st.booleans()) and 0 not in values.shape:
        values = np.broadcast_to(values[:1], values.shape)
    if draw(st.booleans()):
        record = np.zeros(values.shape, np.dtype([("gap", "u1"), ("value", values.dtype)]))
        record["value"] = values
        values = record["value"]
    return values


@examples(150)
@given(layouts())
def test_every_layout_and_byte_order(values):
    source = describe(values)
    assert source.shape == values.shape
    native = values.astype(values.dtype.newbyteorder("="))
    found = elements(source)
    if values.size:
        np.testing.assert_array_equal(found, stored_bytes(native))


def test_subclasses_and_read_only_arrays():
    class Quantity(np.ndarray):
        pass

    assert describe(some("f4").view(Quantity)).shape == (4, 6)
    assert describe(some("f4").view(np.matrix)).shape == (4, 6)
    values = some("f4")
    values.flags.writeable = False
    np.testing.assert_array_equal(elements(describe(values)), stored_bytes(values))


def test_masked_arrays():
    plain = np.ma.array(some("i4"))
    assert not describe(plain).is_masked
    masked = np.ma.masked_greater(some("i4"), 9)
    assert describe(masked).is_masked and describe(masked).array is masked
    # Data and mask may be laid out differently; both are borrowed as they are.
    turned = np.ma.array(np.asfortranarray(some("i4")), mask=np.ma.getmaskarray(masked))
    with describe(turned[::-1]).borrow() as tensor:
        assert tensor.strides == turned.data[::-1].strides
    assert describe(np.ma.masked).is_masked


def test_a_mask_set_after_the_description_is_used():
    values = np.ma.array(some("f4"))
    source = describe(values)
    values[0, :] = np.ma.masked
    view = choose(source.shape, None, source.dtype)
    with source.borrow() as tensor:
        low, *_ = _native.limits(_native.Plane(tensor, view.uses, view.stage_ops), _native.WANT_RANGE)
    assert low == 7


@pytest.mark.parametrize("literal, shape, dtype", [
    ([[1, 2], [3, 4]], (2, 2), "int64"), ([[1.5, 2]], (1, 2), "float64"), (((True,), (False,)), (2, 1), "bool"),
    (3, (), "int64"), (2.5, (), "float64"), (1j, (), "complex128"), (True, (), "bool"), (range(4), (4,), "int64"),
    ([], (0,), "float64"), ([[]], (1, 0), "float64"), (np.float32(2), (), "float32"),
    ([2**63], (1,), "uint64"), ([np.ones(3), np.zeros(3)], (2, 3), "float64"),
])
def test_lists_and_numbers(literal, shape, dtype):
    source = describe(literal)
    assert (source.shape, source.dtype, source.is_host_array) == (shape, dtype, True)


def test_buffers():
    block = memoryview(bytes(range(6))).cast("B", (2, 3))
    np.testing.assert_array_equal(elements(describe(block))[..., 0], [[0, 1, 2], [3, 4, 5]])
    assert describe(bytearray(5)).dtype == "uint8"
    assert describe((ctypes.c_double * 3)()).dtype == "float64"
    assert describe(array.array("h", [1, 2])).dtype == "int16"


def test_a_buffer_is_not_locked_between_uses():
    numbers = array.array("d", [1, 2, 3])
    source = describe(numbers)
    with source.borrow(), pytest.raises(BufferError):
        numbers.append(4)
    numbers.append(4)
    with pytest.raises(ValueError, match=r"was float64 \(3,\) and is float64 \(4,\) now"):
        source.borrow()


class Interface:
    """An object with the array interface over memory of its own."""

    def __init__(self, values, **changes):
        self.values = values
        self.__array_interface__ = {**values.__array_interface__, **changes}


def test_array_interface():
    values = some("f4")[::2, ::-1]
    source = describe(Interface(values))
    assert source.is_host_array
    np.testing.assert_array_equal(elements(source), stored_bytes(values))


@pytest.mark.parametrize("changes", [
    {"typestr": "<q9"}, {"typestr": None}, {"typestr": 3}, {"shape": None}, {"shape": (-2, 3)}, {"shape": "ab"},
    {"data": None, "strides": (0,)}, {"data": ("x", False)}, {"strides": (4,)}, {"version": 3, "typestr": ""},
    {"data": (0, False)},
])
def test_wrong_array_interfaces_are_refused(changes):
    with pytest.raises((TypeError, ValueError)):
        describe(Interface(some("f4"), **changes)).borrow()


def test_objects_of_foreign_memory_are_never_looked_at():
    """They would be addresses that nobody vouches for."""
    for values in (np.full(4, 7, "u8"), np.full((2, 2), 2**63, "u8")):
        with pytest.raises(UnsupportedError, match="dtype object are not numbers"):
            describe(Interface(values, typestr="|O"))


def test_array_interfaces_that_are_none():
    class Junk:
        __array_interface__ = None

    class Failing:
        @property
        def __array_interface__(self):
            raise RuntimeError("the array was deleted")

    with pytest.raises(UnsupportedError, match="Junk exports its memory in a way"):
        describe(Junk())
    with pytest.raises(UnsupportedError, match="the array was deleted"):
        describe(Failing())


@pytest.mark.parametrize("values, dtype", [
    (np.array([[None, 1]]), "object"), (np.array(["a"]), "<U1"), (np.array([b"a"]), r"\|S1"),
    (np.array(["2020"], "M8[D]"), r"datetime64\[D\]"), (np.array([1], "m8[s]"), r"timedelta64\[s\]"),
    (np.zeros(2, [("a", "f4")]), "a"), (None, "object"), ("name", "<U4"), ([2**70], "object"), ({}, "object"),
    (object(), "object"), ([["a"]], "<U1"), (b"bytes", r"\|S5"), (memoryview(b"ab").cast("c"), r"\|S1"),
])
def test_what_is_no_number_is_refused(values, dtype):
    with pytest.raises(TypeError, match=f"elements of dtype .*{dtype}.* are not numbers: ."):
        describe(values)


class Sparse:
    def toarray(self):
        raise AssertionError("nothing is converted unasked")


class Uncertain:
    nominal_value = 1.0


@pytest.mark.parametrize("X, words", [
    (Sparse(), "X.toarray()"), (pathlib.Path("a.png"), "imread"), ({"a": 1}, "X[key]"), (iter([[1]]), "list(X)"),
    (collections.UserDict(a=1), "X[key]"), (types.MappingProxyType({}), "X[key]"), (None, "X is None"),
    (object(), "object is neither"),
    ([Uncertain()], "uncertainties.unumpy.nominal_values(X)"), (ctypes.pointer(ctypes.c_int(3)), "numpy.ctypeslib.as_array"),
    ("a.npy", "imread"), (b"abc", "numpy.frombuffer(X, dtype='uint8')"), (type("Net", (), {"named_parameters": None})(), "X.weight"),
    (type("Odd", (), {"__array__": lambda self, *_, **__: [1, 2]})(), "Odd cannot be read as an array"),
    ([[1, None]], "numpy.asarray(X, dtype=float)"), ([None, None], "it holds None alone: a .grad is None until"),
    (np.array([[1.5, 2]], object), "numpy.asarray(X, dtype=float)"), (np.array([[1.5, "2"]], object), "numpy.asarray(X, dtype=float)"),
    (np.array([[1.5, "n/a"]], object), "it holds the text 'n/a', which is no number: leave it out, or put NaN in its place"),
    (np.array([[1.5, b"x" * 99]], object), f"it holds the text b'{'x' * 40}', which is no number"),
], ids=lambda value: type(value).__name__)
def test_objects_that_are_no_arrays_are_refused_with_what_to_do(X, words):
    with pytest.raises(UnsupportedError, match=re.escape(words)):
        describe(X)


def test_other_refusals_say_what_to_do():
    with pytest.raises(UnsupportedError, match=r"astype\('complex128'\)"):
        describe(np.zeros(2, np.clongdouble))
    with pytest.raises(ValueError, match="differ in length"):
        describe([[1], [1, 2]])


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "RGBX", "CMYK", "LA", "YCbCr", "HSV", "F", "I", "I;16",
                                  "I;16B", "I;16L"])
def test_images_are_read_as_matplotlib_reads_them(mode):
    Image = pytest.importorskip("PIL.Image")
    from matplotlib.image import pil_to_array

    image = Image.frombytes("L", (5, 4), bytes(range(0, 200, 10)))
    image = Image.frombytes(mode, (5, 4), bytes(range(40))) if mode.startswith("I;16") else image.convert(mode)
    source = describe(image)
    expected = pil_to_array(image)
    assert source.dtype == expected.dtype.name
    np.testing.assert_array_equal(source.array, expected)


def test_a_list_with_memory_of_its_own_is_copied():
    """The result of copy=True was that memory."""
    array = np.arange(6.0)

    class Held(list):
        def __array__(self, dtype=None, copy=None):
            return array

    assert asnumpy(Held([1])) is not None and np.shares_memory(asnumpy(Held([1]), copy=False), array)
    assert not np.shares_memory(asnumpy(Held([1]), copy=True), array)


def test_numbers_about_images_are_about_their_samples():
    """They were those of the colors that matplotlib makes of them."""
    Image = pytest.importorskip("PIL.Image")
    samples = np.array([[-2000, 0, 3000]], "f4")
    found = stats(Image.fromarray(samples))
    assert (found.min, found.max, found.shape) == (-2000, 3000, (1, 3))
    counts, *_ = hist(Image.fromarray(samples), 5)
    assert counts.tolist() == [1, 0, 1, 0, 1]


@pytest.mark.parametrize("mode, dtype, shape", [
    ("1", "bool", (4, 5)), ("L", "uint8", (4, 5)), ("P", "uint8", (4, 5)), ("LA", "uint8", (4, 5, 2)), ("RGB", "uint8", (4, 5, 3)),
    ("CMYK", "uint8", (4, 5, 4)), ("I", "int32", (4, 5)), ("F", "float32", (4, 5)), ("I;16", "uint16", (4, 5)), ("I;16B", "uint16", (4, 5)),
])
def test_asnumpy_gives_the_samples_of_images(mode, dtype, shape):
    Image = pytest.importorskip("PIL.Image")
    image = Image.frombytes("L", (5, 4), bytes(range(0, 200, 10)))
    image = Image.frombytes(mode, (5, 4), bytes(range(40))) if mode.startswith("I;16") else image.convert(mode)
    found = asnumpy(image)
    assert (found.dtype, found.shape, found.dtype.isnative) == (np.dtype(dtype), shape, True)
    np.testing.assert_array_equal(found, np.asarray(image))
    found[...] = 0  # it is the caller's


@pytest.mark.parametrize("letter", list("?bBhHiIlLqQefdgFD"))
def test_memory_of_every_format(letter):
    base = np.zeros((4, 3), letter)
    base[::2] = [[0, 1, 0], [1, 0, 1]]
    memory = memoryview(base)
    for X in (memory, memory[::2], memory.toreadonly()[::-2]):
        np.testing.assert_array_equal(asnumpy(X), np.asarray(X))


def test_lists_of_masked_arrays_stay_masked():
    row = np.ma.masked_greater(np.arange(3.0), 1)
    source = describe([row, row.data])
    assert source.is_masked and source.array.mask.tolist() == [[False, False, True], [False] * 3]
    nested = describe([[row, row.data], [[0.0, 1.0, 2.0], row]])
    assert nested.is_masked and np.argwhere(nested.array.mask).tolist() == [[0, 0, 2], [1, 1, 2]]
    np.testing.assert_array_equal(nested.array.data, np.broadcast_to(np.arange(3.0), (2, 2, 3)))
    with pytest.raises(ValueError, match="differ in length"):
        describe([[row, row], [row]])


def test_pandas():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": [3.0, np.nan]})
    source = describe(frame)
    assert (source.shape, source.dtype, source.is_masked) == ((2, 2), "float64", False)
    assert describe(pd.Index([1, 2])).dtype == "int64"
    exact = describe(pd.Series([1, None, 2**60 + 1], dtype="Int64"))
    assert exact.dtype == "int64" and exact.array[2] == 2**60 + 1
    np.testing.assert_array_equal(np.ma.getmask(exact.array), [False, True, False])
    mixed = describe(pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [1.5, 2.5]}))
    assert (mixed.shape, mixed.dtype, mixed.is_masked) == ((2, 2), "float64", True)
    mixed = describe(pd.DataFrame({"a": [True], "b": [2]}))
    assert (mixed.dtype, mixed.is_masked, mixed.array.tolist()) == ("int64", False, [[1, 2]])


def test_pandas_that_holds_no_numbers():
    pd = pytest.importorskip("pandas")
    for values, words in (
        (pd.DataFrame({"a": [1], "b": ["x"]}), "are not numbers"),
        (pd.DataFrame({"a": [True], "b": ["x"]}), "leave out column 'b'"),
        (pd.Series(["a"], dtype="category"), "X.cat.codes"),
        (pd.Series(pd.date_range("2020", periods=2)), "are not numbers"),
        (pd.Series(pd.date_range("2020", periods=2, tz="UTC")), "are not numbers"),
        (pd.Timestamp("2020"), "are not numbers"),
    ):
        with pytest.raises(TypeError, match=words):
            describe(values)


def test_xarray():
    xr = pytest.importorskip("xarray")
    values = some("f4")
    source = describe(xr.DataArray(values, dims=("lat", "lon")))
    assert source.dims == ("lat", "lon") and source.array is values
    assert choose(source.shape, source.dims, source.dtype, x="lat").col_axis == 0
    assert describe(xr.Variable(("t",), [1, 2])).dims == ("t",)
    with pytest.raises(UnsupportedError, match="choose one.*'a'"):
        describe(xr.Dataset({"a": ("t", [1])}))


def test_nothing_is_held_between_uses():
    values = some("f4")
    before = sys.getrefcount(values)
    source = describe(values)
    assert sys.getrefcount(values) == before + 1
    tensor = source.borrow()
    tensor.release()
    tensor.release()
    assert sys.getrefcount(values) == before + 1
    with source.borrow() as tensor:
        held = sys.getrefcount(values)
    assert sys.getrefcount(values) < held
    del source
    assert sys.getrefcount(values) == before


def test_a_source_dies_with_its_last_user():
    source = describe(some("f4"))
    gone = weakref.ref(source)
    del source
    gc.collect()
    assert gone() is None


def test_the_elements_are_read_as_they_are_at_the_use():
    values = some("f4")
    source = describe(values)
    values[:] = 5
    np.testing.assert_array_equal(elements(source), stored_bytes(values))


def test_a_tensor_that_changed_its_shape_is_refused():
    values = some("f4")
    source = describe(values)
    values.resize((6, 4), refcheck=False)
    with pytest.raises(ValueError, match="update"):
        source.borrow()


def test_sources_are_shared_not_copied():
    source = describe(some("f4"))
    assert isinstance(source, Source)
    assert describe(source) is source and copy.deepcopy(source) is source and copy.copy(source) is source
    assert source.ndim == 2 and source.size == 24 and "float32 (4, 6)" in repr(source)


def test_no_framework_is_imported():
    code = ("import sys, numpy, gpuplot.arrays.describe as t; t.describe([[1, 2]]); t.describe(numpy.eye(3)); "
            "t.describe(memoryview(b'abc')); "
            "print(*{'torch', 'jax', 'tensorflow', 'pandas', 'xarray', 'ml_dtypes', 'matplotlib.pyplot'} & set(sys.modules))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
