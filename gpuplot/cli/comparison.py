"""`gpuplot compare A B` of files with several tensors: a line for each name that both have, the largest difference first, or JSON."""

import functools

from ..errors import UnsupportedError
from ..statistics.comparison import compare_elements
from ..statistics.comparison_table import compare_named, listed_names
from .address import chosen_items, one_item
from .errors import FileError, UsageError
from .json_text import fields_of, json_text
from .loading import load
from .messages import printable_lines

# Keywords of `compare` that are not about a picture; those about classes are of two tensors alone.
_TOLERANCES, _OF_CLASSES = ("rtol", "atol"), ("categorical", "ignore_index")

# The command's own options that are not about a picture.
_OF_TEXTS = ("traceback", "force", "check", "json")


def has_several(files):
    """Whether each of the files, (items, path, name), has several tensors with axes by that name."""
    return all(items and sum(len(item.shape) > 0 for item in chosen_items(items, path, name)) > 1 for items, path, name in files)


def print_comparison(files, keywords, own, say):
    """Prints how the tensors of one name in both files differ, then the names that one of the files lacks.

    Parameters
    ----------
    files : list of (items, path, name)
        A name in front of others, such as ``model``, is left out of theirs. Two single tensors may have different names.
    keywords, own : dict
        Keywords of `compare`, and the command's own options: only tolerances, ``check`` and ``json`` have a meaning here, and for two
        single tensors ``categorical`` and ``ignore_index``.
    say : callable
        Called with notices about data that have to be read into memory.

    Returns
    -------
    bool
        Whether the two are the same within the tolerances.
    """
    first, second = map(_by_name, *zip(*files, strict=True)) if has_several(files) else _pair(files)
    both = [name for name in first if name in second]
    addresses = [f"{path}#{name}" if name else str(path) for _, path, name in files]
    _check(both, keywords, own, files, (first, second))
    tolerances = [keywords.get(name) for name in _TOLERANCES]
    table = compare_named(first, second, lambda item: _load(item, say), *tolerances, titles=addresses, compare=_way(keywords))
    print(json_text(_facts(table)) if own.get("json") else printable_lines(table))
    return _is_same(table)


def _way(keywords):
    """The function that compares two tensors: `compare_elements`, or what `compare` does with class numbers."""
    of_classes = {name: keywords[name] for name in _OF_CLASSES if name in keywords}
    if not of_classes:
        return compare_elements
    from ..mpl.compare import numbers_of  # which tables of numbers do not load

    return functools.partial(numbers_of, **of_classes)


def differs(comparison):
    """Whether elements differ by more than the tolerances, or are NaN in one of the two alone."""
    return comparison.n_beyond > 0


def _is_same(table):
    return not (table.skipped or table.only_a or table.only_b or any(map(differs, table.values())))


def _facts(table):
    """A `ComparisonTable` as a dict for JSON."""
    tensors = [{"name": name} | fields_of(found) for name, found in table.items()]
    return {"a": table.titles[0], "b": table.titles[1], "is_same": _is_same(table), "tensors": tensors, "skipped": table.skipped,
            "only_a": table.only_a, "only_b": table.only_b}


def _pair(files):
    """Two dicts of one tensor each, both by the name of the first."""
    one, other = (one_item(*file) for file in files)
    name = one.name or other.name or files[0][1].name
    return {name: one}, {name: other}


def _load(item, say):
    try:
        return load(item, None, say)
    except FileError as error:
        raise UnsupportedError(str(error)) from error


def _by_name(items, path, name):
    """{name below `name`: item} of a file."""
    chosen = chosen_items(items, path, name)
    return {item.name.removeprefix(name).lstrip("./") or item.name: item for item in chosen}


def _check(both, keywords, own, files, named):
    (_, a, _), (_, b, _) = files
    if not both:
        listed = " and ".join(f"{path} has {listed_names(items)}" for path, items in zip((a, b), named, strict=True))
        raise UsageError(f"no name is in both files: {listed}; {_advice(files, named)}")
    is_table = has_several(files)
    of_texts = {*_TOLERANCES, *_OF_TEXTS, *(() if is_table else _OF_CLASSES)}
    of_pictures = [f"--{name.replace('_', '-')}" for name in (*own, *keywords) if name not in of_texts]
    if of_pictures:
        if not is_table:
            raise UsageError(f"{of_pictures[0]} is about a picture, and none is drawn: leave it out, or give --output without --json")
        raise UsageError(f"{of_pictures[0]} is about a picture, and files with several tensors are compared in lines of text: leave it "
                         f"out, or name a tensor of each, such as '{a}#{named[0][both[0]].name}' '{b}#{named[1][both[0]].name}'")


def _advice(files, named):
    """What to type where no name is in both files: a group of one of them whose names are those of the other."""
    for (_, path, name), names, others in ((files[0], *named), (files[1], *named[::-1])):
        groups = (long[:-len(short) - 1] for short in others for long in names if long.endswith((f".{short}", f"/{short}")))
        group = next(groups, None)
        if group is not None:
            return f"name the group that has those of the other, '{path}#{'.'.join(filter(None, (name, group)))}'"
    return "name a tensor of each, FILE#NAME"
