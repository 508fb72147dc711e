"""The emulated CUDA device of tests/emulator, by ctypes: memory, streams and modes for tests, and what it found wrong."""

import contextlib
import ctypes
import functools
import os
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
ORDERS = {"forward": 0, "reverse": 1, "random": 2}
# Every launch three times, in all orders from the same memory: a problem where it leaves other bytes.
COMPARE = "compare"
PACES = {"eager": 0, "late": 1, "random": 2}
# Every kernel and property test runs in all nine; results have the same bits.
MODES = [(order, pace) for order in ORDERS for pace in PACES]

LEGACY, PER_THREAD = 1, 2
OUT_OF_MEMORY, INVALID_CONTEXT, LAUNCH_FAILED, NO_DEVICE = 2, 201, 719, 100


class EmulatorMissing(Exception):
    """The emulator isn't built; the message says how to build it."""


class EmulatorError(Exception):
    """A call of the emulated driver that the test itself made gave this code."""

    def __init__(self, call, code):
        super().__init__(f"{call} gave {code}")
        self.code = code


def folder():
    """The folder with the built emulator: of EMULATED_DEVICE, of the set-up, else the newest that any build left."""
    named = os.environ.get("EMULATED_DEVICE")
    if named:
        return Path(named).resolve()
    if (ROOT / "build" / "emulator" / "libcuda.so.1").exists():
        return ROOT / "build" / "emulator"
    built = sorted((path.stat().st_mtime, path.parent) for path in ROOT.glob("build/*/emulator/libcuda.so.1"))
    plain = [found for _, found in built if not is_sanitized(found)]
    if not plain:
        raise EmulatorMissing("the emulated device isn't built: configure native/ with -DGPUPLOT_EMULATOR=ON, which needs a C++ compiler")
    return plain[-1]


def is_sanitized(found):
    """Whether the emulator in a folder needs AddressSanitizer in the process before it can be loaded."""
    return b"__asan_init" in (found / "libcuda.so.1").read_bytes()


@functools.cache
def load():
    """The emulated driver, which gpuplot uses from now on. To be called before gpuplot's first use of CUDA."""
    here = folder()
    os.environ["GPUPLOT_CUDA_DRIVER"] = str(here / "libcuda.so.1")
    os.environ["GPUPLOT_NVRTC"] = str(here / "libnvrtc.so")
    os.environ["XDG_CACHE_HOME"] = str(here / "cache")  # where gpuplot keeps what the fake compiler makes
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
        """Put an array's bytes there at once, past every stream."""
        data = np.ascontiguousarray(array)
        self.emulator.check("emu_poke", ctypes.c_uint64(self.pointer + offset), data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes))
        return self

    def read(self, dtype=np.uint8, shape=None, offset=0):
        """What is there now, as an array."""
        shape = (self.n_bytes - offset) // np.dtype(dtype).itemsize if shape is None else shape
        out = np.empty(shape, dtype)
        self.emulator.check("emu_peek", ctypes.c_uint64(self.pointer + offset), out.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(out.nbytes))
        return out

    def write_late(self, array, stream=LEGACY, offset=0):
        """Queue the write of an array's bytes on a stream: they are there when the stream comes to it."""
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


class Emulator:
    """The fake driver: its control functions, and its calls for what a test's producer does."""

    def __init__(self, path):
        self.path = path
        self.library = ctypes.CDLL(str(path))
        for name in ("emu_counts", "emu_problems", "emu_leaks", "emu_kernels"):
            getattr(self.library, name).restype = ctypes.c_int64
        for name in ("emu_pending", "emu_failures"):
            getattr(self.library, name).restype = ctypes.c_int64
        self.library.emu_memory_used.restype = ctypes.c_uint64
        self.contexts = {}

    def check(self, call, *arguments):
        """Call a function of the driver; an EmulatorError where it fails."""
        code = getattr(self.library, call)(*arguments)
        if code:
            raise EmulatorError(call, code)

    def release(self, call, *arguments):
        """Call a function that releases something, which it does even where it reports an earlier failure."""
        getattr(self.library, call)(*arguments)

    def _text(self, name):
        n = getattr(self.library, name)(None, ctypes.c_int64(0))
        buffer = ctypes.create_string_buffer(n)
        getattr(self.library, name)(buffer, ctypes.c_int64(n))
        return buffer.value.decode()

    # ---- modes and findings

    def reset(self):
        """The usual order and pace, nothing failing, nothing found, nothing counted. Memory and handles stay."""
        self.library.emu_reset()
        self.take_mode(" ".join(map(str, self.usual)))

    def set_order(self, order="forward", seed=1):
        """In which order threads and blocks run: forward, reverse, random, or compare for all three."""
        self.library.emu_set_order((ORDERS | {COMPARE: 3})[order], ctypes.c_uint64(seed))

    def set_pace(self, pace="eager", seed=1):
        """When queued work runs: eager, late (when something waits for it) or random."""
        self.library.emu_set_streams(PACES[pace], ctypes.c_uint64(seed))

    def take_mode(self, words):
        """A mode in words, as the variable EMULATED_MODE has it for a whole run: "reverse late", or "random random 7"."""
        order, pace, seed = (words.split() + ["forward", "eager", "1"][len(words.split()):])[:3]
        self.usual = order, pace, int(seed)
        self.set_order(order, int(seed))
        self.set_pace(pace, int(seed))

    @contextlib.contextmanager
    def mode(self, order="forward", pace="eager", seed=1):
        """This order and pace inside a with block; after it the usual ones again."""
        self.set_order(order, seed)
        self.set_pace(pace, seed)
        try:
            yield self
        finally:
            self.take_mode(" ".join(map(str, self.usual)))

    def fail(self, call, nth=1, code=OUT_OF_MEMORY, sticky=False):
        """Let the nth call of this name from now on fail ("*": of any name, "execute": the running of queued work)."""
        self.library.emu_fail(call.encode(), ctypes.c_int64(nth), code, int(sticky))

    def clear_failures(self):
        """No more injected failures."""
        self.library.emu_fail_clear()

    def failures(self):
        """How many failures were injected."""
        return self.library.emu_failures()

    def recover(self):
        """Heal the contexts in which a kernel failed."""
        self.library.emu_recover()

    def problems(self):
        """What the program under test did wrong, one message each."""
        return self._text("emu_problems").splitlines()

    def clear_problems(self):
        """Forget the problems found so far and return them."""
        found = self.problems()
        self.library.emu_problems_clear()
        return found

    def leaks(self):
        """Everything that is live: allocations, streams, events, modules, retained contexts."""
        return self._text("emu_leaks").splitlines()

    def counts(self):
        """How often each call of the driver was made."""
        return {name: int(n) for name, n in (line.split() for line in self._text("emu_counts").splitlines())}

    def clear_counts(self):
        """Count from zero."""
        self.library.emu_counts_clear()

    def kernels(self):
        """Names of the compiled kernels, with their modules."""
        return {line.split()[0]: line.split()[1] for line in self._text("emu_kernels").splitlines()}

    def allow_streams(self, *streams):
        """Note a problem for work on any stream but these; without an argument every stream is allowed again."""
        array = (ctypes.c_uint64 * max(1, len(streams)))(*streams)
        self.library.emu_allow_streams(array, len(streams) if streams else -1)

    def set_memory_limit(self, n_bytes, device=0):
        """Let allocations fail beyond so many bytes in all; 0: no limit."""
        self.library.emu_set_memory_limit(device, ctypes.c_uint64(n_bytes))

    def memory_used(self, device=0):
        """Bytes of live device memory."""
        return self.library.emu_memory_used(device)

    @contextlib.contextmanager
    def alignment(self, n_bytes):
        """This alignment of new memory inside a with block: the smaller, the nearer lies the forbidden page behind."""
        self.library.emu_set_alignment(n_bytes)
        try:
            yield
        finally:
            self.library.emu_set_alignment(256)

    def drain(self):
        """Run everything that is queued."""
        self.library.emu_drain()

    def pending(self):
        """How much is queued on all streams."""
        return self.library.emu_pending()

    def context_depth(self):
        """How many contexts are current to this thread, one above the other."""
        return self.library.emu_context_depth()

    def thread_state(self):
        """What a library must leave in this thread as it found it: contexts on the stack, the mode towards captures."""
        return {"contexts": self.context_depth(), "capture mode": self.library.emu_capture_mode()}

    # ---- what a producer does

    def primary(self, device=0):
        """The primary context of a device, retained once by this wrapper."""
        if device not in self.contexts:
            context = ctypes.c_void_p()
            self.check("cuInit", 0)
            self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self.contexts[device] = context.value
        return self.contexts[device]

    @contextlib.contextmanager
    def current(self, device=0, context=None):
        """A device's primary context, or this one, current inside a with block."""
        self.check("cuCtxPushCurrent_v2", ctypes.c_void_p(context or self.primary(device)))
        try:
            yield
        finally:
            self.release("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def allocate(self, n_bytes, kind="device", device=0, context=None):
        """Some memory: of kind device, managed, pinned (mapped, too) or pool (stream-ordered)."""
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
        return Memory(self, kind, pointer.value, n_bytes, device)

    def free(self, pointer):
        """Give memory back as its producer would, in the context that it was made in."""
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
        """Let one stream wait for what is queued on another now."""
        with self.event(device) as event, self.current(device):
            self.check("cuEventRecord", ctypes.c_void_p(event), ctypes.c_void_p(before))
            self.check("cuStreamWaitEvent", ctypes.c_void_p(after), ctypes.c_void_p(event), 0)

    def copy_to_host(self, to, pointer, n_bytes, stream=LEGACY, device=0):
        """Queue a copy of device memory to an address of the host."""
        with self.current(device):
            self.check("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(to), ctypes.c_uint64(pointer), ctypes.c_size_t(n_bytes), ctypes.c_void_p(stream))

    def copy_to_device(self, pointer, from_, n_bytes, stream=LEGACY, device=0):
        """Queue a copy from an address of the host to device memory."""
        with self.current(device):
            self.check("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(pointer), ctypes.c_void_p(from_), ctypes.c_size_t(n_bytes), ctypes.c_void_p(stream))

    def device_pointer(self, pointer):
        """The address by which kernels see pinned memory."""
        return self.attributes(pointer)["device_pointer"]

    def attributes(self, pointer, device=0):
        """What the driver says about an address."""
        kinds = {"context": (1, ctypes.c_uint64), "type": (2, ctypes.c_uint), "device_pointer": (3, ctypes.c_uint64), "managed": (8, ctypes.c_uint),
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
