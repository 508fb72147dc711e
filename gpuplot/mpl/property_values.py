"""Values of the properties of artists are tried before a tensor is read: a wrong one must not cost a pass over it."""

from matplotlib.cbook import is_scalar_or_string


def check_properties(artist, properties, takes_lists=True):
    """Raises what an artist, which is in no Axes and is changed, raises for a value that its property does not take.

    `takes_lists`: whether lists are values for several artists or for parts of one, which are not tried.
    """
    artist.set(**{name: value for name, value in properties.items()
                  if value is not None and not (takes_lists and not is_scalar_or_string(value)) and hasattr(artist, f"set_{name}")})
