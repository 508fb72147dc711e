"""Tick labels with the names of elements, such as the columns of a table: as many as fit."""

import itertools
import math

import matplotlib as mpl
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from matplotlib.ticker import AutoLocator, Formatter, Locator, MaxNLocator

from ..plane.slice_text import name_text
from .drawable_text import drawable

# Width of a letter and distance of lines in tick labels, in font sizes.
LETTER_WIDTH, LINE_DISTANCE = 0.65, 1.3

# Beside names there is room for ticks and a label of the axis, in font sizes; names get at most this part of a figure.
LINES_BESIDE, MAX_ROOM = 2.6, 0.45

# Smallest scale of names that get too little room, and a factor for whole pixels, which make small letters wider.
MIN_SCALE, SMALLER = 0.5, 0.95

# Points that text may be outside of the figure, and how often an edge is moved: a picture as wide as its place moves by half.
MIN_SHORT, MAX_ROUNDS = 0.5, 8

# Most names that are measured to decide whether they fit side by side.
MAX_MEASURED = 1000


class NameFormatter(Formatter):
    """The name of the element at a whole number, "" elsewhere.

    `names` are those of all elements of the tensor's axis, `elements` the range of those that the picture shows.
    """

    def __init__(self, names, elements):
        self.names, self.elements = names, elements

    def __call__(self, x, pos=None):
        # docstring inherited
        i = round(x) if math.isfinite(x) else -1
        if not 0 <= i < len(self.elements) or abs(x - i) > 1e-6:
            return ""
        return _text(self.names[self.elements[i]])


def _text(name):
    return drawable(name_text(name) or "")


class NameLocator(Locator):
    """Ticks at every visible element, or every second, fifth, tenth ..., so that labels `letters` font sizes wide fit."""

    def __init__(self, n_elems, letters):
        self.n_elems, self.letters = n_elems, letters

    def __call__(self):
        # docstring inherited
        return self.tick_values(*self.axis.get_view_interval())

    def tick_values(self, vmin, vmax):
        # docstring inherited
        low, high = max(math.ceil(min(vmin, vmax)), 0), min(math.floor(max(vmin, vmax)), self.n_elems - 1)
        step = _nice(self.letters * _label_size(self.axis) / _points_per_elem(self.axis, abs(vmax - vmin)))
        return [i for i in range(low - low % step, high + 1, step) if i >= low]


def put_names(axis, names, elements):
    """Labels the ticks of a matplotlib axis with names of elements, unless a locator was chosen; rotates them where x is too narrow."""
    if type(axis.get_major_locator()) not in (AutoLocator, MaxNLocator):
        return
    axis.axes.apply_aspect()
    letters = LINE_DISTANCE
    if axis.axis_name == "x":
        longest = max((len(_text(names[i])) for i in itertools.islice(elements, MAX_MEASURED)), default=0)
        width = LETTER_WIDTH * (longest + 1)
        if width * _label_size(axis) <= _points_per_elem(axis, len(elements)):
            letters = width
        else:
            axis.set_tick_params(rotation=90)
    axis.set_major_locator(NameLocator(len(elements), letters))
    axis.set_major_formatter(NameFormatter(names, elements))
    if axis.axis_name == "y" or letters == LINE_DISTANCE:
        _make_room(axis, max((_text(names[i]) for i in itertools.islice(elements, MAX_MEASURED)), key=len, default=""))


def _make_room(axis, longest):
    """Moves the edge of a lone picture of a figure without a layout engine, so that long names stay within the figure.

    Names that need more than `MAX_ROOM` are made smaller.
    """
    ax = axis.axes
    figure, spec = ax.figure, ax.get_subplotspec()
    is_lone = spec is not None and spec.get_topmost_subplotspec().get_gridspec().get_geometry() == (1, 1)
    if not is_lone or not longest or not hasattr(figure, "get_layout_engine") or figure.get_layout_engine() is not None:
        return
    size, side = _label_size(axis), {"x": "bottom", "y": "left"}[axis.axis_name]
    points = TextPath((0, 0), longest.replace("$", "S"), size=size).get_extents().width + LINES_BESIDE * size
    width, height = figure.get_size_inches()
    side_length = 72 * (height if side == "bottom" else width)
    for _ in range(MAX_ROUNDS):
        short = points - _room(ax, side) * side_length
        if short < MIN_SHORT:
            return
        figure.subplots_adjust(**{side: min(getattr(figure.subplotpars, side) + short / side_length, MAX_ROOM)})
    room = _room(ax, side) * side_length
    if points - room >= MIN_SHORT:
        axis.set_tick_params(labelsize=size * max(MIN_SCALE, SMALLER * room / points))


def _room(ax, side):
    """The part of the figure's side that is left of a picture, or below it."""
    ax.apply_aspect()
    place = ax.get_position()
    return place.y0 if side == "bottom" else place.x0


def _label_size(axis):
    usual = mpl.rcParams[f"{axis.axis_name}tick.labelsize"]
    return FontProperties(size=axis.get_tick_params().get("labelsize", usual)).get_size_in_points()


def _points_per_elem(axis, n_elems):
    """Points per element in the Axes as it is now, with `n_elems` visible."""
    box = axis.axes.bbox
    side = box.width if axis.axis_name == "x" else box.height
    return max(72 / axis.axes.figure.dpi * side / max(n_elems, 1), 1e-6)


def _nice(least):
    """1, 2 or 5 times a power of ten, at least `least`."""
    power = 10 ** max(0, math.floor(math.log10(max(least, 1))))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9) or step == 10)
