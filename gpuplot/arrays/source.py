"""Source: an object that holds numbers, described once and borrowed for each use."""

import math

import numpy as np

from .dask_cluster import check_client
from .dtypes import ITEM_BYTES, dtype_name
from .host_memory import from_protocol, plain
from .optional_imports import module_roots
from .reading import read_once
from .run_progress import check_run_progress


class Source:
    """The shape and dtype of an object, and the way to borrow its memory, to which no pointer is kept between uses.

    Memory that its owner frees, moves or writes to is thus never read through an old pointer. The object itself is kept alive.

    Attributes
    ----------
    owner : object
        The object itself.
    shape : tuple of int
    dtype : str
        ``"float32"``, ``"bfloat16"``, ``"float8_e5m2"``, ...
    dims : tuple of str or None
        Names that the object gives its axes.
    labels : Labels or None
        Names, coordinates and units of axes and values.
    is_host_array : bool
        Whether matplotlib would read it as an array itself: NumPy, lists, PIL images, buffers, data frames.
    is_masked : bool
        Whether a mask marks elements as missing.
    level : Level or None
        Of a pyramid, where this is another one than level 0.
    pyramid : Pyramid or None
        Whose level 0 this is.
    device : (int, int) or None
        DLPack's kind of device and the ordinal, (2, 0) for the first CUDA device; None for host memory.
    is_fresh : bool
        Whether the memory was made for this description alone: arrays of lists, conjugated views that are computed.
    """

    __slots__ = ("__weakref__", "_lend", "_stream", "device", "dims", "dtype", "is_fresh", "is_host_array",
                 "is_masked", "labels", "level", "owner", "pyramid", "shape")

    def __init__(self, owner, lend, shape, dtype, *, dims=None, is_host_array=False, is_masked=False, device=None,
                 stream=None, is_fresh=False):
        self.owner = owner
        self._stream = stream
        self.device = device
        self._lend = lend
        self.shape = tuple(shape)
        self.dtype = dtype
        self.dims = dims
        self.labels = self.level = self.pyramid = None
        self.is_host_array = is_host_array
        self.is_masked = is_masked
        self.is_fresh = is_fresh

    def __repr__(self):
        return f"<Source {self.dtype} {self.shape} of {type(self.owner).__name__}>"

    # Defaults for arrays in one piece; see `ShardedSource`.
    is_complete, device_text, is_first_process = True, "", True

    @property
    def part_text(self):
        """Text for what this is of a whole: a level of a pyramid, "" for a whole array."""
        return "" if self.level is None else self.level.text

    def collectively(self):
        """The array for calls that all processes make together: itself, where it is in one piece."""
        return self

    def of_first_process(self, value):
        """The `value` of the first of the processes that call this together, in all of them; it can be pickled."""
        return value

    def check_complete(self):
        """Raises UnsupportedError where other processes hold parts of it and the call is not collective."""

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
        """Names of the packages that the object's type comes from."""
        return module_roots(self.owner)

    @property
    def array(self):
        """The elements as a plain ndarray or masked array without a copy, or None where the object is not a host array.

        Raises as `borrow` does.
        """
        if not self.is_host_array:
            return None
        if isinstance(self.owner, np.ndarray):
            return plain(self.owner)
        array, mask = read_once(self.owner, from_protocol, self.owner)
        self.check(array.shape, dtype_name(array.dtype))
        return array if mask is None else np.ma.array(array, mask=mask, copy=False)

    def run_by(self, client=None, progress=None):
        """The same array; an array in chunks is then read by a `client`'s workers or dask's current scheduler, with a `RunProgress`.

        TypeError for a `client` that is not a distributed.Client, or an invalid `progress`.
        """
        check_client(client)
        check_run_progress(progress)
        return self

    def borrow(self):
        """The memory as a `_native.Tensor`, a context manager that releases it; on a device ordered after the work queued so far.

        Raises ValueError where the object has another shape or dtype than when it was described, UnsupportedError where its
        library does not hand the memory out, DeviceError where the device cannot be used or a graph is being captured on it.
        """
        tensor = read_once(self.owner, self._lend_now)
        try:
            self.check(tensor.shape, tensor.dtype)
        except ValueError:
            tensor.release()
            raise
        return tensor

    def _lend_now(self):
        # Pinned host memory has a stream, too.
        return self._lend(self.owner) if self._stream is None else self._lend(self.owner, stream=self._stream)

    def check(self, shape, dtype):
        """Raises ValueError where the object now has another shape or dtype than when it was described."""
        if (tuple(shape), dtype) != (self.shape, self.dtype):
            raise ValueError(f"the tensor was {self.dtype} {self.shape} and is {dtype} {tuple(shape)} now: call the function again, or "
                             "update() of the picture that shows it")
