"""How tests read arrays of other libraries: the bytes that the native layer finds against those that were written."""

import foreign_arrays
import numpy as np

from gpuplot import _native
from gpuplot.host_arrays import ITEM_BYTES
from gpuplot.tensor import describe
from gpuplot.view import choose

PACES = ["eager", "late", "random"]
A = np.arange(1, 25, dtype="f4").reshape(4, 6)


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
    return foreign_arrays.DIALECTS[dialect](runtime, values, stream=stream, **keywords)
