"""CUDA tensors that cannot be read: errors before anything is launched, no references kept, and a missing driver."""

import gc
import os
import subprocess
import sys
import weakref

import foreign_arrays as foreign
import numpy as np
import pytest
from device_planes import fail_each_call
from emulated_device import LAUNCH_FAILED, LEGACY
from foreign_checks import A, assert_read, written_on

from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.errors import DeviceError, UnsupportedError

# ---- lies and errors --------------------------------------------------------------------------------------------------


def assert_refused_unread(emulated, X, error, words):
    """One clear error; nothing was launched, and what was exported was released."""
    emulated.clear_counts()
    with pytest.raises(error, match=words):
        describe(X)
    gc.collect()
    assert emulated.counts().get("cuLaunchKernel", 0) == 0
    assert X.n_exports == X.n_releases


@pytest.mark.parametrize("kind", [foreign.TorchTensor, foreign.Stranger, foreign.NumbaArray])
def test_pointers_that_are_none(runtime, emulated, kind):
    def draw(X, error, words):
        emulated.clear_counts()
        with pytest.raises(error, match=words):
            describe(X).borrow()
        assert emulated.counts().get("cuLaunchKernel", 0) == 0
        assert X.n_exports == X.n_releases

    X = kind(runtime, A)
    X.free()
    draw(X, DeviceError, "no memory that CUDA knows: was the tensor freed")
    X.late.pointer = A.ctypes.data
    draw(X, DeviceError, "no memory that CUDA knows")
    X.late.pointer = 0
    draw(X, ValueError, "data pointer is null")


@pytest.mark.parametrize("kind", [foreign.Stranger, foreign.Wrapper])
@pytest.mark.parametrize("view", [
    lambda a: np.lib.stride_tricks.as_strided(a, (5, 6), (24, 4), writeable=False),
    lambda a: np.lib.stride_tricks.as_strided(a, (4, 6), (24, 8), writeable=False),
    lambda a: np.lib.stride_tricks.as_strided(a, (2, 6), (-24, 4), writeable=False),
    lambda a: np.lib.stride_tricks.as_strided(a, (2, 2), (2**40, 4), writeable=False),
], ids=["rows", "stride", "backwards", "far"])
def test_strides_that_leave_the_memory(runtime, emulated, kind, view):
    X = kind(runtime, A)
    X.values = view(A)
    assert_refused_unread(emulated, X, DeviceError, "beyond its memory|no memory that CUDA knows")


def test_a_device_that_is_not_the_memorys(runtime, emulated):
    class Liar(foreign.Stranger):
        def __dlpack_device__(self):
            return (2, 1)

    X = Liar(runtime, A)
    assert_refused_unread(emulated, X, ValueError, "said to be on CUDA device 1 and its memory is on device 0")
    emulated.clear_problems()  # a stream of device 1 was given to a library on device 0
    Y = foreign.Stranger(runtime, A)
    Y.ordinal = 7
    assert_refused_unread(emulated, Y, DeviceError, "device 7|INVALID_DEVICE")


@pytest.mark.parametrize("said, error, words", [
    ({"shape": None}, TypeError, "is wrong"), ({"shape": Ellipsis}, TypeError, "'shape' is missing"),
    ({"shape": (4.5, 6)}, TypeError, "is wrong"), ({"shape": (-4, 6)}, ValueError, "negative size"),
    ({"shape": (2**62, 6), "strides": None}, ValueError, "2\\^63"), ({"shape": (2**70, 6)}, TypeError, "its shape is"),
    ({"shape": (1,) * 70, "strides": None}, ValueError, "70 dimensions"), ({"strides": (4,)}, ValueError, "1 strides for 2"),
    ({"strides": (2**62, 2**62)}, ValueError, "2\\^63"), ({"strides": 3}, TypeError, "is wrong"),
    ({"typestr": None}, TypeError, "is wrong"), ({"typestr": 5}, TypeError, "is wrong"),
    ({"data": ()}, TypeError, "is wrong"),
    ({"data": Ellipsis}, TypeError, "'data' is missing"), ({"data": ("x", 1)}, TypeError, "is wrong"),
    ({"data": (None, False)}, ValueError, "null"), ({"data": (-5, False)}, TypeError, "its data pointer is"),
    ({"stream": "x"}, TypeError, "is wrong"), ({"version": "x"}, TypeError, "is wrong"),
    ({"mask": object()}, UnsupportedError, "mask of the Wrapper"),
])
def test_interfaces_that_lie(runtime, emulated, said, error, words):
    X = foreign.Wrapper(runtime, A)
    X.said = said
    assert_refused_unread(emulated, X, error, words)
    X.said = {}
    assert_read(X)


@pytest.mark.parametrize("error", [AttributeError("no"), RuntimeError("no luck"), KeyError("no")])
def test_interfaces_that_fail(runtime, error):
    class Failing:
        @property
        def __cuda_array_interface__(self):
            raise error

    with pytest.raises(UnsupportedError, match="does not hand out its memory through __cuda_array_interface__"):
        describe(Failing())


def test_a_refusal_through_both_protocols(runtime):
    X = foreign.CupyArray(runtime, A, refuses_dlpack=True)
    X.dtype_name = "complex32"
    with pytest.raises(UnsupportedError):
        describe(X)


@pytest.mark.parametrize("kind", [foreign.TorchTensor, foreign.Stranger, foreign.NumbaArray, foreign.RmmBuffer])
def test_every_call_of_the_driver_may_fail_once(runtime, emulated, kind):
    """Whichever call fails: one DeviceError that names call and code, nothing leaks, and the next draw is right."""
    X = kind(runtime, A if kind is not foreign.RmmBuffer else np.arange(8, dtype="u1"))

    def draw():
        try:
            describe(X).borrow().release()
        except UnsupportedError:
            pass  # the library's own call of the driver was the one that failed
        assert X.n_exports == X.n_releases

    draw()
    assert 2 < fail_each_call(emulated, LAUNCH_FAILED, draw) < 100
    assert_read(X)


# ---- who keeps what alive ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", foreign.DIALECTS)
def test_the_object_lives_while_it_is_borrowed_and_no_longer(runtime, dialect):
    gc.disable()
    try:
        X = written_on(runtime, dialect, LEGACY)
        memory, dead = X.late.memory, weakref.ref(X)
        tensor = describe(X).borrow()
        producers = X.producers
        del X
        if not producers:  # only a capsule keeps the memory by itself
            assert dead() is not None
        tensor.release()
        del tensor
        assert dead() is None, gc.get_referrers(dead())
        assert sum(p.n_exports for p in producers) == sum(p.n_releases for p in producers)
        memory.free()
    finally:
        gc.enable()


def test_a_refusal_keeps_nothing_alive(runtime):
    gc.disable()
    try:
        for kind, keywords in [(foreign.JaxArray, {}), (foreign.Stranger, {}), (foreign.Wrapper, {})]:
            X = kind(runtime, A, **keywords)
            X.is_deleted, X.said = True, {"shape": None}
            X.free()
            dead = weakref.ref(X)
            with pytest.raises((TypeError, RuntimeError)):
                describe(X)
            del X
            assert dead() is None, kind
    finally:
        gc.enable()


def test_nothing_is_left_on_the_devices(runtime, emulated):
    _native.cuda_close()
    before = emulated.leaks()
    for dialect in foreign.DIALECTS:
        X = written_on(runtime, dialect, LEGACY)
        assert_read(X)
        X.free()
    _native.cuda_close()
    assert emulated.leaks() == before


# ---- without a device -------------------------------------------------------------------------------------------------

WITHOUT = """
import os, sys
sys.path.insert(0, {tests!r})
os.environ["GPUPLOT_CUDA_DRIVER"] = {driver!r}
import gpuplot
from capsules import Producer
import numpy as np
{code}
"""


def run_without(code, driver="/nonexistent/libcuda.so.1"):
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    done = subprocess.run([sys.executable, "-c", WITHOUT.format(tests=tests, driver=str(driver), code=code)],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("module, line", [
    ("torch", "X.cpu()"), ("cupy", "cupy.asnumpy(X)"), ("numba.cuda", "X.copy_to_host()"),
])
def test_without_a_driver_the_error_names_the_copy(module, line):
    said = run_without(f"""
Array = type("Array", (Producer,), {{"__module__": {module!r}}})
Device = type("Device", (), {{"__module__": {module!r}, "__cuda_array_interface__": property(lambda self: 1 / 0)}})
for X in (Array(range(6), device=(2, 0)), Array(range(6), device=(13, 0)), Device()):
    try:
        gpuplot.to_rgba(X)
    except gpuplot.DeviceError as error:
        print(error.call, error)
print(gpuplot.downsample(np.eye(2), (1, 1), stream=1))
""")
    lines = said.splitlines()
    assert len(lines) == 4 and lines[3] == "[[0.5]]"
    for text in lines[:3]:
        assert text.startswith("None the ") and "no CUDA driver" in text
        assert text.endswith(f"copy it to the host first, with {line}")


def test_show_config_says_why_not_and_never_raises(emulated_library):
    assert "no CUDA driver" in run_without("gpuplot.show_config()")
    said = run_without("print(gpuplot.show_config(mode='dicts')['CUDA backend'])", emulated_library.path)
    assert "'usable': True" in said and "Emulated device 1" in said
    said = run_without("os.environ['EMU_DEVICES'] = '0'; print(gpuplot.show_config(mode='dicts')['CUDA backend'])",
                       emulated_library.path)
    assert "'usable': False" in said
    old = emulated_library.path.parent / "old" / "libcuda.so.1"
    assert "too old" in run_without("gpuplot.show_config()", old)


def test_a_forked_child_is_told(emulated_library):
    said = run_without("""
gpuplot.show_config("dicts")
pid = os.fork()
try:
    gpuplot.to_rgba(Producer(range(6), device=(2, 0)))
except gpuplot.DeviceError as error:
    print(f"{'child' if pid == 0 else 'parent'}: {error}\\n", end="", flush=True)
if pid == 0:
    print(gpuplot.show_config("dicts")["CUDA backend"]["reason"] + "\\n", end="", flush=True)
    os._exit(0)
os.waitpid(pid, 0)
""", emulated_library.path)
    assert said.count("before this process was forked") == 2 and "child: the Producer" in said and "parent: address" in said


def test_the_driver_is_not_loaded_before_somebody_has_a_device_tensor(emulated_library):
    said = run_without("""
gpuplot.to_rgba(np.eye(3), stream=1)
print("libcuda" in open("/proc/self/maps").read())
gpuplot.show_config("dicts")
print("libcuda" in open("/proc/self/maps").read())
""", emulated_library.path)
    assert said.split() == ["False", "True"]
