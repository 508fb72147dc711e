"""A grid of arrays in chunks reads only the images that it shows."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from chunked_arrays import numbers
from pieces import in_pieces

import gpuplot
from gpuplot.errors import UnsupportedError
from gpuplot.picture import grid_spec

pytestmark = pytest.mark.host("chunks are read by the host")


def pixels_of(X, **options):
    figure = gpuplot.grid(X, **options)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba()).copy()
    plt.close(figure)
    return pixels


@pytest.mark.parametrize("options", [{}, {"normalize": True}, {"scale_each": True, "normalize": True}, {"robust": True}])
@pytest.mark.parametrize("dtype", ["float32", "uint8", "masked"])
def test_pictures_are_those_of_the_whole(dtype, options):
    array = numbers(np.random.default_rng(0), dtype, (9, 1, 40, 50))
    np.testing.assert_array_equal(pixels_of(in_pieces(array, (2, 1, 25, 30))[0], **options), pixels_of(array, **options))


def test_colors():
    array = np.random.default_rng(0).random((5, 3, 40, 50), "float32")
    source, engine = in_pieces(array, (1, 3, 25, 50))
    np.testing.assert_array_equal(pixels_of(source), pixels_of(array))
    assert set(engine.take_reads().values()) == {1}


def test_only_images_that_are_shown_are_read():
    array = np.random.default_rng(0).random((30, 1, 40, 50), "float32")
    source, engine = in_pieces(array, (1, 1, 40, 50))
    np.testing.assert_array_equal(pixels_of(source, max_items=3), pixels_of(array, max_items=3))
    assert engine.take_reads() == {(k, 0, 0, 0): 1 for k in range(3)}


def test_images_that_are_too_large_are_refused_before_one_is_read(monkeypatch):
    monkeypatch.setattr(grid_spec, "MAX_COMPUTED_BYTES", 10_000)
    source, engine = in_pieces(np.zeros((30, 1, 40, 50), "float32"), (1, 1, 40, 50))
    with pytest.raises(UnsupportedError, match=r"30 images of 234 KB would be read from chunks.*max_items=1"):
        gpuplot.grid(source)
    assert engine.take_reads() == {}
    gpuplot.grid(source, max_items=1)
    monkeypatch.setattr(grid_spec, "MAX_COMPUTED_BYTES", 5_000)
    with pytest.raises(UnsupportedError, match=r"^an image of 7.81 KB .*: show coarser ones, X\[\.\.\., ::8, ::8\]$"):
        gpuplot.grid(source, max_items=1)
