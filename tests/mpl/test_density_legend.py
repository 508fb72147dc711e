"""Legends of Axes with densities: where they stand, and the classes that they name."""

import pickle

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgba

import gpuplot
from gpuplot.mpl.densities.density_legend import LEGEND_SHARE, N_BLOCKS, occupied_blocks
from gpuplot.plane.frame import EMPTY

NAMES = np.array(["cat", "dog", "eel"])


def cloud(n=60_000, seed=0):
    """Points in the upper right and the lower left quarter, each with a class."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 2, n)
    x, y = rng.uniform(0, 1, (2, n)).astype("float32")
    return x + kinds, y + kinds, kinds


def covered(legend, ax, x, y):
    """The share of points under a legend."""
    ax.figure.canvas.draw()
    box = legend.get_window_extent()
    places = ax.transData.transform(np.stack([x, y], 1))
    return box.count_contains(places) / len(x)


@pytest.mark.parametrize("reload", [False, True])
def test_a_legend_hides_few_points(reload):
    x, y, _ = cloud()
    fig, ax = plt.subplots()
    gpuplot.scatter(x, y, ax=ax, label="points")
    ax.plot([0, 2], [0, 2], label="diagonal")
    ax.legend()
    if reload:
        fig = pickle.loads(pickle.dumps(fig))
        [ax] = fig.axes
    assert covered(ax.get_legend(), ax, x, y) == 0


def test_a_legend_beside_lines():
    _, ax = plt.subplots()
    t = np.linspace(0, 1, 500)
    lines = 5 * t + np.random.default_rng(0).normal(size=(300, 1))  # all rise to the upper right
    gpuplot.plot(t, lines, x=1, density=True, ax=ax, label="lines")
    legend = ax.legend(loc="best")
    assert covered(legend, ax, np.tile(t, 300), lines.ravel()) < 0.01


def test_places_follow_the_view():
    x, y, _ = cloud()
    fig, ax = plt.subplots()
    image = gpuplot.scatter(x, y, ax=ax)
    fig.canvas.draw()
    [places] = ax.collections
    assert 2 * len(places.get_offsets()) < N_BLOCKS**2
    ax.set(xlim=(0, 1), ylim=(0, 1))
    fig.canvas.draw()
    seen = places.get_offsets()
    assert len(seen) > 0.6 * N_BLOCKS**2 and ax.bbox.padded(ax.bbox.width / N_BLOCKS).count_contains(seen) == len(seen)
    assert not ax.collections[0].contains(None)[0]
    image.remove()
    assert not ax.collections and not ax.images


def test_blocks_cover_the_pixels_that_have_points():
    cells = np.full((100, 130), EMPTY)
    cells[[0, 99], [0, 129]] = 1
    places = occupied_blocks(cells, (20, 30, 150, 130), 2.0)
    np.testing.assert_allclose(places, [[(20 + 1.5) / 2, (30 + 1.5) / 2], [(20 + 129 + 1.5) / 2, (30 + 99 + 1.5) / 2]])


@pytest.mark.parametrize("density", [False, True])
def test_a_legend_names_classes_with_texts(density):
    x, y, kinds = cloud(2000)
    fig, ax = plt.subplots()
    points = gpuplot.scatter(x, y, c=NAMES[kinds], ax=ax, density=density)
    handles, texts = ax.get_legend_handles_labels()
    assert texts == ["cat", "dog"]
    expected, _ = points.legend_elements()
    assert [handle.get_color().tolist() for handle in handles] == [handle.get_color().tolist() for handle in expected]
    pickle.dumps(fig)
    points.remove()
    assert ax.get_legend_handles_labels()[1] == [] and not ax.lines


@pytest.mark.parametrize("density", [False, True])
def test_classes_without_texts_and_with_a_label(density):
    x, y, kinds = cloud(2000)
    _, ax = plt.subplots()
    gpuplot.scatter(x, y, c=kinds, categorical=True, ax=ax, density=density)
    assert ax.get_legend_handles_labels()[1] == []
    gpuplot.scatter(x, y, c=NAMES[kinds], ax=ax, density=density, label="animals")
    handles, texts = ax.get_legend_handles_labels()
    assert texts == ["animals"] and len(handles) == 1
    gpuplot.scatter(x, y, c=kinds, categorical=True, labels={0: "no", 1: "yes"}, ax=ax, density=density)
    assert ax.get_legend_handles_labels()[1][-2:] == ["no", "yes"]


@pytest.mark.parametrize("kind", ["points", "lines", "one color", "classes"])
def test_the_entry_follows_the_colormap(kind):
    x, y, kinds = cloud()
    _, ax = plt.subplots()
    if kind == "lines":
        image = gpuplot.plot(np.random.default_rng(0).normal(size=(50, 20)), x=1, density=True, ax=ax, label="all")
    else:
        options = {"classes": {"c": kinds, "categorical": True}, "one color": {"color": "C3"}}.get(kind, {})
        image = gpuplot.scatter(x, y, ax=ax, label="all", **options)

    def color():
        [handle], _ = ax.get_legend_handles_labels()
        return to_rgba(handle.get_color()) if kind == "lines" else tuple(handle.get_facecolor()[0])

    before = color()
    image.set_norm("linear")
    assert color() == before
    image.set_cmap("magma")
    assert color() == (before if kind == "classes" else image.cmap(LEGEND_SHARE))


def shown(legend):
    """[(text, color)] of the entries of a legend."""
    colors = [getattr(handle, "get_facecolors", lambda handle=handle: [handle.get_color()])()[0] for handle in legend.legend_handles]
    return [(text.get_text(), to_rgba(color)) for text, color in zip(legend.get_texts(), colors, strict=True)]


@pytest.mark.parametrize("label", [None, "all"])
@pytest.mark.parametrize("kind", ["points", "lines"])
def test_a_density_is_a_handle_of_a_legend(kind, label):
    x, y, _ = cloud()
    fig, ax = plt.subplots()
    if kind == "points":
        image = gpuplot.scatter(x, y, ax=ax, label=label, color="C3", density=True)
    else:
        image = gpuplot.plot(y.reshape(100, -1), x=1, ax=ax, label=label, color="C3", density=True)
    assert shown(ax.legend([image], ["given"])) == [("given", to_rgba("C3"))]
    if label is not None:
        assert shown(ax.legend(handles=[image])) == [("all", to_rgba("C3"))]
    fig.canvas.draw()
    image.remove()
    assert not ax.collections and not ax.lines


def test_a_label_that_is_given_later():
    x, y, kinds = cloud()
    _, ax = plt.subplots()
    image = gpuplot.scatter(x, y, ax=ax, density=True)
    image.set_cmap("magma")
    image.set_label("later")
    assert shown(ax.legend()) == [("later", image.cmap(LEGEND_SHARE))]
    image.set_label("_none")
    assert ax.get_legend_handles_labels()[1] == []
    classes = gpuplot.scatter(x, y, c=NAMES[kinds], ax=ax, density=True)
    classes.set_label("animals")
    assert shown(ax.legend()) == [("animals", to_rgba(classes.classes.first_color))]
    classes.set_label("_none")
    assert ax.get_legend_handles_labels()[1] == ["cat", "dog"]
