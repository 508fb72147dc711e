"""`asnumpy` of host memory: what is shared and what is copied, layouts, dtypes by any name."""

import gc
import itertools
import subprocess
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from capsules import Producer
from stored_tensors import LAYOUTS

import gpuplot
from gpuplot.errors import UnsupportedError
from gpuplot.transfer import output

A = np.arange(24, dtype="f4").reshape(4, 6)
ORDERS = ["C", "F", "A", "K"]


def address(array):
    return array.__array_interface__["data"][0]


# ---- without a copy ----------------------------------------------------------------------------------------------------

host = pytest.mark.host("arrays of the host have memory to share")


@host
def test_an_ndarray_that_fits_is_given_back_itself():
    for array in (A, np.zeros(()), np.zeros((0, 3)), A[:1, :1], A.astype("i8"), np.zeros((1,) * 64)):
        for copy in (None, False):
            assert gpuplot.asnumpy(array, copy=copy) is array
            assert gpuplot.asnumpy(array, array.dtype, copy=copy, order="K") is array
    assert gpuplot.asnumpy(A, "f4", order="A") is A and address(gpuplot.asnumpy(A.T, order="F", copy=False)) == address(A)


@host
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_are_made_where_numpy_makes_them(layout, order):
    """And nowhere else: the one difference is that results are never byte-swapped."""
    array = LAYOUTS[layout](A)
    found = gpuplot.asnumpy(array, order=order)
    is_needed = not np.shares_memory(np.asarray(array, order=order), array) or layout == "swapped"
    assert (found is array) == (not is_needed)
    np.testing.assert_array_equal(found, A)
    assert (found.dtype == A.dtype and found.flags.aligned) or found is array
    if is_needed:
        with pytest.raises(ValueError, match="copy=False, and a copy is needed: the (elements do not lie|bytes of the el)"):
            gpuplot.asnumpy(array, order=order, copy=False)


@host
def test_copy_true_always_copies():
    for array in (A, np.zeros(()), A.T):
        found = gpuplot.asnumpy(array, copy=True, order="K")
        assert not np.shares_memory(found, array) and found.flags.writeable and found.strides == np.copy(array, order="K").strides
        np.testing.assert_array_equal(found, array)


@host
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_subclasses_share_their_memory_as_plain_arrays(tmp_path):
    file = np.memmap(tmp_path / "m", "f4", "w+", shape=(2, 3))
    file[...] = A[:2, :3]
    for array in (file, np.asmatrix(A), A.view(np.recarray)):
        found = gpuplot.asnumpy(array, copy=False)
        assert type(found) is np.ndarray and address(found) == address(array) and found.flags.writeable
    read_only = np.memmap(tmp_path / "m", "f4", "r", shape=(2, 3))
    assert not gpuplot.asnumpy(read_only).flags.writeable


@host
def test_buffers_and_interfaces_are_shared_as_they_allow():
    writable, fixed = bytearray(range(6)), memoryview(bytes(range(6))).cast("B", (2, 3))
    gpuplot.asnumpy(writable)[0] = 9
    assert writable[0] == 9
    assert gpuplot.asnumpy(fixed, copy=False).tolist() == [[0, 1, 2], [3, 4, 5]] and not gpuplot.asnumpy(fixed).flags.writeable
    holder = SimpleNamespace(__array_interface__=A.__array_interface__, kept=A)
    assert address(gpuplot.asnumpy(holder, copy=False)) == address(A)


@host
@pytest.mark.parametrize("version, flags, is_writable", [(None, 0, False), ((1, 3), 0, True), ((1, 3), 1, False), ((1, 0), 2, True)])
def test_dlpack_memory_is_shared_until_the_array_dies(version, flags, is_writable):
    """Of a legacy capsule nobody knows whether it may be written to; `numpy.from_dlpack` takes that for a no."""
    producer = Producer(range(6), (2, 3), version=version, flags=flags)
    found = gpuplot.asnumpy(producer, copy=False)
    assert found.tolist() == [[0, 1, 2], [3, 4, 5]] and address(found) == producer.address
    assert found.flags.writeable == is_writable and found.flags.c_contiguous
    part = found[1:, ::2]
    del found
    gc.collect()
    assert producer.n_releases == producer.n_exports - 1 and part.tolist() == [[3, 5]]
    del part
    gc.collect()
    assert producer.n_releases == producer.n_exports


@host
def test_dlpack_memory_that_is_copied_is_let_go_at_once():
    producer = Producer(range(6), (2, 3), version=(1, 3))
    for keywords in ({"copy": True}, {"dtype": "f8"}, {"order": "F"}, {"out": np.empty((2, 3), "i2")}):
        found = gpuplot.asnumpy(producer, **keywords)
        assert producer.n_releases == producer.n_exports
        assert found.tolist() == [[0, 1, 2], [3, 4, 5]] and not np.shares_memory(found, np.frombuffer(producer.memory, "u1"))


@host
@pytest.mark.parametrize("root", ["jax", "jaxlib", "tensorflow"])
def test_arrays_that_never_change_are_shown_read_only(root):
    kind = type("Array", (Producer,), {"__module__": root + ".core"})
    producer = kind(range(6), (2, 3), version=(1, 3))
    assert not gpuplot.asnumpy(producer).flags.writeable
    assert gpuplot.asnumpy(producer, copy=True).flags.writeable


@host
def test_lists_are_put_into_one_array_and_not_copied_again():
    rows = [[1, 2], [3, 4]]
    for copy in (None, True):
        found = gpuplot.asnumpy(rows, copy=copy)
        assert found.dtype == np.asarray(rows).dtype and found.flags.writeable and found.base is None
    assert gpuplot.asnumpy(3.5).shape == gpuplot.asnumpy(np.float16(2)).shape == ()
    for literal in (rows, 3.5, np.float32(1), range(4)):
        with pytest.raises(ValueError, match="copy=False, and a copy is needed: the elements have to be put into an array first"):
            gpuplot.asnumpy(literal, copy=False)


@host
def test_elements_that_lie_across_words_are_shared_too():
    producer = Producer(range(7), (2, 2), offset_bytes=2, version=(1, 3))
    found = gpuplot.asnumpy(producer, copy=False)
    assert not found.flags.aligned and found.tobytes() == bytes(producer.memory)[2:18]
    assert gpuplot.asnumpy(producer, "f8").tolist() == found.tolist()


@host
def test_results_hold_nothing_of_their_source():
    array = np.zeros((2, 3), "f8")
    gone = weakref.ref(array)
    found = gpuplot.asnumpy(array, "f4")
    del array
    assert gone() is None and found.shape == (2, 3)


# ---- layouts -----------------------------------------------------------------------------------------------------------


def shapes_and_strides():
    """Views of a five-dimensional array: axes permuted, turned round, of size one, broadcast, left out."""
    whole = np.arange(2 * 3 * 1 * 4 * 2, dtype="i2").reshape(2, 3, 1, 4, 2)
    for axes in itertools.islice(itertools.permutations(range(5)), 0, None, 7):
        yield whole.transpose(axes)
        yield whole.transpose(axes)[::-1, ..., ::-1]
    yield from (whole[:1], whole[:, :1, :, ::2], whole[0, 0, 0], whole[..., :0, :], np.broadcast_to(whole[0], (3, 3, 1, 4, 2)))
    yield from (np.broadcast_to(np.int16(1), (2, 3)), np.broadcast_to(whole[0, :, 0, :1, 0], (3, 4)),
                np.broadcast_to(whole[:, 0, 0, 0], (2, 2, 2)))


@pytest.mark.parametrize("order", ORDERS)
def test_copies_have_the_layout_that_numpy_gives_them(order):
    for array in shapes_and_strides():
        expected = array.astype("f4", order=order)
        found = gpuplot.asnumpy(array, "f4", order=order)
        np.testing.assert_array_equal(found, expected)
        assert found.strides == expected.strides and found.shape == expected.shape, (array.shape, array.strides)
        assert found.flags.c_contiguous == expected.flags.c_contiguous and found.flags.f_contiguous == expected.flags.f_contiguous


def test_64_axes():
    array = np.arange(8.0).reshape((1,) * 30 + (2, 2, 2) + (1,) * 31)
    found = gpuplot.asnumpy(array[..., ::-1], "i4", order="F")
    assert found.shape == array.shape and found.ravel().tolist() == list(range(8)) and found.flags.f_contiguous


# ---- dtypes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype, expected", [
    (float, "f8"), (int, "i8"), (bool, "?"), (complex, "c16"), ("f2", "f2"), ("<u2", "u2"), (np.int8, "i1"), (np.dtype("u4"), "u4"),
    ("longdouble", np.longdouble), (np.longdouble, np.longdouble), ("single", "f4"), (np.longlong, "i8"),
    (SimpleNamespace(dtype=np.dtype("f4")), "f4"), (SimpleNamespace(name="int16"), "i2"),
])
def test_dtypes_by_what_numpy_takes(dtype, expected):
    found = gpuplot.asnumpy(A, dtype)
    assert found.dtype == expected
    np.testing.assert_array_equal(found, A.astype(expected))


def test_dtypes_of_ml_dtypes_by_name():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name in ("bfloat16", "float8_e5m2", "float8_e4m3fn"):
        expected = A.astype(getattr(ml_dtypes, name))
        for dtype in (name, getattr(ml_dtypes, name), expected.dtype):
            found = gpuplot.asnumpy(A, dtype)
            assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes()
        back = gpuplot.asnumpy(expected)
        assert back.dtype == np.float32
        np.testing.assert_array_equal(back, expected.astype("f4"))


@host
def test_dtypes_that_numpy_lacks_are_shared_when_they_are_asked_for():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    half = A.astype(ml_dtypes.bfloat16)
    assert gpuplot.asnumpy(half, "bfloat16", copy=False) is half
    with pytest.raises(ValueError, match="bfloat16 elements become float32"):
        gpuplot.asnumpy(half, copy=False)


def test_dtypes_of_ml_dtypes_without_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(TypeError, match="NumPy has bfloat16 only with ml_dtypes, which is not installed or too old"):
        output.numpy_dtype("bfloat16")


@pytest.mark.parametrize("dtype", ["nonsense", "U3", object, "M8[s]", np.dtype([("a", "f4")]), "i4,f4", "V3", 7, "torch.float32",
                                   "clongdouble"],
                         ids=str)
def test_what_is_no_dtype_of_numbers(dtype):
    with pytest.raises(TypeError, match="is not a dtype of numbers that asnumpy gives: bool, uint8, .*float64.*complex128"):
        gpuplot.asnumpy(A, dtype)


def test_complex32_is_no_dtype_of_numpy():
    with pytest.raises(TypeError, match="complex64 holds its elements exactly"):
        gpuplot.asnumpy(A, "complex32")


def test_byte_order_is_the_machines():
    swapped = np.dtype("f4").newbyteorder("S")
    assert gpuplot.asnumpy(A.astype(swapped)).dtype.isnative
    with pytest.raises(ValueError, match=r"gpuplot\.asnumpy\(X, 'float32'\)\.astype\('>f4'\)"):
        gpuplot.asnumpy(A, ">f4")


def test_complex_numbers_do_not_lose_a_part():
    z = A[:2] + 1j
    for dtype in ("f8", "i4", "?", "f2"):
        with pytest.raises(TypeError, match=r"choose X\.real, X\.imag or abs\(X\) first"):
            gpuplot.asnumpy(z, dtype)
        with pytest.raises(TypeError, match=r"choose X\.real"):
            gpuplot.asnumpy(z, out=np.empty(z.shape, dtype))
    assert gpuplot.asnumpy(z, "c16").dtype == "c16" and gpuplot.asnumpy(A, "c8")[0, 1] == 1


def test_ml_dtypes_is_not_imported_for_what_numpy_has():
    script = """
import sys
sys.path.insert(0, sys.argv[1])
import gpuplot
from capsules import Producer
before = {name for name in sys.modules if name.partition(".")[0] in ("ml_dtypes", "tqdm", "torch")}
found = gpuplot.asnumpy(Producer(range(6), (2, 3), dtype=(4, 16, 1)))
assert found.shape == (2, 3) and found.dtype == "float32"
assert {name for name in sys.modules if name.partition(".")[0] in ("ml_dtypes", "tqdm", "torch")} == before
"""
    done = subprocess.run([sys.executable, "-c", script, str(Path(__file__).parents[1])], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ---- what is refused ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keywords, message", [
    ({"order": "Z"}, "order='Z' is not one of C, F, A, K"), ({"order": None}, "order=None is not one of"),
    ({"copy": "never"}, "copy='never' is not one of None, True, False"), ({"copy": 2}, "copy=2 is not one of"),
    ({"stream": 0}, "stream=0 may mean two streams"),
])
def test_values_that_are_not_known(keywords, message):
    with pytest.raises(ValueError, match=message):
        gpuplot.asnumpy(A, **keywords)


def test_choices_are_checked_before_the_tensor_is_looked_at():
    untouched = SimpleNamespace()
    for keywords, kind in (({"dtype": "?!"}, TypeError), ({"order": "Z"}, ValueError), ({"progress": 3}, TypeError)):
        with pytest.raises(kind):
            gpuplot.asnumpy(untouched, **keywords)
    with pytest.raises(TypeError):
        gpuplot.asnumpy(X=A)


@pytest.mark.parametrize("X", ["text", object(), np.array(["a"]), np.zeros(3, "M8[s]"), {"a": 1}, None, np.array([A, None], object)],
                         ids=lambda value: type(value).__name__)
def test_what_is_no_tensor(X):
    with pytest.raises(UnsupportedError):
        gpuplot.asnumpy(X)


def test_lower_case_orders_as_in_numpy():
    assert gpuplot.asnumpy(A, "f8", order="f").flags.f_contiguous


@pytest.mark.host("instructions of the host's processor")
@pytest.mark.parametrize("name, stored", [
    ("float32", np.arange(2**16, dtype="u2").view("f2")),
    ("float16", np.random.default_rng(0).integers(0, 2**32, 2**16, dtype="u4").view("f4")),
    ("float16", (np.random.default_rng(1).integers(0, 2**24, 2**16, dtype="u4") | 0x7F800000).view("f4")),
    ("float16", np.arange(2**16, dtype="u4").view("f4") + np.float32(2**-12)),
], ids=["all codes", "any float32", "NaN", "ties"])
def test_halves_have_the_same_bits_in_vectors_and_alone(name, stored):
    """The processor's instruction for sixteen elements and the arithmetic for one agree, in NaNs too."""
    bits = f"u{np.dtype(name).itemsize}"
    whole = gpuplot.asnumpy(stored, name).view(bits)
    parts = [gpuplot.asnumpy(stored[i:i + 7], name).view(bits) for i in range(0, stored.size, 7)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    with np.errstate(over="ignore", invalid="ignore"):
        np.testing.assert_array_equal(whole.view(name), stored.astype(name))
