"""The tests folder on the module path, so that tests import the slow reference as `reference`; which device arrays are on."""

import gc
import os
import signal
import sys
from pathlib import Path

import pytest

_TESTS = str(Path(__file__).resolve().parent)
if _TESTS not in sys.path:
    sys.path.insert(0, _TESTS)


def pytest_addoption(parser):
    parser.addoption("--device", choices=("host", "emulated"), default="host",
                     help="emulated: every host array that a test hands to gpuplot is in memory of the emulated device")


def pytest_configure(config):
    if config.getoption("device") == "emulated":
        import on_device

        on_device.put_arrays_there()


def pytest_collection_modifyitems(config, items):
    """Marks what is run under sanitizers, too; on a device, leaves out what is marked as being about host memory or uses one."""
    for item in items:
        if item.path.name.startswith("test_cuda_"):
            item.add_marker("cuda")
    if config.getoption("device") == "host":
        return
    is_left_out = {item: item.get_closest_marker("host") is not None or "emulated" in item.fixturenames for item in items}
    config.hook.pytest_deselected(items=[item for item in items if is_left_out[item]])
    items[:] = [item for item in items if not is_left_out[item]]


def pytest_collection_finish():
    """What is there before the tests is no garbage: thousands of tests and libraries, which each collection would go through."""
    _set_aside()


def pytest_runtest_teardown(item, nextitem):
    """The same for what a file of tests has loaded."""
    if nextitem is None or nextitem.path != item.path:
        _set_aside()


def _set_aside():
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_wrong_on_the_device(request):
    """After each test whose arrays were on the emulated device, that has seen no forbidden access, no misuse."""
    yield
    if request.config.getoption("device") == "emulated":
        import emulated_device

        assert emulated_device.load().clear_problems() == []


@pytest.fixture(scope="session")
def emulated_library():
    """The emulated driver, loaded once; where it isn't built, a skip that says how to build it."""
    import emulated_device

    try:
        return emulated_device.load()
    except emulated_device.EmulatorMissing as reason:
        pytest.skip(str(reason))


@pytest.fixture
def emulated(emulated_library):
    """The emulated device, clean; afterwards it must have found nothing wrong, and no context may be left current."""
    emulated_library.reset()
    before = emulated_library.thread_state()
    yield emulated_library
    emulated_library.drain()
    problems = emulated_library.problems()
    emulated_library.reset()
    assert problems == []
    assert emulated_library.thread_state() == before


@pytest.fixture
def emulator(emulated):
    """The emulated device, whose problems the test itself looks at."""
    before = set(emulated.leaks())
    yield emulated
    emulated.reset()
    assert set(emulated.leaks()) - before <= {f"primary context of device {device}: retained 1 times" for device in (0, 1)}


@pytest.fixture
def runtime(emulated, monkeypatch):
    """State of the libraries on the emulated device, with PyTorch and CuPy in sys.modules."""
    from foreign_arrays import installed
    from foreign_memory import Runtime

    state = installed(monkeypatch, Runtime(emulated))
    yield state
    emulated.drain()
    for memory in state.memories:
        memory.free()


@pytest.fixture
def own_stream(emulated):
    """A stream of a library that nothing but an event or the host can wait for."""
    with emulated.stream() as handle:
        yield handle
        emulated.drain()


@pytest.fixture
def slow(monkeypatch):
    """Conversions begin when the test says so."""
    from slow_transfers import hold

    yield from hold(monkeypatch)


@pytest.fixture
def ctrl_c():
    """A function that does what Ctrl-C does, and Python's own answer to it: shells have background jobs ignore the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: os.kill(os.getpid(), signal.SIGINT)
    signal.signal(signal.SIGINT, before)
