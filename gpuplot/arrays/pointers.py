"""`from_pointer`: a device address with a shape and a dtype as an array for all functions that take a tensor."""

from __future__ import annotations

import math
import numbers
import operator
import sys
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, SupportsInt, final

import numpy as np

from .. import _native
from ..errors import DeviceError, UnsupportedError, type_text
from ..options import bare
from . import cuda_devices
from .dtypes import ITEM_BYTES, dtype_name, foreign_name
from .literals import MAX_AXES
from .streams import check_stream, handle_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from .. import typing as t

_ON_THE_HOST = "Memory of the host is read with numpy.ctypeslib.as_array(pointer, shape) or numpy.frombuffer(buffer, dtype)"


@bare
def from_pointer(
        ptr: SupportsInt | Any, shape: SupportsIndex | Sequence[SupportsIndex], dtype: DTypeLike | str,
        strides: Sequence[SupportsIndex] | None = None, device: int = 0, stream: t.Stream | None = None, owner: object = None,
) -> PointerArray:
    """Device memory that a program allocated itself, as an array for every function of gpuplot.

    Nothing is read or copied here. Every use asks the driver anew whether the memory is there, as large as the shape and
    strides say, and on the device; then it waits for `stream`.

    Parameters
    ----------
    ptr : int or object
        The address of element [0, ..., 0] on the device: an int, a ctypes pointer, or what a CUDA binding calls a pointer (it
        has ``__int__`` or ``value``). Managed memory and pinned host memory that devices can reach have such addresses, too.
    shape : int or tuple of int
        Sizes in elements.
    dtype : dtype_like or str
        Whatever NumPy takes, byte-swapped dtypes as well; a dtype of torch or ml_dtypes; or a name where NumPy has no dtype:
        ``"bfloat16"``, ``"complex32"``, ``"float8_e4m3fn"``, ``"float8_e5m2"``, ...
    strides : tuple of int, optional
        Steps in **bytes**, as NumPy's, also zero and negative ones. Default: C order without gaps.
    device : int, default: 0
        The number of the CUDA device that the memory is on, as this process counts them.
    stream : int or object, optional
        The stream on which the memory is written, waited for at every use: a handle (1 is the legacy default stream) or
        a stream of torch, CuPy, Numba, ... By default everything that was queued on the device is waited for, which is
        safe and slower.
    owner : object, optional
        Kept alive as long as the array: whatever frees the memory when it dies.

    Returns
    -------
    PointerArray
        With attributes ``ptr``, ``shape``, ``dtype``, ``strides``, ``device``, ``stream`` and ``owner``. It has the CUDA array
        interface (version 3) where NumPy has the dtype, so that CuPy, Numba and torch take it as well.

    Raises
    ------
    TypeError
        `ptr`, `dtype` or `stream` is not a pointer, dtype or stream.
    ValueError
        Negative sizes, strides that do not fit the shape, a null pointer to elements.
    DeviceError
        At use: an address of the host or of freed memory, a device that is not there.

    Examples
    --------
    Five lines from memory of the CUDA runtime to a picture and to NumPy:

    >>> import gpuplot
    >>> pointer = 0x7f0000000000                        # of cudaMalloc(&pointer, 480 * 640 * 4)
    >>> X = gpuplot.from_pointer(pointer, (480, 640), "float32", stream=1)
    >>> X
    <PointerArray float32 (480, 640) at 0x7f0000000000 on CUDA device 0>
    >>> image = gpuplot.imshow(X)                       # doctest: +SKIP
    >>> numbers = gpuplot.asnumpy(X)                    # doctest: +SKIP
    """
    return PointerArray(ptr, shape, dtype, strides, device, stream, owner)


@final
@bare
class PointerArray:
    """The array that `from_pointer` returns; see there.

    Attributes
    ----------
    ptr : int
    shape : tuple of int
    dtype : numpy.dtype or str
        The name alone where NumPy has no such dtype.
    strides : tuple of int
        In bytes.
    device : int
    stream : int, object or None
    owner : object or None
    """

    ptr: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any] | str
    strides: tuple[int, ...]
    device: int
    stream: t.Stream | None
    owner: object

    __slots__ = ("__weakref__", "_is_byteswapped", "_name", "device", "dtype", "owner", "ptr", "shape", "stream", "strides")

    def __init__(self, ptr, shape, dtype, strides, device, stream, owner):
        self.dtype, self._name, self._is_byteswapped = _read_dtype(dtype)
        self.ptr = _address(ptr)
        self.shape = _read_shape(shape)
        self.strides = _read_strides(strides, self.shape, ITEM_BYTES[self._name])
        self.device = _read_device(device)
        self.stream, self.owner = check_stream(stream), owner
        if self.ptr == 0 and 0 not in self.shape:
            raise ValueError(f"the pointer is null and shape {self.shape} has elements: did the allocation fail?")

    def __repr__(self):
        return f"<PointerArray {self._name} {self.shape} at {self.ptr:#x} on CUDA device {self.device}>"

    # It describes memory and never changes; a copy would not copy the memory, and in another process the address is not valid.
    def __copy__(self) -> PointerArray:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> PointerArray:
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError("an address is not valid in another process: pickle a copy, gpuplot.asnumpy(X)")

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if not isinstance(self.dtype, np.dtype) or self.dtype.type.__module__ != "numpy":
            raise AttributeError(f"the CUDA array interface has no name for {self._name}: copy it with gpuplot.asnumpy(X)")
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.ptr, False), "strides": self.strides,
                "stream": handle_of(self.stream), "version": 3}

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NoReturn:
        raise TypeError("the memory is on a CUDA device: copy it to the host with gpuplot.asnumpy(X)")


def lend(X: PointerArray, stream: t.Stream | None = None) -> Any:
    """Borrows the memory of a `PointerArray` as a native tensor, ordered after its stream and `stream`.

    DeviceError, UnsupportedError or ValueError without a driver, for an address that CUDA does not know, for memory of another
    device or context, and while a graph is captured.
    """
    handles = [handle for handle in (handle_of(X.stream), handle_of(stream)) if handle is not None]
    cuda_devices.own_stream(X.device, X)  # raises for a device that does not exist
    for handle in handles or [None]:
        cuda_devices.refuse_capture(X.device, handle)
    tensor = _native_tensor(X)
    try:
        if tensor.device[0] != 1:  # without elements there is no memory and nothing to wait for
            _order(X, handles)
    except BaseException:
        tensor.release()
        raise
    return tensor


def _native_tensor(X):
    """The native tensor over the memory, once the driver has confirmed it."""
    try:
        tensor = _native.Tensor.from_cuda(X.ptr, X.shape, X.strides, X._name, byteswapped=X._is_byteswapped, owner=X)
    except DeviceError as error:
        if error.code is not None or "no memory that CUDA knows" not in str(error):
            raise
        raise DeviceError(f"{error} {_ON_THE_HOST}") from None
    kind, ordinal = tensor.device
    if kind != 1 and ordinal != X.device:
        tensor.release()
        raise ValueError(f"the memory at {X.ptr:#x} is on CUDA device {ordinal}: give device={ordinal} instead of {X.device}")
    return tensor


def _order(X, handles):
    for handle in handles:
        _native.cuda_order_after(X.device, handle)
    if not handles:
        _native.cuda_synchronize(X.device)


# ---- parameters --------------------------------------------------------------------------------------------------------


def _address(ptr):
    """The address in an int, a pointer of ctypes or an object of a CUDA binding."""
    if not isinstance(ptr, numbers.Integral):
        ptr = _unwrapped(ptr)
    if isinstance(ptr, bool):
        raise TypeError("ptr is the address of device memory, an int; got a bool")
    ptr = int(ptr)
    if not 0 <= ptr < 2**64:
        raise ValueError(f"ptr={ptr} is not a 64-bit address: give the address of device memory")
    return ptr


def _unwrapped(ptr):
    """The address in a pointer object. Arrays are refused: they have ``__int__``, too, which gives an element."""
    kind = type(ptr)
    if any(hasattr(kind, name) for name in ("__dlpack__", "__array_interface__", "__cuda_array_interface__", "__array__")):
        raise TypeError(f"ptr must be an address, not {type_text(kind)}: pass the {kind.__name__} itself to the functions of gpuplot, "
                        "or give its address, such as X.data_ptr() or X.data.ptr")
    ctypes = sys.modules.get("ctypes")
    if ctypes is not None and isinstance(ptr, ctypes._Pointer):
        ptr = ctypes.cast(ptr, ctypes.c_void_p)
    try:
        if hasattr(ptr, "value"):
            return 0 if ptr.value is None else operator.index(ptr.value)  # None is the null pointer of ctypes
        if not isinstance(ptr, (numbers.Number, str, bytes)):
            return int(ptr)
    except Exception:  # whatever an object raises
        pass
    raise TypeError(f"ptr must be the address of device memory, an int, not {type_text(kind)}: with ctypes, "
                    "ctypes.cast(pointer, ctypes.c_void_p).value")


def _read_shape(shape):
    try:
        shape = (operator.index(shape),)
    except TypeError:
        pass
    shape = _indices("shape", shape)
    if len(shape) > MAX_AXES:
        raise ValueError(f"shape has {len(shape)} axes; at most {MAX_AXES} are supported: join some")
    if any(size < 0 for size in shape):
        raise ValueError(f"shape {shape} has a negative size: give sizes of 0 or more")
    return shape


def _read_strides(strides, shape, item_bytes):
    if strides is None:
        if item_bytes * math.prod(max(1, size) for size in shape) >= 2**63:
            raise ValueError(f"shape {shape} has more than 2^63 bytes, more than any memory: give sizes in elements, not bytes")
        return tuple(item_bytes * math.prod(max(1, size) for size in shape[axis + 1:]) for axis in range(len(shape)))
    strides = _indices("strides", strides)
    if len(strides) != len(shape):
        raise ValueError(f"{len(strides)} strides for {len(shape)} dimensions: give one for each axis, in bytes")
    return strides


def _indices(name, numbers):
    try:
        numbers = tuple(map(operator.index, numbers))
    except TypeError:
        raise TypeError(f"{name} must be a tuple of int, not {numbers!r}") from None
    if any(not -2**63 <= number < 2**63 for number in numbers):
        raise ValueError(f"{name} {numbers} does not fit into 64 bits: give smaller numbers")
    return numbers


def _read_device(device):
    try:
        device = operator.index(device)
    except TypeError:
        raise TypeError(f"device must be the number of a CUDA device, not {device!r}") from None
    if not 0 <= device < 2**31:
        raise ValueError(f"device={device}: CUDA devices are numbered from 0")
    return device


def _read_dtype(dtype):
    """(the `dtype` attribute, our name of it, whether its bytes are swapped) of the `dtype` parameter."""
    if dtype is None:
        raise TypeError("dtype=None: give the dtype of the memory, for example dtype='float32'")
    known, name = _lookup_dtype(dtype)
    if known is None:
        raise UnsupportedError(f"dtype={dtype!r} is not known: give a dtype of NumPy or one of {', '.join(ITEM_BYTES)}")
    if isinstance(known, str):
        return known, name, False
    name = dtype_name(known)
    if name == "longdouble":
        raise UnsupportedError("CUDA devices have no long double: give the dtype that the memory really has, such as 'float64'")
    return known, name, known.itemsize > 1 and not known.isnative


def _lookup_dtype(dtype):
    """(a NumPy dtype, or its name where NumPy has none, or None; the name) of a dtype of any library."""
    name = foreign_name(dtype)
    for given in (dtype, name):
        try:
            return np.dtype(given), name
        except Exception:  # NumPy may fail in any way on objects of other libraries
            continue
    return (name if name in ITEM_BYTES else None), name
