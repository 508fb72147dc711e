"""HDF5 and zarr: reads only the chunks that a picture needs; contiguous data sets of HDF5 are memory-mapped."""

import contextlib
import math

import numpy as np

from ...arrays.pyramids import Pyramid
from ...errors import reason_of
from ..errors import FileError
from .item import Item, needs_library, refusal

# Kinds of NumPy's dtypes: bool, integers, floats, complex.
NUMBERS = "biufc"


def items_of_hdf5(path):
    """The data sets of an HDF5 file, or of a netCDF file from version 4 on."""
    try:
        import h5py
    except ImportError as error:
        raise needs_library("reading HDF5", "h5py", error) from error
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise FileError(f"{path} is not an HDF5 file: {reason_of(error)}") from error
    found = []
    try:
        file.visititems(lambda name, thing: found.append(thing) if isinstance(thing, h5py.Dataset) and thing.shape is not None else None)
        return [_hdf5_item(path, data) for data in found]
    except MemoryError:
        raise
    except Exception as error:  # h5py raises anything of a damaged object, such as a KeyError
        raise FileError(f"{path} has an object that cannot be read, is it damaged? {reason_of(error)}; write it again") from error


def _hdf5_item(path, data):
    dims = _names([_hdf5_dim(dim) for dim in data.dims])
    offset = data.id.get_offset()
    if offset is not None and data.chunks is None and not data.external and data.size and _is_as_in_memory(data):
        return Item(data.name.lstrip("/"), data.shape, data.dtype.name,
                    lambda box: np.memmap(path, data.dtype, "r", offset, data.shape), dims)
    return _read_item(data.name.lstrip("/"), data, dims)


def _is_as_in_memory(data):
    """Whether a file has numbers bit by bit as NumPy does: HDF5 also has those of 12 bits anywhere in two bytes, which it converts."""
    import h5py

    return data.dtype.kind in NUMBERS and data.id.get_type().equal(h5py.h5t.py_create(data.dtype, logical=True))


def _hdf5_dim(dim):
    """The label of an axis, else the name of its first scale, by which netCDF names dimensions; an empty text without both."""
    if dim.label or not len(dim):
        return dim.label
    with contextlib.suppress(Exception):  # h5py raises anything where a scale was deleted
        return dim[0].name.rpartition("/")[2]
    return ""


def _names(given):
    """Names of axes, those that a file leaves out as "axis 1"; None where it names none, or two alike."""
    names = [name or f"axis {number}" for number, name in enumerate(given)]
    return tuple(names) if any(given) and len(set(names)) == len(names) else None


def items_of_zarr(path):
    """The arrays of a zarr folder, and its pyramids: groups with metadata of OME-Zarr."""
    try:
        import zarr
    except ImportError as error:
        raise needs_library("reading zarr", "zarr", error) from error
    try:
        root = zarr.open(str(path), mode="r")
    except Exception as error:  # each version has its own exceptions
        raise FileError(f"{path} is not a zarr array or group: {reason_of(error)}") from error
    if hasattr(root, "shape"):
        return [_read_item("", root, _zarr_dims(root))]
    items = (_zarr_item(name, thing) for name, thing in sorted([("", root), *_members(root)], key=lambda member: member[0]))
    return [item for item in items if item is not None]


def _members(group):
    """(path, array or group) of all below a group."""
    if hasattr(group, "members"):  # zarr 3
        return list(group.members(max_depth=None))
    found = []
    group.visititems(lambda name, thing: found.append((name, thing)))
    return found


def _zarr_item(name, thing):
    """The item of an array or a pyramid; None for other groups."""
    if hasattr(thing, "shape"):
        return _read_item(name, thing, _zarr_dims(thing))
    try:
        pyramid = Pyramid.of(thing)
        return pyramid and _pyramid_item(name, pyramid)
    except ValueError:  # malformed metadata: its arrays are there
        return None


def _pyramid_item(name, pyramid):
    """The item of a pyramid, which is read chunk by chunk where it is large."""
    whole = pyramid.array(0)
    return Item(name, tuple(whole.shape), np.dtype(whole.dtype).name, lambda box: pyramid.owner, pyramid.names)


def _zarr_dims(array):
    """Names of axes, where zarr 3 or xarray wrote them."""
    with contextlib.suppress(AttributeError):
        if array.metadata.dimension_names:
            return _names(array.metadata.dimension_names)
    names = array.attrs.get("_ARRAY_DIMENSIONS")
    is_valid = isinstance(names, list) and len(names) == len(array.shape) and all(isinstance(name, str) for name in names)
    return _names(names) if is_valid else None


def _read_item(name, data, dims):
    dtype = np.dtype(data.dtype)
    if dtype.kind not in NUMBERS:
        return Item(name, tuple(data.shape), str(dtype), refusal(FileError(f"{name}: {_not_numbers(name, dtype)}")))
    n_bytes = math.prod(data.shape) * dtype.itemsize
    return Item(name, tuple(data.shape), dtype.name, lambda box: _read_box(data, box), dims, n_bytes, "in chunks", data)


def _read_box(data, box):
    """The part inside the box, as an array of the full shape: axes that are read at one place repeat it with stride 0."""
    if not data.shape:
        return np.asarray(data[()])
    part = np.asarray(data[tuple(slice(start, stop) for start, stop in box)])
    return np.broadcast_to(part, data.shape)


def _not_numbers(name, dtype):
    if dtype.names:
        return f"has fields of dtype {dtype}: choose one in Python, such as gpuplot.imshow(file[{name!r}][{dtype.names[0]!r}])"
    return f"elements of dtype {dtype} are not numbers"
