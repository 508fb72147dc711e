"""Statistics of one tensor: its elements on as few planes as they need, slice by slice where axes remain."""

from __future__ import annotations

import functools
import math

import numpy as np

from .. import _native
from ..arrays.host_arrays import is_narrow
from ..plane.coalesce_axes import cover
from .arguments import check_counts, check_dim, spans_of
from .result import Stats
from .slice_stats import measure_slices
from .summaries import NOTHING, Elements, Found, measure

__all__ = ["device_name", "elements_at", "stats_of"]


def stats_of(source, asked, dim=None, region=None, spans=None, component=None):
    """Statistics of what a `Source` lends.

    Parameters
    ----------
    source : Source
    asked : Asked
    dim, region
        As in `stats`.
    spans : list of range, optional
        Elements of each axis that count, in place of `region`.
    component : str, optional
        What an element gives. Default: its value, or the magnitude of a complex one.

    Returns
    -------
    Stats
    """
    axes = check_dim(dim, source)
    spans = spans_of(source.shape, region) if spans is None else spans
    is_complex = source.dtype.startswith("complex")
    component = component or ("abs" if is_complex else "value")
    kept = tuple(axis for axis in range(source.ndim) if axis not in axes)
    sizes = tuple(source.shape[axis] if spans is None else len(spans[axis]) for axis in kept)
    check_counts(math.prod(sizes), asked.bins)
    if spans is None or not all(map(len, spans)):
        nothing = measure(NOTHING, asked)
        values = _stacked([nothing] * math.prod(sizes), sizes, asked, source.dtype, is_complex) if kept else nothing
    else:
        with source.borrow() as tensor:
            values = _measured(tensor, source.dtype, spans, axes, component, asked)
    return Stats(source.shape, source.dtype, device_name(source), source.nbytes, source.size, *values,
                 dim=axes if kept else None)


def _measured(tensor, dtype, spans, axes, component, asked):
    """Everything that is asked, of the elements of all axes or of each slice."""
    kept = tuple(axis for axis in range(len(spans)) if axis not in axes)
    covers = cover(tensor, spans, axes), cover(tensor, spans, axes, is_ordered=False)

    def elements(place):
        return elements_at(tensor, dtype, covers, component, dict(zip(kept, place, strict=True)))

    if not kept:
        return measure(elements(()), asked)
    is_wide = tensor.mask_strides is not None and dtype in ("int64", "uint64")  # which no float64 with NaN holds
    if not is_wide:
        return measure_slices(tensor, dtype, spans, axes, component, asked, lambda place: elements(place).pooled)
    sizes = tuple(len(spans[axis]) for axis in kept)
    found = [measure(elements(place), asked) for place in np.ndindex(sizes)]
    return _stacked(found, sizes, asked, dtype, component != "value")


def device_name(source):
    """Where the elements of a source are: ``"cpu"``, ``"cuda:0"``, ..."""
    return "cpu" if source.device is None else f"cuda:{source.device[1]}"


def elements_at(tensor, dtype, covers, component, fixed):
    """The elements of two covers, one in order and one in any, at one place along the axes that they leave."""
    ordered, pooled = covers
    planes = list(ordered.planes(tensor, component, fixed))
    return Elements(
        [(plane, functools.partial(ordered.place, outer=outer)) for plane, outer in planes],
        [plane for plane, _ in (planes if len(planes) == 1 else pooled.planes(tensor, component, fixed))], dtype, component != "value",
        ordered.rank, ordered.index, functools.partial(_element, tensor, dtype, ordered))


def _element(tensor, dtype, ordered, place):
    """One integer element, exactly."""
    uses = [("fixed", at, 1, 1, 0) for at in ordered.index(place)]
    return _native.gather(_native.Plane(tensor, uses, ()), np.empty((1, 1), dtype)).item()


# ---- slices ------------------------------------------------------------------------------------------------------------


def _stacked(found, sizes, asked, dtype, is_complex):
    """The fields of many slices as arrays of the shape of the axes that remain."""
    columns = dict(zip(Found._fields, zip(*found, strict=True), strict=True)) if found else dict.fromkeys(Found._fields, ())
    values = {}
    for name, column in columns.items():
        if name in ("argmin", "argmax", "first_nan"):
            values[name] = _objects(column, sizes)
        elif name in ("min", "max", "absmax"):
            # The magnitude of the smallest integer is no number of its dtype.
            unsigned = "u" if name == "absmax" and dtype.startswith("int") else ""
            values[name] = _in_dtype(column, sizes, "float64" if is_complex else f"{unsigned}{dtype}")
        elif name == "percentiles":
            values[name] = {percent: np.array([one[percent] for one in column], np.float64).reshape(sizes)
                            for percent in asked.percentiles}
        else:
            kind, tail = _KINDS.get(name, (np.int64, 0))
            values[name] = np.array(column, kind).reshape(sizes + (asked.bins + tail,) * (name in _BINNED))
    return Found(**values)


# Fields whose arrays are no counts: their type; fields with an axis of bins, and how many more than there are bins.
_BINNED = ("hist", "bin_edges")
_KINDS = {**dict.fromkeys(("mean", "median", "std", "l2"), (np.float64, 0)), "bin_edges": (np.float64, 1)}


def _objects(column, sizes):
    array = np.empty(len(column), object)
    array[:] = column
    return array.reshape(sizes)


def _in_dtype(column, sizes, dtype):
    """Extremes as an array of their own dtype, float32 for floats that NumPy lacks; where slices are empty, integers are floats
    if these hold them, else objects.
    """
    dtype = "float32" if is_narrow(dtype) else dtype
    is_float = dtype.startswith(("float", "longdouble"))
    if is_float or not any(value != value for value in column):
        return np.array(column, "float64" if dtype == "longdouble" else dtype).reshape(sizes)
    if any(abs(value) > 2**53 for value in column):
        return _objects(column, sizes)
    return np.array(column, np.float64).reshape(sizes)
