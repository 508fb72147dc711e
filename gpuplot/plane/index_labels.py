"""Converts dates, durations and names in a caller's view, ``index={"time": "2026-03-01"}``, to positions."""

import datetime
import warnings
from collections.abc import Mapping

import numpy as np

from ..options import VIEW
from .chunks.level_view import view_on_level
from .dims import TensorAxes
from .slice_text import position_text
from .view import choose

# Keywords of `choose`: `denorm` is about colors.
CHOICES = tuple(name for name in VIEW if name != "denorm")

_LABELS = (str, np.datetime64, datetime.date)

# Labels of an axis of durations only: for others NumPy counts durations among integers.
_DURATIONS = (np.timedelta64, datetime.timedelta)

# Labels of an axis that an error lists.
MAX_LISTED = 3


def chosen_view(source, options, names_from=None):
    """The `View` of a source by the keywords in `CHOICES`, of which `options` has all; names are those of another source if it is given.

    For a level of a pyramid `options` are about level 0.
    """
    level, view = source.level, full_view(source, options, names_from)
    return view if level is None else view_on_level(view, level, source.shape)


def full_view(source, options, names_from=None):
    """As `chosen_view`, but for a level of a pyramid the view of level 0."""
    named = names_from or source
    chosen = {name: options[name] for name in CHOICES} | {"index": by_position(options["index"], named, options["dims"])}
    return choose(source.shape if source.level is None else source.level.shape, named.dims, source.dtype, **chosen)


def by_position(index, source, dims=None, *, axes=None):
    """`index` with positions in place of dates and names, which are looked up along the axes; other values stay.

    `dims` are the caller's names of the axes, in place of the tensor's own; `axes` the `TensorAxes` where these are known. What
    is not a dict is left to others to refuse. ValueError for a label that the axis lacks or has several times, and for axes
    without labels.
    """
    if not isinstance(index, Mapping) or not any(isinstance(where, (*_LABELS, *_DURATIONS)) for where in index.values()):
        return index
    axes = axes or TensorAxes(source.shape, dims, source.dims)
    return {axis: _position(source, axes, axes.number(axis, "index"), where) if isinstance(where, (*_LABELS, *_DURATIONS)) else where
            for axis, where in index.items()}


def _position(source, axes, axis, label):
    axis_labels = source.labels.axes[axis] if source.labels is not None and source.labels.axes else None
    if axis_labels is not None and axis_labels.is_date:
        places = np.flatnonzero(_is_within(axis_labels.positions, _date(label, axes, axis)))
        known = axis_labels.positions
    elif axis_labels is not None and axis_labels.is_duration:
        known = axis_labels.positions
        places = np.flatnonzero(known == _duration(label, axes, axis))
    elif isinstance(label, _DURATIONS):
        return label
    elif axis_labels is not None and axis_labels.names is not None:
        known = axis_labels.names
        places = [k for k, name in enumerate(known) if str(name) == str(label)]
    else:
        raise ValueError(f"index: {label!r} for axis {axes.label(axis)}, whose elements have neither dates nor names: give a position, "
                         f"0 to {axes.shape[axis] - 1}")
    if len(places) == 1:
        return int(places[0])
    texts = [position_text(source, axis, i) for i in range(min(len(known), MAX_LISTED))]
    more = ", ..." if len(known) > MAX_LISTED else ""
    how_many = "several elements" if len(places) else "no"
    raise ValueError(f"index: axis {axes.label(axis)} has {how_many} {label!r}; it has {', '.join(texts)}{more}")


def _is_within(positions, date):
    """Which datetime64 (n,) match a date: the same time, or any within a year or month."""
    unit = np.datetime_data(date)[0]
    return positions.astype(f"M8[{unit}]") == date if unit in ("Y", "M") else positions == date


def _duration(label, axes, axis):
    """A label as a timedelta64; texts as pandas reads them, without which there is no xarray: '18h', '1 day, 6:00:00'."""
    from pandas import NaT, Timedelta

    try:
        duration = Timedelta(label)
    except (TypeError, ValueError):
        duration = NaT
    if duration is NaT:  # a missing duration is that of no element
        raise ValueError(f"index: {label!r} for axis {axes.label(axis)} is not a duration, such as '18h'")
    return duration.to_timedelta64()


def _date(label, axes, axis):
    """A label as a datetime64 without time zone, as coordinates are."""
    is_zoned = getattr(label, "tzinfo", None) is not None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # NumPy warns of a zone in a text
            date = None if is_zoned else np.datetime64(label)
    except (ValueError, OverflowError):
        raise ValueError(f"index: {label!r} for axis {axes.label(axis)} is not a date, such as '2026-03-01'") from None
    except Warning:
        date = None
    if date is None:
        raise ValueError(f"index: {label!r} for axis {axes.label(axis)} has a time zone, and its dates have none: leave the zone out")
    return date
