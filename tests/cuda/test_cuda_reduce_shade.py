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
from gpuplot.color.style import LimitsSearch
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
    cells, limits, *_, (pixels, *ends) = _reduced(style, **options)
    assert np.array_equal(pixels, _native.shade(cells, style))
    assert ends == [style.vmin, style.vmax]
    without = _reduced(None, **options)
    assert np.array_equal(without[0].numpy(), cells.numpy(), equal_nan=True)
    assert limits == without[1] or np.array_equal(limits, without[1], equal_nan=True)


def test_opacities_and_given_pixels(emulated):
    style = replace(STYLES["linear"][0], alpha_cells=np.random.default_rng(0).random(SHAPE).astype("f4"))
    out = np.empty((*SHAPE, 4), np.uint8)
    cells, _, (pixels, *_) = _reduced(style, out=out)
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
    cells, _, (pixels, *_) = _reduced(style)
    assert np.array_equal(pixels, _native.shade(cells, style))


# ---- limits that the device finds -------------------------------------------------------------------------------------


def _found(search, X=None, norm="linear", given=(np.nan, np.nan), params=(), **options):
    """(Cells, limits of the elements, pixels, limits of the colors) of a reduction whose style misses limits."""
    style = replace(STYLES["linear"][0], norm=norm, params=params, vmin=given[0], vmax=given[1])
    options = {"want": _native.WANT_RANGE, "limits_of_cells": True} | options
    cells, limits, *_, shaded = _reduced(style, X, search=search, **options)
    if shaded is None:
        return cells, limits, None, None
    pixels, vmin, vmax = shaded
    assert np.array_equal(pixels, _native.shade(cells, replace(style, vmin=vmin, vmax=vmax)))
    return cells, limits, pixels, (vmin, vmax)


def _ends_of(cells):
    values = cells.numpy()
    return values[np.isfinite(values)].min(), values[np.isfinite(values)].max()


@pytest.mark.parametrize(("norm", "params"), [("linear", ()), ("power", (0.5,)), ("power", (3.0,))])
@pytest.mark.parametrize("splits_nan", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "i8", "?"])
def test_limits_are_those_of_elements_or_of_cells(emulated, norm, params, splits_nan, dtype):
    X = there(_elements() if dtype == "f4" else (9 * np.nan_to_num(_elements(), posinf=3, neginf=-3)).astype(dtype))
    options = {"norm": norm, "params": params, "splits_nan": splits_nan}
    _, limits, _, ends = _found(LimitsSearch("elements", 0.25), X, **options)
    assert ends == limits[:2]
    cells, limits, _, ends = _found(LimitsSearch("cells", 0.25), X, **options)
    assert ends == _ends_of(cells)
    assert dtype == "?" or ends != limits[:2]
    for least_part, want in ((0.0, limits[:2]), (1.0, _ends_of(cells))):
        assert _found(LimitsSearch("either", least_part), X, **options)[-1] == want


def test_limits_beside_one_that_is_given_and_around_a_center(emulated):
    _, (low, high, *_), _, ends = _found(LimitsSearch("elements", 0.25), given=(-0.5, np.nan))
    assert ends == (-0.5, high)
    is_moved = False
    for center in (0.25, *np.linspace(-1, 1, 30)):
        reach = max(abs(low - center), abs(high - center))
        rounded = center - reach, center + reach
        found = _found(LimitsSearch("elements", 0.25, center))[-1]
        assert found == (min(rounded[0], low), max(rounded[1], high))
        is_moved |= found != rounded
    assert is_moved


def test_known_limits_of_elements_are_not_found_again(emulated):
    for known, want in (((-1e3, 1e3), None), ((-0.1, 0.1), (-0.1, 0.1))):
        cells, _, _, ends = _found(LimitsSearch("either", 0.25, np.nan, *known), want=0)
        assert ends == (want or _ends_of(cells))


@pytest.mark.parametrize("values", [np.full((60, 80), np.nan, "f4"), np.full((60, 80), 2.5, "f4"),
                                    0.95e308 * (-1.0) ** np.add.outer(np.arange(60), np.arange(80))], ids=["nan", "constant", "wide"])
@pytest.mark.parametrize("origin", ["elements", "cells", "either"])
def test_limits_of_nothing_of_one_value_and_of_all_numbers(emulated, origin, values):
    cells, limits, _, ends = _found(LimitsSearch(origin, 0.25), there(values))
    if np.isnan(limits[0]):
        assert ends == (0, 1)
    else:
        assert ends in (limits[:2], _ends_of(cells))


def test_no_pixels_where_limits_cannot_be_found(emulated):
    for origin, options in (("elements", {"want": 0}), ("cells", {"limits_of_cells": False}), ("either", {"want": 0}),
                            ("elements", {"norm": "log"}), ("cells", {"norm": "cbrt"})):
        assert _found(LimitsSearch(origin, 0.25), **options)[-1] is None


@pytest.mark.parametrize("search", [(), ("elements", 0.25), ("pixels", 0.25, 0.0, 0.0, 0.0), ["elements", 0.25, 0.0, 0.0, 0.0]], ids=str)
def test_a_search_of_another_form_is_refused(emulated, search):
    with pytest.raises((TypeError, ValueError)):
        _found(search)


OPTIONS = [{}, {"limits": "pixels"}, {"limits": "elements"}, {"gamma": 0.5}, {"center": 0.5}, {"vmin": 0}, {"agg": "std"}, {"agg": "sum"},
           {"agg": "max"}, {"nan": "skip"}, {"center": "auto"}, {"robust": True}, {"norm": "log"}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", ["noise", "smooth", "integers", "constant", "with NaN"])
def test_pictures_whose_limits_are_found_have_the_colors_of_the_host(emulated, kind, options):
    noise = np.random.default_rng(5).normal(size=(120, 100)).astype("f4")
    values = {"noise": noise, "smooth": noise.cumsum(0) + 200, "integers": (90 * noise).astype("i2"), "constant": np.full_like(noise, 3),
              "with NaN": np.where(np.arange(100) % 37, noise, np.float32(np.nan))}[kind]
    got, want = (gpuplot.to_rgba(X, shape=SHAPE, **options) for X in (there(values), values))
    assert np.array_equal(got, want)


@pytest.mark.host("a GPU colors in the pass that reduces")
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
