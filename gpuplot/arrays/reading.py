"""Turns endless recursion into an error, where an object's array protocol calls gpuplot with the same object."""

import threading

from ..errors import UnsupportedError

# Maximum depth of nested objects, such as a frame of arrays with units; deeper ones create a new object at every level.
MAX_READ_DEPTH = 16


class _Reading(threading.local):
    """The objects that this thread is reading, outermost first, and whether a read of one has recursed."""

    objects = ()
    is_circular = False


_present = _Reading()


def read_once(X, read, *args):
    """The result of ``read(*args)``, which reads X by protocols that may run any code.

    UnsupportedError if that code calls gpuplot with X again. All reads then fail until the outermost one ends: protocols are
    tried one after the other, and each would recurse once more.
    """
    outer = _present.objects
    if outer and (_present.is_circular or len(outer) >= MAX_READ_DEPTH or any(X is other for other in outer)):
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
    return UnsupportedError(f"{type(X).__name__} calls gpuplot with itself while gpuplot reads it: its __dlpack__, __array__ or other "
                            "protocol must give its memory without gpuplot")
