"""The keyword ``data`` of drawing functions: a text among their arguments is the name of what it holds."""


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
        raise ValueError(f"data has no {value!r}")
    return found
