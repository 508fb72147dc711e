"""`update` of an inspector, and tensors that can no longer be read."""

import numpy as np
import pytest
from scenes import numbers, pixels, scene_of, snapshot, whole

VOLUME = numbers(5, 40, 60)


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
    scene = scene_of(VOLUME[0], limits="elements")
    whole(scene)
    scene.update(VOLUME[0] * 10)
    assert scene.vmax == np.abs(VOLUME[0] * 10).max()
    assert np.array_equal(pixels(scene), pixels(scene_of(VOLUME[0] * 10)))


def test_an_array_written_in_place_is_seen_after_update():
    X = VOLUME[0].copy()
    scene = scene_of(X, limits="elements")
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
    for ask in (lambda: scene.hover(1.5, 1.5, 0, (1, 1)), lambda: scene.values((0, 1, 0, 1), 0), lambda: scene.jump(1)):
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
