"""A line after it is drawn: new data, animation, the pointer, pickles, copies, and when its tensors are released."""

import copy
import datetime
import gc
import io
import pickle
import weakref

import numpy as np
import pytest
from figures import axes_of, pixels
from matplotlib.backend_bases import MouseEvent
from matplotlib.backends.backend_agg import FigureCanvasAgg
from sample_lines import LONG, SHORT, decorated, points

import gpuplot


@pytest.fixture
def ax():
    return decorated()


# ---- other data -------------------------------------------------------------------------------------------------------


def test_set_data(ax):
    line, = gpuplot.plot(SHORT, ax=ax)
    limits = ax.get_xlim()
    line.set_xdata(np.arange(60))
    line.set_ydata(LONG[:60])
    np.testing.assert_array_equal(points(line)[:52, 1], LONG[:52])
    assert ax.get_xlim() == limits
    line.set_data([1, 2, 3], [4, 5, 6])
    assert points(line).tolist() == [[1, 4], [2, 5], [3, 6]]
    line.set_data(([1, 2], [4, 5]))
    assert points(line).tolist() == [[1, 4], [2, 5]]
    line.set(ydata=[7, 8])
    assert points(line).tolist() == [[1, 7], [2, 8]]
    line.set_xdata(None)
    assert points(line).tolist() == [[0, 7], [1, 8]]
    line.set_ydata([1, 2, 3])
    line.set_xdata([1, 2])
    with pytest.raises(ValueError, match="same first dimension"):
        points(line)
    with pytest.raises(ValueError, match="one axis, not shape"):
        line.set_ydata(np.zeros((3, 3)))


def test_a_single_x_or_y_is_that_of_all_samples(ax, put):
    """As of matplotlib's own lines, where one is set."""
    line, = gpuplot.plot(put(np.array([5, 6, 7], np.float32)), ax=ax)
    line.set_xdata(put(np.array([0.5], np.float32)))
    assert points(line).tolist() == [[0.5, 5], [0.5, 6], [0.5, 7]] and line.length == 3
    line.set_data([1, 2], [4])
    assert points(line).tolist() == [[1, 4], [2, 4]] and list(line.get_ydata()) == [4]
    line.set_xdata(np.ma.masked_all(1))
    line.set_ydata(np.arange(5000.0))
    line.figure.canvas.draw()
    assert np.isnan(points(line)[:, 0]).all()


@pytest.mark.parametrize("shape", [(4, 1), (1, 4), (1, 4, 1)])
def test_axes_of_size_1_are_left_out(ax, shape):
    """As matplotlib's lines do, such as for what a model predicts."""
    line, = gpuplot.plot([5, 6, 7, 8], ax=ax)
    line.set_ydata(np.arange(4.0).reshape(shape))
    assert points(line).tolist() == [[0, 0], [1, 1], [2, 2], [3, 3]]
    line.set_data(np.arange(4).reshape(shape) * 2, np.ones(shape))
    assert points(line).tolist() == [[0, 1], [2, 1], [4, 1], [6, 1]]
    line.set_data([[3]], [[[4]]])
    assert points(line).tolist() == [[3, 4]]


@pytest.mark.parametrize(("change", "name"), [
    (lambda line: line.set_xdata(3), "x"), (lambda line: line.set_ydata(np.float32(3)), "y"), (lambda line: line.set_data(3, 4), "x"),
    (lambda line: line.update(np.array(4.0)), "y")])
def test_one_number_is_no_data(ax, change, name):
    """As for matplotlib's lines; what was drawn stays."""
    line, = gpuplot.plot([5], ax=ax)
    with pytest.raises(RuntimeError, match=f"^{name} must be a sequence"):
        change(line)
    assert points(line).tolist() == [[0, 5]]


@pytest.mark.parametrize("make", [list, lambda y: y, lambda y: y[:, None]], ids=["list", "array", "column"])
def test_update_reads_few_samples_again(ax, make):
    """They were copied at the call."""
    y = make(np.zeros(100, "f4"))
    line, = gpuplot.plot(y, ax=ax)
    y[50:] = [3.0] * 50 if isinstance(y, list) else 3
    assert points(line)[:, 1].max() == 0
    if np.ndim(y) > 1:
        with pytest.raises(ValueError, match=r"^the line has a copy of its samples alone: pass the new ones, line.update\(y\)$"):
            line.update()
        line.update(y[:, 0])
    line.update()
    assert points(line)[:, 1].max() == 3


def test_update_of_a_pickled_line_wants_its_samples(ax):
    line, = gpuplot.plot(np.zeros(100), ax=ax)
    again = pickle.loads(pickle.dumps(line.figure)).axes[0].lines[0]
    with pytest.raises(ValueError, match="has a copy of its samples alone"):
        again.update()
    again.update(np.ones(100))
    assert points(again)[:, 1].max() == 1


def test_update_reads_again(ax):
    y = LONG.copy()
    line, = gpuplot.plot(y, ax=ax)
    points(line)
    y += 1000
    assert points(line)[:, 1].max() < 5000
    before = points(line)[:, 1].max()
    line.update()
    assert points(line)[:, 1].max() == pytest.approx(before + 1000)
    line.update(SHORT)
    assert line.length == 50
    line.update({"color": "m"})
    assert line.get_color() == "m"


def test_few_samples_are_copied(ax):
    y = SHORT.copy()
    line, = gpuplot.plot(y, ax=ax)
    y[:] = 99
    assert points(line)[:, 1].max() < 99


def test_what_was_handed_over_comes_back(ax):
    line, = gpuplot.plot(LONG, ax=ax)
    assert line.get_ydata() is LONG
    assert line.get_xdata() == range(len(LONG))
    np.testing.assert_array_equal(gpuplot.plot(SHORT, ax=ax)[0].get_xdata() + 1, np.arange(1, len(SHORT) + 1))
    points(line)
    assert len(line.get_xdata(orig=False)) == len(line.get_ydata(orig=False)) == len(line.get_xydata())


def test_a_list_of_tensors_comes_back_as_an_array(ax):
    """Losses with gradients, which NumPy cannot read."""
    torch = pytest.importorskip("torch")
    losses = [torch.tensor(loss, requires_grad=True) for loss in (3.0, 2.0, 1.5)]
    line, = gpuplot.plot(losses, ax=ax)
    assert line.get_ydata().tolist() == [3, 2, 1.5]


@pytest.mark.parametrize("values", [
    lambda: [datetime.datetime(2026, 1, day) for day in (1, 2, 3)], lambda: tuple("abc"), lambda: [1, 2.5, 4], lambda: [1, None, 3],
    lambda: pytest.importorskip("pandas").Series([3, 1, 2], index=[5, 6, 7]),
    lambda: pytest.importorskip("pandas").date_range("2026-01-01", periods=3),
    lambda: pytest.importorskip("polars").Series([1.0, 2, 3])])
def test_lists_and_columns_come_back_as_arrays(values):
    """As of `Line2D`: sums of a list, and places in a column with an index, were not those of an array."""
    given = values()
    ours, theirs = decorated(), decorated()
    (line, other), = zip(gpuplot.plot(given, given, ax=ours), theirs.plot(given, given), strict=True)
    for found, wanted in zip(line.get_data(), other.get_data(), strict=True):
        assert type(found) is type(wanted) is np.ndarray and found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


def test_animation_draws_the_artist_alone():
    ax = axes_of()
    line, = gpuplot.plot(LONG, ax=ax, animated=True)
    ax.figure.canvas.draw()
    background = ax.figure.canvas.copy_from_bbox(ax.bbox)
    shown = []
    for shift in (0, 500):
        line.set_ydata(LONG + shift)
        ax.figure.canvas.restore_region(background)
        ax.draw_artist(line)
        shown.append(np.asarray(ax.figure.canvas.buffer_rgba()).copy())
    assert (shown[0] != shown[1]).any()


# ---- pointer, lifetime ------------------------------------------------------------------------------------------------


def event_at(ax, x, y):
    px, py = ax.transData.transform((x, y))
    return MouseEvent("button_press_event", ax.figure.canvas, px, py)


def test_picking_tells_the_samples():
    """Positions in what was handed over, not among those that are drawn."""
    ax = axes_of()
    line, = gpuplot.plot(LONG, ax=ax)
    at = int(LONG.argmax())
    ax.figure.canvas.draw()
    is_inside, details = line.contains(event_at(ax, at, LONG[at]))
    assert is_inside
    assert at in details["ind"]
    falling, = gpuplot.plot(np.arange(len(LONG))[::-1], LONG, ax=ax)
    ax.figure.canvas.draw()
    assert at in falling.contains(event_at(ax, len(LONG) - 1 - at, LONG[at]))[1]["ind"]
    assert not line.contains(event_at(ax, 0, 1e9))[0]


def test_near_samples_come_first(ax):
    """Those whose segments pass the pointer follow, as in matplotlib: labels at the pointer name the first."""
    x = np.array([0, 2, 3, 1, 1.01])
    line, other = gpuplot.plot(x, x, ax=ax)[0], ax.plot(x, x)[0]
    event = event_at(ax, 1, 1)
    assert line.contains(event)[1]["ind"].tolist() == other.contains(event)[1]["ind"].tolist() == [3, 4, 0]


@pytest.mark.parametrize("drawstyle", ["steps-pre", "steps-mid", "steps-post"])
def test_markers_alone_are_picked_by_their_samples(drawstyle):
    """They were numbered as the corners of steps, which are more than samples: an IndexError."""
    ax = axes_of()
    line, = gpuplot.plot(LONG[:3000], ".", drawstyle=drawstyle, ax=ax)
    before = pixels(ax.figure)
    event = event_at(ax, 2500, LONG[2500])
    details = line.contains(event)[1]
    assert 2500 in details["ind"]
    np.testing.assert_array_equal(pixels(ax.figure), before)
    line.set_drawstyle("default")
    np.testing.assert_array_equal(line.contains(event)[1]["ind"], details["ind"])


@pytest.mark.parametrize("y", [SHORT, LONG], ids=["copied", "borrowed"])
def test_pickles_keep_points(y):
    """Few samples whole; of many what draws the whole line, whose limits are the same."""
    ax = axes_of()
    gpuplot.plot(np.arange(len(y)) * 2.0, y, "g-", ax=ax, label="kept")
    loaded = pickle.loads(pickle.dumps(ax.figure))
    FigureCanvasAgg(loaded)
    twin, = loaded.axes[0].lines
    assert (twin.get_color(), twin.get_label()) == ("g", "kept")
    assert (loaded.axes[0].get_xlim(), loaded.axes[0].get_ylim()) == (ax.get_xlim(), ax.get_ylim())
    different = (pixels(loaded) != pixels(ax.figure)).any(axis=2).mean()
    assert different == 0 if len(y) == 50 else different < 0.1
    assert len(pickle.dumps(ax.figure)) < 400_000


def test_tensors_are_let_go():
    """By removing the line, by freeze, by closing the figure; the picture of a frozen line stays."""
    class Owner(np.ndarray):
        pass

    for end in ("remove", "freeze", "clear"):
        ax = axes_of()
        y = LONG.copy().view(Owner)
        line, = gpuplot.plot(y, ax=ax)
        before = pixels(ax.figure)
        seen = weakref.ref(y)
        del y
        {"remove": line.remove, "freeze": line.freeze, "clear": ax.clear}[end]()
        if end == "clear":
            del line
        gc.collect()
        assert seen() is None, end
        if end == "freeze":
            assert (pixels(ax.figure) != before).any(axis=2).mean() < 0.1


@pytest.mark.parametrize("length", [len(LONG), 3], ids=["drawn by nobody", "not as long as x"])
def test_samples_that_were_set_since_the_last_draw_are_let_go(length, ax):
    """The line kept them; with another number of them than of x its removal raised an error, as clearing the Axes did."""
    line, = gpuplot.plot(np.arange(len(LONG)), LONG, ax=ax)
    y = LONG.copy()
    line.set_data(np.arange(length), y)
    seen = weakref.ref(y)
    del y
    ax.clear()
    gc.collect()
    assert seen() is None and line.axes is None
    line.set_data([1, 2], [3, 4])
    assert ax.add_line(line).length == 2


def test_copies_share_the_samples(ax):
    line, = gpuplot.plot(LONG, ax=ax)
    assert copy.copy(line).get_ydata() is LONG


def test_texts(ax):
    assert str(gpuplot.plot(SHORT, label="a", ax=ax)[0]) == "TensorLine(a)"
    assert str(gpuplot.TensorLine(SHORT)) == "TensorLine(50 samples)"


def test_saving_closes_nothing(ax):
    """In tight boxes, where the extent is asked for."""
    line, = gpuplot.plot(LONG, ax=ax)
    for _ in range(2):
        ax.figure.savefig(io.BytesIO(), bbox_inches="tight")
    assert line.length == len(LONG)
