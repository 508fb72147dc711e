"""The colorbar of an image: its room is taken before a large tensor is reduced, so that the first draw fits."""

from __future__ import annotations

from matplotlib.colorbar import make_axes, make_axes_gridspec

from .color_limits import colorbar_extend

__all__ = ["add_colorbar", "make_room"]

# Keywords that are about the room and not about the colorbar in it.
ROOM_KEYWORDS = ("fraction", "pad", "shrink", "aspect", "anchor", "panchor")


def make_room(ax, colorbar):
    """(Axes for the colorbar, keywords for it), the room taken from `ax` as `Figure.colorbar` takes it.

    Parameters
    ----------
    ax : Axes
        Of the image.
    colorbar : bool or dict
        Keywords for `Figure.colorbar`.
    """
    keywords = dict(colorbar) if isinstance(colorbar, dict) else {}
    cax, parent = keywords.pop("cax", None), keywords.pop("ax", ax)
    use_gridspec = keywords.pop("use_gridspec", True)
    if cax is None:
        figure = ax.figure
        current, engine = figure.gca(), figure.get_layout_engine()
        is_gridspec = use_gridspec and parent is ax and ax.get_subplotspec() is not None
        if is_gridspec and (engine is None or engine.colorbar_gridspec):
            cax, keywords = make_axes_gridspec(ax, **keywords)
        else:
            cax, keywords = make_axes(parent, **keywords)
        figure.sca(current)
        cax.grid(visible=False, which="both", axis="both")
    return cax, {name: value for name, value in keywords.items() if name not in ROOM_KEYWORDS}


def add_colorbar(image, room):
    """Fills the room with the colorbar of an image; its ends say whether elements lie beyond the limits."""
    cax, keywords = room
    if not image.plane.is_rgb and image.plane.size:
        keywords.setdefault("extend", colorbar_extend(image.norm, image.limits()))
    return image.axes.figure.colorbar(image, cax=cax, **keywords)
