"""Figures of known size in pixels, their pixels and cells, and a count of reductions, for the tests of artists."""

from contextlib import contextmanager
from unittest import mock

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gpuplot.mpl.images import gathered_plane
from gpuplot.plane import reduce

# Where images are placed as they are today; older releases put them up to a pixel away.
needs_exact_places = pytest.mark.skipif(
    tuple(int(part) for part in matplotlib.__version__.split(".")[:2]) < (3, 11), reason="of matplotlib 3.11 and later")


def axes_of(width_px=300, height_px=None, place=(0, 0, 1, 1), **keywords):
    """An Axes without decoration that fills a figure of that many pixels, or a part of it."""
    height_px = width_px if height_px is None else height_px
    fig = Figure(figsize=(width_px / 100, height_px / 100), dpi=100)
    FigureCanvasAgg(fig)
    ax = fig.add_axes(place, **keywords)
    ax.axis("off")
    return ax


def pixels(fig):
    """uint8 (H, W, 4) of a drawn figure, row 0 at the top."""
    fig.canvas.draw()
    return np.asarray(fig.canvas.buffer_rgba()).copy()


def drawn_cells(image):
    """The cell of each pixel of a density after a draw, row 0 at the bottom; 0 for empty ones."""
    image.axes.figure.canvas.draw()
    return np.nan_to_num(image._cells.numpy())


def made(image):
    """The artist's own pixels for Agg, turned so that row 0 is on top."""
    image.axes.figure.canvas.draw()
    return image.make_image(image.axes.figure.canvas.get_renderer())[0][::-1]


@contextmanager
def counted():
    """A list that gets an item for each reduction of elements to cells from now on."""
    calls = []
    original = reduce.reduce_view

    def reduce_view(source, view, window, *args, **keywords):
        calls.append(window)
        return original(source, view, window, *args, **keywords)

    with mock.patch.object(reduce, "reduce_view", reduce_view):
        yield calls


def borrowed(n_rows=1200, n_cols=1000, dtype="float32", seed=0):
    """A plane too large to be copied when `imshow` is called, so that its memory is borrowed at each draw."""
    assert n_rows * n_cols > gathered_plane.MAX_GATHERED_ELEMENTS
    values = np.random.default_rng(seed).normal(size=(n_rows, n_cols))
    return values.astype(dtype)
