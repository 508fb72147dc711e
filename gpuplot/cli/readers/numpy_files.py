"""`.npy` and `.npz`: arrays as `numpy.save` and `numpy.savez` write them, mapped where they are not compressed."""

import contextlib
import errno
import math
import struct
import tokenize
import zipfile

import numpy as np

from ...errors import reason_of
from ..errors import FileError
from .item import Item, refusal

# A member's local header in a zip file: its fixed part, and in it the lengths of the name and of the extra field.
_LOCAL_HEADER, _LENGTHS = 30, struct.Struct("<26xHH")
_PICKLED = "its elements are pickled objects, which may run code when they are read: save them as numbers"


def items_of_npy(path):
    """The array of a .npy file, or one item for each field of records."""
    _check_begin(path)
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # of a damaged header Python's own parser raises anything
        reason = _PICKLED if "bjects" in str(error) else f"not a .npy file, or truncated: {reason_of(error)}"
        raise FileError(f"{path}: {reason}") from error
    return _with_fields("", array.shape, array.dtype, lambda: array)


def _check_begin(path):
    """FileError for a file of another kind, which NumPy would try to unpickle."""
    with open(path, "rb") as file:
        if not file.read(len(np.lib.format.MAGIC_PREFIX)).startswith(np.lib.format.MAGIC_PREFIX):
            raise FileError(f"{path} is not a .npy file: its first bytes differ; save the array with numpy.save")


def items_of_npz(path):
    """The arrays of a .npz file: uncompressed ones are mapped, compressed ones read."""
    with _told_of_damage(path), zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        return [item for member in members if member.filename.endswith(".npy") for item in _member_items(archive, member, path)]


@contextlib.contextmanager
def _told_of_damage(path):
    """A context in which whatever zipfile raises about a damaged file is a FileError; errors of the system stay as they are."""
    try:
        yield
    except (FileError, MemoryError):
        raise
    except zipfile.BadZipFile as error:
        raise FileError(f"{path} is not an .npz file, or damaged: {error}") from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # that of a place before the file's begin
            raise
        raise FileError(f"{path} is damaged, or was not written by numpy.savez: {reason_of(error)}; save it again") from error


def _member_items(archive, member, path):
    name = member.filename.removesuffix(".npy")
    with archive.open(member) as file:
        shape, is_fortran, dtype = _header(file, f"{path}#{name}")
        header_bytes = file.tell()
    if dtype.hasobject:
        return [Item(name, shape, "object", refusal(FileError(f"{path}#{name}: {_PICKLED}")))]
    if member.compress_type == zipfile.ZIP_STORED:
        offset = _data_offset(path, member) + header_bytes
        return _with_fields(name, shape, dtype, lambda: _map(path, offset, shape, is_fortran, dtype))
    return _with_fields(name, shape, dtype, lambda: _read_member(path, member.filename), math.prod(shape) * dtype.itemsize, "compressed")


def _read_member(path, filename):
    with _told_of_damage(path), zipfile.ZipFile(path) as archive, archive.open(filename) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _data_offset(path, member):
    """Offset of a stored member's bytes: after its local header, whose length is not in the directory."""
    with open(path, "rb") as file:
        file.seek(member.header_offset)
        header = file.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or header[:4] != b"PK\3\4":
        raise FileError(f"{path} is damaged: {member.filename} is not where its directory says; save it again")
    return member.header_offset + _LOCAL_HEADER + sum(_LENGTHS.unpack(header))


def _header(file, name):
    """(shape, whether in Fortran order, dtype) of an array; the file then stands at its first element."""
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, is_fortran, dtype = read(file)
    except (ValueError, EOFError, SyntaxError, tokenize.TokenError) as error:
        raise FileError(f"{name} is not an array of numpy.savez: {reason_of(error)}") from error
    return shape, is_fortran, dtype


def _map(path, offset, shape, is_fortran, dtype):
    if math.prod(shape) * dtype.itemsize == 0:
        return np.empty(shape, dtype)  # zero bytes cannot be mapped
    try:
        return np.memmap(path, dtype, "r", offset, shape, "F" if is_fortran else "C")
    except ValueError as error:
        raise FileError(f"{path} is cut off: {error}") from error


def _with_fields(name, shape, dtype, load, read_bytes=0, note=""):
    """One item, or one for each field of records."""
    if not dtype.names:
        return [Item(name, shape, dtype.name, lambda box: load(), read_bytes=read_bytes, note=note)]
    return [Item(f"{name}.{field}" if name else field, shape + dtype[field].shape, dtype[field].base.name,
                 lambda box, field=field: load()[field], read_bytes=read_bytes, note=note) for field in dtype.names]
