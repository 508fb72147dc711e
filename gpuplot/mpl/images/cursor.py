"""The text under the pointer of an image: one element, or the elements behind one cell."""

import math

import numpy as np
from matplotlib.transforms import Bbox, BboxTransform

from ...plane.cell_facts import cell_facts
from ...plane.frame import values_of
from ...plane.limits import WANT_ALL
from ...plane.window import Window
from .geometry import ImageGeometry


class CellValue(float):
    """The value of a cell, with `rows` and `cols`, the ranges of elements behind it, and the `text` for a tool bar."""

    rows = cols = range(0)
    text = ""


def cursor_data(image, event):
    """The element under the pointer, a `CellValue` where a pixel shows several, None outside the image."""
    point = _element_point(image, event)
    if point is None:
        return None
    row, col = point
    where = image.plane.place_text(row, col)
    if where is None:
        return None
    image._place_pointed_at = where
    cell = None if image.plane.is_rgb else _cell_under(image, event)
    return image._cells.element(row, col) if cell is None else cell


def _element_point(image, event):
    """(row, column) of the element under the pointer, computed as in matplotlib; None outside, and in what has no width or height."""
    if not all(image.axes.bbox.size) or not image.plane.size:
        return None
    left, right, bottom, top = image.get_extent()
    if image.origin == "upper":
        bottom, top = top, bottom
    n_rows, n_cols = image.plane.shape
    to_array = BboxTransform(boxin=Bbox([[left, bottom], [right, top]]), boxout=Bbox([[0, 0], [n_cols, n_rows]]))
    point = (image.get_transform().inverted() + to_array).transform([event.x, event.y])
    if not np.isfinite(point).all():
        return None
    col, row = point.astype(int)
    return (int(row), int(col)) if 0 <= row < n_rows and 0 <= col < n_cols else None


def _cell_under(image, event):
    """The cell of the device pixel under the pointer, or None where it shows a single element."""
    geometry = ImageGeometry.of(image, image.plane.shape)
    if geometry.box is None or not geometry.is_separable or not any(geometry.is_dense):
        return None
    x0, y0, x1, y1 = geometry.box
    x, y = math.floor(event.x), math.floor(event.y)
    if not (x0 <= x < x1 and y0 <= y < y1):
        return None
    spans = geometry.window.rows.part(y - y0, y - y0 + 1), geometry.window.cols.part(x - x0, x - x0 + 1)
    box = [range(*span.fit(n, is_nearest=False).touched()) for span, n in zip(spans, geometry.shape, strict=True)]
    if any(len(part) == 0 for part in box) or len(box[0]) * len(box[1]) <= 1:
        return None
    if image.plane.is_chunked:
        return _drawn_cell(image, geometry.window, (y - y0, x - x0), *box)
    return _describe_cell(image, Window(*spans), *box)


def _drawn_cell(image, window, place, rows, cols):
    """The value of a cell of the last draw, for which no chunk is read; None where another window was drawn."""
    frame = image._cells.frame
    if frame is None or frame.cells.shape != window.shape:
        return None
    cell = CellValue(values_of(frame.cells)[place])
    cell.rows, cell.cols, cell.text = rows, cols, f"{image._cell_agg} {float(cell):.6g} of {image.plane.range_text(rows, cols)}"
    return cell


def _describe_cell(image, window, rows, cols):
    plane = image.plane
    agg = image._cell_agg
    cell = CellValue(plane.reduce(window, agg, image._cells.decided_nan, is_sharp=image._is_sharp).cells.numpy()[0, 0])
    limits = image._cells.limits(WANT_ALL, (rows.start, rows.stop, cols.start, cols.stop))
    facts = cell_facts(len(rows) * len(cols), limits, lambda: plane.reduce(window, "mean", "skip").cells.numpy()[0, 0])
    cell.rows, cell.cols = rows, cols
    cell.text = "; ".join([f"{agg} {float(cell):.6g} of {plane.range_text(rows, cols)}", *_fact_texts(facts)])
    return cell


def _fact_texts(facts):
    """The texts of `cell_facts`: ``"n=100"``, ``"min 1, mean 2, max 4"``, ``"1 NaN"``."""
    (_, n), *facts = facts
    numbers = ", ".join(f"{name} {value:.6g}" for name, value in facts if isinstance(value, float))
    counts = [f"{value} {name}" for name, value in facts if not isinstance(value, float)]
    return [f"n={n}", *([numbers] if numbers else []), *counts]


def cursor_text(image, data, plain_text):
    """The text for the result of `cursor_data`; `plain_text` is matplotlib's for a single value."""
    where = image.hidden_text or ("" if isinstance(data, CellValue) else image._place_pointed_at)
    tail = f" at {where}" if where else ""
    if isinstance(data, CellValue):
        return f"[{data.text}]{tail}"
    if image.labels and np.ndim(data) == 0 and not np.ma.is_masked(data) and data in image.labels:
        return f"[{data}: {image.labels[data]}]{tail}"
    return plain_text + tail
