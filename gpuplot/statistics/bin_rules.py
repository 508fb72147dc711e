"""NumPy's rules for the number of bins ("auto", "fd", ...), from statistics computed where the tensors are."""

import math
from contextlib import ExitStack

import numpy as np

from ..cached import cached_property
from ..choices import check_choice
from ..plane.chunks.chunk_counts import N_BINS, snapped
from ..plane.order_statistics import percentiles_by_rank, values_at, values_by_counts
from .chunked_elements import is_chunked
from .numpy_histogram import NativeBins, joint_histogram
from .stone_rule import stone_width

# A skewness that is nothing but rounding errors.
ROUNDING = 1e-13


def check_rule(name):
    """The name, or a ValueError if it is not a rule's."""
    return check_choice("bins", name, tuple(_WIDTHS))


def count_by_rule(rule, datasets, ends, range=None):
    """The number of bins that numpy.histogram_bin_edges chooses by a rule for several `Dataset` together.

    `ends`, (2,), are the edges of one bin over the whole range, in the edges' dtype; `range` is the caller's or None. Elements outside are
    ignored. As in NumPy the arithmetic is in the floats' dtype; it is repeated in float64 if that overflows.
    """
    first, last = ends if range is None else range
    if range is not None and first == last:  # widened as NumPy does, not in the edges' dtype
        first, last = first - 0.5, last + 0.5
    inside = _Inside(datasets, ends, first, last, range is None)
    if not inside.n:
        return 1
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        number = _number(inside, _WIDTHS[rule](inside))
        if not 1 <= number < math.inf:
            inside.type = np.float64
            number = _number(inside, _WIDTHS[rule](inside))
    return max(math.ceil(number), 1)


def _number(inside, width):
    """Range divided by the width of a bin, in the width's float type; 1 for a width of 0."""
    if not width:
        return 1
    first, last = inside.first, inside.last
    if inside.is_integer:
        span = inside.exact_span if inside.is_whole else float(last) - float(first)
        return span / max(width, 1)
    return np.subtract(last, first, dtype=np.result_type(np.asarray(last), np.asarray(first), inside.type)) / width


class _Inside:
    """Statistics of the elements of some tensors within a range, each computed when it is first used.

    Attributes
    ----------
    n : int
        Number of elements.
    is_integer : bool
        Whether all tensors have integers.
    type : type
        NumPy scalar type to which differences and deviations are rounded.
    first, last : number
        The ends of the range.
    is_whole : bool
        Whether the range is that of the elements.
    """

    def __init__(self, datasets, ends, first, last, is_whole):
        self._datasets, self._ends, self.first, self.last, self.is_whole = datasets, ends, first, last, is_whole
        self.type = np.asarray(ends).dtype.type
        self.is_integer = all(one.dtype.kind in "iu" for one in datasets)
        finite = [one.kinds for one in datasets if one.kinds.finite]
        self._low, self._high = min((one.low for one in finite), default=0), max((one.high for one in finite), default=0)
        self._is_all = self._low >= ends[0] and self._high <= ends[1]
        if self._is_all:
            self._n_below, self.n = 0, sum(one.finite for one in finite)
        else:
            self._n_below, self.n = self._counted()

    def _counted(self):
        """(number of elements below the range, number inside)."""
        first, n_below = float(self._ends[0]), 0
        if self._low < first:
            edges = np.array([float(self._low), first, math.nextafter(first, math.inf)])
            n_below = sum(int(one.count(edges)[0]) for one in self._datasets)
        return n_below, sum(int(one.count(self._ends)[0]) for one in self._datasets)

    @cached_property
    def _orders(self):
        """(smallest, largest, 25th percentile, 75th percentile)."""
        if len(self._datasets) == 1 and (self._is_all or is_chunked(self._datasets[0].source)):
            return self._orders_of_one(self._datasets[0])
        names = {one.source.dtype for one in self._datasets}
        about = float(self._low), float(self._high), names.pop() if len(names) == 1 else "float64"

        def values_within(ranks):
            return self._values_at([self._n_below + rank for rank in ranks], *about)

        return tuple(percentiles_by_rank((0, 100, 25, 75), self.n, values_within))

    def _orders_of_one(self, dataset):
        """`_orders` of all elements of a tensor, or of those of an array in chunks that are inside."""
        with dataset.elements() as elements:
            if self._is_all:
                return self._low, self._high, *elements.percentiles((25, 75), self.n, float(self._low), float(self._high))
            ends = snapped(*map(float, self._ends), dataset.source.dtype)
            low, *quartiles, high = elements.percentiles((0, 25, 75, 100), self.n, *ends)
        return low, high, *quartiles

    def _values_at(self, ranks, low, high, dtype):
        """The elements of some ranks among those of all tensors, which go from `low` to `high`."""
        if any(is_chunked(one.source) for one in self._datasets):
            return values_by_counts(lambda parts: np.cumsum(self.count(parts.values)), ranks, low, high, dtype, N_BINS)
        with ExitStack() as borrowed:
            planes = [plane for one in self._datasets for plane in borrowed.enter_context(one.elements()).pooled]
            return values_at(planes, ranks, low, high, dtype)

    @property
    def span(self):
        """The difference between the largest and the smallest element."""
        return self.type(self.exact_span)

    @property
    def exact_span(self):
        """`span` as a float, of integers without rounding these before."""
        low, high = (self._low, self._high) if self._is_all else self._orders[:2]
        return float(high - low)

    def count(self, edges):
        """The number of elements in each bin between rising edges."""
        return sum(one.count(edges) for one in self._datasets)

    @property
    def quartiles_apart(self):
        """The difference between the 75th and the 25th percentile, which NumPy interpolates in float64."""
        return np.float64(self._orders[3]) - np.float64(self._orders[2])

    def _mean_of(self, power, center):
        """The mean of ``((x - center) / span)**power``."""
        bins = [NativeBins(self._ends)]
        moment = (power, center, 1 / self.exact_span)
        return sum(float(joint_histogram([one], bins, one, moment)[0][0]) for one in self._datasets) / self.n

    @cached_property
    def _moments(self):
        """(mean, standard deviation divided by the span); 0 for a deviation whose square is too small for a float, as in NumPy."""
        if not self.exact_span * self.exact_span:
            return float(self._low), 0.0
        start = float(self._low if self._is_all else self._orders[0])
        mean = start + self._mean_of(1, start) * self.exact_span
        return mean, math.sqrt(self._mean_of(2, mean))

    @property
    def std(self):
        """The population standard deviation; as in NumPy its square is rounded, too."""
        return np.sqrt(self.type(np.square(np.float64(self._moments[1] * self.exact_span))))

    @property
    def skewness(self):
        """The mean of ``((x - mean) / std)**3``, in units that cancel in Doane's rule."""
        mean, std = self._moments
        skewness = self._mean_of(3, mean) / std**3
        return skewness if abs(skewness) > ROUNDING else 0.0  # of symmetric elements NumPy's differences cancel


def _fd(inside):
    return 2 * inside.quartiles_apart * inside.n ** (-1 / 3)


def _sturges(inside):
    return inside.span / (np.log2(inside.n) + 1)


def _sqrt(inside):
    return inside.span / np.sqrt(inside.n)


def _auto(inside):
    return min(max(_fd(inside), _sqrt(inside) / 2), _sturges(inside))


def _doane(inside):
    n = inside.n
    if n <= 2 or not inside.std:
        return 0.0
    noise = np.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    return inside.span / (1 + np.log2(n) + np.log2(1 + inside.type(abs(inside.skewness)) / noise))


def _scott(inside):
    return (24 * math.sqrt(math.pi) / inside.n) ** (1 / 3) * inside.std


def _rice(inside):
    return inside.span / (2 * inside.n ** (1 / 3))


def _stone(inside):
    return stone_width(inside.n, inside.span, (inside.first, inside.last), inside.count)


# Rule -> width of a bin, as documented for numpy.histogram_bin_edges; 0 means one bin.
_WIDTHS = {"auto": _auto, "fd": _fd, "doane": _doane, "scott": _scott, "rice": _rice, "sturges": _sturges, "sqrt": _sqrt, "stone": _stone}
