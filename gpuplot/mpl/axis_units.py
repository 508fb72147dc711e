"""Dates, texts and quantities -> numbers, by the units of a matplotlib axis; and which objects NumPy must not read."""

import contextlib
from datetime import date
from numbers import Number

import numpy as np
from matplotlib import units

from ..arrays.dataframes import categories_of
from ..arrays.describe import describe
from ..arrays.labelled import from_xarray
from ..arrays.lazy_arrays import is_large
from ..arrays.literals import counted, has_codes, items_of_view
from ..arrays.object_hints import has_keys, is_iterator
from ..arrays.optional_imports import answers_everything, attribute, is_kind, module_roots
from ..choices import lends_objects
from ..errors import UnsupportedError
from .date_ticks import short_dates

# Keywords of matplotlib's methods for the units of axes; the last two are of polar Axes.
UNITS = ("xunits", "yunits", "thetaunits", "runits")

# Libraries of arrays and columns whose durations NumPy reads.
_HOLDERS = {"pandas", "polars", "xarray", "dask", "zarr"}


def describe_in_units(values, axis, stream=None):
    """The Source of a tensor, or of dates or texts that an axis converts to numbers."""
    values = by_converter(items_of_view(values), axis)
    try:
        return describe(values, stream)
    except UnsupportedError:
        durations = _durations(values)
        order_categories(values, axis)
        converted = in_units(values, axis) if durations is None else _in_their_unit(durations)
        if converted is not None:
            return labeled_as(values, describe(converted))
        if _is_table_of_texts(values):
            raise UnsupportedError("texts are categories of one column at a time, not of a table: give one, such as "
                                   f"{_first_column(values)}") from None
        raise


def labeled_as(values, source):
    """The Source of converted numbers, with names and coordinates of the array of xarray that they come from, if they do."""
    if is_kind(values, ("xarray",), "DataArray"):
        _, source.labels = from_xarray(values)
        source.dims = tuple(axis.name for axis in source.labels.axes)
    return source


def _is_table_of_texts(values):
    try:
        array = None if is_large(values) or is_unsafe(values) else np.asanyarray(counted(values))
        return array is not None and array.ndim == 2 and array.size > 0 and all(isinstance(item, str) for item in array.flat)
    except Exception:  # any object may come here; the caller has the better error
        return False


def _first_column(values):
    """The code for the first column of a table, by its name where columns have names."""
    names = attribute(values, "column_names")
    names = attribute(values, "columns") if names is None else names
    return "X[:, 0]" if names is None else f"X[{names[0]!r}]"


def order_categories(values, axis):
    """Lets an axis have the categories of a column in the order that its table gives them, which may not be that of the elements."""
    texts = categories_of(values)
    if texts and axis is not None:
        with contextlib.suppress(Exception):  # of an axis that has other units: conversion has the better error
            axis.update_units(texts)


def _durations(values):
    """Durations of an array, or of one of the `_HOLDERS`, as an ndarray; None for other objects."""
    try:
        values = np.asarray(values) if module_roots(values) & _HOLDERS and not is_large(values) else values
        return values if issubclass(type(values), np.ndarray) and values.dtype.kind == "m" else None
    except Exception:  # the caller has the better error
        return None


def _in_their_unit(durations):
    """Durations as matplotlib draws them: numbers in their own unit, NaN for none."""
    return np.where(np.isnat(durations), np.nan, durations.astype(float))


def has_converter(values):
    """Whether values, or those of a list, are of a type whose units matplotlib was told to convert, as quantities of pint or astropy.

    Dates, texts and numbers, whose converters are matplotlib's own, do not count: `in_units` converts these.
    """
    base = next((base for base in (list, tuple) if issubclass(type(values), base)), None)
    # Methods of a subclass may raise, or never end.
    kind = type(values if base is None or not base.__len__(values) else base.__getitem__(values, 0))
    return not issubclass(kind, (str, bytes, Number, np.generic, date)) and any(base in units.registry for base in kind.__mro__)


def set_units(ax, properties):
    """Gives the axes of an Axes the units among properties, as matplotlib's methods do; returns the other properties."""
    ax._process_unit_info(kwargs={name: properties[name] for name in UNITS if name in properties})
    return {name: value for name, value in properties.items() if name not in UNITS}


def by_converter(values, axis):
    """Values with units as numbers in the unit of an axis, which is set by the first of these; others unchanged."""
    if axis is None or not has_converter(values):
        return values
    try:
        axis.update_units(values)
        return axis.convert_units(values)
    except units.ConversionError:
        raise
    except Exception:  # a converter that wants NumPy arrays, of an object in other memory
        return values


def in_units(values, axis):
    """Dates, texts or numbers with None among them -> float64 by the units of an axis; None for other objects."""
    if axis is None or is_large(values):
        return None
    try:
        if is_unsafe(values):
            return None
        array = np.asanyarray(counted(values))
        if array.dtype.kind == "c":  # real numbers alone have units; matplotlib would drop the imaginary parts
            return None
        if array.dtype == object and (is_unsafe(list(array.flat)) or any(map(_has_items, array.flat))):
            return None
        is_text = _present_texts(array)
        if is_text is not None:
            return _texts_in_units(array, is_text, axis)
        with short_dates(axis):
            axis.update_units(array)
        converted = axis.convert_units(array)
        if converted is array and array.dtype != object:
            return None
        return np.ma.asarray(converted, dtype=float).filled(np.nan)  # infinities stay, as those of floats
    except Exception:  # any object may come here; the caller has the better error
        return None


def _has_items(item):
    """Whether matplotlib would look for a date among an object's own items, which may never end."""
    kind = type(item)
    return hasattr(kind, "__getitem__") and not (issubclass(kind, (str, bytes, np.generic)) or has_converter(item))


def _present_texts(array):
    """Where an array of objects has texts, if all else is missing values: None, NaN or the NA of pandas; else None."""
    if array.dtype != object or not any(isinstance(item, str) for item in array.flat):
        return None
    is_text = np.array([isinstance(item, str) for item in array.flat], bool).reshape(array.shape)
    return is_text if all(_is_missing(item) for item in array[~is_text]) and not is_text.all() else None


def _is_missing(item):
    return item is None or type(item).__name__ == "NAType" or (isinstance(item, float) and item != item)


def _texts_in_units(array, is_text, axis):
    """The numbers of the categories that an axis makes of texts, NaN for missing ones."""
    axis.update_units(array[is_text])
    converted = np.full(array.shape, np.nan)
    converted[is_text] = axis.convert_units(array[is_text])
    return converted


def is_unsafe(values):
    """Whether NumPy must not convert an object, or an item of a list.

    A mock has every attribute, and would become anything; of values under keys the keys would remain, and of iterators some items.
    Memory that an interface says is of Python objects may hold no pointers to such: NumPy follows them. Arrays of NumPy own their
    objects. Of quantized tensors of TensorFlow it would read the codes.
    """
    items = values if issubclass(type(values), (list, tuple)) else [values]
    by_type = {type(item): item for item in items}
    return any(has_keys(kind) or is_iterator(kind) or answers_everything(item) or lends_objects(item) or has_codes(item)
               for kind, item in by_type.items())
