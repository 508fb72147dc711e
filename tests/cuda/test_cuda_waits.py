"""How often a picture waits for the device: once, but for norms whose limits the host has to prepare."""

import numpy as np
import pytest
from figures import axes_of
from matplotlib.backends.backend_agg import FigureCanvasAgg
from on_device import there
from scenes import scene_of, whole

import gpuplot

WAITS = ("cuStreamSynchronize", "cuEventSynchronize", "cuCtxSynchronize")
VALUES = np.random.default_rng(0).normal(size=(1200, 1000)).cumsum(0).astype("f4")  # smooth: limits are those of the elements
NOISE = np.random.default_rng(0).normal(size=(1200, 1000)).astype("f4")  # limits are those of the pixels


@pytest.fixture
def waits(emulated):
    """A function: how often a call waits."""
    def count(call):
        emulated.clear_counts()
        call()
        return sum(emulated.counts().get(name, 0) for name in WAITS)
    return count


@pytest.mark.parametrize("style", [{}, {"limits": "elements"}, {"limits": "pixels"}, {"cmap": "magma", "nan": "skip"}, {"center": 0},
                                   {"vmin": 1}, {"gamma": 0.5}, {"agg": "max"}, {"agg": "std"}], ids=str)
def test_pixels_whose_limits_are_found_are_all_that_is_waited_for(waits, style):
    X = there(VALUES)
    gpuplot.to_rgba(X, shape=(200, 200), **style)
    assert waits(lambda: gpuplot.to_rgba(X, shape=(200, 200), **style)) == 1


def test_limits_leave_out_what_is_there_without_nan_alone(waits):
    """The device once chose limits with the mean of what is beside a NaN, which is shown as NaN; pixels were made twice then."""
    layers = np.stack([VALUES, VALUES])
    layers[:, 7, 7] = np.nan, 1e4
    style = {"shape": (200, 200), "reduce": {0: "mean"}, "limits": "elements"}
    X = there(layers)
    gpuplot.to_rgba(X, **style)
    assert waits(lambda: gpuplot.to_rgba(X, **style)) == 1


@pytest.mark.parametrize("style", [{"norm": "log"}, {"norm": "symlog"}, {"center": "auto"}], ids=str)
def test_limits_that_the_host_prepares_are_waited_for(waits, style):
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


@pytest.mark.parametrize(("values", "limits"), [(VALUES, "pixels"), (NOISE, "auto")])
def test_a_zoom_waits_once_where_limits_are_those_of_its_pixels(waits, values, limits):
    ax = axes_of()
    canvas = FigureCanvasAgg(ax.figure)
    image = gpuplot.imshow(there(values), ax=ax, limits=limits)
    canvas.draw()
    before = image.get_clim()
    ax.set_xlim(100, 900)
    assert waits(canvas.draw) == 1
    assert image.get_clim() != before


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


@pytest.mark.parametrize("values", [VALUES, NOISE], ids=["smooth", "noise"])
@pytest.mark.parametrize("options", [{}, {"limits": "pixels"}, {"agg": "sum"}], ids=str)
def test_a_frame_of_the_inspector_waits_once_where_its_limits_are_found(waits, options, values):
    scene = scene_of(there(values), **options)
    scene.state()
    assert waits(lambda: scene.draw((0, 1200, 0, 1000), (24, 32))) == 1
    assert waits(lambda: scene.draw((100, 900, 100, 900), (24, 32))) == 1
