"""Answers: a thread that computes what draws need from an array in chunks, newest request first, and caches results."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager

from ...arrays.run_progress import RunWatch

# Maximum number of cached answers, enough for a few draws: a draw needs cells, limits, percentiles and elements.
MAX_KEPT = 8


class Pending(BaseException):
    """Raised while an answer is not available yet; a BaseException, so that `except Exception` does not catch it.

    Attributes
    ----------
    question : Question or None
        The one that is being computed.
    """

    def __init__(self, question=None):
        super().__init__()
        self.question = question


class Failed(Exception):
    """The computation of an answer failed; the cause is chained."""


class _Superseded(Exception):
    """Ends the pass of a question that a newer one has replaced."""


class Question(RunWatch):
    """One request to chunks, and the complete tiles of its current pass.

    Attributes
    ----------
    key : tuple
        The method of a `ChunkedPlane`, the NaN policy, and the arguments.
    tiles : dict
        Number of a tile -> its result.
    preview : StoredPreview or None
        What is shown until there are tiles.
    """

    preview = None

    def __init__(self, key, find):
        self.key, self._find = key, find
        self.tiles, self.n_tiles, self.is_queued, self.is_superseded = {}, 0, False, False

    def begin(self, n_tiles, is_queued=False):
        """See `RunWatch.begin`."""
        self.tiles, self.n_tiles, self.is_queued = {}, n_tiles, is_queued

    def tick(self):
        """See `RunWatch.tick`."""
        if self.is_superseded:
            raise _Superseded

    def tile(self, k, found):
        """See `RunWatch.tile`."""
        self.tick()
        self.tiles[k] = found

    def outcome(self):
        """(answer, None), (None, exception), or None if the question was superseded."""
        try:
            return self._find(self), None
        except _Superseded:
            return None
        except BaseException as error:
            return None, error


class Answers:
    """Answers to questions about one plane, computed in the calling thread or, `without_waiting`, in a background thread.

    One question is computed at a time while the newest one waits. An older question is given up after the chunks that it has begun.
    """

    def __init__(self):
        self._lock, self._kept = threading.RLock(), OrderedDict()
        self._running = self._next = None
        self._impatient, self._may_ask, self._last_error = None, True, None

    def ask(self, key, find):
        """The answer, computed by ``find(watch)``; `watch` is None where the caller waits.

        Raises `Pending` where the caller does not wait and there is no answer yet, `Failed` where the computation failed.
        """
        with self._lock:
            is_waited_for, kept = self._impatient != threading.get_ident(), self._kept.get(key)
            if kept is None and not is_waited_for:
                self._want(key, find)
                raise Pending
        if is_waited_for:
            return kept[0] if kept is not None and kept[1] is None else find(None)
        if kept[1] is not None:
            raise Failed from kept[1]
        return kept[0]

    @contextmanager
    def without_waiting(self, may_ask=True):
        """A context in which this thread does not wait for answers; with `may_ask` False it starts no computation either."""
        before = self._impatient, self._may_ask
        self._impatient, self._may_ask = threading.get_ident(), may_ask
        try:
            yield
        finally:
            self._impatient, self._may_ask = before

    @property
    def question(self):
        """The `Question` that is being computed, or None."""
        return self._running

    @property
    def stage(self):
        """(the `question`, how far it has come): a value that changes whenever more results are known."""
        question = self._running
        return question, question and (question.n_tiles, len(question.tiles), question.preview is not None)

    def is_new_error(self, error):
        """Whether an error is reported for the first time."""
        is_new_error, self._last_error = error is not self._last_error, error
        return is_new_error

    def forget(self):
        """Drops all questions and answers: the elements have changed, or the plane is no longer used."""
        with self._lock:
            self._kept.clear()
            self._next = None
            if self._running is not None:
                self._running.is_superseded = True

    def _want(self, key, find):
        running = self._running
        if not self._may_ask:
            return
        if running is None:
            self._start(Question(key, find))
        elif running.key == key and not running.is_superseded:
            self._next = None
        else:
            running.is_superseded, self._next = True, Question(key, find)

    def _start(self, question):
        self._running = question
        threading.Thread(target=self._look_into, args=(question,), name="gpuplot-chunks", daemon=True).start()

    def _look_into(self, question):
        outcome = question.outcome()
        with self._lock:
            if outcome is not None and not question.is_superseded:
                self._kept[question.key] = outcome
                while len(self._kept) > MAX_KEPT:
                    self._kept.popitem(last=False)
            self._running, waiting, self._next = None, self._next, None
            if waiting is not None:
                self._start(waiting)
