"""The cells of a window from a stored level of a pyramid, which are shown as a preview until chunks of level 0 are read."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...arrays.describe import describe
from ...arrays.lazy_arrays import in_chunks
from ...arrays.run_progress import RunWatch
from ..aggs import OTHER_UNITS
from ..frame import Frame
from ..tensor_plane import plane_of
from .level_view import PlaneOnLevel

# Least number of elements of level 0 for each one of a level that is read: a larger level costs nearly as much as level 0.
MIN_REDUCTION = 4

# Reductions of hidden axes whose results grow with the number of elements, of which a level may have fewer.
GROWING = ("sum", "norm")

# Rounding errors of windows may make a cell this much narrower than an element of the level.
ROUNDING = 1e-3


class StoredPreview(NamedTuple):
    """Cells of a window, and a text that says what they are: ``"preview, level 3 of 5"``."""

    frame: Frame
    text: str


def stored_preview(plane, window, agg, is_sharp=False, wrap=lambda source: source):
    """The `StoredPreview` of a window of a plane of level 0; None where there is none, or it cannot be read.

    Sums, counts and spreads have none: a level has fewer elements, or means in which these do not differ.

    Parameters
    ----------
    plane : SourcePlane
    window : Window
    agg, is_sharp
        As in `ChunkedPlane.reduce`.
    wrap : callable, optional
        ``wrap(source)`` is the source of the level that is read, such as one with a `RunWatch`.
    """
    chosen = None if agg in OTHER_UNITS else _sharp_enough(plane, window)
    if chosen is None:
        return None
    source, place = chosen
    source = source.run_by(getattr(plane.source, "client", None), progress=False)
    try:
        frame = plane_of(wrap(source), place.view, plane.nan).reduce(place.window(window), agg, is_sharp=is_sharp)
    except Exception:  # the picture itself does without it
        return None
    return StoredPreview(frame, f"preview, level {place.level.number} of {place.level.n_levels}")


def _sharp_enough(plane, window):
    """(source, `PlaneOnLevel`) of the coarsest level with an element or more for each cell of a window; None for none."""
    pyramid = plane.source.pyramid
    if pyramid is None or 0 in plane.shape:
        return None
    for k in reversed(range(1, pyramid.n_levels)):
        try:
            place = PlaneOnLevel.of(plane.view, pyramid.level(k), pyramid.array(k).shape)
            if math.prod(place.ratios) >= MIN_REDUCTION and _is_sharp_enough(place.ratios, window) and _has_same_sums(place):
                return pyramid.source(k, _describe), place
        except Exception:  # a level that is not there, or is not an array
            continue
    return None


def _is_sharp_enough(ratios, window):
    steps = (abs(span.u1 - span.u0) / span.n_cells for span in (window.rows, window.cols))
    return all(ratio <= step * (1 + ROUNDING) for ratio, step in zip(ratios, steps, strict=True) if ratio > 1)


def _has_same_sums(place):
    """Whether no axis over which sums or norms are taken has fewer elements in the level than in level 0."""
    view = place.full_view
    return all(use.size == of_level.size for use, of_level in zip(view.uses, place.view.uses, strict=True)
               if use.role == "hidden" and view.stage_ops[use.stage] in GROWING)


def _describe(array):
    """The source of a level: of a store in chunks, so that a window does not read all of it."""
    return in_chunks(array) or describe(array)


class Interruptible(RunWatch):
    """The watch of a pass over a level, which stops when its window is no longer wanted."""

    def __init__(self, question):
        self._question = question

    def tick(self):
        """See `RunWatch.tick`."""
        self._question.tick()


def interruptible(source, question):
    """The source of a level whose passes end with a question."""
    return source.watched_by(Interruptible(question)) if hasattr(source, "watched_by") else source
