"""Every planted defect of a kernel is found by the emulated device, and correct kernels pass in every order."""

import re
import shutil
import struct
import subprocess

import emulated_device
import numpy as np
import pytest
from emulated_device import LAUNCH_FAILED, MODES, ORDERS
from planted import ILLEGAL_ADDRESS, INVALID_VALUE, planted, run, survives

# ---- what is right passes -------------------------------------------------------------------------------------------


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
    """What is read behind a shared array is not a sensible number."""
    with emulator.allocate(4096) as y:
        run(emulator, "planted_shared_read", planted(None, y, 16), 1, 32)
        assert abs(y.read(np.float32)[0]) > 1e30


@survives
@pytest.mark.parametrize("index", [-4096, -20000, 1 << 20, -(1 << 20)])
def test_shared_memory_read_far_away(emulator, index):
    """Also after a kernel that had more of it."""
    with emulator.allocate(4096) as y:
        run(emulator, "planted_too_much_shared", planted(None, y, 0), 1, 32)
        assert run(emulator, "planted_shared_read", planted(None, y, index), 1, 32)[0] == ILLEGAL_ADDRESS


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


@pytest.mark.parametrize(("blocks", "threads", "code"), [(1, 512, 701), (1, 2048, INVALID_VALUE),
                                                         ((1, 70000, 1), 32, INVALID_VALUE), (0, 32, INVALID_VALUE)])
def test_shapes_of_launches(emulator, blocks, threads, code):
    """A launch that a device refuses, or with more threads than GP_KERNEL says, is refused."""
    with emulator.allocate(16) as y:
        found, problems = run(emulator, "planted_fill", planted(None, y, 4), blocks, threads)
    assert found == code
    assert "planted_fill" in problems[0]


def test_modules_share_no_code(emulated_library):
    """Functions of one name that are compiled for two classes stay apart: the linker would keep one of them for both."""
    if shutil.which("nm") is None:
        pytest.skip("no nm")
    names = subprocess.run(["nm", "-C", str(emulated_device.folder() / "libcuda.so.1")], capture_output=True, text=True, check=True).stdout
    of_kernels = [line for line in names.splitlines() if re.search(r" [a-zA-Z] .*\bgp_\w+", line) and "gp_emu" not in line]
    assert of_kernels
    assert [line for line in of_kernels if "(anonymous namespace)" not in line] == []
