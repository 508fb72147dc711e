"""On which stream a tensor is being written, noted while its writer's thread says so: other threads read it later."""

from __future__ import annotations

from ...arrays.describe import describe
from ...arrays.optional_imports import loaded, module_roots

__all__ = ["current_stream", "in_order"]

# The default streams, 0 and 1 for all threads; 2 is each thread's own, which another thread cannot name.
DEFAULT_STREAMS = (0, 1, 2)


def in_order(X, stream=None):
    """A tensor that any thread reads after what this thread has queued: as it is, or described with its stream.

    Libraries answer for the calling thread when they are asked for their current stream, and pages are answered on other
    threads than the one whose loop writes.

    Parameters
    ----------
    X : array_like
    stream : int or object, optional
        What the caller said himself; nothing is noted then.
    """
    found = None if stream is not None else current_stream(X)
    return X if found is None else describe(X, found)


def current_stream(X):
    """The stream of torch or CuPy that this thread writes a tensor on; None for a default one, and for all other tensors."""
    roots = module_roots(X)
    if "torch" in roots and getattr(X, "is_cuda", False) is True:
        ask = loaded("torch.cuda.current_stream")
        stream = ask and ask(X.device)
        handle = getattr(stream, "cuda_stream", 0)
    elif "cupy" in roots:
        ask = loaded("cupy.cuda.get_current_stream")
        stream = ask and ask()
        handle = getattr(stream, "ptr", 0)
    else:
        return None
    return None if handle in DEFAULT_STREAMS else stream
