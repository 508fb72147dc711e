"""Colorbars whose Axes are drawn before those of their picture show the limits of the same draw, not of the one before."""

import copy
import pickle

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import gpuplot
from gpuplot.mpl.images.limits_ahead import LimitsAhead

pytestmark = pytest.mark.host("colorbars of pictures")

RNG = np.random.default_rng(3)
PLANE = np.cumsum(RNG.standard_normal((600, 800)), axis=1)
X, Y = RNG.standard_normal((2, 120_000))

PICTURES = {
    "pixels": lambda ax: gpuplot.imshow(PLANE, ax=ax, limits="pixels"),
    "std": lambda ax: gpuplot.imshow(PLANE, ax=ax, agg="std"),
    "ranks": lambda ax: gpuplot.imshow(PLANE, ax=ax, norm="eq_hist"),
    "density": lambda ax: gpuplot.scatter(X, Y, ax=ax),
    "ranks of a density": lambda ax: gpuplot.scatter(X, Y, ax=ax, norm="eq_hist"),
}


def drawn(figure, dpi):
    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).copy()


@pytest.fixture(params=PICTURES)
def figure(request):
    """The colorbar left of its picture."""
    made = Figure(figsize=(5, 3))
    bar, ax = made.subplots(1, 2, width_ratios=[1, 12])
    made.colorbar(PICTURES[request.param](ax), cax=bar)
    return made


def test_the_first_draw_is_as_the_second(figure):
    assert np.array_equal(drawn(figure, 90), drawn(figure, 90))


def test_after_a_zoom_and_at_another_resolution(figure):
    for change in (lambda: figure.axes[1].set(xlim=(-1, 0.5), ylim=(-0.5, 1)), lambda: None):
        drawn(figure, 60)
        change()
        assert np.array_equal(drawn(figure, 130), drawn(figure, 130))


def test_copied_figures(figure):
    drawn(figure, 60)
    for twin in (pickle.loads(pickle.dumps(figure)), copy.deepcopy(figure)):
        twin.axes[1].set(xlim=(-1, 0.5))
        assert np.array_equal(drawn(twin, 130), drawn(twin, 130))


def test_nothing_is_added_where_the_colorbar_comes_after_or_to_the_layout(figure):
    assert [type(artist) for artist in figure.artists] == [LimitsAhead] and not figure.artists[0].get_in_layout()
    usual = Figure()
    usual.colorbar(PICTURES["density"](usual.subplots()))
    assert usual.artists == []


def test_it_goes_with_its_picture(figure):
    figure.axes[1].clear()
    drawn(figure, 60)
    assert figure.artists == []
