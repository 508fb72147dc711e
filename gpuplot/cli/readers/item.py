"""Item: one tensor in a file, described before any element is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import FileError


@dataclass(frozen=True)
class Item:
    """A tensor in a file."""

    name: str  # what it is called in the file; "" for the only one of a file that has no names
    shape: tuple[int, ...]
    dtype: str  # its name, for people
    # read: ``read(box)`` gives an object that gpuplot takes, of this shape. `box` is a tuple of ``(start, stop)`` for each axis:
    # only elements inside have to be right. Files that are mapped disregard it.
    read: Callable[[tuple], Any]
    dims: tuple[str, ...] | None = None  # names of the axes
    read_bytes: int = 0  # bytes of memory that reading all of it takes, beside the file; 0 where it is mapped
    note: str = ""  # why it cannot be mapped, for people: "compressed"


def needs_library(kind, package, error):
    """The error for a file whose library is not installed."""
    return FileError(f"{kind} takes the package {package} ({error}): pip install {package}")


def refusal(error):
    """What reads an item that cannot be read: it raises the error."""
    def read(box):
        raise error
    return read
