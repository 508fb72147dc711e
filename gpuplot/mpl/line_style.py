"""Markers, `markevery` and snapping of a line of which only some samples are drawn."""

import numpy as np


def style_of_samples(line, samples):
    """Attributes of a Line2D while it draws these samples.

    Markers stand at every sample, so that they come with a line once all samples of the view are drawn. Without a line they are all
    that is seen and stand at those that are drawn, the extremes of each column among them. Samples that are left out make a path of
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
        if line.get_linestyle() != "None":
            style["_markersize"] = 0
        style["_markevery"] = None
        if line.get_snap() is None:
            style["_snap"] = False
    return style


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
