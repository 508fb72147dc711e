"""Text files: numbers in rows, with commas, tabs, semicolons or spaces between them, under names of columns where there are any."""

import csv
import functools
import io
import math
import re
import sys
from dataclasses import replace

import numpy as np

from ...arrays.tensor_tree import unused
from ..errors import FileError
from .dates import readings
from .item import Item, refusal

_ONLY_TABLES = "only tables are read from stdin; files of other kinds are mapped: save stdin to a file first, such as cat >x.npy"

# What stands between words where that is not spaces, and comments there.
_MARKS, _COMMENT = "\t,;", re.compile(r"\s#(\s.*|$)", re.DOTALL)

# A word in quotes, in which marks are letters, and a line whose last word begins with quotes that it does not close.
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_OPEN = re.compile(r'(?:\s*+(?:"(?:[^"]|"")*+")?[^"\t,;#]*+[\t,;])*+\s*+"(?:[^"]|"")*+', re.DOTALL)


class _OpenDates(FileError):
    """A column of dates whose order of days and months is open."""


def items_of_text(path):
    """The table of a .csv, .tsv or .txt file, or one item for each column where the first line has a name for each."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return _items(path, _rows(file))
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path} is not a table of numbers: {error}") from error


@functools.cache  # as several names may be of it, -#step -#loss, and it can be read once
def items_of_stdin():
    """The same of what standard input has."""
    if sys.stdin is None or sys.stdin.isatty():
        raise FileError(f"stdin is empty: pipe a table into it, such as cat log.csv | gpuplot plot -; {_ONLY_TABLES}")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
        rows = _rows(io.StringIO(text, newline=""))
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"stdin has no table of numbers: {_ONLY_TABLES}") from error
    if not rows or "\0" in text:
        raise FileError(f"stdin has no table of numbers: {_ONLY_TABLES}")
    return _items("stdin", rows)


def _items(path, rows):
    """The items of rows, (line, words); names are in the first of them if none of its words is a number."""
    names = _names(rows[0][1]) if rows else []
    if names:
        rows = rows[1:]
    if not rows:
        raise FileError(f"{path} has no numbers: give a table of them, in rows")
    n_columns = len(names or rows[0][1])
    for line, words in rows:
        if len(words) != n_columns:
            raise FileError(f"{path} has {len(words)} columns in line {line}, and {n_columns} above it: all rows need the same number")
    columns = [_column(path, [(line, words[k]) for line, words in rows]) for k in range(n_columns)]
    if names:
        return [replace(_item(name, (len(rows),), column), is_column=n_columns > 1) for name, column in zip(names, columns, strict=True)]
    for column in columns:
        if isinstance(column, FileError):
            raise column
        if column.dtype.kind == "M":
            raise FileError(f"{path} has dates: name its columns in the first line, so that plot finds its x")
    if n_columns == 1:
        return [_item("", (len(rows),), columns[0])]
    return [_item("", (len(rows), n_columns), _beside_each_other(columns))]


def whole_table(items):
    """One item for all the columns of a table, which have numbers: rows and columns of a picture, as of a DataFrame."""
    table = _beside_each_other([item.read(()) for item in items])
    return replace(_item("", table.shape, table), columns=tuple(item.name for item in items))


def has_numbers(item):
    """Whether an item is neither a column of texts nor one of dates."""
    return item.dtype != "text" and item.dates is None


def _beside_each_other(columns):
    stack = np.ma.stack if any(map(np.ma.isMaskedArray, columns)) else np.stack
    return stack(columns, 1)


def _names(words):
    """Names of columns, of which the first may be empty, as pandas writes that of rows; an empty list where a word is a number.

    Of columns with one name the later ones get a number, so that each can be chosen.
    """
    words = [word.strip() for word in words]
    if not any(words) or any(word and _number(word) is not None for word in words):
        return []
    names = {}
    for k, word in enumerate(words):
        names[unused(word or (f"column {k}" if k else "index"), names)] = k
    return list(names)


def _rows(file):
    """(number of the line, its words) of each line that is neither empty nor a comment."""
    lines = [(k, line) for k, line in _records(file) if line.partition("#")[0].strip()]
    separator = _separator([line for _, line in lines[:2]])
    if separator is None:
        return [(k, line.partition("#")[0].split()) for k, line in lines]
    return [(k, next(csv.reader([_without_comment(line)], delimiter=separator, skipinitialspace=True))) for k, line in lines]


def _records(file):
    """(number of the first line, text) of each line of words; a word in quotes may go on in further lines."""
    waiting = []
    for k, line in enumerate(file, 1):
        has_odd = line.count('"') % 2 == 1
        if waiting:
            waiting.append((k, line))
            if has_odd:
                yield waiting[0][0], "".join(text for _, text in waiting)
                waiting = []
        elif has_odd and _OPEN.fullmatch(line):
            waiting.append((k, line))
        else:
            yield k, line
    yield from waiting  # nothing closes the quotes: they are letters


def _separator(lines):
    """The mark between words, None for spaces. A mark behind a "#" is one where the next line has it, too: else it is in a comment."""
    lines = [_QUOTED.sub('""', line) for line in lines]
    words = lines[0].partition("#")[0] if lines else ""
    has_next = len(lines) > 1
    found = [mark for mark in _MARKS if mark in words] or [mark for mark in _MARKS if has_next and all(mark in line for line in lines)]
    return found[0] if found else None


def _without_comment(line):
    """A line with marks between its words, without a comment: a "#" between spaces, as words are "run #1" and "#ff0000", too."""
    quoted, quote, rest = line.rpartition('"')
    return quoted + quote + _COMMENT.sub("", rest)


def _number(word):
    """The number that a word is, NaN for none at all; None for a text."""
    try:
        return float(word) if word.strip() else math.nan
    except ValueError:
        return None


def _column(path, cells):
    """The numbers or dates of a column, (line, word) of each, masked where there is no word; or the error that it has texts."""
    numbers = [_number(word) for _, word in cells]
    if None in numbers:
        dates = readings([word for _, word in cells])
        if len(dates) == 1:
            return dates[0]
        line, word = cells[numbers.index(None)]
        if dates:
            return _OpenDates(f"{path} has {word!r} in line {line}: which number is the day is open in this column. Write its dates as "
                              "2026-03-31, such as with pandas.to_datetime(column, dayfirst=True)")
        return FileError(f"{path} has {word!r} in line {line}, which is no number: give a column of numbers, FILE#NAME, as gpuplot info "
                         f"{path} lists them")
    is_empty = [not word.strip() for _, word in cells]
    return np.ma.array(numbers, mask=is_empty) if any(is_empty) else np.array(numbers)


def _item(name, shape, column):
    if isinstance(column, FileError):
        return Item(name, shape, "text", refusal(column), note=str(column) if isinstance(column, _OpenDates) else "")
    if column.dtype.kind == "M":
        no_numbers = FileError(f"{name} has dates, which are no numbers: they are x, as in gpuplot plot FILE#{name} FILE#NAME, or scatter")
        return Item(name, shape, column.dtype.name, refusal(no_numbers), dates=column)
    return Item(name, shape, column.dtype.name, lambda box: column)
