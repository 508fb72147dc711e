"""Arrays with names, units and coordinates (xarray, pint, astropy, tables) -> the array inside and its `Labels`."""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from ..errors import UnsupportedError
from .dask_chunks import dask_array, read_sizes
from .dataframes import names_of_columns
from .lazy_arrays import is_small
from .optional_imports import module_roots

# Attributes of coordinates that describe a map projection and hold no number.
PROJECTION = frozenset({"grid_mapping_name", "crs_wkt"})

# Names that dask makes up, a token after a word, which xarray gives to arrays without a name and keeps after they are computed.
DASK_NAME = re.compile(r".+-([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})")


# Units of durations, the longest first, with their names in labels of axes.
DURATIONS = {"D": "days", "h": "hours", "m": "minutes", "s": "s", "ms": "ms", "us": "\u00b5s", "ns": "ns"}


@dataclasses.dataclass(frozen=True)
class Axis:
    """Names and coordinates of one axis of an object."""

    name: str
    label: str  # the long name, where there is one, with the unit
    positions: np.ndarray | None = None  # (n,) coordinates of the elements: numbers, datetime64, or timedelta64 in the label's unit
    names: object = None  # sequence or None: (n,) names of the elements, such as a table's columns, as objects that str() takes
    elements: range | None = None  # for an axis that was cut, its elements in the whole axis
    is_table: bool = False  # whether it belongs to a table: its first row is on top, and unevenly spaced numbers are names
    unit: str = ""  # unit of the positions
    # elements_each: where positions are indices in level 0 of a pyramid, the number of its elements for each one here.
    elements_each: float | None = None

    @property
    def is_date(self):
        """True where positions are points in time."""
        return self.positions is not None and self.positions.dtype.kind == "M"

    @property
    def is_duration(self):
        """True where positions are times between two points."""
        return self.positions is not None and self.positions.dtype.kind == "m"

    def cropped(self, elements):
        """The axis of a part: of the elements in a range."""
        positions = self.positions
        if positions is not None and elements != range(len(positions)):
            positions = positions[np.asarray(elements, int)]
        return dataclasses.replace(self, positions=positions, elements=elements)


@dataclasses.dataclass(frozen=True)
class Scalar:
    """A coordinate of a whole tensor, such as the time of a slice: a NumPy scalar, or an object that xarray holds instead."""

    name: str
    value: object
    unit: str = ""


@dataclasses.dataclass(frozen=True)
class Labels:
    """Names of axes (None: none), name and unit of the values ("" for none), and coordinates of the whole object."""

    axes: tuple | None = None
    values: str = ""
    scalars: tuple = ()

    def of_difference(self, other):
        """Labels of the difference from an object with labels `other`, or None; scalar coordinates only where both agree."""
        known = {} if other is None else {scalar.name: scalar.value for scalar in other.scalars}
        same = [scalar for scalar in self.scalars if scalar.name in known and bool(np.all(known[scalar.name] == scalar.value))]
        return dataclasses.replace(self, scalars=tuple(same))


def from_xarray(X):
    """(array, `Labels`) of a DataArray or Variable, where the array may be of any library; None for other objects.

    A large variable that is still in its file becomes a dask array. UnsupportedError for a Dataset.
    """
    dims = getattr(X, "dims", None)
    if not hasattr(type(X), "data") or not isinstance(dims, tuple):
        if not hasattr(type(X), "dims"):
            return None
        names = ", ".join(repr(str(name)) for name in getattr(X, "data_vars", ())) or "none"
        raise UnsupportedError(f"an xarray {type(X).__name__} holds arrays under names: choose one, X[name]; names: {names}")
    variable = getattr(X, "variable", X)
    is_in_file = not getattr(variable, "_in_memory", True) and "xarray" in module_roots(getattr(variable, "_data", None))
    data = X.data if not is_in_file or is_small(X.shape, X.dtype.itemsize) else _in_chunks(variable)
    coords = getattr(X, "coords", {})
    name = str(getattr(X, "name", None) or "")
    label = _label(X, "" if DASK_NAME.fullmatch(name) else name, data)
    return data, Labels(tuple(_axis(dim, coords) for dim in dims), label, _scalars(coords))


def _in_chunks(variable):
    """The dask array of a variable that is still in its file, in multiples of the file's own chunks."""
    dask_array()
    own = variable.encoding.get("preferred_chunks") or {}
    chunks = tuple(own[dim] for dim in variable.dims) if set(variable.dims) <= own.keys() else None
    return variable.chunk(dict(zip(variable.dims, read_sizes(variable.shape, chunks, variable.dtype.itemsize), strict=True))).data


def _axis(dim, coords):
    try:
        coordinate = coords[dim] if dim in coords else None  # noqa: SIM401  get() makes up the numbers of the elements
        if coordinate is None:
            return Axis(str(dim), str(dim))
        names = coordinate.values if coordinate.ndim == 1 and getattr(coordinate.dtype, "kind", "O") in "OUT" else None
        positions = _positions(coordinate)
        return Axis(str(dim), _axis_label(coordinate, str(dim), positions), positions, names, unit=_unit(coordinate))
    except Exception:  # a custom index that cannot give positions
        return Axis(str(dim), str(dim))


def _positions(coordinate):
    """Coordinates that are numbers, dates or durations; None for text and categories."""
    if coordinate.ndim != 1 or getattr(coordinate.dtype, "kind", "O") not in "iufMm":
        return None
    values = np.asarray(coordinate.values)
    return _in_whole_units(values) if values.dtype.kind == "m" else values


def _in_whole_units(durations):
    """Durations in the longest unit of which all of them are whole numbers: lead times are hours, in files nanoseconds."""
    is_there = ~np.isnat(durations)
    for unit in DURATIONS:
        converted = durations.astype(f"m8[{unit}]")
        if (converted[is_there] == durations[is_there]).all():
            return converted
    return durations


def _axis_label(coordinate, name, positions):
    """The label of an axis; durations have no unit but that of their numbers."""
    label = _label(coordinate, name, coordinate.data)
    is_duration = positions is not None and positions.dtype.kind == "m"
    return f"{label} [{DURATIONS[np.datetime_data(positions.dtype)[0]]}]" if is_duration else label


def _scalars(coords):
    """The zero-dimensional coordinates in memory, without those that describe a map projection."""
    try:
        zero_dim = [(str(name), coords[name]) for name in coords if coords[name].ndim == 0]
        return tuple(Scalar(name, coordinate.data[()], _unit(coordinate)) for name, coordinate in zero_dim
                     if isinstance(coordinate.data, np.ndarray) and not PROJECTION.intersection(coordinate.attrs))
    except Exception:  # as in _axis
        return ()


def _label(X, name, data):
    """Long name and units by the CF conventions (climate and forecast metadata): ``"air temperature [K]"``."""
    name = _attribute(X, "long_name") or _attribute(X, "standard_name") or name
    unit = _unit(X, data)
    return f"{name} [{unit}]".strip() if unit else name


def _unit(X, data=None):
    """The unit of an array of xarray, "" for none, and of dates and durations."""
    unit = _attribute(X, "units") or unit_of(X.data if data is None else data)
    return unit if unit and getattr(X.dtype, "kind", "") not in "Mm" else ""


def _attribute(X, name):
    """An attribute of an array of xarray as text, "" for none; files hold arrays, too, of which none is a name."""
    value = (getattr(X, "attrs", None) or {}).get(name)
    return "" if value is None or np.ndim(value) else str(value)


def from_pint(X):
    """(magnitude of any library, labels with the unit) of a Quantity; None for other objects."""
    if not hasattr(X, "magnitude") or not hasattr(X, "units"):
        return None
    return X.magnitude, labels_of_unit(X)


def from_astropy(X):
    """(image, labels with the unit) of an NDData, CCDData or HDU, masked as that is; None for other objects."""
    data = getattr(X, "data", None)
    if not isinstance(data, np.ndarray):
        return None
    mask = getattr(X, "mask", None)
    return data if mask is None else np.ma.array(data, mask=mask, copy=False), labels_of_unit(X)


def labels_of_table(X):
    """The row and column names of a table of pandas or polars as `Labels`, None where both are plain numbers from 0."""
    if hasattr(X, "axes"):
        indices = X.axes
    else:
        indices = [None, names_of_columns(X)] if hasattr(X, "columns") else []
    axes = tuple(_axis_of_table(index) for index in indices)
    return Labels(axes) if any(axis.names is not None or axis.label for axis in axes) else None


def labels_of_columns(names):
    """The `Labels` of a table whose columns alone have names."""
    return Labels((_axis_of_table(None), _axis_of_table(names)))


def _axis_of_table(index):
    """The `Axis` of an index of pandas or a list of names; of None or a RangeIndex one without names."""
    name = "" if getattr(index, "name", None) is None else str(index.name)
    if index is None or type(index).__name__ == "RangeIndex":
        return Axis(name, name, is_table=True)
    kind = getattr(getattr(index, "dtype", None), "kind", "O")
    positions = np.asarray(index) if kind in "iufM" and type(index).__name__ != "MultiIndex" else None
    if positions is not None and positions.dtype.kind not in "iufM":
        positions = None
    return Axis(name, name, positions, index, is_table=True)


def labels_of_unit(X):
    """`Labels` with the unit of a quantity, None for arrays without one."""
    unit = unit_of(X)
    return Labels(None, f"[{unit}]") if unit else None


def unit_of(X):
    """The unit of a quantity of pint, astropy or unyt as text, "" for none."""
    roots = module_roots(X)
    try:
        if "pint" in roots:
            return f"{X.units:~P}"
        if roots & {"astropy", "unyt"}:
            return str(getattr(X, "unit", None) or getattr(X, "units", None) or "")
    except Exception:
        return ""
    return ""
