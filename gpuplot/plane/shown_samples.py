"""The samples to draw of a series (M4) where a y scale cannot show some: these count as samples that are not finite."""

import numpy as np

from ..arrays.describe import describe
from .series import M4_STATE, Series, join_states, values_of_orders

# So many samples are read to the host at a time.
BLOCK = 2**20


def shown_states(series, bounds, shows):
    """The M4_STATE of each column of the samples that a scale shows, and the type of orders, as of `Series.m4`.

    Parameters
    ----------
    series : Series
    bounds : list of int, n + 1
        As of `Series.m4`.
    shows : callable
        float64 (n,) -> whether the scale shows each. It is true between any two numbers for which it is. Where it is for all samples they
        are not read to the host.
    """
    states, order = series.m4(bounds)
    some = states[states["n_finite"] > 0]
    if shows(values_of_orders(np.concatenate([some["lowest"], some["highest"]]), order)).all():
        return states, order
    states[:] = np.zeros((), M4_STATE)
    for begin in range(int(bounds[0]), int(bounds[-1]), BLOCK):
        end = min(begin + BLOCK, int(bounds[-1]))
        values = np.ma.filled(np.ma.asarray(series.gather(begin, end)).astype(float), np.nan)
        values[~shows(values)] = np.nan
        part, order = Series(describe(values)).m4(np.clip(bounds, begin, end) - begin)
        join_states(states, part, begin)
    return states, order
