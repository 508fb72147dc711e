"""The progress of a transfer: a bar for long ones, the caller's callable, and the request to stop."""

import contextlib
import time
import warnings

# By default a bar appears where a transfer is going to take longer than the first, once the second has passed.
LONG_SECONDS, LOOK_SECONDS = 1.0, 0.3


class Stopped(Exception):
    """A transfer was cancelled; ends the work of its thread."""


def check_progress(progress):
    """Returns the `progress` parameter, or raises TypeError or ImportError."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"progress={progress!r} is neither None, True, False nor a callable of two numbers of bytes")
    if progress is True and _bar_type() is None:
        raise ImportError("progress=True shows a bar of tqdm, which cannot be imported: install tqdm, or give a callable of "
                          "(bytes done, bytes in all)")
    return progress


class Progress:
    """A context in which one transfer of `n_bytes` is followed.

    `wish` is the `progress` parameter: True is a bar, None a bar where it takes long, a callable gets (bytes done, in all).
    """

    def __init__(self, wish, n_bytes):
        self.n_bytes, self.n_done = n_bytes, 0
        self.is_stopped = False
        self._wish = wish
        self._bar = None
        self._begin = time.monotonic()

    def __enter__(self):
        if self._wish is True:
            self._show(self._open_bar)
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.n_done = self.n_bytes
            self._tell()
        if self._bar is not None:
            self._show(self._bar.close)

    def note(self, n_elems_done, n_elems):
        """Called between chunks, at most some 20 times a second; what it raises ends the transfer."""
        if self.is_stopped:
            raise Stopped
        # Long doubles of a device are converted twice, there and on the host: progress must not go back.
        self.n_done = max(self.n_done, self.n_bytes * n_elems_done // max(n_elems, 1))
        if self._wish is None and self._bar is None and self._looks_long():
            self._show(self._open_bar)
        self._tell()

    def _looks_long(self):
        seconds = time.monotonic() - self._begin
        return seconds > LOOK_SECONDS and seconds * self.n_bytes > LONG_SECONDS * self.n_done

    def _show(self, action):
        """Calls a function of the bar. A bar by default that fails is dropped."""
        try:
            action()
        except Exception:
            if self._wish is True:
                raise
            self._bar, self._wish = None, False

    def _open_bar(self):
        bar_type = _bar_type()
        if bar_type is None:
            self._wish = False
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of notebooks without widgets, where tqdm shows text
            self._bar = bar_type(total=self.n_bytes, desc="asnumpy", unit="B", unit_scale=True, leave=False)
        if not self._bar.disable:  # as TQDM_DISABLE=1 wants it
            self._bar.start_t -= time.monotonic() - self._begin

    def _tell(self):
        if self._bar is not None:
            self._show(lambda: self._bar.update(self.n_done - self._bar.n))
        elif callable(self._wish):
            self._wish(self.n_done, self.n_bytes)


def _bar_type():
    """tqdm's bar for a terminal or a notebook; None without a tqdm that works."""
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm

        return tqdm
    return None
