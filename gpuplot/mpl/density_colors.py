"""Colors of densities that were given none: one in an Axes has the colormap, several have a color of the cycle each."""

from __future__ import annotations

from .density_style import density_cmap


def choose_color(ax, color, cmap):
    """The color of a new density of counts in an Axes; None for the colormap.

    Where neither `color` nor `cmap` is given and the Axes have such densities, it is the next color of the cycle. The first of these then
    gets the first color of the cycle, unless somebody gave it another colormap, or a colorbar, which shows it.
    """
    earlier = _of_no_color(ax)
    if color is not None or cmap is not None or not earlier:
        return color
    for image in earlier:
        if image.cmap is image._default_cmap and image.colorbar is None:
            image.set_cmap(density_cmap(None, "C0", image.get_alpha()))
            image._color_legend("C0")
    return f"C{max(image._nth_in_cycle for image in earlier) + 1}"


def note_default(image, color, cmap):
    """Notes whether nobody chose the colors of a density that is in its Axes; `color` and `cmap` are what the user gave."""
    if color is None and cmap is None:
        others = [other._nth_in_cycle for other in _of_no_color(image.axes)]
        image._nth_in_cycle, image._default_cmap = max(others, default=-1) + 1, None if others else image.cmap


def _of_no_color(ax):
    return [image for image in ax.images if getattr(image, "_nth_in_cycle", None) is not None]
