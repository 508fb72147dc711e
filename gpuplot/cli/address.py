"""Parses `FILE#NAME` and finds the tensors that it names."""

import difflib
from pathlib import Path

from ..errors import listed
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
        raise UsageError(f"{path} has {len(chosen)} tensors ({listed([item.name for item in chosen], MAX_LISTED)}): choose one, such as "
                         f"'{path}#{chosen[0].name}'; gpuplot info {path} lists all")
    return chosen[0]


def table_or_item(items, path, name):
    """What a picture shows: a table whole where no column is named, which all have to have numbers; else the item of `one_item`."""
    from .readers.text_files import has_numbers, whole_table

    if name or not items or not all(item.is_column for item in items):
        return one_item(items, path, name)
    numbers = [item.name for item in items if has_numbers(item)]
    others = [item.name for item in items if item.name not in numbers]
    if not others:
        return whole_table(items)
    if not numbers:
        raise FileError(f"{path} has no column of numbers ({listed(others, MAX_LISTED)}): give a table that has some")
    raise UsageError(f"{path} has columns that are no numbers ({listed(others, MAX_LISTED)}): choose one of {listed(numbers, MAX_LISTED)}, "
                     f"such as '{path}#{numbers[0]}'; gpuplot info {path} lists all")


def _hint(items, path, name):
    """Text that suggests the name that was probably meant: one with this end, or a similar one."""
    names = [item.name for item in items if item.name]
    if not names:
        return ": it holds one tensor without a name; leave out #NAME"
    lowered = name.lower()
    near = [other for other in names if other.lower().endswith(lowered)] or difflib.get_close_matches(name, names, 1, 0.6)
    return f": did you mean {near[0]}?" if near else f"; gpuplot info {path} lists what is there"
