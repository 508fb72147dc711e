"""How long an image holds its tensor: copies share it, pickles and frozen images keep cells, removed ones nothing."""

from __future__ import annotations

import copy
import os
import threading
import weakref

import numpy as np
from matplotlib.artist import Artist
from matplotlib.image import AxesImage

from .plane import Plane, has_two_parts, lacks
from .render import Span, Window

__all__ = ["FrozenPlane", "Keeper", "keep_within_budget"]

# Cells a side that are kept of a large plane, and the size up to which a plane is kept whole.
MAX_KEPT_SIDE = 2048
MAX_KEPT_BYTES = 16 * 2**20

# Bytes of cells on devices that all images together keep between draws: that memory is the user's.
MAX_DEVICE_BYTES = 64 * 2**20

# The images that may have cells on a device, the one that drew longest ago first.
_holders = weakref.WeakKeyDictionary()
_holders_lock = threading.RLock()  # a signal handler or a finaliser may draw, too


def keep_within_budget(image):
    """Notes that an image drew from the frame that it keeps, and drops the oldest frames where devices hold too many.

    What is dropped is reduced again when it is drawn.
    """
    with _holders_lock:
        _holders.pop(image, None)
        frame = image._frame  # update() in another thread may drop it at any time
        if frame is None or not frame.device_bytes:
            return
        _holders[image] = None
        holders = [reference() for reference in _holders.keyrefs()]  # a copy: whoever comes in between changes the list
        frames = [(holder, holder._frame) for holder in holders if holder is not None]
        kept = [(holder, frame.device_bytes) for holder, frame in frames if frame is not None]
        n_bytes = sum(size for _, size in kept)
        for holder, size in kept:
            if n_bytes <= MAX_DEVICE_BYTES:
                break
            holder._frame = holder._frame_key = None
            n_bytes -= size


def _forget_parents():
    """In a forked child: another thread of the parent may have held the lock, and cells on devices are the parent's."""
    global _holders, _holders_lock
    _holders, _holders_lock = weakref.WeakKeyDictionary(), threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parents)


class FrozenPlane(Plane):
    """Cells that stand for a plane that is gone: element coordinates stay those of the plane.

    Parameters
    ----------
    kept : Plane
        The cells as a gathered plane of their own.
    shape : (int, int)
        Rows and columns of the plane that is gone.
    dtype_name : str
        Its elements' dtype.
    facts : Limits or None
        What was known about its elements.
    """

    def __init__(self, kept, shape, dtype_name, facts):
        self.kept, self._shape, self._dtype, self.facts = kept, tuple(shape), dtype_name, facts
        self.array = self.colour_range = None
        self.is_host_array = True
        self.tensor_source = self.source = self.view = self.cell_view = None

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    is_rgb = property(lambda self: self.kept.is_rgb)
    is_hue = property(lambda self: False)
    array_shape = property(lambda self: (*self._shape, *self.kept.array_shape[2:]))
    array_dtype = property(lambda self: self.kept.array_dtype)
    needs_own_colours = property(lambda self: False)

    tensor = property(lambda self: None)

    def host_array(self, is_finite=False):
        return None

    def __getstate__(self):
        return self.__dict__

    def __setstate__(self, state):
        self.__dict__.update(state)

    def _cells(self, value, axis):
        """Element coordinate -> coordinate among the kept cells."""
        return value * self.kept.shape[axis] / self._shape[axis]

    def _cell_box(self, box):
        """The cells that show elements (row0, row1, col0, col1), half-open."""
        ends = [int(np.floor(self._cells(box[i], i // 2))) if i % 2 == 0 else int(np.ceil(self._cells(box[i], i // 2)))
                for i in range(4)]
        return tuple(min(max(end, i % 2), self.kept.shape[i // 2] - (1 - i % 2)) for i, end in enumerate(ends))

    def box(self, row0, row1, col0, col1, nan=None):
        """For each element the cell that it was in."""
        rows = self._cells(np.arange(row0, row1) + 0.5, 0).astype(int)
        cols = self._cells(np.arange(col0, col1) + 0.5, 1).astype(int)
        return self.kept.array[np.ix_(rows, cols)]

    def reduce(self, window, agg, nan, want=0, has_nan=None, is_sharp=False):
        return self.kept.reduce(Window(self._span(window.rows, 0), self._span(window.cols, 1)), agg, nan, want, has_nan, is_sharp)

    def _span(self, span, axis):
        if span.edges is None:
            return Span(self._cells(span.u0, axis), self._cells(span.u1, axis), span.n_cells, span.tie)
        return Span(self._cells(span.u0, axis), self._cells(span.u1, axis), span.n_cells, span.tie,
                    tuple(self._cells(edge, axis) for edge in span.edges),
                    tuple(self._cells(centre, axis) for centre in span.centres))

    def limits(self, want, box=None):
        if box is None and self.facts is not None and not lacks(self.facts, want):
            return self.facts
        return self.kept.limits(want, None if box is None else self._cell_box(box))

    def percentiles(self, percents, is_positive_only=False, box=None):
        return self.kept.percentiles(percents, is_positive_only, None if box is None else self._cell_box(box))


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
        kept = Plane.of_array(image._colours_of(Window.whole(plane.shape, shape)))
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
    return plane.gathered()


class Keeper:
    """The part of `TensorImage` that copies itself, is pickled, and lets go."""

    def freeze(self):
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
