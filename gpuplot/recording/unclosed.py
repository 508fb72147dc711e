"""At the end of the program waits a few seconds for the writes of recorders that were not closed."""

import atexit
import os
import time

from ..notices import warn

# Seconds that the end of a program waits for all of them together, as for the files of `imsave`.
MAX_SECONDS = 10.0

_open = set()


def close_at_exit(recorder):
    """Closes a recorder at the end of the program; it lives so long, unless `forget` comes before."""
    _open.add(recorder)


def forget(recorder):
    """Does nothing at the end of the program: the recorder is closed."""
    _open.discard(recorder)


@atexit.register
def _close_all():
    end = time.monotonic() + MAX_SECONDS
    for recorder in tuple(_open):
        try:
            recorder._close(max(end - time.monotonic(), 0.0))
        except (OSError, RuntimeError) as error:
            warn(str(error))


# A forked child has no thread that writes, and the files are its parent's.
os.register_at_fork(after_in_child=_open.clear)
