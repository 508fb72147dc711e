"""`.safetensors`: a JSON header, then the bytes of all tensors, which are memory-mapped.

The format is documented by its authors: 8 bytes with the length of the header, little-endian; the header, an object with ``dtype``,
``shape`` and ``data_offsets`` of each tensor; the elements, little-endian and in C order.
"""

import json
import math
import os
import re

import numpy as np

from ... import _native
from ...arrays.source import Source
from ..errors import FileError
from .item import Item, refusal

# Maximum size of a header, by the format.
MAX_HEADER_BYTES = 100_000_000

# More digits than numbers of layers have: those of a hash may be more than Python reads as a number.
MAX_DIGITS = 18

# Names of dtypes in a header, our name, and the NumPy dtype of the same bytes.
_DTYPES = {
    "BOOL": ("bool", "?"), "U8": ("uint8", "u1"), "I8": ("int8", "i1"), "U16": ("uint16", "<u2"), "I16": ("int16", "<i2"),
    "U32": ("uint32", "<u4"), "I32": ("int32", "<i4"), "U64": ("uint64", "<u8"), "I64": ("int64", "<i8"), "F16": ("float16", "<f2"),
    "F32": ("float32", "<f4"), "F64": ("float64", "<f8"), "C64": ("complex64", "<c8"), "BF16": ("bfloat16", "<u2"),
    "F8_E4M3": ("float8_e4m3fn", "u1"), "F8_E5M2": ("float8_e5m2", "u1"), "F8_E8M0": ("float8_e8m0fnu", "u1"),
}


def items_of_safetensors(path):
    """The tensors of a .safetensors file by their names, numbers in these as numbers: writers keep no order of layers."""
    header, start = _header(path)
    n_bytes = os.path.getsize(path) - start
    entries = [(name, entry) for name, entry in header.items() if name != "__metadata__"]
    return [_item(path, name, entry, start, n_bytes) for name, entry in sorted(entries, key=_natural)]


def _natural(pair):
    parts = re.split(r"(\d+)", pair[0])
    return [(int(part), "") if part.isdecimal() and len(part) <= MAX_DIGITS else (-1, part) for part in parts]


def _header(path):
    """(the header, the offset of the first tensor's bytes)."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= min(MAX_HEADER_BYTES, os.path.getsize(path) - 8):
            raise FileError(f"{path} is not a .safetensors file: it does not begin with the length of a header")
        try:
            header = json.loads(file.read(length))
        except (ValueError, RecursionError) as error:
            raise FileError(f"{path} is not a .safetensors file: its header is not JSON ({error})") from error
    if not isinstance(header, dict):
        raise FileError(f"{path} is not a .safetensors file: its header is not an object")
    return header, 8 + length


def _item(path, name, entry, start, n_bytes):
    """One tensor; its offsets are checked against the file's size before anything is mapped."""
    try:
        kind, shape, (first, stop) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        is_whole = all(type(n) is int and n >= 0 for n in (*shape, first, stop))
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"{path}#{name}: the header lacks a dtype, a shape or offsets") from error
    if not isinstance(kind, str) or not isinstance(entry["shape"], list):
        raise FileError(f"{path}#{name}: the dtype in the header is {kind!r} and the shape {entry['shape']!r}, not a text and a list"[:300])
    if kind not in _DTYPES:
        return Item(name, shape, kind, refusal(FileError(f"{path}#{name}: elements of dtype {kind} cannot be read")))
    ours, numpy_name = _DTYPES[kind]
    dtype = np.dtype(numpy_name)
    if not is_whole or first > stop or stop > n_bytes or stop - first != math.prod(shape) * dtype.itemsize:
        raise FileError(f"{path}#{name}: {kind} {list(shape)} does not fit bytes {first} to {stop} of {n_bytes}: the file is truncated "
                        "or damaged; save it again")
    return Item(name, shape, ours, lambda box: _map(path, start + first, shape, ours, dtype))


def _map(path, offset, shape, ours, dtype):
    """The mapped elements, as a Source where NumPy lacks the dtype."""
    array = np.memmap(path, dtype, "r", offset, shape) if math.prod(shape) else np.empty(shape, dtype)
    if ours == dtype.name:
        return array
    return Source(array, lambda owner: _native.Tensor.from_array(owner, ours, None), shape, ours)
