"""Computes the statistics of one tensor on as few planes as possible, slice by slice where axes remain."""

import math

import numpy as np

from ..dtype_classes import is_complex
from ..errors import UnsupportedError
from .arguments import check_counts, check_dim, spans_of
from .chunked_elements import ChunkedElements, is_chunked
from .chunked_slices import can_be_put_together, values_of_slices
from .elements import NOTHING
from .result import Stats
from .summaries import measure
from .tensor_values import stacked, values_of_tensor

# Most large slices that lie in several chunks each: every slice takes its own passes over its chunks.
MAX_SLICES_OF_CHUNKS = 1024


def stats_of(source, spec, dim=None, region=None, component=None):
    """The `Stats` of a source by a `StatsSpec`; `dim` and `region` as in `stats`.

    `component` is the native name of the number that an element gives; default: its value, or the magnitude of a complex one.
    """
    axes = check_dim(dim, source)
    spans = spans_of(source.shape, region)
    component = component or ("abs" if is_complex(source.dtype) else "value")
    remaining = tuple(axis for axis in range(source.ndim) if axis not in axes)
    sizes = tuple(source.shape[axis] if spans is None else len(spans[axis]) for axis in remaining)
    check_counts(math.prod(sizes), spec.bins)
    if spans is None or not all(map(len, spans)):
        empty = measure(NOTHING, spec)
        values = stacked([empty] * math.prod(sizes), sizes, spec, source.dtype, is_complex(source.dtype)) if remaining else empty
    else:
        values = _found(source, spans, axes, component, spec)
    return Stats(source.shape, source.dtype, device_name(source), source.nbytes, source.size, *values,
                 dim=axes if remaining else None)


def _found(source, spans, axes, component, spec):
    """The `StatsValues` of a source; its fields are arrays over slices where axes remain."""
    if not is_chunked(source):
        with source.borrow() as tensor:
            return values_of_tensor(tensor, source.dtype, spans, axes, component, spec)
    remaining = tuple(axis for axis in range(source.ndim) if axis not in axes)
    if not remaining:
        return measure(ChunkedElements(source, spans, component), spec)
    if can_be_put_together(source, spans, axes):
        return values_of_slices(source, spans, axes, component, spec)
    sizes = tuple(len(spans[axis]) for axis in remaining)
    if math.prod(sizes) > MAX_SLICES_OF_CHUNKS:
        said = source.advice
        raise UnsupportedError(f"dim: {math.prod(sizes):,} slices of an array that is {said.read} have no statistics where each is large "
                               f"and lies in several {said.pieces}, at most {MAX_SLICES_OF_CHUNKS} have; let {said.framework} reduce it, "
                               "such as X.mean(axis), or give other axes")
    of_slices = [_of_slice(source, spans, dict(zip(remaining, index, strict=True)), component, spec) for index in np.ndindex(sizes)]
    return stacked(of_slices, sizes, spec, source.dtype, component != "value")


def _of_slice(source, spans, index, component, spec):
    """The `StatsValues` of one slice of an array in chunks; `index` has the positions along the remaining axes."""
    places = [span[index[axis]:index[axis] + 1] if axis in index else span for axis, span in enumerate(spans)]
    return measure(ChunkedElements(source, places, component), spec)


def device_name(source):
    """The device of a source: ``"cpu"``, ``"cuda:0"``, ..., or a text for several devices."""
    if source.device_text:
        return source.device_text
    return "cpu" if source.device is None else f"cuda:{source.device[1]}"
