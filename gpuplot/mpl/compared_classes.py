"""`compare` of class numbers: checks of its keywords, which numbers are left out, and a picture of where the two differ."""

from __future__ import annotations

from matplotlib.colors import ListedColormap

from .. import _native
from ..color.categories import MIXING, check_categorical, check_ignored, check_style_of_classes
from ..color.classes import Classes, check_ignore_index
from ..plane.tensor_plane import plane_of
from .imshow import imshow

# Colors of elements whose classes are equal, and of others; elements that are left out have none.
EQUAL, DIFFERENT = "#e0e0e0", "#d62728"


def check_classes(sources, views, options, rtol, atol):
    """Whether the two are class numbers; ValueError for keywords that do not go with these."""
    check_ignored(options["ignore_index"], options["categorical"])
    is_class = [check_categorical(options["categorical"], source.dtype, view) for source, view in zip(sources, views, strict=True)]
    if not all(is_class):
        return False
    check_style_of_classes(options)
    if options["agg"] in MIXING:
        raise ValueError(f"agg={options['agg']!r} mixes class numbers: give agg='nearest' or 'max', or leave categorical out")
    for name, value in (("rtol", rtol), ("atol", atol), ("cmap", options["cmap"])):
        if value is not None:
            raise ValueError(f"{name}={value!r}: classes are equal or not, and have one color each in both pictures; leave it out, or "
                             "leave categorical out")
    return True


def ignored_classes(sources, views, options):
    """The numbers that are no classes, as a tuple in rising order: as given, or what `imshow` guesses of either of the two planes."""
    given = check_ignore_index(options["ignore_index"])
    if given is not None:
        return tuple(sorted(given))
    planes = [plane_of(source, view, options["nan"]) for source, view in zip(sources, views, strict=True)]
    return tuple(sorted(frozenset().union(*(Classes.of(plane, plane.limits(_native.WANT_RANGE)).ignored for plane in planes))))


def draw_places(plane, ax, aspect):
    """Draws where the classes of two tensors differ: a pixel does where any of the elements under it do."""
    colors = {"cmap": ListedColormap([EQUAL]), "under_color": DIFFERENT, "over_color": DIFFERENT}
    return imshow(plane, ax=ax, aspect=aspect, vmin=-0.5, vmax=0.5, agg="absmax", interpolation="nearest", nan="auto", **colors)
