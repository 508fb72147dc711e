"""Checks of the keywords of `inspect` for the widget itself: sliders, panels, size, frame rate."""

import operator
from numbers import Real

from ..choices import is_listed


def check_number_between(name, value, low, high):
    """A float from `low` to `high`."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} is a number, not {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name}={value!r} is not between {low} and {high}")
    return float(value)


def check_title(title):
    """A string; "" for None."""
    if title is not None and not isinstance(title, str):
        raise TypeError(f"title is a text, not {type(title).__name__}")
    return title or ""


def find_sliders(sliders, axes):
    """The numbers of the axes that get a slider, chosen by number or name among the state's `axes`; None for all."""
    if sliders is None:
        return None
    if isinstance(sliders, (str, int)):
        sliders = (sliders,)
    if not is_listed(sliders):
        raise TypeError(f"sliders={sliders!r} must be axes, by number or name")
    return sorted({_axis_number(axis, axes) for axis in sliders})


def _axis_number(axis, axes):
    names = [entry["name"] for entry in axes]
    if isinstance(axis, str) and axis and axis in names:
        return names.index(axis)
    known = ", ".join(name or str(i) for i, name in enumerate(names)) or "none"
    try:
        number = operator.index(axis)
    except TypeError:
        raise ValueError(f"sliders: there is no axis {axis!r}; the axes are {known}") from None
    if isinstance(axis, bool) or not -len(names) <= number < len(names):
        raise ValueError(f"sliders: there is no axis {axis!r}; the axes are {known}")
    return number % len(names)
