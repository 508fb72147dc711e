"""Unusual objects through every function that takes tensors: a picture or numbers, or an error that says what to do."""

import io
from dataclasses import dataclass

import numpy as np
import pytest
from matplotlib.figure import Figure

import gpuplot

pytestmark = pytest.mark.host("objects of no library; lists in CUDA memory have tests of their own")

A = np.arange(6.0).reshape(2, 3)


def axes():
    return Figure().subplots()


CALLS = {
    "imshow": lambda X: gpuplot.imshow(X, ax=axes()), "imsave": lambda X: gpuplot.imsave(io.BytesIO(), X), "stats": gpuplot.stats,
    "asnumpy": gpuplot.asnumpy, "plot": lambda X: gpuplot.plot(X, ax=axes()), "hist": lambda X: gpuplot.hist(X, ax=axes()),
    "scatter": lambda X: gpuplot.scatter(X, X, ax=axes()), "grid": gpuplot.grid, "compare": lambda X: gpuplot.compare(X, X),
}


class Capsules:
    """Speaks DLPack and has no other attribute."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **keywords):
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class NoCapsule(Capsules):
    def __dlpack__(self, **keywords):
        raise BufferError("not exportable")


class BrokenShape(Capsules):
    @property
    def shape(self):
        raise RuntimeError("the shape is broken")


class BrokenInterface:
    @property
    def __array_interface__(self):
        raise RuntimeError("the interface is broken")


class BrokenArray:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no numbers today")


class BrokenItems:
    def __len__(self):
        return 3

    def __getitem__(self, index):
        raise KeyError(index)


class NoArray:
    """An object whose __array__ returns something else."""

    def __init__(self, given):
        self.given = given

    def __array__(self, dtype=None, copy=None):
        return self.given


def released():
    view = memoryview(b"abc")
    view.release()
    return view


def holding_itself():
    items = []
    items.append(items)
    return items


@pytest.mark.parametrize("name", CALLS)
def test_lists_of_what_has_no_shape_but_a_capsule(name):
    """"0 uses for a tensor of 2 axes" was the error for them."""
    rows = [Capsules(row) for row in A]
    CALLS[name](rows)
    assert np.array_equal(gpuplot.asnumpy([Capsules(A), Capsules(-A)]), [A, -A])
    assert np.array_equal(gpuplot.asnumpy([rows, rows]), [A, A])
    assert np.array_equal(gpuplot.asnumpy([Capsules(np.array(2.0)), Capsules(np.array(3.0))]), [2, 3])
    with pytest.raises(ValueError, match=r"tensors of the list differ in shape: make them equal"):
        CALLS[name]([Capsules(A), Capsules(A[0])])


class Optimizer:
    def state_dict(self):
        return {"step": A}


@dataclass
class State:
    params: object


class Groups:
    keys = "a"

    def get_group(self, key):
        return A


class OpenFile:
    """As safe_open of safetensors."""

    def keys(self):
        return ["a"]

    def get_tensor(self, name):
        return A


class ArrayOfOneLibrary:
    """A parameter over JAX, which NumPy does not read."""

    def __jax_array__(self):
        return A


REFUSED = {
    "list of parameters over JAX": (lambda: [ArrayOfOneLibrary()] * 2,
                                    r"ArrayOfOneLibrary objects: convert each of them first, with \[gpuplot.asnumpy\(x\) for x in X\]"),
    "arrays and parameters": (lambda: [A, ArrayOfOneLibrary()], "arrays and ArrayOfOneLibrary objects: convert each of them first"),
    "arrays and text": (lambda: [A, "x"], "list holds arrays and str objects: leave the latter out, or choose one"),
    "generator": (lambda: (row for row in A), r"generator gives its elements only once, make a list of it with list\(X\)"),
    "map": (lambda: map(float, [1, 2]), r"map gives its elements only once, make a list of it with list\(X\)"),
    "list of generators": (lambda: [(x for x in A)], "it holds generator objects, which are not numbers: give an array of numbers"),
    "set": (lambda: {1, 2}, "set is neither an array nor a tensor nor a list of numbers"),
    "set to list": (lambda: {1, 2}, r"a list of numbers; make a list of it with list\(X\)"),
    "items": (lambda: {"a": 1}.items(), r"dict_items has pairs of a key and a value, give the values, list\(X.mapping.values\(\)\)"),
    "released": (released, "the memoryview was released, make another one of its object"),
    "no array in __array__": (lambda: NoArray(None), "__array__ method not producing an array; copy its numbers into a NumPy array"),
    "list in __array__": (lambda: NoArray([1, 2]), "__array__ method not producing an array; copy its numbers into a NumPy array"),
    "no fields": (lambda: np.zeros((2, 2), np.dtype([])), "its elements have no bytes and so no values; give an array of numbers"),
    "float0 of JAX": (lambda: np.zeros((2, 2), [("float0", "V")]), "its elements have no bytes and so no values; give an array of numbers"),
    "open file": (OpenFile, r"OpenFile is an open file, give one of its tensors, X.get_tensor\(name\)"),
    "groups": (Groups, r"Groups holds tables in groups, choose one with X.get_group\(key\)"),
    "object": (object, "object is neither an array nor a tensor nor a list of numbers"),
    "module": (lambda: np, "module is neither an array nor a tensor nor a list of numbers"),
    "class of arrays": (lambda: np.ndarray, "ndarray is a class, neither an array nor a tensor"),
    "class of capsules": (lambda: Capsules, "Capsules is a class, neither an array nor a tensor"),
    "ragged list": (lambda: [[1, 2], [3]], "rows of the nested list differ in length: make them equal"),
    "ragged deeper": (lambda: [[[1, 2], [3]], [[1], [2, 3]]], "rows of the nested list differ in length: make them equal"),
    "list in itself": (holding_itself, "nested more than 64 levels deep, or contains itself"),
    "no capsule": (lambda: NoCapsule(A), "NoCapsule does not hand out its memory through DLPack: not exportable"),
    "list of no capsules": (lambda: [NoCapsule(A)], "NoCapsule does not hand out its memory through DLPack: not exportable"),
    "list of broken shapes": (lambda: [BrokenShape(A)] * 2, "list cannot be read: the shape is broken"),
    "broken interface": (BrokenInterface, "BrokenInterface fails at its __array_interface__: the interface is broken"),
    "list of broken interfaces": (lambda: [BrokenInterface()], "list cannot be read as an array: the interface is broken"),
    "broken array": (BrokenArray, "BrokenArray cannot be read as an array: no numbers today"),
    "broken items": (BrokenItems, "BrokenItems is neither an array nor a tensor nor a list of numbers"),
    "array of arrays": (lambda: np.array([A, None], dtype=object), r"it holds ndarray objects: give them as a list, list\(X\)"),
    "raw bytes": (lambda: np.zeros((2, 2), "V3"), r"view the bytes with a dtype, for example X.view\('float32'\)"),
    "records": (lambda: np.zeros((2, 2), [("x", "f4")]), r"choose one field, such as X\['name'\]"),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", REFUSED)
def test_errors_say_what_it_is_or_what_to_do(kind, name):
    make, text = REFUSED[kind]
    if (kind, name) == ("ragged list", "hist"):  # to hist, as to matplotlib's, its lists are datasets
        assert len(CALLS[name](make())[0]) == 2
        return
    with pytest.raises((TypeError, ValueError), match=text):
        CALLS[name](make())


# What `stats`, `hist`, `grid` and `compare` take as several tensors is not one, and of dicts what `plot` takes as several curves.
@pytest.mark.parametrize("name", ["imshow", "imsave", "asnumpy", "plot", "scatter"])
@pytest.mark.parametrize(("X", "text"), [
    (Optimizer(), r"Optimizer keeps tensors in X.state_dict\(\), draw one of them; gpuplot.inspect\(X\) shows all"),
    (State(A), r"State is a dataclass, give one of its fields, or a dict of all, vars\(X\), where several tensors are taken"),
    ([A, A[0]], r"arrays of the list differ in shape, \(2, 3\) and \(3,\): make them equal, or choose one, X\[0\]"),
    ([A, None], "list holds arrays and NoneType objects: leave the latter out"),
    ([{"a": A}], "it holds dict objects, which are not numbers: give an array of numbers"),
    ({"a": A}, r"dict holds values under keys, choose one with X\[key\]"),
    ({}, r"dict holds values under keys, choose one with X\[key\]"),
], ids=["optimizer", "dataclass", "shapes differ", "an array and None", "list of dicts", "dict", "empty dict"])
def test_one_tensor_is_no_collection(X, text, name):
    if isinstance(X, dict) and name == "plot":
        pytest.skip("curves by name")
    with pytest.raises((TypeError, ValueError), match=text):
        CALLS[name](X)


@pytest.mark.parametrize("X", [{}, {"a": "text"}, {"a": None}])
def test_a_histogram_of_no_tensor_says_why(X):
    with pytest.raises(ValueError, match="no tensors to count: the collection is empty, or has nothing but text and None"):
        CALLS["hist"](X)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("X", [3.0, np.array(3.0), range(4), bytearray(b"abc"), memoryview(A), [memoryview(A[0])], np.matrix(A),
                               BrokenShape(A), np.ma.masked_all((2, 2))], ids=range(9))
def test_what_is_hardly_a_tensor_is_taken(X, name):
    CALLS[name](X)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("X", [[], [[], []], np.empty((0, 3))], ids=["list", "lists", "array"])
def test_nothing_is_drawn_and_counted_but_no_grid(X, name):
    """`compare` compared its limits, which were None."""
    if name == "grid":
        with pytest.raises(ValueError, match="has no elements to show"):
            CALLS[name](X)
    else:
        CALLS[name](X)


class Endless:
    """A sequence of three items by its length, and of items without end by its index; NumPy believes the index."""

    def __len__(self):
        return 3

    def __getitem__(self, index):
        if index > 1000:
            raise AssertionError("read on beyond the length")
        return "a"


@pytest.mark.parametrize("draw", [
    lambda X: gpuplot.hist(np.arange(3), weights=X, ax=axes()), lambda X: gpuplot.hist(np.arange(3), bins=X, ax=axes()),
    lambda X: gpuplot.hist(X, ax=axes()), lambda X: gpuplot.plot(X, ax=axes()), lambda X: gpuplot.scatter(X, X, ax=axes())],
    ids=["weights", "bins", "hist", "plot", "scatter"])
def test_a_sequence_ends_at_its_length(draw):
    """Dates and texts were looked for in items without end."""
    try:
        draw(Endless())
    except (TypeError, ValueError) as error:
        assert "beyond the length" not in str(error)


class EndlessNumbers(Endless):
    def __getitem__(self, index):
        super().__getitem__(index)
        return float(index)


class Bottomless:
    """A sequence of sequences like itself."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return Bottomless()


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("make", [
    lambda: [EndlessNumbers(), EndlessNumbers()], lambda: [EndlessNumbers()] * 2, lambda: (EndlessNumbers(),),
    lambda: [EndlessNumbers(), [0, 1, 2]], lambda: [np.arange(3.0), EndlessNumbers()]])
def test_sequences_in_lists_end_at_their_length(name, make):
    X = make()
    CALLS[name](X)
    found = gpuplot.asnumpy(X)
    np.testing.assert_array_equal(found, np.broadcast_to(np.arange(3.0), found.shape))
    assert found.shape[-1] == 3 and found.shape[0] == len(X)


@pytest.mark.parametrize("name", CALLS)
def test_sequences_that_have_no_bottom_are_refused(name):
    """NumPy went on until all memory was taken."""
    for X in (Bottomless(), [Bottomless(), Bottomless()], [np.ones(2), Bottomless()]):
        with pytest.raises(ValueError, match="nested more than 64 levels deep, or contains itself"):
            CALLS[name](X)


@pytest.mark.parametrize("values", [[1, None, 3], [True, None], [2**70, 1]])
def test_points_and_lines_take_objects_that_are_numbers(values):
    expected = [np.nan if value is None else float(value) for value in values]
    [line] = CALLS["plot"](values)
    assert np.array_equal(line.get_ydata(orig=False), expected, equal_nan=True)
    points = gpuplot.scatter(range(len(values)), values, ax=axes())
    assert np.array_equal(points.get_offsets()[:, 1].filled(np.nan), expected, equal_nan=True)


class Untellable(Exception):
    """An exception without a text."""

    def __str__(self):
        raise RuntimeError("no text")


class Unreadable(list):
    """A list whose length, items and class cannot be read."""

    def __len__(self):
        raise Untellable

    __iter__ = __getitem__ = __getattribute__ = __len__


@pytest.mark.parametrize("name", CALLS)
def test_lists_that_raise_are_refused_in_our_words(name):
    """Exceptions of the list's own came through, and those whose text cannot be read were told by another one."""
    with pytest.raises(TypeError, match="Unreadable"):
        CALLS[name](Unreadable([1, 2]))


@pytest.mark.parametrize(("name", "mode"), [*((name, "closed") for name in CALLS), ("imshow", "La"), ("imsave", "La")])
def test_images_that_pillow_cannot_read(name, mode):
    """Its own errors came through, and matplotlib's RuntimeError for modes without a conversion."""
    image = pytest.importorskip("PIL.Image").new("L" if mode == "closed" else mode, (3, 2))
    if mode == "closed":
        image.close()
    with pytest.raises(gpuplot.UnsupportedError, match=r"cannot be (read|turned into RGBA): (O|conversion from L)"):
        CALLS[name](image)


def test_errors_of_another_library_are_told_as_such():
    """A ValueError was let through as if it were one of ours."""
    class Library(list):
        __module__ = "pandas.core"

        @property
        def columns(self):
            raise ValueError("half\nbuilt")

        dtypes = iloc = index = to_numpy = columns

    with pytest.raises(gpuplot.UnsupportedError, match="^Library cannot be read: half$"):
        gpuplot.asnumpy(Library([1]))


@pytest.mark.parametrize("name", ["imshow", "imsave", "asnumpy", "plot", "scatter"])
def test_modules_without_parameters_and_keys_of_dicts(name):
    torch = pytest.importorskip("torch")
    for module in (torch.nn.ReLU(), torch.nn.Sequential(torch.nn.ReLU())):
        with pytest.raises(gpuplot.UnsupportedError, match=rf"{type(module).__name__} is a module without parameters, draw what it"):
            CALLS[name](module)
    by_number, by_name = torch.nn.Sequential(torch.nn.Linear(2, 3)), torch.nn.MultiheadAttention(2, 1, kdim=3)
    for module, first in ((by_number, r"dict\(X.named_parameters\(\)\)\['0.weight'\]"), (by_name, "X.q_proj_weight")):
        with pytest.raises(gpuplot.UnsupportedError, match=f"is a module with parameters, draw one of them, such as {first}$"):
            CALLS[name](module)
    if name in ("imshow", "imsave", "asnumpy"):
        with pytest.raises(gpuplot.UnsupportedError, match=r"dict_keys is neither .*; make a list of it with list\(X\)"):
            CALLS[name]({1: 2}.keys())


@pytest.mark.parametrize("name", CALLS)
def test_data_sets_without_elements(name, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["none"] = h5py.Empty("f4")
        with pytest.raises(gpuplot.UnsupportedError, match=r"Dataset '/none' of h5py has a dtype and no elements.*draw another one"):
            CALLS[name](file["none"])
    with pytest.raises(gpuplot.UnsupportedError, match="an Empty of h5py has a dtype and no elements, draw another data set"):
        CALLS[name](h5py.Empty("f4"))
