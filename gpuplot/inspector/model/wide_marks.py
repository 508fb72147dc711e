"""Widens marks of single pixels, such as one NaN in a picture of a million pixels, so that they are visible."""

import numpy as np

from ... import _native
from ...plane.frame import has_elements
from ...plane.limits import Limits

# Marks are widened if they are less than this part of all pixels,
FEW = 0.01

# and a side of an element is less than so many pixels.
WIDE_ENOUGH = 3


def are_finite(frame):
    """Whether all cells of a frame are known to be finite, without a copy of them from their device."""
    limits = None if frame.channels else frame.cells.limits
    return limits is not None and Limits(*limits).has == _native.HAS_FINITE


def marked_cells(frame, leaves_out_nan=False):
    """Which cells of a frame are not finite, in any color channel, as bool (h, w).

    With `leaves_out_nan` only infinite ones: the NaN that are left then cover whole regions.
    """
    grids = [cells.numpy() for cells in frame.channels or (frame.cells,)]
    is_mark = np.isinf if leaves_out_nan else lambda cells: ~np.isfinite(cells) & has_elements(cells)
    return np.logical_or.reduce([is_mark(cells) for cells in grids])


def widen_marks(pixels, marked, cell):
    """Gives the 8 neighbors of each mark its color in (h, w, 4) uint8 pixels, in place, if there are few marks.

    `marked` is (h, w) bool, `cell` the height and width of a pixel in elements.
    """
    rows, cols = np.nonzero(marked)
    if not 0 < len(rows) < FEW * marked.size:
        return
    colors, (height, width) = pixels[rows, cols], marked.shape
    for down in _steps(cell[0]):
        for across in _steps(cell[1]):
            pixels[np.clip(rows + down, 0, height - 1), np.clip(cols + across, 0, width - 1)] = colors


def _steps(elems_per_pixel):
    return (-1, 1, 0) if elems_per_pixel * WIDE_ENOUGH > 1 else (0,)
