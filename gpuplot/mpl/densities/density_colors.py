"""Colors of densities that were given none: one in an Axes has the colormap, several have a color of the cycle each."""

from __future__ import annotations

from .density_style import density_cmap


def choose_color(ax, color, cmap):
    """The color of a new density of counts in an Axes; None for the colormap.

    Where neither `color` nor `cmap` is given and the Axes have such densities, it is the next color of the cycle.
    """
    earlier = _of_no_color(ax)
    return color if color is not None or cmap is not None or not earlier else f"C{_next(earlier)}"


def note_default(image, color, cmap):
    """Notes whether nobody chose the colors of a density that is in its Axes now; `color` and `cmap` are what the user gave.

    If the Axes have another such density, the first of these gets the first color of the cycle, unless somebody gave it another colormap,
    or a colorbar, which shows it.
    """
    if color is not None or cmap is not None:
        return
    earlier = _of_no_color(image.axes)
    image._nth_in_cycle = _next(earlier)
    image._default_cmap = None if earlier else image.cmap
    for other in earlier:
        if other.cmap is other._default_cmap and other.colorbar is None:
            other.set_cmap(density_cmap(None, "C0", other.get_alpha()))
            other._legend.set_color("C0")


def _next(earlier):
    return max((image._nth_in_cycle for image in earlier), default=-1) + 1


def _of_no_color(ax):
    return [image for image in ax.images if getattr(image, "_nth_in_cycle", None) is not None]
