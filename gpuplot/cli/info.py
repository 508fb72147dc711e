"""`gpuplot info`: the tensors of a file as a tree of names, with shapes and statistics, the worst first, or as JSON."""

import itertools

from ..arrays.describe import describe
from ..errors import ChunkError, reason_of
from ..statistics.arguments import check_spec
from ..statistics.measure import stats_of
from ..statistics.text import facts, line, shape_text
from .errors import FileError
from .json_text import fields_of
from .loading import load
from .messages import printable

# Why a tensor has no statistics.
_UNREADABLE = TypeError, ValueError, FileError, ChunkError


def print_info(items, say, has_stats=True):
    """Prints the tensors of a file: one `Item` in full, several in a line each.

    `say` is called with notices about data that have to be read into memory; without `has_stats` no element is read.
    """
    rows = [_row(item, say, has_stats) for item in items]
    if len(rows) == 1 and rows[0].stats is not None:
        _print_one(rows[0])
        return
    root = _tree(rows)
    for text in _lines(root, 0, max(_width(root, 0), default=0)):
        print(text)


def facts_for_json(items, address, say, has_stats=True):
    """A dict for each tensor of a file, in the file's order: its file and name, and the fields of its `Stats`, or ``error``."""
    return [_facts_of(item, address, say, has_stats) for item in items]


def _facts_of(item, address, say, has_stats):
    known = {"file": address, "name": item.name, "dtype": item.dtype, "shape": item.shape}
    try:
        return known | (fields_of(_stats(item, say)) if has_stats else {})
    except _UNREADABLE as error:
        return known | {"error": reason_of(error)}


class _Row:
    """One tensor of the table: its name, its statistics or None, and its text."""

    def __init__(self, name, stats, text):
        self.name, self.stats, self.text = printable(name), stats, printable(text)
        n_infinite = 0 if stats is None else stats.pos_inf + stats.neg_inf
        self.badness = (-1, 0) if stats is None else (stats.nan, n_infinite)


def _row(item, say, has_stats):
    if not has_stats:
        return _Row(item.name, None, f"{item.dtype} {shape_text(item.shape)}")
    try:
        stats = _stats(item, say)
    except _UNREADABLE as error:
        return _Row(item.name, None, f"{item.dtype} {shape_text(item.shape)} \u00b7 {reason_of(error)}")
    return _Row(item.name, stats, line(stats).replace(" cpu \u00b7", " \u00b7", 1))


def _stats(item, say):
    return stats_of(describe(load(item, None, say, in_chunks=True)), check_spec(64, None, (1, 2, 50, 98, 99)))


def _print_one(row):
    print(f"{row.name}  {row.text}" if row.name else row.text)
    named = list(facts(row.stats))
    width = max(len(name) for name, _ in named)
    for name, text in named:
        print(f"  {name:{width}}  {text}")


# ---- the tree --------------------------------------------------------------------------------------------------------


def _tree(rows):
    """Nested dicts by the parts of names, split at dots or slashes; leaves are rows."""
    root, leaves = {}, {row.name for row in rows}
    for row in rows:
        *groups, last = row.name.replace("/", "\0/").replace(".", "\0.").split("\0") if row.name else [""]
        if not leaves.isdisjoint(itertools.accumulate(groups)):  # a tensor has the name of a group of this one
            groups, last = [], row.name
        node = root
        for group in groups:
            node = node.setdefault(group, {})
        node[last] = row
    return _merged(root)


def _merged(node):
    """The tree with each group of one member merged into that member."""
    merged = {}
    for name, inner in node.items():
        inner = inner if isinstance(inner, _Row) else _merged(inner)
        if not isinstance(inner, _Row) and len(inner) == 1:
            (rest, inner), = inner.items()
            name = name + rest
        merged[name] = inner
    return merged


def _worst(node):
    return node.badness if isinstance(node, _Row) else max(map(_worst, node.values()))


def _width(node, depth):
    """Characters of the longest name, including its indentation."""
    for name, inner in node.items():
        if isinstance(inner, _Row):
            yield 2 * depth + len(name.lstrip("./") if depth else name)
        else:
            yield from _width(inner, depth + 1)


def _lines(node, depth, width):
    """A line for each name, the worst groups and tensors first."""
    for name, inner in sorted(node.items(), key=lambda pair: _worst(pair[1]), reverse=True):
        label = "  " * depth + (name.lstrip("./") if depth else name)
        if isinstance(inner, _Row):
            yield f"{label:{width}}  {inner.text}" if width else inner.text
        else:
            yield label
            yield from _lines(inner, depth + 1, width)
