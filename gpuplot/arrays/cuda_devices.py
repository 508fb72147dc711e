"""Checks before CUDA memory is read: the driver is loaded, no graph is being captured, pending writes are waited for."""

import contextlib
import numbers
import sys

from .. import _native
from ..errors import DeviceError, UnsupportedError
from . import streams
from .optional_imports import loaded, module_roots

# The code that copies an array to host memory, by the root of the module of its type.
_COPY_TO_HOST = {
    "torch": "X.cpu()", "cupy": "cupy.asnumpy(X)", "jax": "jax.device_get(X)", "jaxlib": "jax.device_get(X)",
    "tensorflow": "X.numpy()", "numba": "X.copy_to_host()", "warp": "X.numpy()", "pycuda": "X.get()",
    "rmm": "X.copy_to_host()", "cudf": "X.to_numpy()",
}

# Libraries whose arrays order no work: they name no stream, or take one in __dlpack__ and ignore it.
_SILENT = {"rmm", "cudf", "pylibcudf", "pycuda", "cuda"}


def is_silent(X):
    """True where an object's library neither names the stream of its work nor lets another stream wait for it."""
    return not module_roots(X).isdisjoint(_SILENT)


def copy_hint(X):
    """The advice to copy an object to host memory, with the code for its library."""
    roots = module_roots(X)
    copies = [line for root, line in _COPY_TO_HOST.items() if root in roots]
    return f"copy it to the host first, with {copies[0]}" if copies else "copy it to the host first"


def load(X):
    """Loads the driver; without one, a DeviceError that says how to copy X to the host."""
    with copying_helps(X):
        _native.cuda_load()


def own_stream(ordinal, X):
    """The handle of gpuplot's own stream of a device, on which memory is read."""
    with copying_helps(X):
        return _native.cuda_stream(ordinal)


@contextlib.contextmanager
def copying_helps(X):
    """Adds the advice to copy to the host to a DeviceError."""
    try:
        yield
    except DeviceError as error:
        advised = DeviceError(f"the {type(X).__name__} is in CUDA memory and cannot be read there: {error}; or {copy_hint(X)}")
        advised.call, advised.code = error.call, error.code
        raise advised from None


def memory_kind(address):
    """"device", "managed" or "host", as the driver knows the memory at an address; None where it does not, or where there is no driver."""
    try:
        return _native.cuda_memory_kind(address)
    except DeviceError:
        return None


def address_on_device(address):
    """Where devices see the memory at an address of the host, if it is pinned or registered; None for other memory."""
    try:
        with _native.Tensor.from_cuda(address, (1,), (1,), "uint8") as byte:
            return byte.address
    except (DeviceError, UnsupportedError, ValueError):
        return None


# ---- graphs that are being captured ------------------------------------------------------------------------------------


def refuse_capture(ordinal, handle=None):
    """DeviceError where a graph is being captured by this thread's libraries or on the stream `handle`.

    Allocating and waiting would break the capture. Asking whether one is under way does not, so this comes before anything else.
    """
    for library, ask in (("torch", _ask_torch), ("cupy", _ask_cupy)):
        module = sys.modules.get(library)
        if module is not None and _is_capturing(ask, module, ordinal):
            raise DeviceError(f"{library} is capturing a CUDA graph on its current stream, and a picture made now would "
                              "break the capture: draw before or after it")
    if handle is not None and ordinal is not None:
        _native.cuda_refuse_capture(ordinal, handle)


def _is_capturing(ask, library, ordinal):
    """Whether ``ask`` reports a capture, or fails because of one: the legacy stream cannot be queried while another stream captures."""
    try:
        return bool(ask(library, ordinal))
    except Exception as error:
        return "captur" in str(error).lower()


def _ask_torch(_, ordinal):
    cuda = _torch_cuda()
    if cuda is None:
        return False
    if cuda.is_current_stream_capturing():
        return True
    if ordinal is None:
        return False
    with cuda.device(ordinal):
        return cuda.is_current_stream_capturing()


def _ask_cupy(cupy, ordinal):
    return cupy.cuda.get_current_stream().is_capturing()


# ---- order -------------------------------------------------------------------------------------------------------------


def their_device(X, ordinal=None):
    """A context that makes an array's device the current one: torch needs it to export, CuPy to order its work.

    With an `ordinal`, torch's device is set for objects of other libraries, too, since they may hold tensors of torch.
    """
    if "cupy" in module_roots(X):
        return X.device
    cuda = _torch_cuda()
    return contextlib.nullcontext() if ordinal is None or cuda is None else cuda.device(ordinal)


def _torch_cuda():
    """``torch.cuda`` where the program uses it, else None."""
    is_initialized = loaded("torch.cuda.is_initialized")
    try:
        return loaded("torch.cuda") if is_initialized is not None and is_initialized() is True else None
    except Exception:
        return None


def order_after_all(X, ordinal, *, says_stream, version):
    """Waits for the work behind an array that names no stream.

    The legacy default stream waits for all blocking streams and does not block the host. It is enough where the array states by
    version 3 of the CUDA array interface that it has no stream (`says_stream`). Else the host waits for the whole device.
    """
    _native.cuda_order_after(ordinal, 1)
    if "torch" in module_roots(X):
        _native.cuda_order_after(ordinal, sys.modules["torch"].cuda.current_stream(ordinal).cuda_stream or 1)
    elif version < 3 or not says_stream or is_silent(X):
        _native.cuda_synchronize(ordinal)


def is_created(stream):
    """True for streams that the program created, False for the two default ones, which exist without a device, too."""
    return stream is not None and not (isinstance(stream, numbers.Integral) and stream <= 2)


def wait_on_host(stream, ordinal=None):
    """Makes the host wait for a stream, since copies to pinned memory return before they are done.

    `ordinal` is the stream's device where the stream does not say it.
    """
    handle = streams.handle_of(stream)
    try:
        _native.cuda_load()
    except DeviceError:
        return  # without a driver nobody has queued anything
    ordinals = [getattr(stream, name, None) for name in ("device_index", "device_id")]
    ordinal = next((number for number in ordinals if isinstance(number, int) and number >= 0), ordinal or 0)
    refuse_capture(ordinal, handle)
    _native.cuda_order_after(ordinal, handle)
    _native.cuda_synchronize(ordinal)
