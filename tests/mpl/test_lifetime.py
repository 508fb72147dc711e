"""A thousand figures that are drawn and closed leave no memory of any kind, all counted."""

import ctypes
import gc
import sys

import effort
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import gpuplot
from gpuplot import _native
from gpuplot.mpl.images import borrowed_plane

IS_WHOLE = effort.current() == "whole"
N_FIGURES = 1000
N_FIGURES_ON_DEVICE = 1000 if IS_WHOLE else 200
N_WARM = 60  # figures until caches of Python and matplotlib are full
VALUES = np.random.default_rng(0).normal(size=(60, 50)).astype("f4")

# Per figure: less than one object, one block, and a small part of the cells of one.
MAX_OBJECTS, MAX_BLOCKS, MAX_BYTES = 0.5, 0.9, 200


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
                                                     "uordblks", "fordblks", "keepcost")]


def malloc_bytes():
    """Bytes that native code has on the heap; a skip where the C library does not tell."""
    try:
        mallinfo = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError):
        pytest.skip("the C library has no mallinfo2")
    mallinfo.restype = Mallinfo
    info = mallinfo()
    return info.uordblks + info.hblkhd


def host_memory():
    """(objects that the collector knows, blocks of Python's allocator, bytes of malloc)"""
    gc.collect()
    return len(gc.get_objects()), sys.getallocatedblocks(), malloc_bytes()


def draw_and_close(X, i):
    """One figure, with an image that is drawn, changed and removed in one of several ways.

    Color bars are linear: of other ones matplotlib keeps the labels.
    """
    fig = Figure(figsize=(0.3, 0.3), dpi=100)
    canvas = FigureCanvasAgg(fig)
    ax = fig.add_axes((0, 0, 1, 1))
    ax.axis("off")
    im = gpuplot.imshow(X, ax=ax, norm=("linear", "symlog", "eq_hist")[i % 3],
                        colorbar=i % 21 == 0)
    canvas.draw()
    if i % 4 == 1:
        im.update(X)
        canvas.draw()
    elif i % 4 == 2:
        im.remove()
    elif i % 4 == 3:
        fig.clear()


def draw_many(X, n):
    """Figures are cycles, which the collector finds when it likes: here after every ten."""
    gc.disable()
    try:
        for i in range(n):
            draw_and_close(X, i)
            if i % 10 == 9:
                gc.collect()
    finally:
        gc.enable()


@pytest.fixture
def borrowed_planes(monkeypatch):
    """Small planes are not copied at the call: cells are reduced at each draw, as of large ones."""
    monkeypatch.setattr(borrowed_plane, "MAX_GATHERED_ELEMENTS", 0)


def left_by_a_figure(X, n_figures):
    """What each of so many figures leaves in host memory, the median of five parts, as a table of Python may grow once."""
    n, grown = n_figures // 5, []
    before = host_memory()
    for _ in range(5):
        draw_many(X, n)
        after = host_memory()
        grown.append(np.subtract(after, before, dtype=float) / n)
        before = after
    return np.median(grown, 0)


@pytest.mark.slow
@pytest.mark.host("counts the memory of host arrays")
@pytest.mark.usefixtures("borrowed_planes")
def test_figures_leave_nothing_in_host_memory():
    draw_many(VALUES, N_WARM)
    n_references = sys.getrefcount(VALUES)
    n_objects, n_blocks, n_bytes = left_by_a_figure(VALUES, N_FIGURES)
    assert n_objects < MAX_OBJECTS and n_blocks < MAX_BLOCKS and n_bytes < MAX_BYTES
    assert sys.getrefcount(VALUES) == n_references


def device_memory(emulator):
    """What the driver holds for gpuplot, and what gpuplot counts: exact."""
    gc.collect()
    counts = _native.cuda_counts(0)
    return (emulator.memory_used(), sorted(emulator.leaks()), counts["n_device_allocs"], counts["n_pinned_allocs"],
            counts["pinned_live_bytes"], counts["pinned_kept_bytes"], counts["cached_cells_bytes"])


@pytest.mark.slow
@pytest.mark.usefixtures("borrowed_planes")
def test_figures_leave_nothing_in_device_memory(emulated):
    """Nor is anything allocated there: the memory of the cells of one figure serves the next."""
    with emulated.upload(VALUES) as memory:
        class X:
            __cuda_array_interface__ = {"shape": VALUES.shape, "typestr": "<f4", "data": (memory.pointer, False), "version": 3,
                                        "stream": None}
        draw_many(X(), N_WARM)
        before = device_memory(emulated)
        n_objects, n_blocks, n_bytes = left_by_a_figure(X(), N_FIGURES_ON_DEVICE)
        assert device_memory(emulated) == before
        assert n_objects < MAX_OBJECTS and n_bytes < MAX_BYTES
        assert not IS_WHOLE or n_blocks < MAX_BLOCKS  # of few figures Python's own caches are too much
