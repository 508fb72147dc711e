"""A thread that passes copies of tensors to the inspector, keeping only the newest copy of each kind."""

import os
import threading


class Delivery:
    """Jobs that one thread does, each in place of an older one of its kind that still waits.

    The thread starts with the first job. It keeps the jobs that wait, and nothing beside them. A forked child has none: there, jobs
    are not taken.
    """

    def __init__(self):
        self._jobs, self._is_running, self._is_closed = {}, False, False
        self._changed = threading.Condition()
        self._thread, self._pid = None, os.getpid()

    def is_busy(self, kind):
        """Whether a job of this kind waits, or any is under way; asked without the lock, by loops."""
        return self._is_running or kind in self._jobs

    def put(self, kind, job):
        """Does a job soon, on the thread."""
        if os.getpid() != self._pid:
            return
        with self._changed:
            if self._is_closed:
                return
            self._jobs[kind] = job
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="gpuplot watch", daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self):
        """Drops what waits, and ends the thread."""
        with self._changed:
            self._is_closed = True
            self._jobs.clear()
            self._changed.notify()

    def _next(self):
        with self._changed:
            self._is_running = False
            while not self._jobs and not self._is_closed:
                self._changed.wait()
            if self._is_closed:
                return None
            self._is_running = True
            return self._jobs.pop(next(iter(self._jobs)))

    def _run(self):
        while (job := self._next()) is not None:
            job()
            del job  # lets the copy go before another one is waited for
