"""`hist2d`: a 2-D histogram of two tensors in an Axes, counted on their device and drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from matplotlib import colors
from matplotlib.collections import QuadMesh

from ..arrays.chunks_together import check_together
from ..arrays.describe import describe
from ..arrays.scalars import number_in
from ..arrays.streams import check_stream
from ..color.color_limits import completed
from ..color.style import check_given_limits, find_cmap, find_norm
from ..errors import naming, value_text
from ..options import bare, public_with
from ..statistics.numpy_edges import check_bins_of_two, check_ranges_of_two, edges_of_two
from ..statistics.numpy_histogram import NativeBins, joint_histogram
from .axes_choice import check_axes, check_flat, drawing_axes
from .axis_labels import label_axes, values_label
from .data_keyword import tensor_in
from .histograms.histogram_data import check_alike, dataset_of, dates_in_units, edges_on_host, source_of, warn_of_left_out
from .images.colorbars import EMPTY_LIMITS
from .property_values import check_properties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from .. import typing as t


@bare
class Histogram2D(tuple):
    """What `hist2d` returns: the tuple ``(h, xedges, yedges, image)`` of `matplotlib.axes.Axes.hist2d`, and what is in no bin.

    Attributes
    ----------
    h : ndarray, shape (bins of x, bins of y), float64
        Counts, or sums of weights; NaN where `cmin` or `cmax` left a bin out.
    xedges, yedges : ndarray
        The edges.
    image : matplotlib.collections.QuadMesh
        Takes a colorbar, a norm, limits.
    left_out : int
        How many pairs are in no bin: beyond the edges, not finite, masked.

    Examples
    --------
    >>> import gpuplot
    >>> found = gpuplot.hist2d([0, 0.5, 1, 3], [0, 0.5, 1, 0], 2, range=((0, 1), (0, 1)))
    >>> found.h.tolist(), found.left_out
    ([[1.0, 0.0], [0.0, 2.0]], 1)
    """

    h: Any
    xedges: Any
    yedges: Any
    image: Any
    left_out: int

    def __new__(cls, h, xedges, yedges, image, left_out=0):
        histogram = super().__new__(cls, (h, xedges, yedges, image))
        histogram.h, histogram.xedges, histogram.yedges, histogram.image, histogram.left_out = h, xedges, yedges, image, left_out
        return histogram

    def __reduce__(self):
        return Histogram2D, (*self, self.left_out)


@public_with(QuadMesh, "edgecolors", "shading")
def hist2d(
        x: t.TensorLike, y: t.TensorLike, /, bins: int | ArrayLike | Sequence[int | ArrayLike] = 10, *,
        range: Sequence[t.Range | None] | None = None, density: bool = False, weights: t.TensorLike | None = None,
        cmin: float | None = None, cmax: float | None = None, cmap: t.Cmap | None = None, norm: t.Norm | None = None,
        vmin: float | None = None, vmax: float | None = None, alpha: t.Alpha | None = None, ax: Axes | None = None, data: Any = None,
        stream: t.Stream | None = None, **mesh_properties: Unpack[t.MeshProperties],
) -> Histogram2D:
    """Draws how often pairs of numbers occur: `matplotlib.axes.Axes.hist2d` for tensors of any size and library.

    Pairs are counted where the tensors are, in one pass, and one more over each tensor whose range has to be found; only counts are
    copied from the device. They are those of `numpy.histogram2d`. The picture is that of `matplotlib.axes.Axes.pcolormesh`. The tensors
    are not kept.

    Parameters
    ----------
    x, y : array_like
        Anything `imshow` takes, of real numbers, both of one shape and on one device; all axes are counted together. Dates and
        texts are converted by the axis, and names label axes, as in `hist`.
    bins : int or sequence, default: 10
        The number of bins of equal width, or the edges, of both x and y; or a pair of these, for x and for y.
    range : ((number, number), (number, number)), optional
        Where the first bins begin and the last ones end, of x and of y; None for one of them finds it. Default: the smallest and
        the largest element.
    density : bool, default: False
        Whether the volume over all bins is 1.
    weights : array_like, optional
        What each pair counts, in place of 1: of the same shape and on the same device. Added up in float64, always in the same
        order.
    cmin, cmax : float, optional
        Bins whose value is below `cmin` or above `cmax` are NaN, and not drawn.
    cmap, norm, vmin, vmax, alpha : optional
        As in `matplotlib.axes.Axes.pcolormesh`; `norm` may be "cbrt" and "eq_hist", too.
    ax : Axes, optional
        Default: the current Axes of pyplot, whose current image this becomes.
    data : mapping, optional
        Where `x`, `y` and `weights` that are strings are looked up.
    stream : int or object, optional
        The CUDA stream on which the tensors are written, as in `imshow`.
    **mesh_properties
        Properties of the mesh, such as ``rasterized`` or ``zorder``.

    Returns
    -------
    Histogram2D
        The tuple ``(h, xedges, yedges, image)`` of `Axes.hist2d`; x is the first axis of `h`. Its attribute ``left_out`` counts the
        pairs that are in no bin.

    Raises
    ------
    TypeError
        Not a tensor of numbers (`UnsupportedError`), complex numbers, parameters of the wrong kind.
    ValueError
        Tensors that differ in shape or device; a range is not given and an element is not finite; edges or a range that fall or
        are not finite; more than 2**24 bins.
    DeviceError
        The tensors' device cannot be used.
    AttributeError
        A property that a mesh does not have.

    Warns
    -----
    GpuplotWarning
        NaN or infinities are in no bin.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> x, y = np.random.default_rng(0).normal(size=(2, 100_000))
    >>> h, xedges, yedges, image = gpuplot.hist2d(x, x + y, (80, 60), norm="log", cmin=1)
    >>> h.shape, np.nansum(h)
    ((80, 60), np.float64(100000.0))
    """
    drawing = {"cmap": cmap, "alpha": alpha, **_norm_with_limits(norm, vmin, vmax), **mesh_properties}
    check_axes("hist2d", (x, y, bins), ax)
    check_stream(stream)
    _check_mesh(drawing)
    drawing["shading"] = "flat"  # whatever rcParams["pcolor.shading"] is
    cmin, cmax = _check_bound("cmin", cmin), _check_bound("cmax", cmax)
    x, y, weights = (tensor_in(one, data) for one in (x, y, weights))
    with drawing_axes(ax) as (pyplot, ax):
        check_flat("hist2d", ax, is_spatial_too=False)
        axes = ax.xaxis, ax.yaxis
        bins, ranges = check_bins_of_two(_in_units(bins, axes)), check_ranges_of_two(_in_units(range, axes))
        _check_opacities(alpha, bins)
        datasets = [dataset_of(source_of(one, stream, axis)) for one, axis in zip((x, y), axes, strict=True)]
        check_alike("y", datasets[1].source, "x", datasets[0].source)
        if weights is not None:
            with naming("weights"):
                weights = dataset_of(describe(weights, stream))
            check_alike("weights", weights.source, "x", datasets[0].source)
        check_together({name: one and one.source for name, one in zip(("x", "y", "weights"), (*datasets, weights), strict=True)})
        edges = edges_of_two(datasets, bins, ranges)
        counts, left_out = _count(datasets, edges, weights)
        h = _heights(counts, edges, density, cmin, cmax)
        histogram = Histogram2D(h, *edges, ax.pcolormesh(*edges, h.T, **drawing), left_out)
        _limit_log(histogram.image.norm, h)
        check_given_limits(histogram.image.norm)
        label_axes(ax, *(values_label(dataset.source, one) for dataset, one in zip(datasets, (x, y), strict=True)))
        if pyplot is not None:
            pyplot.sci(histogram.image)
    return histogram


def _norm_with_limits(norm, vmin, vmax):
    """The keywords ``norm``, ``vmin`` and ``vmax`` of `Axes.pcolormesh`; ValueError for limits that the norm cannot use."""
    if isinstance(norm, getattr(colors, "Norm", ())) and not isinstance(norm, colors.Normalize):  # of matplotlib 3.11 on
        return {"norm": norm, "vmin": vmin, "vmax": vmax}
    norm = find_norm(norm, vmin, vmax)
    check_given_limits(norm)
    return {"norm": norm}


def _check_mesh(drawing):
    """Raises what `Axes.pcolormesh` would raise, after the counting, for a value that a mesh does not take."""
    if not (drawing["cmap"] is None or isinstance(drawing["cmap"], str)):
        find_cmap(drawing["cmap"])
    shading = drawing.get("shading")
    if shading is not None and not (isinstance(shading, str) and shading.lower() in ("flat", "auto")):
        raise ValueError(f"shading={value_text(shading)}: bins lie between edges, which is 'flat': leave shading out")
    check_properties(QuadMesh(np.zeros((2, 2, 2))), {name: value for name, value in drawing.items() if name != "norm"}, takes_lists=False)


def _check_opacities(alpha, bins):
    """ValueError for another number of opacities than there are bins; matplotlib would refuse them at each draw."""
    n_cols, n_rows = (len(one) - 1 if isinstance(one, np.ndarray) else one for one in bins)
    if np.ndim(alpha) and np.size(alpha) != n_rows * n_cols:
        raise ValueError(f"alpha has {np.size(alpha)} of {n_rows} x {n_cols} opacities: give one for all bins, or an array of that shape, "
                         "whose rows follow y")


def _limit_log(norm, h):
    """Gives a log norm limits where no bin has a number above zero, which matplotlib would refuse to draw."""
    if isinstance(norm, colors.LogNorm) and not (h > 0).any():
        given = [limit if limit is not None and limit > 0 else None for limit in (norm.vmin, norm.vmax)]  # matplotlib found 0
        norm.vmin, norm.vmax = completed(given, EMPTY_LIMITS)


def _in_units(pair, axes):
    """A pair of ranges or of edges, of x and of y, or edges for both: dates become numbers of the axes, tensors arrays."""
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        return edges_on_host(pair)
    return tuple(dates_in_units(one, axis) for one, axis in zip(pair, axes, strict=True))


def _count(datasets, edges, weights):
    """(counts of pairs or sums of weights in each bin, number of pairs in no bin); warns of those that are not finite."""
    counts, n_counted = joint_histogram(datasets, [NativeBins(one) for one in edges], weights)
    left_out = datasets[0].source.size - n_counted
    if left_out:
        warn_of_left_out(datasets, [one.kinds._asdict() for one in datasets])
    return counts, left_out


def _check_bound(name, value):
    """A number of elements as a float; None stays."""
    number = None if value is None else number_in(value)
    if value is not None and number is None:
        raise TypeError(f"{name}={value!r} must be a number, the count beyond which bins are not drawn")
    return number


def _heights(counts, edges, density, cmin, cmax):
    """Counts of the bins -> `h` as numpy.histogram2d gives it, NaN where it is below `cmin` or above `cmax`."""
    h = counts.astype(np.float64)
    if density:
        total = h.sum()
        h = h / np.diff(edges[0])[:, None] / np.diff(edges[1]) / total
    if cmin is not None:
        h[h < cmin] = np.nan
    if cmax is not None:
        h[h > cmax] = np.nan
    return h
