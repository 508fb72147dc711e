"""Colorbars in grids of subplots: parts of different Axes do not overlap, at the first draw and without a layout engine, too."""

import itertools
import pickle

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

import gpuplot

RNG = np.random.default_rng(0)
SQUARE, WIDE, TALL = RNG.normal(size=(64, 64)), RNG.normal(size=(300, 900)), RNG.normal(size=(90, 30))
SMALL = RNG.normal(size=(300, 300)) * 1e-3  # long numbers
CLASSES = {"categorical": True, "labels": [f"class number {i}" for i in range(20)]}


def grid_of(shape, layout, X, **options):
    """A figure with the same picture and its colorbar in every cell."""
    figure = Figure(layout=layout)
    FigureCanvasAgg(figure)
    images = [gpuplot.imshow(X, ax=ax, colorbar=True, **options) for ax in figure.subplots(*shape, squeeze=False).flat]
    return figure, images


def boxes_of(ax):
    """Where the patch and everything that is written around an Axes lies, in pixels."""
    yield ax.patch.get_window_extent()
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        shown = [tick for tick in axis.get_major_ticks() if low - 1e-9 <= tick.get_loc() <= high + 1e-9]
        texts = [text for tick in shown for text in (tick.label1, tick.label2) if text.get_visible()]
        for text in (*texts, axis.label, axis.get_offset_text()):
            if text.get_text():
                yield text.get_window_extent()


def collisions(figure):
    """Pairs of boxes of different Axes that overlap by more than a pixel, and boxes that leave the figure."""
    figure.canvas.draw()
    boxes = [list(boxes_of(ax)) for ax in figure.axes]
    pairs = [(a, b) for one, other in itertools.combinations(boxes, 2) for a, b in itertools.product(one, other)
             if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1]
    width, height = figure.bbox.size
    return pairs + [box for box in itertools.chain(*boxes) if box.x0 < -1 or box.x1 > width + 1 or box.y0 < -1 or box.y1 > height + 1]


@pytest.mark.parametrize(("shape", "X"), [
    ((1, 2), WIDE), ((1, 3), WIDE), ((2, 4), WIDE), ((2, 2), SQUARE), ((3, 3), SQUARE), ((2, 4), SQUARE), ((3, 3), SMALL)])
def test_nothing_collides_without_a_layout_engine(shape, X):
    assert not collisions(grid_of(shape, None, X)[0])


@pytest.mark.parametrize(("size", "X"), [((4, 10), TALL.repeat(9, axis=0) / 4), ((3, 2.2), SQUARE / 400), ((2, 2), SMALL + 10)])
def test_numbers_stay_in_a_narrow_figure(size, X):
    """Its margin is narrower than they are."""
    figure = Figure(figsize=size)
    FigureCanvasAgg(figure)
    image = gpuplot.imshow(X, ax=figure.subplots(), colorbar=True)
    figure.canvas.draw()
    assert all(box.x1 <= figure.bbox.width + 1 for box in boxes_of(image.colorbar.ax))


def test_nothing_collides_with_what_is_written_around_the_next_picture():
    figure, _ = grid_of((2, 3), None, RNG.normal(size=(4, 300, 300)) * 1e-3, dims="head row column")
    assert not collisions(figure)


def test_numbers_do_not_touch_the_names_of_the_next_rows():
    pd = pytest.importorskip("pandas", reason="pip install pandas")
    names = [f"feature_{i}" for i in range(8)]
    figure, images = grid_of((1, 2), None, pd.DataFrame(np.arange(64).reshape(8, 8) / 70, names, names))
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    numbers, ticks = images[0].colorbar.ax.get_tightbbox(renderer), images[1].axes.yaxis.get_tightbbox(renderer)
    assert 2 < ticks.x0 - numbers.x1 < 9


@pytest.mark.parametrize(("shape", "X"), [
    ((1, 2), np.arange(400).reshape(20, 20) // 20), ((3, 3), np.arange(22500).reshape(150, 150) // 150),
    ((2, 4), np.arange(400).reshape(20, 20) // 20)])
def test_names_of_classes_stay_in_their_cell(shape, X):
    assert not collisions(grid_of(shape, None, X, **CLASSES)[0])


@pytest.mark.parametrize(("layout", "shape", "X"), [
    ("compressed", (2, 3), TALL), ("compressed", (2, 4), TALL), ("compressed", (3, 3), WIDE), ("constrained", (1, 4), SQUARE),
    ("constrained", (2, 4), WIDE), ("tight", (2, 4), SQUARE), ("tight", (3, 3), TALL)])
def test_nothing_collides_under_a_layout_engine(layout, shape, X):
    figure, _ = grid_of(shape, layout, X)
    assert [len(collisions(figure)) for _ in range(2)] == [0, 0]


def test_limits_of_pixels_are_those_of_the_smaller_picture():
    """The room for long numbers is found after the limits, and that of the next picture after both."""
    for seed in (1, 4):
        figure, images = grid_of((1, 3), None, np.random.default_rng(seed).normal(size=(1000, 1000)) * 0.02)
        limits = [image.get_clim() for image in images]
        figure.canvas.draw()
        for image in images:
            image.autoscale()
        assert np.array([image.get_clim() for image in images]) == pytest.approx(np.array(limits)) and not collisions(figure)


@pytest.mark.parametrize("location", ["left", "top", "bottom"])
def test_room_on_the_other_sides(location):
    figure = Figure()
    FigureCanvasAgg(figure)
    axs = figure.subplots(2, 2)
    bars = [gpuplot.imshow(SQUARE, ax=ax, colorbar={"location": location}).colorbar.ax for ax in axs.flat]
    figure.canvas.draw()
    for ax, bar in zip(axs.flat, bars, strict=True):
        cell = ax.get_subplotspec().get_topmost_subplotspec().get_position(figure)
        edges, box = cell.transformed(figure.transSubfigure), bar.get_tightbbox()
        beyond = {"left": edges.x0 - box.x0, "top": box.y1 - edges.y1, "bottom": edges.y0 - box.y0}
        assert beyond[location] < 1


SCALES = (1.0, 20_000.0, 1e-3)


def sizes(axes):
    return [tuple(ax.get_position(original=True).size.round(4)) for ax in axes]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
@pytest.mark.parametrize("location", ["right", "left", "bottom"])
def test_pictures_in_a_grid_are_as_large_as_each_other(order, location):
    """Each one shrank by the width of its own numbers: neighbors differed in size, and in height where elements are square."""
    figure = Figure(figsize=(10, 4))
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 3)[0] if location == "bottom" else figure.subplots(1, 3)
    for k in order:
        gpuplot.imshow(SQUARE * SCALES[k], ax=axes[k], colorbar={"location": location})
    assert len(set(sizes(axes))) == 1
    assert location != "right" or not collisions(figure)  # matplotlib's ticks of a picture reach over what is left of or below it
    figure.tight_layout()
    assert len(set(sizes(axes))) == 1


def test_pictures_of_other_places_keep_their_size():
    """Of cells of another width, beside names of classes, and where somebody put them."""
    figure = Figure(figsize=(12, 3))
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, 4, width_ratios=(2, 1, 1, 1))
    for ax, scale in zip(axes[:2], SCALES, strict=False):
        gpuplot.imshow(SQUARE * scale, ax=ax, colorbar=True)
    gpuplot.imshow(np.arange(9).reshape(3, 3) // 3, ax=axes[2], colorbar=True, categorical=True)
    axes[1].set_position((0.5, 0.2, 0.12, 0.6))
    before = sizes(axes[:3])
    gpuplot.imshow(SQUARE * 1e5, ax=axes[3], colorbar=True)
    assert sizes(axes[:3]) == before and len(set(sizes(axes))) == 4


def test_a_picture_that_was_removed_makes_none_smaller():
    figure = Figure(figsize=(10, 3))
    FigureCanvasAgg(figure)
    removed, left, right = figure.subplots(1, 3)
    gpuplot.imshow(SQUARE * SCALES[1], ax=removed, colorbar=True)
    removed.remove()
    for ax in (left, right):
        gpuplot.imshow(SQUARE, ax=ax, colorbar=True)
    assert sizes([left, right])[0] == sizes([left, right])[1] > sizes([removed])[0]


@pytest.mark.parametrize("layout", [None, "tight", "constrained", "compressed"])
@pytest.mark.parametrize("X", [SQUARE, SQUARE > 0], ids=["numbers", "classes"])
def test_a_colorbar_outlives_the_axes_of_its_picture(layout, X):
    """As in matplotlib: removing these Axes ended every later draw in an AttributeError."""
    figure, (image, _) = grid_of((1, 2), layout, X, categorical=X.dtype == bool)
    figure.canvas.draw()
    image.axes.remove()
    figure.canvas.draw()
    gpuplot.imshow(SQUARE * 1e5, ax=figure.add_subplot(1, 2, 1), colorbar=True)
    figure.canvas.draw()
    assert len(figure.axes) == 5


def test_room_that_the_caller_chose_stays():
    figure = Figure()
    FigureCanvasAgg(figure)
    ax = figure.subplots(1, 3)[0]
    gpuplot.imshow(SQUARE, ax=ax, colorbar={"fraction": 0.1, "pad": 0.1})
    whole = ax.get_subplotspec().get_topmost_subplotspec().get_position(figure).width
    assert ax.get_position(original=True).width == pytest.approx(0.8 * whole)


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_colorbars_in_subfigures(layout):
    """A part of a figure has no size in inches."""
    figure = Figure(figsize=(9, 5), layout=layout)
    FigureCanvasAgg(figure)
    left, right = figure.subfigures(1, 2)
    for ax in (*left.subplots(2, 2).flat, right.subplots()):
        gpuplot.imshow(SQUARE, ax=ax, colorbar=True)
    gpuplot.imshow(np.arange(9).reshape(3, 3), ax=right.axes[0], colorbar=True, categorical=True)
    assert not collisions(figure)


def test_long_names_of_classes_get_smaller():
    names = {i: f"a class with a rather long name, {i}" for i in range(3)}
    figure, images = grid_of((1, 2), None, np.arange(9).reshape(3, 3) // 3, categorical=True, labels=names)
    assert not collisions(figure)
    whole = images[0].axes.get_subplotspec().get_topmost_subplotspec().get_position(figure).width
    assert images[0].axes.get_position(original=True).width == pytest.approx(0.4 * whole, rel=1e-3)
    assert 4 < images[0].colorbar.ax.get_yticklabels()[0].get_size() < 10


@pytest.mark.parametrize("location", ["right", "bottom"])
@pytest.mark.parametrize("layout", [None, "constrained"])
@pytest.mark.parametrize("n", [1, 3])
def test_long_labels_of_colorbars_stay_in_the_figure(n, layout, location):
    """The name and unit of a variable of xarray was cut at both ends, and ran into that of the next picture."""
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    X = xr.DataArray(WIDE if location == "right" else WIDE.T, attrs={"long_name": "Air temperature at the surface " * 4, "units": "kelvin"})
    figure = Figure(figsize=(6.4, 4.8) if location == "right" else (4.8, 6.4), layout=layout)
    FigureCanvasAgg(figure)
    axes = figure.subplots(*((n, 1) if location == "right" else (1, n)), squeeze=False).flat
    images = [gpuplot.imshow(X, ax=ax, colorbar={"location": location}) for ax in axes]
    figure.canvas.draw()
    bars = [im.colorbar.ax for im in images]
    boxes = [(bar.yaxis if location == "right" else bar.xaxis).label.get_window_extent() for bar in bars]
    width, height = figure.bbox.size
    assert all(box.y0 >= 0 and box.y1 <= height if location == "right" else box.x0 >= 0 and box.x1 <= width for box in boxes)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_a_low_colorbar_is_thin():
    figure, images = grid_of((1, 3), None, WIDE, limits="elements")
    figure.canvas.draw()
    bar = images[0].colorbar.ax.bbox
    assert bar.height == pytest.approx(0.7 * figure.dpi) and bar.height == pytest.approx(5 * bar.width)


@pytest.mark.parametrize("shape", [(20, 30, 3), (3, 20, 30)], ids=str)
def test_colors_get_no_colorbar(shape):
    """It was that of a colormap which no pixel has."""
    figure = Figure()
    ax = figure.add_subplot()
    before = ax.get_position().bounds
    with pytest.warns(gpuplot.GpuplotWarning, match="colors have no scale of values, so none is drawn; rgb=False shows one channel"):
        image = gpuplot.imshow(RNG.random(shape, "f4"), ax=ax, colorbar=True)
    assert image.colorbar is None and figure.axes == [ax] and ax.get_position(original=True).bounds == before
    assert gpuplot.imshow(RNG.random(shape, "f4"), ax=ax, colorbar=True, rgb=False).colorbar is not None


@pytest.mark.parametrize("layout", [None, "constrained", "tight"], ids=str)
@pytest.mark.parametrize("anchor", ["N", "C", "S"])
@pytest.mark.parametrize("location", ["right", "bottom"])
def test_numbers_beside_a_thin_picture_do_not_overlap(location, anchor, layout):
    """Token numbers, embeddings and spectrograms are strips, and the colorbar was as thin."""
    X = RNG.normal(size=(50, 768))
    figure = Figure(layout=layout)
    FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    image = gpuplot.imshow(X if location == "right" else X.T, ax=ax, colorbar={"location": location}, limits="elements")
    ax.set_anchor({"N": "W", "S": "E"}.get(anchor, anchor) if location == "bottom" else anchor)
    assert not collisions(figure)
    bar, picture = image.colorbar.ax.get_window_extent(), ax.get_window_extent()
    places = (bar.y0, bar.y1, picture.y0, picture.y1) if location == "right" else (bar.x0, bar.x1, picture.x0, picture.x1)
    assert places[0] < places[2] + 0.5 and places[1] > places[3] - 0.5 and places[1] - places[0] > 2 * (places[3] - places[2])
    texts = list(boxes_of(image.colorbar.ax))[1:]
    axis = 1 if location == "right" else 0
    ends = sorted((box.min[axis], box.max[axis]) for box in texts)
    assert len(ends) >= 2 and all(one[1] < other[0] for one, other in itertools.pairwise(ends))


def test_many_names_of_classes_are_legible():
    """Beside a low picture they had 4 points; the colorbar is longer than the picture, within its place."""
    figure, (image,) = grid_of((1, 1), None, np.arange(60000).reshape(200, 300) // 1500, categorical=True)
    assert not collisions(figure)
    bar, picture = image.colorbar.ax, image.axes
    assert bar.bbox.height == pytest.approx(figure.subplotpars.top * figure.bbox.height - figure.subplotpars.bottom * figure.bbox.height)
    assert bar.bbox.height > 1.3 * picture.bbox.height and bar.get_yticklabels()[0].get_size() > 5
    few = grid_of((1, 1), None, np.arange(60000).reshape(200, 300) // 15000, categorical=True)[1][0]
    few.axes.figure.canvas.draw()
    assert few.colorbar.ax.bbox.height == pytest.approx(few.axes.bbox.height)


def test_wide_names_below_their_entries_are_turned():
    def below(labels):
        figure = Figure()
        FigureCanvasAgg(figure)
        image = gpuplot.imshow(np.arange(600).reshape(20, 30) // 50, ax=figure.subplots(), categorical=True, labels=labels,
                               colorbar={"location": "bottom"})
        figure.canvas.draw()
        return image.colorbar.ax.get_xticklabels()

    names = [text.get_window_extent() for text in below([f"category {i}" for i in range(12)])]
    assert all(one.x1 <= other.x0 for one, other in itertools.pairwise(names))
    assert below(list("abcdefghijkl"))[0].get_rotation() == 0


@pytest.mark.filterwarnings("ignore:there is nothing to show")
@pytest.mark.parametrize("X", [np.zeros((5, 5)), -np.ones((5, 5)), np.zeros((1500, 1500)), np.zeros((0, 5))],
                         ids=["zeros", "negative", "large", "empty"])
def test_a_logarithm_of_nothing_above_zero_has_a_colorbar(X):
    """matplotlib's raised "Invalid vmin or vmax"."""
    image = gpuplot.imshow(X, ax=Figure().subplots(), norm="log", colorbar=True)
    assert image.get_clim() == (1, 10)


def test_powers_of_ten_stand_beside_titles():
    """"1e-6" lay over the last letters of each title of small subplots."""
    fig, axs = plt.subplots(2, 4, figsize=(8, 4))
    bars = [gpuplot.imshow(np.linspace(-1e-6, 1e-6, 4096).reshape(64, 64), ax=ax, colorbar=True).colorbar.ax for ax in axs.flat]
    fig.tight_layout()
    fig.canvas.draw()
    for ax, bar in zip(axs.flat, bars, strict=True):
        offset = bar.yaxis.get_offset_text()
        assert offset.get_text() and offset.get_size() <= bar.yaxis.get_ticklabels()[0].get_size()
        assert offset.get_window_extent().x0 > ax.bbox.x1


@pytest.mark.parametrize("mode", ["phase", "amplitude_phase", "log10_amplitude_phase"])
def test_phases_have_ticks_at_quarters_of_a_turn(mode):
    X = np.exp(1j * np.linspace(-3, 3, 60)).reshape(6, 10)
    bar = gpuplot.imshow(X, ax=Figure().subplots(), complex_mode=mode, colorbar=True).colorbar
    bar.ax.figure.draw_without_rendering()
    assert [text.get_text() for text in bar.ax.get_yticklabels()] == [
        "\u2212\u03c0", "\u2212\u03c0/2", "0", "\u03c0/2", "\u03c0"]
    bar = gpuplot.imshow(X, ax=Figure().subplots(), complex_mode="phase", colorbar={"ticks": [0, 1]}).colorbar
    bar.ax.figure.draw_without_rendering()
    assert [text.get_text() for text in bar.ax.get_yticklabels()] == ["0", "1"]
    bar = gpuplot.imshow(X, ax=Figure().subplots(), complex_mode="phase", vmin=0, vmax=1, colorbar=True).colorbar
    bar.ax.figure.draw_without_rendering()
    assert "0.6" in "".join(text.get_text() for text in bar.ax.get_yticklabels())


def ticks_of(bar):
    bar.ax.figure.draw_without_rendering()
    return bar.get_ticks().tolist(), [text.get_text() for text in bar.ax.get_yticklabels()]


def test_a_colorbar_of_the_figure_names_classes():
    """As that of `colorbar=True` does; matplotlib writes numbers of the borders between classes, which are halves."""
    figure = Figure()
    image = gpuplot.imshow([[0, 1], [3, 1]], ax=figure.subplots(), categorical=True, labels=["sky", "road", "car"])
    bar = figure.colorbar(image)
    assert image.colorbar is bar and ticks_of(bar) == ([0, 1, 3], ["sky", "road", "3"])
    assert ticks_of(pickle.loads(pickle.dumps(figure)).axes[1]._colorbar) == ([0, 1, 3], ["sky", "road", "3"])
    image.update([[0, 2], [2, 0]])
    assert ticks_of(bar) == ([0, 2], ["sky", "car"])
    image.set_norm(Normalize(0, 4))
    assert ticks_of(bar)[1][:2] == ["0.0", "0.5"]


@pytest.mark.parametrize("labels, expected", [(None, ["False", "True"]), ({1: "kept"}, ["False", "kept"])])
def test_classes_of_booleans_are_false_and_true(labels, expected):
    figure = Figure()
    image = gpuplot.imshow(np.eye(3, dtype=bool), ax=figure.subplots(), categorical=True, labels=labels, colorbar=True)
    assert ticks_of(image.colorbar)[1] == expected
    image = gpuplot.imshow(np.eye(3, dtype=bool), ax=figure.add_subplot(), categorical=True, labels=labels)
    assert ticks_of(figure.colorbar(image))[1] == expected


def test_a_colorbar_of_the_figure_has_the_ticks_that_are_asked_for():
    def bar_of(**options):
        figure = Figure()
        return figure.colorbar(gpuplot.imshow(np.arange(60)[None], ax=figure.subplots(), categorical=True), **options)
    assert ticks_of(bar_of(ticks=[0.5, 7])) == ([0.5, 7], ["", "7"])
    assert ticks_of(bar_of(ticks=[7], format="%.1f")) == ([7], ["7.0"])
    bar = bar_of()
    ticks, _ = ticks_of(bar)
    assert 5 <= len(ticks) <= 10
    bar.ax.set_yticklabels([f"class {i:.0f}" for i in ticks])
    assert ticks_of(bar) == (ticks, [f"class {i:.0f}" for i in ticks])
