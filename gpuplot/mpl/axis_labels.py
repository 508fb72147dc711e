"""A tensor's own axis names, dates and element names -> labels and ticks of a matplotlib Axes."""

import re
import textwrap

from ..arrays.optional_imports import attribute, is_kind
from ..plane.coordinates import axis_edges, is_drawable
from .date_ticks import short_dates
from .drawable_text import drawable
from .name_ticks import put_names

POINTS_PER_INCH = 72

# Smallest scale of a long text.
MIN_SCALE = 0.55

# The room for a title, in widths of a subplot: the gap between two is a fifth of one. That for the label of a colorbar, in sizes of a
# subplot, where layout engines put no gap between it and its neighbor, or of the figure.
TITLE_ROOM = 1.08
LABEL_ROOM, LABEL_ROOM_IN_FIGURE = 0.9, 0.95

# The part of its room that the longest of several lines fills, as there are more of them that come near those of a neighbor.
LINE_PART = 0.9

# A space at which no line ends, and what has such spaces: "name = value", a unit, a remark.
NO_BREAK = "\u00a0"
TOGETHER = re.compile(r" = | (?=\[)|\([^()]{1,30}\)")

# The width of a wide letter, in sizes of the font: titles that would fit with such letters are not measured.
WIDE_LETTER = 0.7


def write_labels(labels, ax, placement, is_free):
    """Labels the axes of an Axes that have no label, lets them show dates, and puts names of elements at ticks.

    `labels` are `PictureLabels`; `placement` is the `Placement` by coordinates or None; `is_free` is False where the extent or the
    transform is the caller's.
    """
    for name, axis in (("x", labels.cols), ("y", labels.rows)):
        if axis is not None and not getattr(ax, f"get_{name}label")():
            text = f"{axis.name} (position)" if is_free and _shows_positions(axis) else axis.label
            getattr(ax, f"set_{name}label")(drawable(text))
        if is_free and axis is not None and axis.names is not None and _counts_elements(axis):
            put_names(getattr(ax, f"{name}axis"), axis.names, range(len(axis.names)) if axis.elements is None else axis.elements)
    if placement is not None:
        for name, is_date in zip("xy", placement.is_date, strict=True):
            if is_date:
                _show_dates(getattr(ax, f"{name}axis"))


def label_axes(ax, x, y):
    """Labels those axes of an Axes that have no label, with texts, "" for none."""
    if x and not ax.get_xlabel():
        ax.set_xlabel(drawable(x))
    if y and not ax.get_ylabel():
        ax.set_ylabel(drawable(y))


def values_label(source, X):
    """The name and unit of a tensor's values, or the name of the column X of a table; "" for none."""
    return name_of_column(X) if source.labels is None else drawable(source.labels.values)


def name_of_column(X):
    """The name of a column of pandas, polars or cuDF; "" for none, and for other objects."""
    name = attribute(X, "name") if is_kind(X, ("pandas", "polars", "cudf"), "Series") else None
    return drawable(name) if isinstance(name, str) else ""


def _counts_elements(axis):
    """Whether a picture has no coordinates along an axis."""
    return axis.positions is None or not len(axis.positions) or not is_drawable(axis, axis_edges(axis))


def _shows_positions(axis):
    """Whether a picture counts elements along an axis that has (uneven) coordinates."""
    return bool(axis.name) and axis.positions is not None and _counts_elements(axis) and not axis.is_table


def _show_dates(axis):
    """Makes an axis one of dates."""
    with short_dates(axis):
        axis.axis_date()


def name_axes(image):
    """Writes names of axes and the place of the slice where an image's Axes has no labels and title; follows `set_index`."""
    plane, ax = image.plane, image.axes
    if plane is None or ax is None:
        return
    view = plane.view
    if view is not None and view.names:
        x, y = ("" if axis is None else view.names[axis] for axis in (view.col_axis, view.row_axis))
        label_axes(ax, x, y)
    before, image._slice_title = image._slice_title, drawable(plane.slice_text)
    if image._slice_title != before and _is_title_ours(ax, image, before):
        ax.set_title(image._slice_title)
        fit_title(ax)


def _is_title_ours(ax, image, before):
    """Whether the user gave no title: that of the Axes is the one from `before`, or that of another image's slice."""
    if ax.get_title("left") or ax.get_title("right"):
        return False
    others = [getattr(other, "_slice_title", "") for other in ax.images] if image._slice_title else []
    return _in_one_line(ax.get_title()) in map(_in_one_line, (before, *others))


def put_title(ax, *parts):
    """Writes texts, "" for none, one after the other as the title, as small as they have to be."""
    ax.set_title(drawable(" \u00b7 ".join(filter(None, parts))))
    fit_title(ax)


def fit_title(ax):
    """Shrinks a title that would reach its neighbor or leave the figure, down to `MIN_SCALE` of its size, and then breaks its lines."""
    _fit(ax.title, min(TITLE_ROOM * _size_of_cell(ax, 0), _room_in_figure(ax, 0)) * ax.figure.bbox.width)


def fit_bar_label(ax, colorbar):
    """Does with the label of a colorbar beside an Axes what `fit_title` does with a title."""
    side = int(colorbar.orientation == "vertical")
    room, spec = LABEL_ROOM_IN_FIGURE * _room_in_figure(ax, side), ax.get_subplotspec()
    if spec is not None and spec.get_topmost_subplotspec().get_gridspec().get_geometry()[1 - side] > 1:
        room = min(room, LABEL_ROOM * _size_of_cell(ax, side))
    _fit((colorbar.ax.yaxis if side else colorbar.ax.xaxis).label, room * ax.figure.bbox.size[side])


def _fit(text, room):
    """Gives a text that is longer than so many pixels smaller letters, and lines of about this length where these are not enough."""
    size, points = text.get_fontsize(), _points(room, text.figure)
    if len(text.get_text()) * size * WIDE_LETTER <= points:
        return
    length = _length(text)
    if length * MIN_SCALE > points:
        points *= LINE_PART
        n_letters = max(map(len, text.get_text().split("\n")))
        text.set_text(_in_lines(text.get_text(), int(n_letters * points / (length * MIN_SCALE))))
        length = _length(text)
    text.set_fontsize(size * max(MIN_SCALE, min(1.0, points / length)))


def _length(text):
    """The length of the longest line, in points."""
    box = text.get_window_extent(text.figure._get_renderer())
    return _points(box.height if text.get_rotation() == 90 else box.width, text.figure)


def _in_lines(text, n_letters):
    """A text in lines of at most so many letters, if its words allow; what is `TOGETHER` stays so, and formulas do."""
    if "$" in text:
        return text
    kept = (TOGETHER.sub(lambda found: found[0].replace(" ", NO_BREAK), _in_one_line(line)) for line in text.split("\n"))
    lines = (textwrap.fill(line, max(1, n_letters), break_long_words=False, break_on_hyphens=False) for line in kept)
    return "\n".join(lines).replace(NO_BREAK, " ")


def _in_one_line(text):
    return " ".join(text.split())


def _points(pixels, figure):
    return pixels / figure.dpi * POINTS_PER_INCH


def _size_of_cell(ax, side):
    """The width, or with side 1 the height, of the subplot that an Axes is in, in those of the figure."""
    spec = ax.get_subplotspec()
    cell = ax.get_position(original=True) if spec is None else spec.get_topmost_subplotspec().get_position(ax.figure)
    return cell.size[side]


def _room_in_figure(ax, side):
    """The width, or with side 1 the height, of the longest text in the figure that has its middle at that of an Axes."""
    center = ax.get_position(original=True).get_points()[:, side].mean()
    return min(2 * center, 2 * (1 - center))
