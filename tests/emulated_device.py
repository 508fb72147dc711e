"""The emulated CUDA device of tests/emulator, by ctypes: memory, streams and modes for tests, and the errors that it found."""

import contextlib
import ctypes
import functools
import os
import unittest
from pathlib import Path

import numpy as np
from emulated_control import (
    INVALID_CONTEXT,
    LAUNCH_FAILED,
    NO_DEVICE,
    ORDERS,
    OUT_OF_MEMORY,
    PACES,
    Control,
    EmulatorError,
)

__all__ = ["INVALID_CONTEXT", "LAUNCH_FAILED", "LEGACY", "MODES", "NO_DEVICE", "ORDERS", "OUT_OF_MEMORY", "PACES", "PER_THREAD",
           "ROOT", "Emulator", "EmulatorError", "EmulatorMissing", "Memory", "allocate", "folder", "free", "is_sanitized", "load",
           "use", "write"]

ROOT = Path(__file__).resolve().parent.parent
# All nine; `effort.modes` are those of a run. Results have the same bits in each.
MODES = [(order, pace) for order in ORDERS for pace in PACES]

LEGACY, PER_THREAD = 1, 2


class EmulatorMissing(unittest.SkipTest):
    """The emulator isn't built: a test that needs it is skipped with this message, which says how to build it."""


def folder():
    """The folder with the built emulator: of EMULATED_DEVICE, of the set-up, else the newest that any build left."""
    named = os.environ.get("EMULATED_DEVICE")
    if named and (Path(named) / "libcuda.so.1").exists():
        return Path(named).resolve()
    if (ROOT / "build" / "emulator" / "libcuda.so.1").exists():
        return ROOT / "build" / "emulator"
    built = sorted((path.stat().st_mtime, path.parent) for path in ROOT.glob("build/*/emulator/libcuda.so.1"))
    plain = [found for _, found in built if not is_sanitized(found)]
    if not plain:
        raise EmulatorMissing("the emulated device isn't built: that takes a C++ compiler (Debian: g++), and `make test` again")
    return plain[-1]


def environment():
    """Variables that lend the emulated device to another process; a test without one is skipped."""
    here = folder()
    return {"GPUPLOT_CUDA_DRIVER": str(here / "libcuda.so.1"), "GPUPLOT_NVRTC": str(here / "libnvrtc.so"),
            "XDG_CACHE_HOME": str(here / "cache"), "EMU_STRICT": "1"}


def is_sanitized(found):
    """Whether the emulator in a folder needs AddressSanitizer in the process before it can be loaded."""
    return b"__asan_init" in (found / "libcuda.so.1").read_bytes()


@functools.cache
def load():
    """The emulated driver, which gpuplot uses from now on. Call it before gpuplot's first use of CUDA."""
    here = folder()
    os.environ["GPUPLOT_CUDA_DRIVER"] = str(here / "libcuda.so.1")
    os.environ["GPUPLOT_NVRTC"] = str(here / "libnvrtc.so")
    # Where gpuplot keeps what the fake compiler makes: a folder for each process that runs tests beside others.
    os.environ["XDG_CACHE_HOME"] = str(here / "cache" / os.environ.get("PYTEST_XDIST_WORKER", ""))
    emulator = Emulator(here / "libcuda.so.1")
    emulator.take_mode(os.environ.get("EMULATED_MODE", ""))
    return emulator


# ---- memory by its address alone -------------------------------------------------------------------------------------


def use():
    """Let gpuplot use the emulated device."""
    load()


def allocate(n_bytes, device=0):
    """The address of new memory on a device."""
    return load().allocate(n_bytes, device=device).pointer


def write(address, host_address, n_bytes):
    """Copy bytes of the host to a device's memory at once."""
    load().check("emu_poke", ctypes.c_uint64(address), ctypes.c_void_p(host_address), ctypes.c_size_t(n_bytes))


def free(address):
    """Give memory back."""
    load().free(address)


# ---- the device ------------------------------------------------------------------------------------------------------


class Memory:
    """Some emulated memory: device, managed, pinned, or stream-ordered; freed by free() or at the end of a with block."""

    def __init__(self, emulator, kind, pointer, n_bytes, device):
        self.emulator, self.kind, self.pointer, self.n_bytes, self.device = emulator, kind, pointer, n_bytes, device

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.free()

    def write(self, array, offset=0):
        """Write an array's bytes at once, ignoring all streams."""
        data = np.ascontiguousarray(array)
        self.emulator.check("emu_poke", ctypes.c_uint64(self.pointer + offset), data.ctypes.data_as(ctypes.c_void_p),
                            ctypes.c_size_t(data.nbytes))
        return self

    def read(self, dtype=np.uint8, shape=None, offset=0):
        """The present contents, as an array."""
        shape = (self.n_bytes - offset) // np.dtype(dtype).itemsize if shape is None else shape
        out = np.empty(shape, dtype)
        self.emulator.check("emu_peek", ctypes.c_uint64(self.pointer + offset), out.ctypes.data_as(ctypes.c_void_p),
                            ctypes.c_size_t(out.nbytes))
        return out

    def write_late(self, array, stream=LEGACY, offset=0):
        """Queue a write of an array's bytes on a stream."""
        data = np.ascontiguousarray(array)
        self.emulator.check("emu_queue_write", self.device, ctypes.c_uint64(stream), ctypes.c_uint64(self.pointer + offset),
                            data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes))
        return self

    def host_view(self, dtype=np.uint8):
        """The bytes of pinned or managed memory as an array."""
        assert self.kind in ("pinned", "managed")
        buffer = (ctypes.c_char * self.n_bytes).from_address(self.pointer)
        return np.frombuffer(buffer, dtype)

    def free(self):
        """Give it back; a second time does nothing."""
        pointer, self.pointer = self.pointer, 0
        if pointer:
            self.emulator.free(pointer)


class Emulator(Control):
    """The emulated driver, with functions for tests that act as a producer of tensors."""

    def __init__(self, path):
        super().__init__(path)
        self.contexts = {}

    def primary(self, device=0):
        """The primary context of a device, retained once by this wrapper."""
        if device not in self.contexts:
            context = ctypes.c_void_p()
            self.check("cuInit", 0)
            self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self.contexts[device] = context.value
        return self.contexts[device]

    def reset_device(self, device=0):
        """As cudaDeviceReset: destroy the primary context and everything created in it, whoever has retained it."""
        self.check("cuDevicePrimaryCtxReset_v2", device)
        self.contexts.pop(device, None)

    @contextlib.contextmanager
    def current(self, device=0, context=None):
        """A device's primary context, or this one, current inside a with block."""
        self.check("cuCtxPushCurrent_v2", ctypes.c_void_p(context or self.primary(device)))
        try:
            yield
        finally:
            self.release("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def allocate(self, n_bytes, kind="device", device=0, context=None):
        """Some memory: of kind device, managed, pinned (mapped, too), pool (stream-ordered) or virtual (a part of a range)."""
        pointer = ctypes.c_uint64()
        with self.current(device, context):
            if kind == "device":
                self.check("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(n_bytes))
            elif kind == "managed":
                self.check("cuMemAllocManaged", ctypes.byref(pointer), ctypes.c_size_t(n_bytes), 1)
            elif kind == "pinned":
                self.check("cuMemHostAlloc", ctypes.byref(pointer), ctypes.c_size_t(n_bytes), 3)
            else:
                self.check("cuMemAllocAsync", ctypes.byref(pointer), ctypes.c_size_t(n_bytes), None)
            if kind == "virtual":
                self.check("emu_map", pointer)
        return Memory(self, kind, pointer.value, n_bytes, device)

    def free(self, pointer):
        """Free memory as its producer would, in the context in which it was allocated."""
        self.release("emu_free", ctypes.c_uint64(pointer))

    def upload(self, array, kind="device", device=0, context=None):
        """Memory that holds an array's bytes."""
        data = np.ascontiguousarray(array)
        return self.allocate(max(1, data.nbytes), kind, device, context).write(data)

    @contextlib.contextmanager
    def stream(self, device=0, blocking=False):
        """The handle of a producer's stream, inside a with block."""
        handle = ctypes.c_void_p()
        with self.current(device):
            self.check("cuStreamCreate", ctypes.byref(handle), 0 if blocking else 1)
        try:
            yield handle.value
        finally:
            with self.current(device):
                self.release("cuStreamDestroy_v2", handle)

    @contextlib.contextmanager
    def event(self, device=0):
        """The handle of an event, inside a with block."""
        handle = ctypes.c_void_p()
        with self.current(device):
            self.check("cuEventCreate", ctypes.byref(handle), 2)
        try:
            yield handle.value
        finally:
            with self.current(device):
                self.release("cuEventDestroy_v2", handle)

    def order(self, before, after, device=0):
        """Let one stream wait for the work that is queued on another one now."""
        with self.event(device) as event, self.current(device):
            self.check("cuEventRecord", ctypes.c_void_p(event), ctypes.c_void_p(before))
            self.check("cuStreamWaitEvent", ctypes.c_void_p(after), ctypes.c_void_p(event), 0)

    def copy_to_host(self, to, pointer, n_bytes, stream=LEGACY, device=0):
        """Queue a copy of device memory to an address of the host."""
        with self.current(device):
            self.check("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(to), ctypes.c_uint64(pointer), ctypes.c_size_t(n_bytes),
                       ctypes.c_void_p(stream))

    def copy_to_device(self, pointer, from_, n_bytes, stream=LEGACY, device=0):
        """Queue a copy from an address of the host to device memory."""
        with self.current(device):
            self.check("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(pointer), ctypes.c_void_p(from_), ctypes.c_size_t(n_bytes),
                       ctypes.c_void_p(stream))

    def device_pointer(self, pointer):
        """The address by which kernels see pinned memory."""
        return self.attributes(pointer)["device_pointer"]

    def attributes(self, pointer, device=0):
        """What the driver says about an address."""
        kinds = {"context": (1, ctypes.c_uint64), "type": (2, ctypes.c_uint), "device_pointer": (3, ctypes.c_uint64),
                 "managed": (8, ctypes.c_uint),
                 "device": (9, ctypes.c_int), "start": (11, ctypes.c_uint64), "size": (12, ctypes.c_size_t)}
        numbers = (ctypes.c_int * len(kinds))(*(number for number, _ in kinds.values()))
        values = {name: kind() for name, (_, kind) in kinds.items()}
        places = (ctypes.c_void_p * len(kinds))(*(ctypes.addressof(value) for value in values.values()))
        with self.current(device):
            self.check("cuPointerGetAttributes", len(kinds), numbers, places, ctypes.c_uint64(pointer))
        found = {name: value.value for name, value in values.items()}
        return found | {"range": (found.pop("start"), found.pop("size"))}

    @contextlib.contextmanager
    def capture(self, stream, device=0, mode=0):
        """A stream that is capturing a graph inside a with block; mode 0 global, 1 thread-local, 2 relaxed."""
        with self.current(device):
            self.check("cuStreamBeginCapture_v2", ctypes.c_void_p(stream), mode)
        try:
            yield
        finally:
            with self.current(device):
                self.release("cuStreamEndCapture", ctypes.c_void_p(stream), ctypes.byref(ctypes.c_void_p()))

    @contextlib.contextmanager
    def other_context(self, device=0):
        """A context that is not the device's primary one, inside a with block."""
        context = ctypes.c_void_p()
        self.check("cuCtxCreate_v2", ctypes.byref(context), 0, device)
        self.release("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
        try:
            yield context.value
        finally:
            self.release("cuCtxDestroy_v2", context)

    def synchronize(self, stream=None, device=0):
        """Wait for a stream of a device, or for all of them."""
        with self.current(device):
            if stream is None:
                self.check("cuCtxSynchronize")
            else:
                self.check("cuStreamSynchronize", ctypes.c_void_p(stream))

    def launch(self, kernel, args, blocks=1, threads=32, stream=LEGACY, device=0):
        """Queue a kernel; args are the bytes of its parameter."""
        if isinstance(blocks, int):
            blocks = (blocks, 1, 1)
        if isinstance(threads, int):
            threads = (threads, 1, 1)
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        image = f"EMULATED-CUBIN {self.kernels()[kernel]} compute_75".encode()
        buffer = ctypes.create_string_buffer(args)
        parameters = (ctypes.c_void_p * 1)(ctypes.addressof(buffer))
        with self.current(device):
            self.check("cuModuleLoadData", ctypes.byref(module), image)
            try:
                self.check("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
                self.check("cuLaunchKernel", function, *blocks, *threads, 0, ctypes.c_void_p(stream), parameters, None)
            finally:
                self.release("cuModuleUnload", module)
