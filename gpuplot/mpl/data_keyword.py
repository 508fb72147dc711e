"""The keyword ``data`` of drawing functions: a text among their arguments is the name of what it holds."""

from ..advice import about_value
from ..choices import ordered_items

# Names that are compared with one that is missing.
MAX_NAMES = 1000


def looked_up(value, data):
    """A text replaced by what `data` holds under it, if that can be had; another value unchanged. As matplotlib's ``data=``."""
    if data is None or not issubclass(type(value), str):
        return value
    try:
        return data[value]
    except Exception:
        return value


def tensor_in(value, data):
    """The same for an argument that is no text itself: ValueError where `data` has no such name."""
    found = looked_up(value, data)
    if data is not None and found is value and issubclass(type(value), str):
        raise ValueError(f"data has no {value!r}{about_value(value, _names_in(data))}")
    return found


def _names_in(data):
    """The first names of a dict, a table or a file of arrays that are texts; [] where they cannot be had."""
    try:
        keys = getattr(data, "keys", None)  # polars has columns instead
        names = keys() if callable(keys) else data.columns
    except Exception:  # any object may be given
        return []
    return [name for name in ordered_items(names, MAX_NAMES) if isinstance(name, str)]
