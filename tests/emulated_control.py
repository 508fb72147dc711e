"""Modes, injected failures and findings of the emulated CUDA driver, by ctypes."""

import contextlib
import ctypes

ORDERS = {"forward": 0, "reverse": 1, "random": 2}
# Every launch three times, in all orders from the same memory: a problem where it leaves other bytes.
COMPARE = "compare"
PACES = {"eager": 0, "late": 1, "random": 2}

OUT_OF_MEMORY, INVALID_CONTEXT, LAUNCH_FAILED, NO_DEVICE = 2, 201, 719, 100


class EmulatorError(Exception):
    """A call of the emulated driver by the test itself failed with this code."""

    def __init__(self, call, code):
        super().__init__(f"{call} gave {code}")
        self.code = code


class Control:
    """Functions of the emulated driver for tests, which CUDA's driver does not have."""

    def __init__(self, path):
        self.path = path
        self.driver = ctypes.CDLL(str(path))
        for name in ("emu_counts", "emu_problems", "emu_leaks", "emu_kernels"):
            getattr(self.driver, name).restype = ctypes.c_int64
        for name in ("emu_pending", "emu_failures", "emu_waiting"):
            getattr(self.driver, name).restype = ctypes.c_int64
        self.driver.emu_memory_used.restype = ctypes.c_uint64

    def check(self, call, *arguments):
        """Call a function of the driver; raise EmulatorError if it fails."""
        code = getattr(self.driver, call)(*arguments)
        if code:
            raise EmulatorError(call, code)

    def release(self, call, *arguments):
        """Call a function that releases something, and does so even if it reports an earlier failure."""
        getattr(self.driver, call)(*arguments)

    def _text(self, name):
        n = getattr(self.driver, name)(None, ctypes.c_int64(0))
        buffer = ctypes.create_string_buffer(n)
        getattr(self.driver, name)(buffer, ctypes.c_int64(n))
        return buffer.value.decode()

    def reset(self):
        """Reset order and pace, injected failures, problems and counts. Memory and handles stay."""
        self.driver.emu_reset()
        self.take_mode(" ".join(map(str, self.usual)))

    def set_order(self, order="forward", seed=1):
        """In which order threads and blocks run: forward, reverse, random, or compare for all three."""
        self.driver.emu_set_order((ORDERS | {COMPARE: 3})[order], ctypes.c_uint64(seed))

    def set_pace(self, pace="eager", seed=1):
        """When queued work runs: eager, late (when something waits for it) or random."""
        self.driver.emu_set_streams(PACES[pace], ctypes.c_uint64(seed))

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
        self.driver.emu_fail(call.encode(), ctypes.c_int64(nth), code, int(sticky))

    def clear_failures(self):
        """No more injected failures."""
        self.driver.emu_fail_clear()

    def failures(self):
        """How many failures were injected."""
        return self.driver.emu_failures()

    def recover(self):
        """Make contexts in which a kernel failed usable again."""
        self.driver.emu_recover()

    def problems(self):
        """What the program under test did wrong, one message each."""
        return self._text("emu_problems").splitlines()

    def clear_problems(self):
        """Forget the problems found so far and return them."""
        found = self.problems()
        self.driver.emu_problems_clear()
        return found

    def leaks(self):
        """Everything that is live: allocations, streams, events, modules, retained contexts."""
        return self._text("emu_leaks").splitlines()

    def counts(self):
        """How often each call of the driver was made."""
        return {name: int(n) for name, n in (line.split() for line in self._text("emu_counts").splitlines())}

    def clear_counts(self):
        """Count from zero."""
        self.driver.emu_counts_clear()

    def kernels(self):
        """Names of the compiled kernels, with their modules."""
        return {line.split()[0]: line.split()[1] for line in self._text("emu_kernels").splitlines()}

    def allow_streams(self, *streams):
        """Note a problem for work on any stream but these; without an argument every stream is allowed again."""
        array = (ctypes.c_uint64 * max(1, len(streams)))(*streams)
        self.driver.emu_allow_streams(array, len(streams) if streams else -1)

    def set_memory_limit(self, n_bytes, device=0):
        """Let allocations fail beyond so many bytes in all; 0: no limit."""
        self.driver.emu_set_memory_limit(device, ctypes.c_uint64(n_bytes))

    def memory_used(self, device=0):
        """Bytes of live device memory."""
        return self.driver.emu_memory_used(device)

    @contextlib.contextmanager
    def alignment(self, n_bytes):
        """This alignment of new memory inside a with block: the smaller, the nearer lies the forbidden page behind."""
        self.driver.emu_set_alignment(n_bytes)
        try:
            yield
        finally:
            self.driver.emu_set_alignment(256)

    @contextlib.contextmanager
    def held_copies(self, n_bytes):
        """Copies to the host of so many bytes or more don't run inside a with block; the pace has to be late or random."""
        self.driver.emu_hold_copies(ctypes.c_uint64(n_bytes))
        try:
            yield
        finally:
            self.driver.emu_hold_copies(ctypes.c_uint64(0))

    def waiting(self):
        """How many threads wait for a copy that is held."""
        return self.driver.emu_waiting()

    def drain(self):
        """Run everything that is queued."""
        self.driver.emu_drain()

    def pending(self):
        """The number of operations queued on all streams."""
        return self.driver.emu_pending()

    def context_depth(self):
        """How many contexts are current to this thread, one above the other."""
        return self.driver.emu_context_depth()

    def thread_state(self):
        """The state of this thread that a library must restore: the stack of contexts and the capture mode."""
        return {"contexts": self.context_depth(), "capture mode": self.driver.emu_capture_mode()}
