"""Viewport: the part of a plane that a page shows, and its size in pixels."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

import numpy as np

from ...plane.window import Span, Window
from .settings import check_window

# Pixels of a side, of one facet of a page, and of all facets of a frame: more than any screen, less than would stall the kernel.
# The size that a page asks for is checked before the number of facets is known.
MAX_PAGE_SIDE = 8192
MAX_FACET_PIXELS = 2**24
MAX_FRAME_PIXELS = 2**25

# A part of an element, or of a window within one, that counts as rounding of the window: a page makes no pixel as small.
UNSEEN = 1e-3


@dataclass(frozen=True)
class Viewport:
    """A window (row0, row1, col0, col1) in elements, and its size (height, width) in pixels."""

    window: tuple
    size: tuple

    @classmethod
    def read(cls, window, size, n_facets=1):
        """A Viewport, checked: a window that shows something, and a facet of at most MAX_FRAME_PIXELS.

        Its size is smaller, in proportion, where only all facets together exceed that.
        """
        if isinstance(size, (str, bytes)) or not isinstance(size, (list, tuple, np.ndarray)) or len(size) != 2:
            raise TypeError("size is [height, width] in device pixels")
        height, width = (_pixels(n) for n in size)
        if height * width > MAX_FRAME_PIXELS:
            raise ValueError(f"{height} x {width} pixels are more than a frame holds, {MAX_FRAME_PIXELS}")
        return cls(check_window(window), at_most((height, width), MAX_FRAME_PIXELS / n_facets))

    @classmethod
    def default(cls, shape, view, most_side):
        """The Viewport on a view, None for the whole plane, with a pixel per element up to `most_side` a side."""
        rows, cols = view or ((0.0, float(shape[0])), (0.0, float(shape[1])))
        return cls((*rows, *cols), tuple(max(1, min(math.ceil(high - low), most_side)) for low, high in (rows, cols)))

    def fit(self):
        """The Window for reductions."""
        row0, row1, col0, col1 = self.window
        return Window(Span(row0, row1, self.size[0]), Span(col0, col1, self.size[1]))

    def covers(self, shape):
        """Whether it contains a plane of that shape."""
        row0, row1, col0, col1 = self.window
        return row0 <= 0 and col0 <= 0 and row1 >= shape[0] and col1 >= shape[1]

    def is_part_of(self, other):
        """Whether its window lies in that of another Viewport, up to rounding, and is smaller."""
        def lies_in(mine, theirs):
            lost = _lost(*mine)
            return theirs[0] <= mine[0] + lost and mine[1] - lost <= theirs[1]

        is_inside = lies_in(self.window[:2], other.window[:2]) and lies_in(self.window[2:], other.window[2:])
        return is_inside and self.window != other.window

    @property
    def pixel(self):
        """Height and width of a pixel in elements."""
        return pixel_sides(self.window, self.size)

    def box(self, shape):
        """The elements of which it shows more than UNSEEN, (row0, row1, col0, col1); None for none."""
        (row0, row1), (col0, col1) = (_seen(*ends, n) for ends, n in zip((self.window[:2], self.window[2:]), shape, strict=True))
        box = row0, row1, col0, col1
        return box if box[0] < box[1] and box[2] < box[3] else None


def pixel_sides(window, size):
    """Height and width, in elements, of each pixel of a window (row0, row1, col0, col1) on `size` (height, width) pixels."""
    row0, row1, col0, col1 = window
    return (row1 - row0) / size[0], (col1 - col0) / size[1]


def _lost(start, stop):
    """What may be missing of a span at either end, and is rounding."""
    return UNSEEN * min(1.0, stop - start)


def _seen(start, stop, n):
    """The elements (first, stop) of an axis of `n` that a span shows."""
    lost = _lost(start, stop)
    return max(0, math.floor(start + lost)), min(n, math.ceil(stop - lost))


def at_most(size, n_pixels):
    """A size (height, width), made smaller in proportion, of at most so many pixels, but one a side."""
    factor = math.sqrt(n_pixels / math.prod(size))
    return size if factor >= 1 else tuple(max(1, int(side * factor)) for side in size)


def _pixels(n):
    try:
        if isinstance(n, (bool, np.bool_)):
            raise TypeError
        n = operator.index(n)
    except TypeError:
        raise TypeError(f"size is a pair of integers, not of {type(n).__name__}") from None
    if not 1 <= n <= MAX_PAGE_SIDE:
        raise ValueError(f"a picture has 1 to {MAX_PAGE_SIDE} pixels a side")
    return n
