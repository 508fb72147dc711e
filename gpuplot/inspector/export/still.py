"""The still of an inspector, shown where no kernel runs: pixels, a small PNG, and one line of text."""

from __future__ import annotations

import base64
import io
import math
from dataclasses import dataclass, replace

import numpy as np

from ...picture.png import write_png
from ...picture.tiles import TileGrid, largest_tile_side

# Size of a still in pixels; if its PNG is too large, it is made with fewer pixels and shown at the same size.
WIDTH, MAX_HEIGHT = 600, 600
MAX_BYTES = 90_000
SHRINKING = (1.0, 0.7, 0.5, 0.35)
# Between facets, in pixels.
GAP = 4
# Of a line.
LINE_HEIGHT, LINE_COLOR, RANGE_COLOR, MARK_COLOR = 200, (76, 120, 168, 255), (76, 120, 168, 110), (255, 0, 255, 255)


def still_png(scene):
    """(bytes of a PNG, (width, height) at which to show it), or None without a picture."""
    layout = Layout.of(scene)
    if layout is None:
        return None
    for factor in SHRINKING:
        try:
            data = _png(still_rgba(scene, layout.scaled(factor)))
        except Exception:  # elements cannot be read; the page reports it
            return None
        if len(data) <= MAX_BYTES:
            break
    return data, layout.tiles.shape[::-1]


def data_url(png):
    """A PNG as a data URL."""
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _png(rgba):
    file = io.BytesIO()
    write_png(file, rgba)
    return file.getvalue()


@dataclass(frozen=True)
class Layout:
    """Sizes of a still."""

    window: tuple[float, float, float, float]  # row0, row1, col0, col1 in elements, of each facet
    facet: tuple[int, int]  # height and width of one, in pixels
    grid: tuple[int, int]  # rows and columns of facets

    @classmethod
    def of(cls, scene, width=WIDTH, max_height=MAX_HEIGHT):
        """The largest layout within `width` and `max_height`, in the aspect of what is shown; None for a text."""
        state = scene.state()
        if state["kind"] == "text":
            return None
        rows, cols = state["plane"]
        view = state["view"] or [[0, rows], [0, cols]]
        window = (*map(float, view[0]), *map(float, view[1]))
        n_rows, n_cols = facet_grid(state)
        width = largest_tile_side(width, n_cols, GAP)
        if state["kind"] == "line":
            return cls(window, (LINE_HEIGHT, width), (n_rows, n_cols))
        max_height = largest_tile_side(max_height, n_rows, GAP)
        aspect = (window[1] - window[0]) / (window[3] - window[2]) if state["aspect"] == "equal" else 2 / 3
        height = width * aspect
        if height > max_height:
            height, width = max_height, max_height / aspect
        return cls(window, (max(1, round(height)), max(1, round(width))), (n_rows, n_cols))

    def scaled(self, factor):
        """The same with `factor` times as many pixels a side."""
        return replace(self, facet=tuple(max(1, math.ceil(n * factor)) for n in self.facet))

    @property
    def tiles(self):
        """The facets as tiles."""
        return TileGrid(math.prod(self.grid), self.grid[1], self.facet, GAP)


def facet_grid(state):
    """Rows and columns of facets; 1 and 1 without any."""
    facets = state["facets"]
    return (1, 1) if facets is None else (max(1, len(facets["rows"])), max(1, len(facets["columns"])))


def still_rgba(scene, layout):
    """uint8 (H, W, 4) of a layout; gaps between facets are transparent."""
    drawn = scene.draw_aside(layout.window, layout.facet)
    if drawn.line is not None:
        return draw_line(drawn.line, layout.facet, drawn.limits)
    facets = drawn.pixels if scene.state()["origin"] == "upper" else drawn.pixels[:, ::-1]
    return layout.tiles.assemble(facets)


def draw_line(columns, size, limits):
    """Pixels of a line: a band from lowest to highest element, the mean, and bars for marks."""
    height = size[0]
    low, high, mean, mark = columns[:4]
    picture = np.zeros((height, columns.shape[1], 4), np.uint8)
    with np.errstate(invalid="ignore", over="ignore"):
        low, high, mean = (_heights(np.clip(values, *limits), *limits, height) for values in (low, high, mean))
    y = np.arange(height)[:, None]
    picture[(y >= high) & (y <= low)] = RANGE_COLOR
    before = np.concatenate([mean[:1], mean[:-1]])
    picture[(y >= np.fmin(before, mean) - 0.5) & (y <= np.fmax(before, mean) + 0.5)] = LINE_COLOR
    picture[:, np.nan_to_num(mark) > 0] = MARK_COLOR
    return picture


def _heights(values, bottom, top, height):
    """Rows of pixels for values, NaN kept; computed with halves, as the range may overflow."""
    span = top / 2 - bottom / 2 or 1.0
    return np.round((height - 1) * (1 - (values / 2 - bottom / 2) / span))


def describe_in_a_line(state):
    """The inspector as text: ``Inspector: float32 (40, 256, 256) on cpu, index {0: 20}``."""
    tensor = state["tensor"]
    hidden = {axis["name"] or number: axis["index"] for number, axis in enumerate(state["axes"]) if axis["role"] == "index"}
    shape = "(" + ", ".join(map(str, tensor["shape"])) + ("," if len(tensor["shape"]) == 1 else "") + ")"
    name = f"{state['item']}: " if state["item"] else ""
    return f"Inspector: {name}{tensor['dtype']} {shape} on {tensor['device']}" + (f", index {hidden}" if hidden else "")
