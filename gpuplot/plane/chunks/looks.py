"""Asynchronous computations on arrays in chunks: a thread makes the passes over chunks, and a `Look` is retried after each of them."""

from __future__ import annotations

import itertools
import threading
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import NamedTuple

import numpy as np

from .answers import Pending, Question

# How long an attempt waits for a pass that it has just requested, enough to read a few chunks.
NEW_PASS_SECONDS = 0.03

# Ranks of looks, first served first; a pass of a later rank is stopped for an earlier one, and restarted afterwards.
PICTURE, POINTER, PYTHON, PANEL = range(4)


class _ThreadState(threading.local):
    """The `Look` that this thread attempts, and whether it may request more passes."""

    look, may_ask = None, True


_thread = _ThreadState()


class Pass(Question):
    """One pass over chunks, which a `Reader` makes.

    Attributes
    ----------
    is_over : threading.Event
    answer : tuple
        (result, None) or (None, exception), once it is over.
    """

    def __init__(self, engines, make, tiles, work, join, on_tile):
        super().__init__((engines, tiles, work), lambda watch: make().run(tiles, work, join, watch))
        self.is_over, self.answer, self._on_tile = threading.Event(), None, on_tile

    def is_of(self, engines, tiles, work):
        """Whether it is the pass for this work on these chunks."""
        mine, my_tiles, my_work = self.key
        are_mine = len(engines) == len(mine) and all(a is b for a, b in zip(engines, mine, strict=True))
        return are_mine and tiles == my_tiles and is_same(work, my_work)

    def tile(self, k, found):
        """See `RunWatch.tile`."""
        super().tile(k, found)
        self._on_tile()


def is_same(a, b):
    """Whether two values are equal, comparing arrays and the contents of objects; functions by identity."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(is_same(value, b[key]) for key, value in a.items())
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(is_same, a, b))
    if is_dataclass(a):
        return all(is_same(getattr(a, field.name), getattr(b, field.name)) for field in fields(a))
    if hasattr(a, "__dict__") and not isinstance(a, (FunctionType, type)):
        return is_same(vars(a), vars(b))
    return bool(a == b or (a != a and b != b))


class Look:
    """A computation from results of passes over chunks: attempted, and retried when a pass that was missing is over.

    Passes that the last attempt did not request are dropped: their results are kept elsewhere, or another view is wanted.

    Parameters
    ----------
    reader : Reader or None
        None for a look that uses known results only.
    rank : int
        PICTURE, POINTER, PYTHON or PANEL.

    Examples
    --------
    ::

        while True:
            try:
                with look.attempt():
                    return plane.limits(want)
            except Pending:
                look.wait()
    """

    def __init__(self, reader=None, rank=PICTURE):
        self._reader, self.rank = reader, rank
        self._passes, self._asked, self._news = [], [], threading.Event()

    @contextmanager
    def attempt(self):
        """A context in which passes of this thread are those of the look; `Pending` is raised where one is not over."""
        self._news.clear()
        self._asked, is_pending = [], False
        try:
            with self._current(may_ask=self._reader is not None):
                yield
        except Pending:
            is_pending = True
            raise
        finally:
            self._keep(self._asked if is_pending else [])

    def peek(self):
        """A context for an attempt with known results: it neither begins nor drops passes."""
        return self._current(may_ask=False)

    @contextmanager
    def _current(self, may_ask):
        before = _thread.look, _thread.may_ask
        _thread.look, _thread.may_ask = self, may_ask
        try:
            yield
        finally:
            _thread.look, _thread.may_ask = before

    def result_of(self, engines, make, tiles, work, join):
        """Returns the result of a pass or raises its error; `make()` gives the engine that runs it."""
        chunk_pass, is_new = next((known for known in self._passes if known.is_of(engines, tiles, work)), None), False
        if chunk_pass is None:
            if not _thread.may_ask:
                raise Pending
            chunk_pass, is_new = Pass(engines, make, tiles, work, join, self._reader.note_tile), True
            self._passes.append(chunk_pass)
            self._reader.add(self, chunk_pass)
        self._asked.append(chunk_pass)
        if not chunk_pass.is_over.wait(NEW_PASS_SECONDS if is_new else 0):
            raise Pending(chunk_pass)
        found, error = chunk_pass.answer
        if error is not None:
            raise error
        return found

    def wait(self, seconds=None):
        """Waits for the end of a pass that the last attempt lacked, or of the reader; returns whether it came within `seconds`."""
        return self._news.wait(seconds)

    @property
    def has_news(self):
        """Whether a pass has ended since the last attempt began."""
        return self._news.is_set()

    def note(self):
        """Ends `wait`."""
        self._news.set()

    def close(self):
        """Drops all passes."""
        self._keep([])

    def _keep(self, passes):
        dropped = [chunk_pass for chunk_pass in self._passes if chunk_pass not in passes]
        self._passes = list(passes)
        if dropped and self._reader is not None:
            self._reader.drop(dropped)


# A look without a reader: it uses known results only.
KNOWN_ONLY = Look()


@contextmanager
def peeking():
    """A context in which the current look, if there is one, requests no more passes."""
    before, _thread.may_ask = _thread.may_ask, False
    try:
        yield
    finally:
        _thread.may_ask = before


class _Entry(NamedTuple):
    """A pass in the queue; the smallest entry comes first."""

    rank: int
    number: int
    look: Look
    chunk_pass: Pass


class Reader:
    """Makes the passes that looks request, in a thread, one after the other.

    Parameters
    ----------
    on_news : callable
        ``on_news(is_over)``, called by the thread: a tile of a pass is complete, or a pass is over.
    """

    def __init__(self, on_news):
        self._on_news, self._lock, self._numbers = on_news, threading.Lock(), itertools.count()
        self._entries, self._running, self._is_closed = [], None, False

    def add(self, look, chunk_pass):
        """Queues a pass for a look; a running pass of a later rank is stopped for it and restarted afterwards."""
        with self._lock:
            if self._is_closed:
                chunk_pass.answer = None, RuntimeError("the reader of these chunks is closed, as its inspector was closed")
                chunk_pass.is_over.set()
                return
            self._entries.append(_Entry(look.rank, next(self._numbers), look, chunk_pass))
            if self._running is None:
                self._running = self._entries[-1]
                threading.Thread(target=self._make_all, name="gpuplot-looks", daemon=True).start()
            elif self._running.rank > look.rank:
                self._running.chunk_pass.is_superseded = True

    def drop(self, passes):
        """Drops passes that are no longer wanted; chunks that one has begun are finished."""
        with self._lock:
            self._entries = [entry for entry in self._entries if entry.chunk_pass not in passes]
            if self._running is not None and self._running.chunk_pass in passes:
                self._running.chunk_pass.is_superseded = True

    def close(self):
        """Drops all passes for good; looks that wait are attempted again."""
        with self._lock:
            entries, self._entries, self._is_closed = self._entries, [], True
            if self._running is not None:
                self._running.chunk_pass.is_superseded = True
        for entry in entries:
            entry.look.note()

    def note_tile(self):
        """Called by passes."""
        self._on_news(False)

    def _make_all(self):
        while (entry := self._next()) is not None:
            outcome = entry.chunk_pass.outcome()
            with self._lock:
                is_wanted = outcome is not None and entry in self._entries
                if is_wanted:
                    self._entries.remove(entry)
                    entry.chunk_pass.answer = outcome
                    entry.chunk_pass.is_over.set()
            if is_wanted:
                entry.look.note()
                self._on_news(True)

    def _next(self):
        """The next entry of the queue; None ends the thread."""
        with self._lock:
            self._running = min(self._entries, key=lambda entry: entry[:2], default=None)
            if self._running is not None:
                self._running.chunk_pass.is_superseded = False
            return self._running


class AwaitedChunks:
    """The engine of a `ChunkedSource` whose passes are made for the current look; without one it makes them itself.

    Parameters
    ----------
    *engines
        The engine of an array, or those of several arrays whose chunks are read together.
    """

    def __init__(self, *engines):
        self._engines, self.chunks = engines, engines[0].chunks

    def of_client(self, client):
        """The same chunks, read by the workers of a client."""
        return AwaitedChunks(*(engine.of_client(client) for engine in self._engines))

    def beside(self, others):
        """See `DaskChunks.beside`."""
        return AwaitedChunks(*self._engines, *(engine for other in others for engine in other._engines))

    def joined_as(self, chunks):
        """See `DaskChunks.joined_as`."""
        joins = [getattr(engine, "joined_as", None) for engine in self._engines]
        joined = [join and join(chunks) for join in joins]
        return None if None in joined else AwaitedChunks(*joined)

    def run(self, tiles, work, join, watch):
        """See `ChunkedSource.run`."""
        if _thread.look is None:
            return self._engine().run(tiles, work, join, watch)
        return _thread.look.result_of(self._engines, self._engine, tiles, work, join)

    def _engine(self):
        first, *others = self._engines
        return first.beside(others) if others else first


def awaited(source):
    """The source with passes made for looks, if it is a `ChunkedSource` with `tells_tiles`; other sources unchanged."""
    return source.by(AwaitedChunks) if getattr(source, "tells_tiles", False) else source
