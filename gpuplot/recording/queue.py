"""A thread that runs queued jobs in order, with limits on their number and memory."""

import math
import threading
import time
from collections import deque
from typing import NamedTuple

# Most jobs in all: those without a place of their own hold a few kilobytes each.
MAX_ALL_JOBS = 2**16


class Room(NamedTuple):
    """What a job takes of the limits of a `WorkQueue` until it is done."""

    n_bytes: int = 0  # memory that it holds
    n_places: int = 1  # 1; or 0 for a job that shares the place of another one, or that needs none


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

    def take_room(self, room, wait):
        """Reserves a `Room` for a job, after waiting for it if `wait`; False if the queue is full."""
        with self._changed:
            while self._is_full_for(room) and wait and self._thread.is_alive():
                self._changed.wait(1.0)
            if self._is_full_for(room):
                return False
            self._n_running += 1
            self._n_places += room.n_places
            self._n_bytes += room.n_bytes
        return True

    def _is_full_for(self, room):
        # One job may hold more than the limit, and a job that holds nothing need not wait for it.
        is_over = min(self._n_bytes, room.n_bytes) > 0 and self._n_bytes + room.n_bytes > self._max_bytes
        lacks_place = room.n_places > 0 and self._n_places >= self._max_jobs
        return is_over or lacks_place or self._n_running >= MAX_ALL_JOBS

    def put(self, job, room):
        """Adds a job for which the room is reserved."""
        with self._changed:
            self._jobs.append((job, room))
            self._changed.notify_all()

    def give_room(self, room):
        """Releases the room of a job."""
        with self._changed:
            self._n_running -= 1
            self._n_places -= room.n_places
            self._n_bytes -= room.n_bytes
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
            return self._jobs.popleft() if self._jobs else (None, None)

    def _run(self):
        while True:
            job, room = self._next()
            if job is None:
                return
            try:
                job()
            except BaseException as error:  # the recorder's next call raises it
                self.error = self.error or error
            job = None  # releases its tensor before waiting for the next job
            self.give_room(room)
