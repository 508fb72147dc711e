"""A plane in chunks that is read in a background thread; `Answers` decides whether a call waits for the result."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..source_plane import SourcePlane
from .answers import Answers
from .chunked_plane import ChunkedPlane
from .first_counts import has_every_value
from .stored_preview import interruptible, stored_preview


@dataclass(frozen=True)
class AnsweredPlane(SourcePlane):
    """A `ChunkedPlane` whose methods raise `answers.Pending` if they must not wait for the result.

    Parameters
    ----------
    source, view, nan, known
        As in `ChunkedPlane`.
    answers : Answers
    """

    answers: Answers = field(kw_only=True)
    known: dict = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, plane, answers):
        """The plane of a `ChunkedPlane` whose calls go through `answers`."""
        return cls(plane.source, plane.view, plane.nan, known=plane.known, answers=answers)

    def _plane(self, watch=None):
        source = self.source if watch is None else self.source.watched_by(watch)
        return ChunkedPlane(source, self.view, self.nan, self.known)

    def _ask(self, method, *args):
        return self.answers.ask((method, self.nan, *args), lambda watch: getattr(self._plane(watch), method)(*args))

    def reduce(self, window, agg, want=0, has_nan=None, is_sharp=False):
        """See `ChunkedPlane.reduce`; a thread looks for a `StoredPreview` first."""
        args = window, agg, want, has_nan, is_sharp
        return self.answers.ask(("reduce", self.nan, *args), lambda watch: self._reduced(watch, *args))

    def _reduced(self, watch, window, agg, want, has_nan, is_sharp):
        if watch is not None:
            watch.preview = stored_preview(self, window, agg, is_sharp, lambda source: interruptible(source, watch))
        return self._plane(watch).reduce(window, agg, want, has_nan, is_sharp)

    def limits(self, want, box=None):
        """See `ChunkedPlane.limits`."""
        is_known = box is None and self.nan in self.known
        return self.known[self.nan] if is_known else self._ask("limits", want, box)

    def channel_ranges(self):
        """See `ChunkedPlane.channel_ranges`."""
        return self._ask("channel_ranges")

    def percentiles(self, percents, is_positive_only=False, box=None):
        """See `ChunkedPlane.percentiles`."""
        if box is None and "counts" in self.known and has_every_value(self.view.dtype):
            return self._plane().percentiles(percents, is_positive_only)
        return self._ask("percentiles", tuple(percents), is_positive_only, box)

    def numbers(self, box=None):
        """See `ChunkedPlane.numbers`."""
        return self._ask("numbers", box)

    def part_of_frame(self, window):
        """The cells of a window that are known so far, as a `Frame`; None where nothing is known or another window is being read."""
        question = self._question_about(window)
        if question is None:
            return None
        _, nan, _, agg, _, _, is_sharp = question.key
        return self.under(nan)._plane().part_of_frame(window, agg, is_sharp, list(question.tiles.values()))

    def preview(self, window):
        """The `StoredPreview` of a window that is being read; None where there is none."""
        question = self._question_about(window)
        return None if question is None else question.preview

    def _question_about(self, window):
        question = self.answers.question
        return None if question is None or question.key[0] != "reduce" or question.key[2] != window else question
