"""Small arrays, each a part of an image -> pixels by matplotlib's own resampler."""

from contextlib import contextmanager
from math import ceil, floor

import numpy as np
from matplotlib.transforms import Affine2D

from ...color.color_limits import is_angle
from .ranks import rank_elements

# Radius of matplotlib's filters in elements; the other three have a radius that can be set.
FILTER_RADIUS = {
    "nearest": 0, "none": 0, "bilinear": 1, "bicubic": 2, "spline16": 2, "spline36": 3, "hanning": 1, "hamming": 1,
    "hermite": 1, "kaiser": 1, "quadric": 2, "catrom": 2, "gaussian": 2, "bessel": 4, "mitchell": 2,
}

# Above this magnification of both axes "auto" is the filter "nearest" at the stage "data".
MUCH = 3


def filter_margin(image):
    """How many elements beyond the visible ones the image's filter needs."""
    radius = FILTER_RADIUS.get(image.get_interpolation())
    if radius is None:
        radius = 1 if image.get_interpolation() in ("auto", "antialiased") else ceil(image.get_filterrad())
    return radius + 2


def touched_elements(low, high, margin, n_elems):
    """(first, stop) of all elements touched by [low, high) and `margin` more on each side, inside the axis; at least one."""
    first, stop = max(0, floor(low) - margin), min(n_elems, ceil(high) + margin)
    return (first, stop) if first < stop else (min(first, n_elems - 1), min(first, n_elems - 1) + 1)


def resolve_auto(geometry, is_dense):
    """(filter, stage) of "auto" for the whole image; an axis reduced to pixels counts as shown 1:1."""
    n_rows, n_cols = geometry.shape
    if any(is_dense):
        scales = [1.0 if dense else scale for dense, scale in zip(is_dense, geometry.pixels_per_element, strict=True)]
        sizes = [(scale, 1) for scale in scales]
    else:
        steps = np.abs(np.diff(_to_device(geometry).transform([[0, 0], [n_cols, n_rows]]), axis=0))[0]
        sizes = [(steps[1], n_rows), (steps[0], n_cols)]
    is_nearest = all(size > MUCH * n or size in (n, 2 * n) for size, n in sizes)
    is_small = any(size / n < MUCH for size, n in sizes)
    kind = "nearest" if is_nearest else "hanning"
    stage = "rgba" if is_small else "data"
    return kind, stage


def _resolve_mixed(image):
    """(filter, stage) of "auto" where cells lie across pixels: angles are mixed as colors, since between 3.1 and -3.1 lies no 0."""
    return "hanning", "rgba" if is_angle(image.plane.view) else "data"


def _to_device(geometry):
    """Element coordinates (column, row from the bottom of the array) -> device pixels, composed as matplotlib does.

    The order of the operations matters: "exactly 1x" is decided by comparing floats.
    """
    x0, y0 = geometry.box[:2]
    flip = Affine2D().translate(0, -geometry.shape[0]).scale(1, -1) if geometry.origin == "upper" else Affine2D()
    data = Affine2D().scale(geometry.in_bbox.width / geometry.shape[1], geometry.in_bbox.height / geometry.shape[0])
    data = data.translate(geometry.in_bbox.x0, geometry.in_bbox.y0)
    return flip + (data + geometry.transform) + Affine2D().scale(geometry.magnification).translate(-x0, -y0)


@contextmanager
def _shown_as(image, interpolation, stage, alpha):
    """A context in which the image has another filter, stage and alpha; observers are not told."""
    own = image._interpolation, image._interpolation_stage, image._alpha, image._imcache
    image._interpolation, image._interpolation_stage, image._alpha, image._imcache = interpolation, stage, alpha, None
    try:
        yield
    finally:
        image._interpolation, image._interpolation_stage, image._alpha, image._imcache = own


def place(image, geometry, values, box, *, is_dense=(False, False), alpha=None, unsampled=False, interpolation=None, is_mixed=False):
    """The result of `AxesImage.make_image` for an array, (h, w) masked or (h, w, 3 or 4), that covers a box of the plane.

    Parameters
    ----------
    box : (row0, row1, col0, col1)
        In element coordinates.
    is_dense : (bool, bool)
        Whether rows, columns of `values` are reduced cells rather than elements.
    alpha : float, ndarray (h, w) or None
    unsampled, interpolation
        As in `AxesImage.make_image`; the filter in place of the image's own.
    is_mixed : bool
        Whether the filter "auto" takes the numbers around a pixel, as its cells are not those of the pixels.
    """
    rank_elements(image, values, box, geometry, is_dense)
    kind, stage = interpolation or image.get_interpolation(), image.get_interpolation_stage()
    if box != (0, geometry.shape[0], 0, geometry.shape[1]) or any(is_dense):  # for a whole plane matplotlib resolves "auto"
        auto_kind, auto_stage = _resolve_mixed(image) if is_mixed else resolve_auto(geometry, is_dense)
        kind = auto_kind if kind in ("auto", "antialiased") else kind
        is_free = stage in ("auto", "antialiased") or (is_mixed and not image._is_stage_given)  # "data" with matplotlib 3.9
        stage = auto_stage if is_free else stage
    with _shown_as(image, kind, stage, alpha):
        return image._make_image(values, geometry.part(box), geometry.out_bbox, geometry.clip, geometry.magnification,
                                 unsampled=unsampled)
