"""Order and independence of streams on a real GPU: late writes are seen, nobody is waited for without need, captures survive."""

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import gpuplot
from gpuplot import _native

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).resolve().parents[2]
# Cycles of a multiprocessor: some tenths of a second, far longer than a draw.
LONG, LATE = 1_000_000_000, 150_000_000
SHAPE = (2048, 1024)


@pytest.fixture
def zeros(torch, cuda):
    """A tensor of zeros that everybody has finished, and gpuplot warm."""
    tensor = torch.zeros(SHAPE, device="cuda")
    gpuplot.downsample(tensor, (8, 8))
    cuda.synchronize()
    return tensor


def write_late(cuda, tensor, value=1.0):
    """Queues a write that comes long after the call."""
    cuda._sleep(LATE)
    tensor.fill_(value)


def test_a_late_write_on_the_default_stream_is_seen(cuda, zeros):
    write_late(cuda, zeros)
    assert (gpuplot.downsample(zeros, (8, 8)) == 1).all()


def test_a_late_write_on_the_current_side_stream_is_seen(cuda, zeros):
    with cuda.stream(cuda.Stream()):
        write_late(cuda, zeros)
        assert (gpuplot.downsample(zeros, (8, 8)) == 1).all()


@pytest.mark.parametrize("as_handle", [False, True])
def test_a_late_write_on_a_named_stream_is_seen(cuda, zeros, as_handle):
    side = cuda.Stream()
    with cuda.stream(side):
        write_late(cuda, zeros)
    cells = gpuplot.downsample(zeros, (8, 8), stream=side.cuda_stream if as_handle else side)
    assert (cells == 1).all()


def test_an_image_sees_what_is_written_between_its_draws(torch, cuda):
    tensor = torch.zeros(2048, 2048, device="cuda")
    fig = Figure()
    FigureCanvasAgg(fig)
    image = gpuplot.imshow(tensor, ax=fig.add_subplot(), vmin=0, vmax=1)
    fig.canvas.draw()
    before = np.asarray(fig.canvas.buffer_rgba()).copy()
    write_late(cuda, tensor)
    image.update()
    fig.canvas.draw()
    assert (np.asarray(fig.canvas.buffer_rgba()) != before).any()


def test_a_long_kernel_on_another_stream_is_not_waited_for(cuda, zeros):
    busy, done = cuda.Stream(), cuda.Event()
    for draw in (lambda: gpuplot.downsample(zeros, (8, 8)), lambda: gpuplot.to_rgba(zeros, (8, 8), vmin=0, vmax=1)):
        draw()
        with cuda.stream(busy):
            cuda._sleep(LONG)
            done.record(busy)
        draw()
        assert not done.query(), "the call waited for a stream that has nothing to do with the tensor"
        done.synchronize()


def test_gpuplot_works_on_a_stream_of_its_own(cuda, zeros):
    assert _native.cuda_stream(0) not in (0, 1, 2, cuda.current_stream().cuda_stream)


def test_a_late_write_on_streams_of_cupy_is_seen(cupy):
    spin = cupy.RawKernel('extern "C" __global__ void spin(long long n) { long long t = clock64(); while (clock64() - t < n); }',
                          "spin")
    streams = {"legacy": cupy.cuda.Stream.null, "of the thread": cupy.cuda.Stream.ptds, "blocking": cupy.cuda.Stream(),
               "not blocking": cupy.cuda.Stream(non_blocking=True)}
    array = cupy.zeros(SHAPE, "float32")
    gpuplot.downsample(array, (8, 8))
    for name, stream in streams.items():
        array.fill(0)
        cupy.cuda.runtime.deviceSynchronize()
        with stream:
            spin((1,), (1,), (cupy.int64(LATE),))
            array.fill(1)
            assert (gpuplot.downsample(array, (8, 8)) == 1).all(), name


def test_a_capture_is_refused_and_survives(torch, cuda, zeros):
    result, graph = torch.empty_like(zeros), cuda.CUDAGraph()
    torch.add(zeros, 1, out=result)
    cuda.synchronize()
    with cuda.graph(graph):
        torch.add(zeros, 1, out=result)
        with pytest.raises(gpuplot.DeviceError, match="captur"):
            gpuplot.downsample(zeros, (8, 8))
        result.mul_(3)
    zeros.fill_(4)
    graph.replay()
    cuda.synchronize()
    assert (result == 15).all()
    assert (gpuplot.downsample(result, (8, 8)) == 15).all()


def test_threads_draw_at_the_same_time(torch, cuda):
    tensors = [torch.full(SHAPE, float(k), device="cuda") for k in range(6)]
    cuda.synchronize()
    wrong = []

    def draw(k):
        with cuda.stream(cuda.Stream()):
            for _ in range(20):
                if not (gpuplot.downsample(tensors[k], (16, 16)) == k).all():
                    wrong.append(k)

    threads = [threading.Thread(target=draw, args=(k,)) for k in range(len(tensors))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_tensor_may_be_freed_at_once(torch, cuda):
    """Its memory goes back to torch and is written by whoever gets it next, while nobody waits."""
    for k in range(20):
        tensor = torch.full(SHAPE, float(k), device="cuda")
        cells = gpuplot.downsample(tensor, (16, 16))
        del tensor
        torch.full(SHAPE, -1.0, device="cuda")
        assert (cells == k).all()


def run_script(text, **env):
    """The output of a script in a process of its own."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT), **env})
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_a_forked_child_gets_a_clear_error(cuda):
    said = run_script("""
        import os, torch, gpuplot
        tensor = torch.ones(100, 100, device="cuda")
        gpuplot.downsample(tensor, (2, 2))
        if os.fork() == 0:
            try:
                gpuplot.downsample(tensor, (2, 2))
            except gpuplot.DeviceError as error:
                print("child:", error, flush=True)
            os._exit(0)
        os.wait()
        print("parent:", gpuplot.downsample(tensor, (2, 2)).sum(), flush=True)
    """)
    assert "child:" in said and "fork" in said and "parent: 4.0" in said


def test_memory_of_torchs_asynchronous_allocator(cuda):
    said = run_script("""
        import torch, gpuplot
        tensor = torch.full((1000, 1000), 3.0, device="cuda")
        print(gpuplot.downsample(tensor, (4, 4)).sum())
    """, PYTORCH_CUDA_ALLOC_CONF="backend:cudaMallocAsync")
    assert float(said) == 48


def test_nothing_is_touched_before_the_first_device_tensor(cuda):
    said = run_script("""
        import numpy, gpuplot
        gpuplot.to_rgba(numpy.ones((50, 50)))
        print(any("libcuda.so" in line for line in open("/proc/self/maps")))
    """)
    assert said.strip() == "False"
