"""Parameters that are one of a few values, or an integer in a range."""

import operator
from itertools import islice

import numpy as np

from .advice import about_value
from .errors import UnsupportedError, type_text, value_text


def check_choice(name, value, known):
    """`value`, or a ValueError that lists the `known` values."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name}={value_text(value)} is not one of {', '.join(known)}{about_value(value, known)}")
    return value


def check_flag(name, value, *others):
    """`value`, a bool of Python or NumPy as one of Python; ValueError where it is neither that nor one of the `others`."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if any(isinstance(value, type(other)) and value == other for other in others):
        return value
    raise ValueError(f"{name}={value_text(value)} is not one of {', '.join(map(repr, (*others, True, False)))}")


def check_truth(name, value):
    """TypeError for a value that is neither true nor false, as an array of several elements, in the place of a flag.

    ValueError for text, which is true whatever it says: "no", too.
    """
    if isinstance(value, (str, bytes)):
        check_flag(name, value)
    try:
        bool(value)
    except Exception:
        raise TypeError(f"{name} is True or False, not {type_text(type(value))}") from None


# Longer lists are values, whose items are checked where they are read.
_MOST_NAMES = 100


def refuse_pointers(name, value):
    """UnsupportedError for an object that `lends_objects`. Items of short lists, such as labels and widths, are looked at as well."""
    for one in value[:_MOST_NAMES] if type(value) in (list, tuple) else (value,):
        if lends_objects(one):
            raise UnsupportedError(f"{name}={type_text(type(one))} has elements that are not numbers but Python's objects, by its "
                                   "array interface: give an array of NumPy")


# Types of most values, which have no array interface, or own their objects.
_HARMLESS = (type(None), bool, int, float, str, np.ndarray, np.generic)


def lends_objects(value):
    """Whether an array interface says that memory holds Python's objects: NumPy would take any bytes there for pointers to some.

    Arrays of NumPy own their objects.
    """
    if issubclass(type(value), _HARMLESS):
        return False
    try:
        interface = value.__array_interface__
        return "O" in f"{interface['typestr']} {interface.get('descr')}"
    except Exception:  # most objects have no interface, and those of others may raise anything
        return False


def is_listed(value):
    """Whether a value can be iterated over: text does not count, nor an array without axes, whose type alone has ``__iter__``."""
    try:
        return not isinstance(value, (str, bytes)) and iter(value) is not None
    except Exception:  # libraries differ in how they refuse
        return False


def ordered_items(value, most):
    """The first `most` items of a list, tuple, array, ...; () for what has none, or in no order of its own, as a set."""
    try:
        return () if isinstance(value, (str, bytes, set, frozenset, dict)) else tuple(islice(value, most))
    except Exception:  # libraries differ in how they refuse
        return ()


def is_default(value, default):
    """Whether a keyword has its default; `==` is for texts and numbers only, as arrays compare element by element."""
    return value is default or (isinstance(value, (str, int, np.bool_)) and value == default)


def check_integer(name, value, low, high=None):
    """An int from `low` to `high`, which may be left out; TypeError for a bool and what else is no integer, ValueError beyond the range."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except Exception:  # libraries differ in how they refuse
        number = None
    if number is None:
        raise TypeError(f"{name} is an integer, not {type(value).__name__}")
    if number < low or (high is not None and number > high):
        raise ValueError(f"{name}={value!r} is not {f'between {low} and {high}' if high is not None else f'an integer from {low} on'}")
    return number
