"""The CUDA array interface from the consumer's side: a pointer in a dict becomes memory that is borrowed after its writer."""

from __future__ import annotations

import math
import operator
import sys
from dataclasses import dataclass

import numpy as np

from .. import _native
from ..errors import DeviceError, UnsupportedError, reason_of
from . import cuda_devices, host_arrays, streams
from .host_arrays import ITEM_BYTES
from .optional_imports import module_roots

__all__ = ["has_interface", "is_alternative", "lend", "lend_shared"]

_NAME = "__cuda_array_interface__"

# Kind and bytes of a typestr -> our name.
_NAMES = {
    "b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32",
    "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
}
# What a mask may consist of: bytes that are zero or not.
_MASKS = ("|b1", "|u1", "|i1", "<b1", "<u1", "<i1")
# A mask of bits, the lowest first, as Arrow has and cuDF says.
_BITS = ("|t1", "<t1")
_HINTS = {"M": "dates have no picture: subtract one of them and divide by a unit",
          "m": "divide the durations by a unit first", "t": "unpack the bits first"}


def has_interface(X):
    """True where an object has the interface. It is not evaluated: that may fail (torch) or pin memory down (cuDF)."""
    if isinstance(X, type):
        return False  # the class of such objects
    return any(_NAME in vars(base) for base in type(X).__mro__) or _NAME in getattr(X, "__dict__", ())


def is_alternative(X):
    """True where an object that refused DLPack may be asked for this interface. Those of torch and JAX say less."""
    return has_interface(X) and not module_roots(X) & {"torch", "jax", "jaxlib"}


def lend(X, stream=None):
    """Borrows an object through its CUDA array interface as a native tensor.

    Parameters
    ----------
    X : object with ``__cuda_array_interface__``
        Of version 0 to 3.
    stream : int or object, optional
        A stream that is waited for beside the one that the interface names.

    Raises
    ------
    DeviceError
        No driver, a pointer that is not the device's, a graph that is being captured.
    UnsupportedError
        What the interface says describes no array that can be drawn.
    """
    cuda_devices.load(X)
    cuda_devices.refuse_capture(None)
    with cuda_devices.their_device(X):  # CuPy names the current stream of the current device
        said = _Interface.of(X)
    handle = streams.handle_of(stream)
    tensor = said.borrow(X)
    kind, ordinal = tensor.device
    if kind == 1:
        return tensor  # without elements: there is no memory and nothing to wait for
    try:
        cuda_devices.refuse_capture(ordinal, handle)
        said.order(X, ordinal)
        for mask in (said.mask, said.bits):
            if mask is not None:
                mask.order(said.mask_owner, ordinal)
        if handle is not None:
            _native.cuda_order_after(ordinal, handle)
        if said.bits is not None:
            return _masked_by_bits(X, tensor, said.bits, said.mask_owner)
    except BaseException:
        tensor.release()
        raise
    return tensor


def lend_shared(X, stream=None):
    """Borrows an ndarray over memory that the host shares with a device (Numba's managed and mapped arrays).

    A device may be writing there, and some machines must not read it from the host meanwhile: it is read by the device, after
    the array's stream. Results of arithmetic are of the same type and in ordinary memory, which is read as such.
    """
    array = np.asarray(X)
    if array.size == 0:
        return host_arrays.lend(array, None)
    cuda_devices.load(X)
    name, is_byteswapped = host_arrays.dtype_name(array.dtype), not array.dtype.isnative
    handle = streams.handle_of(stream)
    cuda_devices.refuse_capture(None)
    try:
        tensor = _native.Tensor.from_cuda(array.ctypes.data, array.shape, array.strides, name, byteswapped=is_byteswapped, owner=X)
    except DeviceError as error:
        if error.code is not None:
            raise
        return host_arrays.lend(array, None)
    try:
        _order_shared(X, tensor.device[1], handle)
    except BaseException:
        tensor.release()
        raise
    return tensor


def _order_shared(X, ordinal, handle):
    bound = getattr(X, "stream", 0)
    bound = streams.handle_of(bound) if bound else None
    for waited in (bound, handle):
        cuda_devices.refuse_capture(ordinal, waited)
        if waited is not None:
            _native.cuda_order_after(ordinal, waited)
    cuda_devices.order_after_all(X, ordinal, says_stream=bound is not None, version=3)


def _masked_by_bits(X, tensor, bits, owner):
    """A native tensor in host memory of a column and its bits: no kernel reads single bits, and columns have one axis."""
    if len(tensor.shape) != 1:
        raise UnsupportedError(f"the mask of the {type(X).__name__} is one of bits, which only columns have: fill missing elements first")
    (n,) = tensor.shape
    n_bytes = (n + 7) // 8
    if len(bits.shape) != 1 or bits.shape[0] < n_bytes:
        raise ValueError(f"the mask of the {type(X).__name__} has shape {bits.shape} and the column {n} elements: they do not fit")
    with _native.Tensor.from_cuda(bits.pointer, (n_bytes,), None, "uint8", owner=owner) as packed:
        stored = np.unpackbits(_on_host(packed, "uint8"), count=n, bitorder="little")
    with tensor:
        values = _on_host(tensor, tensor.dtype)
    return host_arrays.lend(values, stored == 0)


def _on_host(tensor, name):
    """The elements of a tensor in host memory, as they are stored."""
    out = np.empty(tensor.shape, name)
    _native.convert(tensor, out, name)
    return out


@dataclass(frozen=True)
class _Interface:
    """What one evaluation of the interface said, checked. `stream` is a handle, 0 where none is named."""

    pointer: int
    shape: tuple
    strides: tuple | None
    dtype: str
    is_byteswapped: bool
    stream: int
    says_stream: bool
    version: int
    mask: _Interface | None
    bits: _Interface | None
    mask_owner: object

    @classmethod
    def of(cls, X):
        said = _evaluate(X)
        try:
            shape = _integers("shape", said["shape"])
            pointer = _pointer(said["data"])
            strides = said.get("strides")
            strides = None if strides is None else _integers("strides", strides)
            stream = _unsigned("stream", said.get("stream") or 0)
            version = operator.index(said.get("version", 0))
            dtype, is_byteswapped = _dtype(X, said["typestr"])
        except (KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
            if isinstance(error, UnsupportedError):
                raise
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise UnsupportedError(f"the {_NAME} of the {type(X).__name__} is wrong: {reason}") from error
        owner = said.get("mask")
        mask, is_bits = (None, False) if owner is None else cls._of_mask(X, owner)
        return cls(pointer, shape, strides, dtype, is_byteswapped, stream, said.get("stream", 0) is None, version,
                   None if is_bits else mask, mask if is_bits else None, owner)

    @classmethod
    def _of_mask(cls, X, mask):
        """A mask of bytes or bits, which are not zero where elements are valid, and whether it is one of bits."""
        said = _evaluate(mask) if has_interface(mask) else {}
        is_bits = said.get("typestr") in _BITS
        if not (is_bits or said.get("typestr") in _MASKS) or said.get("mask") is not None:
            how = "X.fillna(float('nan'))" if "cudf" in module_roots(X) else "NaN"
            raise UnsupportedError(f"the mask of the {type(X).__name__} for missing elements is no array of bool and is not "
                                   f"read: fill them first, with {how}")
        said = cls.of(_Bytes(said)) if is_bits else cls.of(mask)
        if said.pointer == 0 and 0 not in said.shape:
            raise UnsupportedError(f"the mask of the {type(X).__name__} has elements but its data pointer is null: was it freed?")
        return said, is_bits

    def borrow(self, X):
        """The native tensor, not ordered after anything yet."""
        mask = {}
        if self.mask is not None:
            mask = {"mask_pointer": self.mask.pointer, "mask_strides": self.mask.strides_in(self.shape),
                    "mask_marks_valid": True}
        return _native.Tensor.from_cuda(self.pointer, self.shape, self.strides, self.dtype,
                                        byteswapped=self.is_byteswapped, owner=(X, self.mask_owner), **mask)

    def strides_in(self, shape):
        """Byte strides of this array of bytes broadcast to a shape."""
        strides = self.strides
        if strides is None:
            strides = tuple(math.prod(self.shape[i + 1:]) for i in range(len(self.shape)))
        elif len(strides) != len(self.shape):
            raise ValueError(f"the mask has {len(strides)} strides for {len(self.shape)} dimensions: its producer is wrong")
        n_before = len(shape) - len(self.shape)
        if n_before < 0 or any(n not in (1, whole) for n, whole in zip(self.shape, shape[n_before:], strict=True)):
            raise ValueError(f"the mask has shape {self.shape} and the array {shape}: they do not fit")
        return (0,) * n_before + tuple(0 if n == 1 else stride for n, stride in zip(self.shape, strides, strict=True))

    def order(self, X, ordinal):
        """Lets what is read wait for what X's library has queued."""
        if self.stream:
            _native.cuda_order_after(ordinal, self.stream)
        else:
            cuda_devices.order_after_all(X, ordinal, says_stream=self.says_stream, version=self.version)


class _Bytes:
    """What an interface of bits says, about bytes."""

    def __init__(self, said):
        self.__cuda_array_interface__ = said | {"typestr": "|u1", "strides": None}


def _evaluate(X):
    try:
        said = getattr(X, _NAME)
    except MemoryError:
        raise
    except Exception as error:
        raise UnsupportedError(f"{type(X).__name__} does not hand out its memory through {_NAME}: {reason_of(error)}") from error
    if not isinstance(said, dict):
        raise UnsupportedError(f"the {_NAME} of the {type(X).__name__} is no dict")
    return said


def _pointer(data):
    """The address in ``data``, a tuple (address, is read-only); arrays without elements have 0 or None."""
    pointer = data[0] if isinstance(data, tuple) else data
    return 0 if pointer is None else _unsigned("data pointer", pointer)


def _unsigned(name, number):
    """An address or a handle."""
    number = operator.index(number)
    if not 0 <= number < 2**64:
        raise OverflowError(f"its {name} is {number}: no number of 64 bits")
    return number


def _integers(name, numbers):
    """Sizes or strides, which the native layer checks further."""
    numbers = tuple(map(operator.index, numbers))
    if any(not -2**63 <= number < 2**63 for number in numbers):
        raise OverflowError(f"its {name} is {numbers}: no numbers of 64 bits")
    return numbers


def _dtype(X, typestr):
    """Our name of a typestr and whether its bytes are swapped. Types that NumPy lacks have typestrs that say little."""
    if not isinstance(typestr, str):
        raise TypeError(f"its typestr is no text but {type(typestr).__name__}")
    order, code = typestr[:1], typestr[1:]
    is_byteswapped = order in "<>" and (order == ">") == (sys.byteorder == "little") and code[1:] != "1"
    if code in _NAMES:
        return _NAMES[code], is_byteswapped
    dtype = getattr(X, "dtype", None)
    name = getattr(dtype, "name", None) or str(dtype).rpartition(".")[2]
    if name in ITEM_BYTES and name not in _NAMES.values() and code in (f"V{ITEM_BYTES[name]}", f"f{ITEM_BYTES[name]}"):
        return name, is_byteswapped
    hint = _HINTS.get(code[:1], "convert it first, for example to float32")
    raise UnsupportedError(f"elements of type {typestr[:40]!r} of the {type(X).__name__} cannot be read: {hint}")
