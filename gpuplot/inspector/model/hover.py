"""What is said about the place under the pointer: one element as it is, or the elements behind one pixel."""

from __future__ import annotations

import math

import numpy as np

from ... import _native
from ...plane.plane import WANT_ALL
from ...plane.reduce import Span, Window
from ...plane.slice_text import position_text
from .format import exact_text, rough_text
from .settings import LARGEST_PLACE

__all__ = ["NOTHING", "hover", "pixel_under"]

# In elements; smaller ones are still within one.
SMALLEST_PIXEL = 2.0**-16

NOTHING = {"text": "", "value": None, "index": "", "lines": []}


def hover(view_state, plane, agg, parts, window, *, labels, shade_one):
    """The `hover` answer of the front end's README.

    Parameters
    ----------
    shown : ViewState
    plane : InspectedPlane or DifferencePlane
        The facet's.
    agg : str
    parts, window
        What `pixel_under` gives.
    labels : dict
        Texts of class numbers.
    shade_one : callable
        ``shade_one(plane, window) -> (1, 1, 4) uint8``, the colour of one element.
    """
    if len(parts[0]) * len(parts[1]) == 1:
        value, lines = _element(view_state, plane, parts, window, labels, shade_one)
    else:
        value, lines = None, _bin(plane, agg, parts, window)
    lines += _coordinates(view_state, plane, parts)
    where = plane.place(*parts)
    head = where if value is None else f"{where} {value}"
    text = "; ".join([head, *(f"{name} {said}" for name, said in lines)])
    return {"text": text, "value": value, "index": where, "lines": [list(line) for line in lines]}


def pixel_under(shape, place, cell, origin):
    """The pixel at a place of a plane.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of the plane.
    place : (float, float)
        Row and column in elements.
    cell : (float, float)
        Height and width of a pixel in elements.
    origin : (float, float)
        Where a pixel begins, so that its neighbours are known.

    Returns
    -------
    parts : (range, range)
        Rows and columns that it touches, or shows.
    window : Window
        The pixel itself. None in place of both where the plane has nothing there.
    """
    if max(map(abs, place)) > LARGEST_PLACE:
        return None
    spans = [_pixel(*axis) for axis in zip(place, cell, origin, strict=True)]
    parts = [_touched(n, span) for n, span in zip(shape, spans, strict=True)]
    return (parts, Window(*spans)) if all(parts) else None


def _pixel(at, side, origin):
    """The pixel under a place; that of one element where pixels are smaller."""
    side = min(max(side, SMALLEST_PIXEL), LARGEST_PLACE)
    p = math.floor((at - origin) / side)
    return Span(origin + p * side, origin + (p + 1) * side, 1)


def _touched(n_elems, span):
    """The elements of an axis that a pixel touches, or shows."""
    first, stop, *_ = _native.Axis(n_elems, span.u0, span.u1, 1).span(0)
    return range(first, stop)


def _box(parts):
    return parts[0].start, parts[0].stop, parts[1].start, parts[1].stop


# ---- one element -----------------------------------------------------------------------------------------------------------


def _element(view_state, plane, parts, window, labels, shade_one):
    """(text, lines) of the only element of a pixel."""
    box = _box(parts)
    element = plane.elements(box)[0, 0]
    if plane.view.is_rgb:
        text, shown_text = (f"({', '.join(map(exact_text, one))})" for one in (element, shade_one(plane, window)[0, 0, :3]))
        return text, [] if shown_text == text else [("shown", shown_text)]
    text, lines = exact_text(element), []
    if _is_labelled(element, labels):
        text = f"{text}: {labels[_number(element)]}"
    if np.iscomplexobj(element) and element is not np.ma.masked:
        lines += _complex_lines(plane, element, box)
    if view_state.item.is_difference:
        lines += [(item.name, exact_text(part[0, 0]))
                  for item, part in zip((view_state.item.a, view_state.item.b), plane.parts(box), strict=True)]
    return text, lines


def _complex_lines(plane, element, box):
    """What the picture shows of a complex number: a part, or two of them as hue and opacity."""
    if plane.view.is_hue:
        return [("amplitude", rough_text(abs(element))), ("phase", rough_text(float(np.angle(element))))]
    return [(plane.view.complex_mode.replace("_", " "), rough_text(float(plane.numbers(box)[0, 0])))]


def _number(element):
    return element.item() if isinstance(element, np.generic) else element


def _is_labelled(element, labels):
    return bool(labels) and element is not np.ma.masked and _number(element) in labels


# ---- several elements ------------------------------------------------------------------------------------------------------


def _bin(plane, agg, parts, window):
    """Lines about the elements behind a pixel: how many, their range and mean, and those that are not finite."""
    lines = [("n", str(len(parts[0]) * len(parts[1])))]
    if plane.view.is_rgb:
        return lines + _channels(plane, window)
    limits = plane.limits(WANT_ALL, _box(parts))
    if limits.n_finite or not math.isnan(limits.min):
        mean = plane.skipping().reduce(window, "mean").cells.numpy()[0, 0]
        lines += [("min", rough_text(limits.min)), ("mean", rough_text(mean)), ("max", rough_text(limits.max))]
    if agg not in ("min", "mean", "max"):
        lines.insert(0, (agg, rough_text(plane.reduce(window, agg).cells.numpy()[0, 0])))
    counts = (("NaN", limits.n_nan), ("+Inf", limits.n_pos_inf), ("-Inf", limits.n_neg_inf), ("masked", limits.n_masked))
    return lines + [(name, str(count)) for name, count in counts if count]


def _channels(plane, window):
    frame = plane.reduce(window, "mean")
    names = ("red", "green", "blue", "alpha")
    return [(name, rough_text(cells.numpy()[0, 0])) for name, cells in zip(names, frame.channels, strict=False)]


def _coordinates(view_state, plane, parts):
    """Where the elements are in the tensor's own coordinates, for the axes that are shown."""
    source, view = view_state.source, plane.view
    lines = []
    for role, axis, part in (("rows", view.row_axis, parts[0]), ("cols", view.col_axis, parts[1])):
        if axis is None:
            continue
        elements = view.tensor_range(role, part.start, part.stop)
        texts = [position_text(source, axis, i) for i in dict.fromkeys((elements[0], elements[-1]))]
        if None not in texts:
            lines.append((view.names[axis] if view.names else f"axis {axis}", " to ".join(texts)))
    return lines
