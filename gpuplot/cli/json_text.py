"""Statistics and comparisons -> JSON, in which NaN and infinities are null."""

import dataclasses
import json
import math

import numpy as np


def json_text(value):
    """A value of dicts, lists, numbers and arrays as strict JSON; of a list a line for each element."""
    if isinstance(value, list):
        return "[" + ",\n ".join(map(json_text, value)) + "]"
    return json.dumps(_plain(value), allow_nan=False)


def fields_of(result):
    """{name: value} of a `Stats` or a `Comparison`."""
    return {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}


def _plain(value):
    """A value with JSON's own types; keys of dicts are texts."""
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
