"""What stands at the ticks of the picture's rulers: coordinates and names that the tensor has, where there are any."""

from __future__ import annotations

from ..coordinates import PictureLabels, outer_edges
from ..slice_text import position_text

__all__ = ["describe_rulers", "uneven_note"]

# Elements whose names are sent to a page, letters of each, and coordinates that are looked at to see whether they are even.
MOST_NAMES, MOST_LETTERS, MOST_POSITIONS = 256, 14, 100_000

MS_PER_DAY = 86_400_000.0


def describe_rulers(shown):
    """The field ``rulers`` of the front end's README."""
    return {"x": _ruler(shown, "cols", *_axis(shown, "cols")), "y": _ruler(shown, "rows", *_axis(shown, "rows"))}


def uneven_note(shown):
    """Says which coordinates a ruler cannot have, "" where it has all."""
    axes = [axis for axis, even in (_axis(shown, role) for role in ("rows", "cols")) if axis is not None and even is None]
    uneven = [axis.name for axis in axes if axis.positions is not None and not axis.is_table and len(axis.positions) > MOST_NAMES]
    return f"coordinates of {' and '.join(map(repr, uneven))} are not evenly spaced: rulers count elements" if uneven else ""


def _axis(shown, role):
    """(what the tensor says about an axis of the plane, the edges of its coordinates where these are even); None for nothing."""
    labels = None if shown.kind == "text" or shown.source.labels is None else PictureLabels.of(shown.source, shown.view)
    axis = None if labels is None else getattr(labels, role)
    positions = None if axis is None else axis.positions
    is_read = positions is not None and 0 < len(positions) <= MOST_POSITIONS
    return axis, outer_edges(positions) if is_read else None


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
