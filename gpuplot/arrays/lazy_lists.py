"""Lists of large arrays that are computed or read on demand: one array in chunks, of which nothing is read yet."""

from ..errors import UnsupportedError, type_text
from .chunked_source import ChunkedSource
from .dask_chunks import DaskChunks, dask_array
from .lazy_arrays import chunked, is_large
from .literals import has_items


def stacked(X, describe):
    """The `ChunkedSource` of a list or tuple of large arrays that are read on demand; None for other objects.

    NumPy would read all of them at once. ValueError for arrays of several shapes, UnsupportedError for some that dask cannot stack.
    """
    if not isinstance(X, (list, tuple)) or not has_items(X) or not is_large(X[0]):
        return None
    first, *others = map(describe, X)
    shape = next((one.shape for one in others if one.shape != first.shape), None)
    if shape is not None:
        raise ValueError(f"the arrays of the list differ in shape, {first.shape} and {shape}: make them equal")
    parts = [first, *(one if isinstance(one, ChunkedSource) else first.cut_alike(one) for one in others)]
    engines = [getattr(part, "_engine", None) for part in parts]
    if not all(isinstance(engine, DaskChunks) for engine in engines):
        raise UnsupportedError(f"{type_text(type(X))} of arrays of which some are not in memory cannot be read: give one of them, X[0]")
    return chunked(X, dask_array().stack([engine.array for engine in engines]))
