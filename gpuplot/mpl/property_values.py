"""Values of the properties of artists are tried before a tensor is read: a wrong one must not cost a pass over it."""

import numpy as np
from matplotlib.cbook import is_scalar_or_string

from ..arrays.scalars import number_in
from ..errors import value_text


def _are_widths(value):
    """Whether matplotlib's collections can draw lines of these widths; a text may be that of a number."""
    try:
        return np.asarray(value, float).size >= 0
    except Exception:  # libraries differ in how they refuse
        return False


def _are_effects(value):
    """Whether a value is a list of path effects."""
    return isinstance(value, (list, tuple)) and all(hasattr(one, "draw_path") for one in value)


def _is_number(value):
    return number_in(value) is not None


# What matplotlib takes at a call and refuses at each draw, in words about its renderer: how a value is tried, and what it has to be.
_WIDTHS = _are_widths, "a number of points, or a list of such numbers"
_AT_DRAWS = {
    "zorder": (_is_number, "a number: of artists that overlap, one with a larger number is in front"),
    "snap": (lambda value: isinstance(value, (bool, np.bool_, int)), "True, False or None"),
    "agg_filter": (callable, "a function of an array and the dots per inch"),
    "path_effects": (_are_effects, "a list of matplotlib.patheffects"),
    "sketch_params": (_is_number, "a number: how far lines are moved; set_sketch_params(scale, length, randomness) takes more"),
    "linewidths": _WIDTHS, "linewidth": _WIDTHS, "lw": _WIDTHS,
}


def check_at_draws(properties):
    """TypeError for values that matplotlib takes at the call, and of which each draw would then fail."""
    for name, value in properties.items():
        is_drawn, meaning = _AT_DRAWS.get(name, (None, ""))
        if value is not None and is_drawn is not None and not is_drawn(value):
            raise TypeError(f"{name}={value_text(value)} must be {meaning}")


def check_properties(artist, properties, takes_lists=True):
    """Raises what an artist, which is in no Axes and is changed, raises for a value that its property does not take.

    `takes_lists`: whether lists are values for several artists or for parts of one, which are not tried.
    """
    check_at_draws(properties)
    artist.set(**{name: value for name, value in properties.items()
                  if value is not None and not (takes_lists and not is_scalar_or_string(value)) and hasattr(artist, f"set_{name}")})


def as_numbers(name, value, meaning):
    """A number as a float, several as an array of floats, None unchanged; TypeError for what cannot be numbers.

    matplotlib would take texts for categories, or refuse them after the counting or at a draw, as it does integers beyond 64 bits.
    """
    if value is None:
        return None
    try:
        numbers = np.asanyarray(value, float)
        is_number = np.asarray(value).dtype.kind in "biufO"  # texts may look like numbers
    except Exception:  # libraries differ in how they refuse
        is_number = False
    if not is_number:
        raise TypeError(f"{name}={value_text(value)} must be {meaning}")
    return numbers if numbers.ndim else float(numbers)
