"""What each chunk of a dask array should be: its place, shape and dtype, and the errors of those that are something else."""

from __future__ import annotations

import math

import numpy as np

from ..errors import ChunkError, reason_of, size_text, type_text
from .chunks_together import Together


def slices_of(chunks, index):
    """The slices of a chunk, from the sizes of chunks along each axis and its index in the grid."""
    begins = (sum(sizes[:k]) for sizes, k in zip(chunks, index, strict=True))
    return tuple(slice(begin, begin + sizes[k]) for begin, sizes, k in zip(begins, chunks, index, strict=True))


def chunk_text(chunks, index, item_bytes=0):
    """Text for a chunk: its index, its slices, and its size in bytes where `item_bytes` is given."""
    parts = slices_of(chunks, index)
    n_bytes = item_bytes * math.prod(part.stop - part.start for part in parts)
    inside = ", ".join(f"{part.start}:{part.stop}" for part in parts)
    return f"chunk {tuple(index)}, X[{inside}]" + (f" of {size_text(n_bytes)}" if item_bytes else "")


class CheckedChunks:
    """The function that dask calls with each chunk of an array that is computed whole: checks its number of axes and its dtype.

    A chunk of another size shows in the shape of the whole result.
    """

    def __init__(self, dtype, chunks):
        self._dtype, self._chunks = dtype, chunks

    def __call__(self, elements, block_id=None):
        if block_id is None:
            return elements  # dask asks what kind of array comes out
        if elements is np.ma.masked:  # of float64: numpy.ma's result where all of what is reduced to one number is masked
            return np.ma.masked_all((), self._dtype)
        found, shape = getattr(elements, "dtype", None), _shape_of(elements, block_id)
        if len(shape) != len(self._chunks):
            raise _shape_error(shape, self._chunks, block_id)
        if isinstance(found, np.dtype) and not is_announced(found, self._dtype):
            raise dtype_error(found, self._dtype, block_id)
        return elements


class CheckedWork:
    """The function that dask calls with each chunk: checks its shape and calls `work`."""

    def __init__(self, work, chunks):
        self._work, self._chunks = work, chunks

    def __call__(self, elements, block_id=None):
        if block_id is None:
            return None  # dask asks what kind of array comes out
        for one in elements if isinstance(elements, Together) else (elements,):
            shape = _shape_of(one, block_id)
            if shape != _sizes(self._chunks, block_id):
                raise _shape_error(shape, self._chunks, block_id)
        try:
            return self._work(elements, block_id)
        except (ChunkError, MemoryError):
            raise
        except Exception as error:
            raise ChunkError(f"{chunk_text(self._chunks, block_id)}: {reason_of(error)}", tuple(block_id)) from error


def is_announced(found, dtype):
    """Whether a dtype may be called another one: objects may be numbers, texts have any length, dates any unit, bytes any order."""
    return dtype.kind == "O" or found.newbyteorder("=") == dtype.newbyteorder("=") or (found.kind == dtype.kind and dtype.kind in "SUTMm")


def _sizes(chunks, index):
    """The shape that a chunk should have."""
    return tuple(sizes[k] for sizes, k in zip(chunks, index, strict=True))


def _shape_of(elements, index):
    """The shape of a chunk; ChunkError where it is no array."""
    shape = getattr(elements, "shape", None)
    if shape is None:
        raise ChunkError(f"chunk {tuple(index)} is {type_text(type(elements))}, and not an array: correct the function that makes the "
                         "chunks", tuple(index))
    return tuple(shape)


def _shape_error(shape, chunks, index):
    """The ChunkError about a chunk whose shape is not that of its place in the array."""
    return ChunkError(f"chunk {tuple(index)} has shape {shape} but dask expects {_sizes(chunks, index)}: correct the chunks= given to "
                      "map_blocks, or the function that makes them", tuple(index))


def dtype_error(found, dtype, index):
    """The ChunkError about a chunk whose dtype is not that of the array."""
    return ChunkError(f"chunk {tuple(index)} has elements of {found}, but the array's dtype is {dtype}: give the array the dtype of its "
                      f"chunks, or convert the chunks, X.map_blocks(lambda chunk: chunk.astype({str(dtype)!r}))", tuple(index))
