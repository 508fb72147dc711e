"""The geometry of an image at the next draw of its figure."""

from .geometry import ImageGeometry


def expected_geometry(image):
    """The `ImageGeometry` of the next draw if the figure's size, view limits and layout stay.

    A draw first shrinks the box of an Axes with a fixed aspect. Here this is done, and undone at the end.
    """
    ax = image.axes
    is_moved = ax.get_aspect() != "auto" and ax.get_adjustable() == "box" and ax.get_axes_locator() is None
    position = ax.get_position().frozen()
    try:
        if is_moved:
            ax.apply_aspect()
        return _settled(ImageGeometry.of(image, image.plane.shape))
    except RuntimeError:
        return _settled(ImageGeometry.of(image, image.plane.shape))  # an impossible aspect: the draw raises matplotlib's error
    finally:
        if is_moved:
            ax._set_position(position, which="active")


def is_surely_magnified(image):
    """Whether all of an image is visible and no element is smaller than a pixel, by a quick test without `apply_aspect`.

    It keeps figures of many small images as fast as matplotlib's own. False may be a "not sure".
    """
    ax, view = image.axes, image.axes.viewLim
    is_plain = not image.is_transform_set() or image.get_transform() == ax.transData
    if not is_plain or (ax.get_xscale(), ax.get_yscale()) != ("linear", "linear") or not (view.width and view.height):
        return False
    left, right, bottom, top = image.get_extent()
    ends = ((left, right), (view.xmin, view.xmax)), ((bottom, top), (view.ymin, view.ymax))
    if not all(low <= min(edges) and max(edges) <= high for edges, (low, high) in ends):
        return False
    across, down, aspect = ax.bbox.width / abs(view.width), ax.bbox.height / abs(view.height), ax.get_aspect()
    if aspect != "auto":
        across = min(across, down / aspect)
        down = aspect * across
    n_rows, n_cols = image.plane.shape
    return across * abs(right - left) >= n_cols and down * abs(top - bottom) >= n_rows


def _settled(geometry):
    """The geometry, after computing its cached values while the Axes is where it will be drawn."""
    if geometry.box is not None and geometry.is_separable:
        geometry.window, geometry.is_dense  # noqa: B018
    return geometry
