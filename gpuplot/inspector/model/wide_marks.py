"""Lone marks as a page shows them: a pixel of a NaN among a million others is seen by nobody."""

from __future__ import annotations

import numpy as np

from ...plane.reduce import has_elements

__all__ = ["marked_cells", "widen"]

# Where fewer pixels than this part are marked, each mark covers its neighbors.
FEW = 0.01

# Elements of so many pixels a side are seen as they are.
WIDE_ENOUGH = 3


def marked_cells(frame, leaves_out_nan=False):
    """Which cells of a frame are marked, as bool (h, w): where any color channel is.

    With `leaves_out_nan` those of infinities alone: a few NaN that are left are those of many.
    """
    grids = [cells.numpy() for cells in frame.channels or (frame.cells,)]
    is_mark = np.isinf if leaves_out_nan else lambda cells: ~np.isfinite(cells) & has_elements(cells)
    return np.logical_or.reduce([is_mark(cells) for cells in grids])


def widen(pixels, marked, cell):
    """Gives the neighbors of lone marks their colors.

    Parameters
    ----------
    pixels : ndarray (h, w, 4) uint8
        Written where there are few marks.
    marked : ndarray (h, w) bool
    cell : (float, float)
        Height and width of a pixel in elements.
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
