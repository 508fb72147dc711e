"""Texts of numbers, classes and colors that are printed in the cells of the picture."""

import numpy as np

from ...plane.window import Window
from .format import SHORT, clipped_text, short_text
from .palette import hex_color

# Most elements of a box; more cells would be too small for numbers.
MAX_VALUES = 4096

# Most digits of a rounded number: those of a float32, and of the smaller floats. The pointer shows all.
DIGITS, FEW_DIGITS = 7, 4


def check_box(box, shape):
    """The box (row0, row1, col0, col1) itself, if it lies in the plane and has at most MAX_VALUES elements."""
    row0, row1, col0, col1 = box
    if not (0 <= row0 <= row1 <= shape[0] and 0 <= col0 <= col1 <= shape[1]):
        raise IndexError(f"the box reaches beyond the plane of {shape[0]} x {shape[1]} elements")
    if (row1 - row0) * (col1 - col0) > MAX_VALUES:
        raise ValueError(f"numbers of at most {MAX_VALUES} elements are written at a time")
    return box


def cell_texts(plane, box, labels, shade, room=SHORT):
    """Rows of texts, one for each element of a box: short numbers with equal decimals, names of classes, or "#rrggbb".

    `labels` are the names of class numbers, ``shade(plane, window)`` gives colors, (H, W, 4) uint8; `room` is the most characters.
    """
    row0, row1, col0, col1 = box
    if row0 == row1 or col0 == col1:
        return [[] for _ in range(row1 - row0)]
    if plane.view.is_rgb:
        return [[hex_color(color) for color in row] for row in shade(plane, Window.of_box(box))]
    values = plane.numbers(box)
    is_small = plane.view.dtype.startswith(("float16", "bfloat16", "float8", "float4"))
    digits = FEW_DIGITS if is_small else DIGITS
    texts = [[_text(value, labels, room, digits) for value in row] for row in values]
    return texts if labels or values.dtype.kind in "biuO" else _aligned(values, texts, room, digits)


def _aligned(values, texts, room, digits):
    """Texts of floats with equal decimals; `texts` unchanged if small numbers would become zero or need exponents."""
    numbers = [float(value) for value in np.ma.compressed(np.ma.masked_invalid(values))]
    plain = [text for row in texts for text in row if text[-1].isdigit()]
    if any("e" in text for text in plain):
        return texts
    n_decimals = max((len(text.partition(".")[2]) for text in plain), default=0)
    n_before = max((len(str(int(abs(number)))) for number in numbers if abs(number) >= 1), default=0)
    n_decimals = min(n_decimals, max(0, digits - n_before))
    while n_decimals and max(len(f"{number:.{n_decimals}f}") for number in numbers) > room:
        n_decimals -= 1
    if any(number and not float(f"{number:.{n_decimals}f}") for number in numbers):
        return texts
    return [[f"{float(value):.{n_decimals}f}" if text[-1].isdigit() else text for value, text in zip(*rows, strict=True)]
            for rows in zip(values, texts, strict=True)]


def _text(value, labels, room, digits):
    number = value.item() if isinstance(value, np.generic) else value
    if labels and number is not np.ma.masked and number in labels:
        return clipped_text(str(labels[number]), room)
    return short_text(value, room, digits)
