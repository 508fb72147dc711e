"""Any object that holds numbers -> a Source, whose memory the native layer borrows for one use at a time."""

import importlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..choices import check_flag
from ..errors import ChunkError, DeviceError, UnsupportedError, is_foreign, reason_of
from . import cuda_arrays, cuda_devices, dlpack, host_arrays, lazy_arrays, lazy_lists, pointers, stacking, torch_tensors
from .chunked_source import ChunkedSource
from .dtypes import holder_of
from .host_memory import from_ndarray, from_protocol, has_buffer, has_interface, valid_in
from .literals import counted, from_literal, from_object, is_literal, refuse_mock
from .optional_imports import module_roots
from .pyramids import ChosenLevel, Pyramid
from .reading import read_once
from .source import Source
from .streams import check_stream


def describe(X, /, stream=None):
    """Describes an object as a `Source`, without reading an element where its library allows that.

    X is anything that public functions take: a NumPy array of any layout, nested lists, PIL images, tables, xarray and pint
    objects, tensors of torch, TensorFlow or JAX in host or CUDA memory, and any object that supports DLPack, the CUDA array
    interface, the buffer protocol or the array interface. Lists, images and tables are turned into an array once, small lazy and
    sparse arrays are computed once, elements of fewer than 8 bits are converted at each use, and everything else is borrowed then,
    after the work queued on `stream`.

    UnsupportedError for objects without numbers or that need a conversion first, DeviceError for CUDA memory that cannot be read.
    """
    check_stream(stream)
    kind = type(X)  # not X.__class__, which mocks falsify
    if issubclass(kind, Source):
        return X
    if kind is np.ndarray and X.dtype != object:
        return _ndarray_source(X, stream)
    return read_once(X, _read_any, X, stream)


def describe_in_place(X, stream=None):
    """`describe`, but an array spread over devices or processes becomes a `ShardedSource`, however small it is."""
    check_stream(stream)
    source = read_once(X, _sharded, X, stream)
    if source is None:
        return describe(X, stream)
    if source.n_addends > 1:  # one addend alone says nothing about the elements
        source.check_complete()
    return source


def describe_whole(X, stream=None, collective=False, client=None, progress=None):
    """`describe_in_place` for a result over all elements: every process that holds some calls it, or one that holds all.

    `client` and `progress` are as in `Source.run_by`. ValueError if `collective` is neither True nor False; UnsupportedError
    if it is False and other processes hold some elements.
    """
    collective = check_flag("collective", collective)
    check_stream(stream)
    source = read_once(X, _sharded, X, stream, collective)
    source = describe(X, stream) if source is None else source
    source = source.collectively() if collective else source
    source.check_complete()
    return source.run_by(client, progress)


def collectively(source):
    """A described array for calls that all processes make together; where each of them has all of it, the first one writes files."""
    found = None if isinstance(source, ChunkedSource) else _sharded(source.owner, source._stream, with_copies=True)
    return (source if found is None else found).collectively()


def _sharded(X, stream, with_copies=False):
    """The `ShardedSource` of an array spread over devices or processes, else None; `with_copies` as in `jax_shards.spread_of`."""
    spread = _read(_find_spread, X, with_copies)
    if spread is None:
        return None
    from .shards import ShardedSource

    return ShardedSource(X, spread, stream)


def _find_spread(X, with_copies):
    kind = type(X)
    if issubclass(kind, (Source, np.ndarray)):
        return None
    roots = module_roots(X)
    if "torch" in roots and torch_tensors.is_tensor(X) and torch_tensors.is_dtensor(X):
        return importlib.import_module(".dtensors", __package__).spread_of(X, with_copies)
    if not roots.isdisjoint(("jax", "jaxlib")):
        return importlib.import_module(".jax_shards", __package__).spread_of(X, with_copies)
    if hasattr(kind, "__jax_array__") and not dlpack.has_dlpack(X):  # a parameter, whose array may change between uses
        try:
            spread = _find_spread(_jax_array(X), with_copies)
        except UnsupportedError:  # a placeholder, about which the reader of its library has the better error
            return None
        return spread and replace(spread, local=lambda X: spread.local(_jax_array(X)))
    return None


def _read_any(X, stream):
    kind = type(X)
    if issubclass(kind, np.ndarray):
        return _read(_ndarray_source, X, stream)
    if issubclass(kind, pointers.PointerArray):
        return _lent_source(X, pointers.lend, stream)
    roots = module_roots(X)
    for root, read in _READERS.items():
        source = _read(read, X, stream) if root in roots else None
        if source is not None:
            return source
    return _read(_literal_source if is_literal(X) else _protocol_source, X, stream)


def _host_source(owner, read=from_ndarray):
    """A source of the (ndarray, its mask or None) that `read(owner)` gives at every use."""
    array, mask = read(owner)
    holder = holder_of(array.dtype)
    if holder is not None:
        return Source(owner, lambda owner: host_arrays.lend_converted(*read(owner)), array.shape, holder,
                      is_masked=mask is not None, is_fresh=True)
    name = host_arrays.name_of(array)
    host_arrays.lend(array, mask).release()  # refuses invalid memory before NumPy or matplotlib reads it
    return Source(owner, lambda owner: host_arrays.lend(*read(owner)), array.shape, name,
                  is_host_array=True, is_masked=mask is not None)


def _ndarray_source(X, stream):
    if cuda_arrays.has_interface(X):
        return _lent_source(X, cuda_arrays.lend_shared, stream)
    if cuda_devices.is_created(stream):  # it may be copying to this memory, where that is pinned
        return _lent_after(_host_source(X), stream)
    if X.dtype == object:
        return _literal_source(X, stream)
    if hasattr(type(X), "unmasked") and hasattr(X, "mask"):  # astropy's, which are not masked arrays of NumPy
        return _host_source(np.ma.array(np.asarray(X.unmasked), mask=X.mask, copy=False))
    source = _host_source(X)
    if type(X) is not np.ndarray and not _WITH_UNITS.isdisjoint(module_roots(X)):
        source.labels = _later("labelled.labels_of_unit")(X)
    return source


def _lent_after(source, stream):
    """The source, with the host waiting for the stream now and at every use."""
    lend = source._lend
    cuda_devices.wait_on_host(stream)

    def lend_after(owner, stream=None):
        cuda_devices.wait_on_host(stream)
        return lend(owner)

    source._lend, source._stream = lend_after, stream
    return source


def _literal_source(X, stream):
    """Lists, tuples and numbers as NumPy reads them; lists of tensors are gathered or stacked on the tensors' device.

    Large arrays that are read on demand stay where they are.
    """
    in_chunks = lazy_lists.stacked(X, describe)
    if in_chunks is not None:
        return in_chunks
    if stacking.begins_with_tensor(X):
        stacked = stacking.stack(X, describe, stream)
        if stacked is not None:
            return _fresh(describe(stacked, stream))
    try:
        source = _host_source(from_literal(X))
    except (TypeError, ValueError):
        stacked = stacking.stack(_items_in(X), describe, stream, is_refused=True)
        if stacked is None:
            raise
    else:
        has_memory = hasattr(type(X), "__array__") and not issubclass(type(X), np.generic)  # which it may have given
        return source if has_memory else _fresh(source)
    return _fresh(describe(stacked, stream))


def _items_in(X):
    """The items of an array of objects or of a sequence; none of other objects."""
    if issubclass(type(X), np.ndarray):
        return X
    return list(counted(X)) if issubclass(type(X), Sequence) else []


def _fresh(source):
    source.is_fresh = True
    return source


def _torch_source(X, stream):
    if not torch_tensors.is_tensor(X):
        parts = torch_tensors.parts_of(X)
        return _protocol_source(X, stream) if parts is None else describe(parts, stream)
    sharded = _sharded(X, stream)
    if sharded is not None:
        return sharded
    shape, name, dims, device, is_lazy = torch_tensors.describe(X)
    return Source(X, torch_tensors.lend, shape, name, dims=dims, device=device, stream=stream, is_fresh=is_lazy)


def _lent_source(X, lend, stream):
    """A source of the tensor that `lend(X, stream=stream)` borrows, which is borrowed once to describe it."""
    with lend(X, stream=stream) as tensor:
        return Source(X, lend, tensor.shape, tensor.dtype, is_masked=tensor.is_masked, device=dlpack.device_of(tensor),
                      stream=stream)


def _read(read, X, stream):
    """The source from a reader; None where the object only seems to be of the reader's library."""
    try:
        return read(X, stream)
    except (ChunkError, UnsupportedError, DeviceError, MemoryError):
        raise
    except Exception as error:  # a broken library, or a type that pretends to come from one
        if isinstance(error, ValueError) and not is_foreign(error):
            raise
        raise UnsupportedError(f"{type(X).__name__} cannot be read: {reason_of(error)}") from error


def _later(path):
    """A function of ours such as ``"dataframes.from_pandas"``, whose module is imported at the first call."""
    module, name = path.split(".")
    return lambda X: getattr(importlib.import_module(f".{module}", __package__), name)(X)


def _inner(path, is_fresh=False):
    """A reader for the array that a function of ours finds in an object, or makes from it (`is_fresh`)."""
    find = _later(path)

    def read(X, stream):
        inner = find(X)
        if inner is None:
            return None
        source = describe(inner, stream)
        source.is_fresh |= is_fresh and source is not inner
        return source
    return read


def _pyramid_or(read_array):
    """A reader for a pyramid, whose level 0 is described; for other objects `read_array`."""
    def read(X, stream):
        pyramid = Pyramid.of(X)
        return read_array(X, stream) if pyramid is None else pyramid.describe(0, describe, stream)
    return read


def _level_source(X, stream):
    return X.pyramid.describe(X.number, describe, stream) if issubclass(type(X), ChosenLevel) else None


def _labelled(path):
    """A reader for the (array, `Labels`) that a function of ours finds in an object."""
    find = _later(path)

    def read(X, stream):
        inner = find(X)
        if inner is None:
            return None
        data, labels = inner
        source = describe(data, stream)
        source.labels = labels
        if labels is not None and labels.axes is not None:
            if len(labels.axes) != source.ndim:
                raise UnsupportedError(f"the {type(X).__name__} has {len(labels.axes)} names of dimensions, and the array in it has shape "
                                       f"{source.shape}: give that array")
            source.dims = tuple(axis.name for axis in labels.axes)
        return source
    return read


def _table(path):
    """A reader for the array that a function of ours finds in a table, with the names of its rows and columns."""
    read, find_labels = _inner(path), _later("labelled.labels_of_table")

    def read_named(X, stream):
        source = read(X, stream)
        if source is not None:
            source.labels = find_labels(X)
        return source
    return read_named


def _tensorflow_source(X, stream):
    from . import tensorflow_tensors

    inner = tensorflow_tensors.dense(X)
    if inner is None and not tensorflow_tensors.is_tensor(X):
        return None
    return _lent_source(X if inner is None else inner, tensorflow_tensors.lend, stream)


def _keras_source(X, stream):
    from . import tensorflow_tensors

    # assign() may replace a variable's tensor, so it is read at every use.
    if tensorflow_tensors.variable_of(X) is None:
        return None
    return _lent_source(X, lambda X, stream=None: describe(tensorflow_tensors.variable_of(X), stream).borrow(), stream)


def _jax_source(X, stream):
    from . import jax_arrays, jax_shards

    array = jax_arrays.resolve(X)
    if array is None or not hasattr(type(array), "sharding"):
        return None if array is None else describe(array, stream)
    sharded = _sharded(X, stream)
    if sharded is not None:  # a small array is put together here, for functions that do not support shards
        together = jax_shards.whole(X)
        return sharded if together is None else describe(together, stream)
    source = _lent_source(X if jax_arrays.is_changing(X) else array, jax_arrays.lend, stream)
    source.is_fresh = getattr(X, "dtype", array.dtype) != array.dtype  # it was converted
    return source


def _cupy_source(X, stream):
    return _lent_source(X, _lend_cupy, stream) if dlpack.has_dlpack(X) else _protocol_source(X, stream)


def _lend_cupy(X, stream=None):
    """Borrows by the CUDA array interface, in bytes: CuPy's DLPack rounds strides to elements and loses their sign."""
    is_wrong = any(stride < 0 or stride % X.itemsize for stride in getattr(X, "strides", ()))
    return cuda_arrays.lend(X, stream) if is_wrong else _lend(X, stream)


def _lend(X, stream=None):
    """Borrows by DLPack, which alone has bfloat16 and devices, or by the CUDA array interface where DLPack is refused."""
    try:
        return dlpack.lend(X, stream=stream)
    except UnsupportedError:
        if not (cuda_arrays.is_alternative(X) and dlpack.may_be_cuda(X)):
            raise
    return cuda_arrays.lend(X, stream)


def _jax_array(X):
    try:
        array = X.__jax_array__()
    except Exception as error:
        raise UnsupportedError(f"{type(X).__name__} fails at __jax_array__: {reason_of(error)}; give the array inside") from error
    if type(array) is type(X):
        raise UnsupportedError(f"{type(X).__name__} returns another {type(X).__name__} from __jax_array__: give the array inside")
    return array


def _protocol_source(X, stream):
    """A source of an object of an unknown library, by the protocols that it speaks."""
    if dlpack.has_dlpack(X) and not _has_host_mask(X):
        try:
            return _lent_source(X, _lend, stream)
        except UnsupportedError:
            if not _is_host(X):
                raise
    elif cuda_arrays.has_interface(X):
        return _lent_source(X, cuda_arrays.lend, stream)
    refuse_mock(X)
    is_store = lazy_arrays.is_store(X)
    if is_store and not lazy_arrays.is_small(X.shape, X.dtype.itemsize):
        return lazy_arrays.from_store(X)
    if _is_host(X):
        return _host_source(X, from_protocol)
    if hasattr(type(X), "__jax_array__"):  # parameters of libraries over JAX, whose array may change between uses
        return _lent_source(X, lambda X, stream=None: describe(_jax_array(X), stream).borrow(), stream)
    if is_store and not hasattr(type(X), "__array__"):
        return _fresh(describe(lazy_arrays.from_small_store(X), stream))
    return _host_source(from_object(X))


def _has_host_mask(X):
    """Whether an object that exports DLPack, which has no masks, names one for its host memory in its array interface."""
    return dlpack.may_be_host(X) and valid_in(X) is not None


def _is_host(X):
    """Whether an object exports host memory. Checked last: to give its buffer TensorFlow copies a whole tensor to the host."""
    return not issubclass(type(X), type) and (has_buffer(X) or has_interface(X))


# Subclasses of ndarray that have units.
_WITH_UNITS = {"astropy", "unyt"}

# The first of an object's libraries in this order reads it. A Variable of Keras is one of its backend's library, too.
_READERS = {
    "gpuplot": _level_source,
    "torch": _torch_source,
    "keras": _keras_source,
    "tensorflow": _tensorflow_source,
    "jax": _jax_source,
    "jaxlib": _jax_source,
    "cupy": _cupy_source,
    "pandas": _table("dataframes.from_pandas"),
    "polars": _table("dataframes.from_polars"),
    "pyarrow": _inner("dataframes.from_arrow"),
    "awkward": _inner("dataframes.from_awkward"),
    "xarray": _pyramid_or(_labelled("labelled.from_xarray")),
    "pint": _labelled("labelled.from_pint"),
    "astropy": _labelled("labelled.from_astropy"),
    "dask": _inner("lazy_arrays.from_dask"),
    "h5py": _inner("lazy_arrays.from_file", is_fresh=True),
    "zarr": _pyramid_or(_inner("lazy_arrays.from_file", is_fresh=True)),
    "netCDF4": _inner("lazy_arrays.from_file", is_fresh=True),
    "scipy": _inner("lazy_arrays.from_sparse", is_fresh=True),
    "sparse": _inner("lazy_arrays.from_sparse", is_fresh=True),
    "PIL": _inner("pil_images.from_image", is_fresh=True),
    "wrapt": _inner("optional_imports.wrapped_in"),
    "_wrappers": _inner("optional_imports.wrapped_in"),  # of wrapt, too
}
