"""What stands at the ticks of the picture's rulers: coordinates and names that the tensor has, where there are any."""

from __future__ import annotations

from ...plane.slice_text import position_text
from .view_state import MOST_POSITIONS

__all__ = ["describe_rulers", "uneven_note"]

# Elements whose names are sent to a page, and letters of each.
MOST_NAMES, MOST_LETTERS = 256, 14

MS_PER_DAY = 86_400_000.0


def describe_rulers(shown):
    """The field ``rulers`` of the front end's README."""
    return {name: _ruler(shown, role, *shown.labels[role]) for name, role in (("x", "cols"), ("y", "rows"))}


def uneven_note(shown):
    """Says which coordinates a ruler cannot have, "" where it has all."""
    axes = [axis for axis, edges in (shown.labels["rows"], shown.labels["cols"]) if edges is None and _has_coordinates(axis)]
    uneven, many = ([axis.name for axis in axes if (len(axis.positions) > MOST_POSITIONS) == is_many] for is_many in (False, True))
    said = (uneven, "not evenly spaced"), (many, f"more than {MOST_POSITIONS}")
    return ", ".join(f"coordinates of {' and '.join(map(repr, names))} are {how}: the ruler shows positions"
                     for names, how in said if names)


def _has_coordinates(axis):
    """Whether an axis has numbers or dates that say where its elements are; those of a table are names."""
    return axis is not None and axis.positions is not None and len(axis.positions) > 0 and not axis.is_table


def _ruler(shown, role, axis, edges):
    if axis is None:
        return None
    if edges is not None:
        unit, step = MS_PER_DAY if axis.is_date else 1.0, (edges[1] - edges[0]) / len(axis.positions)
        return {"first": (edges[0] + step / 2) * unit, "step": step * unit, "is_date": axis.is_date}
    if _has_coordinates(axis):  # beside each other on an even ruler they would say that they are even
        return None
    view = shown.view
    elements = view.tensor_range(role, 0, view.shape[role == "cols"])
    if not 0 < len(elements) <= MOST_NAMES:
        return None
    number = view.col_axis if role == "cols" else view.row_axis
    texts = [position_text(shown.source, number, i) for i in elements]
    return None if None in texts else {"texts": [text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS - 1] + "…" for text in texts]}
