"""The elements under the pointer, for Python: their index and value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...plane.dims import slice_of


@dataclass(frozen=True)
class Cursor:
    """The elements under the pointer in an inspector; `Inspector.cursor` has it.

    Attributes
    ----------
    index : tuple of int and slice
        One entry for each axis of the tensor, so that ``X[w.cursor.index]`` are the elements: a slice where a pixel stands for
        several, and all of an axis that is reduced or holds colors.
    value : scalar or tuple
        Of one element itself: a NumPy scalar of the tensor's dtype (float32 for bfloat16 and the 8-bit floats), `numpy.ma.masked`,
        for an image of colors a tuple of its channels. Of several the value of the pixel, a float, as the aggregation makes it.
    n : int
        How many elements of the plane the pixel stands for: where that is 1, `value` is an element.
    item : str
        Name of the tensor, "" where there is one.
    """

    index: tuple
    value: Any
    n: int = 1
    item: str = ""


def make_cursor(view_state, pixel, agg):
    """The `Cursor` of a `Pixel` under an aggregation."""
    is_rgb = pixel.plane.view.is_rgb
    if pixel.n == 1:
        value = tuple(pixel.element()) if is_rgb else pixel.element()
    else:
        value = pixel.channels(agg) if is_rgb else pixel.cell(agg)
    return Cursor(tensor_index(pixel.plane.view, pixel.rows, pixel.cols), value, pixel.n, view_state.item.name)


def tensor_index(view, rows, cols, stacked_axes=None):
    """The index into a tensor that selects some rows and columns of its plane.

    Parameters
    ----------
    view : View
    rows, cols : range
    stacked_axes : dict of int to range, optional
        Axes that the view fixes, and the elements of them that belong to the index, too.

    Returns
    -------
    tuple of int and slice

    Examples
    --------
    >>> from gpuplot.plane.view import choose
    >>> tensor_index(choose((5, 4, 6), None, "float32", index={0: 3}), range(1, 2), range(2, 4))
    (3, 1, slice(2, 4, None))
    """
    parts, stacked_axes = {"rows": rows, "cols": cols}, stacked_axes or {}
    index = []
    for axis, use in enumerate(view.uses):
        part = parts.get(use.role)
        elements = stacked_axes.get(axis, use.elements) if part is None else use.elements[part.start:part.stop]
        is_one = len(elements) == 1 and (part is not None or use.role == "fixed")
        index.append(elements[0] if is_one else _slice(elements, view.tensor_shape[axis], part is not None))
    return tuple(index)


def _slice(elements, size, is_shown):
    """A range as a slice; ``slice(None)`` for all elements of an axis that is not shown."""
    if elements == range(size) and not is_shown:
        return slice(None)
    part = slice_of(elements)
    return slice(part.start, part.stop) if part.step == 1 else part
