"""Objects that export host memory, by the buffer protocol or the array interface -> an ndarray over it, and its mask."""

import ctypes
import math
import mmap

import numpy as np
from numpy.lib.array_utils import byte_bounds

from .. import _native
from ..errors import COPY_HINT, UnsupportedError, no_numbers, reason_of, type_text
from .dtypes import dtype_name
from .object_hints import dtype_hint
from .optional_imports import attribute

# A dtype of each size of elements, as which their addresses are checked.
_OF_ITEM_BYTES = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "complex128"}

# Types that are not mocks.
PLAIN = (bool, int, float, complex, np.generic, np.ndarray)


def has_buffer(X):
    """True where an object exports its memory by the buffer protocol; text does not count."""
    if issubclass(type(X), (str, bytes)):
        return False
    try:
        memoryview(X).release()
    except (TypeError, BufferError, ValueError):
        return False
    return True


def has_interface(X):
    """True where an object has ``__array_interface__``, valid or not."""
    try:
        X.__array_interface__  # noqa: B018
    except AttributeError:
        return False
    except MemoryError:
        raise
    except Exception as error:
        raise UnsupportedError(f"{type(X).__name__} fails at its __array_interface__: {reason_of(error)}; {COPY_HINT}") from error
    return True


def from_ndarray(array):
    """The elements and the mask (or None) of an ndarray, a subclass or a masked array; ValueError for a map of a file that was cut off."""
    is_masked = isinstance(array, np.ma.MaskedArray)
    elements = array.data if is_masked else array
    check_file(elements)
    mask = np.ma.getmask(array) if is_masked else np.ma.nomask
    check_file(mask)
    return np.asarray(elements), None if mask is np.ma.nomask else mask


def plain(array):
    """An array of a subclass as one of NumPy itself, masked as it is; other subclasses may refuse what NumPy and matplotlib do."""
    elements, mask = from_ndarray(array)
    if not isinstance(array, np.ma.MaskedArray):
        return elements
    is_plain = type(array) is np.ma.MaskedArray and np.ma.getmask(array) is not None
    return array if is_plain else np.ma.array(elements, mask=np.ma.nomask if mask is None else mask, copy=False)


def from_protocol(X):
    """(array, its mask or None) over an object's own memory, by the buffer protocol or the array interface, which may name a mask."""
    array = lent(X)
    dtype_name(array.dtype)
    return array, mask_in(X, array.shape)


def is_lender(X):
    """Whether NumPy would read an object's memory by ``__array_interface__`` or ``__array_struct__``, whose sizes it does not check."""
    if issubclass(type(X), PLAIN):
        return False
    return isinstance(attribute(X, "__array_interface__"), dict) or type(attribute(X, "__array_struct__")).__name__ == "PyCapsule"


def lent(X):
    """An array over an object's own memory, after a check that all elements lie there; they may be text or dates."""
    if _names_no_memory(X):  # for which NumPy makes an array of whatever lies in new memory
        raise _unreadable(X, "its __array_interface__ has no data, and it is no buffer")
    if _is_null(X):
        raise _unreadable(X, "the data pointer in its __array_interface__ is null, was it freed?")
    if (missing := _missing_in_struct(X)) is not None:
        raise _unreadable(X, f"the {missing} in its __array_struct__ is null")
    try:
        array = np.asarray(X)
    except MemoryError:
        raise
    except Exception as error:
        is_pointer = hasattr(type(X), "contents")
        raise _unreadable(X, reason_of(error), "give its size, with numpy.ctypeslib.as_array(X, shape)" if is_pointer else None) from error
    if array.dtype == object and array.ndim == 0 and not is_lender(X) and not has_buffer(X):
        raise _unreadable(X, "its __array_interface__ is not the dict that the protocol requires")
    if array.flags.owndata and array.base is not None and array.size:  # new memory, as NumPy makes where there is no pointer
        raise _unreadable(X, "the data pointer in its __array_struct__ is null, was it freed?")
    if array.dtype.hasobject and not has_buffer(X):  # the pointer of an "object" may be any address
        raise no_numbers(array.dtype, dtype_hint(array.dtype))
    if array.base is not X and array.size and not has_buffer(X) and not _is_inside(array, array.base):
        raise _unreadable(X, f"the buffer in its __array_interface__ is smaller than shape {array.shape} and strides {array.strides} say")
    _check_addresses(array)
    check_file(array)
    return array


def _check_addresses(array):
    """ValueError where elements lie outside of the address space, before NumPy reads one: for a list, for a mask or for a date."""
    if array.dtype.itemsize in _OF_ITEM_BYTES and not array.dtype.hasobject:
        _native.Tensor.from_array(array, _OF_ITEM_BYTES[array.dtype.itemsize]).release()


def valid_in(X):
    """What an array interface names as the mask, nonzero where an element is valid; None without."""
    interface = None if isinstance(X, np.ndarray) else attribute(X, "__array_interface__")
    return interface.get("mask") if isinstance(interface, dict) else None


def mask_in(X, shape):
    """The mask that an array interface names, True where an element is missing, which NumPy does not read; None without."""
    valid = valid_in(X)
    if valid is None:
        return None
    if not isinstance(valid, np.ndarray) and not is_lender(valid):
        raise _unreadable(X, f"its mask is no array but {type_text(type(valid))}", "fill missing elements first, with NaN")
    valid = np.asarray(valid) if isinstance(valid, np.ndarray) else lent(valid)
    if valid.dtype.kind not in "biu":
        raise _unreadable(X, f"its mask is of {valid.dtype} and not of bool", "fill missing elements first, with NaN")
    try:
        return np.array(np.broadcast_to(valid == 0, shape))  # a nonzero element marks a valid one
    except ValueError:
        raise ValueError(f"the mask of the {type(X).__name__} has shape {valid.shape} and the array {shape}: give a mask that broadcasts "
                         "to the array") from None


def _names_no_memory(X):
    """True where an array interface leaves out the pointer, so that the object's buffer is meant, and there is none."""
    try:
        interface = X.__array_interface__
        return isinstance(interface, dict) and interface.get("data") is None and not has_buffer(X)
    except MemoryError:
        raise
    except Exception:
        return False


def _is_null(X):
    """True where an array interface has elements at address 0, for which NumPy allocates memory before it refuses them."""
    try:
        interface = X.__array_interface__
        return isinstance(interface["data"], tuple) and interface["data"][0] == 0 and math.prod(interface["shape"]) > 0
    except MemoryError:
        raise
    except Exception:
        return False


class _ArrayStruct(ctypes.Structure):
    """`PyArrayInterface`, the array interface of C: https://numpy.org/doc/stable/reference/arrays.interface.html."""

    _fields_ = [("two", ctypes.c_int), ("nd", ctypes.c_int), ("typekind", ctypes.c_char), ("itemsize", ctypes.c_int),
                ("flags", ctypes.c_int), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("data", ctypes.c_void_p),
                ("descr", ctypes.c_void_p)]


_HAS_DESCR = 0x800


def _missing_in_struct(X):
    """Which pointer of an object's ``__array_struct__`` is null that NumPy follows unchecked; None if there is no such."""
    capsule = attribute(X, "__array_struct__")
    if type(capsule).__name__ != "PyCapsule":
        return None
    pointer_in = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
    try:
        said = _ArrayStruct.from_address(pointer_in(capsule, None))
    except ValueError:  # a capsule with a name, which NumPy refuses
        return None
    if said.two != 2:  # which NumPy refuses as well
        return None
    if said.nd > 0 and not said.shape:
        return "shape"
    return "descr" if said.flags & _HAS_DESCR and not said.descr else None


def _unreadable(X, reason, hint=None):
    return UnsupportedError(f"{type(X).__name__} exports its memory in a way that cannot be read: {reason}; "
                            + (hint or COPY_HINT))


def _is_inside(array, buffer):
    """Whether all elements of an array lie in the buffer that it was made from, which NumPy does not check for an array interface."""
    try:
        memory = np.frombuffer(buffer, np.uint8)
    except (TypeError, ValueError):  # no buffer, or an empty one
        return not has_buffer(buffer)
    first, end = byte_bounds(array)
    return _address(memory) <= first and end <= _address(memory) + memory.size


def check_file(array):
    """ValueError where the file that an ndarray maps was cut off since: to read beyond its end ends the program.

    The array may be a part of the map, of any type.
    """
    memmap, mapped = _map_of(array)
    n_bytes = None if mapped is None else _file_bytes(mapped)
    if n_bytes is None or not np.asarray(array).size:
        return
    array = np.asarray(array)  # subclasses may falsify their attributes
    offset = 0 if memmap is None else memmap.offset  # other maps do not say where in their file they begin
    first_byte = offset - offset % mmap.ALLOCATIONGRANULARITY  # of the file, where the map begins
    n_needed = first_byte + byte_bounds(array)[1] - _address(np.frombuffer(mapped, np.uint8))
    if n_needed > n_bytes:
        kind, name = type(mapped if memmap is None else memmap).__name__, getattr(memmap, "filename", None)
        raise ValueError(f"the file of the {kind}{'' if name is None else f', {name},'} has {n_bytes} bytes now, and shape {array.shape} "
                         f"of {array.dtype} needs {n_needed}: it was cut off or is being written; open it again")


def _file_bytes(mapped):
    """The size of the file that a map shows; None for memory without a file."""
    try:
        return mapped.size()
    except OSError:
        return None


def _map_of(array):
    """The np.memmap and the mmap in which an ndarray lies, each None where there is none."""
    owner, memmap = array, None
    while isinstance(owner, (np.ndarray, memoryview)):
        if isinstance(owner, np.memmap):
            memmap = owner
        owner = owner.obj if isinstance(owner, memoryview) else np.ndarray.base.__get__(owner)
    return (memmap, owner) if isinstance(owner, mmap.mmap) else (None, None)


def _address(array):
    return array.__array_interface__["data"][0]
