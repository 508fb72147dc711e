"""The colorbar of an image; its room is reserved before a large tensor is reduced, so that the first draw has the final size."""

import inspect

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.ticker import FixedFormatter
from matplotlib.transforms import Bbox

from ...advice import about_value
from ...errors import value_text
from ..axis_labels import fit_bar_label
from ..drawable_text import drawable
from .autoscaling import autoscale_again, is_beyond_ticks, shown_ends, tells_ends
from .bar_updates import update_bar
from .class_bars import add_class_bar, shows_classes
from .colorbar_fit import MAX_ROUNDS, keep_in_cell, match_neighbors

# Keywords about the room of a colorbar: those with which callers place it themselves, and all others.
FREE_KEYWORDS = {"shrink", "anchor", "panchor", "cax", "ax"}
ROOM_KEYWORDS = ("fraction", "pad", "shrink", "aspect", "anchor", "panchor")

# Beside a low picture a colorbar is thinner than matplotlib's, so that it is at least so many times as long as thick.
MIN_ASPECT = 5

# Limits of a logarithm where no element is above 0, as those of a large plane.
EMPTY_LIMITS = 1.0, 10.0

# Ticks of a whole turn.
PHASES = {k * np.pi / 2: text for k, text in zip(range(-2, 3), ("\u2212\u03c0", "\u2212\u03c0/2", "0", "\u03c0/2", "\u03c0"), strict=True)}
PHASE_MODES = ("phase", "amplitude_phase", "log10_amplitude_phase")

# Inches that a colorbar beside a thinner picture is at least high, or wide below it, where its Axes have the room: three numbers fit.
MIN_HEIGHT, MIN_WIDTH = 0.7, 1.2

# Inches that a colorbar is at least thick, where it has the room and keeps `MIN_ASPECT`: in thinner ones no color is seen.
MIN_THICK = 0.1


def is_wanted(colorbar):
    """Whether the parameter `colorbar` asks for one, as a dict without keywords does."""
    return bool(colorbar) or isinstance(colorbar, dict)


def make_room(ax, colorbar):
    """(Axes for the colorbar, keywords for it), with room taken from `ax` as `Figure.colorbar` takes it.

    `colorbar` is True or a dict of keywords for `Figure.colorbar`.
    """
    keywords = _keywords_of(colorbar)
    given = set(keywords)
    cax, parent = keywords.pop("cax", None), keywords.pop("ax", ax)
    use_gridspec = keywords.pop("use_gridspec", True)
    if cax is None:
        cell = ax.get_subplotspec() if use_gridspec and parent is ax else None
        cax, keywords = _new_axes(ax, parent, cell, keywords)
        if parent is ax and not FREE_KEYWORDS & given:
            is_ours = ax.figure.get_layout_engine() is None and not {"fraction", "pad"} & given
            _keep_along(cax, ax, cell if is_ours else None)
    return cax, {name: value for name, value in keywords.items() if name not in ROOM_KEYWORDS}


def check_colorbar(colorbar):
    """TypeError, before anything is computed, for what is neither true nor false nor a dict of keywords that `Figure.colorbar` has."""
    if not (colorbar is None or isinstance(colorbar, (dict, int, np.bool_))):
        example = {"label": colorbar} if isinstance(colorbar, str) else {"location": "bottom"}
        raise TypeError(f"colorbar={value_text(colorbar)} must be True, or a dict of keywords for Figure.colorbar, such as {example}")
    keywords = _keywords_of(colorbar)
    if not all(isinstance(name, str) for name in keywords):
        raise TypeError(f"colorbar={colorbar!r} must have names of keywords for Figure.colorbar, such as {{'location': 'bottom'}}")
    known = _known_keywords() if keywords else ()
    for name in keywords:
        if name not in known:
            others = about_value(name, known) or f"; it has {', '.join(known)}"
            raise TypeError(f"colorbar: Figure.colorbar has no keyword {name!r}{others}")


def _keywords_of(colorbar):
    """The keywords for `Figure.colorbar` in a parameter `colorbar`."""
    return dict(colorbar) if isinstance(colorbar, dict) else {}


def _known_keywords():
    """The keywords of `Figure.colorbar`, of which matplotlib passes most on."""
    from matplotlib.colorbar import Colorbar  # see `_new_axes`

    own = list(inspect.signature(Colorbar).parameters)
    return sorted({*own, *ROOM_KEYWORDS, "cax", "use_gridspec"}.difference(("mappable", "kwargs")))


def _new_axes(ax, parent, cell, keywords):
    """(Axes beside `parent`, other keywords) as `Figure.colorbar` makes them: in the cell of a grid, None for none, if the layout can."""
    from matplotlib.colorbar import make_axes, make_axes_gridspec  # an eighth of the time that importing gpuplot takes

    figure = ax.figure
    current, engine = figure.gca(), figure.get_layout_engine()
    if cell is not None and (engine is None or engine.colorbar_gridspec):
        cax, keywords = make_axes_gridspec(ax, **keywords)
    else:
        cax, keywords = make_axes(parent, **keywords)
    figure.sca(current)
    cax.grid(visible=False, which="both", axis="both")
    return cax, keywords


def _keep_along(cax, ax, cell):
    """Keeps a new colorbar as high or as wide as the picture in an Axes; within the cell that they share, if they do."""
    aspect = cax.get_box_aspect()
    locator = AlongPicture(ax, aspect if cax._colorbar_info["location"] in ("left", "right") else 1 / aspect, cell)
    cax.set_axes_locator(locator)
    cax.get_tightbbox = RoomForLayout(cax, locator)
    _imagine_ticks(cax)
    keep_in_cell(cax)


def position_of(ax):
    """The position of an Axes, for `give_back_room`."""
    return ax.get_subplotspec(), ax.get_position(original=True)


class AlongPicture:
    """An Axes locator that places a colorbar beside its picture, as high or as wide as the picture is, at every draw.

    matplotlib makes it as high as the place of the Axes, of which a picture with square elements fills a part. Beside a thin picture it
    is longer, so that its numbers do not overlap.

    Parameters
    ----------
    ax : Axes
        Of the picture.
    aspect : float
        Of the colorbar as matplotlib places it, length by thickness, which decides how thick it is.
    cell : SubplotSpec, optional
        Shared by picture and colorbar, where no layout engine makes room for the numbers beside the colorbar.

    Attributes
    ----------
    largest_text : float
        Largest size of the numbers, in points.
    least_height : float
        Inches that a vertical colorbar is high, where its place in the figure is.
    on_height : callable or None
        ``on_height(cax, inches)`` is told the height of a vertical colorbar before it is drawn.
    """

    on_height = None
    largest_text = np.inf
    least_height = MIN_HEIGHT
    is_for_layout = False

    def __init__(self, ax, aspect, cell=None):
        self.picture_axes, self._aspect, self.cell = ax, aspect, cell

    def __call__(self, cax, renderer):
        if self.picture_axes.figure is None:  # somebody removed it: the colorbar stays where the grid puts it
            return cax.get_position(original=True)
        locator = self.picture_axes.get_axes_locator()
        self.picture_axes.apply_aspect(locator(self.picture_axes, renderer) if locator else None)
        picture, own = self.picture_axes.get_position(), cax.get_position(original=True)
        place = picture if self.is_for_layout else self.picture_axes.get_position(original=True)
        location = cax._colorbar_info["location"]
        is_vertical = location in ("left", "right")
        along, across = (1, 0) if is_vertical else (0, 1)
        inches = cax.figure.bbox.size / cax.figure.dpi
        least = (self.least_height if is_vertical else MIN_WIDTH) / inches[along]
        start, length = _along(picture.p0[along], picture.size[along], own.p0[along], own.size[along], least)
        usual = max(own.size[along] * inches[along] / self._aspect, MIN_THICK)
        thick = min(own.size[across], usual / inches[across], length * inches[along] / MIN_ASPECT / inches[across])
        if location in ("right", "top"):
            edge = own.p0[across] + picture.p1[across] - place.p1[across]
        else:
            edge = own.p1[across] + picture.p0[across] - place.p0[across] - thick
        _note_aspect(cax, length * inches[along] / (thick * inches[across]), is_vertical)
        if is_vertical and self.on_height is not None:
            self.on_height(cax, length * inches[along])
        return Bbox.from_bounds(edge, start, thick, length) if is_vertical else Bbox.from_bounds(start, edge, length, thick)


def _along(start, length, own_start, own_length, least):
    """(start, length) of a colorbar beside a picture with these: at least of a length, within its own place in the figure."""
    longer = max(length, min(own_length, least))
    if longer == length:
        return start, length
    middle = start + length / 2 - longer / 2
    return min(max(middle, own_start), own_start + own_length - longer), longer


class RoomForLayout:
    """The `get_tightbbox` of a colorbar's Axes: layout engines measure it where they placed it, not beside the picture.

    They get the widest numbers that it had with these limits: longer numbers make the picture smaller and so the colorbar shorter,
    which may have shorter ones, so that a layout would go to and fro between the two.
    """

    def __init__(self, cax, locator):
        self._cax, self.locator = cax, locator
        self._widest = {}

    def __call__(self, renderer=None, *args, for_layout_only=False, **keywords):
        self.locator.is_for_layout = for_layout_only
        try:
            box = type(self._cax).get_tightbbox(self._cax, renderer, *args, for_layout_only=for_layout_only, **keywords)
            return self._as_wide_as_before(box) if for_layout_only and box is not None else box
        finally:
            self.locator.is_for_layout = False

    def _as_wide_as_before(self, box):
        """The box with room for the widest numbers that stood beside a vertical colorbar of these limits, in a figure of this size."""
        cax, location = self._cax, self._cax._colorbar_info["location"]
        if location not in ("left", "right"):
            return box
        situation = *cax.figure.bbox.size, *cax.get_ylim(), cax.yaxis.get_tick_params().get("labelsize")
        beside = box.width - cax.get_window_extent().width
        self._widest = {situation: max(beside, self._widest.get(situation, 0))}
        more = self._widest[situation] - beside
        x0, x1 = (box.x0 - more, box.x1) if location == "left" else (box.x0, box.x1 + more)
        return Bbox.from_extents(x0, box.y0, x1, box.y1)


def _imagine_ticks(cax):
    """Gives an empty colorbar typical ticks, so that neighboring pictures get the same room."""
    location = cax._colorbar_info["location"]
    axis, other = (cax.yaxis, cax.xaxis) if location in ("left", "right") else (cax.xaxis, cax.yaxis)
    axis.set_ticks_position(location)
    axis.set_view_interval(-0.25, 0.25, ignore=True)
    other.set_ticks([])


def _note_aspect(cax, aspect, is_vertical):
    """Tells matplotlib's layouts and pointed ends the length of a colorbar by its thickness."""
    if aspect > 0:
        cax.set_box_aspect(aspect if is_vertical else 1 / aspect)
        if getattr(cax, "_colorbar_info", None):
            cax._colorbar_info["aspect"] = aspect


def give_back_room(ax, room, before):
    """Undoes `make_room` after a failure; `before` is the result of `position_of`. Axes that the caller made stay."""
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
    fit_bar_label(image.axes, image.colorbar)
    if room[0].yaxis.get_ticks_position() == "right":
        room[0].yaxis.set_offset_position("left")  # "1e-6" begins at the colorbar, and does not end there, above a picture's title
    for _ in range(MAX_ROUNDS):
        if not keep_in_cell(room[0]) or not _follow_size(image):
            break
    for ax in match_neighbors(room[0]):
        for other in ax.images:
            _follow_size(other)


def _follow_size(image):
    """Finds limits of pixels again, as the picture has another size; False for an image without such limits."""
    auto = getattr(image, "_auto_limits", None)  # matplotlib's own images have none
    if auto is None or auto.seen is None:
        return False
    autoscale_again(image)
    refresh_ends(image)
    return True


def _fill(image, cax, keywords):
    image._tells_ends = "extend" not in keywords and tells_ends(image)
    if image._tells_ends:
        keywords["extend"] = shown_ends(image)
    keywords = value_label(image) | keywords
    if shows_classes(image):
        return add_class_bar(image, cax, keywords)
    if isinstance(image.norm, LogNorm) and (image.norm.vmin, image.norm.vmax) in ((0, 0), (None, None)):  # none above 0
        image.norm.vmin, image.norm.vmax = EMPTY_LIMITS
    if is_beyond_ticks(image.norm):
        return _add_bar_of_largest(image, cax, keywords)
    if not {"ticks", "format"} & keywords.keys():
        keywords |= phase_ticks(image)
    return image.axes.figure.colorbar(image, cax=cax, **keywords)


def value_label(image):
    """The keyword of `Figure.colorbar` that says what the values of an image are, if that is known."""
    labels = image.plane.labels
    return {"label": drawable(labels.values)} if labels is not None and labels.values and image._cell_agg != "count" else {}


def phase_ticks(image):
    """Keywords of `Figure.colorbar` for the ticks of an image of phases; none for others."""
    return {"ticks": list(PHASES), "format": FixedFormatter(list(PHASES.values()))} if _shows_a_turn(image) else {}


def _shows_a_turn(image):
    """Whether the colors are those of all phases, from -pi to pi."""
    view = image.plane.view
    return view is not None and view.complex_mode in PHASE_MODES and (image.norm.vmin, image.norm.vmax) == (min(PHASES), max(PHASES))


def _add_bar_of_largest(image, cax, keywords):
    """A colorbar where sums of two numbers within the limits, by which matplotlib finds colors and ticks, are infinite."""
    borders = np.asarray(image.norm.inverse(np.linspace(0, 1, image.cmap.N + 1)))
    how = {"boundaries": borders, "values": borders[:-1] + np.diff(borders) / 2, "spacing": "proportional", "ticks": borders[[0, -1]]}
    colorbar = image.axes.figure.colorbar(image, cax=cax, **how | keywords)
    colorbar.minorticks_off()
    return colorbar


def refresh_ends(image):
    """Updates the ends of the colorbar that `imshow` made, of this image or of the one `_beside` it, after a change of limits."""
    for one in (image, image._beside):
        if one is not None and one.plane is not None:
            _refresh_own_ends(one)


def _refresh_own_ends(image):
    colorbar = image.colorbar
    if not image._tells_ends or colorbar is None or colorbar.mappable is not image:
        return
    extend = shown_ends(image)
    if extend != colorbar.extend:
        # matplotlib has no method for it; `_inside` selects the boundaries that are not ends.
        colorbar.extend = extend
        colorbar._inside = slice(int(extend in ("min", "both")), -1 if extend in ("max", "both") else None)
        update_bar(colorbar, image)
