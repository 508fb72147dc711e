"""Coordinates and values of points -> sources that can be drawn: real numbers, as many of each, in one order."""

from ...arrays.describe import describe
from ...dtype_classes import is_complex
from ...errors import UnsupportedError
from ...plane.points import lies_end_to_end
from ...transfer.asnumpy import asnumpy


def real_source(source, name):
    """The source; UnsupportedError for complex numbers."""
    if is_complex(source.dtype):
        raise UnsupportedError(f"{name} is {source.dtype}, and points have real coordinates and values: give its abs(), .real or .imag")
    return source


def check_sizes(x, y, values):
    """ValueError for different numbers of x, y and values, which may be None."""
    if x.size != y.size:
        raise ValueError(f"x and y must be the same size: x has {x.size} elements and y has {y.size}")
    if values is not None and values.size != x.size:
        raise ValueError(f"c has {values.size} elements for {x.size} points: give one number for each, or one color for all")


def in_one_order(*sources):
    """The sources, or None; those of host memory whose elements are in no order that all have are copied to C order."""
    shapes = {source.shape for source in sources if source is not None}
    is_2d = len(shapes) == 1 and len(*shapes) == 2
    return [describe(asnumpy(source)) if source is not None and not is_2d and source.device is None and not lies_end_to_end(source)
            else source for source in sources]
