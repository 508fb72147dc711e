"""Colors of elements in an inspector: channels, complex numbers, classes, and the menus."""

import numpy as np
import pytest
from scenes import numbers, pixels, scene_of, snapshot, whole

import gpuplot

VOLUME = numbers(5, 40, 60)


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


@pytest.mark.parametrize("denorm, dtype, limits", [
    (None, "u2", (0, 255)), (None, "f4", (0, 1)), ("minmax", "u2", (3, 2999)), ("symmetric", "f4", (-1, 1)), ((0.5, 0.25), "f4", (-2, 2)),
    (([0.5, 0.5, 0], [0.5, 0.25, 1]), "f4", (-2, 2)), ((0.5, 0), "f4", (0, 1))])
def test_limits_of_channels_are_the_values_that_their_colors_tell_apart(denorm, dtype, limits):
    """The histogram was dark from 0 to 255 only, where colors were stretched over all of it."""
    X = np.random.default_rng(0).integers(5, 2000, (3, 30, 20)).astype(dtype)
    X[1, 2, 3], X[2, 3, 4] = 3, 2999
    state = scene_of(X, rgb=0, denorm=denorm).state()
    assert (state["vmin"], state["vmax"]) == pytest.approx(limits)


def test_clipped_colors_are_said():
    X = np.random.default_rng(0).random((8, 9, 3)) * 2
    scene = scene_of(X)
    assert scene.state()["text"] == ""
    whole(scene)
    assert "clipped" in scene.state()["text"]
    scene.change({"rgb": None})
    whole(scene)
    assert scene.state()["text"] == ""


def test_an_aggregation_without_meaning_for_colors_is_refused_and_forgotten():
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


@pytest.mark.parametrize(("first", "dtype"), [(2**60, "int64"), (-(2**60), "int64"), (2**64 - 12, "uint64")])
def test_integers_that_float64_takes_for_one_are_no_class(first, dtype):
    """Twelve numbers had one color, which was called that of the first of them."""
    X = np.array([first + i for i in range(12)], dtype).reshape(3, 4)
    state = snapshot(scene_of(X))
    assert not state["is_categorical"] and state["vmin"] == state["vmax"] == float(first)
    assert "rounded to multiples of" in state["text"]
    assert snapshot(scene_of(X - X.min()))["text"] == snapshot(scene_of(X.astype("float64")))["text"] == ""
    assert snapshot(scene_of(X // np.arange(1, 13).astype(dtype).reshape(3, 4)))["text"] == ""


def test_classes_of_booleans_have_the_names_that_cells_have():
    X = np.array([[True, False]])
    scene = scene_of(X)
    assert [text for text, _ in snapshot(scene)["categories"]] == ["False", "True"]
    assert scene.values((0, 1, 0, 2)) == [["True", "False"]]
    assert [text for text, _ in snapshot(scene_of(X, labels={1: "in"}))["categories"]] == ["False", "in"]


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


def test_the_menu_leads_back_to_the_colors_around_a_center():
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
    (np.array([[0, 31]]), True), (np.array([[0, 32]]), False), (np.array([[-5, 26]]), True), (np.array([[True, False]]), True),
    (np.array([[0.0, 1.0]]), False), (np.array([[2**52 - 3, 2**52]]), True),
    (np.array([[2**62, 2**62 + 3]]), False), (np.array([[0, 255]], "uint8"), False)])
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
