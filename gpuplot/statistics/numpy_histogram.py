"""Counts of a tensor's elements between edges, equal to those of numpy.histogram."""

from __future__ import annotations

import itertools
import math
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import _native
from ..arrays.chunk_elements import source_of_chunk
from ..arrays.chunks_together import together
from ..arrays.dtypes import is_narrow
from ..cached import cached_property
from ..plane.chunks.chunk_grid import over_all
from ..plane.coalesce_axes import cover_together
from ..plane.limits import Limits
from .chunked_elements import ChunkedElements, is_chunked
from .elements import NOTHING, all_elements
from .summaries import extremes

# float64 holds all integers up to this one exactly.
_EXACT = 2**53


class Kinds(NamedTuple):
    """How many elements of a tensor are of each kind, and the finite extremes."""

    finite: int
    nan: int
    pos_inf: int
    neg_inf: int
    masked: int
    # The smallest and the largest finite element: exact ints for integers, else floats; NaN if nothing is finite.
    low: object
    high: object


class Dataset:
    """All elements of one tensor, with the rules by which `numpy.histogram` counts them.

    Parameters
    ----------
    source : Source
        Of real numbers.

    Attributes
    ----------
    dtype : numpy.dtype
        The dtype that NumPy compares elements in: float32 for bfloat16 and 8-bit floats, float64 for long doubles, uint8 for bool.
    """

    def __init__(self, source):
        self.source = source
        name = source.dtype
        self.dtype = np.dtype({"bool": "uint8", "longdouble": "float64"}.get(name, "float32" if is_narrow(name) else name))

    @cached_property
    def kinds(self):
        """The `Kinds` of the elements; one pass at the first use."""
        if is_chunked(self.source):
            return self._kinds_of_chunks()
        with self.elements() as elements:
            limits = [Limits(*_native.limits(plane, _native.WANT_RANGE | _native.WANT_COUNTS)) for plane in elements.pooled]
            ends = [end for one in limits for end in (one.min, one.max) if end == end]
            low, high = (min(ends), max(ends)) if ends else (math.nan, math.nan)
            if ends and elements.is_integer:
                # float64 would round larger ones.
                low, high = (int(low), int(high)) if max(abs(low), abs(high)) < _EXACT else extremes(elements)
        counts = [sum(getattr(one, name) for one in limits) for name in ("n_finite", "n_nan", "n_pos_inf", "n_neg_inf", "n_masked")]
        return Kinds(*counts, low, high)

    def _kinds_of_chunks(self):
        """`kinds` of an array in chunks, by a summary, which has exact extremes."""
        with self.elements() as elements:
            partial = elements.summary()
            found, low, high = partial.finish(), partial.low, partial.high
            if elements.is_integer and partial.n:
                low, high = int(low), int(high)
        return Kinds(partial.n, found.n_nan, found.n_pos_inf, found.n_neg_inf, found.n_masked, low, high)

    def count(self, edges, limits=None):
        """The number of elements in each bin, (n,) int64, as `numpy.histogram` counts them.

        `edges`, (n + 1,), are finite, do not fall, and have any real dtype; elements are compared with them in the dtype that
        holds both. `limits` is the range that edges were computed for: integer elements are compared exactly with integer limits.
        """
        counts = np.zeros(len(edges) - 1, np.int64)
        with self.elements() as elements:
            for bins, part in self._native_bins(edges, limits):
                counts[part] += bins.taken(elements.histogram(bins.edges, bins.limits).counts)
        return counts

    def add_up(self, edges, limits, weights):
        """(float64 sum of the weights in each bin, number of elements in any bin); `edges` and `limits` as in `count`.

        `weights` is a Dataset of the same shape on the same device. Elements that are masked, or whose weights are, are in no bin.
        """
        sums, n_counted = np.zeros(len(edges) - 1), 0
        for bins, part in self._native_bins(edges, limits):
            found, n = joint_histogram([self], [bins], weights)
            sums[part] += found
            n_counted += n
        return sums, n_counted

    def native_limits(self, limits):
        """`limits` as (int, int) if integer elements are compared exactly with them, else None.

        NumPy moves equal limits outward by 0.5, and rounds: it compares elements with the edges.
        """
        is_exact = self.dtype.kind in "iu" and limits is not None and all(isinstance(end, (int, np.integer)) for end in limits)
        is_exact = is_exact and limits[0] != limits[1]
        return (int(limits[0]), int(limits[1])) if is_exact else None

    def _native_bins(self, edges, limits):
        """A list of (NativeBins, slice of the bins that they are), one for each pass of the native layer."""
        is_integer = np.result_type(self.dtype, edges.dtype).kind in "iu"
        if not is_integer or max(abs(int(edges[0])), abs(int(edges[-1]))) <= _EXACT:
            return [(NativeBins(edges, self.native_limits(limits)), slice(None))]
        # float64 does not hold all edges: integers are compared with them exactly, by a pass for each bin.
        ends = [int(edge) for edge in edges]
        ends[-1] += 1
        return [(NativeBins(np.array([0.0, 1.0]), (first, stop - 1)), slice(i, i + 1))
                for i, (first, stop) in enumerate(itertools.pairwise(ends)) if first < stop]

    @contextmanager
    def elements(self):
        """A context with the `Elements`, while the tensor is borrowed."""
        source = self.source
        if not source.size:
            yield NOTHING
            return
        spans = [range(n) for n in source.shape]
        if is_chunked(source):
            yield ChunkedElements(source, spans)
            return
        with source.borrow() as tensor:
            yield all_elements(tensor, source.dtype, spans)


class NativeBins:
    """Edges that may repeat -> float64 edges that rise strictly, as the native layer needs them.

    A bin without width is empty, except for the last bin, which is closed: it has the elements equal to its two edges.

    Attributes
    ----------
    edges : ndarray of float64
    limits : (int, int) or None
        Range of integers that are counted; others are in no bin.
    """

    def __init__(self, edges, limits=None):
        edges = np.asarray(edges, np.float64)
        has_width = np.diff(edges) > 0
        self.limits, self._has_width = limits, has_width
        self.edges = np.append(edges[:-1][has_width], edges[-1])
        if not has_width[-1]:
            # A native bin for the last edge alone, and one more behind it, as the last native bin is closed.
            above = np.nextafter(edges[-1], math.inf)
            self.edges = np.append(self.edges, [above, np.nextafter(above, math.inf)])

    @property
    def takes_all(self):
        """Whether each native bin is one of the original bins."""
        return bool(self._has_width[-1])

    def taken(self, counts, axis=0):
        """Counts of the native bins, along an axis -> counts of the original bins."""
        if self._has_width.all():
            return counts
        places = np.where(self._has_width, np.cumsum(self._has_width) - 1, counts.shape[axis])
        if not self.takes_all:
            places[-1] = counts.shape[axis] - 2
        return np.take(np.insert(counts, counts.shape[axis], 0, axis), places, axis)


def joint_histogram(datasets, bins, weights=None, moment=None):
    """(histogram of one `Dataset`, or 2-D histogram of two that are paired by index; number of elements in any bin).

    Counts are int64; with `weights`, a Dataset, they are float64 sums of weights. With `moment`, (power, center, scale), a weight w
    counts as ``((w - center) * scale)**power``. All have one shape and are on one device.
    """
    parts = [*datasets, weights] if weights is not None else datasets
    if any(is_chunked(one.source) for one in parts):
        return _joint_in_chunks(parts, JointOfChunk(tuple(one.source.dtype for one in parts), tuple(bins), weights is not None, moment))
    shape = datasets[0].source.shape
    total = np.zeros([len(one.edges) - 1 for one in bins], np.int64 if weights is None else np.float64)
    n_counted = 0
    with ExitStack() as borrowed:
        tensors = [borrowed.enter_context(one.source.borrow()) for one in parts] if 0 not in shape else []
        for planes in _planes_together(tensors, shape):
            weight = planes[len(datasets)] if weights is not None else None
            counts, n = _native.histogram_joint(tuple(planes[:len(datasets)]), tuple(one.edges for one in bins),
                                               tuple(one.limits for one in bins), weight, moment)
            with np.errstate(all="ignore"):  # weights of both infinities, and sums beyond float64
                total += counts
            n_counted += n
    for axis, one in enumerate(bins):
        total = one.taken(total, axis)
    if not all(one.takes_all for one in bins):
        n_counted = int(total.sum()) if weights is None else joint_histogram(datasets, bins)[1]
    return total, n_counted


@dataclass(frozen=True)
class JointOfChunk:
    """A task: chunks of one or two arrays, then of the weights, if any -> `joint_histogram` of these."""

    dtypes: tuple
    bins: tuple
    has_weights: bool
    moment: tuple | None

    def result_bytes(self, index):
        """The size of the counts."""
        return 8 * math.prod(len(one.edges) for one in self.bins)

    def __call__(self, chunks, index):
        parts = [Dataset(source_of_chunk(chunk, dtype, index)) for chunk, dtype in zip(chunks, self.dtypes, strict=True)]
        weights = parts.pop() if self.has_weights else None
        return joint_histogram(parts, self.bins, weights, self.moment)

    @staticmethod
    def together(found):
        """The sums over all chunks, added up in their order."""
        with np.errstate(all="ignore"):  # as in `joint_histogram`
            return sum(counts for counts, _ in found), sum(n for _, n in found)


def _joint_in_chunks(parts, work):
    """`joint_histogram` of arrays that have the same chunks."""
    n_axes = len(parts) - 1 if work.has_weights else len(parts)
    names = ["x", "y"][:n_axes]
    if work.has_weights:
        names.append("weights")
    source = together({name: one.source for name, one in zip(names, parts, strict=True)})
    return over_all(source, work, work.together)


def _planes_together(tensors, shape):
    """Yields tuples with a plane of each tensor, which together cover all elements."""
    if tensors:
        one = cover_together(tensors, shape)
        yield from zip(*([plane for plane, _ in one.planes(tensor, "value", {})] for tensor in tensors), strict=True)
