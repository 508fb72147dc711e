"""A tensor's own axis names, dates and element names -> labels and ticks of a matplotlib Axes."""

from contextlib import contextmanager

import matplotlib as mpl

from ..plane.coordinates import axis_edges, is_drawable
from .drawable_text import drawable
from .name_ticks import put_names

POINTS_PER_INCH = 72

# Smallest scale of a long title, and the room for it in widths of a subplot: the gap between two is a fifth of one.
MIN_TITLE = 0.55
TITLE_ROOM = 1.08

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


def values_label(source):
    """The name and unit of a tensor's values, "" for none."""
    return "" if source.labels is None else drawable(source.labels.values)


def _counts_elements(axis):
    """Whether a picture has no coordinates along an axis."""
    return axis.positions is None or not len(axis.positions) or not is_drawable(axis, axis_edges(axis))


def _shows_positions(axis):
    """Whether a picture counts elements along an axis that has (uneven) coordinates."""
    return bool(axis.name) and axis.positions is not None and _counts_elements(axis) and not axis.is_table


def _show_dates(axis):
    """Makes an axis one of dates."""
    with short_dates():
        axis.axis_date()


@contextmanager
def short_dates():
    """Axes that become ones of dates meanwhile have matplotlib's short texts: the long ones overlap, unless the user chose them."""
    converter = mpl.rcParams["date.converter"]
    with mpl.rc_context({"date.converter": "concise" if converter == "auto" else converter}):
        yield


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
    return ax.get_title() in (before, *others)


def put_title(ax, *parts):
    """Writes texts, "" for none, one after the other as the title, as small as they have to be."""
    ax.set_title(drawable(" \u00b7 ".join(filter(None, parts))))
    fit_title(ax)


def fit_title(ax):
    """Shrinks a title that would reach its neighbor or leave the figure, down to `MIN_TITLE` of its size."""
    figure, size = ax.figure, ax.title.get_fontsize()
    points = _title_room(ax) * figure.bbox.width / figure.dpi * POINTS_PER_INCH
    if len(ax.get_title()) * size * WIDE_LETTER > points:
        width = ax.title.get_window_extent(figure._get_renderer()).width / figure.dpi * POINTS_PER_INCH
        ax.title.set_fontsize(size * max(MIN_TITLE, min(1.0, points / width)))


def _title_room(ax):
    """The width of the longest title, in widths of the figure."""
    place, spec = ax.get_position(original=True), ax.get_subplotspec()
    cell = place if spec is None else spec.get_topmost_subplotspec().get_position(ax.figure)
    center = (place.x0 + place.x1) / 2
    return min(TITLE_ROOM * cell.width, 2 * center, 2 * (1 - center))
