"""A thread that passes copies of tensors to the inspector, keeping only the newest copy of each kind."""

import os
import threading


class Delivery:
    """A thread that runs jobs; a new job replaces one of its kind that still waits.

    The thread starts with the first job and keeps only waiting jobs alive. In a forked child, which lacks the thread, `put` does nothing.
    """

    def __init__(self):
        self._jobs, self._is_running, self._is_closed = {}, False, False
        self._changed = threading.Condition()
        self._thread, self._pid = None, os.getpid()

    def is_busy(self, kind):
        """Whether a job of this kind waits, or any job runs. Takes no lock, as training loops call it."""
        return self._is_running or kind in self._jobs

    def put(self, kind, job):
        """Queues a job for the thread."""
        if os.getpid() != self._pid:
            return
        with self._changed:
            if self._is_closed:
                return
            self._jobs[kind] = job
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="gpuplot watch", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def join(self, seconds):
        """Waits until no job waits or runs, for at most so many seconds."""
        if os.getpid() == self._pid and threading.current_thread() is not self._thread:
            with self._changed:
                self._changed.wait_for(lambda: not self._jobs and not self._is_running, seconds)

    def close(self):
        """Drops waiting jobs and ends the thread."""
        with self._changed:
            self._is_closed = True
            self._jobs.clear()
            self._changed.notify_all()

    def _next(self):
        with self._changed:
            self._is_running = False
            self._changed.notify_all()
            while not self._jobs and not self._is_closed:
                self._changed.wait()
            if self._is_closed:
                return None
            self._is_running = True
            return self._jobs.pop(next(iter(self._jobs)))

    def _run(self):
        while (job := self._next()) is not None:
            job()
            del job  # releases its copy before waiting for the next job
