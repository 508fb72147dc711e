"""Any object that holds numbers -> a Source: what the native layer can borrow, for one use at a time."""

from __future__ import annotations

import math

import numpy as np

from . import dlpack, host_arrays, labelled, torch_tensors
from .errors import UnsupportedError

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
    """

    __slots__ = ("__weakref__", "_lend", "_owner", "dims", "dtype", "is_host_array", "is_masked", "shape")

    def __init__(self, owner, lend, shape, dtype, *, dims=None, is_host_array=False, is_masked=False):
        self._owner = owner
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
        """Borrows the memory as it is now.

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

        Examples
        --------
        >>> import numpy as np
        >>> with describe(np.eye(3)).borrow() as tensor:
        ...     tensor.shape, tensor.dtype
        ((3, 3), 'float64')
        """
        tensor = self._lend(self._owner)
        if (tensor.shape, tensor.dtype) != (self.shape, self.dtype):
            now = f"{tensor.dtype} {tensor.shape}"
            tensor.release()
            raise ValueError(f"the tensor was {self.dtype} {self.shape} and is {now} now: call update() with the new one")
        return tensor


def describe(X, /):
    """What an object holds, without reading an element of it where its library allows that.

    Parameters
    ----------
    X : array_like
        A NumPy array of any layout, masked or not; nested lists and numbers; a PIL image; a pandas or xarray object;
        a torch tensor in host memory; anything else that speaks DLPack, the buffer protocol or the array interface.
        Lists, images and data frames are turned into an array once, everything else is borrowed.

    Returns
    -------
    Source

    Raises
    ------
    UnsupportedError
        A TypeError: not numbers, or a kind of tensor (sparse, quantized, ...) that has to be converted first.
    DeviceError
        The tensor is in the memory of a device.

    Examples
    --------
    >>> import numpy as np
    >>> source = describe(np.zeros((2, 3), "float16"))
    >>> source.shape, source.dtype, source.nbytes
    ((2, 3), 'float16', 12)
    """
    if isinstance(X, Source):
        return X
    if isinstance(X, np.ndarray):
        return _host_source(X)
    roots = dlpack.module_roots(X)
    for root, read in _READERS.items():
        if root in roots:
            return read(X)
    if host_arrays.is_literal(X):
        return _literal_source(X)
    return _protocol_source(X)


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


def _literal_source(X):
    """Lists, tuples and numbers as NumPy takes them; a list of torch tensors is stacked by torch."""
    stacked = torch_tensors.stack(X)
    return _torch_source(stacked) if stacked is not None else _host_source(host_arrays.from_literal(X))


def _torch_source(X):
    shape, name, dims = torch_tensors.describe(X)
    return Source(X, torch_tensors.lend, shape, name, dims=dims)


def _dlpack_source(X):
    with dlpack.lend(X) as tensor:
        return Source(X, dlpack.lend, tensor.shape, tensor.dtype)


def _tensorflow_source(X):
    # A Variable is no tensor; its value is, and is asked for again at every use because assign() replaces it.
    if not hasattr(type(X), "read_value"):
        return _protocol_source(X)
    with dlpack.lend(X.read_value()) as tensor:
        return Source(X, lambda X: dlpack.lend(X.read_value()), tensor.shape, tensor.dtype)


def _xarray_source(X):
    data, dims = labelled.from_xarray(X)
    source = describe(data)
    source.dims = dims
    return source


def _protocol_source(X):
    """An object of a library that nobody told us about: DLPack first, which alone knows bfloat16 and devices."""
    is_buffer = host_arrays.has_buffer(X)
    if dlpack.has_dlpack(X):
        try:
            return _dlpack_source(X)
        except UnsupportedError:
            if not (is_buffer or host_arrays.has_interface(X)):
                raise
    elif dlpack.is_cuda_only(X):
        dlpack.refuse_device(dlpack.CUDA, X)
    if is_buffer or host_arrays.has_interface(X):
        return _host_source(X, host_arrays.from_protocol)
    return _host_source(host_arrays.from_object(X))


_READERS = {
    "torch": lambda X: _torch_source(X) if torch_tensors.is_tensor(X) else _protocol_source(X),
    "pandas": lambda X: _host_source(labelled.from_pandas(X)),
    "xarray": _xarray_source,
    "PIL": lambda X: _host_source(host_arrays.from_image(X)),
    "tensorflow": _tensorflow_source,
}
