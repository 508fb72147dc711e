"""`plot` as in matplotlib: limits of the Axes, and which samples a view has."""

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, pixels
from sample_lines import LONG, SHORT, decorated, points

import gpuplot
from gpuplot.mpl.lines.pixel_columns import column_edges
from gpuplot.plane import line_samples


@pytest.fixture
def ax():
    return decorated()


def test_few_samples_are_drawn_of_many(ax):
    """At most four a column of the Axes' pixels and two neighbors on either side; all of them once they fit."""
    line, = gpuplot.plot(LONG, ax=ax)
    width = round(ax.bbox.width)
    assert width < len(points(line)) <= 4 * (width + 2) + 2
    ax.set_xlim(1000, 1400)
    np.testing.assert_array_equal(points(line)[:, 0], np.arange(998, 1403))
    ax.set_xlim(-10, -5)
    assert points(line)[:, 0].tolist() == [0, 1]


def test_limits_are_those_of_all_samples(ax):
    want = axes_of()
    want.plot(LONG)
    gpuplot.plot(LONG, ax=ax)
    assert (ax.get_xlim(), ax.get_ylim()) == (want.get_xlim(), want.get_ylim())
    ax.set_xlim(5, 9)
    ax.relim()
    ax.autoscale()
    assert (ax.get_xlim(), ax.get_ylim()) == (want.get_xlim(), want.get_ylim())


@pytest.mark.parametrize("scale", ["log", "symlog"])
def test_limits_of_logarithmic_axes(scale):
    """The smallest sample above zero, wherever it is."""
    y = np.where(np.arange(20_000) % 7 == 0, -1.0, 5.0)
    y[1234] = 1e-3
    limits = []
    for plot in (lambda ax: ax.plot(y), lambda ax: gpuplot.plot(y, ax=ax)):
        ax = axes_of()
        plot(ax)
        ax.set(yscale=scale, xscale=scale)
        limits.append((ax.get_xlim(), ax.get_ylim()))
    assert limits[0] == limits[1]


def test_limits_through_another_transform():
    """A line that is moved within the data has limits there."""
    limits = []
    for plot in (lambda ax, t: ax.plot(LONG, transform=t), lambda ax, t: gpuplot.plot(LONG, ax=ax, transform=t)):
        ax = axes_of()
        plot(ax, mpl.transforms.Affine2D().translate(50, 3) + ax.transData)
        limits.append((ax.get_xlim(), ax.get_ylim()))
    assert limits[0] == limits[1]


def test_scalex_and_scaley(ax):
    ax.plot([0, 1], [0, 1])
    before = ax.get_xlim()
    gpuplot.plot(SHORT * 9, ax=ax, scalex=False)
    assert ax.get_xlim() == before
    assert ax.get_ylim()[1] > 9


def test_x_is_read_once(ax, monkeypatch):
    """To learn its order; views search it."""
    asked = []
    original = line_samples.Series.ways
    monkeypatch.setattr(line_samples.Series, "ways", lambda series: asked.append(series) or original(series))
    x = np.arange(len(LONG), dtype="f4")
    line, = gpuplot.plot(x, LONG, ax=ax)
    for limits in ((0, 1e6), (5e5, 6e5), (9, 500)):
        ax.set_xlim(limits)
        points(line)
    assert len(asked) == 1
    line.update()
    points(line)
    assert len(asked) == 2


def test_a_view_that_was_drawn_is_not_read_again(ax, monkeypatch):
    reads = []
    original = line_samples.Series.m4
    line, = gpuplot.plot(LONG, ax=ax)
    monkeypatch.setattr(line_samples.Series, "m4", lambda series, bounds: reads.append(1) or original(series, bounds))
    points(line), points(line)
    line.set_color("r")
    ax.set_ylim(0, 3)
    points(line)
    assert len(reads) == 1


def test_polar_axes_draw_all():
    """Columns of pixels are not ranges of an angle."""
    ax = decorated().figure.add_subplot(projection="polar")
    theta = np.linspace(0, 20, 9000)
    assert len(points(gpuplot.plot(theta, theta, ax=ax)[0])) == 9000


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("n", [10, 3000])
def test_segments_on_polar_axes_may_be_arcs(n, is_late):
    """By the path's number of parts, for which matplotlib has no other name; new samples keep it."""
    drawn = []
    for is_ours in (False, True):
        ax = axes_of(projection="polar")
        theta = np.arange(n)
        line, = gpuplot.plot(theta, theta / n, ax=ax) if is_ours else ax.plot(theta, theta / n)
        pixels(ax.figure) if is_late else None
        line.get_path()._interpolation_steps = 20
        line.set_data(theta, theta / n * 0.9)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[0], drawn[1])


@pytest.mark.parametrize("draw", ["plot", "step"])
def test_a_legend_finds_the_room_that_it_finds_beside_a_line_of_matplotlib(draw):
    """The vertex of the least positive sample was a stroke across the Axes to it."""
    x = np.linspace(-10, 10, 5000)
    places = []
    for is_ours in (False, True):
        ax = axes_of(400)
        style = {"drawstyle": "steps-pre"} if draw == "step" else {}
        for y in (1 / (1 + np.exp(-3 * x)), np.arctan(x) / np.pi + 0.5, np.sin(9 * x) / 99):
            gpuplot.plot(x, y, label="l", ax=ax, **style) if is_ours else ax.plot(x, y, label="l", **style)
        ax.set(xlim=(0, 10), ylim=(0.8, 1))
        legend = ax.legend()
        ax.figure.canvas.draw()
        places.append(legend.get_window_extent().bounds)
    assert places[0] == places[1]


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("drawstyle", ["default", "steps", "steps-mid", "steps-post"])
@pytest.mark.parametrize("args", [
    ([np.nan, 3.0, 1.0, 2.0],), ([1.0, np.nan, 3.0, 1.0, np.nan],), ([-1, 100], [5.0, np.nan]), ([1.0, np.nan, np.nan],),
    (np.arange(5.0),), ([-2, -1, 3, 4], [1.0, 2.0, 3.0, np.nan])], ids=str)
def test_limits_are_those_of_matplotlibs_line(args, drawstyle, scale):
    """Parts of steps were cut off, and a sample whose y is NaN extended the limits where x may be negative."""
    ours, theirs = decorated(), decorated()
    gpuplot.plot(*args, drawstyle=drawstyle, ax=ours)
    theirs.plot(*args, drawstyle=drawstyle)
    for ax in (ours, theirs):
        ax.set_xscale(scale)
    assert (ours.get_xlim(), ours.get_ylim()) == (theirs.get_xlim(), theirs.get_ylim())
    line = ours.lines[0]
    line.set_drawstyle("steps-post")
    theirs.lines[0].set_drawstyle("steps-post")
    for ax in (ours, theirs):
        ax.relim()
        ax.autoscale_view()
    assert ours.get_xlim() == theirs.get_xlim()


@pytest.mark.filterwarnings("ignore:Data has no positive values")
@pytest.mark.parametrize("x", [None, np.arange(30_000), np.arange(30_000)[::-1] - 60, np.arange(30_000) - 7.5])
@pytest.mark.parametrize("is_there", [lambda i: i % 250 == 0, lambda i: (i == 0) | (i > 20_000), lambda i: i == 0, lambda i: i != 5])
def test_a_log_axis_begins_at_the_first_sample_that_is_finite(is_there, x):
    """Positive x of samples that are NaN added decades without a line."""
    ours, theirs = axes_of(), axes_of()
    places = np.arange(30_000) if x is None else x
    args = [np.where(is_there(places // 1), 1.0 + places**2, np.nan)]
    args = args if x is None else [x, *args]
    gpuplot.plot(*args, ax=ours)
    theirs.plot(*args)
    for ax in (ours, theirs):
        ax.set_xscale("log")
    np.testing.assert_allclose(ours.get_xlim(), theirs.get_xlim(), rtol=1e-12)


def test_samples_are_those_of_the_limits_that_the_line_makes(ax):
    """Those of a view from 0 to 1, which the Axes had before."""
    line, = gpuplot.plot(np.arange(6.0), ax=ax)
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack([np.arange(6.0)] * 2))


@pytest.mark.parametrize("linewidth", [1e9, 1e30, float("inf"), float("nan")])
def test_lines_of_any_width(ax, linewidth):
    """A column for each pixel of the width of a line once filled the memory, and other widths failed at the draw."""
    line, = gpuplot.plot(LONG, ax=ax, linewidth=linewidth)
    assert 200 < len(column_edges(line)) < 100_000
