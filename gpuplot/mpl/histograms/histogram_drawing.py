"""Counts of bins -> the bars or outlines of `Axes.hist`."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

# Bars of more tensors than this are too thin to be told apart, and so are more bars than this side by side in all bins; legends of more
# names than this leave the figure.
MAX_BARS, MAX_ALL_BARS, MAX_NAMES = 10, 200, 12

# More bars of one tensor than this are thinner than a pixel of most axes, and each would be a patch of its own.
MAX_BARS_OF_ONE = 1000

# The colors of many tensors, in order, without the ends, which are hardly seen on white and on black.
CMAP, CMAP_PART = "turbo", (0.04, 0.96)


def style_of_many(n, n_bins, drawing, names):
    """A dict of the `histtype`, `color` and `label` of n histograms: those of `drawing` and `names`, else ones fit for so many.

    Legends leave out names that begin with an underscore, which some of very many get; the last name says how many.
    """
    histtype, color = drawing["histtype"], drawing["color"]
    histtype = _type_for(n, n_bins, drawing) if histtype is None else histtype
    if color is None and n > max(MAX_BARS, len(mpl.rcParams["axes.prop_cycle"])):
        color = list(mpl.colormaps[CMAP](np.linspace(*CMAP_PART, n)))
    if names is not None and n > MAX_NAMES:
        said = set(np.linspace(0, n - 1, MAX_NAMES).round().astype(int).tolist())
        names = [name if k in said else f"_{name}" for k, name in enumerate(names)]
        names[-1] = f"{names[-1]}\n(and {n - len(said)} more)"  # in a line of its own, as a wide legend hides bars
    return {"histtype": histtype, "color": color, "label": names}


def _type_for(n, n_bins, drawing):
    """The `histtype` of n histograms for which none is given."""
    if n == 1:
        return "stepfilled" if n_bins > MAX_BARS_OF_ONE and drawing["rwidth"] is None else "bar"
    is_dense = n * n_bins > MAX_ALL_BARS and not drawing["stacked"]
    return "step" if n > MAX_BARS or is_dense else "bar"


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


def list_in_order(ax, patches):
    """Lists outlines of several tensors in legends from the first to the last, as bars are: `Axes.hist` adds them in reverse."""
    for patch in _each(patches):
        patch.remove()
        ax.add_patch(patch)


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
