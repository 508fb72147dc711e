"""Item: one tensor in a file, described before any element is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays.dtypes import ITEM_BYTES
from ..errors import FileError


@dataclass(frozen=True)
class Item:
    """A tensor in a file."""

    name: str  # its name in the file; "" for the only tensor of a file without names
    shape: tuple[int, ...]
    dtype: str  # its name, for messages
    # read: ``read(box)`` returns an object of this shape that gpuplot can read. `box` is a tuple of ``(start, stop)`` for each
    # axis: only elements inside have to be valid. Mapped files ignore it.
    read: Callable[[tuple], Any]
    dims: tuple[str, ...] | None = None  # names of the axes
    read_bytes: int = 0  # bytes of memory that reading all of it takes; 0 where it is mapped
    note: str = ""  # why it cannot be mapped, for messages: "compressed"; or what to do about a text
    chunks: Any = None  # the array of HDF5 or zarr itself, of which pictures and statistics read one chunk after the other
    is_column: bool = False  # whether it is a column of a table, which may be drawn whole
    columns: tuple[str, ...] | None = None  # of a whole table: a name for each of its columns
    dates: Any = None  # array of datetime64 of a column that has points in time; `read` raises, as these are no numbers

    @property
    def has_numbers(self):
        """Whether its elements are numbers: no texts, dates or objects."""
        return self.dtype in ITEM_BYTES or self.dtype == np.dtype(np.longdouble).name


def needs_library(kind, package, error):
    """The error for a file whose library is not installed."""
    return FileError(f"{kind} needs the package {package} ({error}): pip install {package}")


def refusal(error):
    """The `read` function of an item that cannot be read, which raises the error."""
    def read(box):
        raise error
    return read
