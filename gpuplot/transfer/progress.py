"""The progress of a transfer: a bar for long ones, or calls of the caller's function; and the request to stop."""

import contextlib
import time
import warnings

# By default a bar appears after LOOK_SECONDS, if the transfer is expected to take longer than LONG_SECONDS.
LONG_SECONDS, LOOK_SECONDS = 1.0, 0.3


class Stopped(Exception):
    """Raised in the thread of a cancelled transfer to end its work."""


def check_transfer_progress(progress):
    """Returns the `progress` parameter, or raises TypeError or ImportError."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"progress={progress!r} is neither None, True, False nor a callable of two numbers of bytes")
    if progress is True and _bar_type() is None:
        raise ImportError("progress=True shows a bar of tqdm, which cannot be imported: install tqdm, or give a callable of "
                          "(bytes done, bytes in all)")
    return progress


class TransferProgress:
    """A context that shows the progress of a transfer of `n_bytes`.

    `progress` is True for a bar, None for a bar if it takes long, or a callable of (bytes done, all bytes).
    """

    def __init__(self, progress, n_bytes):
        self.n_bytes, self.n_done = n_bytes, 0
        self.is_stopped = False
        self._asked = progress
        self._bar = None
        self._begin = time.monotonic()

    def __enter__(self):
        if self._asked is True:
            self._show(self._open_bar)
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.n_done = self.n_bytes
            self._tell()
        if self._bar is not None:
            self._show(self._bar.close)

    def note(self, n_elems_done, n_elems):
        """Called between chunks, at most about 20 times a second; an exception from here ends the transfer."""
        if self.is_stopped:
            raise Stopped
        # Long doubles of a device are converted twice, there and on the host: progress must not decrease.
        self.n_done = max(self.n_done, self.n_bytes * n_elems_done // max(n_elems, 1))
        if self._asked is None and self._bar is None and self._looks_long():
            self._show(self._open_bar)
        self._tell()

    def _looks_long(self):
        seconds = time.monotonic() - self._begin
        return seconds > LOOK_SECONDS and seconds * self.n_bytes > LONG_SECONDS * self.n_done

    def _show(self, action):
        """Calls a function of the bar; if it fails and the bar was not asked for, the bar is dropped."""
        try:
            action()
        except Exception:
            if self._asked is True:
                raise
            self._bar, self._asked = None, False

    def _open_bar(self):
        bar_type = _bar_type()
        if bar_type is None:
            self._asked = False
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tqdm warns in notebooks without widgets, and shows text
            self._bar = bar_type(total=self.n_bytes, desc="asnumpy", unit="B", unit_scale=True, leave=False)
        if not self._bar.disable:  # TQDM_DISABLE=1 disables it
            self._bar.start_t -= time.monotonic() - self._begin

    def _tell(self):
        if self._bar is not None:
            self._show(lambda: self._bar.update(self.n_done - self._bar.n))
        elif callable(self._asked):
            self._asked(self.n_done, self.n_bytes)


def _bar_type():
    """tqdm's bar for a terminal or a notebook; None without a tqdm that works."""
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm

        return tqdm
    return None
