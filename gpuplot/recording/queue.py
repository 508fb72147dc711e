"""A thread that runs queued jobs in order, with limits on their number and memory."""

import math
import threading
import time
from collections import deque

# Most jobs in all: those without a place of their own hold a few kilobytes each.
MAX_ALL_JOBS = 2**16


class WorkQueue:
    """A thread and its queue of jobs.

    Parameters
    ----------
    max_jobs : int
        Most jobs with a place of their own that wait or run.
    max_bytes : int
        Most memory that these hold together.
    """

    def __init__(self, max_jobs, max_bytes):
        self._max_jobs, self._max_bytes = max_jobs, max_bytes
        self._jobs, self._n_running, self._n_places, self._n_bytes, self._is_closed = deque(), 0, 0, 0, False
        self._changed = threading.Condition()
        self.error = None
        self._thread = threading.Thread(target=self._run, name="gpuplot recorder", daemon=True)
        self._thread.start()

    def take_room(self, n_bytes, wait, *, has_place=False):
        """Reserves room for a job that holds `n_bytes`, until it is done; False if the queue is full. `wait` waits for room.

        A job that has a place, such as that of another job, or needs none takes none of the `max_jobs`.
        """
        with self._changed:
            while self._is_full(n_bytes, has_place) and wait and self._thread.is_alive():
                self._changed.wait(1.0)
            if self._is_full(n_bytes, has_place):
                return False
            self._n_running += 1
            self._n_places += not has_place
            self._n_bytes += n_bytes
        return True

    def _is_full(self, n_bytes, has_place):
        # One job may hold more than the limit, and a job that holds nothing need not wait for it.
        is_over = min(self._n_bytes, n_bytes) > 0 and self._n_bytes + n_bytes > self._max_bytes
        return is_over or self._n_running >= MAX_ALL_JOBS or (self._n_places >= self._max_jobs and not has_place)

    def put(self, job, n_bytes, *, has_place=False):
        """Adds a job for which room is reserved."""
        with self._changed:
            self._jobs.append((job, n_bytes, has_place))
            self._changed.notify_all()

    def give_room(self, n_bytes, *, has_place=False):
        """Releases the room of a job."""
        with self._changed:
            self._n_running -= 1
            self._n_places -= not has_place
            self._n_bytes -= n_bytes
            self._changed.notify_all()

    def join(self, seconds=math.inf):
        """Waits until all jobs are done, for at most so many seconds."""
        end = time.monotonic() + seconds
        with self._changed:
            while self._n_running > 0 and self._thread.is_alive() and (left := end - time.monotonic()) > 0:
                self._changed.wait(min(left, 1.0))

    def close(self, seconds=math.inf):
        """Ends the thread when all jobs are done, or after so many seconds; returns the number of jobs that were dropped."""
        self.join(seconds)
        with self._changed:
            n_left = self._n_running
            self._jobs.clear()
            self._is_closed = True
            self._changed.notify_all()
        if not n_left:
            self._thread.join()
        return n_left

    def _next(self):
        with self._changed:
            while not self._jobs and not self._is_closed:
                self._changed.wait()
            return self._jobs.popleft() if self._jobs else (None, 0, False)

    def _run(self):
        while True:
            job, n_bytes, has_place = self._next()
            if job is None:
                return
            try:
                job()
            except BaseException as error:  # the recorder's next call raises it
                self.error = self.error or error
            job = None  # releases its tensor before waiting for the next job
            self.give_room(n_bytes, has_place=has_place)
