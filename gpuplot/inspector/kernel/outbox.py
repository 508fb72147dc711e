"""A queue of messages that threads send in order, one at a time, without the inspector's lock."""

import threading
from collections import deque

from ...utf8 import writable_content


class Outbox:
    """A queue of calls of `send`.

    Parameters
    ----------
    send : callable
        Sends one message; may wait for locks of the host, or fail.
    on_error : callable
        Gets the exception of a failed message, which is dropped.
    """

    def __init__(self, send, on_error):
        self._send, self._on_error = send, on_error
        self._waiting = deque()
        self._is_sending = threading.Lock()

    def put(self, *message):
        """Appends a message."""
        self._waiting.append(message)

    def __len__(self):
        return len(self._waiting)

    def drain(self):
        """Sends all messages; returns at once where another thread is sending, which then sends these as well."""
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
            except UnicodeEncodeError:  # a name or label with lone surrogates
                self._send(writable_content(message[0]), *message[1:])
        except Exception as error:
            self._on_error(error)
