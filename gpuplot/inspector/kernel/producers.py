"""The stream that the calling thread writes a tensor on, so that other threads can read it in order."""

from ...arrays.describe import describe
from ...arrays.optional_imports import loaded, module_roots

# The default streams, 0 and 1 for all threads; 2 is each thread's own, which another thread cannot name.
DEFAULT_STREAMS = (0, 1, 2)


def in_order(X, stream=None):
    """A tensor as it is, or its Source with the caller's `stream`, or else the one on which this thread writes it.

    Libraries' current streams are those of the calling thread, and pages are answered on others.
    """
    current = None if stream is not None else current_stream(X)
    return X if current is None else describe(X, current)


def current_stream(X):
    """The current stream of torch or CuPy for a tensor; None for default streams and other libraries."""
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
