"""ViewBins: the bins of ``hist(bins="view")``, counted again whenever the limits or the scale of the axis change."""

from functools import partial

import numpy as np
from matplotlib.artist import Artist
from matplotlib.transforms import TransformNode

from ...plane.bin_edges import bin_edges
from ...statistics.numpy_edges import Edges
from ..removal import remove_together
from .histogram_data import count_all
from .histogram_drawing import move_patches

# Width of a bin in pixels, and the least and largest number of bins.
_BIN_PIXELS = 4
_MIN_BINS, _MAX_BINS = 16, 1024


def bins_across(ax, orientation):
    """The number of bins that fit along the axis of the values."""
    box = ax.get_window_extent()
    n_pixels = box.width if orientation == "vertical" else box.height
    return int(min(max(n_pixels // _BIN_PIXELS, _MIN_BINS), _MAX_BINS))


def edges_across(transform, low, high, n_bins):
    """(n_bins + 1,) edges from `low` to `high` that are evenly spaced on the scale of an axis, whose transform is given."""
    even = bin_edges(low, high, n_bins)
    first, last = ends_on_scale(transform, low, high)
    if (first, last) == (low, high) or not np.isfinite([first, last]).all():
        return even
    edges = transform.inverted().transform(np.linspace(first, last, n_bins + 1))
    edges[[0, -1]] = low, high
    return edges if (np.diff(edges) > 0).all() else even


def ends_on_scale(transform, low, high):
    """Two numbers on the scale of an axis."""
    with np.errstate(all="ignore"):
        return tuple(transform.transform(np.array([low, high], float)).tolist())


class _ScaleWatcher(TransformNode):
    """Calls ``changed(ax)`` when an axis of an Axes gets another scale, for which matplotlib has no callback."""

    def __init__(self, ax, changed):
        super().__init__()
        self._call = partial(changed, ax)
        self.set_children(ax.transScale)

    def _invalidate_internal(self, *args, **kwargs):
        self._call()


class ViewBins(Artist):
    """Moves the bins of a histogram with the limits of its Axes. An artist without a picture: the Axes keeps it, it keeps the tensors.

    Parameters
    ----------
    ax : Axes
    histogram : Histogram
        Whose patches are moved, and whose numbers are set.
    datasets, weights : list of Dataset, list of Dataset or None
    drawing : dict
        Keywords of `Axes.hist`.
    """

    def __init__(self, ax, histogram, datasets, weights, drawing):
        super().__init__()
        self.set_in_layout(False)
        self._patches, self._datasets, self._weights = histogram.patches, datasets, weights
        self._drawing = drawing | {"color": None, "label": None}
        self._axis = "x" if drawing["orientation"] == "vertical" else "y"
        self._shown, self._histogram = histogram.bins, histogram
        self._on_scale = tuple(map(float, histogram.bins[[0, -1]]))  # their ends, on the scale in which they are even
        first = histogram.patches[0]
        ax.add_artist(self)
        remove_together(first if hasattr(first, "axes") else first[0], [self])
        ax.callbacks.connect(f"{self._axis}lim_changed", self._recount)
        self._watcher = _ScaleWatcher(ax, self._recount)
        if getattr(ax, f"get_{self._axis}scale")() != "linear":
            self._recount(ax)

    def close(self):
        """Lets the tensors go; the patches stay as they are."""
        self._datasets = self._weights = self._histogram = self._watcher = None

    @Artist.axes.setter
    def axes(self, new_axes):
        Artist.axes.fset(self, new_axes)
        if new_axes is None:  # removed, or the Axes was cleared
            self.close()

    def __getstate__(self):
        """The state without the tensors: patches of a pickled or copied figure stay as they are."""
        return super().__getstate__() | dict.fromkeys(("_datasets", "_weights", "_histogram", "_watcher"))

    def _recount(self, ax):
        """Called when the limits or the scale changed: counts the visible range and moves the patches, unless it is empty or the same."""
        if self._datasets is None:
            return
        ends = self._seen_range(sorted(getattr(ax, f"get_{self._axis}lim")()))
        transform = getattr(ax, f"{self._axis}axis").get_transform()
        on_scale = ends and ends_on_scale(transform, *ends)
        if ends is None or on_scale == self._on_scale:
            return
        edges, self._on_scale = Edges(edges_across(transform, *ends, len(self._shown) - 1)), on_scale
        values, left_out = count_all(self._datasets, edges, self._weights)
        n, self._shown = move_patches(self._patches, edges.values, values, self._drawing)
        self._histogram._set(n, self._shown, left_out)
        ax.relim()
        ax.autoscale_view(scalex=self._axis == "y", scaley=self._axis == "x")

    def _seen_range(self, limits):
        """(low, high) of the data between the limits; None where there is none."""
        kinds = [one.kinds for one in self._datasets if one.kinds.finite]
        if not kinds:
            return None
        low = max(limits[0], float(min(one.low for one in kinds)))
        high = min(limits[1], float(max(one.high for one in kinds)))
        return (low, high) if low < high else None
