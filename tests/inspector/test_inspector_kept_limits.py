"""Automatic limits of the inspector stay when elements change, and are found again for another view or item."""

import numpy as np
import pytest
from inspector_notebook import Page, notebook, shown_pixels  # noqa: F401
from scenes import numbers, scene_of, snapshot, whole

import gpuplot

pytestmark = pytest.mark.host("limits are found as in the scene's own tests, which are run on devices")

VOLUME = numbers(4, 30, 50)


def ends(X):
    return X.min(), X.max()


def limits(scene):
    return scene.vmin, scene.vmax


def acknowledge(page):
    """The page has drawn all that came for it."""
    for content, _ in page.frames():
        if content["page"] == page.name:
            page.say("ack", id=content["id"], drawn=True, buffers=True)


@pytest.mark.parametrize("options", [
    {}, {"robust": True}, {"norm": "symlog"}, {"center": 0}, {"vmin": -5}, {"agg": "max"}, {"agg": "std"}, {"limits": "pixels"},
    {"rows": 0}], ids=str)
def test_updates_and_sliders_keep_them(options):
    scene = scene_of(np.stack([VOLUME, VOLUME * 9]), **{"center": None} | options)
    whole(scene, (10, 10))
    found = limits(scene)
    for index in (1, 0, 1):
        scene.change({"index": {1 if "rows" in options else 0: index}})
        assert whole(scene, (10, 10)).limits == found == limits(scene)
    scene.update(np.stack([VOLUME * 3, VOLUME / 2]))
    assert whole(scene, (10, 10)).limits == found == limits(scene)


@pytest.mark.parametrize("values", [
    {"agg": "min"}, {"norm": "symlog"}, {"robust": True}, {"nan": "skip"}, {"limits": "auto"}, {"limits": "elements"},
    {"vmin": None}, {"vmax": None}, {"x": 1, "y": 2}, {"rows": 0}], ids=str)
def test_choices_find_them_anew(values):
    scene, fresh = (scene_of(X, center=None) for X in (VOLUME, VOLUME * 3))
    whole(scene)
    scene.update(VOLUME * 3)
    scene.change(values)
    fresh.change(values)
    whole(scene), whole(fresh)
    assert limits(scene) == limits(fresh) != ends(VOLUME[0])


def test_another_item_has_its_own_and_the_button_finds_them_anew():
    scene = scene_of({"a": VOLUME, "b": VOLUME * 3}, center=None)
    whole(scene)
    scene.change({"item": "b"})
    assert limits(scene) == ends(VOLUME[0] * 3)
    scene.update(VOLUME * 5)
    assert limits(scene) == ends(VOLUME[0] * 3)
    version = scene.version
    scene.set_limits("auto", "slice")
    assert limits(scene) == ends(VOLUME[0] * 5) and scene.version > version


def test_a_view_finds_limits_of_pixels_anew_once_it_rests():
    scene = scene_of(VOLUME, center=None, limits="pixels")
    first = whole(scene, (10, 10)).limits
    scene.update(VOLUME * 3)
    moving = scene.draw((2, 20, 3, 40), (10, 10), keeps_limits=True)
    assert moving.limits == limits(scene) == first
    fresh = scene_of(VOLUME * 3, center=None, limits="pixels")
    assert scene.draw((2, 20, 3, 40), (10, 10)).limits == limits(scene) == fresh.draw((2, 20, 3, 40), (10, 10)).limits != first


@pytest.mark.parametrize("options", [{}, {"center": "auto"}, {"robust": True}, {"agg": "max"}], ids=str)
def test_one_step_of_the_wheel_keeps_limits_of_elements(options):
    """After a slider or an update it took those of the slice in view, and no zoom brought the first ones back."""
    scene = scene_of(VOLUME.cumsum(1).cumsum(2) * np.float32([1, 2, 3, 4])[:, None, None], **{"center": None} | options)
    first, cmap = whole(scene, (10, 10)).limits, scene.cmap
    scene.change({"index": {0: 3}})
    whole(scene, (10, 10))
    for window in ((2, 20, 3, 40), (5, 6, 5, 6), (2, 20, 3, 40), (0, 30, 0, 50)):
        assert scene.draw(window, (10, 10)).limits == limits(scene) == first and scene.cmap == cmap
    scene.change({"limits": "elements"})
    assert whole(scene, (10, 10)).limits != first


@pytest.mark.parametrize("window", [(-4e-15, 20, 3, 40), (0, 30 + 4e-15, 3, 40), (0, 20, -4e-15, 40), (0, 20, 3, 50 + 8e-15)], ids=str)
def test_a_zoom_at_an_edge_keeps_limits_of_elements(window):
    """A window that began at -4e-15 was no part of the plane: the next NaN, in another slice near the edge, changed all colors."""
    scene = scene_of(VOLUME.cumsum(1).cumsum(2) * np.float32([1, 2, 3, 4])[:, None, None], center=None)
    first = whole(scene, (10, 10)).limits
    scene.change({"index": {0: 3}})
    assert scene.draw(window, (10, 10)).limits == limits(scene) == first


def test_a_zoom_into_a_plain_part_keeps_limits_of_elements():
    """They were those of the few pixels there, with another colormap where these have one sign."""
    X = np.linspace(-1, 1, 600)[:, None] * np.ones(600)
    scene = scene_of(X)
    assert whole(scene, (200, 200)).limits == (-1, 1) and scene.cmap == "RdBu_r"
    for window in ((100, 160, 0, 60), (100, 120, 0, 20), (130, 134, 2, 4)):
        assert scene.draw(window, (20, 20)).limits == limits(scene) == (-1, 1) and scene.cmap == "RdBu_r"


def test_limits_of_means_end_where_elements_are_magnified():
    """Means of noise have limits of their own as long as there are means."""
    noise = np.random.default_rng(3).normal(size=(600, 600))
    scene = scene_of(noise, center=None)
    for window in ((0, 600, 0, 600), (100, 400, 100, 400)):
        assert scene.draw(window, (20, 20)).limits[1] < 1
    assert scene.draw((100, 110, 200, 210), (20, 20)).limits == ends(noise)
    assert whole(scene, (20, 20)).limits[1] < 1


def test_a_view_that_python_sets_keeps_them_without_a_page():
    scene = scene_of(VOLUME, center=None)
    assert limits(scene) == ends(VOLUME[0])
    scene.update(VOLUME * 3)
    scene.change({"view": ((2, 20), (3, 40))})
    assert limits(scene) == ends(VOLUME[0])


@pytest.mark.parametrize("first", [np.zeros(VOLUME.shape), np.full(VOLUME.shape, np.nan), np.full(VOLUME.shape, 7.0)],
                         ids=["zeros", "nan", "sevens"])
@pytest.mark.parametrize("choice", ["auto", "pixels"])
def test_one_value_or_none_before_the_first_step_are_no_limits_to_keep(first, choice):
    scene = scene_of(first.astype("float32"), center=None, limits=choice)
    whole(scene, (30, 50))
    scene.update(VOLUME)
    assert whole(scene, (30, 50)).limits == limits(scene) == ends(VOLUME[0])
    scene.update(VOLUME * 3)
    assert limits(scene) == ends(VOLUME[0])


@pytest.mark.parametrize("other", [VOLUME.astype("float64"), VOLUME[:, :20], np.concatenate([VOLUME] * 2, axis=1)],
                         ids=["dtype", "rows", "more"])
def test_a_tensor_of_another_dtype_or_shape_has_its_own(other):
    scene = scene_of(VOLUME, center=None)
    scene.update(other * 3)
    assert limits(scene) == ends(other[0] * 3)


def test_what_lies_beyond_them_is_seen_in_the_histogram():
    scene = scene_of(VOLUME, center=None)
    whole(scene)
    scene.update(VOLUME * 3)
    found = scene.histogram("slice")
    assert snapshot(scene)["vmax"] == VOLUME[0].max() and (found["low"], found["high"]) == ends(VOLUME[0] * 3)


def test_pages_of_two_sizes_keep_them(notebook):
    """Each drew with limits of its own pixels, found anew with every update."""
    noise = numbers(5, 600, 600)
    w = gpuplot.inspect(noise)
    pages = Page(w, "a"), Page(w, "b")
    for page, side in zip(pages, (100, 50), strict=True):
        page.look([0, 600, 0, 600], [side, side])
    found = w.vmin, w.vmax
    w.index = {0: 2}
    w.update(noise * 5)
    w.update(noise * 7)
    assert (w.vmin, w.vmax) == found and w._controller.state()["limits_source"] == "pixels"
    for page in pages:
        acknowledge(page)
    pages[1].look([0, 300, 0, 300], [50, 50])
    assert w.vmax > 3 * found[1]


def test_a_fast_page_keeps_them_while_the_hand_moves(notebook):
    """Frames in full size were taken for ones at rest: limits of pixels flickered in every drag."""
    w = gpuplot.inspect(numbers(600, 600))
    page = Page(w)
    page.look([0, 600, 0, 600], [100, 100])
    found = w.vmin, w.vmax
    for k in range(1, 6):
        page.look([0, 600 - 60 * k, 0, 600 - 60 * k], [100, 100], moving=True)
        assert (w.vmin, w.vmax) == found
    page.look([0, 300, 0, 300], [100, 100])
    assert (w.vmin, w.vmax) != found


def test_play_keeps_them(notebook):
    w = gpuplot.inspect(VOLUME * np.arange(1, 5)[:, None, None])
    page = Page(w)
    page.look([0, 30, 0, 50], [30, 50])
    found = w.vmin, w.vmax
    for index in (1, 2, 3):
        acknowledge(page)
        page.say("set", values={"index": {"0": index}})
        wanted = gpuplot.to_rgba(VOLUME[index] * (index + 1), vmin=found[0], vmax=found[1], cmap="RdBu_r")
        assert (w.vmin, w.vmax) == found and np.array_equal(shown_pixels(page.frames()[-1])[0], wanted)
