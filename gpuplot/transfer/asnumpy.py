"""`asnumpy`: the elements of any tensor as a NumPy array, without a copy where that is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
from numpy.lib.array_utils import byte_bounds

from .. import _native
from ..arrays import host_arrays
from ..arrays.chunked_source import ChunkedSource
from ..arrays.cuda_devices import address_on_device
from ..arrays.describe import describe
from ..arrays.dlpack import addresses_of, device_of
from ..arrays.dtypes import ITEM_BYTES, default_name
from ..arrays.host_memory import from_ndarray
from ..arrays.pil_images import samples_of
from ..choices import check_flag
from ..options import public
from .chunked import ChunkedWork
from .output import (
    ORDERS,
    Layout,
    check_complex,
    check_out,
    empty,
    masked_error,
    name_asked,
    numpy_dtype,
    overlaps_itself,
    shows_nan,
)
from .progress import TransferProgress, check_transfer_progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .. import typing as t
    from .handle import Transfer

    _Out = TypeVar("_Out", bound=np.ndarray[Any, Any])

# Libraries whose arrays must not be written to, though DLPack may not say so.
_IMMUTABLE = {"jax", "jaxlib", "tensorflow", "keras"}


@overload
def asnumpy(
        X: t.TensorLike, /, dtype: t.Dtype = None, *, order: t.Order = "C", out: None = None, copy: bool | None = None,
        blocking: Literal[True] = True, progress: t.Progress | None = None, stream: t.Stream | None = None) -> NDArray[Any]: ...
@overload
def asnumpy(
        X: t.TensorLike, /, dtype: t.Dtype = None, *, order: t.Order = "C", out: _Out, copy: bool | None = None,
        blocking: Literal[True] = True, progress: t.Progress | None = None, stream: t.Stream | None = None) -> _Out: ...
@overload
def asnumpy(
        X: t.TensorLike, /, dtype: t.Dtype = None, *, order: t.Order = "C", out: np.ndarray[Any, Any] | None = None,
        copy: bool | None = None, blocking: Literal[False], progress: t.Progress | None = None, stream: t.Stream | None = None,
) -> Transfer: ...
@public
def asnumpy(X, /, dtype=None, *, order="C", out=None, copy=None, blocking=True, progress=None, stream=None):
    """The elements of a tensor of any library, on any device, as a NumPy array.

    A tensor on a device is gathered and converted there, and copied in chunks: besides the result a transfer needs at most 16 MB on
    the device and 32 MB on the host, whatever the tensor's layout. Each element is rounded once. Integers wrap around; floats that
    become integers are truncated and saturate, and NaN becomes 0. Masked elements are NaN in float and complex results; other results
    are masked arrays.

    Parameters
    ----------
    X : array_like
        Anything `imshow` takes: arrays and tensors of any library in host or CUDA memory, with any layout, gradients,
        conjugated or byte-swapped; nested lists; objects with DLPack or an array interface. Arrays of dask, zarr and HDF5 are
        read some chunks at a time.
    dtype : dtype_like, optional
        Of the result: what `numpy.dtype` takes, a dtype of torch, TensorFlow or JAX, or a name such as ``"bfloat16"`` or
        ``"float8_e5m2"`` (with ml_dtypes installed). Default: that of `out`, else X's own; for bfloat16 and floats of
        up to 8 bits float32, for integers of up to 4 bits int8 or uint8, for complex32 complex64, which hold them exactly.
    order : {"C", "F", "A", "K"}, default: "C"
        Layout of the result, as in `numpy.array`. With A and K a host array keeps whatever layout it has where it need not
        be copied.
    out : ndarray, optional
        An array of X's shape to write to, whatever its strides: a `numpy.memmap` takes a tensor larger than memory. Its
        dtype is the result's. If the transfer ends early, `out` has been written in part.
    copy : bool, optional
        True always copies, False never does, None (default) only if it is necessary.
    blocking : bool, default: True
        With False a `Transfer` comes back at once, whose ``result()`` is the array. It waits for the work that was queued on
        X's stream before; X has to stay as it is until the transfer is done.
    progress : bool or callable, optional
        True shows a bar of tqdm, False none. Default: a bar if tqdm is installed, the call blocks and is expected to take
        longer than a second. A callable gets (bytes done, bytes in all) now and then and at the end; an exception that it
        raises ends the transfer.
    stream : int or object, optional
        The CUDA stream on which X is written, where X cannot say so itself: a handle, or a stream of a library.

    Returns
    -------
    ndarray, masked array or Transfer
        In native byte order. A host array that fits already is returned as it is; other host memory that fits is shared
        without a copy, stays alive with the array, and is read-only if its library says so. Results from devices are in
        pinned memory up to ``GPUPLOT_PINNED_MB`` (256) megabytes in all; forked processes must not use these.

    Raises
    ------
    TypeError
        X is not a tensor of numbers (`UnsupportedError`), `dtype` is not numeric, or complex elements would become real.
    ValueError
        A copy is necessary and `copy` is False; `out` has another shape or dtype or may not be written; unknown choices.
    MemoryError
        The result would not fit into the memory that is left: nothing was started.
    KeyboardInterrupt
        Ctrl-C stops a transfer between two chunks.
    DeviceError
        The tensor's device cannot be used: no driver, an error of the driver, memory that was freed.

    Examples
    --------
    >>> import gpuplot
    >>> gpuplot.asnumpy([[1, 2], [3, 4]], "float16")
    array([[1., 2.],
           [3., 4.]], dtype=float16)
    >>> import numpy as np
    >>> X = np.arange(6).reshape(2, 3)
    >>> gpuplot.asnumpy(X) is X, gpuplot.asnumpy(X.T).flags.c_contiguous
    (True, True)

    A tensor larger than memory, into a file:

    >>> shape, dtype = (2000, 3000), "float32"
    >>> file = np.lib.format.open_memmap("X.npy", "w+", dtype, shape)
    >>> _ = gpuplot.asnumpy(np.broadcast_to(1.5, shape), out=file)
    >>> np.load("X.npy")[-1, -1]
    np.float32(1.5)
    """
    name, order, copy = name_asked(dtype), _check_order(order), _check_copy(copy, out)
    check_transfer_progress(progress)
    check_flag("blocking", blocking)
    samples = samples_of(X)
    source = describe(samples, stream)
    source.is_fresh |= samples is not X
    name = (name or default_name(source.dtype)) if out is None else check_out(out, name, source.shape)
    check_complex(source.dtype, name)
    numpy_dtype(name)
    if source.device is not None:
        _check_copied(copy)
    work = _work_of_chunks(source, name, order, copy, out) or _array_or_work(source, name, order, copy, out)
    if isinstance(work, np.ndarray):
        return _done(work, blocking, progress)
    if blocking:
        with TransferProgress(progress, work.n_bytes) as followed:
            return work(followed)
    from .handle import Transfer

    return Transfer(work, work.n_bytes, progress or False).start()


def _check_order(order):
    if not isinstance(order, str) or order.upper() not in ORDERS:
        raise ValueError(f"order={order!r} is not one of {', '.join(ORDERS)}")
    return order.upper()


def _check_copy(copy, out):
    copy = check_flag("copy", copy, None)
    if out is not None and copy is not None and not copy:
        raise ValueError("copy=False, and out is an array to copy to: leave one of them out")
    return copy


def _done(array, blocking, progress):
    """The result of a call without anything to copy."""
    if not blocking:
        from .handle import Transfer

        return Transfer.of_array(array)
    if callable(progress):
        progress(array.nbytes, array.nbytes)
    return array


def _work_of_chunks(source, name, order, copy, out):
    """The `ChunkedWork` that copies an array in chunks; None for other sources."""
    if not isinstance(source, ChunkedSource) or not source.is_complete:
        return None
    if copy is False:
        raise ValueError("copy=False, and a copy is needed: the elements lie in chunks, which are read or computed")
    return ChunkedWork(source, name, order, out, asnumpy)


def _array_or_work(source, name, order, copy, out):
    """An array that already is the result, or the `_Work` that makes it. Memory is borrowed in this thread, after what its stream does."""
    view = mask = None
    if source.is_host_array:
        array = source.array
        view, mask = from_ndarray(array)
        source.check(view.shape, host_arrays.name_of(view))
        if out is None and _may_share(source, view, mask, name, order, copy):
            return view if mask is None or shows_nan(name) else array
    tensor = source.borrow()
    try:
        if device_of(tensor) is not None:
            _check_copied(copy)
        elif view is None:
            view = _view_of(source, tensor, name)
            if out is None and _may_share(source, view, None, name, order, copy):
                return view
        return _Work(source, tensor, view, name, order, out)
    except BaseException:
        tensor.release()
        raise


def _check_copied(copy):
    if copy is False:
        raise ValueError("copy=False, and a copy is needed: the elements are in CUDA memory")


# ---- without a copy ----------------------------------------------------------------------------------------------------


def _view_of(source, tensor, name):
    """Borrowed host memory as an ndarray that keeps it borrowed; of void items if the result has another dtype."""
    dtype = numpy_dtype(name) if name == source.dtype else np.dtype(f"V{ITEM_BYTES[source.dtype]}")
    libraries = source.libraries
    is_immutable = tensor.is_readonly or not _IMMUTABLE.isdisjoint(libraries)
    is_repeated = any(stride == 0 and n > 1 for stride, n in zip(tensor.strides, tensor.shape, strict=True))  # a broadcast
    is_of_torch = "torch" in libraries  # also a variable of Keras, whose backend is torch
    is_writeable = (is_of_torch or not is_immutable) and not is_repeated
    return _native.array_of(tensor, dtype, is_writeable)


def _may_share(source, view, mask, name, order, copy):
    """Whether a host array can be the result itself; ValueError if not and ``copy=False``."""
    why = _why_copied(source, view, mask, name, order)
    if copy is False and (why or source.is_fresh):
        raise ValueError(f"copy=False, and a copy is needed: {why or 'the elements have to be put into an array first'}")
    return why is None and (not copy or (source.is_fresh and view.flags.writeable))


def _why_copied(source, view, mask, name, order):
    """Why a host array cannot be the result itself, as text; None if it can."""
    if name != source.dtype:
        return f"{source.dtype} elements become {name}"
    if not view.dtype.isnative:
        return "the bytes of the elements are swapped"
    if not {"C": view.flags.c_contiguous, "F": view.flags.f_contiguous}.get(order, True):
        return f"the elements do not lie in order {order}; order='K' takes them as they lie"
    if mask is not None and shows_nan(name) and mask.any():
        return "masked elements become NaN"
    return "elements are masked" if mask is None and source.is_masked else None


# ---- with a copy -------------------------------------------------------------------------------------------------------


class _Work:
    """One conversion, ready to run in any thread: the borrowed tensor and the arrays for its elements and its mask."""

    def __init__(self, source, tensor, view, name, order, out):
        self.tensor, self.name, self.out = tensor, name, out
        device = device_of(tensor)
        ordinal = None if device is None else device[1]
        layout = Layout(source.shape, tensor.strides, ITEM_BYTES[source.dtype])
        self.is_masked = source.is_masked or tensor.is_masked  # the object may have got a mask since it was described
        self.mask = self._mask(layout, order)
        self.result = np.asarray(out) if out is not None else empty(layout, name, order, ordinal)
        # The native layer writes to `stage`: the result itself, or an array that is then copied to the result.
        self.stage, self.stage_name, self.stage_mask = self.result, name, self.mask
        if name == "longdouble" and ordinal is not None:
            self.stage_name = default_name(source.dtype)
            self.stage = empty(layout, self.stage_name, order)
            if self.is_masked and self.mask is None and not shows_nan(self.stage_name):
                self.stage_mask = empty(layout, "bool", order)
        elif out is not None and (overlaps_itself(self.result) or _overlap(tensor, view, self.result)):
            self.stage = empty(layout, name, "C", ordinal)
        self.n_bytes = self.result.nbytes

    def _mask(self, layout, order):
        """An array for the mask; None if the result has none."""
        has_mask = isinstance(self.out, np.ma.MaskedArray)
        if not self.is_masked or (shows_nan(self.name) and not has_mask):
            return None
        mask = empty(layout, "bool", order)
        if self.out is not None and not has_mask:
            self._bring_mask(mask)
            if mask.any():
                raise masked_error(self.name)
            return None
        return mask

    def _bring_mask(self, mask):
        mask_tensor = _native.mask_of(self.tensor)
        if mask_tensor is None:  # no elements, or the mask was removed
            mask[...] = False
            return
        tensor, marks_valid = mask_tensor
        with tensor:
            _native.convert(tensor, mask, "bool")
        if marks_valid:
            np.logical_not(mask, out=mask)

    def __call__(self, progress):
        with self.tensor:
            _native.convert(self.tensor, self.stage, self.stage_name, progress.note)
            if self.stage_mask is not None:
                self._bring_mask(self.stage_mask)
        if self.stage_name != self.name:
            with host_arrays.lend(self.stage, self.stage_mask) as tensor:
                _native.convert(tensor, self.result, self.name, progress.note)
        elif self.stage is not self.result:
            np.copyto(self.result, self.stage)
        return self._finished()

    def _finished(self):
        if isinstance(self.out, np.ma.MaskedArray):
            self.out.mask = np.ma.nomask if self.mask is None else self.mask
        if self.out is not None:
            return self.out
        return self.result if self.mask is None else np.ma.MaskedArray(self.result, self.mask)


def _overlap(tensor, view, target):
    """Whether the array that is written may share memory with the tensor, managed or pinned memory where that is on a device."""
    if view is not None:
        return np.may_share_memory(view, target, max_work=1000)
    if 0 in tensor.shape:
        return False
    first, stop = addresses_of(tensor)
    begin, end = byte_bounds(target)
    shifts = {0} | {there - here for here in (begin, end - 1) if (there := address_on_device(here)) is not None}
    return any(first < end + shift and begin + shift < stop for shift in shifts)
