"""Viewport: window and size of a page; CellStore: the cells of the last one; Drawn: a frame."""

from __future__ import annotations

import math
import operator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from ...plane.cell_budget import keep_within_budget
from ...plane.chunks.answers import Pending
from ...plane.chunks.chunked_plane import ChunkedPlane
from ...plane.chunks.looks import awaited
from ...plane.chunks.stored_preview import stored_preview
from ...plane.window import Span, Window
from .settings import check_window

# Pixels of a side, of one facet of a page, and of all facets of a frame: more than any screen, less than would stall the kernel.
# The size that a page asks for is checked before the number of facets is known.
MAX_PAGE_SIDE = 8192
MAX_FACET_PIXELS = 2**24
MAX_FRAME_PIXELS = 2**25

# Most bytes of kept cells in host memory; cells on devices have the budget of `cell_budget`.
MAX_KEPT_BYTES = 128 * 2**20


# A part of an element, or of a window within one, that counts as rounding of the window: a page makes no pixel as small.
UNSEEN = 1e-3


@dataclass(frozen=True)
class Drawn:
    """A frame."""

    version: int  # of the scene
    window: tuple[float, float, float, float]  # row0, row1, col0, col1
    size: tuple[int, int]  # rows and columns of pixels of one facet
    pixels: np.ndarray | None = None  # (n_facets, h, w, 4) uint8 or None: straight alpha
    # line: (5, w) float64 or None: for each column lowest and highest finite element, mean, mark (0 none, 1 NaN, 2 +Inf, 3 -Inf)
    # and number of elements; NaN in columns without elements.
    line: np.ndarray | None = None
    limits: tuple[float, float] = (0.0, 1.0)  # of the colors, or of a line's axis
    # marked: tuple of (ndarray (h, w) bool or None): pixels of marks in each facet; None where all elements are finite.
    marked: tuple = ()


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
        """Whether its window lies in that of another Viewport, and is smaller."""
        starts = all(mine >= theirs for mine, theirs in zip(self.window[::2], other.window[::2], strict=True))
        ends = all(mine <= theirs for mine, theirs in zip(self.window[1::2], other.window[1::2], strict=True))
        return starts and ends and self.window != other.window

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


def _seen(start, stop, n):
    """The elements (first, stop) of an axis of `n` that a span shows."""
    lost = UNSEEN * min(1.0, stop - start)
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


class _Frames:
    """The frames of all facets, whose device memory `cell_budget` counts."""

    def __init__(self, frames):
        self.frames = frames

    @property
    def device_bytes(self):
        """Bytes of their cells on devices."""
        return sum(frame.device_bytes for frame in self.frames)


class CellStore:
    """Keeps the cells of the last viewport, so that a change of colors needs no reduction.

    Cells on devices may be dropped at any time, as all images and inspectors together keep at most 64 MB.

    Parameters
    ----------
    facts : FactCache
        Gets the limits that reductions find.
    """

    def __init__(self, facts):
        self._facts = facts
        self._frame = self._frame_key = None

    def clear(self):
        self._frame = self._frame_key = None

    @contextmanager
    def preserved(self):
        """Restores the kept cells at the end of the block."""
        before = self._frame, self._frame_key
        try:
            yield
        finally:
            self._frame, self._frame_key = before
            keep_within_budget(self)

    def frames(self, planes, agg, viewport, want=0, is_sharp=False, style=None):
        """The Frame of each plane. Limits with the bits of `want` are found in the same pass where the viewport covers the planes.

        ``style(plane)``, if given, is the result of `style_ahead`.
        """
        key = self._key(planes, agg, viewport, is_sharp)
        frames, found_key = self._frame, self._frame_key  # drawing of another image may drop them at any time
        if frames is None or found_key != key:
            frames = _Frames([self._reduce(plane, agg, viewport, want, is_sharp, style) for plane in planes])
            is_small = 8 * len(planes) * math.prod(viewport.size) <= MAX_KEPT_BYTES
            self._frame, self._frame_key = (frames, key) if is_small else (None, None)
        keep_within_budget(self)
        return frames.frames

    @staticmethod
    def _key(planes, agg, viewport, is_sharp):
        return viewport, tuple(plane.key for plane in planes), agg, is_sharp

    def _reduce(self, plane, agg, viewport, want, is_sharp, style=None):
        frame, is_wanted = self._reduced(plane, agg, viewport, want, is_sharp, style)
        if is_wanted:
            self._facts.note(plane, frame.limits)
        return frame

    def _reduced(self, plane, agg, viewport, want, is_sharp, style=None):
        """(Frame, whether its limits are facts that were not known)."""
        is_wanted = want and viewport.covers(plane.shape) and not self._facts.knows(plane, want)
        ahead = style and style(plane)
        frame = plane.reduce(viewport.fit(), agg, want if is_wanted else 0, self._facts.has_nan(plane), is_sharp,
                             **({"style": ahead} if ahead else {}))
        return frame, is_wanted

    def known_frames(self, planes, agg, viewport, want=0, is_sharp=False):
        """The known part of each plane's Frame while chunks are read: all, some tiles, or None; parameters as in `frames`."""
        frames, key = self._frame, self._key(planes, agg, viewport, is_sharp)
        if frames is not None and self._frame_key == key:
            return frames.frames
        return [self._known(plane, agg, viewport, want, is_sharp) for plane in planes]

    def _known(self, plane, agg, viewport, want, is_sharp):
        is_chunked = isinstance(plane, ChunkedPlane)
        # All chunks may have been read by now. Nothing is noted: with more known, the next attempt would ask for another pass.
        plane = replace(plane, known=dict(plane.known)) if is_chunked else plane
        try:
            return self._reduced(plane, agg, viewport, want, is_sharp)[0]
        except Pending as pending:
            tiles = [] if pending.question is None else list(pending.question.tiles.values())
            return plane.part_of_frame(viewport.fit(), agg, is_sharp, tiles) if is_chunked else None

    def previews(self, planes, agg, viewport, is_sharp=False):
        """The `StoredPreview` of each plane, or None; parameters as in `frames`. None for all where the frames are kept."""
        if self._frame is not None and self._frame_key == self._key(planes, agg, viewport, is_sharp):
            return [None] * len(planes)
        return [stored_preview(plane, viewport.fit(), agg, is_sharp, awaited) for plane in planes]

    @property
    def leaves_out_nan(self):
        """Whether nan="auto" left NaN out of the kept cells."""
        return self._frame is not None and any(frame.leaves_out_nan for frame in self._frame.frames)

    def sample(self, most=4096):
        """Up to `most` evenly chosen values of the kept cells, for norms that rank values; None without kept cells."""
        frames = self._frame
        if frames is None:
            return None
        values = np.concatenate([frame.cells.numpy().ravel() for frame in frames.frames])
        return values[:: max(1, values.size // most)]
