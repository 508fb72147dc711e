"""The emulated device itself: kernels, memory, streams; and every planted defect is found."""

import re
import struct

import numpy as np
import pytest
from emulated_device import MODES, ROOT, EmulatorError


def planted(in_, out, n):
    """The bytes of a planted_args."""
    return struct.pack("QQq", in_.pointer if in_ else 0, out.pointer if out else 0, n)


@pytest.fixture
def emulator(emulated):
    """The emulated device, whose problems the test itself looks at."""
    yield emulated
    emulated.clear_failures()
    emulated.drain()
    emulated.clear_problems()
    emulated.recover()


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
        emulator.launch("planted_sum", planted(x, y, 1000), 4, 256)
        emulator.synchronize()
        assert y.read(np.float32).tolist() == [values[i : i + 256].sum() for i in range(0, 1000, 256)]
    assert emulator.problems() == []


def test_too_many_threads(emulator):
    """A launch with more threads than GP_KERNEL says is refused."""
    with emulator.allocate(16) as y, pytest.raises(EmulatorError) as error:
        emulator.launch("planted_fill", planted(None, y, 4), 1, 512)
    assert error.value.code == 701
    assert "512 threads" in emulator.problems()[0]


def test_out_of_bounds_read(emulator):
    """A read behind the end is found, and the context is poisoned."""
    with emulator.alignment(16), emulator.upload(np.zeros(64, np.float32)) as x, emulator.allocate(4096) as y:
        emulator.launch("planted_add", planted(x, y, 65), 1, 96)
        with pytest.raises(EmulatorError) as error:
            emulator.synchronize()
        assert error.value.code == 700
        problem = emulator.problems()[0]
        assert "planted_add" in problem and "thread (64, 0, 0)" in problem and "0 bytes after the end" in problem
        emulator.recover()
