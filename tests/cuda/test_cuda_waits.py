"""How often a picture waits for the device: once where its limits are known, else for these and for the pixels."""

import numpy as np
import pytest
from figures import axes_of
from matplotlib.backends.backend_agg import FigureCanvasAgg
from on_device import there
from scenes import scene_of, whole

import gpuplot

WAITS = ("cuStreamSynchronize", "cuEventSynchronize", "cuCtxSynchronize")
VALUES = np.random.default_rng(0).normal(size=(1200, 1000)).cumsum(0).astype("f4")  # smooth: limits are those of the elements


@pytest.fixture
def waits(emulated):
    """A function: how often a call waits."""
    def count(call):
        emulated.clear_counts()
        call()
        return sum(emulated.counts().get(name, 0) for name in WAITS)
    return count


@pytest.mark.parametrize("style", [{}, {"limits": "elements"}, {"norm": "log"}, {"cmap": "magma", "nan": "skip"}],
                         ids=str)
def test_pixels_are_the_second_thing_that_is_waited_for(waits, style):
    X = there(VALUES)
    gpuplot.to_rgba(X, shape=(200, 200), **style)
    assert waits(lambda: gpuplot.to_rgba(X, shape=(200, 200), **style)) == 2


@pytest.mark.parametrize("style", [{}, {"norm": "log"}, {"norm": "symlog"}, {"gamma": 0.5, "alpha": 0.5}, {"nan": "skip"}], ids=str)
def test_pixels_with_given_limits_are_all_that_is_waited_for(waits, style):
    X = there(VALUES)
    limits = {"vmin": 1, "vmax": 20}
    gpuplot.to_rgba(X, shape=(200, 200), **limits, **style)
    assert waits(lambda: gpuplot.to_rgba(X, shape=(200, 200), **limits, **style)) == 1


def test_an_image_waits_when_it_is_made_and_when_it_is_drawn(waits):
    ax = axes_of()
    canvas = FigureCanvasAgg(ax.figure)
    images = []
    assert waits(lambda: images.append(gpuplot.imshow(there(VALUES), ax=ax, limits="elements"))) == 1
    assert waits(canvas.draw) == 1
    images[0].set_cmap("magma")
    assert waits(canvas.draw) == 1
    ax.set_xlim(100, 900)
    assert waits(canvas.draw) == 1


def test_a_zoom_waits_once_more_where_limits_are_those_of_its_pixels(waits):
    ax = axes_of()
    canvas = FigureCanvasAgg(ax.figure)
    gpuplot.imshow(there(VALUES), ax=ax, limits="pixels")
    canvas.draw()
    ax.set_xlim(100, 900)
    assert waits(canvas.draw) == 3


def test_a_frame_of_the_inspector_waits_once_and_for_other_colors_once(waits):
    scene = scene_of(there(VALUES), limits="elements")
    whole(scene)
    assert waits(lambda: scene.draw((100, 900, 100, 900), (24, 32), keeps_limits=True)) == 1
    scene.change({"cmap": "magma"})
    assert waits(lambda: scene.draw((100, 900, 100, 900), (24, 32), keeps_limits=True)) == 1


@pytest.mark.parametrize("limits", ["auto", "elements", "pixels"])
def test_the_state_before_the_first_frame_waits_once(waits, limits):
    scene = scene_of(there(VALUES), limits=limits)
    assert waits(scene.state) == 1
    assert waits(scene.state) == 0
