"""The colorbar of an image: its room is taken before a large tensor is reduced, so that the first draw fits."""

from __future__ import annotations

import numpy as np
from matplotlib.transforms import Bbox

from .autoscaling import shown_limits
from .categories import MIXING
from .class_bars import add_class_bar
from .color_limits import colorbar_extend

__all__ = ["add_colorbar", "give_back_room", "make_room", "place_of", "refresh_ends"]

# Keywords that are about the room and not about the colorbar in it.
FREE_KEYWORDS = {"shrink", "anchor", "panchor", "cax", "ax"}  # with which callers place it themselves
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
    from matplotlib.colorbar import make_axes, make_axes_gridspec  # an eighth of the time that importing gpuplot takes

    if not isinstance(colorbar, (dict, int, np.bool_)):
        raise TypeError(f"colorbar={colorbar!r} must be True, or a dict of keywords for Figure.colorbar, such as "
                        "{'location': 'bottom'}")
    keywords = dict(colorbar) if isinstance(colorbar, dict) else {}
    keywords_given = set(keywords)
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
        if parent is ax and not FREE_KEYWORDS.intersection(keywords_given):
            cax.set_axes_locator(AlongPicture(ax, cax.get_box_aspect()))
    return cax, {name: value for name, value in keywords.items() if name not in ROOM_KEYWORDS}


def place_of(ax):
    """Where an Axes is, for `give_back_room`."""
    return ax.get_subplotspec(), ax.get_position(original=True)


class AlongPicture:
    """Places a colorbar's Axes beside the picture, as high or as wide as that is, when the figure is drawn.

    matplotlib makes it as high as the place of the Axes, of which a picture with square elements fills a part.

    Parameters
    ----------
    ax : Axes
        Of the picture.
    aspect : float
        Of the colorbar as matplotlib places it, height by width, which decides how thick it is.

    Attributes
    ----------
    on_height : callable or None
        ``on_height(cax, inches)`` hears how high a vertical colorbar is, before it is drawn.
    """

    on_height = None

    def __init__(self, ax, aspect):
        self._ax, self._aspect = ax, aspect

    def __call__(self, cax, renderer):
        locator = self._ax.get_axes_locator()
        self._ax.apply_aspect(locator(self._ax, renderer) if locator else None)
        place, picture, own = (self._ax.get_position(original=True), self._ax.get_position(), cax.get_position(original=True))
        width, height = cax.figure.get_size_inches()
        if own.x0 >= place.x1 or own.x1 <= place.x0:
            thick = min(own.width, own.height * height / self._aspect / width)
            left = own.x0 + picture.x1 - place.x1 if own.x0 >= place.x1 else own.x1 + picture.x0 - place.x0 - thick
            _note_aspect(cax, picture.height * height / (thick * width), is_vertical=True)
            if self.on_height is not None:
                self.on_height(cax, picture.height * height)
            return Bbox.from_bounds(left, picture.y0, thick, picture.height)
        thick = min(own.height, own.width * width * self._aspect / height)
        low = own.y0 + picture.y1 - place.y1 if own.y0 >= place.y1 else own.y1 + picture.y0 - place.y0 - thick
        _note_aspect(cax, picture.width * width / (thick * height), is_vertical=False)
        return Bbox.from_bounds(picture.x0, low, picture.width, thick)


def _note_aspect(cax, aspect, is_vertical):
    """Gives a colorbar its length by its thickness, also where matplotlib's layouts and pointed ends look it up."""
    if aspect > 0:
        cax.set_box_aspect(aspect if is_vertical else 1 / aspect)
        if getattr(cax, "_colorbar_info", None):
            cax._colorbar_info["aspect"] = aspect


def give_back_room(ax, room, before):
    """Undoes `make_room` after a failure; `before` is what `place_of` gave. Axes that the caller made stay."""
    spec, position = before
    if room is None or (ax.get_subplotspec(), ax.get_position(original=True)) == before:
        return
    room[0].remove()
    ax.set_position(position)
    if spec is not None:
        ax.set_subplotspec(spec)


def add_colorbar(image, room):
    """Fills the room with the colorbar of an image; its ends say whether elements lie beyond the limits."""
    cax, keywords = room
    image._tells_ends = "extend" not in keywords and not image.plane.is_rgb and bool(image.plane.size) and not image._class_options
    if image._tells_ends:
        keywords["extend"] = colorbar_extend(image.norm, shown_limits(image))
    labels = image.plane.labels
    if labels is not None and labels.values and image._cell_agg != "count":
        keywords.setdefault("label", labels.values)
    if image._class_options and image._cell_agg not in MIXING and image._find_classes().present is not None:
        return add_class_bar(image, cax, keywords)
    return image.axes.figure.colorbar(image, cax=cax, **keywords)


def refresh_ends(image):
    """Limits were found anew: the ends of the colorbar that `imshow` made say again whether elements lie beyond."""
    colorbar = image.colorbar
    if not image._tells_ends or colorbar is None or colorbar.mappable is not image:
        return
    extend = colorbar_extend(image.norm, shown_limits(image))
    if extend != colorbar.extend:
        # There is no method for it; `_inside` is those of matplotlib's boundaries that are not ends.
        colorbar.extend = extend
        colorbar._inside = slice(int(extend in ("min", "both")), -1 if extend in ("max", "both") else None)
        colorbar.update_normal(image)
