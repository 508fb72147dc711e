"""Counts of bins -> the patches of `Axes.hist`, drawn or moved by matplotlib's rules."""

import numpy as np
from matplotlib.figure import Figure


def draw_bins(ax, edges, values, drawing):
    """The (n, bins, patches) of `Axes.hist`, which gets one number for each bin, its lower edge, with the bin's value as its weight.

    `values` has an array for each tensor, (bins,): int64 counts, or float64 sums of weights. `drawing` are keywords of
    `Axes.hist`.
    """
    n, bins, patches = ax.hist([edges[:-1]] * len(values), edges, weights=values, **drawing)
    if values[0].dtype == np.float64:  # NumPy's are differences of sums of several bins
        drawn = _as_drawn(np.array(values), np.diff(edges).astype(np.float64), drawing)
        n = drawn if len(values) > 1 else drawn[0]
    return n, bins, patches


def move_patches(patches, edges, values, drawing):
    """Gives patches the outlines of other bins, as many as before; returns their n and bins."""
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
    """The heights of all bars from the sums of bins: of areas, stacked, accumulated."""
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
