"""An object that supports DLPack -> a native tensor, read after the work that writes it."""

from .. import _native
from ..errors import COPY_HINT, UnsupportedError, reason_of
from . import cuda_devices, streams
from .dtypes import ITEM_BYTES

CUDA = 2
_CPU, _PINNED = 1, 3
_HOST_KINDS = (_CPU, _PINNED)
_CUDA_KINDS = (CUDA, 13)  # memory of one device, and managed memory
_KIND_NAMES = {4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 11: "ROCm host", 14: "oneAPI", 15: "WebGPU"}

_MAX_ORDINAL = 2**31 - 1  # no such device exists; the driver's error says so

# The newest version whose structures the native layer knows; it refuses another major version.
_MAX_VERSION = (1, 3)


def has_dlpack(X):
    """True where the type of an object exports DLPack. The object is not queried, since that might run code that fails."""
    return getattr(type(X), "__dlpack__", None) is not None


def may_be_cuda(X):
    """False where DLPack reports memory that is not CUDA's: HIP arrays have an interface that looks like CUDA's."""
    return _ask_device(X)[0] in (None, *_CUDA_KINDS)


def is_in_cuda_memory(X):
    """True where an object reports CUDA memory through DLPack."""
    return has_dlpack(X) and _ask_device(X)[0] in _CUDA_KINDS


def may_be_host(X):
    """False where DLPack reports memory of a device, or pinned memory, whose streams only DLPack waits for."""
    return _ask_device(X)[0] in (None, _CPU)


def _refuse_device(kind, X):
    """Raises the error for memory that gpuplot cannot read; `kind` is DLPack's number of the device type."""
    kind_name = _KIND_NAMES.get(kind, f"device (DLPack type {kind})")
    raise UnsupportedError(f"gpuplot reads host and CUDA memory, and the {type(X).__name__} is in {kind_name} memory: "
                           f"{cuda_devices.copy_hint(X)}")


def device_of(tensor):
    """(kind, ordinal) of the device of a borrowed tensor, None for host memory."""
    return None if tensor.device[0] in _HOST_KINDS else tensor.device


def lend(X, dtype=None, stream=None):
    """Borrows an object through DLPack as a native tensor, after the work that its library has queued and after `stream`.

    `dtype` is the dtype of elements that the protocol cannot name (8-bit floats exported as uint8). DeviceError or
    UnsupportedError where the memory cannot be read, the library refuses, or the capsule describes no tensor.
    """
    kind, ordinal = _ask_device(X)
    if kind in _CUDA_KINDS:
        return _lend_cuda(X, ordinal, dtype, streams.handle_of(stream))
    if kind is not None and kind not in _HOST_KINDS:
        _refuse_device(kind, X)
    if kind == _PINNED and stream is not None:
        cuda_devices.wait_on_host(stream, max(0, ordinal))
    with cuda_devices.copying_helps(X):
        tensor, _ = _import(X, dtype, [{"max_version": _MAX_VERSION}, {}])
    kind, ordinal = tensor.device
    if kind == _PINNED:
        _check_pinned(X, tensor)
    if kind in _HOST_KINDS:
        return tensor
    tensor.release()
    if kind in _CUDA_KINDS:  # the object did not say so before: export again, with a stream
        return _lend_cuda(X, ordinal, dtype, streams.handle_of(stream))
    return _refuse_device(kind, X)


def addresses_of(tensor):
    """The addresses of the lowest byte of a tensor that has elements, and behind its highest one."""
    reaches = [(n - 1) * step for n, step in zip(tensor.shape, tensor.strides, strict=True)]
    first = tensor.address + sum(reach for reach in reaches if reach < 0)
    return first, tensor.address + sum(reach for reach in reaches if reach > 0) + ITEM_BYTES[tensor.dtype]


def _check_pinned(X, tensor):
    """UnsupportedError for pinned memory that the host cannot read: it is on a device, or the driver knows only one of its ends.

    Memory of which the driver knows neither end may be of a library that calls ordinary memory pinned.
    """
    if 0 in tensor.shape:
        return
    first, stop = addresses_of(tensor)
    kinds = cuda_devices.memory_kind(first), cuda_devices.memory_kind(stop - 1)
    if "device" in kinds:
        tensor.release()
        raise UnsupportedError(f"the memory of the {type(X).__name__} is declared as pinned but is on a device: this is "
                               "a bug of its producer")
    if (kinds[0] is None) != (kinds[1] is None):
        what = f"shape {tensor.shape} and strides of {tensor.strides} bytes"
        tensor.release()
        raise UnsupportedError(f"the pinned memory of the {type(X).__name__} is smaller than {what} say: was it freed or resized? If not, "
                               f"{COPY_HINT}")


def _lend_cuda(X, ordinal, dtype, handle):
    """Borrows CUDA memory. Order matters: nothing is requested during a capture, and nothing is read before it is written."""
    cuda_devices.load(X)
    cuda_devices.refuse_capture(ordinal, handle)
    ours = cuda_devices.own_stream(ordinal, X)
    if handle is not None:
        _native.cuda_order_after(ordinal, handle)
    attempts = [{"stream": ours, "max_version": _MAX_VERSION}, {"stream": ours}, {}]
    with cuda_devices.their_device(X, ordinal):
        tensor, keywords = _import(X, dtype, attempts)
    try:
        device = device_of(tensor)
        if not keywords or cuda_devices.is_silent(X) or device not in (None, (CUDA, ordinal)):
            # A library that takes no stream has waited itself or not at all; and managed memory may belong to another
            # device than its library reported, which then ordered the other device's stream.
            for number in {ordinal, ordinal if device is None else device[1]}:
                _native.cuda_synchronize(number)
    except BaseException:
        tensor.release()
        raise
    return tensor


def _ask_device(X):
    """(kind, ordinal) that the object reports before an export, which may wait; (None, None) where it reports none."""
    try:
        kind, ordinal = X.__dlpack_device__()
        return int(kind), max(-1, min(int(ordinal), _MAX_ORDINAL))
    except Exception:
        return None, None


def _import(X, dtype, attempts):
    """(native tensor, the keywords that the export accepted)."""
    capsule, keywords = _export(X, attempts)
    try:
        return _native.Tensor.from_dlpack(capsule, dtype), keywords
    except BufferError as error:
        raise UnsupportedError(f"{type(X).__name__}: {error}") from None
    finally:
        # A capsule that was not consumed releases its memory as it dies, by code that must not run while an error
        # is being raised; here the error is caught already.
        del capsule


def _export(X, attempts):
    """(capsule, keywords) of the first of the `attempts` that the library accepts; libraries refuse keywords in different ways.

    A BufferError refuses the request itself; a second attempt without the stream would only lose the order.
    """
    refusal = None
    try:
        for keywords in attempts:
            try:
                return X.__dlpack__(**keywords), keywords
            except MemoryError:
                raise
            except Exception as error:
                refusal = error
                if isinstance(error, BufferError) and "stream" in keywords:
                    break
        reason = reason_of(refusal)
        hint = "draw one shard, X.addressable_data(0)" if "shard" in reason.lower() else COPY_HINT
        raise UnsupportedError(f"{type(X).__name__} does not hand out its memory through DLPack: {reason}; {hint}") from refusal
    finally:
        del refusal  # its traceback holds this frame, and this frame holds the tensor
