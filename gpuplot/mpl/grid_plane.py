"""The plane of an image that is a grid of tiles: read like any plane, with places in tensors for its elements."""

from __future__ import annotations

import numpy as np

from ..plane.plane import MAX_GATHERED_ELEMS, Plane, clip_colors, mask_invalid
from ..statistics.measure import stats_of


class GridPlane(Plane):
    """Tiles side by side, borrowed anew at every use.

    Parameters
    ----------
    spec : GridSpec
    """

    def __init__(self, spec):
        self.spec = spec
        self.tensor_source = self.source = self.array = self.color_range = self._stored = None
        self._own_mask = np.ma.nomask
        self.view = self.cell_view = spec.plane.view
        self.tensor_dtype, self.nan = spec.plane.dtype, spec.plane.nan
        self.is_host_array = all(image.source.is_host_array for image in spec.images)

    @property
    def tensor(self):
        """The object that the grid was made of."""
        return self.spec.X

    @property
    def reader(self):
        """See `Plane.reader`."""
        return self.spec.plane

    @property
    def array_dtype(self):
        """See `Plane.array_dtype`; tiles that are scaled are 0 to 1."""
        return np.dtype("float64") if self.spec.plane.tiles[0].scale is not None else super().array_dtype

    def host_array(self, is_finite=False):
        """The elements where they are few, as matplotlib holds them; else None."""
        return self.box(0, self.shape[0], 0, self.shape[1]) if self.size <= MAX_GATHERED_ELEMS else None

    def box(self, row0, row1, col0, col1, nan=None):
        """See `Plane.box`; between tiles there is the grid's own value, or nothing."""
        plane = self.spec.plane
        values = mask_invalid(plane.under(nan or self.nan).numbers((row0, row1, col0, col1), plane.fill))
        return clip_colors(values) if self.is_rgb else values

    def gathered(self, nan):
        """A plane of its own copy of the elements."""
        return Plane.of_array(self.box(0, self.shape[0], 0, self.shape[1], nan))

    def another(self, X):
        """A plane of another tensor, laid out in the same way."""
        return GridPlane(self.spec.of(X))

    def place_text(self, row, col):
        """See `Plane.place_text`."""
        return self.spec.place_text(row, col)

    def range_text(self, rows, cols):
        """See `Plane.range_text`: one tile and the rows and columns in it, or several."""
        first, last = (self.spec.plane.tile_at(*place) for place in ((rows[0], cols[0]), (rows[-1], cols[-1])))
        if first is not None and last is not None and first[0] == last[0]:
            text = self.spec.images[first[0]].text
            inside = f"rows {first[1]}:{last[1] + 1}, columns {first[2]}:{last[2] + 1}"
            return f"{text}, {inside}" if text else inside
        return "several images"

    def stats(self, asked):
        """Statistics of all elements of the grid's one tensor; ValueError where it has several."""
        sources = {id(image.source): image.source for image in self.spec.images}
        if len(sources) > 1:
            raise ValueError("this grid shows several tensors: give them to gpuplot.stats, which makes a table of them")
        return stats_of(next(iter(sources.values())), asked)
