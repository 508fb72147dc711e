"""An object with the CUDA array interface -> a native tensor, read after the work that writes it."""

from __future__ import annotations

import itertools
import math
import operator
import sys
from dataclasses import dataclass

import numpy as np

from .. import _native
from ..errors import COPY_HINT, DeviceError, UnsupportedError, reason_of
from . import cuda_devices, host_arrays, streams
from .dtypes import ITEM_BYTES, dtype_name
from .literals import MAX_AXES
from .optional_imports import attribute, module_roots

_NAME = "__cuda_array_interface__"

# Kind and bytes of a typestr -> our name.
_NAMES = {
    "b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32",
    "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
}
# Typestrs of byte masks: a byte is zero or not.
_MASKS = ("|b1", "|u1", "|i1", "<b1", "<u1", "<i1")
# Typestrs of bit masks, lowest bit first, as Arrow's and cuDF's.
_BITS = ("|t1", "<t1")
_HINTS = {"M": "dates cannot be drawn: subtract one of them and divide by a unit",
          "m": "divide the durations by a unit first", "t": "unpack the bits first"}


def has_interface(X):
    """True where an object has the interface. It is not evaluated: that may fail (torch) or pin memory (cuDF)."""
    if issubclass(type(X), type):
        return False  # the class of such objects
    return any(_NAME in vars(base) for base in type(X).__mro__) or _NAME in (attribute(X, "__dict__") or ())


def is_alternative(X):
    """True where the interface may be used after DLPack was refused: not for torch and JAX, whose DLPack export is more complete."""
    return has_interface(X) and not module_roots(X) & {"torch", "jax", "jaxlib"}


def is_swapped(X):
    """Whether the interface of an object says that the bytes of its elements are swapped."""
    fields = attribute(X, _NAME)
    typestr = fields.get("typestr") if isinstance(fields, dict) else None
    return isinstance(typestr, str) and typestr[:1] == (">" if sys.byteorder == "little" else "<") and typestr[2:] != "1"


def mask_of(X):
    """The object in the interface that says which elements are valid; None where there is none."""
    fields = attribute(X, _NAME)
    return fields.get("mask") if isinstance(fields, dict) else None


def lend(X, stream=None):
    """Borrows an object through version 0 to 3 of the interface as a native tensor.

    It waits for the stream that the interface names, and for `stream`. DeviceError without a driver, for pointers that are not
    the device's and while a graph is captured; UnsupportedError where the interface describes no array that can be drawn.
    """
    cuda_devices.load(X)
    cuda_devices.refuse_capture(None)
    with cuda_devices.their_device(X):  # CuPy names the current stream of the current device
        interface = _Interface.of(X)
    handle = streams.handle_of(stream)
    tensor = interface.borrow(X)
    kind, ordinal = tensor.device
    if kind == 1:
        return tensor  # without elements: there is no memory and nothing to wait for
    try:
        cuda_devices.refuse_capture(ordinal, handle)
        interface.order(X, ordinal)
        if interface.mask is not None:
            interface.mask.order(interface.mask_owner, ordinal)
        if handle is not None:
            _native.cuda_order_after(ordinal, handle)
        if interface.has_bit_mask:
            return _masked_by_bits(X, tensor, interface.mask, interface.mask_owner)
    except BaseException:
        tensor.release()
        raise
    return tensor


def lend_shared(X, stream=None):
    """Borrows an ndarray over memory that the host shares with a device (Numba's managed and mapped arrays).

    A device may be writing there, and some machines must not read it from the host meanwhile: the device reads it, after the
    array's stream. Results of arithmetic have the same type and ordinary memory, which is read as such.
    """
    array = np.asarray(X)
    if array.size == 0:
        return host_arrays.lend(array, None)
    cuda_devices.load(X)
    name, is_byteswapped = dtype_name(array.dtype), not array.dtype.isnative
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
    """Copies a column and its bit mask to host memory as a native tensor: no kernel reads single bits."""
    if len(tensor.shape) != 1:
        raise UnsupportedError(f"the {type(X).__name__} has a bit mask, which only 1-D columns can have: fill missing elements first")
    (n,) = tensor.shape
    n_bytes = (n + 7) // 8
    if len(bits.shape) != 1 or bits.shape[0] < n_bytes:
        raise ValueError(f"the mask of the {type(X).__name__} has shape {bits.shape} but the column {n} elements: make them equal")
    with _native.Tensor.from_cuda(bits.pointer, (n_bytes,), None, "uint8", owner=owner) as packed:
        stored = np.unpackbits(_on_host(packed, "uint8"), count=n, bitorder="little")
    with tensor:
        values = _on_host(tensor, tensor.dtype)
    return host_arrays.lend(values, stored == 0)


def _on_host(tensor, name):
    """The elements of a native tensor as an ndarray."""
    out = np.empty(tensor.shape, name)
    _native.convert(tensor, out, name)
    return out


@dataclass(frozen=True)
class _Interface:
    """The checked fields of the interface, read once. `stream` is a handle, 0 where none is named.

    `mask` is the interface of the mask, of bytes, or of bytes of bits if `has_bit_mask`; None where there is none.
    """

    pointer: int
    shape: tuple
    strides: tuple | None
    dtype: str
    is_byteswapped: bool
    stream: int
    says_stream: bool
    version: int
    mask: _Interface | None
    has_bit_mask: bool
    mask_owner: object

    @classmethod
    def of(cls, X):
        fields = _evaluate(X)
        try:
            shape = _integers("shape", fields["shape"])
            pointer = _pointer(fields["data"])
            strides = fields.get("strides")
            strides = None if strides is None else _integers("strides", strides)
            stream = _unsigned("stream", fields.get("stream") or 0)
            version = operator.index(fields.get("version", 0))
            dtype, is_byteswapped = _dtype(X, fields["typestr"])
        except (KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
            if isinstance(error, UnsupportedError):
                raise
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise UnsupportedError(f"the {_NAME} of the {type(X).__name__} is wrong: {reason}") from error
        mask, has_bit_mask, mask_owner = None, False, fields.get("mask")
        if mask_owner is not None:
            mask, has_bit_mask = cls._of_mask(X, mask_owner)
        return cls(pointer=pointer, shape=shape, strides=strides, dtype=dtype, is_byteswapped=is_byteswapped, stream=stream,
                   says_stream=fields.get("stream", 0) is None, version=version, mask=mask, has_bit_mask=has_bit_mask,
                   mask_owner=mask_owner)

    @classmethod
    def _of_mask(cls, X, mask):
        """(the interface of a mask, whether it is a bit mask). A nonzero byte or bit marks a valid element."""
        fields = _evaluate(mask) if has_interface(mask) else {}
        is_bits = fields.get("typestr") in _BITS
        if not (is_bits or fields.get("typestr") in _MASKS) or fields.get("mask") is not None:
            how = "X.fillna(float('nan'))" if "cudf" in module_roots(X) else "NaN"
            raise UnsupportedError(f"the mask of the {type(X).__name__} for missing elements is not an array of bool and cannot "
                                   f"be read: fill missing elements first, with {how}")
        interface = cls.of(_Bytes(fields)) if is_bits else cls.of(mask)
        if interface.pointer == 0 and 0 not in interface.shape:
            raise UnsupportedError(f"the mask of the {type(X).__name__} has elements but its data pointer is null: was it freed?")
        return interface, is_bits

    def borrow(self, X):
        """The native tensor, without waiting for anything."""
        mask = {}
        if self.mask is not None and not self.has_bit_mask:
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
            raise ValueError(f"the mask has {len(strides)} strides for {len(self.shape)} dimensions: this is a bug of the library "
                             "that made it; copy the array to the host first")
        n_before = len(shape) - len(self.shape)
        if n_before < 0 or any(n not in (1, whole) for n, whole in zip(self.shape, shape[n_before:], strict=True)):
            raise ValueError(f"the mask has shape {self.shape} and the array {shape}: give a mask that broadcasts to the array")
        return (0,) * n_before + tuple(0 if n == 1 else stride for n, stride in zip(self.shape, strides, strict=True))

    def order(self, X, ordinal):
        """Lets our stream wait for what X's library has queued."""
        if self.stream:
            _native.cuda_order_after(ordinal, self.stream)
        else:
            cuda_devices.order_after_all(X, ordinal, says_stream=self.says_stream, version=self.version)


class _Bytes:
    """A bit mask's interface as an interface of bytes."""

    def __init__(self, fields):
        self.__cuda_array_interface__ = fields | {"typestr": "|u1", "strides": None}


def _evaluate(X):
    try:
        fields = getattr(X, _NAME)
    except MemoryError:
        raise
    except Exception as error:
        reason = f"{reason_of(error)}; {COPY_HINT}"
        raise UnsupportedError(f"{type(X).__name__} does not hand out its memory through {_NAME}: {reason}") from error
    if not isinstance(fields, dict):
        raise UnsupportedError(f"the {_NAME} of the {type(X).__name__} is not a dict: {cuda_devices.copy_hint(X)}")
    return fields


def _pointer(data):
    """The address in ``data``, a tuple (address, is read-only); 0 or None for arrays without elements."""
    pointer = data[0] if isinstance(data, tuple) else data
    return 0 if pointer is None else _unsigned("data pointer", pointer)


def _unsigned(name, number):
    """An address or a handle as an int of 64 bits."""
    number = operator.index(number)
    if not 0 <= number < 2**64:
        raise OverflowError(f"its {name} is {number}, which does not fit into 64 bits")
    return number


def _integers(name, numbers):
    """Sizes or strides as ints of 64 bits; the native layer checks them further.

    What may never end is cut off: no more than one beyond what the native layer takes are read.
    """
    if not hasattr(type(numbers), "__len__"):
        numbers = itertools.islice(numbers, MAX_AXES + 1)
    numbers = tuple(map(operator.index, numbers))
    if any(not -2**63 <= number < 2**63 for number in numbers):
        raise OverflowError(f"its {name} is {numbers}, which does not fit into 64 bits")
    return numbers


def _dtype(X, typestr):
    """(our name, whether bytes are swapped) of a typestr; where that is ambiguous (types that NumPy lacks) X's dtype decides."""
    if not isinstance(typestr, str):
        raise TypeError(f"its typestr is not text but {type(typestr).__name__}")
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
