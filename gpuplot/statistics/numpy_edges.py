"""The bin edges of numpy.histogram, computed by NumPy itself from the range of a tensor's elements."""

import math
from collections.abc import Mapping, Set
from numbers import Number

import numpy as np

from ..arrays.literals import counted
from ..arrays.optional_imports import attribute
from ..arrays.scalars import integer_in, number_in
from ..errors import reason_of
from ..plane.bin_edges import bin_edges
from .arguments import MAX_BINS, check_ends, check_number_of_bins
from .bin_rules import check_rule, count_by_rule


class Edges:
    """Edges of bins, and the range that they were computed for.

    Attributes
    ----------
    values : ndarray, shape (n + 1,)
        In NumPy's dtype for edges: the data's float type, float64 for integers, or the dtype of the caller's array.
    limits : (number, number) or None
        The range, if `values` were computed from one: NumPy ignores elements outside of it.
    """

    def __init__(self, values, limits=None):
        self.values, self.limits = values, limits


def check_bins(bins):
    """`bins` of a histogram, checked: an int, an array of edges, or the name of a rule."""
    if isinstance(bins, str):
        return check_rule(bins)
    number = None if attribute(bins, "shape") else integer_in(bins)
    if number is not None:
        return check_number_of_bins(number, "range= says")
    return _check_edges(bins)


def _check_edges(bins):
    try:
        edges = np.asarray(counted(bins))
    except Exception:  # libraries have different errors for tensors on a GPU, or lists of different lengths
        edges = np.empty((), object)
    if edges.ndim != 1 or edges.dtype.kind not in "biuf":
        raise TypeError(f"bins must be a number of bins or a sequence of edges, not {type(bins).__name__}"
                        + (f" of shape {edges.shape}" if edges.ndim > 1 else ""))
    dtype = {"bool": np.uint8, np.dtype(np.longdouble).name: np.float64}.get(edges.dtype.name, edges.dtype)
    edges = edges.astype(dtype)
    if len(edges) < 2:
        raise ValueError(f"bins has {len(edges)} edge{'' if len(edges) == 1 else 's'}: bins lie between edges, give at least two")
    if not np.isfinite(edges).all():
        raise ValueError(f"bins: edges must be finite, and {edges[~np.isfinite(edges)][0]} is not")
    if (edges[:-1] > edges[1:]).any():
        i = int(np.argmax(edges[:-1] > edges[1:]))
        raise ValueError(f"bins: edges must not fall, and {edges[i]} is before {edges[i + 1]}")
    check_number_of_bins(len(edges) - 1, "range= says")
    return edges


def check_range(range):
    """(first, last) of `range`, checked; NumPy scalars keep their dtype, which decides that of the edges. None for None."""
    return check_ends("range", range, _end)


def _end(value):
    """One end of a range: a number as it is, or the float in a tensor; None for durations, which NumPy counts among integers."""
    if isinstance(value, np.timedelta64):
        return None
    return value if isinstance(value, (int, float, np.number)) else number_in(value)


def check_bins_of_two(bins):
    """`bins` of a histogram of pairs, checked -> (bins of x, bins of y), each an int or an array of edges."""
    try:
        n = len(bins)
    except TypeError:
        n = None
    if isinstance(bins, str) or (n == 2 and any(isinstance(one, str) for one in bins)):
        raise ValueError(f"bins={bins!r}: rules choose the bins of one tensor, in hist; give numbers of bins, or edges")
    if isinstance(bins, (Set, Mapping)):
        raise TypeError(f"bins={bins!r} has no order: give (bins of x, bins of y), or one for both")
    both = (bins, bins) if n != 2 else (bins[0], bins[1])
    x, y = (check_bins(one) for one in both)
    n_bins = math.prod(one if isinstance(one, int) else len(one) - 1 for one in (x, y))
    if n_bins > MAX_BINS:
        raise ValueError(f"bins: {n_bins} bins of x and y together; there are at most {MAX_BINS}")
    return x, y


def check_ranges_of_two(range):
    """`range` of a histogram of pairs, checked -> (range of x, range of y), each (first, last) or None."""
    if range is None:
        return None, None
    try:
        x, y = range
        is_of_pairs = not (isinstance(x, Number) and isinstance(y, Number))  # as of `hist`
    except (TypeError, ValueError):
        is_of_pairs = False
    if not is_of_pairs:
        raise TypeError(f"range={range!r} must be two pairs of numbers, ((x0, x1), (y0, y1)); each may be None")
    return check_range(x), check_range(y)


def edges_of_two(datasets, bins, ranges):
    """(edges of x, edges of y), as `numpy.histogram2d` has them. A range of None is that of the elements.

    ValueError if one of these is not finite.
    """
    dtype = np.result_type(*(one.dtype for one in datasets))
    return tuple(_edges_of_one(name, dtype, *of_one) for name, *of_one in zip("xy", datasets, bins, ranges, strict=True))


def _edges_of_one(name, dtype, dataset, bins, range):
    if isinstance(bins, np.ndarray):
        return bins
    ends = np.zeros((0, 1), dtype)
    if range is None and dataset.source.size:
        kinds = dataset.kinds
        n_bad = kinds.nan + kinds.pos_inf + kinds.neg_inf
        if n_bad:
            raise ValueError(f"the range of {name} is not finite: {n_bad:,} of {dataset.source.size:,} elements are NaN or infinite; give "
                             "range=((x0, x1), (y0, y1)), or edges")
        ends = np.array([[kinds.low], [kinds.high]], dtype) if kinds.finite else ends
    whole = range if range is not None else tuple(ends[:, 0])
    edges = _numpy_edges(f"the range of {name}", whole, lambda: np.histogramdd(ends, [bins], [range])[1][0])
    if (edges[:-1] > edges[1:]).any():  # NumPy rounds each up or down among subnormal numbers
        raise ValueError(f"the range of {name}, {whole[0]} to {whole[1]}, has too few numbers of {edges.dtype} for {bins} bins: give fewer "
                         "bins, or range=")
    return edges


def _numpy_edges(what, whole, compute):
    """The edges that ``compute()`` returns for a `whole`, (first, last); ValueError if NumPy has none, or such as are not finite."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            edges = compute()
    except ValueError as error:
        width = float(whole[1]) - float(whole[0]) if whole else 0.0
        if math.isfinite(width):
            raise ValueError(f"{what}: {reason_of(error)}: give fewer bins, or range=") from error
        edges = np.array([math.inf])
    if not np.isfinite(edges).all():
        raise ValueError(f"{what}, {whole[0]} to {whole[1]}: its width, or an end, is beyond the largest number of {edges.dtype}; give "
                         "another range=")
    return edges


def _bin_edges(ends, bins, range):
    """`numpy.histogram_bin_edges`; NumPy 2.0 has no error for bins without width."""
    edges = np.histogram_bin_edges(ends, bins, range)
    if (edges[:-1] >= edges[1:]).any():
        raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
    return edges


def histogram_edges(datasets, bins, range):
    """The `Edges` for several `Dataset` together; their elements are read if `bins` are not edges and `range` is None.

    `bins` is a result of `check_bins`. ValueError if the range has to be found and an element is infinite, or all are NaN;
    or if there are fewer floating-point numbers in the range than edges.
    """
    if isinstance(bins, np.ndarray):
        return Edges(bins)
    dtype = np.result_type(*(one.dtype for one in datasets))
    what, ends, limits = "range", np.zeros(2, dtype), range
    if range is None:
        what, limits = "the range of the data", _extremes(datasets)
        # For no elements NumPy's edges are from 0 to 1.
        ends = np.array([] if limits is None else limits, dtype)
    whole = range or tuple(ends)
    if isinstance(bins, str):
        one = _numpy_edges(what, whole, lambda: _bin_edges(ends, 1, range))
        bins = _check_chosen(bins, count_by_rule(bins, datasets, one, range))
    return Edges(_numpy_edges(what, whole, lambda: _bin_edges(ends, bins, range)), limits)


def edges_for_any_range(datasets, n_bins, range):
    """`histogram_edges` of a number of bins that no user chose: edges are float64 where the data's dtype has too few numbers for them."""
    limits = range or _extremes(datasets)
    try:
        return histogram_edges(datasets, n_bins, range)
    except ValueError:
        if limits is None:
            raise
        return Edges(bin_edges(*limits, n_bins), limits)


def _check_chosen(rule, number):
    """The number of bins that a rule chose; ValueError if it is too large, as an outlier can make it."""
    if number > MAX_BINS:
        raise ValueError(f"bins={rule!r} asks for {number:,} bins, of at most {MAX_BINS:,}: some elements lie far away from the others; "
                         "give range=(first, last), or a number of bins")
    return number


def _extremes(datasets):
    """(smallest, largest) element of all; None if there are no elements."""
    kinds = [one.kinds for one in datasets]
    infinite = sum(one.pos_inf + one.neg_inf for one in kinds)
    with_elements = [one for one in kinds if one.finite]
    ends = (min(one.low for one in with_elements), max(one.high for one in with_elements)) if with_elements else None
    if infinite:
        advice = "range=(first, last)" if ends is None else f"range=({ends[0]:.4g}, {ends[1]:.4g}), that of the finite ones"
        raise ValueError(f"the range of the data is not finite: {infinite:,} of {sum(one.source.size for one in datasets):,} elements "
                         f"are infinite; give {advice}")
    if ends is None and any(one.nan for one in kinds):
        raise ValueError("the range of the data is not finite: all elements are NaN; give range=(first, last)")
    return ends
