"""Limits of Axes that follow the data of artists whose elements matplotlib never sees."""

import numpy as np


def extend_data_limits(ax, limits):
    """Extends the data limits of Axes by (smallest, largest, smallest positive or NaN) finite x, and the same of y."""
    ends = np.array(limits, float).T
    if not np.isnan(ends[:2]).any():
        ax.update_datalim(np.where(np.isnan(ends), ends[1], ends))


def request_limits(ax, scalex=True, scaley=True):
    """Limits that follow the data, found when they are asked for first, as those of matplotlib's own `plot`.

    What asks for them before the user could choose a scale has to request them again: margins are shares of a scale's own units.
    """
    request = getattr(ax, "_request_autoscale_view", None)
    if request is None:
        ax.autoscale_view(scalex=scalex, scaley=scaley)
        return
    for name, is_wanted in (("x", scalex), ("y", scaley)):
        if is_wanted:
            request(name)
