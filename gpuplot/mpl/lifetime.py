"""How long an image holds its tensor: copies share it, pickles and frozen images keep cells, removed ones nothing."""

from __future__ import annotations

import copy

from matplotlib.artist import Artist
from matplotlib.image import AxesImage

from ..options import bare
from ..plane.cell_budget import keep_within_budget
from ..plane.frozen_plane import FrozenPlane
from ..plane.plane import Plane, has_two_parts
from ..plane.reduce import Window

__all__ = ["Keeper"]

# Cells a side that are kept of a large plane, and the size up to which a plane is kept whole.
MAX_KEPT_SIDE = 2048
MAX_KEPT_BYTES = 16 * 2**20


def freeze(image):
    """A plane that needs no tensor: itself if it is a copy already, else cells of at most 2048 a side."""
    plane = image.plane
    if plane.is_gathered:
        return plane.without_source()
    if isinstance(plane, FrozenPlane):
        return plane
    shape = tuple(min(n, MAX_KEPT_SIDE) for n in plane.shape)
    facts = None if plane.is_rgb else image._element_limits()
    if plane.is_rgb or plane.is_hue:
        kept = Plane.of_array(image._colors_of(Window.whole(plane.shape, shape)))
    else:
        cells = plane.reduce(Window.whole(plane.shape, shape), image._cell_agg, image._nan_policy).cells.numpy()
        kept = Plane.of_array(cells)
    return FrozenPlane(kept, plane.shape, plane.dtype, facts)


def portable(image):
    """The plane as it goes into a pickle: whole if it is at most 16 MB, else frozen."""
    plane = image.plane
    if plane is None or plane.is_gathered or isinstance(plane, FrozenPlane):
        return plane
    n_bytes = plane.size * plane.array_dtype.itemsize * (plane.array_shape[2] if plane.is_rgb else 1)
    if n_bytes > MAX_KEPT_BYTES or has_two_parts(plane.view):
        return freeze(image)
    return plane.gathered(image._drawn_nan)


@bare
class Keeper:
    """The part of `TensorImage` that copies itself, is pickled, and lets go."""

    def freeze(self) -> None:
        """Lets the tensor go and keeps cells of at most 2048 a side, and the picture as it was drawn last."""
        if self._plane is None:
            return
        self._plane = freeze(self)
        if self._frame is not None:
            self._frame = self._frame.on_host()

    @Artist.axes.setter
    def axes(self, new_axes):
        Artist.axes.fset(self, new_axes)
        if new_axes is not None or self._plane is None:
            return
        if self._plane.is_gathered:
            self._plane = self._plane.without_source()
        else:
            self._show(None)  # removed from its Axes: nobody will ask for the tensor again

    def __getstate__(self):
        return super().__getstate__() | {"_plane": portable(self), "_frame": None, "_frame_key": None, "stream": None}

    def __copy__(self):
        twin = type(self).__new__(type(self))
        twin.__dict__.update(AxesImage.__getstate__(self))
        keep_within_budget(twin)
        return twin

    def __deepcopy__(self, memo):
        twin = memo[id(self)] = type(self).__new__(type(self))
        state = AxesImage.__getstate__(self) | {"_frame": None, "_frame_key": None}
        memo[id(self.stream)] = self.stream  # a stream is a place where work is queued, which cannot be copied
        twin.__dict__.update(copy.deepcopy(state, memo))
        return twin
