"""The emulated device itself: its words of CUDA, and that every planted defect of a kernel or of host code is found."""

import ctypes
import os
import re
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import emulated_device
import numpy as np
import pytest
from emulated_device import (
    LAUNCH_FAILED,
    MODES,
    NO_DEVICE,
    ORDERS,
    OUT_OF_MEMORY,
    ROOT,
    EmulatorError,
)

ILLEGAL_ADDRESS, INVALID_VALUE = 700, 1


def planted(in_, out, n):
    """The bytes of a planted_args."""
    return struct.pack("QQq", in_.pointer if in_ else 0, out.pointer if out else 0, n)


# AddressSanitizer ends the process at such an access: test_sanitizer_names_the_place.
survives = pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer ends the process")


@pytest.fixture
def emulator(emulated):
    """The emulated device, whose problems the test itself looks at."""
    before = set(emulated.leaks())
    yield emulated
    emulated.reset()
    assert set(emulated.leaks()) - before <= {f"primary context of device {device}: retained 1 times" for device in (0, 1)}


def run(emulator, *launch, **options):
    """Launch, wait, and give the code of what went wrong with the problems noted; (0, []) if nothing did."""
    code = 0
    try:
        emulator.launch(*launch, **options)
        emulator.synchronize(device=options.get("device", 0))
    except EmulatorError as error:
        code = error.code
    emulator.recover()
    return code, emulator.clear_problems()


# ---- what is right passes -------------------------------------------------------------------------------------------


def test_every_call_of_the_driver_is_exported(emulator):
    """Nothing in the table of native/cuda/driver.h is missing here."""
    text = (ROOT / "native" / "cuda" / "driver.h").read_text()
    names = re.findall(r'X\(\w+, "(cu\w+)"', text)
    assert len(names) > 30
    for name in names:
        assert hasattr(emulator.library, name), name


@pytest.mark.parametrize(("order", "pace"), MODES)
def test_block_sum(emulator, order, pace):
    """Shuffles, shared memory and a barrier give a block's sum in every mode."""
    values = np.arange(1000, dtype=np.float32)
    with emulator.mode(order, pace), emulator.upload(values) as x, emulator.allocate(16) as y:
        assert run(emulator, "planted_sum", planted(x, y, 1000), 4, 256) == (0, [])
        assert y.read(np.float32).tolist() == [values[i : i + 256].sum() for i in range(0, 1000, 256)]


@pytest.mark.parametrize("order", ORDERS)
def test_words(emulator, order):
    """Each word of device.cuh gives what CUDA's documentation says."""
    with emulator.mode(order), emulator.allocate(256 * 4) as y:
        assert run(emulator, "planted_words", planted(None, y, 256), 1, 256) == (0, [])
        assert not y.read(np.float32).any()


@pytest.mark.parametrize("order", ORDERS)
def test_places(emulator, order):
    """Blocks and threads of three dimensions are all run, each once."""
    with emulator.mode(order), emulator.allocate(2 * 3 * 4 * 30 * 4) as y:
        assert run(emulator, "planted_places", planted(None, y, 720), (2, 3, 4), (5, 3, 2)) == (0, [])
        assert y.read(np.float32).tolist() == list(range(720))


# ---- kernels with a defect ------------------------------------------------------------------------------------------


def test_missing_barrier(emulator):
    """Without its barrier the sum is poison in one order and differs between orders."""
    values = np.arange(256, dtype=np.float32)
    sums = {}
    with emulator.upload(values) as x, emulator.allocate(4) as y:
        for order in ORDERS:
            with emulator.mode(order):
                run(emulator, "planted_sum_without_barrier", planted(x, y, 256), 1, 256)
                sums[order] = y.read(np.float32)[0]
    assert np.isnan(sums["forward"])
    assert sums["reverse"] == values.sum()


def test_orders_are_compared(emulator):
    """With every launch run in all orders, what depends on the order is a problem, and nothing else is."""
    values = np.arange(512, dtype=np.float32)
    with emulator.mode("compare"), emulator.upload(values) as x, emulator.allocate(8) as y, emulator.allocate(8) as z:
        assert run(emulator, "planted_sum", planted(x, y, 512), 2, 256) == (0, [])
        assert y.read(np.float32).tolist() == [values[:256].sum(), values[256:].sum()]
        code, problems = run(emulator, "planted_sum_without_barrier", planted(x, z, 512), 2, 256)
        assert code == 0 and len(problems) == 1
        assert "planted_sum_without_barrier gives other bytes in reverse order, first at byte 0 of device memory of 8" in problems[0]


@survives
@pytest.mark.parametrize("order", ORDERS)
def test_read_behind_the_end(emulator, order):
    """A read behind an allocation ends the launch and names kernel, thread and memory."""
    with emulator.mode(order), emulator.alignment(4), emulator.upload(np.zeros(70, np.float32)) as x, emulator.allocate(4096) as y:
        code, problems = run(emulator, "planted_add", planted(x, y, 71), 1, 96)
    assert code == ILLEGAL_ADDRESS
    assert "kernel planted_add, block (0, 0, 0), thread (70, 0, 0)" in problems[0]
    assert "0 bytes after the end of device memory of 280 bytes on device 0" in problems[0]


@survives
def test_write_behind_the_end(emulator):
    """A write behind an allocation is found, even where its alignment leaves room for it."""
    with emulator.allocate(400) as y:
        code, problems = run(emulator, "planted_fill", planted(None, y, 101), 1, 128)
        assert code == 0 and "out-of-bounds write by kernel planted_fill: 0 bytes after the end of device memory of 400" in problems[0]
        code, problems = run(emulator, "planted_fill", planted(None, y, 2000), 20, 128)
        assert code == ILLEGAL_ADDRESS and "bytes after the end of device memory of 400" in problems[0]


@survives
def test_write_before_the_start(emulator):
    """So is one before it."""
    with emulator.allocate(4096) as y, emulator.allocate(256) as z:
        before = struct.pack("QQq", 0, z.pointer - 8, 1)
        code, problems = run(emulator, "planted_fill", before, 1, 32)
        assert code == 0 and "8 bytes before device memory of 256" in problems[0]
        code, problems = run(emulator, "planted_fill", struct.pack("QQq", 0, y.pointer - 4, 1), 1, 32)
        assert code == ILLEGAL_ADDRESS and "4 bytes before device memory of 4096" in problems[0]


def test_use_after_free(emulator):
    """Freed memory can't be used, and the message says that it was freed."""
    with emulator.allocate(4096) as y:
        gone = emulator.allocate(4096)
        args = planted(gone, y, 32)
        gone.free()
        code, problems = run(emulator, "planted_add", args, 1, 32)
    assert code == ILLEGAL_ADDRESS
    assert "freed" in problems[0]


def test_memory_of_another_device(emulator):
    """A kernel of one device can't use another one's memory."""
    with emulator.allocate(4096, device=1) as x, emulator.allocate(4096) as y:
        code, problems = run(emulator, "planted_add", planted(x, y, 32), 1, 32)
    assert code == ILLEGAL_ADDRESS
    assert "on device 1" in problems[0]


def test_host_pointer_in_a_kernel(emulator):
    """Kernels get pinned memory by its address on the device, not on the host."""
    with emulator.allocate(4096, kind="pinned") as x, emulator.allocate(4096) as y:
        code, problems = run(emulator, "planted_add", planted(x, y, 32), 1, 32)
        assert code == ILLEGAL_ADDRESS and "by its address on the host" in problems[0]
        x.host_view(np.float32)[:32] = 7
        right = struct.pack("QQq", emulator.device_pointer(x.pointer), y.pointer, 32)
        assert run(emulator, "planted_add", right, 1, 32) == (0, [])
        assert (y.read(np.float32)[:32] == 8).all()


@survives
def test_shared_memory_overrun(emulator):
    """Writing over either end of a shared array is found, however far it goes."""
    with emulator.allocate(4096) as y:
        for index, where in ((16, "past the end of shared array second"), (-1, "before shared array second")):
            code, problems = run(emulator, "planted_shared_write", planted(None, y, index), 1, 32)
            assert code == LAUNCH_FAILED and where in problems[0], problems
        code, problems = run(emulator, "planted_shared_write", planted(None, y, 1 << 20), 1, 32)
        assert code == ILLEGAL_ADDRESS
        assert run(emulator, "planted_shared_write", planted(None, y, 15), 1, 32) == (0, [])


@survives
def test_shared_memory_overread(emulator):
    """What is read behind a shared array is no sensible number."""
    with emulator.allocate(4096) as y:
        run(emulator, "planted_shared_read", planted(None, y, 16), 1, 32)
        assert abs(y.read(np.float32)[0]) > 1e30


def test_too_much_shared_memory(emulator):
    """48 KB and no more."""
    with emulator.allocate(4096) as y:
        code, problems = run(emulator, "planted_too_much_shared", planted(None, y, 0), 1, 32)
    assert code == LAUNCH_FAILED
    assert "more than 49152 bytes of shared memory" in problems[0]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("which", "threads", "message"), [
    (0, 64, "32 of 64 threads wait at __syncthreads()"),
    (1, 64, "divergence: some threads wait at __syncthreads()"),
    (2, 32, "__syncwarp"),
    (3, 32, "does not contain the calling lane"),
    (4, 32, "its lane 1 in __ballot_sync with mask 0xffffffff"),
    (5, 32, "reads lane 20, which is not in the mask 0x0000ffff"),
    (6, 40, "names lane 8, but the block ends before it"),
    (7, 32, "16 of 32 threads wait at __syncthreads()"),
])
def test_meetings(emulator, order, which, threads, message):
    """Barriers and warp functions that don't meet end the launch with a message."""
    with emulator.mode(order), emulator.allocate(4096) as y:
        code, problems = run(emulator, "planted_meetings", planted(None, y, which), 1, threads)
    assert code == LAUNCH_FAILED
    assert message in problems[0] and "planted.cu" in problems[0], problems


def test_stack_overflow(emulator):
    """A thread whose stack is full is told apart from a wrong address."""
    with emulator.allocate(4096) as y:
        assert run(emulator, "planted_recursion", planted(None, y, 3), 1, 32) == (0, [])
        code, problems = run(emulator, "planted_recursion", planted(None, y, 10000), 1, 32)
    assert code == LAUNCH_FAILED
    assert "stack is full" in problems[0]


@pytest.mark.parametrize(("blocks", "threads", "code"), [(1, 512, 701), (1, 2048, INVALID_VALUE), ((1, 70000, 1), 32, INVALID_VALUE), (0, 32, INVALID_VALUE)])
def test_shapes_of_launches(emulator, blocks, threads, code):
    """A launch that a device refuses, or with more threads than GP_KERNEL says, is refused."""
    with emulator.allocate(16) as y:
        found, problems = run(emulator, "planted_fill", planted(None, y, 4), blocks, threads)
    assert found == code
    assert "planted_fill" in problems[0]


# ---- host code with a defect ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", ["late", "random"])
def test_missing_wait_for_an_event(emulator, pace):
    """Work on a stream that doesn't wait for the producer's sees the poison of new memory; with the wait it sees the values."""
    def first_sum(wait):
        with (emulator.stream() as producer, emulator.stream() as consumer, emulator.allocate(128) as x, emulator.allocate(4) as y):
            x.write_late(np.ones(32, np.float32), producer)
            if wait:
                emulator.order(producer, consumer)
            emulator.launch("planted_sum", planted(x, y, 32), 1, 32, stream=consumer)
            emulator.synchronize(consumer)
            found = y.read(np.float32)[0]
            emulator.synchronize()
            return found

    right, wrong = [], []
    for seed in range(1, 9 if pace == "random" else 2):
        with emulator.mode(pace=pace, seed=seed):
            right.append(first_sum(True))
            wrong.append(first_sum(False))
    assert set(right) == {32.0}
    assert any(value < -1e8 for value in wrong)
    assert emulator.problems() == []


def test_legacy_stream_is_ordered_with_blocking_streams(emulator):
    """Work on the legacy stream waits for blocking streams and they for it; a non-blocking stream does not."""
    with emulator.mode(pace="late"), emulator.stream(blocking=True) as blocking, emulator.stream() as free, emulator.allocate(4) as x:
        x.write_late(np.float32(1), blocking)
        emulator.synchronize(1)
        assert x.read(np.float32)[0] == 1
        x.write_late(np.float32(2), 1)
        emulator.launch("planted_places", planted(None, None, 0), stream=blocking)
        emulator.synchronize(blocking)
        assert x.read(np.float32)[0] == 2
        x.write_late(np.float32(3), free)
        emulator.synchronize(1)
        emulator.synchronize(blocking)
        assert x.read(np.float32)[0] == 2
        emulator.synchronize(free)
        assert x.read(np.float32)[0] == 3


def test_host_read_before_synchronise(emulator):
    """The destination of a queued copy holds poison until the copy has run, and the copy notices a host that writes there."""
    with emulator.mode(pace="late"), emulator.upload(np.full(8, 3.0)) as x, emulator.allocate(64, "pinned") as host:
        view = host.host_view(np.float64)
        view[:] = 5.0
        emulator.copy_to_host(host.pointer, x.pointer, 64)
        assert (view.view(np.uint8) == 0xDB).all()
        emulator.synchronize()
        assert (view == 3.0).all()
        emulator.copy_to_host(host.pointer, x.pointer, 64)
        view[2] = 1.0
        emulator.synchronize()
        assert "the host wrote to the 64 bytes" in emulator.clear_problems()[0]


def test_source_changed_before_the_copy(emulator):
    """The source of a queued copy must stay as it was, unless an earlier copy fills it."""
    with emulator.mode(pace="late"), emulator.allocate(64) as x, emulator.allocate(64) as y, emulator.allocate(64, "pinned") as host:
        view = host.host_view(np.float64)
        view[:] = 2.0
        emulator.copy_to_device(x.pointer, host.pointer, 64)  # from the host's values,
        emulator.copy_to_host(host.pointer, x.pointer, 64)  # over them,
        emulator.copy_to_device(y.pointer, host.pointer, 64)  # and on: all is queued, and lawful
        emulator.synchronize()
        assert emulator.problems() == [] and (y.read(np.float64) == 2.0).all()
        emulator.copy_to_device(x.pointer, host.pointer, 64)
        view[0] = 9.0
        emulator.synchronize()
        assert "the host changed the 64 source bytes" in emulator.clear_problems()[0]


def test_pageable_memory_in_a_copy(emulator):
    """An asynchronous copy wants pinned memory."""
    plain = np.zeros(8)
    with emulator.allocate(64) as x:
        emulator.copy_to_device(x.pointer, plain.ctypes.data, 64)
    assert "not pinned" in emulator.clear_problems()[0]


def test_copy_beyond_the_end(emulator):
    """A copy that is longer than its memory is refused."""
    with emulator.allocate(60) as x, emulator.allocate(64, "pinned") as host, pytest.raises(EmulatorError):
        emulator.copy_to_host(host.pointer, x.pointer, 64)
    assert "60 bytes" in emulator.clear_problems()[0]


def test_host_touches_device_memory(emulator):
    """Host code that follows a device pointer is noted, and lives."""
    with emulator.upload(np.arange(4.0)) as x:
        assert ctypes.c_double.from_address(x.pointer + 8).value == 1.0
        assert "the host touched byte 8 of device memory of 32 bytes" in emulator.clear_problems()[0]


def test_free_while_queued(emulator):
    """Memory that queued work uses must not be freed."""
    with emulator.mode(pace="late"), emulator.allocate(128) as x:
        y = emulator.allocate(128)
        emulator.launch("planted_fill", planted(None, y, 32))
        with emulator.current():
            emulator.check("cuMemFree_v2", ctypes.c_uint64(y.pointer))
        assert "is freed while kernel planted_fill" in emulator.clear_problems()[0]
        emulator.launch("planted_fill", planted(None, x, 32))
        emulator.synchronize()
    assert emulator.problems() == []


def test_leaks_are_listed(emulator):
    """What a program forgets to give back is in the list."""
    before = emulator.leaks()
    with emulator.allocate(1234), emulator.allocate(77, "pinned"), emulator.stream(), emulator.event():
        found = [line for line in emulator.leaks() if line not in before]
    assert len(found) == 4
    text = "\n".join(found)
    for word in ("device memory: 1234 bytes", "pinned memory: 77 bytes", "stream ", "event "):
        assert word in text


def test_contexts(emulator):
    """Calls without a current context, and more pops than pushes, are noted; the depth tells of forgotten ones."""
    pointer = ctypes.c_uint64()
    assert emulator.library.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(8)) == 201
    assert emulator.library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p())) == 201
    assert [problem.split(" was")[0] for problem in emulator.clear_problems()] == ["cuMemAlloc_v2", "cuCtxPopCurrent"]
    with emulator.current():
        assert emulator.context_depth() == 1
    assert emulator.context_depth() == 0


def test_handles_of_another_context(emulator):
    """A stream is refused where another context than its own is current, and memory of another device in a copy."""
    with emulator.stream(device=1) as other, emulator.allocate(64, device=1) as x, emulator.allocate(64, "pinned") as host:
        with pytest.raises(EmulatorError) as error:
            emulator.synchronize(other, device=0)
        assert error.value.code == 400
        with pytest.raises(EmulatorError):
            emulator.copy_to_host(host.pointer, x.pointer, 64)
    assert "memory of device 1 while the context of device 0 is current" in emulator.clear_problems()[0]


def test_destroyed_handles(emulator):
    """A stream that was destroyed is noted where a real driver might crash."""
    with emulator.stream() as stream:
        pass
    with pytest.raises(EmulatorError):
        emulator.synchronize(stream)
    assert "is no stream" in emulator.clear_problems()[0]


def test_allowed_streams(emulator):
    """Work on any other stream than those allowed is noted."""
    with emulator.stream() as mine, emulator.allocate(128) as x:
        emulator.allow_streams(mine)
        emulator.launch("planted_fill", planted(None, x, 32), stream=mine)
        assert emulator.problems() == []
        emulator.launch("planted_fill", planted(None, x, 32))
        assert "on stream 0x1, which this test does not allow" in emulator.clear_problems()[0]
        emulator.allow_streams()


# ---- what tests can ask for -----------------------------------------------------------------------------------------


def test_failures(emulator):
    """The nth call fails, once or from then on; a call that releases something does it nevertheless."""
    emulator.fail("cuMemAlloc_v2", 2, OUT_OF_MEMORY)
    with emulator.allocate(8):
        with pytest.raises(EmulatorError) as error:
            emulator.allocate(8)
        assert error.value.code == OUT_OF_MEMORY and emulator.failures() == 1
        emulator.allocate(8).free()
    emulator.fail("cuMemFree_v2", 1, LAUNCH_FAILED, sticky=True)
    x = emulator.allocate(8)
    n_before = len(emulator.leaks())
    with emulator.current():
        assert emulator.library.cuMemFree_v2(ctypes.c_uint64(x.pointer)) == LAUNCH_FAILED
    assert len(emulator.leaks()) == n_before - 1


def test_failing_kernel_poisons_the_context(emulator):
    """After a kernel failed every call of the context does, until the test heals it."""
    with emulator.allocate(128) as x:
        emulator.fail("execute", 1, LAUNCH_FAILED)
        emulator.launch("planted_fill", planted(None, x, 32))
        for _ in range(2):
            with pytest.raises(EmulatorError) as error:
                emulator.allocate(8)
            assert error.value.code == LAUNCH_FAILED
        emulator.allocate(8, device=1).free()
        emulator.recover()
        emulator.allocate(8).free()


def test_memory_limit(emulator):
    """Beyond the limit there is no memory, of that device."""
    emulator.set_memory_limit(emulator.memory_used() + 1000)
    with emulator.allocate(900):
        with pytest.raises(EmulatorError) as error:
            emulator.allocate(200)
        assert error.value.code == OUT_OF_MEMORY
        emulator.allocate(200, device=1).free()
    emulator.allocate(1000).free()


def test_capture(emulator):
    """A capturing stream says so, the legacy stream can't be asked meanwhile, and allocating spoils the capture."""
    def status(stream):
        found = ctypes.c_int(-1)
        with emulator.current():
            code = emulator.library.cuStreamIsCapturing(ctypes.c_void_p(stream), ctypes.byref(found))
        return code, found.value

    with emulator.stream(blocking=True) as stream, emulator.stream() as other, emulator.allocate(128) as x:
        x.write(np.zeros(32, np.float32))
        with emulator.capture(stream):
            emulator.launch("planted_fill", planted(None, x, 32), stream=stream)
            assert status(stream) == (0, 1) and status(other) == (0, 0) and status(1)[0] == 906
            with pytest.raises(EmulatorError):
                emulator.allocate(8)
            assert status(stream) == (0, 2)
        assert status(stream) == (0, 0) and status(1) == (0, 0)
        assert not x.read(np.float32).any()


@pytest.mark.parametrize(("thread", "capture", "allowed"), [(0, 0, False), (0, 1, False), (0, 2, True), (1, 1, False), (2, 0, True)])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_calls_during_a_capture(emulator, thread, capture, allowed, elsewhere):
    """Whether a call may allocate depends on the modes of capture and thread, and on who captures."""
    mode = ctypes.c_int(thread)
    with emulator.stream() as stream, emulator.capture(stream, mode=capture):
        def allocate():
            emulator.library.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode))
            try:
                emulator.allocate(8).free()
                return True
            except EmulatorError as error:
                assert error.code == 900
                return False
            finally:
                emulator.library.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode))
        if elsewhere:
            with ThreadPoolExecutor(1) as pool:
                found = pool.submit(allocate).result()
            assert found == (allowed or thread == 1 or capture == 1)
        else:
            assert allocate() == allowed


@pytest.mark.parametrize("kind", ["device", "managed", "pinned", "pool"])
def test_attributes_of_pointers(emulator, kind):
    """Each kind of memory has the attributes that drivers report for it."""
    with emulator.allocate(1000, kind, device=1) as x:
        inside = emulator.attributes(x.pointer + 999)
        assert inside["range"] == (x.pointer, 1000) and inside["device"] == 1
        assert inside["type"] == (1 if kind == "pinned" else 2) and inside["managed"] == (kind == "managed")
        assert inside["context"] == (0 if kind == "pool" else emulator.primary(1))
        assert (inside["device_pointer"] == x.pointer + 999) == (kind != "pinned") and inside["device_pointer"]
        address = x.pointer
    assert emulator.attributes(address)["type"] == 0
    assert emulator.attributes(np.zeros(8).ctypes.data)["type"] == 0


def test_other_context(emulator):
    """Memory of a context that isn't the primary one says so."""
    with emulator.other_context() as context, emulator.allocate(64, context=context) as x:
        assert emulator.attributes(x.pointer)["context"] == context != emulator.primary()
    assert emulator.context_depth() == 0


# ---- other libraries ------------------------------------------------------------------------------------------------


def in_another_process(code, **environment):
    """What a program prints that has the emulated driver as `driver`."""
    start = f"import ctypes, os; driver = ctypes.CDLL({str(emulated_device.folder() / 'libcuda.so.1')!r}); n = ctypes.c_int(-1)\n"
    done = subprocess.run([sys.executable, "-c", start + code], env=os.environ | environment, capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_machines_that_differ(emulated_library):
    """The environment makes machines without a device, with another number of them, with another driver, or a broken one."""
    ask = "print(driver.cuInit(0), driver.cuDeviceGetCount(ctypes.byref(n)), n.value)"
    assert in_another_process(ask, EMU_DEVICES="0")[0] == str(NO_DEVICE)
    assert in_another_process(ask, EMU_DEVICES="4") == ["0", "0", "4"]
    assert in_another_process(ask, EMU_INIT_CODE="803")[0] == "803"
    assert in_another_process("print(driver.cuDriverGetVersion(ctypes.byref(n)), n.value)", EMU_DRIVER_VERSION="11040") == ["0", "11040"]


def test_forked_child(emulated_library):
    """A process forked from one that called cuInit can't call anything."""
    code = "driver.cuInit(0)\nif os.fork(): os.wait()\nelse: print(driver.cuDeviceGetCount(ctypes.byref(n)))"
    assert in_another_process(code) == ["3"]


@survives
def test_problems_are_told_at_the_end(emulated_library):
    """A program that doesn't ask what was wrong is told, and fails where it is to be strict."""
    code = f"""
import sys; sys.path.insert(0, {str(ROOT / "tests")!r})
import emulated_device, struct
emulator = emulated_device.load()
y = emulator.allocate(400)
emulator.launch("planted_fill", struct.pack("QQq", 0, y.pointer, 101), 1, 128)
emulator.synchronize()
"""
    for strict in ("0", "1"):
        done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"EMU_STRICT": strict}, capture_output=True, text=True, timeout=60,
                              check=False)
        assert "emulated CUDA: out-of-bounds write by kernel planted_fill" in done.stderr
        assert done.returncode == int(strict)


def test_old_driver(emulated_library):
    """The driver that is too old lacks one call that gpuplot needs, and no other."""
    old = ctypes.CDLL(str(emulated_device.folder() / "old" / "libcuda.so.1"))
    assert not hasattr(old, "cuPointerGetAttributes")
    assert hasattr(old, "cuLaunchKernel") and hasattr(old, "cuInit")


@pytest.fixture
def compile_source(emulated_library):
    """A function that compiles a source with the fake NVRTC: its status, log and image."""
    nvrtc = ctypes.CDLL(str(emulated_device.folder() / "libnvrtc.so"))

    def compile_source(source, *options):
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"planted", 0, None, None) == 0
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        status = nvrtc.nvrtcCompileProgram(program, len(options), given)
        texts = []
        for what in ("ProgramLog", "CUBIN"):
            getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
            buffer = ctypes.create_string_buffer(max(1, size.value))
            if size.value:
                getattr(nvrtc, f"nvrtcGet{what}")(program, buffer)
            texts.append(buffer.value.decode())
        assert nvrtc.nvrtcDestroyProgram(ctypes.byref(program)) == 0 and nvrtc.emu_nvrtc_live_programs() == 0
        return status, *texts

    return compile_source


def test_nvrtc(compile_source):
    """A whole source with the options that gpuplot gives compiles; contraction, unknown options and missing headers don't."""
    source, good = "#include <math.h>\nGP_KERNEL(name, args, 32) {}", ("--gpu-architecture=sm_90", "--fmad=false")
    assert compile_source(source, *good) == (0, "", "EMULATED-CUBIN planted sm_90")
    assert "--fmad=false is missing" in compile_source(source, good[0])[1]
    assert compile_source(source, *good, "--use_fast_math")[:2] == (5, "nvrtc: error: unrecognized option --use_fast_math")
    assert "could not open source file" in compile_source('#include "device.cuh"\n' + source, *good)[1]
    assert "no kernel" in compile_source("int x;", *good)[1]


def test_images(emulator):
    """A driver takes images of its own generation, fatbins and PTX, and refuses other bytes."""
    module = ctypes.c_void_p()
    with emulator.current():
        for image, code in ((b"EMULATED-CUBIN planted sm_90", 0), (b"EMULATED-CUBIN planted sm_80", 209), (b"EMULATED-CUBIN planted compute_75", 0),
                            (b"\x50\xed\x55\xba" + bytes(40), 0), (b"\x7fELF" + bytes(40), 0), (b"no image at all", 200)):
            assert emulator.library.cuModuleLoadData(ctypes.byref(module), image) == code, image
            if not code:
                emulator.check("cuModuleUnload", module)


def test_sanitizer_names_the_place(emulated_library):
    """Where the emulator is built with AddressSanitizer, a wrong access ends the process and names kernel, line and memory."""
    if not emulated_device.is_sanitized(emulated_device.folder()):
        pytest.skip("the emulator isn't built with AddressSanitizer")
    code = f"""
import sys; sys.path.insert(0, {str(ROOT / "tests")!r})
import emulated_device, struct
emulator = emulated_device.load()
x, y = emulator.allocate(280), emulator.allocate(4096)
emulator.launch("planted_add", struct.pack("QQq", x.pointer, y.pointer, 71), 1, 96)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0
    for words in ("use-after-poison", "planted.cu", "kernel planted_add, block (0, 0, 0), thread (70, 0, 0)", "0 bytes after the end of device memory of 280"):
        assert words in done.stderr, done.stderr
