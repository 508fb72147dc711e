"""Arrays that are computed or read from a file on demand: small ones are read at once, large ones chunk by chunk."""

import contextlib
import itertools
import math
import operator

import numpy as np

from ..errors import ChunkError, UnsupportedError, listed, type_text
from .chunk_checks import is_announced
from .chunked_source import ChunkedSource, in_chunks_text, part_text
from .dask_chunks import DaskChunks, check_array, checked, in_announced_width, open_store
from .dtypes import read_as
from .optional_imports import answers_everything, attribute, is_kind, module_roots

# The largest result that is computed without a request: some tenths of a second, the memory of a few screens.
MAX_COMPUTED_BYTES = 64 * 2**20

# The most chunks that are computed without a request: some seconds of a scheduler.
MAX_COMPUTED_CHUNKS = 10_000

# The most names of a group that a message lists, and the most that are looked at for the first of them in their order.
MAX_NAMES, MAX_SORTED = 8, 1000


def is_small(shape, item_bytes):
    """Whether an array of this size is computed or read without a request."""
    return math.prod(map(operator.index, shape)) * item_bytes <= MAX_COMPUTED_BYTES


def is_large(X):
    """Whether an object computes or reads elements on demand, and has too many, or an unknown number, to do so without a request."""
    dtype, shape = attribute(X, "dtype"), attribute(X, "shape")
    is_sparse = is_kind(dtype, ("pandas",), "SparseDtype")
    dtype = dtype.subtype if is_sparse else dtype
    is_lazy = is_sparse or any(attribute(X, name) is not None for name in ("compute", "chunks")) or "h5py" in module_roots(X)
    if not is_lazy or isinstance(X, np.ndarray):
        return False
    if not isinstance(shape, tuple) or not isinstance(dtype, np.dtype):
        return "dask" in module_roots(X) and not answers_everything(X)  # a bag or a table, and no delayed call
    return not all(hasattr(n, "__index__") for n in shape) or not is_small(shape, dtype.itemsize)


def check_size(X, shape, item_bytes, lines):
    """UnsupportedError, with `lines` to type instead, for an array too large to compute without a request."""
    if not is_small(shape, item_bytes):
        raise UnsupportedError(in_chunks_text(X, shape, math.prod(map(operator.index, shape)) * item_bytes) + lines)


def from_dask(X):
    """The result of a small dask array, the `ChunkedSource` of a large one; None for other objects.

    UnsupportedError where its shape is not known, or its elements are not numbers.
    """
    if not hasattr(X, "compute"):
        return None
    if not hasattr(X, "dtype") or not isinstance(getattr(X, "shape", None), tuple):
        raise UnsupportedError(f"{type_text(type(X))} of dask has not been computed: draw its result, X.compute()")
    if not hasattr(X, "chunks"):
        raise UnsupportedError(f"the {type(X).__name__} of dask is a table: convert it to an array, X.to_dask_array(lengths=True)")
    if is_small(check_array(X), X.dtype.itemsize) and math.prod(map(len, X.chunks)) <= MAX_COMPUTED_CHUNKS:
        return _computed(X)
    return chunked(X, X)


def _computed(X):
    """The result of a dask array, its `ChunkedSource` where dask cannot join the chunks.

    ChunkError where a chunk cannot be computed, or has another shape or dtype than the array says.
    """
    try:
        with _quiet_fill_values(X):
            result = checked(X).compute()
    except (ChunkError, MemoryError, UnsupportedError):
        raise
    except Exception as error:
        failed = _failed_chunk(X)
        if failed is None:
            return chunked(X, X)  # dask cannot join the chunks, such as those of torch
        raise failed from error
    if np.shape(result) != X.shape:
        raise ChunkError(f"the array was announced with shape {X.shape}, and what was computed has {np.shape(result)}: give the function "
                         "that makes its chunks their true sizes, such as map_blocks(..., chunks=...)")
    return result


def _quiet_fill_values(X):
    """A context in which dask joins masked chunks of float16, which cannot hold the default fill value, 1e20, without a warning."""
    is_affected = X.dtype == "f2" and isinstance(X._meta, np.ma.MaskedArray)
    return np.errstate(over="ignore") if is_affected else contextlib.nullcontext()


def _failed_chunk(X):
    """The ChunkError of the first chunk that cannot be computed; None where each of them can."""
    engine = DaskChunks(X)
    for index in np.ndindex(X.numblocks):
        try:
            X.blocks[index].compute()
        except Exception as cause:
            return engine.error_of(index, cause)
    return None


def chunked(owner, array):
    """The `ChunkedSource` of a dask array; `owner` is the caller's object."""
    return ChunkedSource(owner, DaskChunks(in_announced_width(array)), check_array(array), read_as(array.dtype),
                         is_masked=isinstance(array._meta, np.ma.MaskedArray))


def _names_text(group):
    """The first names of a group for a message; "" where it does not list them."""
    try:
        names = sorted(repr(name) for name in itertools.islice(group, MAX_SORTED))
    except Exception:  # what lists them may read files
        return ""
    return f"; names: {listed(names, MAX_NAMES) or 'none'}"


def from_file(X):
    """The elements of a small data set (h5py, zarr, netCDF4), the `ChunkedSource` of a large one; None for other objects.

    UnsupportedError for groups, and for large data sets of netCDF4 or where dask is missing.
    """
    kind = type(X)
    if not hasattr(kind, "__getitem__"):
        return None
    check_open(X)
    if not hasattr(kind, "shape") and any(hasattr(kind, name) for name in ("keys", "variables", "members")):
        raise UnsupportedError(f"{type_text(kind)} of {kind.__module__.partition('.')[0]} holds values under names, choose one with "
                               f"X[name]{_names_text(X)}")
    if not isinstance(getattr(X, "shape", None), tuple) or not hasattr(getattr(X, "dtype", None), "itemsize"):
        return None
    if is_small(X.shape, X.dtype.itemsize):
        return X[...]
    return from_store(X)


def check_open(X):
    """UnsupportedError for a file, a group or a data set of h5py whose file is closed, and for a data set without elements."""
    if "h5py" not in module_roots(X):
        return
    if hasattr(type(X), "__bool__") and not X:
        raise UnsupportedError(f"the file of {type_text(type(X))} of h5py is closed: open it again, and draw while it is open")
    if hasattr(type(X), "maxshape") and X.shape is None:
        raise UnsupportedError(f"the Dataset {X.name!r} of h5py has a dtype and no elements, it was made as h5py.Empty: draw another one")


def from_store(X):
    """The `ChunkedSource` of an object with ``shape``, ``dtype``, ``__getitem__`` and, where it has any, ``chunks``."""
    roots = module_roots(X)
    if "netCDF4" in roots:  # which unpacks values as it reads, into another dtype than its ``dtype``
        check_size(X, X.shape, X.dtype.itemsize, f"draw a part, {part_text(X.shape)}, or open the file as xarray.open_dataset(file, "
                   "chunks={})")
    read_as(X.dtype)
    chunks = getattr(X, "chunks", None)
    chunks = tuple(map(operator.index, chunks)) if isinstance(chunks, tuple) and len(chunks) == len(X.shape) else None
    return chunked(X, open_store(X, chunks, is_locked="zarr" not in roots))


def in_chunks(X):
    """The `ChunkedSource` of an array of dask, zarr or HDF5, however small; None for other objects."""
    if hasattr(X, "compute") and hasattr(X, "chunks"):
        check_array(X)
        return chunked(X, X)
    return from_store(X) if not module_roots(X).isdisjoint(("zarr", "h5py")) else None


def is_store(X):
    """Whether an object of an unknown library is an array that is read in chunks."""
    chunks, shape, dtype = (attribute(X, name) for name in ("chunks", "shape", "dtype"))
    is_alike = isinstance(chunks, tuple) and isinstance(shape, tuple) and len(chunks) == len(shape) > 0
    return (is_alike and hasattr(type(X), "__getitem__") and isinstance(dtype, np.dtype)
            and all(isinstance(n, int | np.integer) for n in (*chunks, *shape)))


def from_small_store(X):
    """The elements of a store of an unknown library, which gives no other way to them, read by slices as its chunks would be."""
    elements = X[tuple(slice(0, n) for n in X.shape)]
    if np.shape(elements) != X.shape:
        raise ChunkError(f"the {type(X).__name__} of shape {X.shape} gave elements of shape {np.shape(elements)} for slices of all of it")
    found = attribute(elements, "dtype")
    if isinstance(found, np.dtype) and not is_announced(found, X.dtype):
        raise ChunkError(f"the {type(X).__name__} of dtype {X.dtype} gave elements of {found}: give it the dtype of its elements, or "
                         "convert them as they are read")
    return elements.copy() if isinstance(elements, np.ndarray) else elements  # they may lie in memory of the store


def from_sparse(X):
    """A sparse array of SciPy or PyData as a dense one; None for other objects, UnsupportedError where the dense one is large."""
    fill = "toarray" if hasattr(type(X), "toarray") else "todense"
    if not hasattr(type(X), fill) or not hasattr(X, "shape") or not hasattr(X, "dtype"):
        return None
    check_size(X, X.shape, X.dtype.itemsize, f"it is sparse; make it dense yourself, X.{fill}(), or a part of it")
    if not _has_right_indices(X):
        raise ValueError(f"the indices of {type_text(type(X))} of shape {tuple(X.shape)} lie outside of it: create it again with "
                         "valid indices")
    return np.asarray(getattr(X, fill)())


def _has_right_indices(X):
    """Whether the indices of a sparse array are inside of its shape: SciPy does not check before it writes to where they say."""
    if attribute(X, "format") not in ("csr", "csc", "bsr"):  # PyData's GCXS has starts of slices along any axes
        coordinates = attribute(X, "coords")  # a tuple of arrays in SciPy, an array in PyData
        return coordinates is None or all(_are_below(n, where) for n, where in zip(X.shape, coordinates, strict=False))
    block = attribute(X, "blocksize") or (1, 1)
    sides = [n // size for n, size in zip(((1,) + tuple(X.shape))[-2:], block, strict=True)]
    n_slices, n_places = reversed(sides) if attribute(X, "format") == "csc" else sides
    starts, n_stored = X.indptr, min(len(X.indices), len(X.data))
    are_starts = len(starts) == n_slices + 1 and starts[0] == 0 and starts[-1] <= n_stored and (starts[1:] >= starts[:-1]).all()
    return bool(are_starts) and _are_below(n_places, X.indices[:starts[-1]])


def _are_below(n, where):
    """Whether all indices are from 0 to n - 1."""
    return len(where) == 0 or (where.min() >= 0 and where.max() < n)
