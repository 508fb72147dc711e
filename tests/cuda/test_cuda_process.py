"""Forked children, threads and the end of the interpreter, each in a process of its own over the emulated device."""

import os
import subprocess
import sys
import textwrap

import pytest
from watched_process import WITHOUT_FORK_WARNINGS

BEGIN = """
import gc, os, sys, threading
sys.path[:0] = {path!r}
import emulated_device
device = emulated_device.load()
import numpy as np
import gpuplot
from gpuplot import _native
values = np.arange(12000, dtype=np.float32).reshape(120, 100)
memory = device.upload(values)

class X:
    __cuda_array_interface__ = {{"shape": (120, 100), "typestr": "<f4", "data": (memory.pointer, False), "version": 3, "stream": 1}}
class Large:  # 16 MB of one row
    __cuda_array_interface__ = {{**X.__cuda_array_interface__, "shape": (40000, 100), "strides": (0, 4)}}
x = X()
want = gpuplot.downsample(values, (7, 9))
"""


@pytest.fixture
def run(emulated_library):
    """Runs lines of Python after BEGIN; what they printed."""

    def run_lines(lines, **environment):
        code = BEGIN.format(path=[entry for entry in sys.path if entry]) + textwrap.dedent(lines)
        # A slow machine's transfers would show their bar, which is not a complaint.
        done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=600,
                              env={**os.environ, "MPLBACKEND": "agg", "TQDM_DISABLE": "1", **WITHOUT_FORK_WARNINGS, **environment})
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    return run_lines


def test_import_touches_no_driver(run):
    """No call of the driver is made before there is a tensor on a device."""
    assert run("""
        used = device.counts()
        gpuplot.to_rgba(values, (5, 5))
        now = device.counts()
        print(sorted(set(now) - set(used)), now.get("cuInit", 0) - used.get("cuInit", 0))
    """).split() == ["[]", "0"]


def test_a_forked_child_is_told(run):
    """A child of a process that used CUDA gets one clear error, may use host arrays, and frees without a call."""
    assert run("""
        cells = gpuplot.downsample(x, (7, 9))
        image_cells = _native.Tensor.from_array(values, "float32")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                gpuplot.downsample(x, (7, 9))
            except gpuplot.DeviceError as error:
                code = 0 if "fork" in str(error) and "spawn" in str(error) else 2
            if not np.allclose(gpuplot.downsample(values, (7, 9)), want):
                code = 3
            gc.collect()
            os._exit(code)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), np.allclose(gpuplot.downsample(x, (7, 9)), want))
    """).split() == ["0", "True"]


def test_a_forked_child_frees_pinned_results_without_a_call(run):
    """And the parent's are not touched by it."""
    assert run("""
        kept = gpuplot.asnumpy(Large())
        again = gpuplot.asnumpy(Large(), blocking=False)
        child = os.fork()
        if child == 0:
            code = 1
            del kept, again
            gc.collect()
            try:
                gpuplot.asnumpy(x)
            except gpuplot.DeviceError as error:
                code = 0 if "fork" in str(error) else 2
            if not np.array_equal(gpuplot.asnumpy(values.T, "f8", blocking=False).result(), values.T):
                code = 3
            os._exit(code)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        print((kept == values[0]).all(), (again.result() == values[0]).all(), (gpuplot.asnumpy(Large()) == values[0]).all())
    """).split() == ["0", "True", "True", "True"]


def test_a_child_forked_while_the_driver_is_loaded_is_told(run, tmp_path):
    """The child found the lock of the loading thread taken, and waited forever."""
    os.mkfifo(tmp_path / "driver")  # the loader waits in it, and then finds that it is not a library
    assert run("""
        import faulthandler, signal, time
        faulthandler.dump_traceback_later(60, exit=True)
        pipe = os.environ["GPUPLOT_CUDA_DRIVER"] = os.environ["PIPE"]
        def load():
            try:
                _native.cuda_load()
            except gpuplot.DeviceError:
                pass
        loader = threading.Thread(target=load)
        loader.start()
        while True:
            try:
                end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError:  # the loader isn't there yet
                time.sleep(0.01)
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os.close(end)
            code = 1
            try:
                gpuplot.downsample(x, (7, 9))
            except gpuplot.DeviceError as error:
                code = 0 if "fork" in str(error) else 2
            os._exit(code)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        os.close(end)
        loader.join()
        os.environ["GPUPLOT_CUDA_DRIVER"] = str(emulated_device.folder() / "libcuda.so.1")
        print(np.allclose(gpuplot.downsample(x, (7, 9)), want))
        faulthandler.cancel_dump_traceback_later()
    """, PIPE=str(tmp_path / "driver")).split() == ["0", "True"]


def test_a_child_forked_before_any_cuda_may_use_it(run):
    """Nothing at import and nothing on host arrays stands in a child's way."""
    assert run("""
        child = os.fork()
        if child == 0:
            ok = np.allclose(gpuplot.downsample(values, (7, 9)), want)
            os._exit(0 if ok else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """).split() == ["0"]


@pytest.mark.parametrize("lines", [
    "kept = gpuplot.imshow(x, colorbar=False)",
    "import builtins; builtins.kept = gpuplot.imshow(x); builtins.memory = memory",
    "import atexit; atexit.register(lambda: gpuplot.downsample(x, (3, 3)))",
    "_native.cuda_close()",
    "kept = gpuplot.imshow(x); _native.cuda_close()",
    "threading.Thread(target=lambda: gpuplot.downsample(x, (3, 3))).start()",
    "kept = gpuplot.imshow(x); kept.cycle = kept; sys.exit(0)",
    "import builtins; builtins.kept = gpuplot.asnumpy(Large())",
    "kept = gpuplot.asnumpy(Large()); _native.cuda_close()",
    "kept = gpuplot.asnumpy(Large(), 'f8', blocking=False)",
    "kept = gpuplot.asnumpy(Large(), out=np.empty((40000, 100), 'f8'), blocking=False); sys.exit(0)",
    "kept = gpuplot.asnumpy(Large(), blocking=False, progress=lambda *n: None); kept.result()",
    "threading.Thread(target=lambda: gpuplot.asnumpy(Large(), 'f8')).start()",
    "import atexit; atexit.register(lambda: gpuplot.asnumpy(Large(), 'f8', blocking=False).result())",
])
def test_the_interpreter_ends_in_silence(run, lines):
    """Whatever is still alive, the end of the process prints nothing and succeeds."""
    run("gpuplot.downsample(x, (7, 9))\n" + lines)


@pytest.mark.parametrize("tensor", ["x", "large"], ids=["device", "host"])
@pytest.mark.parametrize("lines", [
    "del sys.modules['gpuplot._native'], sys.modules['gpuplot'], _native, gpuplot; gc.collect()",
    "sys.modules.clear()",
    "handle = gpuplot.asnumpy(X, 'f8', blocking=False); del gpuplot, _native",
    "threading.Thread(target=again, daemon=True).start(); import time; time.sleep(0.2)",
    "threading.Thread(target=again, daemon=True).start(); handle = gpuplot.asnumpy(X, 'f8', blocking=False); sys.exit(0)",
    "import atexit; atexit.register(im.axes.figure.canvas.draw); atexit.register(im.remove)",
])
def test_the_interpreter_ends_in_any_order(run, tensor, lines):
    """Modules that go before artists, threads that still draw, handles that wait: nothing is printed and nothing crashes."""
    run(f"""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        large = np.zeros((1200, 1000), "f4")
        X = {tensor}
        fig = Figure(figsize=(1, 1))
        FigureCanvasAgg(fig)
        im = gpuplot.imshow(X, ax=fig.add_axes((0, 0, 1, 1)))
        fig.canvas.draw()
        def again():
            while True:
                gpuplot.downsample(X, (7, 9))
        {lines}
    """)


@pytest.mark.parametrize(("tensor", "is_shown"), [
    pytest.param("x", True, id="device, notebook"),
    pytest.param("large", False, id="host, script", marks=pytest.mark.slow),
])
@pytest.mark.parametrize("lines", [
    "",
    "import builtins; builtins.kept = w; del w",
    "w.cycle = [w]; del w",
    "w.cycle = [w]; w.close(); del w, X; sys.exit(0)",
    "import atexit; atexit.register(lambda: w.snapshot(io.BytesIO()))",
    "_native.cuda_close()",
    "sys.modules.clear()",
    "threading.Thread(target=again, daemon=True).start(); import time; time.sleep(0.2)",
])
def test_the_interpreter_ends_in_any_order_with_an_inspector(run, lines, is_shown, tensor):
    """One that is drawn, by a page or without: nothing is printed and nothing crashes. A script is warned of what it cannot show."""
    pytest.importorskip("anywidget", reason="the inspector needs anywidget: pip install anywidget")
    run(f"""
        import io, warnings
        warnings.simplefilter("ignore", gpuplot.GpuplotWarning)
        large = np.zeros((1200, 1000), "f4")
        X = {tensor}
        if {is_shown}:
            import inspector_notebook
            inspector_notebook.comm.create_comm = inspector_notebook.RecordingComm
        w = gpuplot.inspect(X)
        if {is_shown}:
            page = inspector_notebook.Page(w)
            page.look([0, 100, 0, 100], [30, 30])
            assert page.frames() and not page.errors()
            del page
        w.snapshot(io.BytesIO())
        def again():
            while True:
                w.update(X)
                w.snapshot(io.BytesIO())
        {lines}
    """)


def test_cells_outlive_a_close(run):
    """Cells of a closed device cannot be used, and freeing them does nothing."""
    assert run("""
        from gpuplot.arrays.describe import describe
        with describe(x).borrow() as tensor:
            plane = _native.Plane(tensor, [("rows", 0, 1, 120, 0), ("cols", 0, 1, 100, 0)], [])
            cells, _ = _native.reduce(plane, _native.Axis(120, 0.0, 120.0, 7), _native.Axis(100, 0.0, 100.0, 9))
        assert np.allclose(cells.numpy(), want)
        _native.cuda_close()
        del cells
        print(np.allclose(gpuplot.downsample(x, (7, 9)), want))
    """).split() == ["True"]


def test_threads_share_a_device(run):
    """Many threads at once get the same results as one, and no context stays current in any of them."""
    assert run("""
        wrong = []
        def work(k):
            for _ in range(5):
                got = gpuplot.downsample(x, (7, 9)) if k % 2 else gpuplot.to_rgba(x, (7, 9))
                ok = np.array_equal(got, expected[k % 2])
                if not ok or device.context_depth():
                    wrong.append(k)
        expected = [gpuplot.to_rgba(x, (7, 9)), gpuplot.downsample(x, (7, 9))]
        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        [t.start() for t in threads]; [t.join() for t in threads]
        print(wrong, device.problems())
    """).split("\n")[0] == "[] []"


def test_cells_of_many_parts(run):
    """On as many processors as large GPUs have, a cell beside a much larger one comes to parts of one aligned run."""
    assert run("""
        from device_planes import device_plane
        values = np.random.default_rng(5).normal(size=(1, 1056 + 1_200_000))
        edges = np.array([0.0, 1056.0, values.shape[1]])
        across, down = _native.Axis.from_edges(values.shape[1], edges, (edges[1:] + edges[:-1]) / 2), _native.Axis(1, 0, 1, 1)
        got = _native.reduce(device_plane(values), down, across, "sum")[0].numpy()
        print(np.allclose(got, [[values[0, :1056].sum(), values[0, 1056:].sum()]]))
    """, EMU_PROCESSORS="132").split() == ["True"]


@pytest.mark.parametrize("capability", [75, 86, 89, 120])
def test_gpus_that_a_compiler_does_not_know(run, capability):
    """NVRTC compiles for the newest architecture that is not newer, as PTX, which the driver makes the GPU's own."""
    assert run("print(abs(gpuplot.downsample(x, (7, 9)) - want).max() < 1e-9, device.problems())", EMU_CAPABILITY=str(capability),
               XDG_CACHE_HOME="/nowhere").split() == ["True", "[]"]


RESET = """
    cells, other = [_native.reduce(*reducing, "mean")[0] for _ in range(2)]
    want = gpuplot.downsample(x, (7, 9))
    device.drain()
    device.reset_device()
    {between}
    for read in (cells.numpy, lambda: _native.Tensor.from_cells(other), lambda: _native.angle(cells, other)):
        try:
            read()
        except gpuplot.DeviceError as error:
            print("was reset" in str(error))
    del cells, other
    memory = device.upload(values)
    print((gpuplot.downsample(X(), (7, 9)) == want).all(), (gpuplot.asnumpy(X()) == values).all(), device.problems())
"""


@pytest.mark.parametrize("between", ["pass", "device.primary()"])
def test_a_reset_device_is_used_anew(run, between):
    """cudaDeviceReset and numba.cuda.close end all handles and memory; the next context may have the same address."""
    begin = """
        from gpuplot.arrays.describe import describe
        class X:
            @property
            def __cuda_array_interface__(self):
                return {"shape": (120, 100), "typestr": "<f4", "data": (memory.pointer, False), "version": 3, "stream": 1}
        x = X()
        source = describe(x)
        tensor = source.borrow().__enter__()
        plane = _native.Plane(tensor, (("rows", 0, 1, 120, 0), ("cols", 0, 1, 100, 0)), ())
        reducing = plane, _native.Axis(120, 0, 120, 7), _native.Axis(100, 0, 100, 9)
    """
    out = run(textwrap.dedent(begin) + textwrap.dedent(RESET.format(between=between)))
    assert out.split() == ["True"] * 5 + ["[]"]


@pytest.mark.parametrize("to", [0, 1])
def test_pinned_results_of_a_reset_device_are_not_used_again(run, to):
    """The reset frees them, kept ones and those still in an array; a block of one device may be taken for another."""
    assert run(f"""
        live, kept = gpuplot.asnumpy(Large()), gpuplot.asnumpy(Large())
        del kept
        device.reset_device()
        del live
        memory = device.upload(values, device={to})
        Large.__cuda_array_interface__ = {{**Large.__cuda_array_interface__, "data": (memory.pointer, False)}}
        results = [gpuplot.asnumpy(Large()) for _ in range(3)]
        print(*((found == values[0]).all() for found in results), _native.cuda_counts(0)["pinned_kept_bytes"], device.problems())
        del results
        _native.cuda_close()
        print(device.problems(), [line for line in device.leaks() if "pinned" in line])
    """).split() == ["True"] * 3 + ["0", "[]", "[]", "[]"]
