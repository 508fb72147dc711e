"""Collections of tensors (mappings, models, lists) -> pairs of a name and a tensor."""

import itertools
import operator
from collections.abc import Mapping
from numbers import Number
from types import GeneratorType

import numpy as np

from ..errors import ChunkError, DeviceError, UnsupportedError, reason_of, type_text
from ..utf8 import writable
from .lazy_arrays import check_open
from .literals import has_items
from .ome_zarr import is_group
from .optional_imports import answers_everything, attribute, is_kind, module_roots, wrapped_in
from .pyramids import is_pyramid
from .reading import read_once

# Maximum depth of nested collections, which may contain themselves.
MAX_TREE_DEPTH = 64


def named_tensors(X):
    """The tensors of a collection as a list of (name, object), in its order, without reading them; None where X is one tensor.

    A collection is a mapping or a group of zarr, whose values may be such and lists again; a model with ``state_dict()`` or
    ``named_parameters()``; a list or tuple of pairs of a name and a tensor; a list or tuple of arrays that have an axis, or of
    collections, beside which there may be scalars and None. Nested names are joined by points, lists count from 0, named tuples
    have their fields, keys that are tensors their places. Plain numbers become tensors without axes; text, None and empty tuples
    are left out.

    Examples
    --------
    >>> import numpy as np
    >>> [name for name, _ in named_tensors({"layer": {"w": np.eye(3), "b": np.zeros(3)}, "epoch": 7})]
    ['layer.w', 'layer.b', 'epoch']
    >>> named_tensors([[1, 2], [3, 4]]) is None
    True
    """
    return None if is_pyramid(X) else read_once(X, _leaves, X)


def is_stack(X):
    """Whether X is a list or tuple of arrays of one shape, which functions of one tensor stack."""
    if not issubclass(type(X), (list, tuple)) or not has_items(X):
        return False
    try:
        return len({tuple(one.shape) for one in X}) == 1
    except Exception:  # whatever the shapes of other objects raise
        return False


def pairs_in_list(X):
    """A generator of pairs of a name and a tensor, such as ``named_parameters()``, as a list, which is read twice; others unchanged."""
    if type(X) is not GeneratorType:
        return X
    first = list(itertools.islice(X, 1))
    return first + list(X) if first and _is_pair(first[0]) else X


def _leaves(X):
    items = _items(X)
    if items is None:
        return None
    leaves = {}
    _collect(items, "", {id(X)}, leaves)
    return list(leaves.items())


def _items(X, depth=0):
    """(name, value) pairs that a collection holds directly; None for other objects and for lists that contain themselves."""
    inner = wrapped_in(X)
    X = X if inner is None else inner
    kind = type(X)
    if holds_values(X):
        return _values(X)
    if not issubclass(kind, type) and not hasattr(kind, "__array__") and not answers_everything(X):
        variables = _variables(X)
        if variables is not None:
            return variables
        for method in ("state_dict", "named_parameters"):
            if callable(attribute(X, method)):
                return _pairs(X, method)
    if not issubclass(kind, (list, tuple)) or not has_items(X) or depth >= MAX_TREE_DEPTH:
        return None
    if all(map(_is_pair, X)):
        return [(name, _as_tensor(value)) for name, value in X]
    others = [item for item in X if not _is_scalar(item)]  # scalars alone are one tensor
    records = [item for item in others if _is_record(item)]
    members = [item for item in others if not _is_record(item)] if records else others
    if not all(_is_member(item, depth + 1) for item in members) or _is_one_tensor(members, records):
        return None
    return zip(getattr(X, "_fields", range(len(X))), map(_as_tensor, X), strict=True)


def holds_values(X):
    """Whether an object holds values under names: a mapping, or a group of zarr."""
    return _is_mapping(type(X)) or is_zarr_collection(X)


def _is_mapping(kind):
    """Whether objects of a type hold values under keys, and are not arrays, too, as a sparse matrix that is a dict of its elements."""
    is_array = hasattr(kind, "toarray") or (hasattr(kind, "__array__") and hasattr(kind, "shape"))
    return issubclass(kind, Mapping) and not is_array


def is_zarr_collection(X):
    """Whether an object is a group of zarr, which is no Mapping as one of h5py is, and no pyramid, which is one tensor."""
    return is_group(X) and not is_pyramid(X)


def _values(X):
    """(key, value) pairs that a mapping or a group holds directly."""
    if is_zarr_collection(X):
        # zarr 3 opens all members at once, and one by one with a request to the store each.
        return sorted(X.members() if hasattr(X, "members") else X.items(), key=operator.itemgetter(0))
    check_open(X)
    if not is_kind(X, ("numpy",), "NpzFile"):
        return _items_of_mapping(X)
    if X.zip is None:
        raise UnsupportedError("the NpzFile of numpy is closed: load it again, and draw while it is open")
    return ((key, _entry(X, key)) for key in X)


def _items_of_mapping(X):
    """The items of a mapping; UnsupportedError where it fails to give them, as one that loads its values then may."""
    try:
        yield from X.items()
    except (ChunkError, DeviceError, MemoryError, UnsupportedError):
        raise
    except Exception as error:
        raise UnsupportedError(f"{type_text(type(X))} holds values that cannot be read: {reason_of(error)}; give a dict of the tensors "
                               "in it") from error


def _entry(X, key):
    """An array of a file of `numpy.savez`, or an `Entry`, so that one of pickled objects does not hide the others."""
    try:
        return X[key]
    except MemoryError:
        raise
    except Exception as error:
        return Entry(error)


class Entry:
    """What cannot be read: every attempt raises the reason."""

    def __init__(self, reason):
        self._reason = reason

    def __array__(self, dtype=None, copy=None):
        raise self._reason


def values_in(X, prefix="", enclosing=()):
    """(name, value) pairs of a mapping or group and of those in it, whose names are joined by points; it enters none that encloses it."""
    _check_level(enclosing)
    enclosing = (*enclosing, id(X))
    for key, value in _values(X):
        if not holds_values(value):
            yield f"{prefix}{key}", value
        elif id(value) not in enclosing:
            yield from values_in(value, f"{prefix}{key}.", enclosing)


def _check_level(enclosing):
    """ValueError within too many collections."""
    if len(enclosing) > MAX_TREE_DEPTH:
        raise ValueError(f"the collection is nested more than {MAX_TREE_DEPTH} levels deep, or creates a new one at every access: give "
                         "a dict of the tensors in it")


def _variables(X):
    """(path, variable) pairs of a model of Keras, whatever its backend, or of a module of TensorFlow; None for other objects."""
    roots = module_roots(X) if not issubclass(type(X), (list, tuple)) else ()  # TensorFlow's own lists may hold tensors, too
    for root, held in (("keras", "weights"), ("tensorflow", "variables")):
        variables = attribute(X, held) if root in roots else None
        if isinstance(variables, (list, tuple)):
            return [(_name_of(one), one) for one in variables]
    return None


def _name_of(variable):
    """The path of a variable of Keras, or the name of one of TensorFlow."""
    return attribute(variable, "path") or str(attribute(variable, "name")).removesuffix(":0")


def _pairs(X, method):
    """(name, value) pairs that a model's method returns."""
    try:
        given = getattr(X, method)()
        return [(name, value) for name, value in (given.items() if isinstance(given, Mapping) else given)]
    except MemoryError:
        raise
    except Exception as error:
        raise UnsupportedError(f"{type(X).__name__} has a {method}() that does not give pairs of a name and a tensor: "
                               f"{reason_of(error)}") from error


def _is_pair(item):
    """Whether an item is a (name, value) pair whose value is not text."""
    if not issubclass(type(item), (list, tuple)) or not has_items(item) or len(item) != 2:
        return False
    return isinstance(item[0], str) and not isinstance(item[1], (str, bytes))


def _is_scalar(item):
    """Whether an item is a number, a tensor without axes, or None."""
    try:
        return item is None or isinstance(item, Number) or bool(attribute(item, "shape") == ())
    except Exception:  # some objects have every attribute, and each of these is neither true nor false
        return False


def _is_record(item):
    """Whether an item is a named tuple of scalars, or a tuple of nothing: optax has them for the states of steps of an optimizer.

    Tuples of nothing without names are parameters of layers that have none, in JAX.
    """
    return issubclass(type(item), tuple) and (_is_named(item) or not item) and all(map(_is_scalar, item))


def _is_named(item):
    return hasattr(type(item), "_fields")


def _is_one_tensor(members, records):
    """Whether a list of members, records and scalars is one tensor, of which these are the rows or the numbers.

    A record beside an array is a row of one tensor, as it is for NumPy; beside a collection it is a part of one, as in states of optax.
    A record without fields is no row.
    """
    if not all(records):
        return not members and not any(map(_is_named, records))
    if not members:
        return True
    return len(records) > 0 and all(map(_has_axes, members))


def _as_tensor(item):
    """A plain number as an array, other items as they are."""
    return np.asarray(item) if issubclass(type(item), Number) else item


def _is_member(item, depth):
    """Whether an item is a tensor with axes or a collection: a list of these is several tensors, a list of numbers is one."""
    if issubclass(type(item), (list, tuple)):
        return has_items(item) and _items(item, depth) is not None
    return _has_axes(item) or _items(item, depth) is not None


def _has_axes(item):
    """Whether an object has a shape that is not ``()``; TensorFlow's is no tuple, and has no length where the rank is not known."""
    try:
        return len(attribute(item, "shape")) > 0
    except (TypeError, ValueError):
        return False


def _collect(items, prefix, seen, leaves):
    """Adds leaves by their names; `seen` are the ids of the enclosing collections, which are not entered again."""
    _check_level(seen)
    for place, (key, value) in enumerate(items):
        name = writable(f"{prefix}{_named(key, place)}")
        inner = None if id(value) in seen else _items(value)
        if inner is not None:
            _collect(inner, f"{name}.", seen | {id(value)}, leaves)
        elif (id(value) not in seen and value is not None and not issubclass(type(value), (str, bytes))
              and not (_is_record(value) and not value)):
            leaves[unused(name, leaves)] = _as_tensor(value)


def _named(key, place):
    """The key; of one that is a tensor, as in the ``state`` of torch's optimizers, its place, as its text would list its elements."""
    return place if hasattr(type(key), "shape") and not isinstance(key, np.generic) else key


def unused(name, taken):
    """The name, with a number added if it is taken: keys 1 and "1" give the same name."""
    unique, n = name, 2
    while unique in taken:
        unique, n = f"{name} ({n})", n + 1
    return unique


def describe_all(named, describe):
    """({name: Source}, {name: why it cannot be read}) of (name, object) pairs; UnsupportedError where none can be read."""
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
