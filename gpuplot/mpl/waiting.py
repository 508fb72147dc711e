"""Images of arrays in chunks in a live window: the previous picture is shown until the new one is read, tile by tile."""

from __future__ import annotations

import copy
import textwrap
import time
import weakref

import numpy as np
from matplotlib.backend_bases import TimerBase
from matplotlib.text import Text

from ..arrays.run_progress import LONG_SECONDS, progress_text
from ..color.colorize import colorize
from ..color.stretched import lay_over, stretched
from ..errors import reason_of
from ..notices import warn
from ..plane.answers import Failed, Pending
from .draw import NOTHING, placed
from .geometry import ImageGeometry

# How often it is looked whether more is known.
MILLISECONDS = 150

# Timers of images that are waited for, and when each began.
_timers = weakref.WeakKeyDictionary()


def is_waited_for(image):
    """Whether a draw of an image takes as long as its chunks do: in files always, else as its `wait` says.

    "auto" is a window whose event loop can draw again, which a canvas tells by its timers.
    """
    canvas = _canvas_of(image)
    if image._wait is True or canvas is None or image.plane is None or image.plane.answers is None or canvas.is_saving():
        return True
    return image._wait == "auto" and not _has_event_loop(canvas)


def _canvas_of(image):
    """The canvas of the figure, which parts of figures need not know; None of an image that is in no figure."""
    figure = None if image.axes is None else image.axes.figure
    while getattr(figure, "_parent", None) is not None:
        figure = figure._parent
    return None if figure is None else figure.canvas


def _has_event_loop(canvas):
    """Whether timers of a canvas ever fire: those of the base class do not."""
    return type(canvas.new_timer(interval=MILLISECONDS)) is not TimerBase


def make_image(image, make, magnification):
    """What `make()` gives where all is known; else what is known until now, with another draw to come. As `AxesImage.make_image`."""
    answers = image.plane.answers
    try:
        with answers.without_waiting():
            return make()
    except Pending:
        _follow(image)
        began, question = _timers[image][1], answers.question
        if question is not None and image._progress is not False and (image._progress or time.monotonic() - began >= LONG_SECONDS):
            image._said = progress_text(len(question.tiles), question.n_tiles, question.is_queued)
    except Failed as failed:
        image._said = str(failed.__cause__)
        if answers.is_news(failed.__cause__):
            warn(f"the picture is not complete: {reason_of(failed.__cause__)}")
    with answers.without_waiting(may_ask=False):
        return _preview(image, magnification)


def say(image, renderer):
    """Writes into the Axes of an image that is not complete how far it is, or why it never will be."""
    if not image._said:
        return
    text = Text(0.02, 0.02, textwrap.fill(image._said, 60), ha="left", va="bottom", transform=image.axes.transAxes, clip_on=True,
                fontsize="small", bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0})
    text.set_figure(image.get_figure())
    text.axes = image.axes
    text.draw(renderer)


# ---- when to draw again --------------------------------------------------------------------------------------------------


def _follow(image):
    """Lets the event loop of the window draw an image again whenever more of it is known."""
    if image in _timers:
        return
    timer = _canvas_of(image).new_timer(interval=MILLISECONDS)
    timer.add_callback(_look, weakref.ref(image), [image.plane.answers.stage])
    _timers[image] = timer, time.monotonic()
    timer.start()


def _look(reference, seen):
    """Called by a timer: draws again where more is known than was seen; False ends the timer."""
    image = reference()
    canvas = None if image is None else _canvas_of(image)
    answers = None if canvas is None or image.plane is None else image.plane.answers
    if answers is None:
        if image is not None:
            del _timers[image]
        return False
    stage = answers.stage
    if stage[0] is None:
        del _timers[image]
    if stage != seen[0] or stage[0] is None or image._progress is not False:
        seen[0], image.stale = stage, True
        canvas.draw_idle()
    return stage[0] is not None


# ---- what is shown meanwhile ---------------------------------------------------------------------------------------------


def _preview(image, magnification):
    """The cells that were drawn before, stretched to where they are now, below the cells that are known already."""
    geometry = ImageGeometry.of(image, image.plane.shape, magnification)
    if geometry.box is None or not geometry.is_separable:
        return NOTHING
    window = geometry.window
    rgba = np.zeros((*window.shape, 4), np.uint8)
    part = image.plane.reader.part_of_frame(window)
    norm = _provisional(image.norm, [*([] if part is None else [part]), *(frame for _, frame in image._cells.drawn)])
    for old_window, frame in image._cells.drawn:
        lay_over(rgba, stretched(_colors(image, frame, norm), old_window, window))
    if part is not None:
        lay_over(rgba, _colors(image, part, norm))
    alpha = image.get_alpha()
    if alpha is not None and np.ndim(alpha) == 0:
        rgba[..., 3] = (rgba[..., 3] * alpha).astype(np.uint8)
    return placed(geometry, rgba)


def _colors(image, frame, norm):
    """The colors of a frame by a norm; nothing where they need what is not known yet."""
    try:
        return colorize(image.plane.reader, frame, norm, image.cmap, image._marks, None, denorm=image._denorm,
                        largest=lambda: image._element_limits().max)[0]
    except (Pending, Failed):
        return np.zeros((*frame.cells.shape, 4), np.uint8)


def _provisional(norm, frames):
    """The norm, or one with the limits of what is known of a picture whose limits are still to come."""
    if norm.scaled():
        return norm
    norm = copy.deepcopy(norm)
    for frame in frames[:1]:
        norm.autoscale_None(np.ma.masked_invalid(frame.cells.numpy()))
    if not norm.scaled():
        norm.vmin, norm.vmax = 1.0, 10.0  # which every norm can have
    return norm
