"""Pictures from several Python threads, in forked children, after Ctrl-C and under other floating-point modes."""

import contextlib
import ctypes
import os
import platform
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from backend_table import operations
from figures import axes_of
from stored_tensors import endless_row, windows

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane.aggs import AGGS
from gpuplot.plane.mitchell import identity, resample
from gpuplot.plane.partial_cells import reduce_piece
from gpuplot.plane.series import Series
from gpuplot.plane.view import choose
from gpuplot.plane.window import Window
from gpuplot.statistics.partial_summary import PartialSummary

A = np.random.default_rng(0).normal(size=(700, 900)).astype("f4")
ONE = np.float32(1)
# No number of processors is through with it before somebody presses Ctrl-C.
ENDLESS = windows(ONE, (2**20, 2**20))


@pytest.fixture
def four_threads():
    """As if there were four processors, so that the pool is used wherever the tests run."""
    _native.threads_limit(4)
    yield
    _native.threads_limit(0)


def picture_of(agg):
    return gpuplot.to_rgba(A, (60, 70), agg=agg, robust=agg in ("mean", "max"))


@pytest.mark.usefixtures("four_threads")
def test_many_python_threads_get_their_own_pictures():
    """Threads that share the workers of the pool get the pixels that each gets alone."""
    want = {agg: picture_of(agg) for agg in AGGS}
    wrong = []

    def draw(agg):
        for _ in range(4):
            if not np.array_equal(picture_of(agg), want[agg]):
                wrong.append(agg)

    threads = [threading.Thread(target=draw, args=(agg,)) for agg in AGGS * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# In a process of its own: one that has loaded other libraries may have threads and locks of theirs, which no fork survives.
FORKS = """
import os, signal, threading
import numpy as np
import gpuplot
from gpuplot import _native
from gpuplot.plane.aggs import AGGS

_native.threads_limit(4)
A = np.random.default_rng(0).normal(size=(700, 900)).astype("f4")
want, is_over = gpuplot.to_rgba(A, (60, 70), robust=True), threading.Event()

def exit_code_of_child(work):
    '''Forks; the child ends with 0 if `work()` is true, and by a signal if it hangs.'''
    child = os.fork()
    if child == 0:
        signal.alarm(600)
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitpid(child, 0)[1]

def is_right():
    return np.array_equal(gpuplot.to_rgba(A, (60, 70), robust=True), want)

def draw():
    while not is_over.is_set():
        gpuplot.downsample(A, (50, 50))

threads = [threading.Thread(target=draw) for _ in range(2)]
for thread in threads:
    thread.start()
print([exit_code_of_child(lambda: is_right() and exit_code_of_child(is_right) == 0) for _ in range(5)])
is_over.set()
"""


@pytest.mark.host("a forked child has no CUDA")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_children_forked_while_others_draw_have_a_pool_of_their_own():
    """A child has none of its parent's workers and may find its locks held; grandchildren likewise."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKS], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[0, 0, 0, 0, 0]", done.stderr


@pytest.mark.host("what a device works on is waited for")
@pytest.mark.parametrize("call", [
    lambda: gpuplot.downsample(ENDLESS, (9, 9)),
    lambda: gpuplot.downsample(endless_row(), (1, 1)),
    lambda: gpuplot.to_rgba(ENDLESS, (1, 1), view=((0, 1), (0, 1))),
    lambda: gpuplot.downsample(windows(ONE, (2**20, 2**20, 1, 1)), (1, 1), reduce={0: "mean", 1: "mean"}),
    lambda: gpuplot.downsample(windows(ONE, (2**20, 2**12, 64, 64)), (4, 4), reduce={0: "max", 1: "max"}),
    lambda: gpuplot.downsample(windows(ONE, (2**22, 300, 2, 2)), (1, 1), reduce={1: "mean", 0: "max"}),
    lambda: gpuplot.to_rgba(windows(ONE, (2**20, 2**14, 4, 4)), (1, 1), reduce={0: "std", 1: "std"}, robust=True,
                            view=((0, 1), (0, 1))),
])
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timer")
def test_ctrl_c_ends_what_takes_long(call):
    """Hidden axes were reduced without a look at signals: Ctrl-C came after minutes, or never."""
    want = gpuplot.downsample(A, (7, 9))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.15)
            call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    np.testing.assert_array_equal(gpuplot.downsample(A, (7, 9)), want)


@pytest.mark.host("what a device works on is waited for")
@pytest.mark.usefixtures("four_threads")
def test_an_exception_of_a_signal_handler_comes_through():
    """What the handler raises is what the caller gets, also where the handler draws a picture itself."""
    class Enough(Exception):
        pass

    def handler(*_):
        picture_of("mean")
        raise Enough

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(Enough):
            signal.setitimer(signal.ITIMER_REAL, 0.15)
            gpuplot.downsample(ENDLESS, (9, 9))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("four_threads")
@pytest.mark.parametrize("op", ["mean", "max", "std", "norm"])
def test_hidden_reductions_are_the_same_on_any_number_of_threads(op):
    """Pieces are cut by the work behind an element, never by the number of threads."""
    x = np.random.default_rng(1).normal(size=(40, 30, 2500)).astype("f4")
    for shape in ((1, 1), (3, 7), (30, 2), (2, 2500)):
        got = []
        for n_threads in (1, 4):
            _native.threads_limit(n_threads)
            got.append(gpuplot.downsample(x, shape, reduce={0: op}))
        np.testing.assert_array_equal(*got)
    plane = {"mean": x.mean(0, dtype=float), "max": x.max(0), "std": x.std(0, dtype=float),
             "norm": np.sqrt((x.astype(float) ** 2).sum(0))}[op]
    np.testing.assert_allclose(gpuplot.downsample(x, (30, 2500), reduce={0: op}), plane, rtol=1e-9, atol=1e-12)


def test_subnormal_numbers_survive_a_caller_that_flushes_them():
    """Means of subnormal numbers are right under the mode that torch sets, and the mode is the caller's again afterwards."""
    torch = pytest.importorskip("torch")
    x, smallest = np.full((40, 50), 1e-40, "f4"), np.full((40, 50), 5e-324)
    want = [gpuplot.downsample(values, (3, 7), agg=agg) for values in (x, smallest) for agg in AGGS]
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor does not flush")
    try:
        got = [gpuplot.downsample(values, (3, 7), agg=agg) for values in (x, smallest) for agg in AGGS]
        is_flushing = (smallest * 1.0 == 0).all()
    finally:
        torch.set_flush_denormal(False)
    assert is_flushing
    for a, b in zip(got, want, strict=True):
        assert a.tobytes() == b.tobytes()


FLUSHING = 0x8040  # MXCSR: subnormal results and operands are zeros


class FloatMode(ctypes.Structure):
    """glibc's fenv_t on x86_64."""

    _fields_ = [("x87", ctypes.c_uint32 * 7), ("mxcsr", ctypes.c_uint32)]

    @classmethod
    def now(cls):
        mode = cls()
        ctypes.CDLL("libm.so.6").fegetenv(ctypes.byref(mode))
        return mode

    def set(self):
        ctypes.CDLL("libm.so.6").fesetenv(ctypes.byref(self))


@pytest.fixture
def flushing():
    """A context with the mode that other libraries set for their thread; afterwards it is the one from before."""
    if platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc":
        pytest.skip("the mode is set by a structure of glibc on x86_64")
    before, mode = FloatMode.now(), FloatMode.now()
    mode.mxcsr |= FLUSHING

    @contextlib.contextmanager
    def flush():
        mode.set()
        try:
            assert TINY[0, 0] * 1.0 == 0
            yield
            assert FloatMode.now().mxcsr & FLUSHING == FLUSHING
        finally:
            before.set()

    return flush


TINY = np.array([[1e-310, 2e-310, -3e-310], [4e-310, 5e-324, 0.0]])
TURNED = TINY * 1j
WINDOW = Window.whole(TINY.shape, (1, 2))


def plane_of(values):
    tensor = _native.Tensor.from_array(values, "float64")
    return _native.Plane(tensor, [("rows", 0, 1, values.shape[0], 0), ("cols", 0, 1, values.shape[1], 0)], ())


# All of TINY's numbers, in one cell.
POINT_AXES = (-1.0, 1.0, 1, None), (-1.0, 1.0, 1, None)
LINE_AXES = (0.0, 1.0, 1, -1.0, 1.0, None, None), (-3e-310, 5e-310, 4, -1.0, 1.0, None, None)


WITH_NAN = np.array([[1e-310, np.nan], [-3e-310, np.nan]])


def without_nan():
    """The cell of tiny numbers and NaN with NaN left out, from one look at them."""
    axes = [_native.Axis(n, 0, n, 1) for n in WITH_NAN.shape]
    cells, _, found, _ = _native.reduce(plane_of(WITH_NAN), *axes, "mean", "unmasked", splits_nan=True)
    _native.fill_without_nan(cells, found)
    return found.numpy()


# A call for each operation of a backend.
OPERATIONS = {
    "reduce": lambda: gpuplot.downsample(TINY, (2, 3)),
    "reduce states": lambda: reduce_piece(describe(TINY), choose(TINY.shape, None, "float64", rgb=False), WINDOW).finish(),
    "limits": lambda: _native.limits(plane_of(TINY), _native.WANT_RANGE | _native.WANT_POSITIVE)[:3],
    "percentiles": lambda: _native.percentiles(plane_of(TINY), [0.0, 100.0], False),
    "collect": lambda: _native.collect(plane_of(TINY), [-2e-310, 2e-310], [2e-311, 1.0], 6),
    "summarize": lambda: PartialSummary.of_plane(plane_of(TINY)).finish(),
    "histogram": lambda: gpuplot.stats(TINY, percentiles=(), bins=2, value_range=(-1, 1)).hist,
    "histogram joint": lambda: _native.histogram_joint((plane_of(TINY),), ([-1, 0, 1e-309, 1],), None, plane_of(TINY))[0],
    "subtract": lambda: _native.subtract(plane_of(TINY), plane_of(np.zeros_like(TINY))).numpy(),
    "compare": lambda: _native.compare(plane_of(TINY), plane_of(np.zeros_like(TINY)), 0.0, 0.0)[0],
    "bin points": lambda: _native.bin_points(plane_of(TINY), plane_of(TINY), plane_of(TINY), *POINT_AXES, "mean", "show")[0].numpy(),
    "bin lines": lambda: _native.bin_lines([(None, plane_of(TINY), "sorted")], *LINE_AXES, True).numpy(),
    "find": lambda: gpuplot.stats(np.array([[1.0, np.nan]])).first_nan,
    "m4": lambda: Series(describe(TINY[0])).m4([0, 1, 2])[0].view("i8"),
    "find ways": lambda: Series(describe(TINY[0])).ways(),
    "search sorted": lambda: Series(describe(np.array([0.0, 1e-310, 2e-310]))).search([0.0, 5e-324]),
    "take": lambda: Series(describe(TINY[0])).take([1, 0]),
    "summarize slices": lambda: gpuplot.stats(TINY, dim=1, percentiles=()).max,
    "histogram slices": lambda: gpuplot.stats(TINY, dim=1, percentiles=(), bins=2, value_range=(-1, 1)).hist,
    "percentiles slices": lambda: gpuplot.stats(TINY, dim=1, value_range=(-1, 1)).percentiles[98],
    "shade": lambda: gpuplot.to_rgba(TINY, vmin=0, vmax=1),
    "shade rgb": lambda: gpuplot.to_rgba(np.ones((2, 2, 3))),
    "angle": lambda: gpuplot.to_rgba(TURNED, complex_mode="phase"),
    "filter": lambda: resample(_native.Cells.from_array(TINY), None, identity(2), "show").numpy(),
    "fill without nan": without_nan,
    "gather": lambda: gpuplot.imshow(TINY, ax=axes_of(), vmin=0, vmax=1).get_array(),
    "convert": lambda: gpuplot.asnumpy(A, "float64", order="F"),
}


@pytest.mark.host("compares texts")
def test_the_calls_are_of_all_operations():
    assert {name.replace(" ", "_") for name in OPERATIONS} == operations()


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_gives_the_callers_mode_back(name, flushing):
    """And computes with subnormal numbers itself."""
    want = np.asarray(OPERATIONS[name]())
    with flushing():
        got = OPERATIONS[name]()
    assert np.asarray(got).tobytes() == want.tobytes()


@pytest.mark.host("what a device works on is waited for")
@pytest.mark.parametrize("agg", ["mean", "max", "std"])
@pytest.mark.parametrize("shape", [(1, 1), (9, 9)])
def test_ctrl_c_ends_a_piece_of_any_size(shape, agg, ctrl_c):
    """A piece of work whose rows never end did not look up from them."""
    endless = windows(ONE, (2**22, 2**16))
    timer = threading.Timer(0.1, ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        gpuplot.downsample(endless, shape, agg=agg)
    timer.join()
    assert gpuplot.downsample([[1, 2, 3, 4]], (1, 3)).tolist() == [[1.25, 2.5, 3.75]]
