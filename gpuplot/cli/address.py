"""Parses `FILE#NAME` and finds the tensors that it names."""

import difflib
from pathlib import Path

from .errors import FileError, UsageError

# The file that stands for standard input.
STDIN = "-"

# Maximum number of names that a message lists.
MAX_LISTED = 5


def split_address(address):
    """(the file's path, the name after the #); names of files may contain a #, too, so the longest part that is a file is used.

    Raises
    ------
    FileError
        There is no such file.
    """
    ends = [len(address), *(k for k in range(len(address) - 1, 0, -1) if address[k] == "#")]
    for end in ends:
        if Path(address[:end]).exists():
            return Path(address[:end]), address[end + 1:].lstrip("/")
    raise FileError(f"there is no file {address.partition('#')[0]}: check its path")


def chosen_items(items, path, name):
    """The item of a name, or those below it; for an empty name the one without a name, such as a pyramid, or all."""
    chosen = [item for item in items if item.name == name] or ([] if name else items)
    if not chosen:
        chosen = [item for item in items if item.name.startswith((f"{name}.", f"{name}/"))]
    if not chosen:
        raise UsageError(f"{path} has no {name}{_hint(items, path, name)}")
    return chosen


def one_item(items, path, name):
    """The item of a name; for an empty name the only item that has axes."""
    if not items:
        raise FileError(f"there are no tensors in {path}")
    chosen = chosen_items(items, path, name)
    if len(chosen) > 1:
        chosen = [item for item in chosen if len(item.shape) > 0] or chosen
    if len(chosen) > 1:
        listed = ", ".join(item.name for item in chosen[:MAX_LISTED]) + (", ..." if len(chosen) > MAX_LISTED else "")
        raise UsageError(f"{path} has {len(chosen)} tensors ({listed}): choose one, such as '{path}#{chosen[0].name}'; "
                         f"gpuplot info {path} lists all")
    return chosen[0]


def _hint(items, path, name):
    """Text that suggests the name that was probably meant: one with this end, or a similar one."""
    names = [item.name for item in items if item.name]
    if not names:
        return ": it holds one tensor without a name; leave out #NAME"
    lowered = name.lower()
    near = [other for other in names if other.lower().endswith(lowered)] or difflib.get_close_matches(name, names, 1, 0.6)
    return f": did you mean {near[0]}?" if near else f"; gpuplot info {path} lists what is there"
