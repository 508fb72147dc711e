"""What an image of points or lines keeps: copies share its tensors; pickles keep the points if they are few, else pixels."""

from __future__ import annotations

import copy

from matplotlib.artist import Artist
from matplotlib.image import AxesImage

from ...arrays.describe import describe
from ...options import bare
from ...plane.points import Points
from ...transfer.asnumpy import asnumpy
from ..images.bar_updates import connect_again
from ..images.lifetime import MAX_KEPT_BYTES
from .frozen_cells import FrozenCells

# What the last draw found in the tensors, which copies and pickles find again.
_NO_CELLS = dict.fromkeys(("_cells", "_cells_key", "_class_colors", "_counts"))


@bare
class DensityKeeper:
    """The methods of `DensityImage` that copy, pickle and release its tensors."""

    def freeze(self) -> None:
        """Lets the tensors go and keeps the cells of the present view; other views magnify these."""
        if self.points is not None:
            self._frozen, self.points = self._frozen_cells(), None
            self._forget_cells()

    @Artist.axes.setter
    def axes(self, new_axes):
        is_leaving = new_axes is None and getattr(self, "_axes", None) is not None
        Artist.axes.fset(self, new_axes)
        if is_leaving:  # removed, or the Axes was cleared
            self.points = self._frozen = None
            self._forget_cells()

    def _forget_cells(self):
        self.__dict__.update(_NO_CELLS)

    def _frozen_cells(self):
        """The cells of the present view; None where the Axes have no pixel."""
        cells, box = self._find_cells(1.0)
        if cells is None or self.points is None:
            return self._frozen
        axes, is_falling = self._pixel_axes(box)
        counts = None if self._counts is None else self._counts.numpy().copy()
        return FrozenCells(*axes, is_falling, cells.numpy().copy(), self._class_colors, self.n_outside, counts)

    def _check_points(self):
        """ValueError where the tensors are gone."""
        if self.points is None:
            raise ValueError(f"these {self._noun[1]} no longer have their tensors, after freeze(), remove() or a pickle: draw them again")

    def __getstate__(self):
        arrays = _small_arrays(self.points)
        frozen = self._frozen_cells() if arrays is None and self.points is not None else self._frozen
        return super().__getstate__() | _NO_CELLS | {"points": None, "stream": None, "_frozen": frozen, "_arrays": arrays}

    def __setstate__(self, state):
        arrays = state.pop("_arrays")
        self.__dict__.update(state)
        if arrays is not None:
            self.points = Points(*(None if array is None else describe(array) for array in arrays))
        connect_again(self)

    def __copy__(self):
        twin = type(self).__new__(type(self))
        twin.__dict__.update(AxesImage.__getstate__(self))
        return twin

    def __deepcopy__(self, memo):
        twin = memo[id(self)] = type(self).__new__(type(self))
        stream = getattr(self, "stream", None)
        memo[id(stream)] = stream  # shared, as streams cannot be copied
        memo[id(self.points)] = self.points
        quantities = getattr(self, "_quantities", None)
        memo[id(quantities)] = quantities
        twin.__dict__.update(copy.deepcopy(AxesImage.__getstate__(self) | _NO_CELLS, memo))
        connect_again(twin)
        return twin


def _small_arrays(points):
    """[x, y, values] of points in host memory, if they are at most 16 MB; None for more, and for lines."""
    if not isinstance(points, Points):
        return None
    sources = (points.x, points.y, points.values)
    if sum(source.nbytes for source in sources if source is not None) > MAX_KEPT_BYTES:
        return None
    return [None if source is None else asnumpy(source) for source in sources]
