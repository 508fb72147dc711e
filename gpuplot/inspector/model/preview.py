"""The previous frame below the known part of the next one, while its chunks are read."""

from __future__ import annotations

import numpy as np

from ...color.stretched import lay_over, stretched
from .viewport import Viewport


class Preview:
    """Keeps the pixels of the last whole frame."""

    def __init__(self):
        self.clear()

    def clear(self):
        """Drops the pixels."""
        self._elements = self._viewport = self._pixels = None

    def note(self, view_state, drawn):
        """Keeps a frame that was drawn whole, a `Drawn`."""
        self._elements, self._viewport, self._pixels = view_state.elements, Viewport(drawn.window, drawn.size), drawn.pixels

    def pixels(self, view_state, viewport, *layers):
        """Pixels of all facets in a viewport, (n_tiles, h, w, 4) uint8.

        Each of `layers`, the upper ones last, has the known pixels of each facet, or None; where all are empty, the last frame of the
        same elements shows.
        """
        pixels = np.zeros((view_state.n_tiles, *viewport.size, 4), np.uint8)
        is_same = self._pixels is not None and self._elements == view_state.elements
        for k, parts in enumerate(zip(*layers, strict=True)):
            if is_same:
                pixels[k] = stretched(self._pixels[k], self._viewport.fit(), viewport.fit())
            for part in parts:
                if part is not None:
                    lay_over(pixels[k], part)
        return pixels
