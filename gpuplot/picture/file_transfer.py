"""FileTransfer: the handle of ``imsave(..., blocking=False)``; it limits the unwritten files and keeps those of one name in order."""

from __future__ import annotations

import os
import threading
from concurrent.futures import CancelledError

from ..notices import warn
from ..options import bare
from ..transfer.handle import Transfer

# Unwritten files hold at most so many bytes of pixels and copies of tensors together, and are at most so many; `imsave` waits for room.
# A single file may be larger.
MAX_BYTES, MAX_FILES = 2**28, 16


class _Room:
    """The number of unwritten files and the bytes that they hold."""

    def __init__(self):
        self._n_files = self._n_bytes = 0
        self._changed = threading.Condition()

    def take(self, n_bytes):
        """Waits until there is room."""
        with self._changed:
            self._changed.wait_for(lambda: self._n_files == 0 or (self._n_files < MAX_FILES and self._n_bytes + n_bytes <= MAX_BYTES))
            self._n_files, self._n_bytes = self._n_files + 1, self._n_bytes + n_bytes

    def give(self, n_bytes):
        """Releases the room of a file."""
        with self._changed:
            self._n_files, self._n_bytes = self._n_files - 1, self._n_bytes - n_bytes
            self._changed.notify_all()


_room = _Room()
_newest = {}  # path -> event of the last file begun there, set when it is over
_newest_lock = threading.Lock()


@bare
class FileTransfer(Transfer):
    """A picture on its way to a file, while the program goes on; what `Transfer` is for arrays.

    The file is written whole or not at all. Files of one name are written in the order of their calls. An error is raised by ``wait()``
    and ``result()``; one that nobody asked for is a warning. The end of the program waits ten seconds for files and gives up
    those that take longer, which are then absent, or as they were.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> file = gpuplot.imsave("eye.png", np.eye(100), blocking=False)
    >>> file.result(), file
    ('eye.png', <FileTransfer to 'eye.png': done>)
    """

    _what, _finishes_at_exit = "the file", True

    def __init__(self, name, render, write, n_bytes):
        self.name, self._is_asked, self._size = name, False, n_bytes
        _room.take(n_bytes)
        try:
            super().__init__(self._render_and_write, n_bytes)
            self._render, self._write = render, write
            self._before = self._take_turn()
        except BaseException:
            _room.give(n_bytes)
            raise

    def _take_turn(self):
        """Registers this file and returns the event of the one before it of the same name; None without one."""
        if not isinstance(self.name, (str, bytes, os.PathLike)):
            return None
        self._path = os.path.realpath(os.fsencode(self.name))
        with _newest_lock:
            before, _newest[self._path] = _newest.get(self._path), self._is_over
        return before

    def _render_and_write(self, progress):
        progress.note(0, 1)
        rgba = self._render()
        if self._before is not None:
            self._before.wait()
        self._forbid_cancel()
        self._write(rgba)
        return self.name

    def result(self, timeout: float | None = None) -> object:
        """Waits for the file; the name or file object that it was asked for.

        Parameters
        ----------
        timeout : float, optional
            The most seconds to wait. Default: as long as it takes.

        Raises
        ------
        TimeoutError
            It isn't there yet. It goes on.
        concurrent.futures.CancelledError
            It was cancelled.
        Exception
            What went wrong; the file is then as it was.
        """
        self._is_asked = self._is_asked or self.done()
        try:
            return super().result(timeout)
        finally:
            self._is_asked = self._is_asked or self.done()

    def _end(self):
        self._render = self._write = None
        path = self.__dict__.get("_path")
        with _newest_lock:
            if path is not None and _newest.get(path) is self._is_over:
                del _newest[path]
        _room.give(self._size)
        super()._end()

    def __repr__(self):
        return f"<FileTransfer to {self.name!r}: {self._state()}>"

    def _state(self):
        return super()._state() if self.done() else "under way"

    def __del__(self):
        error = self.__dict__.get("_error")
        if error is not None and not self._is_asked and not isinstance(error, CancelledError):
            warn(f"the picture {self.name!r} was not written: {error}")


def _forget_parents():
    """Called in a forked child, which does not write its parent's files."""
    global _room, _newest_lock
    _room, _newest_lock = _Room(), threading.Lock()
    _newest.clear()


os.register_at_fork(after_in_child=_forget_parents)
