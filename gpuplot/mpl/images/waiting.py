"""Images of arrays in chunks in a window: draws show the previous picture, and the chunks read so far, until all are read."""

from __future__ import annotations

import copy
import textwrap
import time
import weakref

import numpy as np
from matplotlib.backend_bases import TimerBase
from matplotlib.text import Text

from ...arrays.run_progress import LONG_SECONDS, progress_text
from ...color.colorize import colorize
from ...color.stretched import lay_over, stretched
from ...errors import reason_of
from ...notices import warn
from ...plane.chunks.answers import Failed, Pending
from ..figures import root_figure
from .draw import NOTHING, placed
from .geometry import ImageGeometry

# Interval of the timer that looks whether more chunks are read.
MILLISECONDS = 150

# Image -> (timer, when it began), for images whose chunks are being read.
_timers = weakref.WeakKeyDictionary()


def is_waited_for(image):
    """Whether a draw waits for all chunks: always when a file is saved, else by the image's `wait`.

    With "auto" it waits unless the canvas has an event loop, which can draw again later.
    """
    canvas = _canvas_of(image)
    if image._wait is True or canvas is None or image.plane is None or image.plane.answers is None or canvas.is_saving():
        return True
    return image._wait == "auto" and not _has_event_loop(canvas)


def _canvas_of(image):
    """The canvas of the outermost figure (subfigures may have none); None for an image that is in no figure."""
    figure = None if image.axes is None else root_figure(image.axes)
    return None if figure is None else figure.canvas


def _has_event_loop(canvas):
    """Whether timers of a canvas ever fire; matplotlib's base class of timers does nothing."""
    return type(canvas.new_timer(interval=MILLISECONDS)) is not TimerBase


def make_image(image, make, magnification):
    """The result of `make()` if its chunks are read; else a preview, and a timer that draws again. Returns as `AxesImage.make_image`."""
    answers = image.plane.answers
    try:
        with answers.without_waiting():
            return make()
    except Pending:
        _follow(image)
        began, question = _timers[image][1], answers.question
        if question is not None and image._progress is not False and (image._progress or time.monotonic() - began >= LONG_SECONDS):
            image._incomplete_text = progress_text(len(question.tiles), question.n_tiles, question.is_queued)
    except Failed as failed:
        image._incomplete_text = str(failed.__cause__)
        if answers.is_new_error(failed.__cause__):
            warn(f"the picture is not complete: {reason_of(failed.__cause__)}")
    with answers.without_waiting(may_ask=False):
        return _preview(image, magnification)


def draw_incomplete_text(image, renderer):
    """Writes the progress, or the error, of an incomplete image into its Axes."""
    if not image._incomplete_text:
        return
    text = Text(0.02, 0.02, textwrap.fill(image._incomplete_text, 60), ha="left", va="bottom", transform=image.axes.transAxes, clip_on=True,
                fontsize="small", bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0})
    text.set_figure(image.get_figure())
    text.axes = image.axes
    text.draw(renderer)


# ---- when to draw again --------------------------------------------------------------------------------------------------


def _follow(image):
    """Starts a timer that draws the image again whenever more of it is read."""
    if image in _timers:
        return
    timer = _canvas_of(image).new_timer(interval=MILLISECONDS)
    timer.add_callback(_look, weakref.ref(image), [image.plane.answers.stage])
    _timers[image] = timer, time.monotonic()
    timer.start()


def _look(reference, seen):
    """Called by the timer: draws again if more is read than at the last call; returns False to end the timer.

    `seen` is a list of one item, the `Answers.stage` of the last call.
    """
    image = reference()
    canvas = None if image is None else _canvas_of(image)
    answers = None if canvas is None or image.plane is None else image.plane.answers
    if answers is None:
        if image is not None:
            del _timers[image]
        return False
    stage = answers.stage
    question, _ = stage
    is_over = question is None
    if is_over:
        del _timers[image]
    if stage != seen[0] or is_over or image._progress is not False:
        seen[0], image.stale = stage, True
        canvas.draw_idle()
    return not is_over


# ---- what is shown meanwhile ---------------------------------------------------------------------------------------------


def _preview(image, magnification):
    """The cells of the last draws, stretched to the present view; over them a stored preview, and the cells that are known already."""
    geometry = ImageGeometry.of(image, image.plane.shape, magnification)
    if geometry.box is None or not geometry.is_separable:
        return NOTHING
    window = geometry.window
    rgba = np.zeros((*window.shape, 4), np.uint8)
    preview, part = image.plane.reader.preview(window), image.plane.reader.part_of_frame(window)
    news = [frame for frame in (preview and preview.frame, part) if frame is not None]
    norm = _provisional(image.norm, [*news, *(frame for _, frame in image._cells.drawn)])
    for old_window, frame in image._cells.drawn:
        lay_over(rgba, stretched(_colors(image, frame, norm), old_window, window))
    for frame in news:
        lay_over(rgba, _colors(image, frame, norm))
    if preview is not None:
        image._incomplete_text = "; ".join(filter(None, (preview.text, image._incomplete_text)))
    alpha = image.get_alpha()
    if alpha is not None and np.ndim(alpha) == 0:
        rgba[..., 3] = (rgba[..., 3] * alpha).astype(np.uint8)
    return placed(rgba, geometry.box, magnification)


def _colors(image, frame, norm):
    """RGBA of a frame; transparent if coloring needs something that is not read yet."""
    try:
        return colorize(image.plane.reader, frame, norm, image.cmap, image._marks, None, denorm=image._denorm,
                        largest=lambda: image._element_limits().max)[0]
    except (Pending, Failed):
        return np.zeros((*frame.cells.shape, 4), np.uint8)


def _provisional(norm, frames):
    """The norm; if its limits are not known yet, a copy with the limits of the first of these frames."""
    if norm.scaled():
        return norm
    norm = copy.deepcopy(norm)
    for frame in frames[:1]:
        norm.autoscale_None(np.ma.masked_invalid(frame.cells.numpy()))
    if not norm.scaled():
        norm.vmin, norm.vmax = 1.0, 10.0  # valid for every norm
    return norm
