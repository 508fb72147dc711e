"""The statistics of a borrowed tensor, on as few planes as possible, and slice by slice where axes remain."""

import numpy as np

from ..arrays.dtypes import is_narrow
from ..plane.coalesce_axes import cover
from .elements import elements_at
from .slice_stats import measure_slices
from .summaries import StatsValues, measure


def values_of_tensor(tensor, dtype, spans, axes, component, spec):
    """The `StatsValues` of a borrowed tensor; fields are arrays over slices where axes remain besides `axes`."""
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
    return stacked(of_slices, sizes, spec, dtype, component != "value")


# Fields that are floats whatever the dtype; all others that `stacked` does not name are counts.
_FLOATS = ("mean", "median", "std", "l2")


def stacked(of_slices, sizes, spec, dtype, has_parts):
    """A list of `StatsValues`, one for each slice -> `StatsValues` of arrays of shape `sizes`."""
    columns = {name: [getattr(one, name) for one in of_slices] for name in StatsValues._fields}
    values = {name: _objects(columns[name], sizes) for name in ("argmin", "argmax", "first_nan")}
    number = "float64" if has_parts else dtype
    magnitude = f"u{number}" if number.startswith("int") else number  # that of the smallest signed integer does not fit into its dtype
    for name, kind in (("min", number), ("max", number), ("absmax", magnitude)):
        values[name] = _in_dtype(columns[name], sizes, kind)
    values["percentiles"] = {percent: np.array([one[percent] for one in columns["percentiles"]], np.float64).reshape(sizes)
                             for percent in spec.percentiles}
    values["hist"] = np.array(columns["hist"], np.int64).reshape(*sizes, spec.bins)
    values["bin_edges"] = np.array(columns["bin_edges"], np.float64).reshape(*sizes, spec.bins + 1)
    for name in columns.keys() - values.keys():
        values[name] = np.array(columns[name], np.float64 if name in _FLOATS else np.int64).reshape(sizes)
    return StatsValues(**values)


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
