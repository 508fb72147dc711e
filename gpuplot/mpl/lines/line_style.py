"""Markers, `markevery` and snapping of a line of which only some samples are drawn."""

import operator
from numbers import Integral, Real

import numpy as np

# Most markers that `markevery` may choose on a line of which only some samples are drawn.
MAX_MARKS = 10_000

# Samples of a view that are all marked where there is no line between them. matplotlib needs about a second for so many.
MAX_LONE_MARKERS = 2**20

NO_MARKERS = ("None", "none", None, "", " ")


def style_of_samples(line, samples):
    """Attributes that a Line2D gets while it draws these samples.

    If all finite samples of the view are drawn, markers are matplotlib's. If only some are, a line has no markers, but for those of samples
    between two gaps, which no stroke shows, and those that `markevery` chooses: by number they are drawn apart (`marked_positions`), by
    distance they stand at drawn samples, as do markers without a line (`has_lone_markers`). The path of some samples is not snapped to
    pixels, as the path of all would not be for its length.

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
        style["_markevery"] = markevery_from(line.get_markevery(), samples.positions, line.length)
    else:
        if not _is_marked_by_distance(line.get_markevery()) and not has_lone_markers(line):
            marked = [] if line.get_markevery() is not None else _between_gaps(samples)
            style |= {"_markevery": marked} if len(marked) else {"_markersize": 0, "_markevery": None}
        if line.get_snap() is None:
            style["_snap"] = False
    return style


def _between_gaps(samples):
    """Indices, as a list, of the samples with a gap or an end on either side; of all where none is left out that is finite."""
    is_drawn = np.pad(samples.positions >= 0, 1)
    is_beside_others = is_drawn[:-2] | is_drawn[2:]
    return np.flatnonzero(is_drawn[1:-1] & (samples.has_all_finite | ~is_beside_others)).tolist()


def has_lone_markers(line):
    """Whether a Line2D shows a marker at each sample and nothing between them."""
    return line.get_linestyle() == "None" and line.get_marker() not in NO_MARKERS and line.get_markevery() is None


def _is_marked_by_distance(markevery):
    """Whether `markevery` is a fraction of the Axes' diagonal, or one with a start."""
    step = markevery[-1] if isinstance(markevery, tuple) and markevery else markevery
    return isinstance(step, Real) and not isinstance(step, Integral)


def marked_positions(markevery, n):
    """Positions, among n samples, that `markevery` chooses by number; None where it chooses by distance, or more than `MAX_MARKS`."""
    chosen = _chosen(markevery, n)
    return None if chosen is None or len(chosen) > MAX_MARKS else np.asarray(chosen)


def _chosen(markevery, n):
    """The same as a range or an array, however many; None also where matplotlib raises its error about `markevery`."""
    parts = (0, markevery) if isinstance(markevery, Integral) else markevery
    try:
        if isinstance(parts, tuple):
            start, step = map(operator.index, parts)
            return range(n)[start::step]
        if isinstance(parts, slice):
            return range(n)[parts]
        if parts is None or isinstance(parts, Real):
            return None
        chosen = np.asarray(parts)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else np.where(chosen < 0, chosen + n, chosen)
        return chosen[(chosen >= 0) & (chosen < n)]
    except (TypeError, ValueError, IndexError):  # matplotlib raises its error where all samples are drawn
        return None


def markevery_from(markevery, positions, n):
    """`markevery` of a line of n samples -> the one that marks the same samples when only those at `positions` are drawn."""
    chosen = None if len(positions) == n else _chosen(markevery, n)
    if chosen is None:
        return markevery
    if isinstance(chosen, range):
        is_marked = (positions - chosen.start) % chosen.step == 0
        limits = sorted((chosen[0], chosen[-1])) if chosen else (n, -1)
    else:
        limits = positions.min(initial=n), positions.max(initial=-1)
        is_marked = np.isin(positions, chosen[(chosen >= limits[0]) & (chosen <= limits[1])])
    return np.flatnonzero(is_marked & (positions >= limits[0]) & (positions <= limits[1])).tolist()
