"""Frames of an inspector, and what is kept between them."""

import gc
import json
import math
import weakref

import numpy as np
import pytest
from scenes import OPTIONS, count_calls, numbers, pixels, scene_of, snapshot, whole

import gpuplot
from gpuplot import _native

VOLUME = numbers(5, 40, 60)


# ---- frames ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window, size", [
    ((0, 40, 0, 60), (20, 30)), ((0, 40, 0, 60), (80, 90)), ((-10, 50.5, 7.25, 31), (33, 17)), ((39, 45, 50, 61), (12, 11))])
def test_frames_are_the_pixels_of_to_rgba(window, size):
    scene = scene_of(VOLUME, cmap="viridis", center=None, index={0: 2})
    wanted = gpuplot.to_rgba(VOLUME, size, view=(window[:2], window[2:]), index={0: 2}, cmap="viridis")
    drawn = scene.draw(window, size)
    assert drawn.pixels.shape == (1, *size, 4) and drawn.pixels.dtype == np.uint8 and drawn.line is None
    assert (drawn.window, drawn.size) == (tuple(map(float, window)), size)
    assert np.array_equal(drawn.pixels[0], wanted)


@pytest.mark.parametrize("agg", ["mean", "max", "min", "absmax", "nearest", "std", "count", "sum"])
@pytest.mark.parametrize("nan", ["show", "skip"])
def test_frames_follow_agg_and_nan(agg, nan):
    X = VOLUME[0].copy()
    X[3, 5], X[10, 20] = np.nan, np.inf
    scene = scene_of(X)
    scene.change({"agg": agg, "nan": nan, "cmap": "magma"})
    marks = {"nan_color": "#ff00ff", "pos_inf_color": "#00ffff", "neg_inf_color": "#ff8000"}
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(X, (24, 32), agg=agg, nan=nan, cmap="magma", center="auto", **marks))


@pytest.mark.parametrize("norm", ["linear", "log", "symlog", "asinh", "cbrt", "eq_hist"])
def test_frames_follow_the_norm(norm):
    X = np.abs(VOLUME[0]) + 0.1
    scene = scene_of(X)
    scene.change({"norm": norm})
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(X, (24, 32), norm=norm))


@pytest.mark.parametrize("options", [{"gamma": 0.5}, {"robust": True}, {"robust": (5, 80)}, {"vmin": -1.0}, {"alpha": 0.5},
                                     {"center": 0.25}, {"under_color": "red", "vmin": 0, "vmax": 1}])
def test_first_frames_have_the_style_that_was_asked_for(options):
    X = VOLUME[0]
    wanted = gpuplot.to_rgba(X, (24, 32), **({"center": "auto"} | options))
    assert np.array_equal(pixels(scene_of(X, **options)), wanted)


def test_norm_objects_are_copied_and_can_be_chosen_again():
    from matplotlib.colors import PowerNorm

    norm = PowerNorm(0.5)
    scene = scene_of(np.abs(VOLUME[0]), norm=norm)
    first = pixels(scene)
    assert np.array_equal(first, gpuplot.to_rgba(np.abs(VOLUME[0]), (24, 32), norm=PowerNorm(0.5)))
    assert norm.vmin is None and scene.norm == "PowerNorm" and "PowerNorm" in scene.state()["norms"]
    scene.change({"norm": "linear"})
    assert not np.array_equal(pixels(scene), first)
    scene.change({"norm": "PowerNorm"})
    assert np.array_equal(pixels(scene), first)


def test_elements_that_are_not_finite_cannot_be_missed():
    X = np.zeros((4, 4), "float32")
    X[0, 0], X[1, 1], X[2, 2] = np.nan, np.inf, -np.inf
    scene = scene_of(X)
    shown = pixels(scene, (4, 4))
    assert [shown[i, i].tolist() for i in range(3)] == [[255, 0, 255, 255], [0, 255, 255, 255], [255, 128, 0, 255]]
    assert scene.state()["colors"]["nan"] == "#ff00ff"


def test_pixels_beside_the_plane_are_transparent():
    shown = scene_of(VOLUME[0]).draw((-40, 80, 0, 60), (30, 10)).pixels[0]
    assert not shown[:10].any() and not shown[20:].any() and (shown[10:20, :, 3] == 255).all()


@pytest.mark.parametrize("window, size, error", [
    ((0, 0, 0, 5), (4, 4), ValueError), ((5, 0, 0, 5), (4, 4), ValueError), ((0, math.nan, 0, 5), (4, 4), ValueError),
    ((0, math.inf, 0, 5), (4, 4), ValueError), ((0, 1e300, 0, 5), (4, 4), ValueError), ((0, 5, 0), (4, 4), ValueError),
    ("0505", (4, 4), TypeError), (None, (4, 4), TypeError), ({}, (4, 4), ValueError), ((0, "5", 0, 5), (4, 4), TypeError),
    ((0, True, 0, 5), (4, 4), TypeError), ((0, 5, 0, 5), (0, 4), ValueError), ((0, 5, 0, 5), (4, -1), ValueError),
    ((0, 5, 0, 5), (4.0, 4), TypeError), ((0, 5, 0, 5), (True, 4), TypeError), ((0, 5, 0, 5), (10**6, 4), ValueError),
    ((0, 5, 0, 5), (8192, 8192), ValueError), ((0, 5, 0, 5), "44", TypeError), ((0, 5, 0, 5), None, TypeError),
    ((0, 5, 0, 5), (4, 4, 4), TypeError), ((2.0**52, 2.0**52 + 1, 0, 5), (4, 4), ValueError),
    ((0, 5, 0, 10**400), (4, 4), ValueError)])
def test_looks_are_checked(window, size, error):
    scene = scene_of(VOLUME)
    before = snapshot(scene)
    with pytest.raises(error):
        scene.draw(window, size)
    assert snapshot(scene) == before


# ---- what is kept ------------------------------------------------------------------------------------------------------------


def test_one_look_is_one_reduction_and_limits_are_found_on_the_way(monkeypatch):
    scene = scene_of(VOLUME, limits="elements")
    calls = count_calls(monkeypatch, "reduce", "limits", "shade")
    scene.draw((0, 40, 0, 60), (20, 30))
    assert calls == {"reduce": 1, "limits": 0, "shade": 1}
    scene.state()
    assert calls == {"reduce": 1, "limits": 0, "shade": 1}


def test_other_colors_and_limits_reduce_nothing(monkeypatch):
    scene = scene_of(VOLUME, limits="elements")
    whole(scene)
    calls = count_calls(monkeypatch, "reduce", "limits", "shade")
    for n, values in enumerate([{"cmap": "magma"}, {"vmin": -1.0}, {"vmax": 2.5}, {"norm": "asinh"},
                                {"vmin": None, "vmax": None}], 1):
        scene.change(values)
        whole(scene)
        assert calls == {"reduce": 0, "limits": 0, "shade": n}


def test_limits_are_not_sought_again_while_panning(monkeypatch):
    scene = scene_of(VOLUME, limits="elements")
    scene.state()
    calls = count_calls(monkeypatch, "reduce", "limits", "percentiles")
    for step in range(5):
        scene.draw((step, 10 + step, 0, 20), (20, 40))
        scene.state()
    assert calls == {"reduce": 5, "limits": 0, "percentiles": 0}


@pytest.mark.parametrize("limits", ["auto", "elements"])
def test_stepping_through_an_axis_reads_each_plane_once(monkeypatch, limits):
    scene = scene_of(VOLUME, limits=limits)
    whole(scene)
    calls = count_calls(monkeypatch, "reduce", "limits")
    for index in (1, 2, 3):
        scene.change({"index": {0: index}})
        scene.state()
        whole(scene)
    assert calls == {"reduce": 3, "limits": 0}
    scene.change({"index": {0: 1}})
    assert scene.vmax == np.abs(VOLUME[0 if limits == "auto" else 1]).max() and calls["limits"] == 0


def test_cells_of_a_large_look_are_not_kept(monkeypatch):
    monkeypatch.setattr("gpuplot.inspector.model.frames.MAX_KEPT_BYTES", 100)
    scene = scene_of(VOLUME)
    whole(scene)
    calls = count_calls(monkeypatch, "reduce")
    whole(scene)
    assert calls == {"reduce": 1}


def test_cells_may_be_dropped_at_any_time():
    scene = scene_of(VOLUME)
    first = pixels(scene)
    scene._store.drop_frame()  # as another image does that has drawn since
    assert np.array_equal(pixels(scene), first)


class Referable(np.ndarray):
    """An array of a subclass, to which weak references can be made."""


def drawn_scene():
    """(a scene that has drawn a tensor, a weak reference to the tensor, which nobody else has)"""
    X = VOLUME.copy().view(Referable)
    scene = scene_of(X)
    whole(scene)
    return scene, weakref.ref(X)


def test_close_lets_the_tensor_go():
    scene, alive = drawn_scene()
    scene.hover(1.0, 1.0, 0, (1.0, 1.0))
    scene.close()
    gc.collect()
    assert alive() is None
    with pytest.raises(RuntimeError, match="closed"):
        scene.draw((0, 1, 0, 1), (1, 1))
    scene.close()


def test_update_lets_the_old_tensor_go():
    scene, alive = drawn_scene()
    scene.update(VOLUME)
    gc.collect()
    assert alive() is None


def test_options_are_complete():
    assert {"vmin", "agg", "x", "stream"} <= set(OPTIONS) and json.dumps(scene_of(VOLUME).state()) and _native.EMPTY_BITS
