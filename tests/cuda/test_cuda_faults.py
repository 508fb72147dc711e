"""Every driver call of every public function fails once: one clear error, no leaks, and the next call is right."""

import gc
import io

import numpy as np
import pytest
from effort import calls_to_fail
from emulated_device import INVALID_CONTEXT, LAUNCH_FAILED, NO_DEVICE, OUT_OF_MEMORY
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import gpuplot
from gpuplot import _native

CODES = {
    OUT_OF_MEMORY: "CUDA_ERROR_OUT_OF_MEMORY", INVALID_CONTEXT: "CUDA_ERROR_INVALID_CONTEXT",
    LAUNCH_FAILED: "CUDA_ERROR_LAUNCH_FAILED", NO_DEVICE: "CUDA_ERROR_NO_DEVICE",
}
# Far more driver calls than any of the functions below makes, even when it is the first of a process.
MOST_CALLS = 400


# Rows of 60 elements of which there are too many to be copied to the host: the plane is reduced on the device at each draw.
LARGE_ROWS = (1 << 20) // 60 + 1


class Exported:
    """An array in emulated memory, by the CUDA array interface with the stream that its producer works on."""

    def __init__(self, memory, array, stream):
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (memory.pointer, False), "version": 3,
            "strides": None, "stream": stream,
        }

    @classmethod
    def repeated(cls, other, n_rows):
        """The second row of another array, as often as said: a plane of any size in little memory."""
        interface = other.__cuda_array_interface__
        n_cols, item_bytes = interface["shape"][1], int(interface["typestr"][2:])
        again = cls.__new__(cls)
        again.__cuda_array_interface__ = {
            **interface, "shape": (n_rows, n_cols), "strides": (0, item_bytes),
            "data": (interface["data"][0] + n_cols * item_bytes, False),
        }
        return again


def _saved(x):
    file = io.BytesIO()
    gpuplot.imsave(file, x, shape=(5, 7), robust=True)
    return file.getvalue()


def _pixels(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).copy()


def _drawn(x):
    """Pixels of a figure; small planes are gathered and large ones reduced."""
    figure = Figure(figsize=(1, 1), dpi=40)
    gpuplot.imshow(x, ax=figure.add_subplot(), interpolation="nearest")
    return _pixels(figure)


def _statistics(x, **asked):
    """All numbers of `stats` in one row."""
    found = gpuplot.stats(x, **asked)
    fields = [getattr(found, name) for name in ("nan", "neg", "min", "max", "mean", "std", "l2", "hist", "bin_edges")]
    return np.concatenate([np.ravel(np.asarray(field, np.float64)) for field in (*fields, *found.percentiles.values())])


FUNCTIONS = {
    "downsample": lambda x: gpuplot.downsample(x, (6, 5)),
    "downsample std skip": lambda x: gpuplot.downsample(x, (3, 4), agg="std", nan="skip"),
    "one cell of many rows": lambda x: gpuplot.downsample(x, (1, 1), agg="max"),
    "to_rgba": lambda x: gpuplot.to_rgba(x, (6, 5), robust=True),
    "to_rgba into pinned memory": lambda x: gpuplot.to_rgba(x, (700, 400)),
    "to_rgba with limits": lambda x: gpuplot.to_rgba(x, (6, 5), vmin=-1, vmax=1),
    "to_rgba with limits into pinned memory": lambda x: gpuplot.to_rgba(x, (700, 400), vmin=-1, vmax=1),
    "to_rgba eq_hist": lambda x: gpuplot.to_rgba(x, (6, 5), norm="eq_hist"),
    "imsave": _saved,
    "imshow": _drawn,
    "imshow of a large plane": lambda x: _drawn(Exported.repeated(x, LARGE_ROWS)),
    "stats": lambda x: _statistics(x, bins=8, percentiles=(50,)),
    "stats of slices": lambda x: _statistics(x, dim=0, region=((0, 700), (3, 5)), percentiles=(50,)),
    "asnumpy": lambda x: gpuplot.asnumpy(x, "f8", order="F"),
    "asnumpy into pinned memory": lambda x: gpuplot.asnumpy(Exported.repeated(x, 10_000)),
    "asnumpy in chunks, in a thread": lambda x: gpuplot.asnumpy(Exported.repeated(x, 40_000), out=np.empty((40_000, 60)),
                                                                blocking=False).result(),
}


@pytest.fixture(scope="module")
def values():
    """Enough rows that one cell is split over blocks; a NaN that must be seen."""
    values = np.random.default_rng(5).normal(size=(700, 60)).astype(np.float32)
    values[3, 4] = np.nan
    return values


def _same(got, want):
    return got == want if isinstance(want, bytes) else np.array_equal(got, want, equal_nan=np.asarray(want).dtype.kind == "f")


def _fails_at(emulated, call, nth, code, action):
    """(whether the action came as far as this call, its DeviceError or None) where the nth call of the driver fails."""
    error = None
    emulated.fail(call, nth, code)
    try:
        action()
    except gpuplot.DeviceError as raised:
        error = raised
    has_failed = emulated.failures() > 0
    emulated.clear_failures()
    emulated.recover()
    return has_failed, error


# Every code where the device is warm; where it is made anew for each call, those that a driver gives then.
FAILURES = [("warm", code) for code in CODES] + [("first", OUT_OF_MEMORY), ("first", NO_DEVICE)]
# These make many calls, of kinds that the others make as well: one failure says enough.
LONG = ("downsample std skip", "stats of slices", "one cell of many rows", "to_rgba eq_hist", "imsave", "imshow of a large plane",
        "asnumpy into pinned memory", "to_rgba into pinned memory",
        "asnumpy in chunks, in a thread")


def _given_back(emulated):
    """What is live once gpuplot has closed its devices, in order."""
    gc.collect()
    _native.cuda_close()
    return sorted(emulated.leaks())


def _check_error(error, code):
    """The error names the call that failed and the driver's name for the code."""
    assert CODES[code] in str(error), str(error)
    assert error.call
    assert error.call in str(error)


def _case(name, when, code):
    is_long = name in LONG or (when == "first" and name != "downsample")
    return pytest.param(name, when, code, id=f"{name}-{when}-{CODES[code]}", marks=[pytest.mark.slow] if is_long else [])


@pytest.mark.parametrize(("name", "when", "code"),
                         [_case(name, *failure) for name in FUNCTIONS for failure in (FAILURES[:1] if name in LONG else FAILURES)])
def test_every_call_fails_once(emulated, values, name, when, code):
    """The nth driver call of a function fails, for every n: a DeviceError that names call and code, and no handle lost."""
    run = FUNCTIONS[name]
    with emulated.stream() as stream, emulated.upload(values) as memory:
        x = Exported(memory, values, stream)
        want = run(x)
        live = _given_back(emulated)
        n_failed = 0
        for nth in calls_to_fail(MOST_CALLS):
            has_failed, error = _fails_at(emulated, "*", nth, code, lambda: run(x))
            if not has_failed:
                break
            if error is not None:
                n_failed += 1
                _check_error(error, code)
            error = None  # its traceback holds cells
            assert _same(run(x), want), f"after call {nth} failed"
            if when == "first":
                assert _given_back(emulated) == live, f"after call {nth} failed"
        assert 3 < nth < MOST_CALLS - 1
        assert n_failed > 0
        assert _given_back(emulated) == live
    assert emulated.context_depth() == 0
    emulated.clear_problems()


def test_out_of_memory_falls_back(emulated, values):
    """Where the device has hardly any memory left, smaller scratch does; where it has none, the error names the call."""
    _native.cuda_close()
    with emulated.stream() as stream, emulated.upload(values) as memory:
        x = Exported(memory, values, stream)
        want = gpuplot.to_rgba(x, (40, 30))
        _native.cuda_close()
        emulated.set_memory_limit(emulated.memory_used() + (1 << 20))
        try:
            assert np.array_equal(gpuplot.to_rgba(x, (40, 30)), want)
            _native.cuda_close()
            emulated.set_memory_limit(emulated.memory_used() + 16)
            with pytest.raises(gpuplot.DeviceError, match=r"cuMemAlloc.*OUT_OF_MEMORY"):
                gpuplot.to_rgba(x, (40, 30))
        finally:
            emulated.set_memory_limit(0)
        assert np.array_equal(gpuplot.to_rgba(x, (40, 30)), want)


def test_nothing_is_left_after_close(emulated, values):
    """Every handle and byte that gpuplot made is given back by cuda_close."""
    _native.cuda_close()
    with emulated.stream() as stream, emulated.upload(values) as memory:
        live = sorted(emulated.leaks())
        for run in FUNCTIONS.values():
            run(Exported(memory, values, stream))
        assert len(emulated.leaks()) > len(live)
        _native.cuda_close()
        assert sorted(emulated.leaks()) == live


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nothing_is_allocated_when_warm(emulated, values, name):
    """A second call of the same kind makes no memory, stream, event or module."""
    run = FUNCTIONS[name]
    with emulated.stream() as stream, emulated.upload(values) as memory:
        x = Exported(memory, values, stream)
        run(x)
        gc.collect()  # a figure that was dropped keeps its cells until then
        run(x)
        gc.collect()
        emulated.clear_counts()
        run(x)
        counts = emulated.counts()
    making = ("cuMemAlloc_v2", "cuMemAllocFromPoolAsync", "cuMemPoolCreate", "cuMemHostAlloc", "cuStreamCreate", "cuEventCreate",
              "cuModuleLoadData", "cuDevicePrimaryCtxRetain", "cuMemFree_v2", "cuMemFreeAsync", "cuMemFreeHost", "cuCtxSynchronize")
    assert counts["cuMemcpyDtoHAsync_v2"] > 0
    assert counts.get("cuLaunchKernel", 0) > 0 or name == "imshow"  # a small plane without gaps is copied
    # Several transfers of one device may run at a time, each with events of its own.
    own = {"cuEventCreate": 6} if name.startswith("asnumpy in") else {}
    assert {call: counts[call] for call in making if counts.get(call)} == own


def test_a_failed_draw_leaves_the_figure_usable(emulated, values):
    """The device fails during a draw that reduces: one DeviceError, and the next draw is right."""
    with emulated.stream() as stream, emulated.upload(values) as memory:
        figure = Figure(figsize=(1, 1), dpi=40)
        x = Exported.repeated(Exported(memory, values, stream), LARGE_ROWS)
        gpuplot.imshow(x, ax=figure.add_subplot(), aspect="auto")
        want = _pixels(figure)
        figure.axes[0].set_ylim(LARGE_ROWS / 2, 0)
        emulated.fail("cuLaunchKernel", 1, LAUNCH_FAILED)
        with pytest.raises(gpuplot.DeviceError, match=r"cuLaunchKernel.*LAUNCH_FAILED"):
            _pixels(figure)
        emulated.clear_failures()
        emulated.recover()
        emulated.clear_problems()
        figure.axes[0].set_ylim(LARGE_ROWS - 0.5, -0.5)
        assert np.array_equal(_pixels(figure), want)
