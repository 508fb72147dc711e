"""The state of an inspector, and changes of it, which are checked completely before anything changes."""

import math

import numpy as np
import pytest
from scenes import numbers, pixels, scene_of, snapshot, whole

from gpuplot.plane.aggs import AGGS

VOLUME = numbers(5, 40, 60)


# ---- the state ---------------------------------------------------------------------------------------------------------------


def test_state_is_json_and_has_every_field():
    state = snapshot(scene_of(VOLUME))
    assert set(state) == {
        "version", "data", "kind", "text", "items", "item", "tensor", "is_slow", "axes", "slice", "rulers", "plane", "view",
        "selection", "aspect", "origin", "facets", "agg", "aggs", "cmap", "cmaps", "cmap_name", "norm", "norms", "nan", "complex_mode",
        "complex_modes", "vmin", "vmax", "is_fixed", "limits", "limits_source", "largest", "extend", "robust", "region", "is_rgb",
        "takes_rgb", "is_categorical", "colors", "categories", "kind_counts", "tensor_kind_counts", "tensor_has", "is_comparing"}
    assert (state["kind"], state["plane"], state["items"], state["item"]) == ("image", [40, 60], [""], "")
    assert state["tensor"]["shape"] == [5, 40, 60] and state["tensor"]["dtype"] == "float32"
    assert state["axes"][0] == {"name": "", "size": 5, "role": "index", "index": 0, "op": None, "coordinate": ""}
    assert len(state["colors"]["bar"]) == 64 and state["cmap"] in state["cmaps"] and state["norm"] in state["norms"]
    assert state["aggs"] == list(AGGS) and state["complex_modes"] == [] and state["complex_mode"] is None


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
    assert scene.hover(1.5, 0.5, 0, (1, 1))["value"] is None and scene.jump(1)["row"] is None
    assert sum(scene.histogram("slice", None)["counts"]) == sum(scene.stats("all", None)["kind_counts"].values()) == 0


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


def test_the_color_bar_of_limits_whose_difference_is_no_number_has_all_colors():
    """Half of it was black, and the other half one color."""
    bar = scene_of(np.array([[-1.7e308, 1.7e308]]), cmap="gray").state()["colors"]["bar"]
    assert bar == scene_of(np.array([[-1.0, 1.0]]), cmap="gray").state()["colors"]["bar"]


def test_the_bar_of_classes_has_a_color_for_each():
    """64 steps of 30 classes had colors between two classes."""
    state = scene_of(np.arange(30).reshape(5, 6), categorical=True).state()
    assert state["colors"]["bar"] == [color for _, color in state["categories"]]
    assert len(scene_of(np.arange(300).reshape(50, 6), categorical=True).state()["colors"]["bar"]) == 64


@pytest.mark.parametrize(("value", "text"), [(3.25, "3.25"), (0.0, "0"), (-1e-310, "-1e-310")])
def test_the_bar_of_equal_elements_says_their_value(value, text):
    assert scene_of(np.full((5, 6), value)).state()["colors"]["ticks"] == [[0.5, text]]


def test_colors_of_the_caller_are_in_the_menus():
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
    ({"rgb": True}, ValueError), ({"nan_color": "no color"}, ValueError), ({"norm": "log", "vmin": -1}, ValueError),
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
