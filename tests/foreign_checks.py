"""Reads arrays of other libraries in tests: the bytes that the native layer finds against those that were written."""

import foreign_arrays
import numpy as np
from stored_tensors import elements, stored_bytes

from gpuplot.arrays.describe import describe

PACES = ["eager", "late", "random"]
A = np.arange(1, 25, dtype="f4").reshape(4, 6)


def assert_read(X, values=None, stream=None):
    """Assert that a tensor is read with its values, and that everything it exported is released."""
    source = describe(X, stream)
    np.testing.assert_array_equal(elements(source), stored_bytes(X.values if values is None else values))
    assert X.n_exports == X.n_releases
    return source


def written_on(runtime, dialect, stream, values=A, **keywords):
    """An array of a dialect whose memory is written on a stream, as the library would do it."""
    if dialect in ("torch", "cupy"):
        runtime.streams[keywords.get("device", 0)] = stream
    if dialect in ("rmm", "core", "cudf"):
        values = (np.arange(24) * 1.5).astype("f8" if dialect == "cudf" else "u1")
    return foreign_arrays.DIALECTS[dialect](runtime, values, stream=stream, **keywords)
