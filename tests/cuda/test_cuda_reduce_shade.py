"""Pixels that a device makes together with cells: the bytes of shading these cells afterwards, and only where the style is the same."""

from dataclasses import replace

import numpy as np
import pytest
from device_colors import STYLES
from on_device import there
from scenes import scene_of, whole

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane.frame import Shaded
from gpuplot.plane.native_plane import native_plane
from gpuplot.plane.view import plain_view

SHAPE = (20, 16)


def _elements():
    values = np.random.default_rng(3).normal(size=(60, 80)).astype("f4")
    values[:9, :11] = np.nan
    values[30, 40], values[50, 70] = np.inf, -np.inf
    return values


def _reduced(style, X=None, **options):
    """What `_native.reduce` gives for 60 x 80 elements in 20 x 16 cells."""
    source = describe(there(_elements()) if X is None else X)
    rows, cols = (_native.Axis(n, 0.0, float(n), cells) for n, cells in zip(source.shape, SHAPE, strict=True))
    with source.borrow() as tensor:
        return _native.reduce(native_plane(tensor, plain_view(source)), rows, cols, "mean", "show", style=style, **options)


@pytest.mark.parametrize("options", [{}, {"want": _native.WANT_RANGE}, {"want": _native.WANT_COUNTS, "limits_of_cells": True},
                                     {"splits_nan": True, "want": _native.WANT_RANGE}], ids=str)
@pytest.mark.parametrize("name", STYLES)
def test_pixels_are_those_of_shading_the_cells(emulated, name, options):
    style, _ = STYLES[name]
    style = replace(style, alpha=0.75)
    cells, limits, *_, pixels = _reduced(style, **options)
    assert np.array_equal(pixels, _native.shade(cells, style))
    without = _reduced(None, **options)
    assert np.array_equal(without[0].numpy(), cells.numpy(), equal_nan=True)
    assert limits == without[1] or np.array_equal(limits, without[1], equal_nan=True)


def test_opacities_and_given_pixels(emulated):
    style = replace(STYLES["linear"][0], alpha_cells=np.random.default_rng(0).random(SHAPE).astype("f4"))
    out = np.empty((*SHAPE, 4), np.uint8)
    cells, _, pixels = _reduced(style, out=out)
    assert pixels is out
    assert np.array_equal(out, _native.shade(cells, style))


@pytest.mark.parametrize("wrong", [{"out": np.empty((20, 15, 4), np.uint8)}, {"out": np.empty((*SHAPE, 4), np.int8)}])
def test_wrong_pixels_are_refused(emulated, wrong):
    with pytest.raises((ValueError, TypeError)):
        _reduced(STYLES["linear"][0], **wrong)


def test_a_wrong_style_is_refused_and_the_device_goes_on(emulated):
    style = STYLES["linear"][0]
    with pytest.raises(ValueError, match="above vmax"):
        _reduced(replace(style, vmin=2.0, vmax=1.0))
    cells, _, pixels = _reduced(style)
    assert np.array_equal(pixels, _native.shade(cells, style))


def test_the_cpu_makes_cells_alone():
    assert _reduced(STYLES["linear"][0], _elements())[-1] is None


def test_pixels_of_another_style_are_not_taken():
    style, pixels = STYLES["linear"][0], np.zeros((*SHAPE, 4), np.uint8)
    others = [replace(style, vmax=style.vmax + 1), replace(style, table=style.table[::-1].copy()), replace(style, alpha=0.5),
              replace(style, alpha_cells=np.ones(SHAPE, "f4")), replace(style, nan_rgba=(9, 9, 9, 9)), STYLES["log"][0]]
    assert all(Shaded(style, pixels).take(other) is None for other in others)
    shaded = Shaded(style, pixels)
    assert shaded.take(replace(style, table=style.table.copy())) is pixels
    assert shaded.take(style) is None  # they belong to the first taker


def test_a_frame_of_the_inspector_has_the_colors_of_its_limits(emulated):
    """The last colors are a guess: frames for which it is wrong have their own."""
    values = np.random.default_rng(0).normal(size=(1200, 1000)).cumsum(0).astype("f4")
    scene, other = scene_of(there(values), limits="pixels"), scene_of(values, limits="pixels")
    whole(scene), whole(other)
    for window in ((100, 900, 100, 900), (100, 300, 100, 500), (0, 1200, 0, 1000)):
        got, want = (one.draw(window, (24, 32)) for one in (scene, other))
        assert np.array_equal(got.pixels, want.pixels)


def test_nan_that_is_left_out_of_a_picture(emulated):
    """Where NaN would mark most of the picture other cells are shown than those that have pixels."""
    values = _elements()
    values[:45] = np.where(np.arange(45)[:, None] % 2, values[:45], np.nan)
    with pytest.warns(gpuplot.GpuplotWarning, match="NaN"):
        got = gpuplot.to_rgba(there(values), shape=SHAPE, vmin=-1, vmax=1)
    with pytest.warns(gpuplot.GpuplotWarning, match="NaN"):
        want = gpuplot.to_rgba(values, shape=SHAPE, vmin=-1, vmax=1)
    assert np.array_equal(got, want)
