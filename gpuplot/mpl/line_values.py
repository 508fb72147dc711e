"""The caller's x or y -> a Series: tensors stay on their device, dates and categories are converted by the axis."""

import numpy as np

from ..arrays.describe import describe
from ..arrays.lazy_arrays import is_large
from ..arrays.optional_imports import answers_everything
from ..errors import UnsupportedError
from ..plane.chunked_series import series_of


def read_source(values, axis=None, stream=None, name="y"):
    """The Source of some values.

    Parameters
    ----------
    values : array_like
        A tensor, or what the units of an axis are for: dates, texts.
    axis : matplotlib.axis.Axis, optional
        Whose units convert what is not a number, and become those of `values`.
    stream : int or object, optional
    name : str
        What to call the values in errors.

    Raises
    ------
    TypeError
        Complex numbers; neither numbers nor what the axis converts.
    """
    try:
        source = describe(values, stream)
    except UnsupportedError:
        converted = in_units(values, axis)
        if converted is None:
            raise
        source = describe(converted)
    if source.dtype.startswith("complex"):
        raise TypeError(f"{name} is complex, and a line has real numbers: plot its parts, such as z.real and z.imag, its size abs(z), or "
                        "its path, plot(z.real, z.imag)")
    return source


def in_units(values, axis):
    """Values that no tensor holds, such as dates, texts or numbers beside None, in the units of an axis: float64, or None."""
    if axis is None or is_large(values) or has_mock(values):
        return None
    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
        if array.dtype == object and has_mock(list(array.flat)):
            return None
        axis.update_units(array)
        converted = axis.convert_units(array)
        if converted is array and array.dtype.kind not in "Obiuf":
            return None
        return np.ma.masked_invalid(np.ma.asarray(converted, dtype=float)).filled(np.nan)
    except Exception:  # any object may have come: the caller says better what is wrong with it
        return None


def has_mock(values):
    """Whether an object, or an item of a list, has every attribute that it is asked for: NumPy and units make anything of it."""
    items = values if issubclass(type(values), (list, tuple)) else [values]
    return any(map(answers_everything, {type(item): item for item in items}.values()))


def read_series(values, axis=None, stream=None, name="y"):
    """What `read_source` gives as a series: it has one axis, or none, which is one sample."""
    source = read_source(values, axis, stream, name)
    if source.ndim > 1:
        raise ValueError(f"{name} of a line has one axis, not shape {source.shape}: choose one, such as {name}[:, 0]; gpuplot.plot makes "
                         "several lines")
    return series_of(source)
