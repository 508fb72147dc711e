"""Runs one task per chunk of a dask array on dask's current scheduler: threads, processes or a cluster."""

from __future__ import annotations

import itertools
import math
import pickle
import uuid

import numpy as np

from ..errors import ChunkError, UnsupportedError, reason_of
from ..notices import warn
from .chunk_checks import CheckedChunks, CheckedWork, chunk_text
from .chunks_together import Together
from .dask_job import Job
from .dask_stores import check_zarr_arrays, zarr_arrays_of

# Size of one read of a store whose chunks are smaller: several whole chunks. Larger reads would be assembled from chunks in freshly
# allocated memory every time.
READ_BYTES = 8 * 2**20

# Words of the errors about objects that pickle, cloudpickle and distributed cannot send.
UNSENT = ("pickle", "serialize")

# Passes over more chunks than these are warned about: some minutes of a scheduler.
MANY_CHUNKS = 100_000


def dask_array():
    """The module dask.array.core, whose arrays are graphs also where dask.array makes expressions; UnsupportedError where it is missing."""
    try:
        import dask.array.core
    except ImportError as error:
        raise UnsupportedError('reading an array chunk by chunk needs dask: pip install "dask[array]" distributed, or gpuplot '
                               'with its extra, pip install "gpuplot[scale]"') from error
    return dask.array.core


def open_store(X, chunks, is_locked):
    """A dask array over an object with ``shape``, ``dtype`` and ``__getitem__``, in pieces of whole chunks; nothing is read.

    Parameters
    ----------
    X : object
    chunks : tuple of int or None
        Chunk shape of the store itself; None for elements in C order.
    is_locked : bool
        Whether only one thread at a time may read.
    """
    sizes = read_sizes(X.shape, chunks, X.dtype.itemsize)
    return dask_array().from_array(X, sizes, name=f"store-{uuid.uuid4().hex}", lock=is_locked, asarray=False,
                                   meta=np.empty((0,) * len(X.shape), X.dtype))


def read_sizes(shape, chunks, item_bytes):
    """Sizes of reads along each axis: multiples of the chunks, wide before high, up to `READ_BYTES`."""
    sizes = [max(1, min(n, chunk)) for n, chunk in zip(shape, chunks or (1,) * len(shape), strict=True)]
    for axis in reversed(range(len(shape))):
        if len(shape) - axis > 2 and chunks is not None:
            break  # pages of a stack are shown one by one
        room = READ_BYTES // max(1, item_bytes * math.prod(sizes))
        sizes[axis] = max(1, min(shape[axis], sizes[axis] * max(1, room)))
    return tuple(sizes)


class DaskChunks:
    """The engine of a `ChunkedSource` over a dask array.

    Parameters
    ----------
    array : dask.array.Array
        Of known shape.
    client : distributed.Client, optional
        Default: dask's current scheduler.
    item_bytes : int, optional
        Bytes of each element, in all arrays that are `Together`. Default: those of the array's dtype.
    """

    def __init__(self, array, client=None, item_bytes=None):
        self.array, self.chunks, self.client = _of_graph(array), array.chunks, client
        self._zarr_arrays, self._item_bytes = zarr_arrays_of(self.array), item_bytes or array.dtype.itemsize

    def of_client(self, client):
        """The same chunks, read by the workers of a client."""
        return DaskChunks(self.array, client, self._item_bytes)

    def with_kept(self, futures, client):
        """The chunks that workers of a client have already, or are reading: `futures` by the keys of chunks."""
        rebuild, more = self.array.__dask_postpersist__()
        kept = DaskChunks(rebuild(futures, *more), client, self._item_bytes)
        kept._zarr_arrays = self._zarr_arrays
        return kept

    @property
    def is_local(self):
        """Whether chunks are read in this process, which may keep them: not by workers, whose chunks would have to be sent."""
        from dask.base import get_scheduler
        from dask.local import get_sync
        from dask.threaded import get

        return self.client is None and get_scheduler(collections=[self.array]) in (get, get_sync)

    def cut(self, array):
        """The engine of an array in memory in these chunks."""
        return DaskChunks(dask_array().from_array(array, chunks=self.chunks, name=False, asarray=False), self.client)

    def joined_as(self, chunks):
        """The engine of the array in larger chunks, of several whole ones each; None for chunks that only other libraries can join."""
        return DaskChunks(self.array.rechunk(chunks), self.client) if isinstance(self.array._meta, np.ndarray) else None

    def beside(self, others):
        """The engine of these chunks and those of others, at each place `Together`."""
        arrays, meta = [engine.array for engine in (self, *others)], np.empty((0,) * self.array.ndim, object)
        both = dask_array().map_blocks(Together, *arrays, dtype=object, meta=meta)
        return DaskChunks(both, self.client, sum(array.dtype.itemsize for array in arrays))

    def run(self, tiles, work, join, watch):
        """See `ChunkedSource.run`; `watch` is a `RunWatch`."""
        _note_many(sum(map(len, tiles)))
        name = f"gpuplot-{uuid.uuid4().hex}"
        job = Job(self.array, self._results_of(work, f"{name}-chunk"), f"{name}-tile", tiles, join)
        self._check_stores()
        try:
            found = job.results(watch, self.client)
        except (ChunkError, UnsupportedError):
            raise
        except Exception as error:
            if error is job.error_of_watch:
                raise
            raise self.error_of(job.culprit(error), error) from error
        self._check_stores()  # a store may have been deleted meanwhile
        return found

    def _check_stores(self):
        if self._zarr_arrays:
            check_zarr_arrays(self._zarr_arrays)

    def _results_of(self, work, name):
        """A dask array with one result per chunk; never computed as an array."""
        return dask_array().map_blocks(CheckedWork(work, self.chunks), self.array, dtype=object,
                                       meta=np.empty((0,) * self.array.ndim, object), name=name)

    def error_of(self, index, cause):
        """A `ChunkError`, or the MemoryError with the place of the chunk; `index` is None where the chunk is not known."""
        what = self._all_text() if index is None else chunk_text(self.chunks, index, self._item_bytes)
        if type(cause).__name__ == "KilledWorker":
            return ChunkError(f"{what} ended each worker that read it, most often for lack of memory: give the workers more memory, or "
                              "make the chunks smaller", index)
        unsent = None if self.is_local else _reason_unsent(cause)
        if unsent is not None:
            return ChunkError(f"{self._all_text()} cannot be sent to other processes: {unsent}; let threads read them, "
                              "dask.config.set(scheduler='threads') without a client, or give a client's workers files that are open for "
                              "reading only")
        if isinstance(cause, MemoryError):
            return MemoryError(f"{what} cannot be read: {reason_of(cause)}; make the chunks smaller, or read fewer at a time")
        return ChunkError(f"{what} cannot be read: {reason_of(cause)}", index)

    def _all_text(self):
        return f"the chunks of the {type(self.array).__name__} of shape {self.array.shape}"


def _reason_unsent(error):
    """Why an object could not be sent to another process, such as an open file; None for other errors.

    The innermost cause says it: distributed's own error has the text of the whole graph.
    """
    is_unsent = isinstance(error, (TypeError, pickle.PicklingError)) and any(word in str(error) for word in UNSENT)
    if not is_unsent:
        return None
    while error.__cause__ is not None:
        error = error.__cause__
    return reason_of(error)


def _of_graph(array):
    """A dask array whose graph is there; of an expression, as dask makes with ``array.query-planning``, that of its optimized form."""
    if hasattr(array.dask, "layers"):
        return array
    array = array.optimize()
    return dask_array().Array(array.__dask_graph__(), array.name, array.chunks, dtype=array.dtype, meta=array._meta)


def _note_many(n_chunks):
    """Warns of a pass that takes long because of the number of its chunks."""
    if n_chunks > MANY_CHUNKS:
        warn(f"{n_chunks:,} chunks are read, for each of which dask takes a millisecond or more: chunks of about 100 MB are read faster, "
             "such as by chunks='auto' where the array is made or opened")


def checked(array):
    """A dask array with the same chunks, each of which has the dtype and as many axes as were announced, or raises `ChunkError`."""
    check = CheckedChunks(array.dtype, array.chunks)
    return dask_array().map_blocks(check, in_announced_width(array), dtype=array.dtype, meta=array._meta,
                                   name=f"gpuplot-checked-{uuid.uuid4().hex}")


def in_announced_width(array):
    """A dask array of masked floats with chunks of its own dtype: numpy.ma makes ``chunk * 2`` float64, which dask announces as float32."""
    if not isinstance(array._meta, np.ma.MaskedArray) or array.dtype.kind not in "fc":
        return array
    return dask_array().map_blocks(_narrowed, array, array.dtype, dtype=array.dtype, meta=array._meta,
                                   name=f"gpuplot-narrowed-{uuid.uuid4().hex}")


def _narrowed(elements, dtype):
    """A chunk, converted where it is masked and of the same kind but wider than `dtype`."""
    found = getattr(elements, "dtype", dtype)
    is_wider = isinstance(elements, np.ma.MaskedArray) and found.kind == dtype.kind and found.itemsize > dtype.itemsize
    with np.errstate(over="ignore"):  # infinite, as in NumPy's own arithmetic
        return elements.astype(dtype) if is_wider else elements


def check_array(X):
    """The shape of a dask array as integers; UnsupportedError where it is not known before it is computed."""
    if not all(isinstance(n, int) or hasattr(n, "__index__") for n in itertools.chain(X.shape, *X.chunks)):
        raise UnsupportedError(f"the {type(X).__name__} of dask does not know its shape before it is computed: compute the shape with "
                               "X.compute_chunk_sizes(), or draw its result, X.compute()")
    return tuple(int(n) for n in X.shape)
