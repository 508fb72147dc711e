"""The array interface of C, `__array_struct__`: read, and not believed more than that of Python."""

import ctypes

import numpy as np
import pytest

import gpuplot

pytestmark = pytest.mark.host("array interfaces are about host memory")


class _Said(ctypes.Structure):
    """``PyArrayInterface``, the array interface of C."""

    _fields_ = [("two", ctypes.c_int), ("n_dims", ctypes.c_int), ("kind", ctypes.c_char), ("item_bytes", ctypes.c_int),
                ("flags", ctypes.c_int), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("data", ctypes.c_void_p),
                ("descr", ctypes.c_void_p)]


class Lender:
    """An object with an ``__array_struct__`` of one axis of 8-byte elements, and nothing else."""

    def __init__(self, values, kind, n=None, address=None):
        self.numbers = (ctypes.c_ssize_t * 2)(len(values) if n is None else n, 8)
        self.values, shape = values, ctypes.addressof(self.numbers)
        self.said = _Said(2, 1, kind, 8, 0x701, shape, shape + 8, values.ctypes.data if address is None else address)
        new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))
        self.__array_struct__ = new(ctypes.addressof(self.said), None, None)


CALLS = {"asnumpy": gpuplot.asnumpy, "stats": gpuplot.stats, "list": lambda X: gpuplot.asnumpy([X, X]), "plot": gpuplot.plot,
         "hist": gpuplot.hist, "hist2d": lambda X: gpuplot.hist2d(X, X), "scatter": lambda X: gpuplot.scatter(X, X),
         "plot of a list": lambda X: gpuplot.plot([X]), "weights": lambda X: gpuplot.hist(np.ones(5), weights=X)}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_array_interface_of_c_is_not_believed_more_than_that_of_python(call):
    """Pointers that are none were followed, a crash; for a null pointer NumPy gives whatever lies in new memory."""
    with pytest.raises(gpuplot.UnsupportedError, match="not numbers"):
        call(Lender(np.arange(5.0), b"O"))
    with pytest.raises(gpuplot.UnsupportedError, match="data pointer in its __array_struct__ is null, was it freed"):
        call(Lender(np.arange(5.0), b"f", address=0))


@pytest.mark.parametrize(("name", "flags"), [("shape", 0x701), ("descr", 0xF01)])
def test_a_null_pointer_that_numpy_follows_in_an_array_interface_of_c(name, flags):
    """The program ended."""
    X = Lender(np.arange(5.0), b"f")
    X.said.flags = flags
    setattr(X.said, name, None)
    for call in CALLS.values():
        with pytest.raises(gpuplot.UnsupportedError, match=f"the {name} in its __array_struct__ is null"):
            call(X)


def test_the_array_interface_of_c_is_read():
    values = np.arange(5.0)
    np.testing.assert_array_equal(gpuplot.asnumpy(Lender(values, b"f")), values)
    np.testing.assert_array_equal(gpuplot.asnumpy([Lender(values, b"f")] * 2), [values] * 2)
    assert gpuplot.asnumpy(Lender(values, b"f", n=0, address=0)).shape == (0,)
