"""Objects that could be read forever: they call gpuplot themselves, or always have another item or level."""

import itertools
from collections import UserDict
from collections.abc import Sequence

import numpy as np
import pytest
from front_ends import EVERYWHERE

import gpuplot

A = np.arange(30.0).reshape(5, 6)


class Endless(BaseException):
    """Nobody catches it."""


class Modulo:
    """A data set that takes any index, modulo its length of three."""

    n_asked = 0

    def __len__(self):
        return 3

    def __getitem__(self, index):
        self.n_asked += 1
        if self.n_asked > 100:
            raise Endless
        return [1.0, 2.0, 3.0][index % 3]


class ModuloWithArray(Modulo):
    """The same with ``__array__``: it is read as an array, not item by item."""

    def __array__(self, dtype=None, copy=None):
        return A


@pytest.mark.parametrize("function", EVERYWHERE)
@pytest.mark.parametrize("base", [(Modulo,), (Modulo, Sequence)])
def test_sequences_have_as_many_items_as_they_say(base, function):
    """NumPy reads items until an IndexError, and where none comes until memory is full."""
    X = type("Set", base, {})()
    EVERYWHERE[function](X)
    assert X.n_asked < 100
    np.testing.assert_array_equal(gpuplot.asnumpy(X), [1, 2, 3])


def test_arrays_with_items_are_not_taken_apart():
    X = ModuloWithArray()
    np.testing.assert_array_equal(gpuplot.asnumpy(X), A)
    assert X.n_asked == 0


def asking(name, function, again):
    """An object one of whose answers, or properties, is what a function gives for itself, or for another one of its kind."""
    n_asked = 0

    def answer(self, *_, **__):
        nonlocal n_asked
        n_asked += 1
        if n_asked > 200:
            raise Endless
        return EVERYWHERE[function](again(self))

    kind = type("Asking", (), {name: property(answer) if name.endswith("_interface__") else answer, "__len__": lambda self: 3})
    return kind()


AGAIN = {"itself": lambda self: self, "another": lambda self: type(self)(), "a list": lambda self: [self]}


@pytest.mark.parametrize("name, function, again", [
    *itertools.product(["__dlpack__", "__array__", "__array_interface__", "__getitem__"], ["asnumpy", "stats", "inspect"], AGAIN),
    *itertools.product(["__dlpack__", "__array__"], ["imshow", "to_rgba"], ["itself"]),
    *itertools.product(["__jax_array__"], ["asnumpy"], ["itself", "another"]),
])
def test_objects_that_ask_about_themselves_are_refused(name, function, again):
    """A `__dlpack__` that calls gpuplot with its own object was asked in three ways on each of hundreds of levels: it never returned."""
    for outer in EVERYWHERE:
        with pytest.raises(gpuplot.UnsupportedError,
                           match="^Asking calls gpuplot with itself while gpuplot reads it: its __dlpack__"):
            EVERYWHERE[outer](asking(name, function, AGAIN[again]))
    np.testing.assert_array_equal(gpuplot.asnumpy(A), A)


def test_collections_that_ask_about_themselves_are_refused():
    """`stats` went round in their ``state_dict()`` until Python's stack was full."""
    for function in ("stats", "inspect"):
        with pytest.raises(gpuplot.UnsupportedError, match="calls gpuplot with itself while gpuplot reads it"):
            EVERYWHERE[function](asking("state_dict", function, lambda self: self))


class Nest(UserDict):
    """A mapping whose two values are new mappings of its kind, at any depth."""

    def items(self):
        return [("a", Nest()), ("b", Nest())]


class Model:
    """A model whose ``named_parameters`` is a given function."""

    def __init__(self, give):
        self.named_parameters = give


@pytest.mark.parametrize("function", ["stats", "inspect"])
@pytest.mark.parametrize("make, error, words", [
    (Nest, ValueError, "nested more than 64 levels deep"),
    (lambda: Model(lambda: 7), TypeError, r"named_parameters\(\) that does not give pairs"),
    (lambda: Model(lambda: [("a", 1, 2)]), TypeError, "does not give pairs of a name and a tensor: too many values"),
    (lambda: Model(lambda: 1 / 0), TypeError, "does not give pairs of a name and a tensor: division by zero"),
], ids=["nest", "number", "triples", "raises"])
def test_collections_that_give_no_tensors_are_refused(make, error, words, function):
    """A mapping without a last level filled Python's stack; what a method gave was taken apart as it came."""
    with pytest.raises(error, match=words):
        EVERYWHERE[function](make())


def test_an_object_that_asks_about_another_one_is_read():
    """Wrappers may call gpuplot with the object that they wrap."""
    class Wrapping:
        def __init__(self, inner):
            self.inner = inner

        def __array__(self, dtype=None, copy=None):
            return gpuplot.asnumpy(self.inner)

    np.testing.assert_array_equal(gpuplot.asnumpy(Wrapping(Wrapping(Wrapping(A)))), A)


class Unlucky:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no luck")


def test_an_object_that_gets_over_its_own_refusal_is_read():
    class Trying:
        def __array__(self, dtype=None, copy=None):
            with pytest.raises(gpuplot.UnsupportedError):
                gpuplot.asnumpy(self)
            return A

    np.testing.assert_array_equal(gpuplot.asnumpy(Trying()), A)
    with pytest.raises(gpuplot.UnsupportedError, match="no luck"):  # of another error nothing is said that was so before
        gpuplot.asnumpy(Unlucky())
