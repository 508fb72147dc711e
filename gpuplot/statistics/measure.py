"""Computes the statistics of one tensor on as few planes as possible, slice by slice where axes remain."""

import itertools
import math

import numpy as np

from ..arrays.host_arrays import is_narrow
from ..dtype_classes import is_complex
from ..errors import UnsupportedError
from ..plane.coalesce_axes import cover
from .arguments import check_counts, check_dim, spans_of
from .chunked_elements import ChunkedElements, is_chunked
from .elements import NOTHING, elements_at
from .result import Stats
from .slice_stats import measure_slices
from .summaries import StatsValues, measure

# Most slices of an array in chunks: each takes its own passes over the chunks.
MAX_SLICES_OF_CHUNKS = 1024


def stats_of(source, spec, dim=None, region=None, spans=None, component=None):
    """The `Stats` of a source by a `StatsSpec`; `dim` and `region` as in `stats`.

    `spans`, a range of elements for each axis, may be given in place of `region`. `component` is the native name of the number
    that an element gives; default: its value, or the magnitude of a complex one.
    """
    axes = check_dim(dim, source)
    spans = spans_of(source.shape, region) if spans is None else spans
    component = component or ("abs" if is_complex(source.dtype) else "value")
    remaining = tuple(axis for axis in range(source.ndim) if axis not in axes)
    sizes = tuple(source.shape[axis] if spans is None else len(spans[axis]) for axis in remaining)
    check_counts(math.prod(sizes), spec.bins)
    if spans is None or not all(map(len, spans)):
        empty = measure(NOTHING, spec)
        values = _stacked([empty] * math.prod(sizes), sizes, spec, source.dtype, is_complex(source.dtype)) if remaining else empty
    else:
        values = _found(source, spans, axes, component, spec)
    return Stats(source.shape, source.dtype, device_name(source), source.nbytes, source.size, *values,
                 dim=axes if remaining else None)


def _found(source, spans, axes, component, spec):
    """The `StatsValues` of a source; its fields are arrays over slices where axes remain."""
    if not is_chunked(source):
        with source.borrow() as tensor:
            return _measured(tensor, source.dtype, spans, axes, component, spec)
    remaining = tuple(axis for axis in range(source.ndim) if axis not in axes)
    if not remaining:
        return measure(ChunkedElements(source, spans, component), spec)
    sizes = tuple(len(spans[axis]) for axis in remaining)
    if math.prod(sizes) > MAX_SLICES_OF_CHUNKS:
        said = source.advice
        raise UnsupportedError(f"dim: {math.prod(sizes):,} slices of an array that is {said.read} have no statistics, at most "
                               f"{MAX_SLICES_OF_CHUNKS} have; let {said.framework} reduce it, such as X.mean(axis), or give other axes")
    of_slices = [_of_slice(source, spans, dict(zip(remaining, index, strict=True)), component, spec) for index in np.ndindex(sizes)]
    return _stacked(of_slices, sizes, spec, source.dtype, component != "value")


def _of_slice(source, spans, index, component, spec):
    """The `StatsValues` of one slice of an array in chunks; `index` has the positions along the remaining axes."""
    places = [span[index[axis]:index[axis] + 1] if axis in index else span for axis, span in enumerate(spans)]
    return measure(ChunkedElements(source, places, component), spec)


def _measured(tensor, dtype, spans, axes, component, spec):
    """As `_found`, for a borrowed tensor."""
    remaining = tuple(axis for axis in range(len(spans)) if axis not in axes)
    covers = cover(tensor, spans, axes), cover(tensor, spans, axes, is_ordered=False)

    def elements(index):
        return elements_at(tensor, dtype, covers, component, dict(zip(remaining, index, strict=True)))

    if not remaining:
        return measure(elements(()), spec)
    is_wide = tensor.mask_strides is not None and dtype in ("int64", "uint64")  # float64 with NaN does not hold these
    if not is_wide:
        return measure_slices(tensor, dtype, spans, axes, component, spec, lambda index: elements(index).pooled)
    sizes = tuple(len(spans[axis]) for axis in remaining)
    of_slices = [measure(elements(index), spec) for index in np.ndindex(sizes)]
    return _stacked(of_slices, sizes, spec, dtype, component != "value")


def device_name(source):
    """The device of a source: ``"cpu"``, ``"cuda:0"``, ..., or a text for several devices."""
    if source.device_text:
        return source.device_text
    return "cpu" if source.device is None else f"cuda:{source.device[1]}"


# ---- slices ------------------------------------------------------------------------------------------------------------


def _stacked(of_slices, sizes, spec, dtype, has_parts):
    """A list of `StatsValues`, one for each slice -> `StatsValues` of arrays of shape `sizes`."""
    values = {}
    for name, column in zip(StatsValues._fields, zip(*of_slices, strict=True) if of_slices else itertools.repeat(()), strict=False):
        if name in ("argmin", "argmax", "first_nan"):
            values[name] = _objects(column, sizes)
        elif name in ("min", "max", "absmax"):
            # The magnitude of the smallest signed integer does not fit into its dtype.
            unsigned = "u" if name == "absmax" and dtype.startswith("int") else ""
            values[name] = _in_dtype(column, sizes, "float64" if has_parts else f"{unsigned}{dtype}")
        elif name == "percentiles":
            values[name] = {percent: np.array([one[percent] for one in column], np.float64).reshape(sizes)
                            for percent in spec.percentiles}
        else:
            kind, tail = _KINDS.get(name, (np.int64, 0))
            values[name] = np.array(column, kind).reshape(sizes + (spec.bins + tail,) * (name in _BINNED))
    return StatsValues(**values)


# Fields with an axis of bins; and field -> (dtype, its length minus the number of bins) for fields that are not counts.
_BINNED = ("hist", "bin_edges")
_KINDS = {**dict.fromkeys(("mean", "median", "std", "l2"), (np.float64, 0)), "bin_edges": (np.float64, 1)}


def _objects(column, sizes):
    array = np.empty(len(column), object)
    array[:] = column
    return array.reshape(sizes)


def _in_dtype(column, sizes, dtype):
    """Extremes as an array of their dtype, float32 for floats that NumPy lacks.

    If some are missing (NaN), integers become float64, or objects where float64 would round them.
    """
    dtype = "float32" if is_narrow(dtype) else dtype
    is_float = dtype.startswith(("float", "longdouble"))
    if is_float or not any(value != value for value in column):
        return np.array(column, "float64" if dtype == "longdouble" else dtype).reshape(sizes)
    if any(abs(value) > 2**53 for value in column):
        return _objects(column, sizes)
    return np.array(column, np.float64).reshape(sizes)
