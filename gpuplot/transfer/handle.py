"""Transfer: the handle of ``asnumpy(..., blocking=False)``, whose work a thread does."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, Self

from ..at_end import at_end, watch_end
from ..options import bare
from .progress import Stopped, TransferProgress

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

# Seconds that the end of the program waits for stopped transfers; each stops within a chunk.
EXIT_SECONDS = 10.0

_running = set()
_running_lock = threading.RLock()  # a signal handler or a finalizer may cancel a transfer while its thread starts another


@bare
class Transfer:
    """An array on its way to host memory, while the program goes on.

    A context manager, too: the end of a ``with`` waits for the array, or cancels it where an exception is on its way.
    The tensor has to stay as it is until the transfer is done. A program that ends earlier stops its transfers; a forked child
    has no part in those of its parent.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> transfer = gpuplot.asnumpy(np.eye(1000).T[::2], blocking=False)
    >>> transfer.result().shape
    (500, 1000)
    >>> transfer
    <Transfer of 4000000 bytes: done>
    """

    # What is transferred, for texts; and whether the end of the program waits for it.
    _what, _finishes_at_exit = "the array", False

    def __init__(self, work, n_bytes, progress=False):
        self._progress, self._is_final = TransferProgress(progress, n_bytes), False
        self._outcome = self._error = None
        self._is_over = threading.Event()
        self._pid = os.getpid()
        self._work = work
        self._thread = threading.Thread(target=self._run, name="gpuplot transfer", daemon=True)

    @classmethod
    def of_array(cls, array):
        """A transfer that is done."""
        transfer = cls(None, array.nbytes)
        transfer._outcome, transfer._thread = array, None
        transfer._is_over.set()
        return transfer

    def start(self):
        """Begins the work in a thread of its own; returns the transfer.

        In functions of `atexit` a file is written before it returns: no thread is waited for any more.
        """
        if self._finishes_at_exit and not threading.main_thread().is_alive():
            self._run()
            return self
        watch_end()
        with _running_lock:
            _running.add(self)
        try:
            self._thread.start()
        except BaseException:
            self._end()
            raise
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if kind is not None:
            self.cancel()
        self._wait(None)
        if kind is None:
            self.result()

    def __repr__(self):
        return f"<Transfer of {self._progress.n_bytes} bytes: {self._state()}>"

    def _state(self):
        if not self.done():
            return f"{100 * self._progress.n_done // max(self._progress.n_bytes, 1)} % done"
        if self._error is None:
            return "done"
        return "cancelled" if isinstance(self._error, CancelledError) else f"failed, {type(self._error).__name__}"

    def done(self) -> bool:
        """Whether it is over: the array is there, or an error, or it was cancelled."""
        return self._is_over.is_set()

    def result(self, timeout: float | None = None) -> NDArray[Any]:
        """Waits for the array.

        Parameters
        ----------
        timeout : float, optional
            The most seconds to wait. Default: as long as it takes.

        Returns
        -------
        ndarray

        Raises
        ------
        TimeoutError
            It isn't there yet. The transfer goes on.
        concurrent.futures.CancelledError
            It was cancelled.
        Exception
            What went wrong in the transfer.
        """
        if not self._wait(timeout):
            raise TimeoutError(f"{self._what} is not ready after {timeout} s: {self!r}")
        if self._error is not None:
            raise self._error
        return self._outcome

    def wait(self, timeout: float | None = None) -> None:
        """Waits as `result` does, and raises what it raises.

        Parameters
        ----------
        timeout : float, optional
            The most seconds to wait. Default: as long as it takes.
        """
        self.result(timeout)

    def cancel(self) -> bool:
        """Stops the transfer before its next chunk; an array given as ``out=`` stays as far as it was written.

        Returns
        -------
        bool
            False where it was over already, or a file is being written; after True there is no array, and a file is as it was.
        """
        with _running_lock:
            if self.done() or self._is_final or self._outcome is not None:
                return False
            self._progress.is_stopped = True
        return True

    def _forbid_cancel(self):
        """Makes `cancel` refuse from now on; raises `Stopped` if it was called before."""
        with _running_lock:
            if self._progress.is_stopped:
                raise Stopped
            self._is_final = True

    def _wait(self, timeout):
        if not self.done() and os.getpid() != self._pid:
            raise RuntimeError("this transfer was started before the fork and continues only in the parent process: start "
                               "another one here")
        return self._is_over.wait(timeout)

    def _run(self):
        try:
            with self._progress:
                outcome = self._work(self._progress)
            with _running_lock:
                if self._progress.is_stopped:  # in the last chunk
                    raise Stopped
                self._outcome = outcome
        except Stopped:
            self._error = CancelledError("the transfer was cancelled")
        except BaseException as error:
            self._error = error
        finally:
            self._end()

    def _end(self):
        """Releases the work, and with it the tensor, before waiting threads continue."""
        self._work = None
        with _running_lock:
            _running.discard(self)
        self._is_over.set()


@at_end
def _stop_all():
    """Stops all transfers; those to files may finish first. A thread that runs while the interpreter ends might crash it."""
    with _running_lock:
        running = [transfer for transfer in _running if transfer._pid == os.getpid()]
    for transfer in running:
        if not transfer._finishes_at_exit:
            transfer.cancel()
    until = time.monotonic() + EXIT_SECONDS
    for transfer in running:
        transfer._is_over.wait(max(0.0, until - time.monotonic()))
        transfer.cancel()


def _forget_parents():
    """Called in a forked child, which lacks the parent's threads."""
    global _running, _running_lock
    _running, _running_lock = set(), threading.RLock()


os.register_at_fork(after_in_child=_forget_parents)
