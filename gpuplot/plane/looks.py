"""Looks at arrays in chunks that nobody waits for: a thread makes their passes over chunks, and each look is attempted again then."""

from __future__ import annotations

import itertools
import threading
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import NamedTuple

import numpy as np

from .answers import Pending, Question

# Seconds that an attempt waits for a pass that it is the first to ask for: few chunks are read by then.
GRACE = 0.03

# Which looks go first; a pass of a later one is given up for theirs, and made again after it.
PICTURE, POINTER, PYTHON, PANEL = range(4)


class _Here(threading.local):
    """The `Look` that is attempted in a thread, and whether it may ask for more passes."""

    look, may_ask = None, True


_here = _Here()


class Pass(Question):
    """One pass over chunks, which a `Reader` makes.

    Attributes
    ----------
    is_over : threading.Event
    answer : tuple
        (result, None) or (None, what was raised), once it is over.
    """

    def __init__(self, engines, make, tiles, work, join, on_tile):
        super().__init__((engines, tiles, work), lambda watch: make().run(tiles, work, join, watch))
        self.is_over, self.answer, self._on_tile = threading.Event(), None, on_tile

    def is_of(self, engines, tiles, work):
        """Whether it finds this work in these chunks."""
        mine, my_tiles, my_work = self.key
        are_mine = len(engines) == len(mine) and all(a is b for a, b in zip(engines, mine, strict=True))
        return are_mine and tiles == my_tiles and is_same(work, my_work)

    def tile(self, k, found):
        """See `RunWatch.tile`."""
        super().tile(k, found)
        self._on_tile()


def is_same(a, b):
    """Whether two values are equal, arrays and what other objects hold among them; a function is only itself."""
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
    """Something that is made of what passes over chunks find: attempted, and again whenever a pass that it lacked is over.

    Passes that an attempt does not ask for any more are dropped: their results are kept elsewhere, or another view is wanted.

    Parameters
    ----------
    reader : Reader or None
        None for a look that has to do with what is known.
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
            with self._here(may_ask=self._reader is not None):
                yield
        except Pending:
            is_pending = True
            raise
        finally:
            self._keep(self._asked if is_pending else [])

    def peek(self):
        """A context for one more look at what is known: passes that are not over are neither begun nor dropped."""
        return self._here(may_ask=False)

    @contextmanager
    def _here(self, may_ask):
        before = _here.look, _here.may_ask
        _here.look, _here.may_ask = self, may_ask
        try:
            yield
        finally:
            _here.look, _here.may_ask = before

    def result_of(self, engines, make, tiles, work, join):
        """What a pass has found, or what it raised; `make()` is the engine that makes it."""
        one, is_new = next((one for one in self._passes if one.is_of(engines, tiles, work)), None), False
        if one is None:
            if not _here.may_ask:
                raise Pending
            one, is_new = Pass(engines, make, tiles, work, join, self._reader.note_tile), True
            self._passes.append(one)
            self._reader.add(self, one)
        self._asked.append(one)
        if not one.is_over.wait(GRACE if is_new else 0):
            raise Pending(one)
        found, error = one.answer
        if error is not None:
            raise error
        return found

    def wait(self, seconds=None):
        """Waits for the end of a pass that the last attempt lacked, or of the reader; whether it came in so many seconds."""
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
        dropped = [one for one in self._passes if one not in passes]
        self._passes = list(passes)
        if dropped and self._reader is not None:
            self._reader.drop(dropped)


# Has to do with what is known already.
NOBODY = Look()


@contextmanager
def peeking():
    """A context in which the look that is under way, if there is one, asks for no more passes."""
    before, _here.may_ask = _here.may_ask, False
    try:
        yield
    finally:
        _here.may_ask = before


class _Entry(NamedTuple):
    """A pass that is to be made; the least comes first."""

    rank: int
    number: int
    look: Look
    one: Pass


class Reader:
    """Makes the passes that looks ask for in a thread, one after the other.

    Parameters
    ----------
    on_news : callable
        ``on_news(is_over)``, called by the thread: a tile of a pass is complete, or a pass is over.
    """

    def __init__(self, on_news):
        self._on_news, self._lock, self._numbers = on_news, threading.Lock(), itertools.count()
        self._entries, self._running, self._is_closed = [], None, False

    def add(self, look, one):
        """Has a pass made for a look; one of a later rank is given up for it, and begins anew afterwards."""
        with self._lock:
            if self._is_closed:
                one.answer = None, RuntimeError("nobody looks at the array any more")
                one.is_over.set()
                return
            self._entries.append(_Entry(look.rank, next(self._numbers), look, one))
            if self._running is None:
                self._running = self._entries[-1]
                threading.Thread(target=self._make_all, name="gpuplot-looks", daemon=True).start()
            elif self._running.rank > look.rank:
                self._running.one.is_superseded = True

    def drop(self, passes):
        """Lets go of passes that nobody wants any more; what one has begun ends."""
        with self._lock:
            self._entries = [entry for entry in self._entries if entry.one not in passes]
            if self._running is not None and self._running.one in passes:
                self._running.one.is_superseded = True

    def close(self):
        """Drops all passes for good; looks that wait are attempted again."""
        with self._lock:
            entries, self._entries, self._is_closed = self._entries, [], True
            if self._running is not None:
                self._running.one.is_superseded = True
        for entry in entries:
            entry.look.note()

    def note_tile(self):
        """Called by passes."""
        self._on_news(False)

    def _make_all(self):
        while (entry := self._next()) is not None:
            outcome = entry.one.outcome()
            with self._lock:
                is_wanted = outcome is not None and entry in self._entries
                if is_wanted:
                    self._entries.remove(entry)
                    entry.one.answer = outcome
                    entry.one.is_over.set()
            if is_wanted:
                entry.look.note()
                self._on_news(True)

    def _next(self):
        """The entry whose turn it is; None ends the thread."""
        with self._lock:
            self._running = min(self._entries, key=lambda entry: entry[:2], default=None)
            if self._running is not None:
                self._running.one.is_superseded = False
            return self._running


class AwaitedChunks:
    """The engine of a `ChunkedSource` whose passes are those of the look that is under way; without one it makes them itself.

    Parameters
    ----------
    *engines
        That of an array, or those of several, whose chunks are looked at together.
    """

    def __init__(self, *engines):
        self._engines, self.chunks = engines, engines[0].chunks

    def of_client(self, client):
        """The same chunks, read by the workers of a client."""
        return AwaitedChunks(*(engine.of_client(client) for engine in self._engines))

    def beside(self, others):
        """See `DaskChunks.beside`."""
        return AwaitedChunks(*self._engines, *(engine for other in others for engine in other._engines))

    def run(self, tiles, work, join, watch):
        """See `ChunkedSource.run`."""
        if _here.look is None:
            return self._engine().run(tiles, work, join, watch)
        return _here.look.result_of(self._engines, self._engine, tiles, work, join)

    def _engine(self):
        first, *others = self._engines
        return first.beside(others) if others else first


def awaited(source):
    """A source whose passes over chunks are those of looks; others than a `ChunkedSource` that tells of its tiles as they are."""
    return source.by(AwaitedChunks) if getattr(source, "tells_tiles", False) else source
