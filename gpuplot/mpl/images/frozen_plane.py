"""A plane whose tensor was released, and which shows the cells that were reduced from it before."""

from functools import partial
from math import ceil, floor

import numpy as np

from ...plane.limits import lacks
from ...plane.window import Window
from .image_plane import ImagePlane


class FrozenPlane(ImagePlane):
    """Cells in place of a plane whose tensor was let go; element coordinates are those of the plane.

    Parameters
    ----------
    cells : GatheredPlane
        The cells.
    shape : (int, int)
        Rows and columns of the original plane.
    dtype_name : str
        Its elements' dtype.
    known_limits : Limits or None
        Limits of its elements, as far as they were known.
    elsewhere : sequence of (row0, row1, col0, col1)
        Boxes of elements that lay in other processes.
    hidden_text : str
        That of the original plane.
    """

    is_host_array = True
    hidden_text = ""

    def __init__(self, cells, shape, dtype_name, known_limits, elsewhere=(), hidden_text=""):
        self._elsewhere, self.hidden_text = list(elsewhere), hidden_text
        self.cells, self._shape, self._dtype, self.known_limits = cells, tuple(shape), dtype_name, known_limits

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    is_rgb = property(lambda self: self.cells.is_rgb)
    is_hue = property(lambda self: False)
    array_shape = property(lambda self: (*self._shape, *self.cells.array_shape[2:]))
    array_dtype = property(lambda self: self.cells.array_dtype)
    needs_own_colors = property(lambda self: False)

    boxes_elsewhere = property(lambda self: self._elsewhere)
    reader = property(lambda self: self.cells.reader)

    def _to_cells(self, value, axis):
        """Element coordinates -> coordinates among the cells."""
        return value * self.cells.shape[axis] / self._shape[axis]

    def _cell_box(self, box):
        """The box of cells that show a half-open box of elements (row0, row1, col0, col1)."""
        row0, row1, col0, col1 = box
        return *self._touched(row0, row1, 0), *self._touched(col0, col1, 1)

    def _touched(self, first, stop, axis):
        """The half-open range of cells along an axis that show elements ``first`` to ``stop - 1``; at least one cell."""
        n = self.cells.shape[axis]
        first, stop = floor(self._to_cells(first, axis)), ceil(self._to_cells(stop, axis))
        return min(max(first, 0), n - 1), min(max(stop, 1), n)

    def box(self, row0, row1, col0, col1, nan=None):
        """For each element of the box the value of its cell."""
        rows = self._to_cells(np.arange(row0, row1) + 0.5, 0).astype(int)
        cols = self._to_cells(np.arange(col0, col1) + 0.5, 1).astype(int)
        return self.cells.array[np.ix_(rows, cols)]

    def reduce(self, window, agg, nan, want=0, has_nan=None, is_sharp=False):
        spans = (span.mapped(partial(self._to_cells, axis=axis)) for axis, span in enumerate((window.rows, window.cols)))
        return self.cells.reduce(Window(*spans), agg, nan, want, has_nan, is_sharp)

    def limits(self, want, box=None, nan=None):
        if box is None and self.known_limits is not None and not lacks(self.known_limits, want):
            return self.known_limits
        return self.cells.limits(want, None if box is None else self._cell_box(box))

    def percentiles(self, percents, is_positive_only=False, box=None, nan=None):
        return self.cells.percentiles(percents, is_positive_only, None if box is None else self._cell_box(box))
