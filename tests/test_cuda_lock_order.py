"""The order of locks: threads that use a device at once, and Python's global lock, which none of them may hold while it waits."""

import os

import pytest
from watched_process import run_watched

BEGIN = """
import os, threading, time
import emulated_device
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
"""


@pytest.fixture
def run(emulated_library):
    """Runs lines of Python after BEGIN, over the emulated device; what they printed."""
    return lambda lines, **keywords: run_watched(BEGIN + lines, **keywords)


# ---- the first kernels that NVRTC compiles -----------------------------------------------------------------------------------

# The loader opens a pipe where it looks for NVRTC, and waits there, inside the device, until somebody writes.
PIPED_NVRTC = """
from gpuplot.tensor import describe
del os.environ["GPUPLOT_NVRTC"]
sys.path.append(os.environ["PACKAGES"])
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
def test_a_call_that_waits_for_the_device_lets_python_go_on(run, emulated_library, tmp_path):
    """One thread looks for NVRTC's packages, for which it asked for the GIL, and the other one held it, waiting for the device."""
    from emulated_device import folder

    loader, packages = tmp_path / "loader", tmp_path / "packages" / "nvidia" / "cuda_nvrtc" / "lib"
    loader.mkdir()
    packages.mkdir(parents=True)
    os.mkfifo(loader / "libnvrtc.so.12")
    for name in ("libnvrtc.so", "libnvrtc.so.13"):  # no library: what the system may have is not looked for
        (loader / name).touch()
    (packages / "libnvrtc.so.12").symlink_to(folder() / "libnvrtc.so")
    assert run(PIPED_NVRTC, LD_LIBRARY_PATH=str(loader), PACKAGES=str(tmp_path / "packages")).split() == ["True", "2"]
