"""The part of `Scene` that draws frames: a window of the plane -> pixels or a line."""

import numpy as np

from ...dtype_classes import is_bool_or_integer
from ...notices import clipping_text
from ...plane.aggs import ADDING_UP, OF_SEVERAL
from ...plane.chunks.answers import Pending
from ...plane.chunks.looks import peeking
from .frames import Drawn
from .line import line_columns
from .pixels import facet_pixels, facet_style
from .viewport import Viewport
from .wide_marks import are_finite, marked_cells

# Notices beside a frame.
LEFT_OUT = "NaN is left out: it would mark most of the picture, as NaN: show does"
NONE_POSITIVE = "a log scale shows nothing here, as no number is above 0: choose another scale"


class Drawing:
    """Methods of `Scene` that draw frames.

    Attributes
    ----------
    preview_text : str
        What the stored preview in the last result of `draw_known` is; "" for none.
    """

    preview_text = ""

    def draw(self, window, size, keeps_limits=False):
        """Draws a window of the plane: one reduction for each facet, none where only colors have changed.

        `version` grows if limits change, as those of "sum", "std" and "count" do with the size of cells, or if elements can no
        longer be read; the frame is then empty.

        Parameters
        ----------
        window : sequence of 4 floats
            row0, row1, col0, col1 in elements; may reach beyond the plane.
        size : (int, int)
            Rows and columns of pixels of one facet; those of the frame are fewer where facets exceed MAX_FRAME_PIXELS.
        keeps_limits : bool, default: False
            Whether automatic limits that were found for another view stay: during a movement, and if only elements change.

        Returns
        -------
        Drawn
        """
        self._check_open()
        viewport = Viewport.read(window, size, self._view_state.n_tiles)
        drawn, frame_notice = {}, ""
        if self._view_state.kind != "text":
            self._viewport, self._keeps_limits = viewport, keeps_limits
            drawn, frame_notice = self._read(lambda: self._draw_anew(viewport, keeps_limits), (drawn, frame_notice))
            self._note("_frame_notice", frame_notice)
        whole = Drawn(self.version, viewport.window, viewport.size, **drawn or self._nothing(viewport))
        if self.is_slow and whole.pixels is not None:
            self._preview.note(self._view_state, whole)
        return whole

    def _draw_anew(self, viewport, keeps_limits):
        """`_drawn`, after which no error is left in the state; the version grows where limits are not those that it had."""
        before = self._coloring.cached(self._view_state)
        drawn, frame_notice = self._drawn(viewport, keeps_limits)
        self._note("_error_text", "")
        if self._is_guessed or (before is not None and (before.vmin, before.vmax) != drawn["limits"]):
            self.version += 1
        self._is_guessed = False
        return drawn, frame_notice

    def request_preview(self, window, size):
        """Requests the cells of a stored level of a pyramid, which `draw_known` shows until those of `draw` are read.

        Raises Pending while they are being read; does nothing where there is no such level, or the frame is known.
        """
        self._check_open()
        self._previews(Viewport.read(window, size, self._view_state.n_tiles))

    def _previews(self, viewport):
        """The `StoredPreview` of each plane, or None; none of classes, whose numbers a level may have mixed."""
        view_state = self._view_state
        if view_state.kind == "image" and getattr(view_state.source, "pyramid", None) is not None:
            agg, is_sharp, is_categorical = self._agg_so_far()
            if not is_categorical:
                return self._store.previews(view_state.planes, agg, viewport, is_sharp)
        return [None] * len(view_state.planes)

    def _agg_so_far(self):
        """(aggregation, whether it is sharp, whether elements are classes); as of numbers, and None, while the last is being read."""
        view_state, coloring = self._view_state, self._coloring
        with peeking():
            try:
                return coloring.agg(view_state), coloring.is_sharp(view_state), coloring.is_categorical(view_state)
            except Pending:
                return view_state.settings.agg or "mean", view_state.settings.agg is None, None

    def draw_known(self, window, size, keeps_limits=False):
        """The known part of a frame whose chunks are being read, over a stored preview and the last frame: a `Drawn` or None.

        Parameters are as in `draw`. `preview_text` then says whether there is a preview.
        """
        self._check_open()
        view_state, viewport = self._view_state, Viewport.read(window, size, self._view_state.n_tiles)
        self.preview_text = ""
        try:
            agg, is_sharp, is_categorical = self._agg_so_far()
            previews, frames = self._known_previews(viewport), [None] * len(view_state.planes)
            if is_categorical is not None:
                frames = self._store.known_frames(view_state.planes, agg, viewport, self._coloring.wanted(view_state), is_sharp)
            layers = [[preview and preview.frame for preview in previews], frames]
            known = [frame for layer in layers for frame in layer if frame is not None]
            if view_state.kind != "image" or not known:
                return None
            colors = self._coloring.known(view_state, viewport, keeps_limits, known, agg)
            parts = [self._parts(layer, viewport, agg, colors) for layer in layers]
        except Pending:
            return None
        self.preview_text = next((preview.text for preview in previews if preview is not None), "")
        pixels = self._preview.pixels(view_state, viewport, *parts)
        return Drawn(self.version, viewport.window, viewport.size, pixels, limits=(colors.vmin, colors.vmax))

    def _known_previews(self, viewport):
        try:
            return self._previews(viewport)
        except Pending:
            return [None] * len(self._view_state.planes)

    def _parts(self, frames, viewport, agg, colors):
        """The pixels of a frame of each facet, None where there is none."""
        return [frame and facet_pixels(plane, frame, viewport.fit(), agg, colors, self._coloring)[0]
                for plane, frame in zip(self._view_state.planes, frames, strict=True)]

    def note_progress(self, text):
        """Sets a text, how far the chunks of the next frame are read, which is shown until that is drawn."""
        self._note("_frame_notice", text)

    def draw_aside(self, window, size):
        """Draws a frame for a file, without an effect on pages; raises if elements cannot be read."""
        self._check_open()
        viewport = Viewport.read(window, size, len(self._view_state.planes))
        with self._coloring.preserved():
            return Drawn(self.version, viewport.window, viewport.size, **self._drawn(viewport, keeps_limits=True)[0])

    def _drawn(self, viewport, keeps_limits):
        """(fields of `Drawn`, the notice of `_notice`)."""
        if self._view_state.kind == "line":
            drawn, notice = {"line": self._line(viewport)}, ""
        else:
            drawn, notice = self._pixels(viewport, keeps_limits)
        colors = self._coloring.cached(self._view_state)
        return drawn | {"limits": (colors.vmin, colors.vmax)}, notice

    def _pixels(self, viewport, keeps_limits):
        view_state, coloring = self._view_state, self._coloring
        agg, expected = coloring.agg(view_state), coloring.expected(view_state, viewport, keeps_limits)
        frames = self._store.frames(view_state.planes, agg, viewport, coloring.wanted(view_state), coloring.is_sharp(view_state),
                                    expected and (lambda plane: facet_style(plane, viewport.fit(), agg, expected, coloring)))
        colors = coloring.colors(view_state, viewport, keeps_limits)
        pixels = np.empty((view_state.n_tiles, *viewport.size, 4), np.uint8)
        pixels[len(frames):] = 0
        channel_range = None
        for k, (plane, frame) in enumerate(zip(view_state.planes, frames, strict=True)):
            pixels[k], channel_range = facet_pixels(plane, frame, viewport.fit(), agg, colors, coloring)
        marked = tuple(self._marks(plane, frame) for plane, frame in zip(view_state.planes, frames, strict=True))
        return {"pixels": pixels, "marked": marked}, self._notice(channel_range, frames, colors, agg, viewport)

    def _notice(self, channel_range, frames, colors, agg, viewport):
        """The most important notice about a frame, "" for none; `channel_range` is that of `facet_pixels`."""
        view_state = self._view_state
        clipped = None if channel_range is None else clipping_text(channel_range, view_state.source.dtype, self._options["denorm"])
        if clipped:
            return clipped
        if any(frame.leaves_out_nan for frame in frames):
            return LEFT_OUT
        if colors.is_beyond:
            return _beyond_text(view_state.settings)
        if self._coloring.shows_none(view_state, viewport, colors):
            return NONE_POSITIVE
        if agg in OF_SEVERAL and max(viewport.pixel) <= 1:
            return f"the {agg} of single elements is {int(agg in ADDING_UP)}: zoom out, or choose another aggregation"
        return ""

    def _marks(self, plane, frame):
        """Which pixels of a frame are marks; None if all elements, or all cells, are known to be finite."""
        has_integers = plane.view.is_rgb and is_bool_or_integer(self._view_state.source.dtype)
        if has_integers or self._facts.is_finite(plane) or are_finite(frame):
            return None
        return marked_cells(frame, leaves_out_nan=frame.leaves_out_nan or self._view_state.settings.nan == "skip")

    def _line(self, viewport):
        key = (viewport, self._view_state.elements)
        if self._line_cache is None or self._line_cache[0] != key:
            self._line_cache = (key, line_columns(self._view_state.planes[0], viewport))
        self._coloring.colors(self._view_state, viewport)
        return self._line_cache[1].copy()

    def _nothing(self, viewport):
        """An empty frame."""
        if self._view_state.kind == "line":
            return {"line": np.full((5, viewport.size[1]), np.nan)}
        return {"pixels": np.zeros((self._view_state.n_tiles, *viewport.size, 4), np.uint8)}


def _beyond_text(settings):
    """The notice of a picture in one color, as the one limit that was given lies beyond all elements."""
    if settings.vmin is not None:
        return f"vmin ({settings.vmin:g}) is above all elements: give a smaller one, or none"
    return f"vmax ({settings.vmax:g}) is below all elements: give a larger one, or none"
