"""A wrong keyword is refused before a chunk is read: with large arrays its error would come after minutes."""

import numpy as np
import pytest
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from pieces import in_pieces

import gpuplot


def in_chunks(*shape):
    """(array in four chunks a side, its engine): larger than what is gathered at the call."""
    return in_pieces(np.ones(shape, "float32"), [n // 4 for n in shape])


@pytest.mark.parametrize(("options", "message"), [
    ({"norm": "log", "vmin": -1}, "log norm needs limits above zero, not vmin=-1"),
    ({"norm": "log", "vmin": 0, "vmax": 1}, "log norm needs limits above zero, not 0.0 to 1.0"),
    ({"vmin": 3, "vmax": 1}, "must be less than or equal to vmax"), ({"norm": LogNorm(-1, 1)}, "log norm needs limits above zero"),
    ({"norm": Normalize(3, 1)}, "must be less than or equal to vmax"),
    ({"alpha": 3}, "outside 0-1 range"), ({"cmap": "nope"}, "'nope' is not a valid value for cmap"),
])
def test_images(options, message):
    X, engine = in_chunks(4000, 4000)
    with pytest.raises(ValueError, match=message):
        gpuplot.imshow(X, ax=Figure().subplots(), **options)
    assert engine.take_reads() == {}


@pytest.mark.parametrize(("options", "message"), [
    ({"color": "nope"}, "'nope' is not a valid"), ({"color": ["red", "nope"]}, "nope"), ({"alpha": 3}, "outside 0-1 range"),
    ({"linewidth": "wide"}, "linewidth='wide' must be a number of"), ({"ls": "nope"}, "nope"), ({"hatch": 3}, "not iterable"),
    ({"color": ["red", "blue"]}, "1 datasets and 2 colors"), ({"alpha": [0.5]}, "alpha must be numeric"),
    ({"bottom": "0"}, "bottom='0' must be a number, or one for each bin"), ({"rwidth": "1"}, "rwidth='1' must be a number"),
])
def test_histograms(options, message):
    X, engine = in_chunks(4000, 4000)
    with pytest.raises((TypeError, ValueError), match=message):
        gpuplot.hist(X, ax=Figure().subplots(), **options)
    assert engine.take_reads() == {}


@pytest.mark.parametrize(("options", "message"), [
    ({"norm": "log", "vmin": -1}, "log norm needs limits above zero"), ({"vmin": 3, "vmax": 1}, "must be less than or equal"),
    ({"norm": LogNorm(-1, 1)}, "log norm needs limits above zero"), ({"norm": Normalize(), "vmin": 1}, "Passing a Normalize instance"),
    ({"alpha": 3}, "outside 0-1 range"), ({"cmap": "nope"}, "'nope' is not a"), ({"edgecolors": "nope"}, "nope"),
    ({"norm": 3}, "norm must be a name or a matplotlib Normalize object, not int"), ({"cmap": ["red"]}, "cmap must be a name or a"),
    ({"alpha": [0.5, 1]}, "alpha has 2 of 10 x 10 opacities"), ({"alpha": [3.0] * 100}, "alpha must be between 0 and 1"),
    ({"edgecolors": ["nope"]}, "nope"), ({"shading": "nearest"}, "shading='nearest': bins lie between edges"),
    ({"shading": "foo"}, "shading='foo': bins lie between edges"), ({"linewidths": "abc"}, "linewidths='abc' must be a number of points"),
])
def test_histograms_of_pairs(options, message):
    (x, engine), (y, other) = in_chunks(4000, 4000), in_chunks(4000, 4000)
    with pytest.raises((TypeError, ValueError), match=message):
        gpuplot.hist2d(x, y, ax=Figure().subplots(), **options)
    assert engine.take_reads() == other.take_reads() == {}


def test_points():
    (x, engine), (y, other) = in_chunks(4000, 4000), in_chunks(4000, 4000)
    with pytest.raises(ValueError, match="outside 0-1 range"):
        gpuplot.scatter(x, y, alpha=3, ax=Figure().subplots())
    assert engine.take_reads() == other.take_reads() == {}


@pytest.mark.parametrize(("options", "message"), [
    ({"color": "nope"}, "'nope' is not a valid"), ({"alpha": 3}, "outside 0-1 range"), ({"lw": "wide"}, "linewidth='wide' must be a"),
    ({"linestyle": "nope"}, "nope"), ({"marker": "nope"}, "Unrecognized marker"), ({"clip_path": 3}, "Invalid arguments to set_clip_path"),
])
def test_lines(options, message):
    y, engine = in_chunks(200, 40_000)
    with pytest.raises((TypeError, ValueError), match=message):
        gpuplot.plot(y, x=1, ax=Figure().subplots(), label=list("ab" * 100), **options)
    assert engine.take_reads() == {}


@pytest.mark.parametrize(("options", "message"), [
    ({"alpha": 3}, "outside 0-1 range"), ({"clip_path": 3}, "Invalid arguments to set_clip_path"),
    ({"transform": 3}, "no transform of its own"),
])
def test_densities(options, message):
    (x, engine), (y, other) = in_chunks(4000, 4000), in_chunks(4000, 4000)
    for draw in (lambda ax: gpuplot.scatter(x, y, ax=ax, **options), lambda ax: gpuplot.plot(y, density=True, ax=ax, **options)):
        with pytest.raises((TypeError, ValueError), match=message):
            draw(Figure().subplots())
    assert engine.take_reads() == other.take_reads() == {}


@pytest.mark.parametrize(("options", "message"), [
    ({"zorder": "a"}, "zorder='a' must be a number"), ({"zorder": np.ones(3)}, r"zorder=an ndarray of shape \(3,\) must be a number"),
    ({"snap": "a"}, "snap='a' must be True, False or None"), ({"agg_filter": 5}, "agg_filter=5 must be a function"),
    ({"path_effects": "a"}, "path_effects='a' must be a list"), ({"sketch_params": "a"}, "sketch_params='a' must be a number"),
    ({"sketch_params": (1, 2, 3)}, r"sketch_params=\(1, 2, 3\) must be a number"),
])
def test_values_that_would_fail_at_each_draw(options, message):
    """matplotlib keeps them, and its renderers refuse them in words of their own."""
    (x, engine), (y, other) = in_chunks(4000, 4000), in_chunks(4000, 4000)
    for draw in (lambda ax: gpuplot.imshow(x, ax=ax, **options), lambda ax: gpuplot.scatter(x, y, ax=ax, **options),
                 lambda ax: gpuplot.plot(y, density=True, ax=ax, **options), lambda ax: gpuplot.hist(x, ax=ax, **options),
                 lambda ax: gpuplot.hist2d(x, y, ax=ax, **options), lambda ax: gpuplot.plot(y, x=1, ax=ax, **options)):
        with pytest.raises(TypeError, match=message):
            draw(Figure().subplots())
    assert engine.take_reads() == other.take_reads() == {}


@pytest.mark.parametrize("width", ["abc", [1, "a"]])
def test_widths_of_markers(width):
    """They failed at the draw."""
    with pytest.raises(TypeError, match="^linewidths=.* must be a number of points, or a list of such numbers"):
        gpuplot.scatter([1, 2], [3, 4], linewidths=width, ax=Figure().subplots())


@pytest.mark.parametrize("make", [lambda ax: gpuplot.imshow(np.eye(3), ax=ax), lambda ax: gpuplot.plot(np.arange(9), ax=ax)[0],
                                  lambda ax: gpuplot.scatter([1, 2], [3, 4], density=True, ax=ax),
                                  lambda ax: gpuplot.plot(np.eye(3), density=True, ax=ax)], ids=["image", "line", "points", "lines"])
def test_places_in_front_of_others_are_numbers(make):
    """set_zorder("a") was kept, and no later draw of the figure succeeded."""
    artist = make(Figure().subplots())
    with pytest.raises(TypeError, match="zorder='a' must be a number"):
        artist.set_zorder("a")
    artist.set_zorder(7)
    artist.figure.draw_without_rendering()
    assert artist.get_zorder() == 7
