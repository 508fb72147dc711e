"""Collections of tensors (mappings, models, lists) as tensors with names."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number

import numpy as np

from ..errors import UnsupportedError, reason_of
from ..utf8 import writable
from .optional_imports import answers_everything, attribute
from .reading import read_once

__all__ = ["describe_all", "named_tensors"]

# Collections in collections, which may hold themselves.
MOST_LEVELS = 64


def named_tensors(X):
    """What a collection holds, in its order; nothing is read.

    Parameters
    ----------
    X : object
        A mapping, whose values may be mappings and lists again; a model, which has ``state_dict()`` or
        ``named_parameters()``; a list or tuple of pairs of a name and a tensor, such as ``list(model.named_parameters())``; a
        list or tuple of arrays that have an axis, or of collections, beside which there may be scalars and None.

    Returns
    -------
    list of (str, object) or None
        Names of nested values are joined by points, lists count from 0, named tuples have their fields. Plain numbers are
        tensors without axes; text and None are left out. None where X is no collection, but one tensor or nothing at all.

    Examples
    --------
    >>> import numpy as np
    >>> [name for name, _ in named_tensors({"layer": {"w": np.eye(3), "b": np.zeros(3)}, "epoch": 7})]
    ['layer.w', 'layer.b', 'epoch']
    >>> [name for name, _ in named_tensors([("w", np.eye(3)), ("b", np.zeros(3))])]
    ['w', 'b']
    >>> named_tensors([[1, 2], [3, 4]]) is None
    True
    """
    return read_once(X, _named, X)


def _named(X):
    items = _items(X)
    if items is None:
        return None
    found = {}
    _collect(items, "", {id(X)}, found)
    return list(found.items())


def _items(X, depth=0):
    """(name, value) of what a collection holds directly; None of anything else, and of lists that hold themselves."""
    kind = type(X)
    if issubclass(kind, Mapping):
        return X.items()
    if not issubclass(kind, type) and not hasattr(kind, "__array__") and not answers_everything(X):
        for method in ("state_dict", "named_parameters"):
            if callable(attribute(X, method)):
                return _pairs(X, method)
    if not issubclass(kind, (list, tuple)) or not X or depth >= MOST_LEVELS:
        return None
    if all(map(_is_pair, X)):
        return [(name, _as_tensor(value)) for name, value in X]
    members = [item for item in X if not _is_scalar(item)]  # alone they are one tensor
    if members and all(_is_member(item, depth + 1) for item in members):
        return zip(getattr(X, "_fields", range(len(X))), map(_as_tensor, X), strict=True)
    return None


def _pairs(X, method):
    """(name, value) of what a method of a model gives."""
    try:
        given = getattr(X, method)()
        return [(name, value) for name, value in (given.items() if isinstance(given, Mapping) else given)]
    except MemoryError:
        raise
    except Exception as error:
        raise UnsupportedError(f"{type(X).__name__} has a {method}() that does not give pairs of a name and a tensor: "
                               f"{reason_of(error)}") from error


def _is_pair(item):
    """Whether an item is a name with what has that name, which is no text and no name again."""
    return isinstance(item, (list, tuple)) and len(item) == 2 and isinstance(item[0], str) and not isinstance(item[1], (str, bytes))


def _is_scalar(item):
    """A number, a tensor without axes, or None."""
    return item is None or isinstance(item, Number) or attribute(item, "shape") == ()


def _as_tensor(item):
    """A plain number that stands among tensors is one of them."""
    return np.asarray(item) if isinstance(item, Number) else item


def _is_member(item, depth):
    """Whether a list of such items is several tensors, and no tensor itself as lists of numbers and of lists are."""
    if isinstance(item, (list, tuple)):
        return False if not item else _items(item, depth) is not None
    shape = attribute(item, "shape")
    return (isinstance(shape, tuple) and len(shape) > 0) or _items(item, depth) is not None


def _collect(items, prefix, seen, found):
    """Adds leaves to `found`; `seen` are the collections around, so that none is entered from within itself."""
    if len(seen) > MOST_LEVELS:
        raise ValueError(f"the collection is nested more than {MOST_LEVELS} levels deep, or makes another one whenever it is asked: give "
                         "a dict of the tensors in it")
    for key, value in items:
        name = writable(f"{prefix}{key}")
        inner = None if id(value) in seen else _items(value)
        if inner is not None:
            _collect(inner, f"{name}.", seen | {id(value)}, found)
        elif id(value) not in seen and value is not None and not isinstance(value, (str, bytes)):
            found[_unused(name, found)] = _as_tensor(value)


def _unused(name, found):
    """A name that is not taken: keys 1 and "1" are written alike."""
    unique, n = name, 2
    while unique in found:
        unique, n = f"{name} ({n})", n + 1
    return unique


def describe_all(named, describe):
    """Sources of the tensors that can be read, and why the others cannot.

    Parameters
    ----------
    named : list of (str, object)
    describe : callable
        `gpuplot.tensor.describe`.

    Returns
    -------
    (dict of str to Source, dict of str to str)

    Raises
    ------
    UnsupportedError
        None of them can be read.
    """
    sources, skipped = {}, {}
    for name, value in named:
        try:
            sources[name] = describe(value)
        except (UnsupportedError, ValueError) as error:
            skipped[name] = str(error)
    if skipped and not sources:
        name, reason = next(iter(skipped.items()))
        raise UnsupportedError(f"none of {len(skipped)} values is a tensor that can be read; {name!r}: {reason}")
    return sources, skipped
