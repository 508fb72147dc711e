"""Closes recorders at the end of the program, within a few seconds."""

import os
import time

from ..at_end import at_end, watch_end
from ..notices import warn

# Seconds that the end of a program waits for all of them together; the same as for files of `imsave`.
MAX_SECONDS = 10.0

_open = set()


def close_at_exit(recorder):
    """Keeps a recorder and closes it at the end of the program, unless `forget` is called before."""
    watch_end()
    _open.add(recorder)


def close_earlier(folder):
    """Closes a recorder of this program that records in a folder: a cell of a notebook is run again."""
    for recorder in [one for one in _open if os.path.realpath(one.folder) == os.path.realpath(folder)]:
        recorder.close()


def forget(recorder):
    """Undoes `close_at_exit`, for a recorder that is closed."""
    _open.discard(recorder)


@at_end
def _close_all():
    end = time.monotonic() + MAX_SECONDS
    for recorder in tuple(_open):
        try:
            recorder._close(max(end - time.monotonic(), 0.0))
        except (OSError, RuntimeError) as error:
            warn(str(error))


# A forked child lacks the writing threads, and the files are its parent's.
os.register_at_fork(after_in_child=_open.clear)
