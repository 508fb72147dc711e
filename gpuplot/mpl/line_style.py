"""Markers, `markevery` and snapping of a line of which only some samples are drawn."""

import numpy as np

# Marks that `markevery` may choose of a line of which only some samples are drawn.
MAX_MARKS = 10_000


def style_of_samples(line, samples):
    """Attributes of a Line2D while it draws these samples.

    Markers stand at every sample, so that they come with a line once all samples of the view are drawn; those of samples that `markevery`
    chooses are drawn by themselves (`marked_positions`). Without a line markers are all that is seen and stand at those samples that are
    drawn, the extremes of each column among them. Samples that are left out make a path of
    more vertices than Agg snaps or simplifies by itself.

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


def marked_positions(markevery, n):
    """The positions, among n samples, that `markevery` chooses one by one; None where it goes by distance, or chooses very many."""
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
    except (TypeError, ValueError, IndexError):  # matplotlib says so when all samples are drawn
        return None
    return np.asarray(chosen) if len(chosen) <= MAX_MARKS else None


def markevery_from(markevery, positions):
    """`markevery` of a line as that of its samples at these positions, which follow each other; distances stay."""
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
