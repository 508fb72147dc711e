"""What stands at the ticks of the picture's rulers: coordinates and names that the tensor has, where there are any."""

from __future__ import annotations

from ...plane.slice_text import position_text

__all__ = ["describe_rulers", "uneven_note"]

# Elements whose names are sent to a page, and letters of each.
MOST_NAMES, MOST_LETTERS = 256, 14

MS_PER_DAY = 86_400_000.0


def describe_rulers(shown):
    """The field ``rulers`` of the front end's README."""
    return {name: _ruler(shown, role, *shown.labels[role]) for name, role in (("x", "cols"), ("y", "rows"))}


def uneven_note(shown):
    """Says which coordinates a ruler cannot have, "" where it has all."""
    axes = [axis for axis, edges in (shown.labels["rows"], shown.labels["cols"]) if axis is not None and edges is None]
    uneven = [axis.name for axis in axes if axis.positions is not None and not axis.is_table and len(axis.positions) > MOST_NAMES]
    return f"coordinates of {' and '.join(map(repr, uneven))} are not evenly spaced: rulers count elements" if uneven else ""


def _ruler(shown, role, axis, edges):
    if axis is None:
        return None
    if edges is not None:
        unit, step = MS_PER_DAY if axis.is_date else 1.0, (edges[1] - edges[0]) / len(axis.positions)
        return {"first": (edges[0] + step / 2) * unit, "step": step * unit, "is_date": axis.is_date}
    view = shown.view
    elements = view.tensor_range(role, 0, view.shape[role == "cols"])
    if not 0 < len(elements) <= MOST_NAMES:
        return None
    number = view.col_axis if role == "cols" else view.row_axis
    texts = [position_text(shown.source, number, i) for i in elements]
    return None if None in texts else {"texts": [text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS - 1] + "…" for text in texts]}
