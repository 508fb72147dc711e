"""Source: an object that holds numbers, described once and borrowed for each use."""

from __future__ import annotations

import math

import numpy as np

from .host_arrays import ITEM_BYTES
from .optional_imports import module_roots
from .reading import read_once

__all__ = ["Source"]


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
    labels : Labels or None
        What the object says about its axes and values beside.
    is_host_array : bool
        True for what matplotlib itself would read as an array: NumPy, lists, PIL images, buffers, data frames.
    is_masked : bool
        True where a mask marks elements as missing.
    device : (int, int) or None
        DLPack's number of the kind of device and its ordinal, (2, 0) for the first CUDA device; None for host memory.
    is_fresh : bool
        True where the memory was made for this description alone: arrays of lists, conjugated views that are computed.
    """

    __slots__ = ("__weakref__", "_lend", "_owner", "_stream", "device", "dims", "dtype", "is_fresh", "is_host_array",
                 "is_masked", "labels", "shape")

    def __init__(self, owner, lend, shape, dtype, *, dims=None, is_host_array=False, is_masked=False, device=None,
                 stream=None, is_fresh=False):
        self._owner = owner
        self._stream = stream
        self.device = device
        self._lend = lend
        self.shape = tuple(shape)
        self.dtype = dtype
        self.dims = dims
        self.labels = None
        self.is_host_array = is_host_array
        self.is_masked = is_masked
        self.is_fresh = is_fresh

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
        return self.size * ITEM_BYTES[self.dtype]

    @property
    def libraries(self):
        """Names of the packages that the type of the object comes from."""
        return module_roots(self._owner)

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
        >>> from gpuplot.tensor import describe
        >>> with describe(np.eye(3)).borrow() as tensor:
        ...     tensor.shape, tensor.dtype
        ((3, 3), 'float64')
        """
        tensor = read_once(self._owner, self._lent)
        try:
            self.check(tensor.shape, tensor.dtype)
        except ValueError:
            tensor.release()
            raise
        return tensor

    def _lent(self):
        # Pinned host memory has a stream, too.
        return self._lend(self._owner) if self._stream is None else self._lend(self._owner, stream=self._stream)

    def check(self, shape, dtype):
        """Raises ValueError where the object now has another shape or dtype than when it was described."""
        if (tuple(shape), dtype) != (self.shape, self.dtype):
            raise ValueError(f"the tensor was {self.dtype} {self.shape} and is {dtype} {tuple(shape)} now: call update() with the new one")
