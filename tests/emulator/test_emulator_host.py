"""Every planted defect of host code is found by the emulated device: order, copies, contexts, handles, freed memory."""

import ctypes

import numpy as np
import pytest
from emulated_device import EmulatorError
from planted import planted


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


def test_host_read_before_synchronize(emulator):
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
    assert emulator.driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(8)) == 201
    assert emulator.driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p())) == 201
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
    assert "is not a stream" in emulator.clear_problems()[0]


def test_allowed_streams(emulator):
    """Work on any other stream than those allowed is noted."""
    with emulator.stream() as mine, emulator.allocate(128) as x:
        emulator.allow_streams(mine)
        emulator.launch("planted_fill", planted(None, x, 32), stream=mine)
        assert emulator.problems() == []
        emulator.launch("planted_fill", planted(None, x, 32))
        assert "on stream 0x1, which this test does not allow" in emulator.clear_problems()[0]
        emulator.allow_streams()
