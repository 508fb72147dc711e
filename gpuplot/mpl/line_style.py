"""Markers, `markevery` and snapping of a line of which only some samples are drawn."""

import numpy as np

# Most markers that `markevery` may choose on a line of which only some samples are drawn.
MAX_MARKS = 10_000

# Samples of a view that are all marked where there is no line between them. matplotlib needs about a second for so many.
MAX_LONE_MARKERS = 2**20

NO_MARKERS = ("None", "none", None, "", " ")


def style_of_samples(line, samples):
    """Attributes that a Line2D gets while it draws these samples.

    If all samples of the view are drawn, markers are matplotlib's. If only some are, a line has no markers, but for those that `markevery`
    chooses, which are drawn apart (`marked_positions`); markers without a line (`has_lone_markers`) stand at the drawn samples. The path of
    some samples is not snapped to pixels, as the path of all would not be for its length.

    Parameters
    ----------
    line : Line2D
    samples : LineSamples

    Returns
    -------
    dict
        Private attributes of `matplotlib.lines.Line2D`.
    """
    style = {}
    if samples.is_complete:
        style["_markevery"] = markevery_from(line.get_markevery(), samples.positions)
    else:
        if line.get_linestyle() != "None" or line.get_markevery() is not None:
            style["_markersize"] = 0
        style["_markevery"] = None
        if line.get_snap() is None:
            style["_snap"] = False
    return style


def has_lone_markers(line):
    """Whether a Line2D shows a marker at each sample and nothing between them."""
    return line.get_linestyle() == "None" and line.get_marker() not in NO_MARKERS and line.get_markevery() is None


def marked_positions(markevery, n):
    """Positions, among n samples, that `markevery` chooses by number; None where it chooses by distance, or more than `MAX_MARKS`."""
    parts = markevery if isinstance(markevery, tuple) else (0, markevery)
    try:
        if all(isinstance(part, int) for part in parts):
            chosen = range(n)[parts[0]::parts[1]]
        elif isinstance(markevery, slice):
            chosen = range(n)[markevery]
        elif markevery is None or isinstance(parts[1], float):
            return None
        else:
            chosen = np.asarray(markevery)
            chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen[(chosen >= 0) & (chosen < n)]
    except (TypeError, ValueError, IndexError):  # matplotlib raises its error where all samples are drawn
        return None
    return np.asarray(chosen) if len(chosen) <= MAX_MARKS else None


def markevery_from(markevery, positions):
    """`markevery` of a whole line -> the one that marks the same samples when only those at `positions`, a range, are drawn."""
    if markevery is None or not len(positions) or isinstance(markevery, float):
        return markevery
    first, step = int(positions[0]), int(positions[-1] >= positions[0]) * 2 - 1
    if isinstance(markevery, int):
        markevery = (0, markevery)
    if isinstance(markevery, tuple) and all(isinstance(part, int) for part in markevery):
        start, every = markevery
        wanted = (positions >= start) & ((positions - start) % every == 0)
        return np.flatnonzero(wanted).tolist()
    if isinstance(markevery, tuple):
        return markevery
    n = max(first, int(positions[-1])) + 1
    try:
        chosen = np.arange(n)[markevery] if isinstance(markevery, slice) else np.asarray(markevery)
    except IndexError:
        return markevery
    if chosen.dtype == bool:
        chosen = np.flatnonzero(chosen)
    inside = chosen[(chosen >= positions.min()) & (chosen <= positions.max())]
    return np.sort((inside - first) * step).tolist()
