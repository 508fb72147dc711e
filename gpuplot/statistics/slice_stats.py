"""Statistics of all slices of a tensor at once, as arrays of the shape of the axes between the slices."""

import numpy as np

from .. import _native
from ..arrays.dtypes import is_narrow
from ..dtype_classes import is_bool_or_integer
from ..plane.bin_edges import bin_edges_of_slices
from ..plane.order_statistics import percentiles_of_planes
from .summaries import StatsValues

# Percentiles of slices of up to so many elements are found in one native call for all slices.
MAX_TOGETHER = _native.MOST_SLICE_ELEMS


def measure_slices(tensor, dtype, spans, axes, component, spec, planes_at):
    """The `StatsValues` of all slices, as arrays whose first axes are the axes that remain.

    Parameters
    ----------
    spans : sequence of range
        The elements of each axis, none of them empty.
    axes : sequence of int
        The axes inside slices, in ascending order; the others remain.
    component : str
        The native name of the number that an element gives.
    planes_at : callable
        Index along the remaining axes -> planes with the elements of that slice.
    """
    between = tuple(axis for axis in range(len(spans)) if axis not in axes)
    sizes = tuple(len(spans[axis]) for axis in between)
    uses = [(span.start, span.step, len(span), axis in between) for axis, span in enumerate(spans)]
    slices = _native.Slices(tensor, uses, component)
    summaries = _Summaries(_native.summarize_slices(slices), dtype, component, tensor.mask_strides is not None)
    hist, edges = _counted(slices, summaries, spec)
    percentiles = _percentiles(slices, summaries, sizes, spec.percents, planes_at)
    return StatsValues(
        *(column.reshape(sizes) for column in (*summaries.counts, summaries.low, summaries.high, summaries.mean)), percentiles[50],
        *(column.reshape(sizes) for column in (summaries.std, summaries.absmax, summaries.l2)),
        *(_Places(spans, axes, between, sizes).of(positions) for positions in summaries.positions),
        hist.reshape(*sizes, spec.bins), edges.reshape(*sizes, spec.bins + 1),
        {percent: percentiles[percent] for percent in spec.percentiles})


# ---- numbers -----------------------------------------------------------------------------------------------------------

# Columns of a table of `_native.summarize_slices`, 64-bit integers or, of moments and scales, float64.
_COUNTS, _MOMENTS, _POSITIONS, _LOWEST, _HIGHEST, _SCALE = slice(0, 8), slice(8, 13), slice(13, 16), 16, 17, 18


class _Summaries:
    """The native summaries of all slices as columns.

    Attributes
    ----------
    counts : list of ndarray
        NaN, -Inf, negative, zero, positive, +Inf, masked, subnormal.
    low, high, absmax : ndarray
        In the tensor's dtype, if NumPy has it and no slice without finite elements needs a NaN.
    mean, std, l2 : ndarray of float64
    dtype : str
        Dtype of the numbers that elements give.
    positions : list of ndarray
        Positions of the smallest, the largest and the first NaN element in each slice, -1 for none.
    """

    def __init__(self, table, dtype, component, is_masked):
        self.counts = [np.ascontiguousarray(column) for column in table[:, _COUNTS].T]
        floats = table.view(np.float64)
        low, high, mean, m2, squares = floats[:, _MOMENTS].T
        self.positions = [np.ascontiguousarray(column) for column in table[:, _POSITIONS].T]
        self.n, scale = self.counts[2] + self.counts[3] + self.counts[4], floats[:, _SCALE]
        self.mean = np.ascontiguousarray(mean)
        with np.errstate(all="ignore"):
            self.std = np.where(self.n > 1, np.sqrt(m2 / (self.n - 1)) / scale, np.nan)
            self.l2 = np.where(self.n > 0, np.sqrt(squares) / scale, np.nan)
        self.dtype = "float64" if component != "value" else dtype
        self.is_integer = component == "value" and is_bool_or_integer(dtype)
        self.low, self.high = np.ascontiguousarray(low), np.ascontiguousarray(high)
        if self.is_integer:
            if not is_masked:
                self.low, self.high = (_exact(table[:, column], dtype) for column in (_LOWEST, _HIGHEST))
            self.low, self.high = (_in_integers(values, dtype, self.n) for values in (self.low, self.high))
            self.absmax = _largest(self.low, self.high, dtype)
        else:
            self.absmax = np.maximum(np.abs(self.low), np.abs(self.high))
            own = _own_dtype(dtype, component)
            self.low, self.high, self.absmax = (values.astype(own) for values in (self.low, self.high, self.absmax))


def _own_dtype(dtype, component):
    """The dtype of extremes: float64 for magnitudes, float32 for floats that NumPy lacks."""
    if component != "value" or dtype in ("float64", "longdouble"):
        return np.float64
    return np.float32 if is_narrow(dtype) else np.dtype(dtype)


def _exact(bits, dtype):
    """An array of 64-bit patterns -> integers."""
    bits = np.ascontiguousarray(bits)
    return bits.view(np.uint64) if dtype.startswith("uint") else bits


def _in_integers(values, dtype, n):
    """Extremes in their dtype; if some slice has none, as float64, or as objects where float64 would round them."""
    if (n > 0).all():
        return values.astype(dtype)
    is_large = values.dtype.kind in "iu" and bool((np.abs(values[n > 0].astype(np.float64)) > 2**53).any())
    mixed = values.astype(object if is_large else np.float64)
    mixed[n == 0] = np.nan
    return mixed


def _largest(low, high, dtype):
    """The larger of two magnitudes, unsigned, as that of the smallest integer does not fit into its dtype."""
    if low.dtype.kind in "fO":
        return np.maximum(abs(low), abs(high))
    if dtype.startswith("int"):
        unsigned = np.dtype(f"u{dtype}")
        return np.maximum(np.abs(low).view(unsigned), np.abs(high).view(unsigned))
    return high


# ---- places ------------------------------------------------------------------------------------------------------------


class _Places:
    """Positions in slices -> indices of the tensor."""

    def __init__(self, spans, axes, kept, sizes):
        self._spans, self._axes, self._kept, self._sizes = spans, axes, kept, sizes

    def of(self, positions):
        """Positions, one for each slice -> array of index tuples of the tensor; None for -1."""
        n = len(positions)
        columns = dict(zip(self._kept, np.unravel_index(np.arange(n), self._sizes), strict=True))
        inside = tuple(len(self._spans[axis]) for axis in self._axes)
        columns |= zip(self._axes, np.unravel_index(np.maximum(positions, 0), inside), strict=True)
        lists = [(span.start + columns[axis] * span.step).tolist() for axis, span in enumerate(self._spans)]
        indices = np.empty(n, object)
        indices[:] = np.fromiter(zip(*lists, strict=True), object, n)
        indices[positions < 0] = None
        return indices.reshape(self._sizes)


# ---- distributions -----------------------------------------------------------------------------------------------------


def _counted(slices, summaries, spec):
    """(counts, edges) of the histograms, (slices, bins) and (slices, bins + 1)."""
    n_slices, is_any = len(summaries.n), summaries.n > 0
    integers = None
    if spec.value_range is not None:
        first, last = spec.value_range
        edges = bin_edges_of_slices(np.full(1, first, np.float64), np.full(1, last, np.float64), spec.bins)
        edges = np.repeat(edges, n_slices, 0)
        if summaries.is_integer and isinstance(first, int) and isinstance(last, int):
            integers = first, last
    else:
        low, high = (np.where(is_any, values, end).astype(np.float64) for values, end in ((summaries.low, 0), (summaries.high, 1)))
        edges = bin_edges_of_slices(low, high, spec.bins)
        if summaries.is_integer:
            integers = -(2**64), 2**64
    return _native.histogram_slices(slices, edges, integers), edges


def _percentiles(slices, summaries, sizes, percents, planes_at):
    """Dict: percent -> array of that percentile of each slice."""
    if slices.shape[1] <= MAX_TOGETHER:
        columns = _native.percentiles_slices(slices, [float(percent) for percent in percents]).T
    else:
        dtype = summaries.dtype
        columns = np.array([percentiles_of_planes(planes_at(place), percents, int(n), float(low), float(high), dtype)
                            for place, n, low, high in zip(np.ndindex(sizes), summaries.n, summaries.low, summaries.high, strict=True)]).T
    return {percent: np.ascontiguousarray(column).reshape(sizes) for percent, column in zip(percents, columns, strict=True)}
