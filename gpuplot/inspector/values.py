"""Numbers that are printed in the cells of the picture."""

from __future__ import annotations

import operator

import numpy as np

from .texts import clipped_text, short_text

__all__ = ["MOST_VALUES", "cell_texts", "check_box"]

# More cells than that are too small for numbers.
MOST_VALUES = 4096


def check_box(box, shape):
    """[row0, row1, col0, col1], half-open, inside the plane, and not too many elements."""
    if isinstance(box, (str, bytes)) or not isinstance(box, (list, tuple, np.ndarray)):
        raise TypeError("box is [row0, row1, col0, col1], four integers")
    if len(box) != 4:
        raise ValueError("box is [row0, row1, col0, col1], four integers")
    try:
        if any(isinstance(edge, (bool, np.bool_)) for edge in box):
            raise TypeError
        row0, row1, col0, col1 = (operator.index(edge) for edge in box)
    except TypeError:
        raise TypeError("box is [row0, row1, col0, col1], four integers") from None
    if not (0 <= row0 <= row1 <= shape[0] and 0 <= col0 <= col1 <= shape[1]):
        raise IndexError(f"the box reaches beyond the plane of {shape[0]} x {shape[1]} elements")
    if (row1 - row0) * (col1 - col0) > MOST_VALUES:
        raise ValueError(f"numbers of at most {MOST_VALUES} elements are written at a time")
    return row0, row1, col0, col1


def cell_texts(plane, box, labels):
    """Rows of texts, one for each element of a box: short numbers, names of classes, colours as ``#rrggbb`` where bytes."""
    if box[0] == box[1] or box[2] == box[3]:
        return [[] for _ in range(box[1] - box[0])]
    values = plane.shown_numbers(box)
    if plane.view.is_rgb:
        return [[_color_text(color) for color in row] for row in values]
    return [[_text(value, labels) for value in row] for row in values]


def _text(value, labels):
    number = value.item() if isinstance(value, np.generic) else value
    if labels and number is not np.ma.masked and number in labels:
        return clipped_text(str(labels[number]))
    return short_text(value)


def _color_text(color):
    """Bytes as the page writes colours; other channels one number each."""
    if color.dtype == np.uint8:
        return "#" + "".join(f"{int(part):02x}" for part in np.ma.filled(color, 0)[:3])
    return "\n".join(short_text(part) for part in color)
