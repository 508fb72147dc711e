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
    ({"linewidth": "wide"}, "could not convert"), ({"ls": "nope"}, "nope"), ({"hatch": 3}, "not iterable"),
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
])
def test_histograms_of_pairs(options, message):
    (x, engine), (y, other) = in_chunks(4000, 4000), in_chunks(4000, 4000)
    with pytest.raises(ValueError, match=message):
        gpuplot.hist2d(x, y, ax=Figure().subplots(), **options)
    assert engine.take_reads() == other.take_reads() == {}


def test_points():
    (x, engine), (y, other) = in_chunks(4000, 4000), in_chunks(4000, 4000)
    with pytest.raises(ValueError, match="outside 0-1 range"):
        gpuplot.scatter(x, y, alpha=3, ax=Figure().subplots())
    assert engine.take_reads() == other.take_reads() == {}
