"""The colorbar of an image: its room is taken before a large tensor is reduced, so that the first draw fits."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.transforms import Bbox

from ..color.categories import MIXING
from ..color.color_limits import colorbar_extend
from .autoscaling import shown_limits, tells_ends
from .class_bars import add_class_bar

__all__ = ["add_colorbar", "give_back_room", "keep_in_cell", "make_room", "place_of", "refresh_ends"]

# Keywords that are about the room and not about the colorbar in it.
FREE_KEYWORDS = {"shrink", "anchor", "panchor", "cax", "ax"}  # with which callers place it themselves
ROOM_KEYWORDS = ("fraction", "pad", "shrink", "aspect", "anchor", "panchor")

# The part of a subplot's cell that a picture keeps beside a wide colorbar, and points that the numbers beside that keep: at first,
# and where that is not enough. Names of classes get as small as they must, once a picture has its least.
LEAST = (0.6, 6.5), (0.4, 5.0)

# A step, in parts of the figure, that nobody would see.
MIN_STEP = 1e-4

# Beside a low picture a colorbar is thinner than matplotlib's, so that it stays so many times as long as thick.
MIN_ASPECT = 5

# A smaller picture has a shorter colorbar, which has other ticks: so often is measured.
MAX_ROUNDS = 4


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
        current, engine, cell = figure.gca(), figure.get_layout_engine(), ax.get_subplotspec()
        is_gridspec = use_gridspec and parent is ax and ax.get_subplotspec() is not None
        if is_gridspec and (engine is None or engine.colorbar_gridspec):
            cax, keywords = make_axes_gridspec(ax, **keywords)
        else:
            cax, keywords = make_axes(parent, **keywords)
        figure.sca(current)
        cax.grid(visible=False, which="both", axis="both")
        if parent is ax and not FREE_KEYWORDS.intersection(keywords_given):
            is_ours = engine is None and is_gridspec and not {"fraction", "pad"} & keywords_given
            locator = AlongPicture(ax, cax.get_box_aspect(), cell if is_ours else None)
            cax.set_axes_locator(locator)
            cax.get_tightbbox = RoomForLayout(cax, locator)
            _imagine_ticks(cax)
            keep_in_cell(cax)
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
    cell : SubplotSpec, optional
        What picture and colorbar share, where no layout engine makes room for what is written beside the colorbar.

    Attributes
    ----------
    largest_text : float
        Points that what is written beside the colorbar may have.
    on_height : callable or None
        ``on_height(cax, inches)`` hears how high a vertical colorbar is, before it is drawn.
    """

    on_height = None
    largest_text = np.inf
    is_for_layout = False

    def __init__(self, ax, aspect, cell=None):
        self.picture_axes, self._aspect, self.cell = ax, aspect, cell

    def __call__(self, cax, renderer):
        locator = self.picture_axes.get_axes_locator()
        self.picture_axes.apply_aspect(locator(self.picture_axes, renderer) if locator else None)
        picture, own = self.picture_axes.get_position(), cax.get_position(original=True)
        place = picture if self.is_for_layout else self.picture_axes.get_position(original=True)
        width, height = cax.figure.bbox.size / cax.figure.dpi
        location = cax._colorbar_info["location"]
        if location in ("left", "right"):
            thick = min(own.width, own.height * height / self._aspect / width, picture.height * height / MIN_ASPECT / width)
            left = own.x0 + picture.x1 - place.x1 if location == "right" else own.x1 + picture.x0 - place.x0 - thick
            _note_aspect(cax, picture.height * height / (thick * width), is_vertical=True)
            if self.on_height is not None:
                self.on_height(cax, picture.height * height)
            return Bbox.from_bounds(left, picture.y0, thick, picture.height)
        thick = min(own.height, own.width * width * self._aspect / height, picture.width * width / MIN_ASPECT / height)
        low = own.y0 + picture.y1 - place.y1 if location == "top" else own.y1 + picture.y0 - place.y0 - thick
        _note_aspect(cax, picture.width * width / (thick * height), is_vertical=False)
        return Bbox.from_bounds(picture.x0, low, picture.width, thick)


class RoomForLayout:
    """The `get_tightbbox` of a colorbar's Axes: layout engines measure it where they placed it, not where it is moved to.

    Parameters
    ----------
    cax : Axes
    locator : AlongPicture
    """

    def __init__(self, cax, locator):
        self._cax, self.locator = cax, locator

    def __call__(self, renderer=None, *args, for_layout_only=False, **keywords):
        self.locator.is_for_layout = for_layout_only
        try:
            return type(self._cax).get_tightbbox(self._cax, renderer, *args, for_layout_only=for_layout_only, **keywords)
        finally:
            self.locator.is_for_layout = False


def _imagine_ticks(cax):
    """Gives a colorbar that is to be filled the ticks that many have: pictures beside each other get the same room."""
    location = cax._colorbar_info["location"]
    axis, other = (cax.yaxis, cax.xaxis) if location in ("left", "right") else (cax.xaxis, cax.yaxis)
    axis.set_ticks_position(location)
    axis.set_view_interval(-0.25, 0.25, ignore=True)
    other.set_ticks([])


def keep_in_cell(cax):
    """Moves the edge between a picture and its colorbar so far that what is written beside that stays in their subplot's cell.

    Without a layout engine nobody else does. Where a picture would become small, so do the numbers or names; see `LEAST`.

    Parameters
    ----------
    cax : Axes
        Of the colorbar.

    Returns
    -------
    bool
        Whether the picture is smaller now.
    """
    locator = getattr(cax.get_tightbbox, "locator", None)
    if locator is None or locator.cell is None or (_is_alone(locator.cell) and locator.on_height is None):
        return False  # numbers fit into the margin of a figure with one picture
    before = locator.picture_axes.get_position(original=True).bounds
    for least_picture, least_text in LEAST[locator.on_height is not None:]:
        for _ in range(MAX_ROUNDS):
            beyond = _beyond_cell(cax, locator)
            if beyond <= 0:
                break
            if not _move_edge(locator.picture_axes, cax, locator.cell, beyond, least_picture):
                _shrink_text(cax, locator, beyond, least_text)
    return locator.picture_axes.get_position(original=True).bounds != before


def _is_alone(cell):
    return cell.get_gridspec().get_geometry() == (1, 1)


def _beyond_cell(cax, locator):
    """The part of the figure by which a colorbar and its texts reach out of their cell, or out of the figure where that has one."""
    figure, location, cell = cax.figure, cax._colorbar_info["location"], locator.cell
    to_figure = figure.transSubfigure.inverted()
    box = cax.get_tightbbox(figure._get_renderer()).transformed(to_figure)
    n_rows, n_cols = cell.get_gridspec().get_geometry()
    has_neighbor = (n_cols if location in ("left", "right") else n_rows) > 1
    edges = cell.get_position(figure) if has_neighbor else Bbox.unit()
    beyond = {"right": box.x1 - edges.x1, "left": edges.x0 - box.x0, "top": box.y1 - edges.y1, "bottom": edges.y0 - box.y0}
    if location == "right" and has_neighbor:  # whose own ticks are as long as ours
        *_, lefts, rights = cell.get_gridspec().get_grid_positions(figure)
        ticks = locator.picture_axes.yaxis.get_tightbbox(figure._get_renderer())
        reach = 0 if ticks is None else edges.x0 - ticks.transformed(to_figure).x0
        return beyond["right"] + max(0, reach - (lefts[1] - rights[0]))
    return beyond[location]


def _move_edge(ax, cax, cell, step, least_picture):
    """Gives a part of a picture's place to its colorbar, or less where little is left; False where nothing is."""
    grid, location = ax.get_subplotspec().get_gridspec(), cax._colorbar_info["location"]
    name = "width" if location in ("left", "right") else "height"
    whole, picture, bar = (getattr(place, name) for place in (
        cell.get_position(ax.figure), ax.get_position(original=True), cax.get_position(original=True)))
    step = min(step, picture - least_picture * whole)
    if step <= MIN_STEP:
        return False
    parts = [picture - step, bar + step]
    getattr(grid, f"set_{name}_ratios")(parts if location in ("right", "bottom") else parts[::-1])
    for each in (ax, cax):
        each.set_subplotspec(each.get_subplotspec())
    return True


def _shrink_text(cax, locator, beyond, least):
    """Makes numbers, or names of classes, so much smaller as they reach out of their cell."""
    width = cax.get_tightbbox(cax.figure._get_renderer()).width / cax.figure.bbox.width
    size = cax.yaxis.get_tick_params().get("labelsize") or FontProperties(size=mpl.rcParams["ytick.labelsize"]).get_size()
    locator.largest_text = size * max(0.1, 1 - beyond / width)
    if locator.on_height is not None:
        locator(cax, None)
    else:
        cax.tick_params(labelsize=max(least, locator.largest_text))


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
    _fill(image, *room)
    for _ in range(MAX_ROUNDS):
        found = image._found
        if not keep_in_cell(room[0]) or found is None or found.seen is None:
            break
        image.autoscale()  # the pixels are others now, and so may be the numbers beside them


def _fill(image, cax, keywords):
    image._tells_ends = "extend" not in keywords and tells_ends(image)
    if image._tells_ends:
        keywords["extend"] = colorbar_extend(image.norm, shown_limits(image))
    labels = image.plane.labels
    if labels is not None and labels.values and image._cell_agg != "count":
        keywords.setdefault("label", labels.values)
    if image._class_options and image._cell_agg not in MIXING and image._present_classes() is not None:
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
