"""Few points are matplotlib's markers: what decides about their colors, and what densities of many lack."""

import numpy as np
import pytest
from figures import axes_of, pixels

import gpuplot

X = np.arange(4.0)
Y = X % 3
VALUES = [[3, 0.5, 0.05]]  # a number for each of three points, which matplotlib takes for a color that is none


@pytest.mark.parametrize(("n", "keywords"), [
    (4, {"color": "r", "facecolors": "none", "s": 200}), (4, {"color": "r", "edgecolors": "k", "s": 200, "linewidths": 3}),
    (4, {"color": list("rgbk"), "marker": "x"}), (3, {"c": [[1, 0.5, 0.05]]}), (4, {"c": np.array([[1, 0.5, 0.05, 0.5]])}),
    (4, {"c": [("r", 0.3), ("b", 0.9), ("g", 1), ("k", 0.1)]}), (3, {"c": VALUES}), (3, {"c": [1, 0.5, 0.05]})], ids=str)
def test_colors_are_those_of_matplotlib(n, keywords):
    """Filled circles stood in place of rings, and numbers of one color were values of three points."""
    theirs = keywords | ({"c": keywords["c"][0]} if keywords.get("c") is VALUES else {})
    drawn = []
    for is_ours in (False, True):
        ax = axes_of()
        x, y = X[:n], Y[:n]
        gpuplot.scatter(x, y, ax=ax, **keywords) if is_ours else ax.scatter(x, y, **theirs)
        drawn.append(pixels(ax.figure))
    np.testing.assert_array_equal(drawn[0], drawn[1])


@pytest.mark.parametrize(("keywords", "message"), [
    ({"c": "r", "color": "b"}, "Supply a 'c' argument or a 'color' kwarg but not both"),
    ({"c": X, "color": "b", "density": True}, "Supply a 'c' argument or a 'color' kwarg but not both"),
    ({"color": [0.1, 0.2]}, "use the 'c' argument instead"),
    ({"color": [0.1, 0.2], "density": True}, "points drawn as their density have no colors of their own")])
def test_colors_that_contradict_each_other(keywords, message):
    ax = axes_of()
    with pytest.raises(ValueError, match=message):
        gpuplot.scatter(X, Y, ax=ax, **keywords)
    assert not ax.collections and not ax.images


def test_values_and_a_color_are_refused_before_values_are_read():
    """Classes were found first, by passes over all values: another error, and a late one."""
    with pytest.raises(ValueError, match="Supply a 'c' argument or a 'color' kwarg but not both"):
        gpuplot.scatter(X, Y, c=np.arange(len(X)) * 1000, categorical=True, color="b", ax=axes_of())


@pytest.mark.parametrize("density", [False, True])
def test_a_size_that_is_no_number_is_named(density):
    with pytest.raises(TypeError, match="^s: elements of dtype <U3 are not numbers"):
        gpuplot.scatter(X, Y, s=np.array("big"), density=density, ax=axes_of())


@pytest.mark.parametrize("name", ["c", "color"])
def test_a_text_that_is_no_color(name):
    """The density of many points asked for one color, which had been given."""
    with pytest.raises(ValueError, match="'bleu' is not a color: give a name"):
        gpuplot.scatter(X, Y, **{name: "bleu"}, density=True, ax=axes_of())


@pytest.mark.parametrize("name", ["facecolor", "facecolors", "fc", "hatch", "linestyle", "ls", "sizes"])
def test_properties_of_markers_alone(name):
    """Some were refused as unexpected keywords of a method that nobody had called."""
    with pytest.raises(ValueError, match=f"^{name} is for markers, and these points are drawn as their density: leave it out, or give"):
        gpuplot.scatter(X, Y, **{name: "r"}, density=True, ax=axes_of())


def test_a_colorizer_is_of_markers():
    colorizer = pytest.importorskip("matplotlib.colorizer").Colorizer(cmap="cool")
    points = gpuplot.scatter(X, Y, c=X, colorizer=colorizer, ax=axes_of())
    assert points.colorizer is colorizer
    with pytest.raises(ValueError, match="colorizer is for markers, and these points are drawn as their density"):
        gpuplot.scatter(X, Y, c=X, colorizer=colorizer, density=True, ax=axes_of())
    assert gpuplot.scatter(X, Y, c=X, colorizer=None, density=True, ax=axes_of()).get_clim() == (0, 3)


@pytest.mark.parametrize("keywords", [
    {"vmin": 0}, {"cmap": "cool", "norm": "log"}, {"vmax": 2, "c": "r"}, {"cmap": "cool", "color": "b"}], ids=str)
def test_what_colors_values_is_ignored_without_values(keywords):
    found = []
    for is_ours in (False, True):
        ax = axes_of()
        with pytest.warns(UserWarning, match="^No data for colormapping provided via 'c'") as warned:
            gpuplot.scatter(X, Y, ax=ax, **keywords) if is_ours else ax.scatter(X, Y, **keywords)
        found.append(([(str(one.message), one.filename) for one in warned], pixels(ax.figure).tolist()))
    assert found[0] == found[1]


def test_what_markers_alone_have_is_named():
    points = gpuplot.scatter(*np.zeros((2, 60_000)), ax=axes_of())
    assert not hasattr(points, "get_sizes") and not hasattr(points, "size")
    with pytest.raises(AttributeError, match="have no set_sizes, which markers have: density=False draws"):
        points.set_sizes([3])
    with pytest.raises(AttributeError, match="'PointsImage' object has no attribute 'size'"):
        points.size  # noqa: B018


@pytest.mark.parametrize("s", [-1, float("nan"), np.float32("inf")])
def test_an_area_that_is_none_is_refused(s):
    """matplotlib fails at each draw: need at least one array to concatenate."""
    with pytest.raises(ValueError, match="the area of a marker is a number from 0 on"):
        gpuplot.scatter(X, Y, s, ax=axes_of())
