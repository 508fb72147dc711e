"""One tensor in a file, before anything of it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import FileError


@dataclass(frozen=True)
class Item:
    """A tensor in a file.

    Attributes
    ----------
    name : str
        What it is called in the file; "" for the only one of a file that has no names.
    shape : tuple of int
    dtype : str
        Its name, for people.
    read : callable
        ``read(box)`` gives an object that gpuplot takes, of this shape. `box` is a tuple of ``(start, stop)`` for each axis: only
        elements inside have to be right. Files that are mapped disregard it.
    dims : tuple of str, optional
        Names of the axes.
    read_bytes : int
        Bytes of memory that reading all of it takes, beside the file; 0 where it is mapped.
    note : str
        Why it cannot be mapped, for people: "compressed".
    """

    name: str
    shape: tuple
    dtype: str
    read: Callable[[tuple], Any]
    dims: tuple | None = None
    read_bytes: int = 0
    note: str = ""


def needs_library(kind, package, error):
    """The error for a file whose library is not installed."""
    return FileError(f"{kind} takes the package {package} ({error}): pip install {package}")


def refusal(error):
    """What reads an item that cannot be read: it raises the error."""
    def read(box):
        raise error
    return read
