"""Answers: a thread that reads what draws ask of an array in chunks, newest question first, and its results so far."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager

from ..arrays.run_progress import RunWatch

# Answers of a few draws: one asks for cells, limits, percentiles and elements.
MAX_KEPT = 8


class Pending(BaseException):
    """An answer that is not there yet; no error, which `except Exception` would take it for.

    Attributes
    ----------
    question : Question or None
        The one that is looked into.
    """

    def __init__(self, question=None):
        super().__init__()
        self.question = question


class Failed(Exception):
    """An answer that could not be found; the cause is chained."""


class _Superseded(Exception):
    """Another question is asked now."""


class Question(RunWatch):
    """One question to chunks, and the tiles of its present pass that are complete.

    Attributes
    ----------
    key : tuple
        The method of a `ChunkedPlane`, the policy about NaN, and the arguments.
    tiles : dict
        Place of a tile -> what was found in it.
    """

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
        """(answer, None), (None, what was raised), or None where it is asked no more."""
        try:
            return self._find(self), None
        except _Superseded:
            return None
        except BaseException as error:
            return None, error


class Answers:
    """Answers to questions about one plane, found by the thread that asks, or, `without_waiting`, by one of its own.

    One question is looked into at a time, and one waits: the newest. The one before it is given up, what it has begun ends.
    """

    def __init__(self):
        self._lock, self._kept = threading.RLock(), OrderedDict()
        self._running = self._next = None
        self._impatient, self._may_ask, self._told = None, True, None

    def ask(self, key, find):
        """The answer, which ``find(watch)`` gives; `watch` is None where it is waited for.

        Raises `Pending` where it is not waited for and not there yet, `Failed` where it has failed.
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
        """A context in which this thread waits for no answer; it begins no search where it may not ask."""
        before = self._impatient, self._may_ask
        self._impatient, self._may_ask = threading.get_ident(), may_ask
        try:
            yield
        finally:
            self._impatient, self._may_ask = before

    @property
    def question(self):
        """The `Question` that is looked into now, or None."""
        return self._running

    @property
    def stage(self):
        """Something that changes whenever more is known."""
        question = self._running
        return question, question and question.n_tiles, question and len(question.tiles)

    def is_news(self, error):
        """Whether an error was not asked about before."""
        is_news, self._told = error is not self._told, error
        return is_news

    def forget(self):
        """Gives up all questions and lets all answers go: the elements have changed, or nobody asks any more."""
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
