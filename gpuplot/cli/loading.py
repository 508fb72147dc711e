"""An item of a file -> an array to draw: memory-mapped, in chunks, or only the part that the picture needs."""

import math

from ..arrays.describe import describe
from ..arrays.labelled import labels_of_columns
from ..errors import reason_of, size_text
from ..plane.view import choose
from ..transfer.memory import available_bytes
from .errors import FileError, UsageError

_OF_VIEW = ("dims", "x", "y", "reduce", "rgb", "complex_mode")
# Smaller reads are not announced.
SMALL_BYTES = 64 * 2**20


def whole_box(shape):
    """The box of all elements, for `Item.read`."""
    return tuple((0, n) for n in shape)


def load(item, keywords, say, in_chunks=False):
    """The `Source` of a tensor for a picture with these keywords of `imshow`; `keywords` None reads the whole tensor.

    Of a file that cannot be mapped only the plane that the keywords choose is read, and where `in_chunks` allows it a large array in
    chunks is left to the caller, who reads one chunk after the other. `say` is called with a notice if much is read.
    """
    if in_chunks and item.chunks is not None and item.read_bytes >= SMALL_BYTES:
        return _with_dims(describe(item.chunks), item)
    box = _box_of_plane(item, keywords) if item.read_bytes and keywords is not None else whole_box(item.shape)
    share = math.prod(stop - start for start, stop in box) / max(1, math.prod(item.shape))
    is_part = item.note == "in chunks"
    n_bytes = item.read_bytes * share if is_part else item.read_bytes
    _check_room(item, n_bytes)
    if n_bytes >= SMALL_BYTES:
        say(f"{item.name or 'the array'} is {item.note} and cannot be mapped: {size_text(n_bytes)} are read into memory")
    return _with_dims(describe(_read(item, box)), item)


def _read(item, box):
    """The elements; a FileError with the name where they cannot be decoded."""
    try:
        return item.read(box)
    except (FileError, OSError, MemoryError, ImportError, TypeError):
        raise
    except Exception as error:  # each compressor has its own exceptions
        raise FileError(f"{item.name or 'the array'} cannot be read: {reason_of(error)}") from error


def _with_dims(source, item):
    if item.dims:
        source.dims = item.dims
    if item.columns:
        source.labels = labels_of_columns(item.columns)
    return source


def _check_room(item, n_bytes):
    available = available_bytes()
    if available is not None and n_bytes > available:
        hint = ": choose a part of it, with --index" if item.note == "in chunks" and len(item.shape) > 2 else ""
        raise FileError(f"{item.name or 'the array'} is {item.note} and cannot be mapped; reading it takes {size_text(n_bytes)}, and "
                        f"{size_text(available)} of memory are free{hint}")


def _box_of_plane(item, keywords):
    """The box that a plane needs: one place along each axis fixed at an element, all of the other axes."""
    index = index_by_axis(item.shape, item.dtype, item.dims, keywords)
    view = _view(item.shape, item.dtype, item.dims, keywords, index)
    return tuple((use.start, use.start + 1) if use.role == "fixed" else (0, n) for use, n in zip(view.uses, item.shape, strict=True))


def _view(shape, dtype, dims, keywords, index=None):
    chosen = {name: keywords[name] for name in _OF_VIEW if name in keywords}
    return choose(shape, dims, dtype, index=index, **chosen)


def index_by_axis(shape, dtype, dims, keywords):
    """The value of --index as a dict: numbers without an axis belong to the hidden axes, in order.

    Raises
    ------
    UsageError
        More numbers than hidden axes.
    """
    index = keywords.get("index")
    if index is None or isinstance(index, dict):
        return index
    numbers = index if isinstance(index, tuple) else (index,)
    view = _view(shape, dtype, dims, keywords)
    if view.is_rgb and len(shape) == 3 and "rgb" not in keywords:
        view = _view(shape, dtype, dims, keywords | {"rgb": False})  # the view after an index is given
    hidden = [axis for axis, use in enumerate(view.uses) if use.role == "fixed" and shape[axis] > 1]
    if len(numbers) > len(hidden):
        has = f"has {len(hidden)} axes beside its rows and columns" if len(shape) > 2 else "has nothing but rows and columns"
        given = "1 number" if len(numbers) == 1 else f"{len(numbers)} numbers"
        raise UsageError(f"--index has {given} and the tensor of shape {shape} {has}: name an axis to cut it, such as --index 0=2:5")
    return dict(zip(hidden, numbers, strict=False))
