"""Which objects a thread is reading, so that one whose protocol calls gpuplot with itself is one error and no endless recursion."""

from __future__ import annotations

import threading

from ..errors import UnsupportedError

__all__ = ["read_once"]

# Objects inside of objects, each of which has to be asked: a frame of arrays with units of a library, ... More is a circle of new ones.
MOST_LEVELS = 16


class _Reading(threading.local):
    """The objects that a thread is reading, from the outermost on, and whether one of them was met again."""

    objects = ()
    is_circular = False


_present = _Reading()


def read_once(X, read, *args):
    """What ``read(*args)`` gives, which asks X for its elements by protocols that may run any code.

    Raises
    ------
    UnsupportedError
        That code has asked gpuplot for X again. Once that was seen nothing else is read until the outermost object is done with, since
        protocols are asked in several ways, each of which would go round once more.
    """
    outer = _present.objects
    if outer and (_present.is_circular or len(outer) >= MOST_LEVELS or any(X is other for other in outer)):
        _present.is_circular = True
        raise _error(outer[0])
    _present.objects = (*outer, X)
    try:
        return read(*args)
    except Exception as error:
        if outer or not _present.is_circular:
            raise
        raise _error(X) from error
    finally:
        _present.objects = outer
        if not outer:
            _present.is_circular = False


def _error(X):
    return UnsupportedError(f"{type(X).__name__} asks gpuplot to read it while gpuplot is reading it: let its __dlpack__, __array__ or "
                            "whatever it speaks give its memory without gpuplot")
