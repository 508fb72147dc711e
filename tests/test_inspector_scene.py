"""What an inspector shows: frames, the state, what is kept between frames, and tensors that can no longer be read."""

import gc
import json
import math
import weakref

import gpuplot
import numpy as np
import pytest
from gpuplot import _native
from scenes import OPTIONS, count_calls, numbers, pixels, scene_of, snapshot, whole

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
    scene = scene_of(VOLUME)
    calls = count_calls(monkeypatch, "reduce", "limits", "shade")
    scene.draw((0, 40, 0, 60), (20, 30))
    assert calls == {"reduce": 1, "limits": 0, "shade": 1}
    scene.state()
    assert calls == {"reduce": 1, "limits": 0, "shade": 1}


def test_other_colours_and_limits_reduce_nothing(monkeypatch):
    scene = scene_of(VOLUME)
    whole(scene)
    calls = count_calls(monkeypatch, "reduce", "limits", "shade")
    for n, values in enumerate([{"cmap": "magma"}, {"vmin": -1.0}, {"vmax": 2.5}, {"norm": "asinh"},
                                {"vmin": None, "vmax": None}], 1):
        scene.change(values)
        whole(scene)
        assert calls == {"reduce": 0, "limits": 0, "shade": n}


def test_limits_are_not_sought_again_while_panning(monkeypatch):
    scene = scene_of(VOLUME)
    scene.state()
    calls = count_calls(monkeypatch, "reduce", "limits", "percentiles")
    for step in range(5):
        scene.draw((step, 10 + step, 0, 20), (20, 40))
        scene.state()
    assert calls == {"reduce": 5, "limits": 0, "percentiles": 0}


def test_stepping_through_an_axis_reads_each_plane_once(monkeypatch):
    scene = scene_of(VOLUME)
    whole(scene)
    calls = count_calls(monkeypatch, "reduce", "limits")
    for index in (1, 2, 3):
        scene.change({"index": {0: index}})
        scene.state()
        whole(scene)
    assert calls == {"reduce": 3, "limits": 0}
    scene.change({"index": {0: 1}})
    assert scene.vmax == np.abs(VOLUME[1]).max() and calls["limits"] == 0


def test_cells_of_a_large_look_are_not_kept(monkeypatch):
    monkeypatch.setattr("gpuplot.inspector.frames.MAX_KEPT_BYTES", 100)
    scene = scene_of(VOLUME)
    whole(scene)
    calls = count_calls(monkeypatch, "reduce")
    whole(scene)
    assert calls == {"reduce": 1}


def test_cells_may_be_dropped_at_any_time():
    scene = scene_of(VOLUME)
    first = pixels(scene)
    scene._store._frame = scene._store._frame_key = None  # as another image does that has drawn since
    assert np.array_equal(pixels(scene), first)


def test_close_lets_the_tensor_go():
    class Array(np.ndarray):
        pass

    X = VOLUME.copy().view(Array)
    alive = weakref.ref(X)
    scene = scene_of(X)
    whole(scene)
    scene.hover(1.0, 1.0, 0, (1.0, 1.0))
    del X
    scene.close()
    gc.collect()
    assert alive() is None
    with pytest.raises(RuntimeError, match="closed"):
        scene.draw((0, 1, 0, 1), (1, 1))
    scene.close()


def test_update_lets_the_old_tensor_go():
    class Array(np.ndarray):
        pass

    X = VOLUME.copy().view(Array)
    alive = weakref.ref(X)
    scene = scene_of(X)
    whole(scene)
    del X
    scene.update(VOLUME)
    gc.collect()
    assert alive() is None


# ---- the state ---------------------------------------------------------------------------------------------------------------


def test_state_is_json_and_has_every_field():
    state = snapshot(scene_of(VOLUME))
    assert set(state) == {
        "version", "data", "kind", "text", "items", "item", "tensor", "axes", "plane", "view", "aspect", "facets", "agg", "aggs",
        "cmap", "cmaps", "cmap_name", "norm", "norms", "nan", "complex_mode", "complex_modes", "vmin", "vmax", "is_fixed", "robust", "region",
        "is_rgb", "is_categorical", "colors", "categories", "pill"}
    assert (state["kind"], state["plane"], state["items"], state["item"]) == ("image", [40, 60], [""], "")
    assert state["tensor"]["shape"] == [5, 40, 60] and state["tensor"]["dtype"] == "float32"
    assert state["axes"][0] == {"name": "", "size": 5, "role": "index", "index": 0, "op": None, "place": ""}
    assert len(state["colors"]["bar"]) == 64 and state["cmap"] in state["cmaps"] and state["norm"] in state["norms"]
    assert state["aggs"] == list(gpuplot.render.AGGS) and state["complex_modes"] == [] and state["complex_mode"] is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324])
@pytest.mark.parametrize("norm", ["linear", "log", "symlog", "asinh", "cbrt", "eq_hist"])
def test_state_is_json_whatever_the_elements(value, norm):
    for X in (np.full((3, 4), value), np.array([[value, 1.0, -1.0], [0.0, 2.0, value]])):
        scene = scene_of(X)
        scene.change({"norm": norm})
        snapshot(scene)
        whole(scene)
        snapshot(scene)


def test_version_grows_with_what_frames_show_and_data_with_elements():
    scene = scene_of(VOLUME)
    steps = [({"cmap": "magma"}, 1, 0), ({"view": ((0, 5), (0, 5))}, 0, 0), ({"aspect": "auto"}, 0, 0), ({"index": {0: 1}}, 1, 1),
             ({"index": {0: 1}}, 0, 0), ({"vmin": 0.0}, 1, 0), ({"reduce": {0: "mean"}}, 1, 1), ({"x": 0}, 1, 1), ({}, 0, 0),
             ({"agg": "max"}, 1, 0)]
    for values, version, data in steps:
        before = scene.version, scene.data
        scene.change(values)
        assert (scene.version - before[0], scene.data - before[1]) == (version, data), values
    before = scene.version, scene.data
    scene.update(VOLUME)
    assert scene.version > before[0] and scene.data > before[1]


@pytest.mark.host
def test_what_is_special_about_a_tensor_is_noted():
    def notes(X):
        return scene_of(X).state()["tensor"]["notes"]

    assert notes(VOLUME) == notes(VOLUME[:1]) == [] and "strides (4, 240) bytes" in notes(VOLUME[0].T)[0]
    xarray = pytest.importorskip("xarray")
    X = xarray.DataArray(VOLUME[0], dims=("y", "x"), name="t", attrs={"long_name": "air temperature", "units": "K"})
    assert notes(X) == ["air temperature [K]"]


def test_planes_that_are_cropped_to_nothing():
    scene = scene_of(VOLUME, index={2: slice(7, 7)})
    assert snapshot(scene)["plane"] == [40, 0] and not whole(scene).pixels.any()
    assert scene.hover(1.5, 0.5, 0, (1, 1))["value"] is None and scene.jump(1, None)["row"] is None
    assert sum(scene.histogram("slice", None)["counts"]) == sum(scene.stats("all", None)["pill"].values()) == 0


def test_the_bar_is_the_colormap_under_the_norm():
    scene = scene_of(np.abs(VOLUME[0]) + 1, cmap="gray", vmin=1, vmax=100)
    bar = scene.state()["colors"]["bar"]
    grays = [int(text[1:3], 16) for text in bar]
    assert bar[0] == "#020202" and bar[-1] == "#fefefe" and grays == sorted(grays)
    assert scene.state()["colors"]["edges"] is None
    scene.change({"norm": "log"})
    colors = scene.state()["colors"]
    assert colors["bar"] == bar and np.allclose(colors["edges"], np.geomspace(1, 100, 65), rtol=1e-12)
    assert colors["ticks"][0] == [0, "1"] and [0.5, "10"] in colors["ticks"] and colors["ticks"][-1] == [1, "100"]


def test_colours_of_the_caller_are_in_the_menus():
    from matplotlib.colors import ListedColormap

    scene = scene_of(VOLUME, cmap=ListedColormap(["red", "blue"], name="mine"))
    state = scene.state()
    assert state["cmap"] == "mine" and "mine" in state["cmaps"] and state["colors"]["bar"][0] == "#ff0000"
    scene.change({"cmap": "Blues"})
    assert scene.cmap == "Blues" and {"Blues", "mine"} <= set(scene.state()["cmaps"])
    scene.change({"cmap": None})
    assert scene.cmap == "RdBu_r"


# ---- changes are all or nothing ----------------------------------------------------------------------------------------------


HOSTILE = [
    {"cmap": "no such map"}, {"cmap": 3}, {"cmap": ["viridis"]}, {"norm": "nope"}, {"norm": "logit"}, {"norm": {}}, {"norm": 1.0},
    {"vmin": math.nan},
    {"vmin": math.inf}, {"vmin": "1"}, {"vmin": True}, {"vmin": [1]}, {"vmax": 10**400}, {"vmin": 3, "vmax": 1},
    {"agg": "median"},
    {"agg": 1}, {"agg": ["mean"]}, {"nan": "maybe"}, {"nan": None}, {"aspect": "wide"}, {"region": "all of it"}, {"region": 1},
    {"robust": 70}, {"robust": "yes"}, {"robust": [1, 2, 3]}, {"view": ((0, 1),)}, {"view": ((1, 0), (0, 1))},
    {"view": ((0, math.nan), (0, 1))}, {"view": "0011"}, {"view": 3}, {"view": ((0, 1), (0, "1"))}, {"view": ((0, 1e30), (0, 1))},
    {"view": ((0, None), (0, 1))}, {"complex_mode": "polar"}, {"complex_mode": None}, {"index": 3}, {"index": {0: 5}},
    {"index": {0: -6}},
    {"index": {0: 1.0}}, {"index": {0: True}}, {"index": {0: None}}, {"index": {0: "1"}}, {"index": {3: 0}}, {"index": {"c": 0}},
    {"index": {"0": 1, 0: 2}}, {"index": {None: 1}}, {"index": {0: [1]}}, {"index": {0: {}}}, {"index": [1]},
    {"index": {0: 10**30}},
    {"x": 7}, {"x": None}, {"x": True}, {"x": 1.0}, {"x": "z"}, {"x": [1]}, {"x": 1, "y": 1}, {"rows": 1}, {"rows": "a"},
    {"rows": 0, "columns": 0},
    {"rgb": 0}, {"rgb": 9}, {"rgb": "x"}, {"reduce": {0: "median"}}, {"reduce": {1: "mean"}}, {"reduce": {0: 1}},
    {"reduce": "mean"},
    {"item": 3}, {"item": "other"}, {"item": None}, {"item": True}, {"item": 0.0}, {"version": 3}, {"__class__": 1}, {1: 2},
    {None: None},
    {"shape": [1]}, {"cmap": "magma", "vmin": "x"}, {"index": {0: 2}, "norm": "nope"}, {"x": 0, "agg": "nope"}, {"data": []},
]


@pytest.mark.parametrize("values", HOSTILE, ids=repr)
def test_a_change_that_is_refused_changes_nothing(values):
    scene = scene_of(VOLUME)
    scene.change({"index": {0: 1}, "vmax": 2.0})
    before, shown = snapshot(scene), pixels(scene)
    with pytest.raises((ValueError, TypeError, IndexError)) as refused:
        scene.change(values)
    assert str(refused.value)
    assert snapshot(scene) == before and np.array_equal(pixels(scene), shown)


@pytest.mark.parametrize("values", [None, 3, "cmap", ["cmap"], [("cmap", "magma")]])
def test_values_are_a_dict(values):
    with pytest.raises(TypeError):
        scene_of(VOLUME).change(values)


@pytest.mark.parametrize("options, error", [
    ({"categorical": True}, ValueError), ({"agg": "median"}, ValueError), ({"x": 9}, ValueError), ({"index": {0: 9}}, IndexError),
    ({"denorm": "nope"}, ValueError), ({"cmap": "nope"}, ValueError), ({"norm": "nope"}, ValueError),
    ({"vmin": 2, "vmax": 1}, ValueError),
    ({"rows": 0, "columns": 0}, ValueError), ({"rows": 7}, ValueError), ({"norm": "log", "center": 0.0}, ValueError),
    ({"robust": 60}, ValueError),
    ({"rgb": True}, ValueError), ({"nan_color": "no colour"}, ValueError), ({"norm": "log", "vmin": -1}, ValueError),
    ({"alpha": 2}, ValueError),
    ({"alpha": "half"}, TypeError), ({"alpha": np.ones((3, 4))}, ValueError), ({"denorm": "imagenet"}, ValueError)])
def test_what_cannot_be_shown_is_refused_at_once(options, error):
    with pytest.raises(error):
        scene_of(VOLUME, **options)


def test_a_norm_of_the_caller_that_cannot_show_the_data_is_said():
    scene = scene_of(VOLUME, norm="logit")
    assert not pixels(scene).any() and "cannot be drawn" in snapshot(scene)["text"]
    scene.change({"norm": "linear"})
    assert pixels(scene).any() and snapshot(scene)["text"] == ""
    scene.change({"norm": "logit", "vmin": 0.1, "vmax": 0.9})
    assert pixels(scene).any() and snapshot(scene)["text"] == ""


# ---- tensors that went bad ---------------------------------------------------------------------------------------------------


class Fickle:
    """An array that can be taken away."""

    def __init__(self, array):
        self.array, self.is_gone = array, False

    @property
    def __array_interface__(self):
        if self.is_gone:
            raise RuntimeError("Array has been deleted")
        return self.array.__array_interface__


def test_a_tensor_that_is_gone_is_said_and_the_scene_goes_on():
    X = Fickle(VOLUME[0].copy())
    scene = scene_of(X)
    assert pixels(scene).any()
    version = scene.version
    X.is_gone = True
    scene.change({"agg": "max"})
    assert not pixels(scene).any()
    assert "cannot be drawn" in scene.state()["text"] and scene.version > version + 1
    snapshot(scene)
    for ask in (lambda: scene.hover(1.5, 1.5, 0, (1, 1)), lambda: scene.values((0, 1, 0, 1), 0), lambda: scene.jump(1, None)):
        with pytest.raises(Exception):  # noqa: B017  the error of its library
            ask()
    X.is_gone = False
    assert pixels(scene).any() and scene.state()["text"] == ""


def test_after_a_tensor_is_gone_another_one_can_be_shown():
    X = Fickle(VOLUME[0].copy())
    scene = scene_of(X, cmap="magma")
    X.is_gone = True
    snapshot(scene)
    scene.update(VOLUME[1])
    assert scene.state()["text"] == "" and scene.cmap == "magma" and pixels(scene).any()


def test_a_tensor_of_another_shape_behind_the_same_object_is_said():
    X = Fickle(VOLUME[0].copy())
    scene = scene_of(X)
    X.array = VOLUME[0][:7].copy()
    whole(scene)
    assert "update()" in scene.state()["text"]


# ---- update ------------------------------------------------------------------------------------------------------------------


def test_update_keeps_what_makes_sense():
    scene = scene_of(VOLUME)
    scene.change({"index": {0: 4}, "cmap": "magma", "vmin": -2.0, "norm": "asinh", "agg": "max", "x": 1,
                  "view": ((1, 5), (2, 6))})
    scene.update(numbers(5, 40, 60, seed=1))
    assert (scene.index, scene.cmap, scene.vmin, scene.norm, scene.agg, scene.x, scene.view) == (
        {0: 4}, "magma", -2.0, "asinh", "max", 1, ((1.0, 5.0), (2.0, 6.0)))
    scene.update(numbers(3, 40, 60, seed=2))
    assert scene.index == {0: 2} and scene.view == ((1.0, 5.0), (2.0, 6.0))
    scene.update(numbers(3, 30, 60))
    assert scene.view is None and scene.x == 1
    scene.update(numbers(30, 60))
    assert (scene.index, scene.x, scene.y, scene.cmap, scene.norm, scene.agg) == ({}, 1, 0, "magma", "asinh", "max")
    scene.update(numbers(2, 3, 30, 60))
    assert scene.index == {0: 0, 1: 0}


def test_update_shows_new_elements_and_their_limits():
    scene = scene_of(VOLUME[0])
    whole(scene)
    scene.update(VOLUME[0] * 10)
    assert scene.vmax == np.abs(VOLUME[0] * 10).max()
    assert np.array_equal(pixels(scene), pixels(scene_of(VOLUME[0] * 10)))


def test_an_array_written_in_place_is_seen_after_update():
    X = VOLUME[0].copy()
    scene = scene_of(X)
    first = pixels(scene)
    X *= -3
    scene.update(X)
    assert not np.array_equal(pixels(scene), first) and scene.vmax == np.abs(X).max()


@pytest.mark.parametrize("bad", ["text", object(), np.array(["a"]), None, {}])
def test_an_update_that_is_refused_changes_nothing(bad):
    scene = scene_of(VOLUME)
    before, shown = snapshot(scene), pixels(scene)
    with pytest.raises((TypeError, ValueError)):
        scene.update(bad)
    assert snapshot(scene) == before and np.array_equal(pixels(scene), shown)


def test_update_across_every_kind_of_tensor():
    scene = scene_of(VOLUME, rows=0)
    for X in (np.float64(3), numbers(50), VOLUME[0], np.zeros((0, 4)), numbers(20, 30, 3), VOLUME > 0, numbers(4, 5) * 1j,
              numbers(2, 2, 2, 8, 9),
              {"a": VOLUME, "b": numbers(7)}, VOLUME):
        scene.update(X)
        snapshot(scene)
        whole(scene)
        snapshot(scene)


# ---- lines, numbers, nothing -------------------------------------------------------------------------------------------------


def test_a_line_has_the_envelope_of_its_columns():
    X = numbers(1000)
    X[[5, 300, 999]] = np.nan, np.inf, -np.inf
    scene = scene_of(X)
    drawn = scene.draw((0, 1, 0, 1000), (100, 50))
    assert scene.state()["kind"] == "line" and drawn.pixels is None and drawn.line.shape == (5, 50)
    assert drawn.line.dtype == np.float64
    columns = X.reshape(50, 20).astype(float)
    finite = np.where(np.isfinite(columns), columns, np.nan)
    assert np.array_equal(drawn.line[0], np.nanmin(finite, 1)) and np.array_equal(drawn.line[1], np.nanmax(finite, 1))
    assert np.allclose(drawn.line[2], np.nanmean(finite, 1), rtol=1e-6)
    assert {k: int(drawn.line[3, k]) for k in range(50) if drawn.line[3, k]} == {0: 1, 15: 2, 49: 3}
    assert (drawn.line[4] == 20).all()


def test_a_line_beside_its_elements_and_close_to_them():
    X = np.array([1.0, np.nan, 3.0])
    line = scene_of(X).draw((0, 1, -1, 5), (10, 12)).line
    assert np.isnan(line[:, :2]).all() and np.isnan(line[:, 8:]).all()
    assert line[0, 2:8].tolist()[::2][::2] == [1.0, 3.0] and line[3, 2:8].tolist() == [0, 0, 1, 1, 0, 0]
    assert np.isnan(line[:3, 4:6]).all() and (line[4, 2:8] == 1).all()


def test_a_line_that_is_drawn_again_is_not_read_again(monkeypatch):
    scene = scene_of(numbers(100))
    first = scene.draw((0, 1, 0, 100), (10, 20)).line
    calls = count_calls(monkeypatch, "reduce", "limits")
    scene.change({"vmax": 3.0})
    assert np.array_equal(scene.draw((0, 1, 0, 100), (10, 20)).line, first) and calls == {"reduce": 0, "limits": 0}


def test_a_line_is_not_centred():
    scene = scene_of(np.array([-1.0, 0.0, 3.0]))
    assert (scene.vmin, scene.vmax) == (-1.0, 3.0)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "complex64"])
def test_lines_of_every_kind_of_number(dtype):
    X = (numbers(30) * 3).astype(dtype)
    line = scene_of(X).draw((0, 1, 0, 30), (5, 30)).line
    wanted = np.abs(X) if dtype == "complex64" else X.astype(float)
    assert np.allclose(line[0], wanted) and np.allclose(line[1], wanted)


@pytest.mark.parametrize("X, text",
                         [(np.float32(3.25), "0-d float32: 3.25"), (np.int64(2**60 + 1), "0-d int64: 1152921504606846977"),
                          (np.zeros((0, 5)), "empty: shape (0, 5), float64"),
                          (np.zeros((3, 0, 2)), "empty: shape (3, 0, 2), float64"),
                          (np.zeros(0, "int8"), "empty: shape (0,), int8"), (np.array(True), "0-d bool: True")])
def test_tensors_without_a_picture_say_what_they_are(X, text):
    scene = scene_of(X)
    state = snapshot(scene)
    assert (state["kind"], state["text"]) == ("text", text)
    assert not whole(scene).pixels.any()
    scene.change({"cmap": "magma", "vmin": 0.0})
    assert scene.jump(1, None)["row"] is None


@pytest.mark.parametrize("facets, n", [({"rows": 1}, 1), ({"rows": 1, "columns": 2}, 4), ({"rows": 0}, 3)])
def test_facets_of_a_tensor_without_elements(facets, n):
    """An axis of no elements has no facets; there is a picture all the same, on which nothing is."""
    pixels = whole(scene_of(np.zeros((3, 0, 4)), **facets)).pixels
    assert len(pixels) == n and pixels.size and not pixels.any()


# ---- colours -----------------------------------------------------------------------------------------------------------------


def test_rgb_pictures_are_those_of_to_rgba():
    X = np.random.default_rng(0).integers(0, 256, (30, 20, 3)).astype("uint8")
    scene = scene_of(X)
    state = snapshot(scene)
    assert state["is_rgb"] and state["aggs"] == ["mean", "nearest"]
    assert [axis["role"] for axis in state["axes"]] == ["y", "x", "rgb"]
    assert np.array_equal(pixels(scene, (15, 10)), gpuplot.to_rgba(X, (15, 10)))
    scene.change({"rgb": None})
    assert not scene.state()["is_rgb"] and scene.index == {2: 0}
    scene.change({"index": {2: 1}})
    assert np.array_equal(pixels(scene, (30, 20)), gpuplot.to_rgba(X[..., 1], (30, 20)))
    scene.change({"rgb": 2})
    assert np.array_equal(pixels(scene, (15, 10)), gpuplot.to_rgba(X, (15, 10)))


def test_clipped_colours_are_said():
    X = np.random.default_rng(0).random((8, 9, 3)) * 2
    scene = scene_of(X)
    assert scene.state()["text"] == ""
    whole(scene)
    assert "clipped" in scene.state()["text"]
    scene.change({"rgb": None})
    whole(scene)
    assert scene.state()["text"] == ""


def test_an_aggregation_without_meaning_for_colours_is_refused_and_forgotten():
    scene = scene_of(np.zeros((8, 9, 3), "uint8"))
    with pytest.raises(ValueError, match="mean, nearest"):
        scene.change({"agg": "max"})
    scene.change({"rgb": None})
    scene.change({"agg": "max"})
    scene.change({"rgb": 2})
    assert scene.agg == "mean"
    whole(scene)


@pytest.mark.parametrize("mode",
                         ["amplitude", "square_amplitude", "real", "imaginary", "phase", "amplitude_phase",
                          "log10_amplitude_phase"])
def test_complex_modes_are_those_of_to_rgba(mode):
    X = numbers(20, 30) + 1j * numbers(20, 30, seed=1)
    scene = scene_of(X)
    scene.change({"complex_mode": mode})
    assert scene.state()["complex_mode"] == mode and len(scene.state()["complex_modes"]) == 7
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(X, (24, 32), complex_mode=mode, center="auto"))


def test_integers_of_few_levels_are_classes():
    X = np.random.default_rng(0).integers(0, 6, (30, 40))
    scene = scene_of(X, labels={1: "cat", 2: "<b>dog</b>"})
    state = snapshot(scene)
    assert state["is_categorical"] and scene.agg == "nearest" and (state["vmin"], state["vmax"]) == (-0.5, 5.5)
    assert [text for text, _ in state["categories"]] == ["0", "cat", "<b>dog</b>", "3", "4", "5"]
    assert np.array_equal(pixels(scene), gpuplot.to_rgba(X, (24, 32), categorical=True))
    scene.change({"agg": "mean"})
    assert not scene.state()["is_categorical"] and scene.state()["categories"] == []
    scene.change({"agg": "max"})
    assert scene.state()["is_categorical"]
    scene.change({"vmax": 4.0})
    assert not scene.state()["is_categorical"]


@pytest.mark.parametrize(("name", "value"), [("norm", "linear"), ("agg", "mean")])
def test_the_menus_lead_back_to_classes(name, value):
    scene = scene_of(np.random.default_rng(0).integers(0, 6, (30, 40)))
    first = scene.state()
    assert first[name] == first[f"{name}s"][0] == "automatic"
    scene.change({name: value})
    state = scene.state()
    assert state[name] == value and state[f"{name}s"][0] == "automatic" and not state["is_categorical"]
    scene.change({name: None})
    assert scene.state() == first | {"version": scene.version}


def test_the_menu_leads_back_to_the_colours_around_a_centre():
    scene = scene_of(VOLUME)
    state = scene.state()
    assert (state["cmap"], state["cmaps"][0], state["cmap_name"]) == ("automatic", "automatic", "RdBu_r")
    scene.change({"cmap": "magma"})
    state = scene.state()
    assert (state["cmap"], state["cmap_name"], scene.cmap) == ("magma", "magma", "magma")
    scene.change({"cmap": None})
    assert (scene.state()["cmap"], scene.cmap) == ("automatic", "RdBu_r")
    assert "automatic" not in scene.state()["norms"] + scene.state()["aggs"]


def test_the_menu_shows_its_colormaps():
    from matplotlib.colors import ListedColormap

    scene = scene_of(VOLUME, cmap=ListedColormap(["red", "blue"], "mine"))
    scene.change({"cmap": "plasma_r"})
    samples = scene.palettes()
    assert list(samples) == scene.state()["cmaps"][1:] and {"mine", "plasma_r", "viridis"} <= set(samples)
    assert samples["mine"] == ["#ff0000"] * 4 + ["#0000ff"] * 4
    assert samples["gray"] == ["#000000", "#242424", "#494949", "#6d6d6d", "#929292", "#b6b6b6", "#dbdbdb", "#ffffff"]


@pytest.mark.parametrize("X, is_categorical", [
    (np.array([[0, 19]]), True), (np.array([[0, 20]]), False), (np.array([[-5, 14]]), True), (np.array([[True, False]]), True),
    (np.array([[0.0, 1.0]]), False), (np.array([[2**62, 2**62 + 3]]), True), (np.array([[0, 255]], "uint8"), False)])
def test_which_integers_are_classes(X, is_categorical):
    assert scene_of(X).state()["is_categorical"] is is_categorical
    assert scene_of(X, categorical=False).state()["is_categorical"] is False


def test_a_volume_of_numbers_does_not_become_classes_again_where_it_is_dark():
    X = np.zeros((5, 8, 8), "uint8")
    X[1] = np.arange(64).reshape(8, 8)
    scene = scene_of(X)
    assert scene.state()["is_categorical"]
    scene.change({"index": {0: 1}})
    assert not scene.state()["is_categorical"]
    scene.change({"index": {0: 2}})
    assert not scene.state()["is_categorical"]


def test_an_array_of_alpha_fades_elements():
    X, alpha = VOLUME[0], np.linspace(0, 1, 2400).reshape(40, 60)
    shown = pixels(scene_of(X, alpha=alpha), (40, 60))
    assert np.array_equal(shown, gpuplot.to_rgba(X, (40, 60), alpha=alpha, center="auto"))


def test_options_are_complete():
    assert {"vmin", "agg", "x", "stream"} <= set(OPTIONS) and json.dumps(scene_of(VOLUME).state()) and _native.EMPTY_BITS
