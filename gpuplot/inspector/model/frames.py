"""What a page looks at, the cells that are kept of it, and the frame that it gets."""

from __future__ import annotations

import math
import operator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from ...plane.cell_budget import keep_within_budget
from ...plane.reduce import Span, Window
from .settings import check_window

__all__ = ["CellStore", "Drawn", "Viewport"]

# Pixels a side and in all that one look may ask for: more than any screen, less than would stall the kernel.
MAX_SIDE = 8192
MAX_PIXELS = 2**25

# Bytes of cells in host memory that are kept for changes of colour; those on devices have the budget of `cell_budget`.
MAX_KEPT_BYTES = 128 * 2**20


@dataclass(frozen=True)
class Drawn:
    """A frame.

    Attributes
    ----------
    version : int
        Of the scene, as it was drawn.
    window : (float, float, float, float)
        row0, row1, col0, col1.
    size : (int, int)
        Rows and columns of pixels of one facet.
    pixels : ndarray (n_facets, h, w, 4) uint8 or None
        Straight alpha.
    line : ndarray (5, w) float64 or None
        For each column the smallest and the largest finite element, the mean, 0, 1, 2 or 3 where no mark, NaN, +Inf or
        -Inf is, and the number of elements; NaN where there is none.
    limits : (float, float)
        Values at the ends of the colours, or of a line's axis.
    marked : tuple of (ndarray (h, w) bool or None)
        Of each facet the pixels that are marks; None where nothing can be.
    """

    version: int
    window: tuple
    size: tuple
    pixels: np.ndarray | None = None
    line: np.ndarray | None = None
    limits: tuple = (0.0, 1.0)
    marked: tuple = ()


@dataclass(frozen=True)
class Viewport:
    """A window, row0, row1, col0, col1 in elements, and the pixels that it is shown on."""

    window: tuple
    size: tuple

    @classmethod
    def read(cls, window, size, n_facets=1):
        """Checks what a page asks for."""
        if isinstance(size, (str, bytes)) or not isinstance(size, (list, tuple, np.ndarray)) or len(size) != 2:
            raise TypeError("size is [height, width] in device pixels")
        height, width = (_pixels(n) for n in size)
        if height * width * n_facets > MAX_PIXELS:
            raise ValueError(f"{n_facets} of {height} x {width} pixels are more than a frame holds, {MAX_PIXELS}")
        return cls(check_window(window), (height, width))

    @classmethod
    def default(cls, shape, view, most_side):
        """What a page would show of a plane under a view, None for all of it, on at most so many cells a side."""
        rows, cols = view or ((0.0, float(shape[0])), (0.0, float(shape[1])))
        return cls((*rows, *cols), tuple(max(1, min(math.ceil(high - low), most_side)) for low, high in (rows, cols)))

    def fit(self):
        """The Window of a plane."""
        row0, row1, col0, col1 = self.window
        return Window(Span(row0, row1, self.size[0]), Span(col0, col1, self.size[1]))

    def covers(self, shape):
        """Whether every element of a plane of that shape is in it."""
        row0, row1, col0, col1 = self.window
        return row0 <= 0 and col0 <= 0 and row1 >= shape[0] and col1 >= shape[1]

    @property
    def cell(self):
        """Height and width of a pixel in elements."""
        row0, row1, col0, col1 = self.window
        return (row1 - row0) / self.size[0], (col1 - col0) / self.size[1]

    def box(self, shape):
        """The elements that it touches, half-open, or None where there are none."""
        row0, row1, col0, col1 = self.window
        box = max(0, math.floor(row0)), min(shape[0], math.ceil(row1)), max(0, math.floor(col0)), min(shape[1], math.ceil(col1))
        return box if box[0] < box[1] and box[2] < box[3] else None


def _pixels(n):
    try:
        if isinstance(n, (bool, np.bool_)):
            raise TypeError
        n = operator.index(n)
    except TypeError:
        raise TypeError(f"size is a pair of integers, not of {type(n).__name__}") from None
    if not 1 <= n <= MAX_SIDE:
        raise ValueError(f"a picture has 1 to {MAX_SIDE} pixels a side")
    return n


class _Kept:
    """The frames of all facets."""

    def __init__(self, frames):
        self.frames = frames

    @property
    def device_bytes(self):
        """Bytes that they occupy on devices."""
        return sum(frame.device_bytes for frame in self.frames)


class CellStore:
    """The cells of the last look, so that other colours need no other reduction.

    On devices they are part of the 64 MB that all images and inspectors together keep, and may be dropped at any time; in
    host memory they are at most 128 MB.

    Parameters
    ----------
    facts : FactCache
        Is told what reductions found out on their way.
    """

    def __init__(self, facts):
        self._facts = facts
        self._frame = self._frame_key = None

    def clear(self):
        self._frame = self._frame_key = None

    @contextmanager
    def preserved(self):
        """Cells of looks meanwhile are not kept in the place of those that there are."""
        kept = self._frame, self._frame_key
        try:
            yield
        finally:
            self._frame, self._frame_key = kept
            keep_within_budget(self)

    def frames(self, planes, agg, viewport, want=0, is_sharp=False):
        """The frame of each plane; `want` limits are found in the same pass where the look covers the planes."""
        key = (viewport, tuple(plane.key for plane in planes), agg, is_sharp)
        kept, kept_key = self._frame, self._frame_key  # drawing of another image may drop them at any time
        if kept is None or kept_key != key:
            kept = _Kept([self._reduce(plane, agg, viewport, want, is_sharp) for plane in planes])
            is_small = 8 * len(planes) * math.prod(viewport.size) <= MAX_KEPT_BYTES
            self._frame, self._frame_key = (kept, key) if is_small else (None, None)
        keep_within_budget(self)
        return kept.frames

    def _reduce(self, plane, agg, viewport, want, is_sharp):
        is_wanted = want and viewport.covers(plane.shape) and not self._facts.knows(plane, want)
        frame = plane.reduce(viewport.fit(), agg, want if is_wanted else 0, self._facts.has_nan(plane), is_sharp)
        if is_wanted:
            self._facts.note(plane, frame.limits)
        return frame

    @property
    def leaves_out_nan(self):
        """Whether the kept cells leave NaN out although nobody said so."""
        kept = self._frame
        return kept is not None and any(frame.leaves_out_nan for frame in kept.frames)

    def sample(self, most=4096):
        """Some values of the kept cells, evenly spread, for norms that rank values; None where nothing is kept."""
        kept = self._frame
        if kept is None:
            return None
        values = np.concatenate([frame.cells.numpy().ravel() for frame in kept.frames])
        return values[:: max(1, values.size // most)]
