"""The order of locks: threads that use a device at the same time, and the GIL, which no thread may hold while it waits for the device."""

import os
from pathlib import Path

import emulated_device
import pytest
from watched_process import run_watched

BEGIN = """
import functools, os, pathlib, threading, time
import emulated_device

@functools.cache
def without_nvidia(entry):
    "A folder of packages but for a real NVRTC, which crashes beside the emulated driver."
    if not any(pathlib.Path(entry).glob("nvidia/*/lib/libnvrtc.so*")):
        return entry
    mirror = pathlib.Path(os.environ["PACKAGES"]).with_name("others")
    mirror.mkdir()
    for package in pathlib.Path(entry).iterdir():
        if package.name != "nvidia":
            (mirror / package.name).symlink_to(package)
    return str(mirror)

device = emulated_device.load()
import numpy as np
import gpuplot
from gpuplot import _native
values = np.arange(12000, dtype=np.float32).reshape(120, 100)
memory = device.upload(values)

class X:
    __cuda_array_interface__ = {"shape": (120, 100), "typestr": "<f4", "data": (memory.pointer, False), "version": 3, "stream": 1}
x = X()
want = gpuplot.downsample(values, (7, 9))

if gpuplot.show_config(mode="dicts")["CUDA backend"]["kernels"] == "compiled with the package":
    device.fail("cuModuleLoadData", 1, 209)  # as on a GPU that no image of the build fits
# No kernel is compiled yet, and a folder below sys.path has the compiler.
del os.environ["GPUPLOT_NVRTC"]
sys.path[:] = [*map(without_nvidia, sys.path), os.environ["PACKAGES"]]
os.environ["XDG_CACHE_HOME"] = os.environ["KERNELS"]
"""


@pytest.fixture
def run(emulated_library):
    """Runs lines of Python after BEGIN, over the emulated device; what they printed."""
    return lambda lines, **keywords: run_watched(BEGIN + lines, **keywords)


@pytest.fixture
def packaged_nvrtc(emulated_library, tmp_path):
    """Variables for `run`: NVRTC lies in a package's folder, and where the loader looks first there is none."""
    loader, packages = tmp_path / "loader", tmp_path / "packages" / "nvidia" / "cuda_nvrtc" / "lib"
    loader.mkdir()
    packages.mkdir(parents=True)
    for name in ("libnvrtc.so", "libnvrtc.so.12", "libnvrtc.so.13"):  # no library: what the system may have is not looked for
        (loader / name).touch()
    (packages / "libnvrtc.so.12").symlink_to(emulated_device.folder() / "libnvrtc.so")
    return {"LD_LIBRARY_PATH": str(loader), "PACKAGES": str(tmp_path / "packages"), "KERNELS": str(tmp_path / "kernels")}


# ---- the first kernels that NVRTC compiles -----------------------------------------------------------------------------------

# The loader opens a pipe where it looks for NVRTC, and waits there, inside the device, until somebody writes.
PIPED_NVRTC = """
from gpuplot.arrays.describe import describe
pipe = os.path.join(os.environ["LD_LIBRARY_PATH"], "libnvrtc.so.12")
is_begun, is_called, got = threading.Event(), threading.Event(), []

def open_when_read():
    while True:
        try:
            return os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:  # nobody reads yet
            time.sleep(0.01)

def let_the_loader_go_on():
    is_called.wait()
    time.sleep(0.3)  # for the call to come to where it waits
    open_when_read()

def draw_first():
    is_begun.wait()
    got.append(_native.reduce(plane, *axes)[0].numpy())

with describe(x).borrow() as tensor:
    plane = _native.Plane(tensor, [("rows", 0, 1, 120, 0), ("cols", 0, 1, 100, 0)], [])
    axes = _native.Axis(120, 0.0, 120.0, 7), _native.Axis(100, 0.0, 100.0, 9)
    threads = [threading.Thread(target=work, daemon=True) for work in (draw_first, let_the_loader_go_on)]
    [thread.start() for thread in threads]  # while the loader waits, no thread can be made
    is_begun.set()
    time.sleep(0.3)  # for the thread to come to the loader
    is_called.set()
    got.append(_native.reduce(plane, *axes)[0].numpy())
    [thread.join() for thread in threads]
print(all(np.allclose(cells, want) for cells in got), len(got))
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_call_that_waits_for_the_device_lets_python_go_on(run, packaged_nvrtc):
    """One thread looks for NVRTC's packages, for which it asked for the GIL, and the other one held it, waiting for the device."""
    pipe = Path(packaged_nvrtc["LD_LIBRARY_PATH"]) / "libnvrtc.so.12"
    pipe.unlink()
    os.mkfifo(pipe)
    assert run(PIPED_NVRTC, **packaged_nvrtc).split() == ["True", "2"]


# ---- cells that go ------------------------------------------------------------------------------------------------------------

# More cells than are kept are freed, and the driver waits until a copy of somebody else's is let go, by a thread of Python.
FREED_CELLS = """
device.set_pace("late")
with gpuplot.arrays.describe.describe(x).borrow() as tensor:
    plane = _native.Plane(tensor, [("rows", 0, 1, 120, 0), ("cols", 0, 1, 100, 0)], [])
    cells = [_native.reduce(plane, _native.Axis(120, 0.0, 1.0, 1), _native.Axis(100, 0.0, 100.0, 1 << 20))[0] for _ in range(9)]
host, stream, hold = device.upload(values, "pinned"), device.stream(), device.held_copies(1000)
other = stream.__enter__()
device.synchronize()
hold.__enter__()
device.copy_to_host(host.pointer, memory.pointer, values.nbytes, other)

def let_go():
    while not device.waiting():
        time.sleep(0.01)
    hold.__exit__(None, None, None)
    is_let_go.set()

is_let_go = threading.Event()
threading.Thread(target=let_go, daemon=True).start()
del cells
print(is_let_go.wait(20))
"""


def test_cells_that_go_let_python_go_on(run, packaged_nvrtc):
    """Of a device without pools of memory, whose driver waits for all work before it frees."""
    assert run(FREED_CELLS, EMU_POOLS="0", **packaged_nvrtc).split() == ["True"]


def test_cells_that_go_to_a_pool_wait_for_nobody(run, packaged_nvrtc):
    """They are freed in the order of the stream, while another thread's copy is still held."""
    held = FREED_CELLS.replace("print(is_let_go.wait(20))", "print(is_let_go.is_set(), device.waiting())\nhold.__exit__(None, None, None)")
    assert run(held, **packaged_nvrtc).split() == ["False", "0"]


# ---- everything at once ------------------------------------------------------------------------------------------------------

# Threads that do all that takes a lock, as long as the main thread forks, collects garbage and draws; each notes what went wrong.
STRESS = """
import faulthandler, gc, random, signal, traceback
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

large = np.arange(1100 * 1000, dtype=np.float32).reshape(1100, 1000)  # too large to be copied at the call
parent, is_over, wrong, n_done = os.getpid(), threading.Event(), [], {}

class Array:
    def __init__(self, values):
        self.memory = device.upload(values)
        self.__cuda_array_interface__ = {"shape": values.shape, "typestr": "<f4", "data": (self.memory.pointer, False),
                                         "version": 3, "stream": None}
    def __del__(self):
        if os.getpid() == parent:  # the emulated driver, too, is the parent's alone
            self.memory.free()

def image():
    fig = Figure(figsize=(0.6, 0.6), dpi=100)
    FigureCanvasAgg(fig)
    return gpuplot.imshow(Array(large), ax=fig.add_axes((0, 0, 1, 1)), vmin=0, vmax=large[-1, -1])

shared = image()

def draw():  # an image of its own, its tensor changed and then freed
    im = image()
    im.axes.figure.canvas.draw()
    im.update(Array(large))
    im.axes.figure.canvas.draw()
    im.remove()

def update_shared():
    shared.update(Array(large))

def draw_shared():
    shared.make_image(shared.axes.figure.canvas.get_renderer())

def downsample():
    assert np.allclose(gpuplot.downsample(x, (7, 9)), want)

def convert():
    handle = gpuplot.asnumpy(Array(large), "f8", blocking=False, progress=lambda *n: gc.collect(0))
    if random.random() < 0.3:
        handle.cancel()
    else:
        assert handle.result()[-1, -1] == large[-1, -1]

def ask_stats():
    assert gpuplot.stats(Array(values)).max == values.max()

def collect():
    cycle = [Array(values)]
    cycle.append(cycle)
    del cycle
    gc.collect()

def again(work):
    try:
        while not is_over.is_set():
            work()
            time.sleep(0.01)  # a lock that is let go and taken again at once is seldom somebody else's in between
            n_done[work.__name__] = n_done.get(work.__name__, 0) + 1
    except BaseException:
        wrong.append(traceback.format_exc())

faulthandler.register(signal.SIGALRM, all_threads=False, chain=True)  # a watchdog's thread does not survive a fork

def child_draws():
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            gpuplot.downsample(x, (7, 9))
        except gpuplot.DeviceError:
            fig = Figure()
            host = gpuplot.imshow(large, ax=fig.add_axes((0, 0, 1, 1)))
            host.make_image(FigureCanvasAgg(fig).get_renderer())  # a whole draw would wait for matplotlib's own locks
            gc.collect()
            os._exit(0 if np.allclose(gpuplot.downsample(values, (7, 9)), want) else 1)
        os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

works = [draw, update_shared, draw_shared, downsample, convert, ask_stats, collect]
threads = [threading.Thread(target=again, args=(work,), daemon=True) for work in works]
[thread.start() for thread in threads]
codes = []
while not wrong and (len(codes) < 4 or min(n_done.get(work.__name__, 0) for work in works) < 2):
    codes.append(child_draws())
    time.sleep(0.1)
is_over.set()
[thread.join() for thread in threads]
print(set(codes), "".join(wrong), device.problems())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_threads_that_do_everything_at_once_come_to_an_end(run, packaged_nvrtc):
    """Draws, updates, transfers, statistics, garbage, the first kernels and forks: none of them waits for ever."""
    assert run(STRESS, seconds=240, **packaged_nvrtc).split("\n")[0] == "{0}  []"
