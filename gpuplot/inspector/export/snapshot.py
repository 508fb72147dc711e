"""The pixels of `Inspector.snapshot`: the view at the size of a page, or at a given size."""

import math

from ...plane.picture_size import default_shape, shape_for_width, window_of
from ..options import check_number_between
from .still import LINE_HEIGHT, Layout, facet_grid, still_rgba

# Without a page, small pictures are enlarged until their longer side has so many pixels.
ENLARGED_SIDE = 960
MAX_SCALE = 8192


def snapshot_rgba(scene, viewport=None, *, width=None, height=None, scale=None):
    """The pixels of the view, (H, W, 4) uint8; sizes are those of `Inspector.snapshot`, by default that of a page's `viewport`."""
    choose = _size_asked(width, height, scale)
    state = scene.state()
    if state["kind"] == "text":
        raise ValueError(f"nothing to draw, {state['text']}")
    is_line = state["kind"] == "line"
    if choose is None:
        is_square = state["aspect"] == "equal" and not is_line
        choose = (lambda extent: _as_on_page(extent, viewport.size, is_square)) if viewport else _SIZES[state["aspect"]]
    window = window_of(tuple(state["plane"]), state["view"], None, choose)
    n_rows, n_cols = window.shape
    if is_line and height is None:  # a line's height is that of its axis, not of one row
        n_rows = LINE_HEIGHT if viewport is None else viewport.size[0]
    edges = (window.rows.u0, window.rows.u1, window.cols.u0, window.cols.u1)
    return still_rgba(scene, Layout(edges, (n_rows, n_cols), facet_grid(state)))


def snapshot_of_all(scene, viewport, sizes):
    """(pixels, index of hidden axes) of `Scene.collectively`, which all processes call together; None in all but the first."""
    is_first, viewport, sizes = scene.follow_first(viewport, sizes)
    rgba, where = snapshot_rgba(scene, viewport, **sizes), scene.state()["slice"]
    return (rgba, where) if is_first else None


def check_sizes(width, height, scale):
    """Raises ValueError or TypeError for sizes that no picture has."""
    _size_asked(width, height, scale)


def _size_asked(width, height, scale):
    """A function: extent in elements -> (rows, columns) of pixels; None if no size is given."""
    if scale is not None:
        if width is not None or height is not None:
            raise ValueError("give scale, or width and height, not both")
        scale = check_number_between("scale", scale, 1 / MAX_SCALE, MAX_SCALE)
        return lambda extent: tuple(max(1, _rounded(n * scale)) for n in extent)
    if width is None and height is None:
        return None
    # Checked as in imsave, before anything is drawn.
    n_cols = None if width is None else shape_for_width((1, 1), width)[1]
    n_rows = None if height is None else shape_for_width((1, 1), height, "height")[1]
    if n_rows is None:
        return lambda extent: shape_for_width(extent, n_cols)
    return lambda extent: (n_rows, shape_for_width(extent[::-1], n_rows)[0] if n_cols is None else n_cols)


def _as_on_page(extent, size, is_square):
    """The size at which a view fits into the page's picture, as the page may not have shown this view yet."""
    if not is_square:
        return size
    elements_per_pixel = max(n / side for n, side in zip(extent, size, strict=True))
    return tuple(max(1, _rounded(n / elements_per_pixel)) for n in extent)


def _whole_pixels(extent):
    """The size with a pixel, or a square of pixels, for each element; with fewer pixels for large planes."""
    n_rows, n_cols = default_shape(extent)
    times = max(1, ENLARGED_SIDE // max(n_rows, n_cols))
    return n_rows * times, n_cols * times


def _rounded(n):
    return math.floor(n + 0.5)


# Aspect -> function of the extent.
_SIZES = {"equal": _whole_pixels, "auto": lambda extent: tuple(_whole_pixels((n, n))[0] for n in extent)}
