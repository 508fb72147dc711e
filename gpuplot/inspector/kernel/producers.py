"""The CUDA stream on which the calling thread writes a tensor, so that other threads read it after these writes."""

from ...arrays.cuda_devices import their_device
from ...arrays.describe import describe
from ...arrays.optional_imports import attribute, loaded, module_roots
from ...arrays.streams import LEGACY, PER_THREAD

# The default streams: 0 and 1 for all threads; 2 is each thread's own, which other threads cannot refer to.
DEFAULT_STREAMS = (0, LEGACY, PER_THREAD)


def in_order(X, stream=None):
    """The tensor, or its Source with `stream`, or with this thread's current stream if that is not a default one.

    Libraries have a current stream for each thread, and pages are answered on other threads.
    """
    current = None if stream is not None else current_stream(X)
    return X if current is None else describe(X, current)


def current_stream(X):
    """The current stream of torch or CuPy for a tensor; None for default streams and other libraries."""
    roots = module_roots(X)
    if "torch" in roots and attribute(X, "is_cuda") is True:
        ask = loaded("torch.cuda.current_stream")
        stream = ask and ask(X.device)
        handle = getattr(stream, "cuda_stream", 0)
    elif "cupy" in roots and hasattr(X, "device"):
        ask = loaded("cupy.cuda.get_current_stream")
        with their_device(X):
            stream = ask and ask()
        handle = getattr(stream, "ptr", 0)
    else:
        return None
    return None if handle in DEFAULT_STREAMS else stream
