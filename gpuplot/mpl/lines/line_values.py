"""The caller's x or y of a line -> a Series, and as `Line2D` returns it: tensors stay on their device."""

import numpy as np

from ...arrays.literals import counted
from ...arrays.optional_imports import module_roots
from ...dtype_classes import is_complex
from ...plane.chunks.chunked_series import series_of
from ..axis_units import describe_in_units, has_converter, is_unsafe


def read_source(values, axis=None, stream=None, name="y"):
    """The Source of some values.

    Parameters
    ----------
    values : array_like
        A tensor, or dates or texts, which an axis converts.
    axis : matplotlib.axis.Axis, optional
        Converts what is not a number; its units are set by this.
    stream : int or object, optional
    name : str
        What to call the values in errors.

    Raises
    ------
    TypeError
        Complex numbers; neither numbers nor what the axis converts.
    """
    source = describe_in_units(values, axis, stream)
    if is_complex(source.dtype):
        raise TypeError(f"{name} is complex, and a line has real numbers: plot its parts, such as z.real and z.imag, its size abs(z), or "
                        "its path, plot(z.real, z.imag)")
    return source


def read_series(values, axis=None, stream=None, name="y"):
    """The Series of values with one axis, or one beside axes of size 1; arguments are those of `read_source`.

    Its errors, too, and matplotlib's RuntimeError for one number.
    """
    source = read_source(values, axis, stream, name)
    if not source.ndim:
        raise RuntimeError(f"{name} must be a sequence: of one sample give a list, such as [{name}]")
    long = [axis for axis, size in enumerate(source.shape) if size != 1] or [0]
    if len(long) > 1:
        raise ValueError(f"{name} of a line has one axis, not shape {source.shape}: choose one, such as {name}[:, 0]; gpuplot.plot makes "
                         "several lines")
    return series_of(source, long[0])


def as_line_data(values):
    """Values as `Line2D.get_xdata` returns them: lists, and columns of pandas or polars, as arrays; tensors and quantities unchanged."""
    is_list = issubclass(type(values), (list, tuple))
    if has_converter(values) or not (is_list or module_roots(values) & {"pandas", "polars"}):
        return values
    try:
        return values if is_unsafe(values) else np.asanyarray(counted(values))
    except Exception:  # of scalars on a GPU, which NumPy cannot read
        return values
