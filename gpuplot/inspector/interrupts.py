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
    usual = _handler()
    if usual is None:
        yield
        return
    noted = _Noted(usual)
    signal.signal(signal.SIGINT, noted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        noted.catch_up()


def _handler():
    """What handles an interrupt that may come now, or None."""
    if threading.current_thread() is not threading.main_thread():
        return None
    handler = signal.getsignal(signal.SIGINT)
    return handler if callable(handler) and not isinstance(handler, _Noted) else None


class _Noted:
    """A handler that remembers the first interrupt for the usual one."""

    def __init__(self, usual):
        self._usual, self._first = usual, None

    def __call__(self, *interrupt):
        if self._first is not None:
            self._usual(*interrupt)
        self._first = interrupt

    def catch_up(self):
        if self._first is not None:
            self._usual(*self._first)
