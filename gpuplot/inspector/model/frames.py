"""CellStore: the cells of the last viewport; Drawn: a frame."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from ...plane.cell_budget import keep_within_budget
from ...plane.chunks.answers import Pending
from ...plane.chunks.chunked_plane import ChunkedPlane
from ...plane.chunks.looks import awaited
from ...plane.chunks.stored_preview import stored_preview

# Most bytes of kept cells in host memory; cells on devices have the budget of `cell_budget`.
MAX_KEPT_BYTES = 128 * 2**20


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

    @property
    def frame(self):
        """The kept cells, or None."""
        return self._frame

    def drop_frame(self):
        """Drops the kept cells, which are reduced again when needed."""
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
        ahead = None if style is None else style(plane)
        keywords = {} if ahead is None else {"style": ahead}  # not all planes take it
        frame = plane.reduce(viewport.fit(), agg, want if is_wanted else 0, self._facts.has_nan(plane), is_sharp, **keywords)
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
