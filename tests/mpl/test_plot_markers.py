"""`plot` as in matplotlib: markers, and the entry in a legend."""

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, pixels
from sample_lines import LONG, RNG, decorated

import gpuplot


@pytest.fixture
def ax():
    return decorated()


def marks(line, ax):
    """How many markers an Agg figure draws of the line."""
    counted = []
    renderer = ax.figure.canvas.get_renderer() if hasattr(ax.figure.canvas, "get_renderer") else None
    assert renderer is not None
    original = renderer.draw_markers

    def draw_markers(gc, marker_path, marker_trans, path, trans, rgbFace=None):
        counted.append(len(path.vertices))
        original(gc, marker_path, marker_trans, path, trans, rgbFace)
    renderer.draw_markers = draw_markers
    line.draw(renderer)
    return sum(counted)


def test_markers_come_once_all_samples_are_drawn():
    ax = axes_of()
    line, = gpuplot.plot(LONG, "o-", ax=ax)
    ax.figure.canvas.draw()
    assert marks(line, ax) == 0
    ax.set_xlim(100, 200)
    assert marks(line, ax) == 105


@pytest.mark.parametrize("decorate", [lambda ax: None, lambda ax: ax.set_xscale("log"), lambda ax: ax.set_xlim(9990, 4000)])
@pytest.mark.parametrize("chosen", [slice(50, None, 250), slice(40, None, 40), slice(3000, 3001), slice(-1, None)])
def test_samples_between_gaps_are_marked(chosen, decorate):
    """A validation loss that is NaN at most steps: no stroke shows these samples."""
    y = np.full(30_000, np.nan)
    y[chosen] = np.arange(30_000)[chosen]
    drawn = []
    for plot in (lambda ax: ax.plot(y, "o-"), lambda ax: gpuplot.plot(y, "o-", ax=ax)):
        ax = axes_of()
        plot(ax)
        decorate(ax)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[0], drawn[1])


def test_a_marker_that_is_set_later_is_drawn_at_samples_between_gaps():
    y = np.full(30_000, np.nan)
    y[::250] = 1
    line, = gpuplot.plot(y, ax=(ax := axes_of()))
    ax.figure.canvas.draw()
    assert len(line.get_xydata()) < 1000
    line.set_marker("o")
    assert (pixels(ax.figure) != pixels(axes_of().figure)).any() and len(line.get_xydata()) > 20_000


@pytest.mark.parametrize("every", [250, 60])
def test_samples_between_very_many_gaps_are_marked(every, monkeypatch):
    """Also where several share a column of pixels, as long as all are drawn; a stroke may join these."""
    monkeypatch.setattr("gpuplot.plane.line_samples.MAX_WITH_GAPS", 5000)
    y = np.full(30_000, np.nan)
    y[::every] = np.arange(30_000)[::every]
    ax = axes_of()
    line, = gpuplot.plot(y, "o-", lw=0, ax=ax)
    ax.figure.canvas.draw()
    other, = ax.plot(y, "o-", lw=0, color=line.get_color())
    drawn = []
    for one in (line, other):
        line.set_visible(one is line)
        other.set_visible(one is other)
        drawn.append(pixels(ax.figure))
    assert np.isfinite(line.get_ydata(orig=False)).sum() == len(y[::every]) and len(line.get_ydata(orig=False)) < 1200
    np.testing.assert_array_equal(drawn[0], drawn[1])


def test_samples_beside_others_are_not_marked_for_a_gap():
    y = RNG.normal(size=30_000)
    y[::1000] = y[5001:5500] = y[5501:6000] = np.nan
    line, = gpuplot.plot(y, "o-", ax=(ax := axes_of()))
    ax.figure.canvas.draw()
    assert marks(line, ax) == 1


@pytest.mark.parametrize("decorate", [lambda ax: None, lambda ax: ax.set_xscale("log"), lambda ax: ax.set_xlim(4000, 9000)])
@pytest.mark.parametrize("fmt", [".", "s", ","])
def test_markers_without_a_line_are_those_of_matplotlib(fmt, decorate):
    """Those of the extremes of each column alone were a picture with gaps that the samples have not."""
    y = RNG.normal(size=30_000)
    drawn = []
    for plot in (lambda ax: ax.plot(y, fmt, ms=2), lambda ax: gpuplot.plot(y, fmt, ms=2, ax=ax)):
        ax = axes_of()
        plot(ax)
        decorate(ax)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[0], drawn[1])


def test_very_many_markers_without_a_line(monkeypatch):
    """Extremes of each column, and a warning that says what shows all; a line style changes which samples are drawn."""
    monkeypatch.setattr("gpuplot.mpl.lines.line.MAX_LONE_MARKERS", 5000)
    ax = axes_of()
    line, = gpuplot.plot(LONG, "o", ax=ax)
    with pytest.warns(gpuplot.GpuplotWarning, match=r"more than 5,000 markers are in view: .* gpuplot.scatter\(x, y\) shows how many"):
        ax.figure.canvas.draw()
    assert 100 < marks(line, ax) <= 4 * 310
    ax.set_xlim(100, 4000)
    assert marks(line, ax) == 3903
    line.set_linestyle("-")
    assert marks(line, ax) == 0


def test_few_markers_among_very_many_gaps(monkeypatch):
    """No warning of more markers than are there."""
    monkeypatch.setattr("gpuplot.mpl.lines.line.MAX_LONE_MARKERS", 5000)
    monkeypatch.setattr("gpuplot.plane.line_samples.MAX_WITH_GAPS", 5000)
    y = np.full(30_000, np.nan)
    y[::1000] = 1
    line, = gpuplot.plot(y, "o", ax=(ax := axes_of()))
    ax.figure.canvas.draw()
    assert np.isfinite(line.get_ydata(orig=False)).sum() == 30


@pytest.mark.parametrize("markevery", [
    7, (3, 5), slice(0, None, 6), [100, 131, 150, 8999], np.arange(9000) % 13 == 0, [0, -8880, 110, -1], (-8890, 3), slice(-8890, -8860),
    slice(150, 110, -4), np.int64(7)])
def test_markevery_counts_from_the_first_sample(markevery, monkeypatch):
    """Zoomed in, the marked samples stay the same ones."""
    y = RNG.normal(size=9000)
    drawn = []
    monkeypatch.setitem(mpl.rcParams, "path.simplify", False)  # matplotlib begins at the first of all samples
    for plot in (lambda ax: ax.plot(y, "o-", markevery=markevery), lambda ax: gpuplot.plot(y, "o-", ax=ax, markevery=markevery)):
        ax = axes_of()
        plot(ax)
        ax.set_xlim(100, 160)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[0], drawn[1])


@pytest.mark.parametrize("markevery", [
    1000, (300, 5000), slice(None, None, 7000), [5, 49_999], np.arange(50_000) % 9000 == 3, [-1, -25_000], (-40_000, 9000), np.int64(9000)])
@pytest.mark.parametrize("xlim", [(0, 50_000), (10_000, 30_000)])
def test_marks_of_a_long_line_are_matplotlibs(markevery, xlim):
    """The samples that `markevery` names are marked, though the line is drawn from others."""
    y = RNG.normal(size=50_000).cumsum()
    drawn = []
    for is_ours in (False, True):
        ax = axes_of()
        options = {"markevery": markevery, "markersize": 8}
        gpuplot.plot(y, "rs", ax=ax, **options) if is_ours else ax.plot(y, "rs", **options)
        ax.set_xlim(xlim)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[0], drawn[1])


def test_a_line_and_its_marks(ax, monkeypatch):
    """Marks are drawn over the line; of a device they are read there; very many are left out, as are those at every sample."""
    y = RNG.normal(size=50_000).cumsum()
    line, = gpuplot.plot(y, "o-", markevery=5000, color="k", markerfacecolor="r", ax=ax)
    assert (pixels(ax.figure) == [255, 0, 0, 255]).all(axis=-1).sum() > 100
    for markevery in (None, 2):
        line.set_markevery(markevery)
        assert (pixels(ax.figure) == [255, 0, 0, 255]).all(axis=-1).sum() == 0


@pytest.mark.parametrize("n", [14, 2000])
def test_a_mark_at_the_last_sample(n):
    """Positions from the end count on short lines, too."""
    line, = gpuplot.plot(np.arange(n), "o-", markevery=[0, -1], ax=(ax := axes_of()))
    assert marks(line, ax) == 2


@pytest.mark.parametrize("markevery", [0.25, (0.1, 0.25)])
@pytest.mark.parametrize("fmt", ["o-", "o"])
def test_marks_at_equal_distances(markevery, fmt):
    """As many as matplotlib draws, of a line whose samples are not all drawn."""
    x = np.linspace(0, 1, 50_000)
    ax = axes_of()
    line, = gpuplot.plot(x, x, fmt, markevery=markevery, ax=ax)
    other, = ax.plot(x, x, fmt, markevery=markevery)
    ax.figure.canvas.draw()
    assert marks(line, ax) == marks(other, ax) > 2


def test_a_cycle_of_markevery(ax):
    ax.set_prop_cycle(markevery=[3, (1, 4)], color=["r", "g"])
    lines = gpuplot.plot(RNG.normal(size=(20, 2)), "o-", ax=ax) + gpuplot.plot(RNG.normal(size=20), "o-", markevery=5, ax=ax)
    assert [line.get_markevery() for line in lines] == [3, (1, 4), 5]


def test_marks_of_a_tensor_on_a_device(emulated):
    from on_device import there

    y = RNG.normal(size=50_000).astype("f4")
    drawn = []
    for values in (y, there(y)):
        ax = axes_of()
        gpuplot.plot(values, "o-", markevery=5000, ax=ax)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[0], drawn[1])


def test_a_legend_has_its_color_and_finds_room(ax):
    line, = gpuplot.plot(LONG, "r--", label="walk", ax=ax)
    legend = ax.legend()
    ax.figure.canvas.draw()
    handle, = legend.legend_handles
    assert (handle.get_color(), handle.get_linestyle(), legend.get_texts()[0].get_text()) == ("r", "--", "walk")
    assert line.get_window_extent().height > 50
