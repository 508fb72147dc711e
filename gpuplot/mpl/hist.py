"""`hist`: histograms of tensors in an Axes, counted on their devices and drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

import matplotlib as mpl
import numpy as np
from matplotlib.colors import is_color_like, to_rgba_array
from matplotlib.patches import Patch

from ..arrays.streams import check_stream
from ..choices import check_choice
from ..options import bare, public_with
from ..statistics.numpy_edges import check_bins, check_range, edges_for_any_range, histogram_edges
from .axes_choice import check_axes, drawing_axes, is_spatial
from .axis_labels import label_axes, values_label
from .data_keyword import tensor_in
from .drawable_text import drawable
from .histograms.histogram_data import count_all, datasets_of, dates_in_units, warn_of_left_out, weights_of
from .histograms.histogram_drawing import draw_bins, list_in_order, style_of_many
from .histograms.view_bins import ViewBins, bins_across
from .property_values import as_numbers, check_properties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from .. import typing as t

_CHOICES = {"histtype": ("bar", "barstacked", "step", "stepfilled"), "align": ("left", "mid", "right"),
            "orientation": ("vertical", "horizontal")}

_NUMBERS = {"bottom": "a number, or one for each bin: where bars begin", "rwidth": "a number, the width of bars as a part of that of bins"}


@bare
class Histogram(tuple):
    """What `hist` returns: the tuple ``(n, bins, patches)`` of `matplotlib.axes.Axes.hist`, with what is in no bin beside.

    Attributes
    ----------
    n : ndarray, shape (bins,) or (tensors, bins), float64
        The values of the bins, as they are drawn.
    bins : ndarray, shape (bins + 1,), float64
        The edges. With ``bins="view"`` all attributes are always of the bins that are seen; the tuple has the first ones.
    patches : BarContainer or list of Polygon, or a list of these
        matplotlib's artists; of several tensors one container each.
    nan, pos_inf, neg_inf, masked, outside : int or tuple of int
        How many elements are in no bin: those that are not finite numbers, masked ones, and finite ones beyond the edges. Of
        several tensors a number for each.

    Examples
    --------
    >>> import gpuplot
    >>> found = gpuplot.hist([1, 2, 2, 9], 2, range=(0, 4))
    >>> found.n.tolist(), found.bins.tolist(), found.outside
    ([1.0, 2.0], [0.0, 2.0, 4.0], 1)
    """

    n: Any
    bins: Any
    patches: Any
    nan: int | tuple[int, ...]
    pos_inf: int | tuple[int, ...]
    neg_inf: int | tuple[int, ...]
    masked: int | tuple[int, ...]
    outside: int | tuple[int, ...]
    _view_bins = None

    def __new__(cls, n, bins, patches, left_out):
        """`left_out` has a dict for each tensor: attribute -> number of elements in no bin."""
        histogram = super().__new__(cls, (n, bins, patches))
        histogram.patches = patches
        histogram._set(n, bins, left_out)
        return histogram

    def _set(self, n, bins, left_out):
        """Sets what the bins, or those that are seen now, have, and what is in none of them."""
        self.n, self.bins = n, bins
        for name in left_out[0]:
            counts = tuple(one[name] for one in left_out)
            setattr(self, name, counts if len(counts) > 1 else counts[0])

    def freeze(self) -> None:
        """Lets the tensors of ``bins="view"`` go: bins stay as they are now. Other histograms keep no tensor."""
        if self._view_bins is not None:
            self._view_bins.close()

    def __reduce__(self):
        return _unpickled, (tuple(self), {name: value for name, value in vars(self).items() if name != "_view_bins"})


def _unpickled(values, attributes):
    histogram = tuple.__new__(Histogram, values)
    histogram.__dict__.update(attributes)
    return histogram


@public_with(Patch)
def hist(
        X: t.TensorsLike, /, bins: int | ArrayLike | t.BinRule | None = None, *, range: t.Range | None = None,
        density: bool = False, weights: t.TensorsLike | None = None, cumulative: bool | float = False, bottom: ArrayLike | None = None,
        histtype: Literal["bar", "barstacked", "step", "stepfilled"] | None = None, align: Literal["left", "mid", "right"] = "mid",
        orientation: Literal["vertical", "horizontal"] = "vertical", rwidth: float | None = None, log: bool = False,
        color: t.Color | Sequence[t.Color] | None = None, label: str | Sequence[str] | None = None, stacked: bool = False,
        ax: Axes | None = None, data: Any = None, stream: t.Stream | None = None, client: t.Client | None = None,
        progress: t.Progress | None = None, collective: bool = False, **patch_properties: Unpack[t.PatchProperties],
) -> Histogram:
    """Draws a histogram of all elements of a tensor: `matplotlib.axes.Axes.hist` for tensors of any size and library.

    Elements are counted where the tensor is, in one pass, or two where the range has to be found; only counts are copied from the
    device. The counts are those of `numpy.histogram`: each element is compared with the edges that NumPy makes, so that rounding moves
    none into a neighboring bin. Bars and outlines are matplotlib's own. The tensor is not kept and zooming does not count again, unless
    ``bins="view"`` is given.

    Parameters
    ----------
    X : array_like, or several
        Anything `imshow` takes, of real numbers and any number of axes, which are counted together. Several tensors are a
        list or tuple of arrays or of lists, a mapping such as a ``state_dict``, or a model; their names become labels, and single
        numbers beside arrays, such as a model's counters, are left out, unless a list of labels, colors or weights has an item for them.
        Labels are also the names of the columns of a table, of which there are at most 64; the columns of an array are ``list(X.T)``.
        The name of an array of xarray, or of one column of pandas or polars, labels the axis if it has no label.
        Dates and texts are converted by the axis, as in `Axes.hist`: texts are categories, one after the other, which
        ``bins=range(n + 1), align="left"`` centers; missing ones are in no bin.
    bins : int, sequence or str, optional
        The number of bins of equal width, or their edges: finite, not falling, each bin without its upper edge but for the
        last one; or a rule of `numpy.histogram_bin_edges` that chooses their number: "auto", "fd", "doane", "scott", "rice",
        "sturges", "sqrt" or "stone". "stone" takes more passes; if NumPy's sums of float16 overflow, the number is that for float64.
        With "view" bins are four pixels wide, on any scale of the axis, and counted again when another part of it is visible: the
        tensors are kept until the patches are removed or `Histogram.freeze` is called. Default: ``rcParams["hist.bins"]``, 10.
    range : (number, number), optional
        Where the first bin begins and the last one ends; elements outside are in no bin. Default: the smallest and the
        largest element, NaN left out. Ignored if `bins` has edges; with "view" it is what the axis shows at first.
    density : bool, default: False
        Whether the area of all bars is 1.
    weights : array_like, or several, optional
        What each element counts, in place of 1: a tensor of the same shape and on the same device as X; for several tensors as
        many. Weights are added up in float64, always in the same order.
    cumulative : bool or -1, default: False
        Whether each bin includes the counts of all bins before it; with a negative number, of all bins after it.
    bottom, align, orientation, rwidth, log, color, stacked : optional
        As in `matplotlib.axes.Axes.hist`, with the same defaults.
    histtype : {"bar", "barstacked", "step", "stepfilled"}, optional
        Outlines are much faster to draw than bars if there are thousands of bins. Default: "bar"; "stepfilled", one patch without
        edges between bins, for one tensor and more than 1000 bins without `rwidth`; "step" for more than 10 tensors, which get
        colors along a colormap if the color cycle is too short, and for several with more than 200 bars in all.
    label : str or sequence of str, optional
        For legends. If there are fewer labels than tensors, the last tensors have none; surplus labels are ignored, as in `Axes.hist`.
        Default: the names of the tensors, if they have any; of more than 12 tensors legends show 12, from the first to the last.
    ax : Axes, optional
        Default: the current Axes of pyplot.
    data : mapping, optional
        Where `X` and `weights` that are strings are looked up.
    stream : int or object, optional
        The CUDA stream on which the tensors are written, as in `imshow`.
    client, progress : optional
        Who reads arrays in chunks, and how progress is shown, as in `imshow`.
    collective : bool, default: False
        For an array that is spread over several processes. True: all of them make this call, with the same parameters; each reduces
        its own shards, one gather per pass exchanges the results (never elements), and all return the same result, bit for bit.
        False: such an array is an error, as no process has all of it.
    **patch_properties
        Properties of the patches, such as ``alpha`` or ``hatch``.

    Returns
    -------
    Histogram
        The tuple ``(n, bins, patches)`` of `Axes.hist`; with attributes that count what is in no bin: ``nan, pos_inf, neg_inf,
        masked, outside``.

    Raises
    ------
    TypeError
        Not a tensor of numbers (`UnsupportedError`), complex numbers, parameters of the wrong kind.
    ValueError
        The range is not given and an element is infinite, or all are NaN; edges or a range that fall or are not finite; more
        bins than there are floating-point numbers in the range, or than 2**24; colors that are not one for each tensor.
    DeviceError
        The tensor's device cannot be used.
    ChunkError
        A chunk of a large array of dask, zarr or HDF5 cannot be read or computed, or another process cannot look at its part.
    AttributeError
        A property that a patch does not have.

    Warns
    -----
    GpuplotWarning
        NaN or infinities are in no bin. Masked elements are left out without a warning.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> noise = np.random.default_rng(0).normal(size=(200, 300)).astype("float32")
    >>> n, bins, patches = gpuplot.hist(noise, 256, range=(-5, 5), histtype="step")
    >>> n.sum(), bins[[0, -1]].tolist()
    (np.float64(60000.0), [-5.0, 5.0])

    Several tensors with their names, from the same bins:

    >>> found = gpuplot.hist({"before": noise, "after": np.maximum(noise, 0)}, 50, alpha=0.5)
    >>> found.n.shape, [bars[0].get_label() for bars in found.patches]
    ((2, 50), ['before', 'after'])
    """
    drawing = {"density": density, "cumulative": cumulative, "bottom": bottom, "histtype": histtype, "align": align,
               "orientation": orientation, "rwidth": rwidth, "log": log, "color": color, "stacked": stacked, **patch_properties}
    follows_view = _check_call(X, bins, ax, stream, collective, drawing)
    check_properties(Patch(), patch_properties)
    check_properties(Patch(), {"alpha": patch_properties.get("alpha")}, takes_lists=False)
    if data is not None:
        label = X if label is None and issubclass(type(X), str) else label
        X, weights = tensor_in(X, data), tensor_in(weights, data)
    how = {"collective": collective, "client": client, "progress": progress}
    with drawing_axes(ax) as (_, ax):
        drawing["histtype"] = _check_outlines(ax, histtype)
        axis = ax.xaxis if orientation == "vertical" else ax.yaxis
        names, datasets = datasets_of(X, stream, axis, lists=(label, None if is_color_like(color) else color, weights), **how)
        _check_colors(color, len(datasets))
        names = names and list(map(drawable, names))
        bins = 1 if follows_view else check_bins(mpl.rcParams["hist.bins"] if bins is None else dates_in_units(bins, axis))
        range = check_range(dates_in_units(range, axis))
        weights = _weights_of(weights, datasets, bins, stream, how)
        edges = (edges_for_any_range(datasets, bins_across(ax, orientation), range) if follows_view
                 else histogram_edges(datasets, bins, range))
        _check_bottoms(drawing["bottom"], len(edges.values) - 1)
        drawing |= style_of_many(len(datasets), len(edges.values) - 1, drawing, names) | ({} if label is None else {"label": label})
        values, left_out = count_all(datasets, edges, weights)
        warn_of_left_out(datasets, left_out)
        histogram = Histogram(*draw_bins(ax, edges.values, values, drawing), left_out)
        if histtype is None and drawing["histtype"] == "step":
            list_in_order(ax, histogram.patches)
        if follows_view:
            histogram._view_bins = ViewBins(ax, histogram, datasets, weights, drawing)
        _label_values(ax, axis, datasets, X)
        return histogram


def _check_call(X, bins, ax, stream, collective, drawing):
    """Whether bins follow the view; errors for parameters of the wrong kind, before a tensor is read. Its numbers become floats."""
    for name, choices in _CHOICES.items():
        if name != "histtype" or drawing[name] is not None:
            check_choice(name, drawing[name], choices)
    check_axes("hist", (X, bins), ax)
    check_stream(stream)
    if drawing["color"] is not None:
        to_rgba_array(drawing["color"])  # raises for what is no color
    for name, meaning in _NUMBERS.items():
        drawing[name] = as_numbers(name, drawing[name], meaning)
    follows_view = isinstance(bins, str) and bins == "view"
    if follows_view and collective is not False:
        raise ValueError("bins='view' counts again at a zoom, which other processes do not see: with collective=True give a number")
    return follows_view


def _check_outlines(ax, histtype):
    """The `histtype`, "bar" by default in Axes of three dimensions; ValueError for outlines in these, which no draw would show."""
    if not is_spatial(ax):
        return histtype
    if histtype in ("step", "stepfilled"):
        raise ValueError(f"histtype={histtype!r}: the Axes have three dimensions, in which outlines are not drawn: give histtype='bar', or "
                         "ax= others")
    return histtype or "bar"


def _check_bottoms(bottom, n_bins):
    """ValueError for another number of bottoms than there are bins, in place of one about shapes after the counting."""
    if np.ndim(bottom) and np.shape(bottom) not in ((1,), (n_bins,)):
        raise ValueError(f"bottom has shape {np.shape(bottom)} for {n_bins} bins: give one number, or one for each bin")


def _check_colors(color, n):
    """ValueError for another number of colors than there are tensors, in the words of `Axes.hist`."""
    n_colors = n if color is None else len(to_rgba_array(color))
    if n_colors != n:
        raise ValueError(f"The 'color' keyword argument must have one color per dataset, but {n} datasets and {n_colors} colors were "
                         "provided")


def _weights_of(weights, datasets, bins, stream, how):
    """The weights of each tensor, or None; `how` are the keywords of `weights_of`."""
    if weights is None:
        return [None] * len(datasets)
    found = weights_of(weights, datasets, stream, **how)
    if isinstance(bins, str) and found[0] is not None:
        raise TypeError(f"bins={bins!r}: rules that choose bins do not support weights: give the number of bins, or edges")
    return found


def _label_values(ax, axis, datasets, X):
    """Labels the axis of the values where all tensors have the same name and unit."""
    names = {values_label(dataset.source, X) for dataset in datasets}
    if len(names) == 1:
        name = names.pop()
        if axis is ax.xaxis:
            label_axes(ax, name, "")
        else:
            label_axes(ax, "", name)
