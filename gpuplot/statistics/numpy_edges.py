"""The bin edges of numpy.histogram, made by NumPy itself from the range and counts of a tensor's elements."""

import math

import numpy as np

from ..arrays.optional_imports import attribute
from ..arrays.scalars import integer_in, number_in
from .arguments import MAX_BINS, check_ends, check_number_of_bins
from .bin_rules import check_rule, count_by_rule


class Edges:
    """Edges of bins, and between which numbers they were computed.

    Attributes
    ----------
    values : ndarray, shape (n + 1,)
        In NumPy's own dtype for them: the data's float type, float64 for integers, that of the caller's array.
    limits : (number, number) or None
        What counts, where `values` were computed from it.
    """

    def __init__(self, values, limits=None):
        self.values, self.limits = values, limits


def check_bins(bins):
    """The `bins` of a histogram: an int, an array of edges, or the name of a rule; every mistake in them is an error here."""
    if isinstance(bins, str):
        return check_rule(bins)
    number = None if attribute(bins, "shape") else integer_in(bins)
    if number is not None:
        return check_number_of_bins(number, "range= says")
    return _check_edges(bins)


def _check_edges(bins):
    try:
        edges = np.asarray(bins)
    except Exception:  # libraries differ in how they refuse: tensors on a GPU, lists of several lengths
        edges = np.empty((), object)
    if edges.ndim != 1 or edges.dtype.kind not in "biuf":
        raise TypeError(f"bins must be a number of bins or a sequence of edges in host memory, not {type(bins).__name__}"
                        + (f" of shape {edges.shape}" if edges.ndim > 1 else ""))
    edges = edges.astype(np.float64 if edges.dtype == np.longdouble else np.uint8 if edges.dtype == bool else edges.dtype)
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
    """(first, last) of the `range` of a histogram as numbers of Python or NumPy, whose dtypes count in that of the edges; None for None."""
    return check_ends("range", range, lambda end: end if isinstance(end, (int, float, np.number)) else number_in(end))


def check_bins_of_two(bins):
    """The `bins` of a histogram of pairs, an int or an array of edges for each: of both, or of x and y."""
    try:
        n = len(bins)
    except TypeError:
        n = None
    if isinstance(bins, str) or (n == 2 and any(isinstance(one, str) for one in bins)):
        raise ValueError(f"bins={bins!r}: rules choose the bins of one tensor, in hist; give numbers of bins, or edges")
    both = (bins, bins) if n != 2 else (bins[0], bins[1])
    x, y = (check_bins(one) for one in both)
    n_bins = math.prod(one if isinstance(one, int) else len(one) - 1 for one in (x, y))
    if n_bins > MAX_BINS:
        raise ValueError(f"bins: {n_bins} bins of x and y together; there are at most {MAX_BINS}")
    return x, y


def check_ranges_of_two(range):
    """The `range` of a histogram of pairs: (first, last), or None, for x and for y."""
    if range is None:
        return None, None
    try:
        x, y = range
    except (TypeError, ValueError):
        raise TypeError(f"range={range!r} must be two pairs of numbers, ((x0, x1), (y0, y1)); each may be None") from None
    return check_range(x), check_range(y)


def edges_of_two(datasets, bins, ranges):
    """The edges of the bins of x and of y, two arrays, as `numpy.histogram2d` has them; a range that is None is found.

    ValueError where it is to be found and an element is not finite.
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
    [edges] = np.histogramdd(ends, [bins], [range])[1]
    return edges


def edges_of(datasets, bins, range):
    """The `Edges` of the bins of some `Dataset` together, which are looked at where edges have to be computed and no range is given.

    `bins` is as `check_bins` gives it. ValueError where the range is to be found and an element is infinite, or none is finite;
    and where there are fewer floating-point numbers in the range than edges.
    """
    if isinstance(bins, np.ndarray):
        return Edges(bins)
    dtype = np.result_type(*(one.dtype for one in datasets))
    low, high = _extremes(datasets) if range is None else (0, 0)
    # Of no elements NumPy makes edges from 0 to 1.
    ends = np.array([] if low is None else [low, high], dtype)
    if isinstance(bins, str):
        bins = _check_chosen(bins, count_by_rule(bins, datasets, np.histogram_bin_edges(ends, 1, range), range))
    with np.errstate(over="ignore"):
        values = np.histogram_bin_edges(ends, bins, range)
    if not np.isfinite(values).all():
        raise ValueError(f"range={range!r}: its width, or an end, is beyond the largest number of {values.dtype}; give another one")
    return Edges(values, range if range is not None else None if low is None else (low, high))


def _check_chosen(rule, number):
    """The number of bins that a rule chose, which may be beyond all reason."""
    if number > MAX_BINS:
        raise ValueError(f"bins={rule!r} asks for {number:,} bins, of at most {MAX_BINS:,}: some elements lie far away from the others; "
                         "give range=(first, last), or a number of bins")
    return number


def _extremes(datasets):
    """The smallest and the largest element of all, (None, None) where there are no elements."""
    kinds = [one.kinds for one in datasets]
    infinite = sum(one.pos_inf + one.neg_inf for one in kinds)
    if infinite:
        raise ValueError(f"the range of the data is not finite: {infinite:,} of {sum(one.source.size for one in datasets):,} elements "
                         "are infinite; give range=(first, last)")
    with_elements = [one for one in kinds if one.finite]
    if with_elements:
        return min(one.low for one in with_elements), max(one.high for one in with_elements)
    if any(one.nan for one in kinds):
        raise ValueError("the range of the data is not finite: all elements are NaN; give range=(first, last)")
    return None, None
