"""The tensor's coordinates, dates and names as the rulers of the picture show them."""

import numpy as np

from ...arrays.labelled import DURATIONS
from ...plane.slice_text import position_text
from .view_state import MAX_POSITIONS

# Names that are sent to a page, and letters of each.
MAX_NAMES, MAX_LETTERS = 256, 14

MS_PER_DAY = 86_400_000.0


def describe_rulers(view_state):
    """The field ``rulers`` of the front end's README."""
    return {name: _ruler(view_state, role, *view_state.labels[role]) for name, role in (("x", "cols"), ("y", "rows"))}


def uneven_note(view_state):
    """A note about coordinates that a ruler cannot show, "" for none."""
    names = {"not evenly spaced": [], f"more than {MAX_POSITIONS}": []}
    uneven, many = names.values()
    for axis, edges in (view_state.labels["rows"], view_state.labels["cols"]):
        if edges is None and _has_coordinates(axis):
            (many if len(axis.positions) > MAX_POSITIONS else uneven).append(axis.name)
    return ", ".join(f"coordinates of {' and '.join(map(repr, named))} are {reason}: the ruler shows positions"
                     for reason, named in names.items() if named)


def _has_coordinates(axis):
    """Whether an axis has numbers or dates as coordinates; those of a table are names."""
    return axis is not None and axis.positions is not None and len(axis.positions) > 0 and not axis.is_table


def _ruler(view_state, role, axis, edges):
    if axis is None:
        return None
    if edges is not None:
        unit, step = MS_PER_DAY if axis.is_date else 1.0, (edges[1] - edges[0]) / len(axis.positions)
        ruler = {"first": (edges[0] + step / 2) * unit, "step": step * unit, "is_date": axis.is_date}
        # Nobody knows the unit of durations from their numbers, as it was chosen here.
        return ruler | {"unit": DURATIONS[np.datetime_data(axis.positions.dtype)[0]]} if axis.is_duration else ruler
    if _has_coordinates(axis):  # uneven ones
        return None
    view = view_state.view
    elements = view.tensor_range(role, 0, view.shape[role == "cols"])
    if not 0 < len(elements) <= MAX_NAMES:
        return None
    number = view.col_axis if role == "cols" else view.row_axis
    texts = [position_text(view_state.source, number, i) for i in elements]
    return None if None in texts else {"texts": [text if len(text) <= MAX_LETTERS else text[:MAX_LETTERS - 1] + "…" for text in texts]}
