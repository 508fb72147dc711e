"""A notice where limits that were found leave nearly all of a picture in one color, as one element far from the others does."""

import numpy as np
from matplotlib.colors import Normalize

from ..color.color_limits import CellValues, robust_percents
from ..notices import FLAT_TEXT, warn
from ..plane.aggs import OTHER_UNITS
from . import autoscaling

# The middle 96 % of the numbers, which robust=True shows, fill a smaller part of the limits than this: four of 256 colors.
MIN_PART = 1 / 64

# The notice is about pictures of at least so many elements; in smaller ones each element is seen.
MIN_ELEMS = 1024

# So many pixels along each axis are looked at first. Colors are alike whose channels differ by less than ALIKE, of 255; the picture is
# looked at closely if so large a part of these pixels is like their median.
SIDE, ALIKE, MOST = 32, 12, 0.9


def note_flat(image, rgba):
    """Warns where `robust=True` would show far more than the colors of a drawn image, uint8 (H, W, 4) or None, do.

    Percentiles cost a pass over the elements: they are found only if a sample of the pixels has nearly one color.
    """
    if rgba is not None and _may_be_flat(image) and _is_nearly_one_color(rgba) and _is_flat(image):
        warn(FLAT_TEXT)


def _may_be_flat(image):
    """Whether the limits are those of floats that lie in memory, found without `robust`, under the usual norm."""
    plane, auto = image.plane, image._auto_limits
    if plane.is_rgb or plane.is_hue or plane.is_chunked or image._class_options or image._cell_agg in OTHER_UNITS:
        return False
    return (plane.array_dtype.kind == "f" and np.prod(plane.shape) >= MIN_ELEMS and type(image.norm) is Normalize
            and auto is not None and auto.are_in_force(image) and robust_percents(auto.robust) is None)


def _is_nearly_one_color(rgba):
    """Whether most of a sample of the pixels have about their median color."""
    rows, cols = (max(1, n // SIDE) for n in rgba.shape[:2])
    sample = rgba[rows // 2::rows, cols // 2::cols].reshape(-1, rgba.shape[2])
    sample = sample[sample[:, 3] > 0, :3].astype(np.int16)
    if not len(sample):
        return False
    is_alike = (abs(sample - np.median(sample, axis=0)) < ALIKE).all(axis=1)
    return np.mean(is_alike) >= MOST


def _is_flat(image):
    """Whether the numbers that limits came from, cells or elements, are nearly all in a small part of these, but not equal."""
    norm, auto = image.norm, image._auto_limits
    values = image.plane if auto.seen is None else CellValues(autoscaling._cells_of(image), norm=norm)
    low, high = (float(value) for value in values.percentiles((2.0, 98.0)))
    return 0 < high - low < MIN_PART * (norm.vmax - norm.vmin)
