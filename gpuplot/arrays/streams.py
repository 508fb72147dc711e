"""The `stream` parameter, a handle or a stream object of a library -> the handle that the driver knows."""

import numbers

from ..errors import type_text

LEGACY, PER_THREAD = 1, 2  # the legacy default stream, and the calling thread's, to which other threads cannot refer

# Attributes that hold the handle: torch and Warp, CuPy, Numba and PyCUDA.
_HANDLES = ("cuda_stream", "ptr", "handle")

# Numba's simulator runs everything immediately: its streams have no handle, and there is nothing to wait for.
_SIMULATOR = "numba.cuda.simulator"

_WHAT = ("give a handle (an int; 1 is the legacy default stream, 2 the calling thread's) or a stream of torch, CuPy, "
         "Numba, ...")


def check_stream(stream):
    """Returns `stream`; TypeError or ValueError if it is not a stream."""
    handle_of(stream)
    return stream


def handle_of(stream):
    """The current handle of a stream; None for None and for streams of Numba's simulator.

    An object's handle is taken from its ``__cuda_stream__`` protocol, else from the attribute in which its library keeps the
    handle, where 0 is the legacy default stream.
    """
    if stream is None or str(type(stream).__module__).startswith(_SIMULATOR):
        return None
    if isinstance(stream, numbers.Integral):
        return _checked(stream)
    handle = _int_of(_handle_in(stream), stream)
    return LEGACY if handle == 0 else _checked(handle)


def _checked(handle):
    if isinstance(handle, bool):
        raise TypeError(f"stream={handle}: {_WHAT}")
    handle = int(handle)
    if handle == 0:
        raise ValueError("stream=0 may mean two streams: give 1 for the legacy default stream, 2 for the calling thread's")
    if not 0 < handle < 2**64:
        raise ValueError(f"stream={handle} is not a handle: {_WHAT}")
    return handle


def _handle_in(stream):
    """The handle in a stream object."""
    protocol = getattr(type(stream), "__cuda_stream__", None)
    if protocol is not None:
        answer = stream.__cuda_stream__
        answer = answer() if callable(answer) else answer
        try:
            _, handle = answer  # the version of the protocol comes first
        except (TypeError, ValueError):
            raise TypeError(f"__cuda_stream__ of the {type(stream).__name__} is {answer!r}, not (version, handle): give a handle") from None
        return handle
    for name in _HANDLES:
        handle = getattr(stream, name, None)
        if handle is not None:
            return handle
    # For pointers of ctypes and of CUDA bindings; other kinds of numbers, and arrays, have __int__, too.
    if hasattr(stream, "value") or (hasattr(type(stream), "__int__") and not isinstance(stream, numbers.Number)
                                    and not hasattr(stream, "__len__") and not hasattr(stream, "shape")):
        return stream
    raise TypeError(f"{type_text(type(stream))} is not a stream: {_WHAT}")


def _int_of(handle, stream):
    """A handle as an int; also from ctypes pointers and the handle objects of bindings."""
    if not isinstance(handle, numbers.Integral) and hasattr(handle, "value"):
        handle = handle.value or 0  # None is the null pointer of ctypes
    try:
        return int(handle)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"the handle of the {type(stream).__name__} is not a number: {_WHAT}") from None
