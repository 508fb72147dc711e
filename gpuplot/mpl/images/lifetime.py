"""What an image keeps: copies share its tensor; pickles and frozen images keep pixels; removed images keep nothing."""

from __future__ import annotations

import copy

from matplotlib.artist import Artist
from matplotlib.image import AxesImage

from ...options import bare
from ...plane.cell_budget import keep_within_budget
from ...plane.window import Window
from .bar_updates import connect_again
from .colorize import colors_of
from .frozen_plane import FrozenPlane
from .gathered_plane import GatheredPlane

# Most cells along a side of a frozen plane, and the most bytes of a plane that is pickled whole.
MAX_KEPT_SIDE = 2048
MAX_KEPT_BYTES = 16 * 2**20


def freeze(image):
    """The image's plane without its tensor: the copy that it has, or at most 2048 x 2048 cells."""
    plane = image.plane
    if plane.is_gathered:
        return plane.without_source()
    if isinstance(plane, FrozenPlane):
        return plane
    shape = tuple(min(n, MAX_KEPT_SIDE) for n in plane.shape)
    limits = None if plane.is_rgb else image._element_limits()
    if plane.is_rgb or plane.is_hue:
        cell_plane = GatheredPlane.of_array(colors_of(image, Window.whole(plane.shape, shape)))
    else:
        cells = plane.reduce(Window.whole(plane.shape, shape), image._cell_agg, image._cells.nan).cells.numpy()
        cell_plane = GatheredPlane.of_array(cells)
    return FrozenPlane(cell_plane, plane.shape, plane.dtype, limits, plane.boxes_elsewhere, plane.hidden_text)


def portable(image):
    """The plane for a pickle: whole if it is at most 16 MB, else frozen."""
    plane = image.plane
    if plane is None or plane.is_gathered or isinstance(plane, FrozenPlane):
        return plane
    n_bytes = plane.size * plane.array_dtype.itemsize * (plane.array_shape[2] if plane.is_rgb else 1)
    gathered = plane.gathered(image._cells.decided_nan) if n_bytes <= MAX_KEPT_BYTES else None
    return freeze(image) if gathered is None else gathered


@bare
class Keeper:
    """The methods of `TensorImage` that copy, pickle and release its tensor."""

    def freeze(self) -> None:
        """Lets the tensor go and keeps cells of at most 2048 a side, and the picture as it was drawn last."""
        if self._cells.plane is not None:
            self._cells.plane = freeze(self)
            self._cells.move_to_host()

    @Artist.axes.setter
    def axes(self, new_axes):
        Artist.axes.fset(self, new_axes)
        plane = self._cells.plane
        if new_axes is not None or plane is None:
            return
        if plane.is_gathered:
            self._cells.plane = plane.without_source()
        else:
            self._show(None)  # removed from its Axes: the tensor is not needed again

    def __getstate__(self):
        return super().__getstate__() | {"_cells": self._cells.without_frame(portable(self)), "stream": None,
                                        "_client": None, "_progress": None}

    def __setstate__(self, state):
        self.__dict__.update(state)
        connect_again(self)

    def __copy__(self):
        twin = type(self).__new__(type(self))
        twin.__dict__.update(AxesImage.__getstate__(self))
        twin._cells = copy.copy(self._cells)
        keep_within_budget(twin._cells)
        return twin

    def __deepcopy__(self, memo):
        twin = memo[id(self)] = type(self).__new__(type(self))
        state = AxesImage.__getstate__(self) | {"_cells": self._cells.without_frame(self._cells.plane)}
        for place in (self.stream, self._client, self._progress):  # these are shared, as most cannot be copied
            memo[id(place)] = place
        twin.__dict__.update(copy.deepcopy(state, memo))
        connect_again(twin)
        return twin
