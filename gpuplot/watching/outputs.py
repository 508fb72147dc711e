"""The tensors in a module's output (one, or those in tuples, lists, mappings and data classes), each with a path."""

import dataclasses
from collections.abc import Mapping

from ..arrays.torch_tensors import is_tensor

# Most levels of nesting and most tensors of one output that are listed.
MAX_OUTPUT_DEPTH, MAX_TENSORS = 4, 64


def paths_of(output):
    """The paths of the tensors in an output, in its order; ``[()]`` for a tensor.

    Examples
    --------
    >>> import torch                                          # doctest: +SKIP
    >>> paths_of({"x": torch.ones(2), "state": (torch.ones(3), None)})      # doctest: +SKIP
    [('x',), ('state', 0)]
    """
    found = []
    _collect(output, (), found)
    return found[:MAX_TENSORS]


def _collect(value, path, found):
    if is_tensor(value):
        found.append(path)
    elif len(path) < MAX_OUTPUT_DEPTH:
        for key, inner in _parts(value):
            _collect(inner, (*path, key), found)


def _parts(value):
    """(key, value) pairs of a collection, none for other objects."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    return []


def at(output, path):
    """The tensor at a path of an output; None if this output has none there."""
    for key in path:
        output = dict(_parts(output)).get(key)
    return output if is_tensor(output) else None


def path_text(path):
    """A path as Python text: ``"[0]['logits']"``."""
    return "".join(f"[{key!r}]" for key in path)
