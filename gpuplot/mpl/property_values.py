"""Values of the properties of artists are tried before a tensor is read: a wrong one must not cost a pass over it."""

import numpy as np
from matplotlib.cbook import is_scalar_or_string

from ..errors import value_text


def check_properties(artist, properties, takes_lists=True):
    """Raises what an artist, which is in no Axes and is changed, raises for a value that its property does not take.

    `takes_lists`: whether lists are values for several artists or for parts of one, which are not tried.
    """
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
