"""Observers of a pass over chunks, and the progress bar of a long one, as text or in a notebook."""

from __future__ import annotations

import contextlib
import html
import sys
import threading

# A bar appears by default when a pass takes longer than this; it is redrawn at most this often; files get a new line this often.
LONG_SECONDS, REDRAW_SECONDS, LINE_SECONDS = 1.0, 0.2, 10.0

BAR_WIDTH = 30


class RunWatch:
    """Observer of one pass over chunks, in the thread that waits for it; this one does nothing. An exception of a method ends the pass."""

    def begin(self, n_tiles, is_queued=False):
        """Called before the first chunk is requested; `is_queued` where chunks may wait for others' work on a cluster."""

    def tick(self):
        """Called fifty times a second on a cluster, else before and after each chunk."""

    def tile(self, k, found):
        """Called with the number and the result of each tile, in the order of completion."""

    def end(self):
        """Called at the end of the pass, also if it failed."""


def check_run_progress(progress):
    """Returns the `progress` parameter, or raises TypeError."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"progress={progress!r}: give None, True, False or a callable of (tiles done, tiles in all)")
    return progress


class RunProgress(RunWatch):
    """Shows how many tiles of chunks are complete.

    Parameters
    ----------
    progress : bool, callable or None
        True shows a bar at once, None after a second, False never; a callable gets (tiles done, tiles in all).
    """

    def __init__(self, progress=None):
        self._asked, self._bar = progress, None
        self._n_done = self._n_tiles = 0

    def begin(self, n_tiles, is_queued=False):
        """See `RunWatch.begin`."""
        self._n_done, self._n_tiles = 0, n_tiles
        if callable(self._asked):
            self._asked(0, n_tiles)
        elif self._asked is not False:
            self._bar = Bar(lambda: (self._n_done, self._n_tiles, is_queued), 0.0 if self._asked else LONG_SECONDS)

    def tile(self, k, found):
        """See `RunWatch.tile`."""
        self._n_done += 1
        if callable(self._asked):
            self._asked(self._n_done, self._n_tiles)

    def end(self):
        """See `RunWatch.end`."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Bar:
    """A thread that draws a bar until it is closed, so that a slow chunk does not stop the bar's clock.

    Parameters
    ----------
    state : callable
        ``state() -> (tiles done, tiles in all, is_queued)``.
    delay : float
        Seconds before the first draw.
    """

    def __init__(self, state, delay):
        self._state, self._delay, self._is_over = state, delay, threading.Event()
        self._display = NotebookDisplay() if in_notebook() else TextDisplay(sys.stderr)
        self._thread = threading.Thread(target=self._draw_until_closed, name="gpuplot-progress", daemon=True)
        self._thread.start()

    def _draw_until_closed(self):
        is_drawn, seconds = False, self._delay
        with contextlib.suppress(Exception):  # the stream may be closed: a bar must not end a draw
            while not self._is_over.wait(seconds):
                self._display.show(*self._state())
                is_drawn, seconds = True, self._display.seconds
            if is_drawn:
                self._display.close()

    def close(self):
        """Removes the bar."""
        self._is_over.set()
        self._thread.join()


def progress_text(n_done, n_tiles, is_queued):
    """Text for the progress of a pass."""
    return f"{'waiting' if is_queued and not n_done else 'reading'}, {n_done}/{n_tiles} tiles" if n_tiles else "reading"


def _is_terminal(stream):
    try:
        return bool(stream.isatty())
    except Exception:  # None where there is no console, closed, or an object that only has write()
        return False


class TextDisplay:
    """A bar that a terminal overwrites; lines in a file."""

    def __init__(self, stream):
        self._stream, self._is_terminal = stream, _is_terminal(stream)
        self.seconds = REDRAW_SECONDS if self._is_terminal else LINE_SECONDS
        self._width = 0

    def show(self, n_done, n_tiles, is_queued):
        """Writes the bar."""
        n_full = BAR_WIDTH * n_done // max(1, n_tiles)
        line = f"gpuplot: [{'#' * n_full}{'.' * (BAR_WIDTH - n_full)}] {progress_text(n_done, n_tiles, is_queued)}"
        self._stream.write("\r" + line.ljust(self._width) if self._is_terminal else line + "\n")
        self._stream.flush()
        self._width = len(line)

    def close(self):
        """Removes the bar from a terminal."""
        if self._is_terminal:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()


class NotebookDisplay:
    """A bar in the output of a notebook's cell."""

    seconds = REDRAW_SECONDS

    def __init__(self):
        self._handle = None

    def show(self, n_done, n_tiles, is_queued):
        """Shows the bar, or replaces the present one."""
        text = progress_text(n_done, n_tiles, is_queued)
        self._put({"text/html": f'<progress value="{n_done}" max="{max(1, n_tiles)}"></progress> {html.escape(text)}', "text/plain": text})

    def close(self):
        """Removes the bar."""
        self._put({"text/html": "", "text/plain": ""})

    def _put(self, formats):
        from IPython.display import display

        if self._handle is None:
            self._handle = display(formats, raw=True, display_id=True)
        else:
            self._handle.update(formats, raw=True)


def in_notebook():
    """Whether a notebook shows the output: IPython runs in a kernel."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and getattr(shell, "kernel", None) is not None
