"""What arrays of all CUDA libraries have in common in tests: a library's state, memory that is written late, capsules."""

import ctypes

import numpy as np
from capsules import CUDA, Producer
from emulated_device import LEGACY

MANAGED = 13
STREAM_CAPTURE_IMPLICIT = 906
POISON = 0xA5

# dtype name -> DLPack's type code, typestr and the dtype of the stored bits.
DTYPES = {
    "bool": (6, "|b1", "?"), "uint8": (1, "|u1", "u1"), "int8": (0, "|i1", "i1"), "uint16": (1, "<u2", "u2"),
    "int16": (0, "<i2", "i2"), "uint32": (1, "<u4", "u4"), "int32": (0, "<i4", "i4"), "uint64": (1, "<u8", "u8"), "int64": (0, "<i8", "i8"),
    "float16": (2, "<f2", "f2"), "float32": (2, "<f4", "f4"), "float64": (2, "<f8", "f8"), "bfloat16": (4, "<V2", "u2"),
    "complex32": (5, None, "u4"), "complex64": (5, "<c8", "c8"), "complex128": (5, "<c16", "c16"),
    "float8_e4m3fn": (10, "<f1", "u1"), "float8_e5m2": (12, "<f1", "u1"),
}


class Runtime:
    """The state of a CUDA library: its current device and the current stream of each device."""

    def __init__(self, emulator):
        self.emulator, self.device, self.streams = emulator, 0, {}
        self.n_kernels, self.memories = 0, []

    def stream(self, device=None):
        """The handle of the current stream of a device, by default of the current one."""
        return self.streams.get(self.device if device is None else device, LEGACY)

    def is_capturing(self):
        """Whether the current stream of the current device is; an error where that stream cannot be asked about."""
        status = ctypes.c_int()
        with self.emulator.current(self.device):
            code = self.emulator.driver.cuStreamIsCapturing(ctypes.c_void_p(self.stream()), ctypes.byref(status))
        if code == STREAM_CAPTURE_IMPLICIT:
            raise RuntimeError("CUDA error: operation would make the legacy stream depend on a capturing blocking stream")
        return status.value != 0

    def let_wait(self, waiting, producing, device):
        """Let one stream wait for the work that is queued on the other one now."""
        event = ctypes.c_void_p()
        with self.emulator.current(device):
            self.emulator.check("cuEventCreate", ctypes.byref(event), 2)
            self.emulator.check("cuEventRecord", event, ctypes.c_void_p(producing))
            self.emulator.check("cuStreamWaitEvent", ctypes.c_void_p(waiting), event, 0)
            self.emulator.check("cuEventDestroy_v2", event)

    def current(self, device):
        """A context manager in which a device is the current one."""
        return _Current(self, device)


class _Current:
    def __init__(self, runtime, device):
        self.runtime, self.id = runtime, device

    def __enter__(self):
        self.before, self.runtime.device = self.runtime.device, self.id
        return self

    def __exit__(self, *exception):
        self.runtime.device = self.before


def _bytes_of(view):
    """All bytes from the lowest to the highest of a view, and the offset of its first element."""
    low, high = np.lib.array_utils.byte_bounds(view)
    n_bytes = high - low if view.size else 0
    return np.frombuffer(ctypes.string_at(low, n_bytes), np.uint8), view.__array_interface__["data"][0] - low


class Late:
    """Device memory with the layout of `view`: poison until `stream` comes to the write of the values."""

    def __init__(self, runtime, view, stream, device, kind="device", context=None):
        data, offset = _bytes_of(view)
        self.device, self.kind = device, kind
        self.memory = runtime.emulator.allocate(max(1, data.size), kind, device, context)
        self.memory.write(np.full(data.size, POISON, np.uint8))
        self.pointer = self.memory.pointer + offset if view.size else 0
        if view.size:
            self.memory.write_late(data, stream)
        runtime.memories.append(self.memory)

    def rewrite(self, values, stream):
        """Queues other values of the same layout."""
        self.memory.write_late(_bytes_of(values)[0], stream)


class ForeignArray:
    """The base of the dialects. `values` are the contents after all queued work; `n_exports` counts capsules.

    Parameters
    ----------
    runtime : Runtime
    values : ndarray
        Of the dtype that is stored; a view of another array where strides are wanted.
    dtype : str, optional
        The library's name of the dtype where NumPy has none.
    stream : int
        On which the memory is written.
    """

    root = "foreign"

    def __init__(self, runtime, values, *, dtype=None, stream=LEGACY, device=0, kind="device", context=None, late=None):
        self.runtime, self.stream, self.ordinal = runtime, stream, device
        self.dtype_name = dtype or values.dtype.name
        self.values = values
        self.late = Late(runtime, values, stream, device, kind, context) if late is None else late
        self.producers = []

    pointer = property(lambda self: self.late.pointer)

    @property
    def shape(self):
        return self.values.shape

    @property
    def strides(self):
        """In bytes."""
        return self.values.strides

    @property
    def is_contiguous(self):
        return self.values.flags.c_contiguous

    def free(self):
        """Frees the memory while the object still exists."""
        self.late.memory.free()

    @property
    def n_exports(self):
        """Capsules made, of this array and of those that its library derived from it."""
        return sum(producer.n_exports for producer in self.producers)

    @property
    def n_releases(self):
        return sum(producer.n_releases for producer in self.producers)

    def capsule(self, *, version=None, kind=CUDA, device=None, has_strides=True, dtype=None, divide=int.__floordiv__):
        """A new capsule over the memory; legacy without a version. ``divide``: the library's way from bytes to elements."""
        size = self.values.itemsize
        strides = tuple(divide(stride, size) for stride in self.strides) if has_strides else None
        producer = Producer((), self.shape, strides=strides, dtype=(DTYPES[dtype or self.dtype_name][0], 8 * size, 1),
                            device=(kind, self.ordinal if device is None else device), version=version, address=self.pointer)
        self.producers.append(producer)
        return producer.__dlpack__()

    def interface(self, version, **more):
        """The dict of the CUDA array interface."""
        typestr = DTYPES[self.dtype_name][1]
        return {"shape": self.shape, "typestr": typestr, "data": (self.pointer, False), "version": version} | more


def made_by(module, name=None):
    """A decorator that sets the module from which a class says that it comes."""
    def decorate(cls):
        cls.__module__, cls.__qualname__ = module, name or cls.__name__
        cls.__name__ = name or cls.__name__
        return cls
    return decorate
