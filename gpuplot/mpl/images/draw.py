"""An image -> pixels at one draw: cells on the device pixels, elements through matplotlib, or one of each along an axis."""

from math import hypot

import numpy as np
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from ... import _native
from ...color.color_limits import wanted_limits
from ...notices import none_finite_text
from ...plane.aggs import OF_SEVERAL
from ...plane.window import Span, Window
from .colorize import average_colors, colors_of_elements, factors, paint, style_of
from .geometry import ImageGeometry
from .ranks import is_ranked
from .resample import filter_margin, place, touched_elements

# Most elements a side of an unsampled image in vector formats.
MAX_UNSAMPLED_SIDE = 4096

# The least side in pixels of a square that has the center of a pixel in it, however it is turned, and width of any parallelogram.
MIN_TURNED_CELL = 2**0.5

NOTHING = None, 0, 0, None


def draw(image, magnification=1.0, unsampled=False):
    """(rgba, left, bottom, transform) of an image as its Axes are now, as `AxesImage.make_image` returns them.

    rgba is uint8 (H, W, 4), row 0 at the bottom of the display, straight alpha; None where nothing is visible. left and bottom
    are in display pixels. `magnification` is device pixels per display pixel. Where `unsampled`, elements, or cells where they
    are very many, are returned with a transform in place of pixels.
    """
    plane = image.plane
    geometry = ImageGeometry.of(image, plane.shape, magnification)
    if geometry.box is None:
        return NOTHING
    if unsampled:
        return _draw_unsampled(image, geometry)
    is_dense = _dense_axes(geometry)
    if image._cell_agg in OF_SEVERAL and geometry.is_separable:
        return _draw_cells(image, geometry)  # weights of a single element are 0 or 1, which no filter can give
    if not any(is_dense):
        return _draw_elements(image, geometry)
    agg = _agg_for(image, is_dense)
    if agg == "nearest" and plane.is_gathered and _is_plain(image) and not is_ranked(image):
        return _place_whole(image, geometry, interpolation="nearest")
    if geometry.is_separable and (all(is_dense) or not geometry.is_affine):
        return _draw_cells(image, geometry)
    return _draw_reduced(image, geometry, is_dense, agg)


def _dense_axes(geometry):
    """Whether elements are smaller than pixels, along the rows' axis and the columns'."""
    return geometry.is_dense if geometry.is_separable else tuple(scale < 1 - 1e-9 for scale in geometry.pixels_per_element)


def _agg_for(image, is_dense):
    """The aggregation of a draw. A picture that is magnified along one axis obeys its interpolation."""
    is_nearest = not all(is_dense) and image.agg is None and image.get_interpolation() in ("nearest", "none")
    return "nearest" if is_nearest else image._cell_agg


def reduce_ahead(image):
    """Reduces a large tensor at the present size of its image, and finds its limits in the same pass."""
    geometry = image._present_geometry()
    if not image.plane.size or geometry.box is None or not geometry.is_separable:
        return
    is_dense = geometry.is_dense
    if all(is_dense):
        image._frame_of(geometry.window)
    elif not any(is_dense):
        image._cells.decide_nan(geometry.touched, wanted_limits(image.norm))
    elif image._cells.has_nan_to_decide:
        image._frame_of(drawn_window(image, geometry), _agg_for(image, is_dense))


def is_left_to_matplotlib(image, magnification):
    """True where the elements are on the host and none is smaller than a pixel, decided as cheaply as possible.

    A figure of many small images must cost what it costs in matplotlib.
    """
    transform = image.get_transform()
    if not image.plane.is_gathered or is_ranked(image) or not transform.is_affine or not _is_plain(image) or image._cell_agg in OF_SEVERAL:
        return False
    (a, b, _), (c, d, _), _ = (transform.get_matrix() * magnification).tolist()
    left, right, bottom, top = image.get_extent()
    n_rows, n_cols = image.plane.shape
    return hypot(a, c) * abs(right - left) >= n_cols and hypot(b, d) * abs(top - bottom) >= n_rows


def draw_empty_text(image, renderer):
    """Writes "all NaN" or the like into a picture without a finite element, unless it lies over another picture."""
    has = image._cells.kinds(wanted_limits(image.norm))
    if not has or has & _native.HAS_FINITE or len(image.axes.images) > 1:
        return
    text = Text(0.5, 0.5, none_finite_text(has), ha="center", va="center", transform=image.axes.transAxes, clip_on=True)
    text.set_figure(image.get_figure())
    text.axes = image.axes
    text.draw(renderer)


def _is_plain(image):
    """True where matplotlib itself would make the same colors of elements."""
    return not image.plane.needs_own_colors and not image._has_mark_colors and image._denorm is None


def _draw_cells(image, geometry):
    """Draws one cell per device pixel."""
    if image._averages_colors:
        rgba = average_colors(image, geometry.window)
    else:
        alpha = factors(image, geometry.window)
        rgba = paint(image, image._frame_of(geometry.window, style=lambda: style_of(image, alpha)), alpha)
    return placed(rgba, geometry.box, geometry.magnification)


def placed(rgba, box, magnification):
    """(rgba, left, bottom, transform) of the device pixels of a box, as `AxesImage.make_image` returns them."""
    left, bottom = box[0] / magnification, box[1] / magnification
    return rgba, left, bottom, Affine2D().scale(1 / magnification).translate(left, bottom)


def _draw_elements(image, geometry):
    """Draws visible elements by matplotlib, where none is narrower than a pixel, so that there are O(pixels) of them."""
    plane = image.plane
    if plane.is_gathered and _is_plain(image):
        return _place_whole(image, geometry)
    return _place_elements(image, geometry, _wide_box(image, geometry))


def _place_whole(image, geometry, **how):
    """All elements of a gathered plane."""
    n_rows, n_cols = image.plane.shape
    return place(image, geometry, image.plane.array, (0, n_rows, 0, n_cols), alpha=image.get_alpha(), **how)


def _place_elements(image, geometry, box, unsampled=False):
    values = image._cells.elements(box, wanted_limits(image.norm)) if _is_plain(image) else colors_of_elements(image, box)
    return place(image, geometry, values, box, alpha=_crop(image.get_alpha(), box), unsampled=unsampled)


def _wide_box(image, geometry):
    row0, row1, col0, col1 = geometry.visible
    margin = filter_margin(image)
    return (*touched_elements(row0, row1, margin, geometry.shape[0]), *touched_elements(col0, col1, margin, geometry.shape[1]))


def _crop(alpha, box):
    row0, row1, col0, col1 = box
    return alpha if alpha is None or np.ndim(alpha) == 0 else np.asarray(alpha)[row0:row1, col0:col1]


def _draw_reduced(image, geometry, is_dense, agg):
    """Dense axes are reduced to about a cell per pixel, the others keep their elements; matplotlib places the array."""
    window, box = _reduced_window(image, geometry, is_dense, agg)
    is_mixed = agg == "mean" and not geometry.is_separable
    return place(image, geometry, _values(image, window, agg), box, is_dense=is_dense, alpha=factors(image, window), is_mixed=is_mixed)


def drawn_window(image, geometry):
    """The window of cells that a draw reduces to; None where it draws elements of a turned plane."""
    is_dense = _dense_axes(geometry)
    is_of_cells = all(is_dense) or not any(is_dense) or not geometry.is_affine or image._cell_agg in OF_SEVERAL
    if geometry.is_separable and is_of_cells:
        return geometry.window
    return _reduced_window(image, geometry, is_dense, _agg_for(image, is_dense))[0] if any(is_dense) else None


def _reduced_window(image, geometry, is_dense, agg):
    """(window with a cell per pixel along dense axes and one per element along the others, box of elements that it covers)."""
    # Turned cells lie across pixels. Means are mixed there; other cells keep their numbers, and each is wide enough to be seen.
    turned_cell = 1 if agg == "mean" else MIN_TURNED_CELL
    box = [float(edge) for edge in _wide_box(image, geometry)]
    spans = []
    for axis, (dense, width) in enumerate(zip(is_dense, geometry.widths_of_elements, strict=True)):
        low, high = box[2 * axis:2 * axis + 2]
        n_cells = int(high - low)
        if dense and geometry.is_separable:
            span = (geometry.window.rows, geometry.window.cols)[axis]
            low, high, n_cells = min(span.u0, span.u1), max(span.u0, span.u1), span.n_cells
            box[2 * axis:2 * axis + 2] = low, high
        elif dense:
            n_cells = max(1, min(n_cells, int((high - low) * width / turned_cell)))
        spans.append(Span(low, high, n_cells))
    return Window(*spans), box


def _values(image, window, agg):
    """Cells as an array for matplotlib: numbers where it can color them, else colors."""
    if image._averages_colors:
        return average_colors(image, window)
    frame = image._frame_of(window, agg)
    if image.plane.is_rgb or not _is_plain(image):
        return paint(image, frame, None)
    return np.ma.masked_invalid(frame.cells.numpy(), copy=False)


def _draw_unsampled(image, geometry):
    """The visible elements, or cells of them where they are very many, with the transform that places them."""
    plane = image.plane
    box = _wide_box(image, geometry)
    if plane.is_gathered and _is_plain(image):
        return _place_whole(image, geometry, unsampled=True)
    sizes = box[1] - box[0], box[3] - box[2]
    if max(sizes) <= MAX_UNSAMPLED_SIDE:
        return _place_elements(image, geometry, box, unsampled=True)
    window = Window(*(Span(float(box[2 * axis]), float(box[2 * axis + 1]), min(sizes[axis], MAX_UNSAMPLED_SIDE))
                      for axis in (0, 1)))
    return place(image, geometry, _values(image, window, image._cell_agg), box, is_dense=tuple(n > MAX_UNSAMPLED_SIDE for n in sizes),
                 alpha=factors(image, window), unsampled=True)
