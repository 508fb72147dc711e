"""Options of a run (effort, seed, device, what ran already), its distribution over workers, and the fixtures of all tests."""

import gc
import os
import signal
import sys
from pathlib import Path

import pytest

_TESTS = str(Path(__file__).resolve().parent)
if _TESTS not in sys.path:
    sys.path.insert(0, _TESTS)


import distribution  # noqa: E402, needs the path
import effort  # noqa: E402
import matrix  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--device", choices=("host", "emulated"), default="host",
                     help="emulated: every host array that a test hands to gpuplot is in memory of the emulated device")
    parser.addoption("--effort", choices=tuple(effort.EFFORTS), default="quick",
                     help="which part of matrices, modes and examples runs (default: quick)")
    parser.addoption("--seed", default="", help="what picks the cases of a part (default: GPUPLOT_TEST_SEED, else the commit's hash)")
    parser.addoption("--part", type=float, default=1.0, help="which part of the test functions runs, from 0 to 1, picked by the seed")
    parser.addoption("--ran", default="", help="a file of the cases that passed before: they are left out, and those that pass are added")


def pytest_configure(config):
    effort.begin(config.getoption("effort"), config.getoption("seed"))
    config.option.hypothesis_seed = str(effort.number("hypothesis"))
    if config.getoption("device") == "emulated":
        import on_device

        on_device.put_arrays_there()
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(distribution.Seconds(config))
        if config.getoption("ran"):
            config.pluginmanager.register(_Ran(config))


def pytest_report_header():
    return f"effort: {effort.current()}, --seed={effort.seed()}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from file_scheduling import FileScheduling

    return FileScheduling(config, log)


def pytest_generate_tests(metafunc):
    matrix.parametrize(metafunc, effort.share_of(metafunc.definition.nodeid.partition("::")[0]), effort.seed())


class _Ran:
    """A plugin that appends the cases that passed, each with its device, to the file of ``--ran``."""

    def __init__(self, config):
        self.path, self.device, self.passed = Path(config.getoption("ran")), config.getoption("device"), set()

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.passed.add(f"{self.device} {report.nodeid}")

    def pytest_sessionfinish(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.writelines(f"{nodeid}\n" for nodeid in sorted(self.passed))


def _is_left_out(config):
    """A function that tells whether a collected test is left out of this run."""
    device, part = config.getoption("device"), config.getoption("part")
    path = Path(config.getoption("ran") or os.devnull)
    ran = set(path.read_text().splitlines()) if path.exists() else set()

    def is_left_out(item):
        if device != "host" and (item.get_closest_marker("host") is not None or "emulated" in item.fixturenames):
            return True
        if item.path.parent.name == "browser" and not effort.is_page_in_share(item.nodeid):
            return True
        return f"{device} {item.nodeid}" in ran or not effort.in_share(item.nodeid.partition("[")[0], part)

    return is_left_out


def pytest_collection_modifyitems(config, items):
    """Leave out tests of other memory and those that ran before; workers begin with the longest files."""
    is_left_out = _is_left_out(config)
    left_out = {item for item in items if is_left_out(item)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    if hasattr(config, "workerinput"):
        distribution.longest_first(items, distribution.kind_of(config))


def pytest_collection_finish():
    """Exempt the thousands of objects that exist before the tests from garbage collection, which would go through them each time."""
    _set_aside()


def pytest_runtest_teardown(item, nextitem):
    """As above, for what the last file of tests has loaded."""
    if nextitem is None or nextitem.path != item.path:
        _set_aside()


def _set_aside():
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_figures_left():
    """Close what a test has opened in pyplot: the next one may count figures, or draw arrays that are gone by then."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def nothing_wrong_on_the_device(request):
    """After each test with arrays on the emulated device, assert that it has reported no forbidden access and no misuse."""
    yield
    if request.config.getoption("device") == "emulated":
        import emulated_device

        assert emulated_device.load().clear_problems() == []


@pytest.fixture(scope="session")
def emulated_library():
    """The emulated driver, loaded once."""
    import emulated_device

    return emulated_device.load()


@pytest.fixture
def emulated(emulated_library):
    """The emulated device, reset; afterwards it must have reported no problem, and the thread's contexts must be as before."""
    emulated_library.reset()
    before = emulated_library.thread_state()
    yield emulated_library
    emulated_library.drain()
    problems = emulated_library.problems()
    emulated_library.reset()
    assert problems == []
    assert emulated_library.thread_state() == before


@pytest.fixture(params=["host", "device"])
def put(request):
    """A function that puts an array where it is to be read: it stays on the host, or is copied to the emulated device."""
    if request.param == "host":
        return lambda array: array
    request.getfixturevalue("emulated")
    from on_device import there

    return there


@pytest.fixture(params=["host", "device"])
def plane_on(request):
    """A function that makes a plane of an array, and of its mask, in host memory or on the emulated device."""
    from device_planes import device_plane, host_plane

    if request.param == "host":
        return host_plane
    request.getfixturevalue("emulated")
    return device_plane


@pytest.fixture
def emulator(emulated):
    """The emulated device, for tests that check its problems themselves; afterwards nothing may have leaked."""
    from gpuplot import _native

    before = set(emulated.leaks())
    yield emulated
    emulated.reset()
    _native.cuda_close()  # what it keeps for the next picture is not a leak
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
    """A non-blocking stream of a library: only an event or the host orders other work after it."""
    with emulated.stream() as handle:
        yield handle
        emulated.drain()


@pytest.fixture
def slow(monkeypatch):
    """Conversions that begin when the test says so; see `slow_transfers.hold`."""
    from slow_transfers import hold

    yield from hold(monkeypatch)


@pytest.fixture
def ctrl_c():
    """A function that does what Ctrl-C does. Python's handler is installed, since shells let background jobs ignore the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: os.kill(os.getpid(), signal.SIGINT)
    signal.signal(signal.SIGINT, before)
