"""The threads and event loops on which an inspector's messages are handled and sent."""

import asyncio
import contextvars
import functools
import threading

# Prefix of the names of ipykernel's threads that handle messages beside a running cell.
SUBSHELL = "subshell"


class Host:
    """The kernel around one comm.

    Lab 4.4 and newer send a comm's messages to a thread (a subshell) beside the running cell, if the kernel has subshells.
    ipykernel 7.4 routes them to the thread that sent last on the comm: after one message from a cell's thread, all later ones
    wait behind that cell. So that routing is switched off, and after the first message on a subshell's thread, all are sent there.

    A comm runs IPython's hooks of a cell around each message, at which matplotlib's inline backend shows and closes all
    figures: on a subshell's thread those of the running cell. There the hooks are not run.

    Attributes
    ----------
    is_text : bool
        Buffers are known to travel as text.
    """

    def __init__(self):
        self.is_text = False
        self._loop = self._context = self._thread = None
        self._is_subshell = False

    def attach(self, comm):
        """Prepares a comm."""
        self.is_text = (type(comm).__module__ or "").partition(".")[0] == "marimo"
        if hasattr(comm, "_reply_subshell_for"):
            comm._reply_subshell_for = lambda data, default: default
        if hasattr(comm, "_msg_callback"):
            comm.handle_msg = functools.partial(_handle, comm, comm.handle_msg)

    def note_handler(self):
        """Stores the event loop of the present thread, unless a subshell's is known."""
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
        """Whether messages are handled on a subshell's thread, and not on this one."""
        return self._is_subshell and self._thread is not threading.current_thread()

    def send(self, function):
        """Calls a function on the subshell's thread where there is one, else on this one."""
        if self.answers_beside_cells and self._thread.is_alive():
            try:
                self._loop.call_soon_threadsafe(function, context=self._context.copy())
                return
            except RuntimeError:  # its loop is closed
                self._is_subshell = False
        function()

    def call_later(self, seconds, function):
        """Calls a function after some time, on the thread of messages, or a new one where no loop is known; returns its cancel."""
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
    """Handles a message of a comm, with IPython's hooks (`as_a_cell`) but on a subshell's thread."""
    if not _is_subshell(threading.current_thread()):
        as_a_cell(message)
    elif comm._msg_callback:
        comm._msg_callback(message)
