"""Ctrl-C waits until what was begun is whole: raised between any two steps, it would leave locks taken that nobody gives back."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager

__all__ = ["uninterrupted"]


@contextmanager
def uninterrupted():
    """Puts off an interrupt until the end of the block; a second one comes through at once.

    Python handles signals on its main thread alone. On other threads, inside another such block and where Ctrl-C calls no
    function of Python, nothing is done.
    """
    noted = _take_over()
    if noted is None:
        yield
        return
    try:
        yield
    finally:
        noted.end()


def _take_over():
    """Notes interrupts from now on; None where that is not ours to do."""
    usual = _handler()
    if usual is None:
        return None
    noted = _Noted(usual)
    try:
        signal.signal(signal.SIGINT, noted)
    except ValueError:  # what `threading` takes for the main thread is another one where Python is a part of a program
        return None
    return noted


def _handler():
    """What handles an interrupt that may come now, or None."""
    if threading.current_thread() is not threading.main_thread():
        return None
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(handler, _Noted):
        return handler.usual if handler.is_over else None
    return handler if callable(handler) else None


class _Noted:
    """A handler that remembers the first interrupt for the usual one.

    Whoever finds it inside of a block may put it back after that: it then does what the usual one does.
    """

    def __init__(self, usual):
        self.usual, self.is_over, self._first = usual, False, None

    def __call__(self, *interrupt):
        if self.is_over or self._first is not None:
            self.usual(*interrupt)
        else:
            self._first = interrupt

    def end(self):
        """Gives the place back, and the interrupt that came."""
        try:
            if signal.getsignal(signal.SIGINT) is self:  # else somebody, such as a debugger, has set another since, which stays
                signal.signal(signal.SIGINT, self.usual)
        finally:
            self.is_over = True
            if self._first is not None:
                self.usual(*self._first)
