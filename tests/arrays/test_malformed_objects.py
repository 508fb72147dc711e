"""Objects that are not what they say: attributes that raise or answer everything, lists without items; one clear exception each."""

import contextlib
import ctypes
import mmap
import os
from collections.abc import Mapping, Sequence
from unittest.mock import AsyncMock, MagicMock, Mock, NonCallableMagicMock

import numpy as np
import pytest
from front_ends import EVERYWHERE

import gpuplot

A = np.arange(30.0).reshape(5, 6)


class Unwilling:
    """An object whose every method and attribute raises."""

    def __getattribute__(self, name):
        raise RuntimeError(f"no {name}")


class HalfBroken:
    """The same, of a type that gpuplot examines further."""

    def __getattr__(self, name):
        raise RuntimeError(f"no {name}")


class NoItems(Sequence):
    """A sequence with a length whose items cannot be read."""

    def __len__(self):
        return 3

    def __getitem__(self, index):
        raise RuntimeError("no items")


@pytest.mark.parametrize("function", EVERYWHERE)
@pytest.mark.parametrize("make", [
    Unwilling, HalfBroken, lambda: type("Image", (HalfBroken,), {"__module__": "PIL"})(), NoItems,
    lambda: Mock(spec=np.ndarray), lambda: MagicMock(spec=np.ndarray), Mock,
], ids=["unwilling", "half broken", "half an image", "no items", "Mock of ndarray", "MagicMock of ndarray", "Mock"])
def test_objects_that_answer_wrongly_are_refused_in_our_words(make, function):
    """Mocks said that they are arrays and ended in AttributeError; exceptions of an object's own came through."""
    with pytest.raises((TypeError, ValueError), match=r"\w+ \w+ \w+"):
        EVERYWHERE[function](make())


class NoDtype(np.ndarray):
    """A subclass of ndarray whose dtype raises."""

    @property
    def dtype(self):
        raise RuntimeError("no dtype")


class NoItem(list):
    """A list whose items cannot be had one by one."""

    def __getitem__(self, index):
        raise RuntimeError("no item")


class NoIteration(list):
    """A list that cannot be iterated over."""

    def __iter__(self):
        raise RuntimeError("no iteration")


@pytest.mark.parametrize("draw", [
    gpuplot.stats, gpuplot.hist, gpuplot.plot, gpuplot.grid, EVERYWHERE["inspect"], lambda X: gpuplot.compare(X, X),
], ids=["stats", "hist", "plot", "grid", "inspect", "compare"])
@pytest.mark.parametrize("wrap", [lambda X: X, lambda X: [X, X], lambda X: {"a": [X]}], ids=["itself", "list", "mapping"])
@pytest.mark.parametrize("kind", [NoItem, NoIteration])
def test_lists_that_fail_to_give_their_items(kind, wrap, draw):
    """Their own error came through; NumPy reads some of these lists, which are drawn then."""
    with contextlib.suppress(gpuplot.UnsupportedError):
        draw(wrap(kind([1.0, 2.0])))


class NoValues(Mapping):
    """A mapping that has a name and fails to give the value."""

    def __len__(self):
        return 1

    def __iter__(self):
        return iter(["a"])

    def __getitem__(self, key):
        raise RuntimeError("no value")


@pytest.mark.parametrize("draw", [
    gpuplot.stats, gpuplot.hist, gpuplot.plot, gpuplot.grid, EVERYWHERE["inspect"], lambda X: gpuplot.compare(X, X),
], ids=["stats", "hist", "plot", "grid", "inspect", "compare"])
@pytest.mark.parametrize("wrap", [lambda X: X, lambda X: {"b": X}], ids=["itself", "mapping"])
def test_mappings_that_fail_to_give_their_values(wrap, draw):
    """Their own error came through."""
    with pytest.raises(gpuplot.UnsupportedError, match="a NoValues holds values that cannot be read: no value; give a dict of the tensors"):
        draw(wrap(NoValues()))


@pytest.mark.host("a subclass of ndarray")
@pytest.mark.parametrize("function", sorted(set(EVERYWHERE) - {"hist"}))
def test_a_subclass_of_ndarray_whose_dtype_raises(function):
    with pytest.raises(gpuplot.UnsupportedError, match="NoDtype cannot be read: no dtype"):
        EVERYWHERE[function](A.view(NoDtype))


@pytest.mark.parametrize("function", EVERYWHERE)
def test_members_of_collections_whose_attributes_raise(function):
    """The error of ``__class__`` came through."""
    with pytest.raises(gpuplot.UnsupportedError, match="Unwilling fails at its __array_interface__|it holds dict objects"):
        EVERYWHERE[function]([{"a": Unwilling()}])


class NoClass:
    """An object whose ``__class__`` raises."""

    @property
    def __class__(self):
        raise RuntimeError("no class")


@pytest.mark.parametrize("draw", [gpuplot.plot, gpuplot.grid, lambda X: gpuplot.compare(X, X), lambda X: gpuplot.scatter(X, X)],
                         ids=["plot", "grid", "compare", "scatter"])
@pytest.mark.parametrize("make", [Unwilling, HalfBroken, NoClass, MagicMock, lambda: [MagicMock(), 1.0]])
def test_objects_that_answer_wrongly_are_not_drawn(make, draw):
    """plot and grid let the object's own exceptions through, and plot drew the ones that mocks say they are."""
    with pytest.raises(TypeError, match=r"\w+ \w+ \w+"):
        draw(make())


class Answering:
    """An object whose attributes and methods all give the same value."""

    def __init__(self, answer):
        self.__dict__["answer"] = answer

    def __getattr__(self, name):
        return self.answer


class Proxy(Answering):
    """One that is an array as well."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.answer

    def __array__(self, dtype=None, copy=None):
        return A


@pytest.mark.parametrize("function", EVERYWHERE)
@pytest.mark.parametrize("make", [
    MagicMock, Mock, AsyncMock, NonCallableMagicMock, lambda: [MagicMock(), MagicMock()], lambda: [[1.0, MagicMock()]],
    lambda: MagicMock(spec=list), lambda: MagicMock(spec=np.ndarray), lambda: Answering(None), lambda: Answering(1),
    lambda: Answering(MagicMock()), lambda: Answering(lambda *_, **__: {"a": A}),
], ids=["MagicMock", "Mock", "AsyncMock", "NonCallable", "list", "row", "spec list", "spec ndarray", "None", "1", "mocks", "functions"])
def test_what_has_every_attribute_is_no_tensor(make, function):
    """MagicMock() was drawn as a list without elements, and stats and inspect called methods that nobody had given it."""
    with pytest.raises(gpuplot.UnsupportedError, match="has every attribute, as mocks do, but no numbers"):
        EVERYWHERE[function](make())


def test_an_array_that_has_every_attribute_beside_is_read():
    np.testing.assert_array_equal(gpuplot.asnumpy(Proxy(None)), A)
    assert gpuplot.stats(Proxy(dict)).max == A.max()


class OwnMask(np.ma.MaskedArray):
    """A subclass whose mask is computed, and cannot be set."""

    @property
    def mask(self):
        return np.zeros(3, bool)


def without_mask():
    """A masked array in whose place for the mask is None."""
    X = np.ma.array(A)
    X._mask = None
    return X


@pytest.mark.parametrize("draw", [gpuplot.grid, gpuplot.plot, lambda X: gpuplot.compare(X, X), *EVERYWHERE.values()],
                         ids=["grid", "plot", "compare", *EVERYWHERE])
@pytest.mark.parametrize("make", [lambda: OwnMask(A), without_mask], ids=["own mask", "no mask"])
def test_masked_arrays_that_are_not_what_numpy_makes(make, draw):
    """Their AttributeError came through where matplotlib masks a copy of them."""
    draw(make())
    np.testing.assert_array_equal(gpuplot.asnumpy(make()), A)


@pytest.mark.host("memory-mapped files")
@pytest.mark.parametrize("part", [np.s_[:], np.s_[::-1], np.s_[1000:, ::2]], ids=["whole", "reversed", "part"])
@pytest.mark.parametrize("function", EVERYWHERE)
def test_a_memory_map_whose_file_was_cut_off(tmp_path, part, function):
    """The process ended with a bus error."""
    X = np.memmap(tmp_path / "a.bin", "f8", "w+", offset=5000, shape=(1500, 100))[part]
    EVERYWHERE[function](X)
    os.truncate(tmp_path / "a.bin", 800_000)
    with pytest.raises(ValueError, match=r"the file of the memmap, .*a.bin, has 800000 bytes now, and shape .* needs \d+: it was cut"):
        EVERYWHERE[function](X)


@pytest.mark.host("memory-mapped files")
def test_a_part_of_a_memory_map_before_the_end_of_its_file(tmp_path):
    X = np.memmap(tmp_path / "a.bin", "f8", "w+", shape=(1500, 100))
    os.truncate(tmp_path / "a.bin", 800_000)
    assert gpuplot.stats(X[:1000]).max == 0
    with pytest.raises(ValueError, match="it was cut off"):
        gpuplot.stats(np.ma.array(X, mask=False))


class Failing:
    def __init__(self, error):
        self.error = error

    def __array__(self, dtype=None, copy=None):
        raise self.error


@pytest.mark.parametrize("error", [AttributeError("q"), IndexError("i"), RecursionError("maximum recursion depth exceeded"), KeyError("k")],
                         ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("function", EVERYWHERE)
def test_what_fails_to_convert_itself_is_refused_with_a_hint(error, function):
    """The message was the other library's alone."""
    with pytest.raises(gpuplot.UnsupportedError, match="Failing cannot be read as an array: .*; copy its numbers into a NumPy array"):
        EVERYWHERE[function](Failing(error))


def mapped(file):
    return mmap.mmap(file.fileno(), 0)


IN_MAPS = {
    "view": lambda file: np.asarray(np.memmap(file, "f4"))[3:],
    "list": lambda file: [np.memmap(file, "f4"), np.memmap(file, "f4")],
    "list of masked arrays": lambda file: [np.ma.array(np.memmap(file, "f4"), mask=False, copy=False)],
    "mask": lambda file: np.ma.array(np.ones(80_000), mask=np.memmap(file, "?"), copy=False, shrink=False),
    "memoryview": lambda file: memoryview(np.memmap(file, "f4")),
    "mmap": mapped,
    "buffer": lambda file: np.frombuffer(mapped(file), "f4"),
}


@pytest.mark.host("memory-mapped files")
@pytest.mark.parametrize("make", IN_MAPS.values(), ids=IN_MAPS)
@pytest.mark.parametrize("function", EVERYWHERE)
def test_memory_of_a_map_whose_file_was_cut_off(tmp_path, make, function):
    """The process ended with a bus error where the array itself was no memmap."""
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(80_000))
    with open(path, "r+b") as file:
        X = make(file)
        EVERYWHERE[function](X)
        os.truncate(path, 10)
        words = r"the file of the m\w+(, .*a.bin,)? has 10 bytes now, and shape .* it was cut off"
        with pytest.raises((ValueError, gpuplot.UnsupportedError), match=words):
            EVERYWHERE[function](X)


def test_a_map_that_was_closed_is_to_be_mapped_again():
    """It was said to be a file that has to be read first."""
    X = mmap.mmap(-1, 100)
    X.close()
    with pytest.raises(gpuplot.UnsupportedError, match="the mmap was closed, map its file again"):
        gpuplot.stats(X)


def test_a_map_without_a_file_is_read():
    X = mmap.mmap(-1, 100)
    X.write(b"abc")
    np.testing.assert_array_equal(gpuplot.asnumpy(X)[:4], [97, 98, 99, 0])


@pytest.mark.parametrize("function", EVERYWHERE)
@pytest.mark.parametrize(("X", "message"), [
    ([ctypes.c_int(3), ctypes.c_int(4)], r"give their numbers, \[x.value for x in X\]"),
    (np.nditer(A), r"make a list of it with list\(X\)"),
], ids=["ctypes", "nditer"])
def test_what_to_do_about_objects_that_hold_numbers(X, message, function):
    """The first had only what NumPy said; one number was read of the second, whose length is that of something else."""
    with pytest.raises(gpuplot.UnsupportedError, match=message):
        EVERYWHERE[function](X)


def test_proxies_of_wrapt_are_what_they_stand_for():
    """The mask of an array in one was lost, and numbers and mappings in one were refused, with a wrong hint."""
    wrapt = pytest.importorskip("wrapt", reason="has proxies: pip install wrapt")
    masked = np.ma.array(A, mask=A > 20)
    assert gpuplot.stats(wrapt.ObjectProxy(masked)).max == 20
    np.testing.assert_array_equal(gpuplot.asnumpy(wrapt.ObjectProxy(masked)), np.where(masked.mask, np.nan, A))
    assert gpuplot.asnumpy(wrapt.CallableObjectProxy(3.5)) == 3.5
    assert list(gpuplot.stats(wrapt.ObjectProxy({"a": A, "b": A}))) == ["a", "b"]
    with pytest.raises(gpuplot.UnsupportedError, match=r"choose one with X\[key\]"):
        gpuplot.asnumpy(wrapt.ObjectProxy({"a": A}))
    with pytest.raises(gpuplot.UnsupportedError, match="LazyObjectProxy cannot be read: division by zero"):
        gpuplot.asnumpy(wrapt.LazyObjectProxy(lambda: 1 / 0))
