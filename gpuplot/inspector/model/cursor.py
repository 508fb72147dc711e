"""What is under the pointer, for Python: which elements of the tensor, and their value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Cursor", "make_cursor", "tensor_index"]


@dataclass(frozen=True)
class Cursor:
    """The place under the pointer in an inspector; `Inspector.cursor` has it.

    Attributes
    ----------
    index : tuple of int and slice
        One entry for each axis of the tensor, so that ``X[w.cursor.index]`` is what is there: a slice where a pixel stands for
        several elements, and all of an axis that is reduced or holds colours.
    value : scalar or tuple
        Of one element itself: a NumPy scalar of the tensor's dtype (float32 for bfloat16 and the 8-bit floats), `numpy.ma.masked`,
        for an image of colours a tuple of its channels. Of several the value of the pixel, a float, as the aggregation makes it.
    n : int
        How many elements of the plane the pixel stands for: where that is 1, `value` is an element.
    item : str
        Name of the tensor, "" where there is one.
    """

    index: tuple
    value: Any
    n: int = 1
    item: str = ""


def make_cursor(view_state, plane, agg, parts, window):
    """The `Cursor` of a pixel.

    Parameters
    ----------
    shown : ViewState
    plane : InspectedPlane or DifferencePlane
        The facet's.
    agg : str
    parts : (range, range)
        Rows and columns of the plane that it stands for.
    window : Window
        The pixel.
    """
    rows, cols = parts
    n = len(rows) * len(cols)
    value = _element(plane, rows[0], cols[0]) if n == 1 else _cell(plane, agg, window)
    return Cursor(tensor_index(plane.view, rows, cols), value, n, view_state.item.name)


def _element(plane, row, col):
    element = plane.elements((row, row + 1, col, col + 1))[0, 0]
    return tuple(element) if plane.view.is_rgb else element


def _cell(plane, agg, window):
    if not plane.view.is_rgb:
        return float(plane.reduce(window, agg).cells.numpy()[0, 0])
    return tuple(float(cells.numpy()[0, 0]) for cells in plane.reduce(window, agg).channels)


def tensor_index(view, rows, cols, stacked_axes=None):
    """The index of a tensor that gives some rows and columns of its plane.

    Parameters
    ----------
    view : View
    rows, cols : range
    spread : dict of int to range, optional
        Axes that the view fixes, and the elements of them that belong to the index, too.

    Returns
    -------
    tuple of int and slice

    Examples
    --------
    >>> from gpuplot.view import choose
    >>> tensor_index(choose((5, 4, 6), None, "float32", index={0: 3}), range(1, 2), range(2, 4))
    (3, 1, slice(2, 4, None))
    """
    view_state, stacked_axes = {"rows": rows, "cols": cols}, stacked_axes or {}
    index = []
    for axis, (role, start, step, size, _) in enumerate(view.uses):
        if role in view_state:
            elements = view.tensor_range(role, view_state[role].start, view_state[role].stop)
        elif role == "fixed" and axis not in stacked_axes:
            elements = range(start, start + 1)
        else:
            elements = stacked_axes.get(axis, range(start, start + size * step, step))
        is_one = len(elements) == 1 and (role in view_state or role == "fixed")
        index.append(elements[0] if is_one else _slice(elements, view.tensor_shape[axis], role in view_state))
    return tuple(index)


def _slice(elements, size, is_shown):
    """The slice of a range; one of all elements of an axis that is not shown says so."""
    if elements == range(size) and not is_shown:
        return slice(None)
    return slice(elements.start, elements.stop if elements.stop >= 0 else None, None if elements.step == 1 else elements.step)
