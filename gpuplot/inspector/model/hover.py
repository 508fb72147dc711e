"""The text under the pointer: one exact element, or a summary of the elements behind a pixel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ... import _native
from ...plane.cell_facts import cell_facts
from ...plane.limits import WANT_ALL
from ...plane.slice_text import position_text
from ...plane.window import Span, Window
from .format import exact_text, rough_text
from .settings import MAX_POSITION

# Least side of a pixel in elements; smaller pixels are treated as if they had this side.
MIN_SIDE = 2.0**-16

NOTHING = {"text": "", "value": None, "index": "", "lines": []}


@dataclass(frozen=True)
class Pixel:
    """A pixel and the elements of a plane that it stands for."""

    plane: object  # InspectedPlane, InspectedChunks or InspectedDifference
    # The elements.
    rows: range
    cols: range
    window: Window  # the pixel as a window of one cell

    @property
    def n(self):
        """The number of elements."""
        return len(self.rows) * len(self.cols)

    @property
    def box(self):
        """(row0, row1, col0, col1), half-open."""
        return self.rows.start, self.rows.stop, self.cols.start, self.cols.stop

    def element(self):
        """Its first element, in the tensor's dtype."""
        return self.plane.elements(self.box)[0, 0]

    def cell(self, agg):
        """Its value under an aggregation."""
        return float(self.plane.reduce(self.window, agg).cells.numpy()[0, 0])

    def channels(self, agg):
        """The value of each color channel under an aggregation."""
        return tuple(float(cells.numpy()[0, 0]) for cells in self.plane.reduce(self.window, agg).channels)


def pixel_under(plane, position, cell, origin):
    """The `Pixel` at a (row, column) in elements; None if the plane has no element there.

    `cell` is the height and width of a pixel in elements, `origin` the row and column at which one begins.
    """
    if max(map(abs, position)) > MAX_POSITION:
        return None
    spans = [_pixel_span(*axis) for axis in zip(position, cell, origin, strict=True)]
    rows, cols = (_touched(n, span) for n, span in zip(plane.shape, spans, strict=True))
    return Pixel(plane, rows, cols, Window(*spans)) if rows and cols else None


def _pixel_span(at, side, origin):
    """The ends, along an axis, of the pixel at a position."""
    side = min(max(side, MIN_SIDE), MAX_POSITION)
    p = math.floor((at - origin) / side)
    return Span(origin + p * side, origin + (p + 1) * side, 1)


def _touched(n_elems, span):
    """The elements of an axis that a pixel reduces."""
    first, stop, *_ = _native.Axis(n_elems, span.u0, span.u1, 1).span(0)
    return range(first, stop)


def hover(view_state, pixel, agg, labels, shade):
    """The `hover` answer of the front end's README.

    `labels` are the names of class numbers; ``shade(plane, window)`` gives the color of one element, (1, 1, 4) uint8.
    """
    value, lines = _describe_element(view_state, pixel, labels, shade) if pixel.n == 1 else (None, _describe_elements(pixel, agg))
    lines += _coordinates(view_state, pixel)
    index = pixel.plane.index_text(pixel.rows, pixel.cols)
    head = index if value is None else f"{index} {value}"
    text = "; ".join([head, *(f"{name} {line}" for name, line in lines)])
    return {"text": text, "value": value, "index": index, "lines": [list(line) for line in lines]}


def _describe_element(view_state, pixel, labels, shade):
    """(exact text, lines) of a single element."""
    plane, element = pixel.plane, pixel.element()
    if plane.view.is_rgb:
        text, color_text = (f"({', '.join(map(exact_text, one))})" for one in (element, shade(plane, pixel.window)[0, 0, :3]))
        return text, [] if color_text == text else [("shown", color_text)]
    text, lines, is_masked = exact_text(element), [], element is np.ma.masked
    number = element.item() if isinstance(element, np.generic) else element
    if labels and not is_masked and number in labels:
        text = f"{text}: {labels[number]}"
    if np.iscomplexobj(element) and not is_masked:
        lines += _complex_lines(pixel, element)
    if view_state.item.is_difference:
        lines += [(item.name, exact_text(part[0, 0]))
                  for item, part in zip((view_state.item.a, view_state.item.b), plane.parts(pixel.box), strict=True)]
    return text, lines


def _complex_lines(pixel, element):
    """Text for the shown value of a complex number: one part of it, or amplitude and phase."""
    view = pixel.plane.view
    if view.is_hue:
        return [("amplitude", rough_text(abs(element))), ("phase", rough_text(float(np.angle(element))))]
    return [(view.complex_mode.replace("_", " "), rough_text(float(pixel.plane.numbers(pixel.box)[0, 0])))]


def _describe_elements(pixel, agg):
    """Lines about several elements: how many, the pixel's value, range and mean, and counts of those that are not finite."""
    plane = pixel.plane
    if plane.view.is_rgb:
        names = ("red", "green", "blue", "alpha")
        return [("n", str(pixel.n)), *((name, rough_text(value)) for name, value in zip(names, pixel.channels("mean"), strict=False))]
    facts = cell_facts(pixel.n, plane.limits(WANT_ALL, pixel.box),
                       lambda: plane.skipping().reduce(pixel.window, "mean").cells.numpy()[0, 0])
    lines = [] if agg in ("min", "mean", "max") else [(agg, rough_text(pixel.cell(agg)))]
    return lines + [(name, rough_text(value) if isinstance(value, float) else str(value)) for name, value in facts]


def _coordinates(view_state, pixel):
    """Lines with the tensor's own coordinates of the elements, for the axes that are shown."""
    source, view = view_state.source, pixel.plane.view
    lines = []
    for role, axis, part in (("rows", view.row_axis, pixel.rows), ("cols", view.col_axis, pixel.cols)):
        if axis is None:
            continue
        elements = view.tensor_range(role, part.start, part.stop)
        texts = [position_text(source, axis, i) for i in dict.fromkeys((elements[0], elements[-1]))]
        if None not in texts:
            lines.append((view.names[axis] if view.names else f"axis {axis}", " to ".join(texts)))
    return lines
