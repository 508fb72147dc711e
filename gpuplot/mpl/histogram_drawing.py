"""Counts of bins -> the bars or outlines of `Axes.hist`."""

import numpy as np
from matplotlib.figure import Figure


def draw_bins(ax, edges, values, drawing):
    """(n, bins, patches) of `Axes.hist`, which is given the lower edge of each bin once, weighted by the bin's value.

    `values` has an array for each tensor, (bins,): int64 counts, or float64 sums of weights. `drawing` are keywords of
    `Axes.hist`.
    """
    n, bins, patches = ax.hist([edges[:-1]] * len(values), edges, weights=values, **drawing)
    if values[0].dtype == np.float64:  # NumPy's are differences of sums of several bins
        drawn = _as_drawn(np.array(values), np.diff(edges).astype(np.float64), drawing)
        n = drawn if len(values) > 1 else drawn[0]
    return n, bins, patches


def move_patches(patches, edges, values, drawing):
    """Moves patches to new bins, as many as before; returns the (n, bins) of these."""
    n, bins, others = draw_bins(Figure().subplots(), edges, values, drawing)
    for patch, other in zip(_each(patches), _each(others), strict=True):
        if hasattr(patch, "set_bounds"):
            patch.set_bounds(*other.get_xy(), other.get_width(), other.get_height())
        else:
            patch.set_xy(other.get_xy())
    return n, bins


def _each(patches):
    """The patches in what `Axes.hist` returns: a container, or a list of containers."""
    for one in patches:
        if hasattr(one, "get_xy"):
            yield one
        else:
            yield from one


def _as_drawn(values, widths, drawing):
    """Values of bins -> heights of bars: as densities, cumulated, stacked, where the keywords say so."""
    is_stacked = drawing["stacked"] or drawing["histtype"] == "barstacked"
    if is_stacked:
        values = values.cumsum(axis=0)
    if drawing["density"]:
        values = values / widths / (values[-1:] if is_stacked else values).sum(axis=1, keepdims=True)
    if drawing["cumulative"]:
        is_backwards = not isinstance(drawing["cumulative"], bool) and drawing["cumulative"] < 0
        values = values * widths if drawing["density"] else values
        values = values[:, ::-1].cumsum(axis=1)[:, ::-1] if is_backwards else values.cumsum(axis=1)
    return values
