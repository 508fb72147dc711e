"""Turns endless recursion into an error, where an object's array protocol calls gpuplot with the same object."""

import threading

from ..errors import UnsupportedError

# Nested objects, such as a frame of arrays with units. More than that are new objects at every level.
MAX_LEVELS = 16


class _Reading(threading.local):
    """The objects that this thread is reading, outermost first, and whether one of them was asked for again."""

    objects = ()
    is_circular = False


_present = _Reading()


def read_once(X, read, *args):
    """The result of ``read(*args)``, which asks X for its elements by protocols that may run any code.

    UnsupportedError where that code asks gpuplot for X again. All reads fail from then on until the outermost one ends: protocols
    are tried one after the other, and each would recurse once more.
    """
    outer = _present.objects
    if outer and (_present.is_circular or len(outer) >= MAX_LEVELS or any(X is other for other in outer)):
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
