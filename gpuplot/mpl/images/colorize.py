"""Cells of an image artist -> colors, by the artist's current norm, colormap, alpha and marks."""

import numpy as np
from matplotlib.colors import NoNorm

from ... import _native
from ...arrays.describe import describe
from ...color.alpha import opacity_on, set_opacity
from ...color.colorize import colorize, style_ahead
from ...color.rgb import make_rgb_style
from ...plane.reduce import reduce_view
from ...plane.view import choose
from ...plane.window import Window
from .frozen_plane import FrozenPlane
from .ranks import rank_cells

# Number of elements colored at a time, so that memory does not grow with the tensor.
BLOCK_ELEMENTS = 2**20


def paint(image, frame, alpha):
    """The colors of a frame, uint8 (H, W, 4); `alpha` is None, a number, or float32 (H, W)."""
    plane = image.plane
    if isinstance(image.norm, NoNorm) and np.issubdtype(plane.array_dtype, np.integer) and not (plane.is_rgb or plane.is_hue):
        values = np.ma.masked_invalid(frame.cells.numpy())
        return _times(image.cmap(values.astype(plane.array_dtype), bytes=True), alpha)
    if not (plane.is_rgb or plane.is_hue):
        rank_cells(image, frame.cells)
    # The cells of a frozen plane are denormalized already.
    denorm = None if isinstance(plane, FrozenPlane) else image._denorm
    rgba, color_range = colorize(plane.reader, frame, image.norm, image.cmap, image._marks, alpha, denorm=denorm,
                                 largest=lambda: image._element_limits().max)
    if color_range is not None:
        image._note_clipped(color_range)
    return rgba


def style_of(image, alpha, search=None):
    """The NativeStyle by which `paint` will color cells on a device, or None; see `style_ahead`."""
    return style_ahead(image.plane.reader, image.norm, image.cmap, image._marks, alpha, search)


def _times(rgba, alpha):
    if alpha is not None:
        rgba[..., 3] = (rgba[..., 3] * np.asarray(alpha, np.float32)).astype(np.uint8)
    return rgba


def factors(image, window):
    """The artist's alpha for the cells of a window: None, a number, or float32 (H, W)."""
    alpha = image.get_alpha()
    if np.ndim(alpha) != 0 and np.shape(alpha) != tuple(image.plane.shape):
        raise ValueError(f"an alpha of shape {np.shape(alpha)} for an image of {tuple(image.plane.shape)}: give one factor "
                         "per element")
    return opacity_on(alpha, window, image._cell_agg)


def colors_of_elements(image, box):
    """uint8 (h, w, 4) of the elements of a box, without the artist's alpha."""
    return colors_of(image, Window.of_box(box), "nearest")


def colors_of(image, window, agg=None):
    """uint8 (H, W, 4) of the cells of a window, without the artist's alpha."""
    return paint(image, image.plane.reduce(window, agg or image._cell_agg, image._cells.nan), None)


def colors_of_all(image):
    """uint8 (rows, columns, 4) of all elements, some rows at a time."""
    n_rows, n_cols = image.plane.shape
    step = max(1, BLOCK_ELEMENTS // max(1, n_cols))
    boxes = [(row, min(n_rows, row + step), 0, n_cols) for row in range(0, n_rows, step)]
    return np.concatenate([colors_of(image, Window.of_box(box)) for box in boxes])


# ---- color first, then average ----------------------------------------------------------------------------------------


def average_colors(image, window):
    """Area means of the elements' colors, premultiplied, as for an explicit ``interpolation_stage='rgba'``."""
    rows, cols = window.rows.edge_array(), window.cols.edge_array()
    alpha = factors(image, window)
    n_rows, n_cols = window.shape
    out = np.zeros((n_rows, n_cols, 4), np.uint8)
    col0, col1 = _touched(cols, image.plane.shape[1])
    step = _rows_at_a_time(rows, col1 - col0)
    for first in range(0, n_rows, step):
        stop = min(n_rows, first + step)
        row0, row1 = _touched(rows[first:stop + 1], image.plane.shape[0])
        if row0 >= row1 or col0 >= col1:
            continue
        part = Window(window.rows.part(first, stop).counted_from(row0), window.cols.counted_from(col0))
        some = alpha if alpha is None or np.ndim(alpha) == 0 else alpha[first:stop]
        out[first:stop] = _average_block(image, (row0, row1, col0, col1), part, some)
    return out


def _average_block(image, box, window, alpha):
    if image._has_mark_colors:
        rgba = colors_of_elements(image, box)
    else:
        rgba = image.to_rgba(image.plane.box(*box), bytes=True)
    source = describe(np.ascontiguousarray(rgba))
    frame = reduce_view(source, choose(source.shape, None, source.dtype, rgb=2), window, "mean")
    style = make_rgb_style("uint8", 4)
    style.is_alpha_weighted = frame.is_alpha_weighted
    set_opacity(style, alpha)
    return _native.shade_rgb(frame.channels, style)[0]


def _touched(edges, n_elems):
    finite = edges[np.isfinite(edges)]
    if not finite.size:
        return 0, 0
    return int(np.clip(np.floor(finite.min()), 0, n_elems)), int(np.clip(np.ceil(finite.max()), 0, n_elems))


def _rows_at_a_time(edges, n_cols):
    """Rows of cells whose elements fill about one block."""
    widths = abs(np.diff(edges))
    widest = widths[np.isfinite(widths)].max(initial=1.0)
    return int(max(1, BLOCK_ELEMENTS // max(1.0, widest * max(1, n_cols))))
