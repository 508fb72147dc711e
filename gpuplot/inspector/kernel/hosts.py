"""Where an inspector's messages are handled and sent: threads, event loops, and what kernels do with them."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading

__all__ = ["Host"]

# ipykernel names the threads so on which it handles messages beside a running cell.
SUBSHELL = "subshell"


class Host:
    """The kernel around one comm, as far as it is known.

    Lab 4.4 and newer send a comm's messages to a thread of their own (a subshell), beside the running cell, if the kernel
    has such threads. ipykernel 7.4 leads them to whichever thread sent last on the comm: one message from a cell's thread
    and every later one, the wheel's included, waits behind that cell. So that is switched off where it is there, and once
    a message has come in on a subshell's thread everything is sent from there.

    A comm tells IPython before and after each message as if a cell were run, and matplotlib's inline backend then shows and
    closes all figures: on a subshell's thread those that the running cell has just begun. There IPython is not told.

    Attributes
    ----------
    is_text : bool
        Buffers are known to become text on the way, which queues up where frames come fast.
    """

    def __init__(self):
        self.is_text = False
        self._loop = self._context = self._thread = None
        self._is_subshell = False

    def attach(self, comm):
        """The comm, of the package `comm`, over which everything goes."""
        self.is_text = (type(comm).__module__ or "").partition(".")[0] == "marimo"
        if hasattr(comm, "_reply_subshell_for"):
            comm._reply_subshell_for = lambda data, default: default
        if hasattr(comm, "_msg_callback"):
            comm.handle_msg = functools.partial(_handle, comm, comm.handle_msg)

    def note_handler(self):
        """Remembers the loop of the thread that handles a message now; a subshell's is kept for good."""
        thread = threading.current_thread()
        is_subshell = _is_subshell(thread)
        if self._is_subshell and not is_subshell:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._loop, self._context, self._thread = loop, contextvars.copy_context(), thread
        self._is_subshell = is_subshell

    @property
    def answers_beside_cells(self):
        """Whether messages are handled on a thread other than this one."""
        return self._is_subshell and self._thread is not threading.current_thread()

    def send(self, function):
        """Calls a function that sends: on the subshell's thread where there is one, else right here."""
        if self.answers_beside_cells and self._thread.is_alive():
            try:
                self._loop.call_soon_threadsafe(function, context=self._context.copy())
                return
            except RuntimeError:  # its loop was closed since
                self._is_subshell = False
        function()

    def call_later(self, seconds, function):
        """Calls a function after a time, where messages are handled; on a thread of its own where no loop is known.

        Returns
        -------
        callable
            Forgets it, unless it was called.
        """
        if self._loop is not None and self._thread.is_alive():
            try:
                return self._later_on_loop(seconds, function)
            except RuntimeError:
                self._loop = None
        timer = threading.Timer(seconds, function)
        timer.daemon = True
        timer.start()
        return timer.cancel

    def _later_on_loop(self, seconds, function):
        loop, is_wanted = self._loop, [True]

        def call():
            if is_wanted:
                function()

        context = self._context.copy()
        loop.call_soon_threadsafe(lambda: loop.call_later(seconds, call, context=context), context=context)
        return is_wanted.clear


def _is_subshell(thread):
    return thread.name.startswith(SUBSHELL)


def _handle(comm, as_a_cell, message):
    """What a comm does with a message: `as_a_cell` tells IPython, too."""
    if not _is_subshell(threading.current_thread()):
        as_a_cell(message)
    elif comm._msg_callback:
        comm._msg_callback(message)
