"""TileTitle: a text in the corner of a picture of a grid, cut where the picture ends."""

import numpy as np
from matplotlib import patheffects
from matplotlib.font_manager import FontProperties
from matplotlib.text import Annotation

from ..utf8 import writable

# Points between the corner and the text, and about the distance of two lines, in sizes of the font.
MARGIN, LINE = 2, 1.2
# The smallest scale of a text, and a step towards it: letters of whole pixels make a smaller text wider than the scale says.
MIN_SCALE, SMALLER = 0.7, 0.95
# The sizes of texts in small and in large pictures; between them a text has this part of the shorter side.
SIZES, PART = ("x-small", "medium"), 1 / 16


class TileTitle(Annotation):
    """A text on an outline that is legible on any color; it is hidden with the corner.

    Parameters
    ----------
    text : str
        Of one or more lines.
    corner : (float, float)
        x and y in the units of the Axes.
    right : float
        x of the end of the picture's place.
    bottoms : (float, float)
        y of the end of the picture, and of its place: the text of a picture that it would hide stands below it, if there is room.
    shorter : str, default: ""
        A text of as many lines that is shown where `text` has no room, "" for none.
    """

    def __init__(self, text, corner, right, bottoms, shorter=""):
        outline = patheffects.withStroke(linewidth=2, foreground="black")
        super().__init__(writable(text), corner, parse_math=False, xytext=(MARGIN, -MARGIN), textcoords="offset points", ha="left",
                         va="top", color="white", fontsize=SIZES[0], path_effects=[outline], annotation_clip=True)
        self._right, self._bottoms, self._shorter = right, bottoms, writable(shorter)
        self.set_in_layout(False)

    def draw(self, renderer):
        """Draws the text smaller where it has no room, then the shorter text, and without its middle where that is not enough."""
        whole, before, corner = self._text, self.get_fontsize(), self.xy
        begin, end = self.axes.transData.transform([self.xy, (self._right, self._bottoms[1])])
        width, height = abs(end - begin)
        room = width - 2 * renderer.points_to_pixels(MARGIN)
        size = self._size_in(min(width, height) / renderer.points_to_pixels(1))
        try:
            self._fontproperties.set_size(size)
            self.xy = self._place(renderer, size)
            self._fit(room, size, renderer)
            super().draw(renderer)
        finally:
            self._text, self.xy = whole, corner
            self._fontproperties.set_size(before)

    def _size_in(self, side):
        """The size of the text in a picture whose shorter side has so many points."""
        least, most = (FontProperties(size=size).get_size_in_points() for size in SIZES)
        own = self.get_fontsize()
        return float(np.clip(PART * side, least, most)) if own == least else own

    def _fit(self, room, size, renderer):
        """Makes the text one that has room."""
        for text in filter(None, (self._text, self._shorter)):
            self._text = text
            self._shrink(text, room, size, renderer)
            if self._width(text, renderer) <= room:
                return
        self._text = "\n".join(self._cut(line, room, renderer) for line in self._text.split("\n"))

    def _shrink(self, text, room, size, renderer):
        """Makes the letters as small as the text has room, down to `MIN_SCALE` of their size."""
        scale = min(1.0, room / max(self._width(text, renderer), 1))
        while True:
            self._fontproperties.set_size(size * max(scale, MIN_SCALE))
            if scale <= MIN_SCALE or self._width(text, renderer) <= room:
                return
            scale *= SMALLER

    def _place(self, renderer, size):
        """The corner of the picture below which the text stands: the lower one of pictures that are not twice as high as the text."""
        top, bottom, end = self.axes.transData.transform([(self.xy[0], y) for y in (self.xy[1], *self._bottoms)])[:, 1]
        height = renderer.points_to_pixels(size * (1 + LINE * self._text.count("\n")) + 2 * MARGIN)
        is_below = abs(bottom - top) < 2 * height <= abs(end - bottom) + height
        return (self.xy[0], self._bottoms[0]) if is_below else self.xy

    def _cut(self, text, room, renderer):
        """A line, or its beginning and end, which often tells it from others; "" where nothing has room."""
        for n in range(min(len(text), max(0, int(room))), 0, -1):  # no letter is narrower than a pixel
            shown = text if n == len(text) else f"{text[:n - n // 2].rstrip()}\u2026{text[len(text) - n // 2:].lstrip()}"
            if self._width(shown, renderer) <= room:
                return shown
        return ""

    def _width(self, text, renderer):
        """The width of the widest line."""
        return max(renderer.get_text_width_height_descent(line, self._fontproperties, ismath=False)[0] for line in text.split("\n"))
