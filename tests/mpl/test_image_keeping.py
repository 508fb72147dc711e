"""How long an image keeps its tensor: pickles, copies, freezing, and removal."""

import array
import copy
import gc
import os
import pickle
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from figures import axes_of, borrowed, made, needs_exact_places, pixels
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from watched_process import run_watched

import gpuplot

LOAD_DRAW_PICKLE = """
import pickle, sys, numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
fig = pickle.load(open(sys.argv[1], "rb"))
def draw(fig):
    FigureCanvasAgg(fig).draw()
    return np.asarray(fig.canvas.buffer_rgba()).copy()
first = draw(fig)
again = pickle.loads(pickle.dumps(fig))
assert (draw(again) == first).all()
np.save(sys.argv[2], first)
"""


class Array(np.ndarray):
    """An array that can be watched by a weak reference."""


def watched():
    X = borrowed().view(Array)
    return X, weakref.ref(X)


@pytest.mark.parametrize("X", [
    np.arange(12.0).reshape(3, 4), borrowed(), np.arange(60).reshape(3, 4, 5),
    # matplotlib 3.9 cannot draw its own RGB images from a pickle
    pytest.param(np.random.default_rng(0).random((30, 30, 3)), marks=needs_exact_places),
    np.exp(1j * np.arange(100)).reshape(10, 10), np.ma.masked_less(np.arange(12).reshape(3, 4), 3),
], ids=["small", "borrowed", "N-D", "rgb", "complex", "masked"])
def test_a_pickle_draws_the_same_in_a_new_process(X, tmp_path):
    ax = axes_of(120)
    gpuplot.imshow(X, ax=ax, aspect="auto", cmap="magma")
    want = pixels(ax.figure)
    (tmp_path / "figure.pickle").write_bytes(pickle.dumps(ax.figure))
    root = str(Path(gpuplot.__file__).parents[1])
    subprocess.run([sys.executable, "-c", LOAD_DRAW_PICKLE, tmp_path / "figure.pickle", tmp_path / "out.npy"], check=True,
                   env=os.environ | {"PYTHONPATH": root, "MPLBACKEND": "agg"})
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), want)


def test_the_pickle_of_a_huge_plane_holds_cells():
    X = np.broadcast_to(np.linspace(0, 1, 20_000, dtype="f4"), (20_000, 20_000))
    ax = axes_of(200)
    im = gpuplot.imshow(X, ax=ax)
    data = pickle.dumps(ax.figure)
    assert len(data) < 2048 * 2048 * 9 + 2**20
    figure = pickle.loads(data)
    twin = figure.axes[0].images[0]
    assert twin.get_extent() == im.get_extent() and twin.get_clim() == im.get_clim() and twin.get_shape() == X.shape
    FigureCanvasAgg(figure)
    assert abs(made(twin).astype(int) - made(im)).max() <= 2
    figure.axes[0].set(xlim=(5000, 5010), ylim=(10, 0))
    assert made(twin).shape == (200, 200, 4)


@pytest.mark.parametrize("denorm", [None, "minmax", (0.5, 0.25)])
def test_the_pickle_of_a_huge_picture_in_colors_is_drawn(denorm):
    """It could not be, and values are made colors once."""
    X = np.broadcast_to(np.linspace(0, 1.5, 2000, dtype="f4")[:, None] * np.float32([1, 0.6, 0.3]), (3000, 2000, 3))
    ax = axes_of(200)
    im = gpuplot.imshow(X, ax=ax, denorm=denorm)
    figure = pickle.loads(pickle.dumps(ax.figure))
    FigureCanvasAgg(figure)
    twin = figure.axes[0].images[0]
    assert abs(made(twin).astype(int) - made(im)).max() <= 2


def test_freezing_keeps_the_picture_and_lets_the_tensor_go():
    X, alive = watched()
    ax = axes_of(200)
    im = gpuplot.imshow(X, ax=ax, aspect="auto")
    before = pixels(ax.figure)
    im.freeze()
    del X
    gc.collect()
    assert alive() is None and im.tensor is None
    np.testing.assert_array_equal(pixels(ax.figure), before)
    im.set_cmap("gray")
    ax.set(xlim=(10, 500))
    assert made(im).shape == (200, 200, 4)
    with pytest.raises(ValueError, match="keeps no tensor"):
        im.set_index({0: 1})


def test_a_frozen_slice_says_where_it_was():
    stack = np.broadcast_to(borrowed(), (9, *borrowed().shape))
    im = gpuplot.imshow(stack, index={0: 5}, ax=axes_of(200))
    twin = pickle.loads(pickle.dumps(im.figure)).axes[0].images[0]
    im.freeze()
    assert im.hidden_text == twin.hidden_text == "index {0: 5}" and "index {0: 5}" in repr(im)


@pytest.mark.parametrize("end", [lambda im: im.remove(), lambda im: im.axes.clear(), lambda im: im.axes.figure.clear()],
                         ids=["remove", "ax.clear", "fig.clear"])
def test_the_end_of_an_artist_releases_tensor_and_cells(end):
    X, alive = watched()
    ax = axes_of(200)
    im = gpuplot.imshow(X, ax=ax)
    ax.figure.canvas.draw()
    end(im)
    del X
    gc.collect()
    assert alive() is None and im._cells.frame is None
    assert im.axes is None
    str(im), repr(im)


def test_a_removed_image_of_one_small_plane_lets_the_other_planes_go():
    """A removed image kept the whole tensor of which it had copied one plane, so that another index could be asked for."""
    X = np.zeros((30, 40, 50)).view(Array)
    alive = weakref.ref(X)
    im = gpuplot.imshow(X, ax=axes_of())
    im.remove()
    del X
    gc.collect()
    assert alive() is None and im.get_array().shape == (40, 50)
    with pytest.raises(ValueError, match="keeps no tensor"):
        im.set_index({0: 1})


def test_closing_the_figure_releases_the_tensor():
    import matplotlib.pyplot as plt

    X, alive = watched()
    plt.figure()
    gpuplot.imshow(X)
    plt.close()
    del X
    gc.collect()
    assert alive() is None


def test_a_small_plane_lets_its_tensor_go_at_the_call():
    X = np.zeros((50, 50)).view(Array)
    alive = weakref.ref(X)
    im = gpuplot.imshow(X, ax=axes_of())
    del X
    gc.collect()
    assert alive() is None and im.get_array().shape == (50, 50)


def test_copies_share_the_tensor():
    X = borrowed()
    im = gpuplot.imshow(X, ax=axes_of(), vmin=0)
    for twin in (copy.copy(im), copy.deepcopy(im)):
        assert twin.tensor is X and twin.get_clim() == im.get_clim()


def copied_figures(figure):
    figures = copy.deepcopy(figure), pickle.loads(pickle.dumps(figure))
    for twin in figures:
        FigureCanvasAgg(twin)
    return figures


@pytest.mark.parametrize("options", [
    pytest.param({"limits": "pixels"}, id="pixels"),
    pytest.param({"agg": "std"}, id="std", marks=pytest.mark.host("a pickled copy is in host memory; last bits of std may differ there")),
    pytest.param({"norm": "eq_hist"}, id="eq_hist"),
])
@pytest.mark.parametrize("is_bar_first", [False, True])
def test_the_colorbar_of_a_copy_follows_its_zooms(options, is_bar_first):
    cax, ax = FigureCanvasAgg(Figure()).figure.subplots(1, 2) if is_bar_first else (None, axes_of(120))
    gpuplot.imshow(borrowed(), ax=ax, colorbar={"cax": cax} if is_bar_first else True, **options)
    before = pixels(ax.figure)
    for figure in copied_figures(ax.figure):
        np.testing.assert_array_equal(pixels(figure), before)
        for one in (ax, figure.axes[is_bar_first]):
            one.set_xlim(100, 160)
        np.testing.assert_array_equal(pixels(figure), pixels(ax.figure))
        ax.set_xlim(-0.5, borrowed().shape[1] - 0.5)


def test_the_colorbar_of_a_copy_follows_limits_norm_and_colormap():
    im = gpuplot.imshow(borrowed(), ax=axes_of(120), colorbar=True)
    for figure in copied_figures(im.axes.figure):
        twin = figure.axes[0].images[0]
        twin.set_clim(1, 5)
        assert figure.axes[1].get_ylim() == (1, 5) and twin.stale
        twin.set(norm="log", cmap="magma")
        assert figure.axes[1].get_yscale() == "log" and twin.colorbar.cmap.name == "magma"
        twin.colorbar.remove()
        assert figure.axes == [twin.axes]


def test_the_classes_beside_a_copy_are_its_own():
    im = gpuplot.imshow(np.array([[0, 1], [2, 1]]), ax=axes_of(), categorical=True, colorbar=True)
    for figure in copied_figures(im.axes.figure):
        figure.axes[0].images[0].set_data(np.array([[7, 1], [2, 1]]))
        assert [text.get_text() for text in figure.axes[1].get_yticklabels()] == ["1", "2", "7"]
    assert [text.get_text() for text in im.colorbar.ax.get_yticklabels()] == ["0", "1", "2"]


def test_pictures_of_a_copy_that_share_a_norm_keep_it():
    norm, axes = Normalize(), FigureCanvasAgg(Figure()).figure.subplots(1, 2)
    for ax, factor in zip(axes, (1, 3), strict=True):
        gpuplot.imshow(borrowed() * factor, ax=ax, norm=norm, limits="pixels")
    pixels(axes[0].figure)
    for figure in copied_figures(axes[0].figure):
        before = figure.axes[0].images[0].get_clim()
        figure.axes[0].set_xlim(100, 160)
        pixels(figure)
        assert figure.axes[0].images[0].get_clim() == before == figure.axes[1].images[0].get_clim()


def test_the_input_is_never_written():
    X = borrowed()
    X[3, 4] = np.nan
    masked = np.ma.masked_less(X, 0)
    X.flags.writeable = False
    mask = masked.mask.copy()
    for values in (X, masked):
        im = gpuplot.imshow(values, ax=axes_of(100))
        made(im)
        im.get_array()
        im.axes.set(xlim=(0, 10), ylim=(10, 0))
        made(im)
    np.testing.assert_array_equal(masked.mask, mask)


FORKED_WITH_THE_LOCK = """
import os, signal, threading
import numpy as np
import gpuplot
from gpuplot.plane import cell_budget
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

fig = Figure()
im = gpuplot.imshow(np.zeros((1200, 1000), "f4"), ax=fig.add_axes((0, 0, 1, 1)))
is_held, is_over = threading.Event(), threading.Event()

def hold():
    with cell_budget._holders_lock:
        is_held.set()
        is_over.wait()

thread = threading.Thread(target=hold)
thread.start()
is_held.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)
    im.make_image(FigureCanvasAgg(fig).get_renderer())
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
is_over.set()
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_that_is_forked_while_another_thread_draws_can_draw():
    """It found the lock of the list of images taken, and waited for ever."""
    assert run_watched(FORKED_WITH_THE_LOCK).split() == ["0"]


DRAWN_IN_BETWEEN = """
from gpuplot.plane import cell_budget

class Frame:
    device_bytes = 40 * 2**20

class Image:
    def __init__(self, then=None):
        self.kept, self.then = Frame(), then

    @property
    def frame(self):
        then, self.then = self.then, None
        if then is not None:
            cell_budget.keep_within_budget(then)
        return self.kept

    def drop_frame(self):
        self.kept = None

first, handlers = Image(), Image()
last = Image(handlers)
for image in (first, last):
    cell_budget.keep_within_budget(image)
print(first.kept is None, handlers.kept is None, last.kept is None)
"""


def test_a_signal_handler_that_draws_while_frames_are_counted_waits_for_nobody():
    """It waited for the lock that its own thread held; here the frame's getter is where the signal comes."""
    assert run_watched(DRAWN_IN_BETWEEN, seconds=20).split() == ["True", "True", "False"]


# ---- memory that goes between two draws ------------------------------------------------------------------------------------


def shrink_ndarray(X):
    X.resize((3, 4), refcheck=False)


def empty_ndarray(X):
    X.resize((0,), refcheck=False)


def empty_numbers(X):
    del X[:]


@pytest.mark.host("memory of the host that its owner gives back")
@pytest.mark.parametrize(("make", "shrink"), [
    (borrowed, shrink_ndarray), (borrowed, empty_ndarray), (lambda: array.array("f", bytes(4 * 1_200_000)), empty_numbers),
], ids=["ndarray shrinks", "ndarray is emptied", "array is emptied"])
def test_memory_that_goes_between_two_draws(make, shrink):
    """What was read stays; what has to be read anew is one error, and the next tensor mends the picture."""
    X = make()
    im = gpuplot.imshow(X, ax=axes_of(60))
    before = pixels(im.axes.figure)
    shrink(X)
    np.testing.assert_array_equal(pixels(im.axes.figure), before)
    im.axes.set_xlim(0, 100)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"the tensor was float32 .* now: call the function again, or update\(\)"):
            pixels(im.axes.figure)
    im.update(make())
    assert pixels(im.axes.figure).any()
