"""Delays Ctrl-C to the end of a block, so that no lock stays held."""

import signal
import threading
from contextlib import contextmanager


@contextmanager
def uninterrupted():
    """Delays an interrupt to the end of the block; a second one is raised at once.

    Does nothing on threads other than the main one, inside another such block, and if Ctrl-C calls no Python function.
    """
    delayed = _install()
    if delayed is None:
        yield
        return
    try:
        yield
    finally:
        delayed.end()


def _install():
    """Replaces the current handler by a `_DelayedInterrupt` and returns it; None if that is not needed."""
    handler = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if isinstance(handler, _DelayedInterrupt):
        handler = handler.usual if handler.is_over else None
    if not callable(handler):
        return None
    delayed = _DelayedInterrupt(handler)
    try:
        signal.signal(signal.SIGINT, delayed)
    except ValueError:  # not the main thread of the interpreter, where Python is embedded in a program
        return None
    return delayed


class _DelayedInterrupt:
    """A SIGINT handler that keeps the first interrupt for the `usual` handler, which it becomes when it is over."""

    def __init__(self, usual):
        self.usual, self.is_over, self._first = usual, False, None

    def __call__(self, *interrupt):
        if self.is_over or self._first is not None:
            self.usual(*interrupt)
        else:
            self._first = interrupt

    def end(self):
        """Puts the usual handler back, and calls it if an interrupt came."""
        try:
            if signal.getsignal(signal.SIGINT) is self:  # else a debugger, for example, has set another one, which stays
                signal.signal(signal.SIGINT, self.usual)
        finally:
            self.is_over = True
            if self._first is not None:
                self.usual(*self._first)
