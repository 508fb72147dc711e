"""Elements that are named by what stands at their axis, a date or a text: ``index={"time": "2026-03-01"}``."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Mapping

import numpy as np

from .dims import TensorAxes
from .slice_text import position_text

__all__ = ["by_position"]

_LABELS = (str, np.datetime64, datetime.date)

# So many of an axis's own labels an error lists.
MAX_SAID = 3


def by_position(index, source, dims=None, *, axes=None):
    """The `index` of a caller with positions in place of labels; integers are positions already.

    Parameters
    ----------
    index : dict or anything
        What is no dict is left for others to refuse.
    source : Source
    dims : str or sequence of str, optional
        Names for the axes, in place of the tensor's own.
    axes : TensorAxes, optional
        The axes themselves, where somebody has named them already.

    Returns
    -------
    dict or anything

    Raises
    ------
    ValueError
        A label that the axis does not have, or has several times; an axis without labels.
    """
    if not isinstance(index, Mapping) or not any(isinstance(where, _LABELS) for where in index.values()):
        return index
    axes = axes or TensorAxes(source.shape, dims, source.dims)
    return {axis: _position(source, axes, axes.number(axis, "index"), where) if isinstance(where, _LABELS) else where
            for axis, where in index.items()}


def _position(source, axes, axis, label):
    said = source.labels.axes[axis] if source.labels is not None and source.labels.axes else None
    if said is not None and said.is_date:
        places = np.flatnonzero(_is_within(said.positions, _date(label, axes, axis)))
        known = said.positions
    elif said is not None and said.names is not None:
        known = said.names
        places = [k for k, name in enumerate(known) if str(name) == str(label)]
    else:
        raise ValueError(f"index: {label!r} for axis {axes.label(axis)}, whose elements have neither dates nor names: give a position, "
                         f"0 to {axes.shape[axis] - 1}")
    if len(places) == 1:
        return int(places[0])
    texts = [position_text(source, axis, i) for i in range(min(len(known), MAX_SAID))] + ["..."] * (len(known) > MAX_SAID)
    raise ValueError(f"index: axis {axes.label(axis)} has {'no' if not len(places) else 'several elements'} {label!r}; it has "
                     f"{', '.join(texts)}")


def _is_within(positions, date):
    """Which datetime64 (n,) are those of a date: at its very time, but anywhere within a year or a month."""
    unit = np.datetime_data(date)[0]
    return positions.astype(f"M8[{unit}]") == date if unit in ("Y", "M") else positions == date


def _date(label, axes, axis):
    """A datetime64 without a time zone, as coordinates are."""
    is_zoned = getattr(label, "tzinfo", None) is not None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # NumPy warns of a zone in a text
            date = None if is_zoned else np.datetime64(label)
    except (ValueError, OverflowError):
        raise ValueError(f"index: {label!r} for axis {axes.label(axis)} is no date, such as '2026-03-01'") from None
    except Warning:
        date = None
    if date is None:
        raise ValueError(f"index: {label!r} for axis {axes.label(axis)} has a time zone, and its dates have none: leave the zone out")
    return date
