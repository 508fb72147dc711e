"""`stats`: statistics of a tensor, or of all tensors of a model, computed where they are."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, overload

from ..arrays.describe import describe_whole
from ..arrays.pil_images import samples_of
from ..arrays.tensor_tree import describe_all, named_tensors, pairs_in_list
from ..options import public
from .arguments import check_spec
from .measure import stats_of
from .result import StatsTable

if TYPE_CHECKING:
    from .. import typing as t
    from .result import Stats


@overload
def stats(
        X: t.NamedTensors, /, dim: None = None, bins: int = 64, value_range: t.Range | None = None,
        percentiles: t.Percentiles = (1, 2, 50, 98, 99), region: None = None, *, collective: bool = False,
        client: t.Client | None = None, progress: t.Progress | None = None) -> StatsTable: ...
@overload
def stats(
        X: t.TensorLike, /, dim: t.Dim | None = None, bins: int = 64, value_range: t.Range | None = None,
        percentiles: t.Percentiles = (1, 2, 50, 98, 99), region: t.View | None = None, *, collective: bool = False,
        client: t.Client | None = None, progress: t.Progress | None = None) -> Stats: ...
@public
def stats(
        X, /, dim=None, bins=64, value_range=None, percentiles=(1, 2, 50, 98, 99), region=None, *, collective=False, client=None,
        progress=None):
    """Counts, extremes, moments, a histogram and percentiles of a tensor of any library, computed where it is.

    All numbers are exact or accumulated in float64, whatever the dtype. NaN and infinities are counted separately and do not affect
    the other numbers; nor do masked elements. Complex elements count by their magnitude. Counts, extremes and moments take one pass
    over the tensor, the histogram another one, the median and percentiles together about one more. Only results are copied from the
    device, and the memory needed depends only on `bins`; but slices, by `dim`, that lie in several chunks of an array of dask, zarr or
    HDF5 are put together in host memory, 64 MB at a time.

    Parameters
    ----------
    X : array_like, mapping, list or model
        Anything `imshow` takes. Several tensors give a table of one row each, worst first: a mapping such as a
        ``state_dict`` (nested ones, too), a list or tuple of arrays, which may also have scalars, a list or generator of pairs
        of a name and a tensor, an object with ``state_dict()`` or ``named_parameters()``.
    dim : int, str or tuple of these, optional
        The axes to reduce, as in torch: negative ones count from the end. Every result then has the shape of the remaining
        axes. Default: all axes.
    bins : int, default: 64
        Number of bins of the histogram.
    value_range : (number, number), optional
        Where the first bin begins and the last one ends; elements outside are in no bin. Default: the smallest and the
        largest finite element, of each slice if `dim` leaves axes. If both ends are equal, each moves outward by 0.5.
    percentiles : sequence of number, default: (1, 2, 50, 98, 99)
        From 0 to 100; interpolated linearly, as by default in NumPy. The median is always found with them.
    region : ((row0, row1), (col0, col1)), optional
        A part of the last two axes, in elements, as `view` elsewhere: all elements that it touches are included. Default: all.
    client : distributed.Client, optional
        Whose workers read large arrays of dask, zarr and HDF5, chunk by chunk. Default: dask's current scheduler.
    progress : bool or callable, optional
        Whether a bar shows the progress of such a pass over chunks. A callable gets (tiles done, tiles in all). Default: a bar if a
        pass takes more than a second.
    collective : bool, default: False
        For an array that is spread over several processes. True: all of them make this call, with the same parameters; each reduces
        its own shards, one gather per pass exchanges the results (never elements), and all return the same result, bit for bit.
        False: such an array is an error, as no process has all of it. Of several tensors, those that are not spread are measured in
        each process.

    Returns
    -------
    Stats or StatsTable
        A `Stats` has the attributes ``shape, dtype, device, nbytes, numel`` of the tensor; the counts ``nan, neg_inf, neg,
        zero, pos, pos_inf, masked`` and ``subnormal``; ``min, max, mean, median, std`` (with ``n - 1``, as torch), ``absmax, l2``
        of the finite elements, NaN if there are none; the indices ``argmin, argmax, first_nan``; ``hist, bin_edges`` and
        ``percentiles``, a dict. A `StatsTable` is a mapping from name to `Stats`. Both show themselves in notebooks.

    Raises
    ------
    TypeError
        X neither is a tensor of numbers nor holds any (`UnsupportedError`); parameters of the wrong kind.
    ValueError
        An axis that does not exist or is given twice; a range that falls or is not finite; percentiles outside 0 to 100, or
        more than 1023; fewer than one bin, more than 2**24, or more than 2**28 in all slices together; `dim` or `region` for
        several tensors.
    DeviceError
        The tensor's device cannot be used: no driver, an error of the driver, memory that was freed.
    ChunkError
        A chunk of a large array of dask, zarr or HDF5 cannot be read or computed, or another process cannot look at its part.

    Examples
    --------
    >>> import gpuplot
    >>> found = gpuplot.stats([[1.0, -2.0, float("nan")], [4.0, 0.0, float("inf")]])
    >>> found.nan, found.pos_inf, found.min, found.median, found.argmax, found.zero
    (1, 1, -2.0, 0.5, (1, 0), 1)
    >>> gpuplot.stats([[1, 2, 3], [6, 5, 4]], dim=1).max
    array([3, 6])
    """
    spec = check_spec(bins, value_range, percentiles)
    X = samples_of(pairs_in_list(X))
    named = named_tensors(X)
    read = functools.partial(describe_whole, collective=collective, client=client, progress=progress)
    if named is None:
        return stats_of(read(X), spec, dim, region)
    for name, value in (("dim", dim), ("region", region)):
        if value is not None:
            raise ValueError(f"{name}={value!r} is for one tensor, and there are several: give one of them")
    sources, skipped = describe_all(named, read)
    return StatsTable([(name, stats_of(source, spec)) for name, source in sources.items()], skipped)
