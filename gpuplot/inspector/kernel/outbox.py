"""Messages on their way out: in order, by one thread at a time, never while the inspector's state is locked."""

from __future__ import annotations

import threading
from collections import deque

from ...utf8 import writable_content

__all__ = ["Outbox"]


class Outbox:
    """What several threads want to send, sent in the order in which they wanted it.

    Parameters
    ----------
    send : callable
        Sends one message, which may take a while, wait for locks of the host, or fail.
    on_error : callable
        Gets the exception of a message that could not be sent; it is dropped.
    """

    def __init__(self, send, on_error):
        self._send, self._on_error = send, on_error
        self._waiting = deque()
        self._is_sending = threading.Lock()

    def put(self, *message):
        """Adds a message at the end; nothing is sent yet."""
        self._waiting.append(message)

    def __len__(self):
        return len(self._waiting)

    def drain(self):
        """Sends what waits. While another thread does so already it takes these, too, and this returns at once."""
        while self._waiting and self._is_sending.acquire(blocking=False):
            try:
                while self._waiting:
                    self._send_one(self._waiting.popleft())
            finally:
                self._is_sending.release()

    def _send_one(self, message):
        try:
            try:
                self._send(*message)
            except UnicodeEncodeError:  # a name or a label that is no text at all
                self._send(writable_content(message[0]), *message[1:])
        except Exception as error:
            self._on_error(error)
