"""Any object that holds numbers -> a Source: what the native layer can borrow, for one use at a time."""

from __future__ import annotations

import math

import numpy as np

from . import cuda_arrays, dlpack, host_arrays, labelled, torch_tensors
from .cuda_devices import module_roots
from .errors import UnsupportedError
from .streams import check_stream

__all__ = ["Source", "borrow", "describe"]


class Source:
    """A tensor that can be borrowed again and again; it keeps the object alive and nothing else.

    Every use borrows anew and lets go at once. Nothing that a library exported is kept in between, so memory that its
    owner frees, moves or writes to is never seen through an old pointer.

    Attributes
    ----------
    shape : tuple of int
        Sizes in elements.
    dtype : str
        Name of the dtype: ``"float32"``, ``"bfloat16"``, ``"float8_e5m2"``, ...
    dims : tuple of str or None
        Names that the object gives its axes.
    is_host_array : bool
        True for what matplotlib itself would read as an array: NumPy, lists, PIL images, buffers, data frames.
    is_masked : bool
        True where a mask marks elements as missing.
    device : (int, int) or None
        DLPack's number of the kind of device and its ordinal, (2, 0) for the first CUDA device; None for host memory.
    """

    __slots__ = ("__weakref__", "_lend", "_owner", "_stream", "device", "dims", "dtype", "is_host_array", "is_masked",
                 "shape")

    def __init__(self, owner, lend, shape, dtype, *, dims=None, is_host_array=False, is_masked=False, device=None,
                 stream=None):
        self._owner = owner
        self._stream = stream
        self.device = device
        self._lend = lend
        self.shape = tuple(shape)
        self.dtype = dtype
        self.dims = dims
        self.is_host_array = is_host_array
        self.is_masked = is_masked

    def __repr__(self):
        return f"<Source {self.dtype} {self.shape} of {type(self._owner).__name__}>"

    # A copy would copy the tensor; a description that never changes can be shared.
    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def ndim(self):
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self):
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self):
        """Bytes of all elements: their number times the size of one."""
        return self.size * host_arrays.ITEM_BYTES[self.dtype]

    @property
    def array(self):
        """The elements as an ndarray or masked array without a copy, or None where the object is no host array."""
        if not self.is_host_array:
            return None
        return self._owner if isinstance(self._owner, np.ndarray) else np.asarray(self._owner)

    def borrow(self):
        """Borrows the memory as it is now; on a device, as it will be when what was queued before has been done.

        Returns
        -------
        _native.Tensor
            A context manager that lets the memory go when it ends.

        Raises
        ------
        ValueError
            The object has another shape or dtype than when it was described.
        UnsupportedError
            Its library does not hand the memory out.
        DeviceError
            The device cannot be used, or a graph is being captured on it.

        Examples
        --------
        >>> import numpy as np
        >>> with describe(np.eye(3)).borrow() as tensor:
        ...     tensor.shape, tensor.dtype
        ((3, 3), 'float64')
        """
        tensor = self._lend(self._owner) if self.device is None else self._lend(self._owner, stream=self._stream)
        if (tensor.shape, tensor.dtype) != (self.shape, self.dtype):
            now = f"{tensor.dtype} {tensor.shape}"
            tensor.release()
            raise ValueError(f"the tensor was {self.dtype} {self.shape} and is {now} now: call update() with the new one")
        return tensor


def describe(X, /, stream=None):
    """What an object holds, without reading an element of it where its library allows that.

    Parameters
    ----------
    X : array_like
        A NumPy array of any layout, masked or not; nested lists and numbers; a PIL image; a pandas or xarray object;
        a torch tensor in host or CUDA memory; anything else that speaks DLPack, the CUDA array interface, the buffer
        protocol or the array interface. Lists, images and data frames are turned into an array once, everything else is
        borrowed.
    stream : int or object, optional
        The CUDA stream on which the tensor is written, waited for at every use. Host memory needs none.

    Returns
    -------
    Source

    Raises
    ------
    UnsupportedError
        A TypeError: not numbers, or a kind of tensor (sparse, quantized, ...) that has to be converted first.
    DeviceError
        The tensor is in CUDA memory that cannot be read: no driver, a pointer that is none.

    Examples
    --------
    >>> import numpy as np
    >>> source = describe(np.zeros((2, 3), "float16"))
    >>> source.shape, source.dtype, source.nbytes
    ((2, 3), 'float16', 12)
    """
    check_stream(stream)
    if isinstance(X, Source):
        return X
    if isinstance(X, np.ndarray):
        return _host_source(X)
    roots = module_roots(X)
    for root, read in _READERS.items():
        if root in roots:
            return read(X, stream)
    if host_arrays.is_literal(X):
        return _literal_source(X, stream)
    return _protocol_source(X, stream)


def borrow(X, /):
    """Describes an object and borrows it at once; see `describe` and `Source.borrow`.

    Examples
    --------
    >>> with borrow([[1, 2], [3, 4]]) as tensor:
    ...     tensor.shape
    (2, 2)
    """
    return describe(X).borrow()


def _host_source(owner, read=host_arrays.from_ndarray, dims=None):
    """A source of what `read(owner)` gives: an ndarray and its mask or None, read again at every use."""
    array, mask = read(owner)
    name = host_arrays.dtype_name(array.dtype)
    return Source(owner, lambda owner: host_arrays.lend(*read(owner)), array.shape, name, dims=dims,
                  is_host_array=True, is_masked=mask is not None)


def _literal_source(X, stream):
    """Lists, tuples and numbers as NumPy takes them; a list of torch tensors is stacked by torch."""
    stacked = torch_tensors.stack(X)
    if stacked is not None:
        return _torch_source(stacked, stream)
    try:
        return _host_source(host_arrays.from_literal(X))
    except (TypeError, ValueError) as error:
        kind = _device_kind_in(X)
        if kind is None:
            raise
        raise UnsupportedError(f"a {type(X).__name__} of {kind.__name__} objects in CUDA memory cannot be read: stack them into "
                               "one array first") from error


def _device_kind_in(X):
    """The type of the first object in CUDA memory that nested lists begin with, or None."""
    while isinstance(X, (list, tuple)) and X:
        X = X[0]
    is_there = dlpack.is_in_cuda_memory(X) if dlpack.has_dlpack(X) else cuda_arrays.has_interface(X)
    return type(X) if is_there else None


def _torch_source(X, stream):
    if not torch_tensors.is_tensor(X):
        return _protocol_source(X, stream)
    shape, name, dims, device = torch_tensors.describe(X)
    return Source(X, torch_tensors.lend, shape, name, dims=dims, device=device, stream=stream)


def _lent_source(X, lend, stream):
    """A source of what `lend(X, stream=stream)` borrows; it is borrowed once to see what it is."""
    with lend(X, stream=stream) as tensor:
        return Source(X, lend, tensor.shape, tensor.dtype, is_masked=tensor.is_masked, device=dlpack.place_of(tensor),
                      stream=stream)


def _tensorflow_source(X, stream):
    # A Variable is no tensor; its value is, and is asked for again at every use because assign() replaces it.
    if not hasattr(type(X), "read_value"):
        return _protocol_source(X, stream)
    return _lent_source(X, lambda X, stream=None: dlpack.lend(X.read_value(), stream=stream), stream)


def _cupy_source(X, stream):
    return _lent_source(X, _lend_cupy, stream) if dlpack.has_dlpack(X) else _protocol_source(X, stream)


def _lend_cupy(X, stream=None):
    """CuPy's DLPack counts strides in elements, rounded; its CUDA array interface in bytes."""
    is_rounded = any(stride % X.itemsize for stride in getattr(X, "strides", ()))
    return cuda_arrays.lend(X, stream) if is_rounded else _lend(X, stream)


def _lend(X, stream=None):
    """DLPack first, which alone knows bfloat16 and devices; the CUDA array interface where that is refused."""
    try:
        return dlpack.lend(X, stream=stream)
    except UnsupportedError:
        if not (cuda_arrays.is_alternative(X) and dlpack.may_be_cuda(X)):
            raise
    return cuda_arrays.lend(X, stream)


def _xarray_source(X, stream):
    data, dims = labelled.from_xarray(X)
    source = describe(data, stream)
    source.dims = dims
    return source


def _protocol_source(X, stream):
    """An object of a library that nobody told us about."""
    if dlpack.has_dlpack(X):
        try:
            return _lent_source(X, _lend, stream)
        except UnsupportedError:
            if not _is_host(X):
                raise
    elif cuda_arrays.has_interface(X):
        return _lent_source(X, cuda_arrays.lend, stream)
    if _is_host(X):
        return _host_source(X, host_arrays.from_protocol)
    return _host_source(host_arrays.from_object(X))


def _is_host(X):
    """Asked last: for its buffer TensorFlow copies a whole tensor to the host."""
    return host_arrays.has_buffer(X) or host_arrays.has_interface(X)


_READERS = {
    "torch": _torch_source,
    "pandas": lambda X, stream: _host_source(labelled.from_pandas(X)),
    "xarray": _xarray_source,
    "PIL": lambda X, stream: _host_source(host_arrays.from_image(X)),
    "tensorflow": _tensorflow_source,
    "cupy": _cupy_source,
}
