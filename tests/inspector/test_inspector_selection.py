"""The selected box of an inspector: `Inspector.selection`, and answers to pages."""

import io

import numpy as np
import pytest
from inspector_notebook import VOLUME, Page, notebook, w  # noqa: F401
from scenes import scene_of, whole

import gpuplot

traitlets = pytest.importorskip("traitlets")

pytestmark = pytest.mark.host("boxes of elements are read as for regions, whose tests are run on devices")

BOX = ((2, 7), (10, 14))


def test_a_selection_is_its_elements(w):
    assert w.selection is None
    w.selection = BOX
    found = w.selection
    assert (found.rows, found.columns, found.item) == ((2, 7), (10, 14), "")
    assert found.index == (0, slice(2, 7), slice(10, 14))
    want = gpuplot.stats(VOLUME[found.index])
    for name in ("nan", "neg", "pos", "min", "max", "absmax", "first_nan", "percentiles"):
        assert getattr(found.stats, name) == getattr(want, name)
    assert (found.stats.mean, found.stats.std) == (pytest.approx(want.mean), pytest.approx(want.std))
    assert found.stats.argmin == (0, 2 + want.argmin[0], 10 + want.argmin[1]) and VOLUME[found.stats.argmax] == want.max
    assert np.array_equal(found.stats.hist, want.hist) and found.stats.shape == VOLUME.shape
    assert w.get_state("selection") == {"selection": [[2, 7], [10, 14]]}


@pytest.mark.parametrize("value", [[[2, 7], [10, 14]], np.array(BOX), ((np.int8(2), 7), (10, np.uint64(14)))])
def test_other_ways_to_write_it(w, value):
    w.selection = value
    assert (w.selection.rows, w.selection.columns) == BOX
    again = w.selection
    w.selection = None
    assert w.selection is None
    w.selection = again
    assert w.selection == again


@pytest.mark.parametrize(("value", "text"), [
    (((0, 31), (0, 1)), r"reaches beyond the plane of 30 x 50"), (((0, 1), (0, 51)), "reaches beyond"), (((3, 3), (0, 1)), "no elements"),
    (((-1, 3), (0, 1)), "no elements"), (((0.5, 3), (0, 1)), "integers"), (3, "integers"), ("all", "integers"), (((0, 1),), "integers"),
    (((0, True), (0, 1)), "integers"), (((0, 1, 2), (0, 1)), "integers"),
])
def test_what_is_no_box_is_a_trait_error_and_changes_nothing(w, value, text):
    w.selection = BOX
    state = w._controller.state()
    with pytest.raises(traitlets.TraitError, match=text):
        w.selection = value
    assert w._controller.state() == state and w.selection.rows == (2, 7)


def test_it_stays_where_the_index_steps_and_follows_it(w):
    heard = []
    w.selection = BOX
    w.observe(lambda change: heard.append(change.new and change.new.index), "selection")
    first = w.selection
    w.index = {0: 3}
    w.cmap = "gray"
    assert heard == [(3, slice(2, 7), slice(10, 14))] and w.selection.stats.max == VOLUME[3, 2:7, 10:14].max()
    assert first.stats.max == VOLUME[0, 2:7, 10:14].max()  # what was asked for once stays what it is


def test_statistics_are_of_what_the_tensor_holds_by_then(w):
    w.selection = BOX
    found = w.selection
    w.update(VOLUME * 2)
    assert found.stats.max == 2 * VOLUME[0, 2:7, 10:14].max() and w.selection == found
    w.update(np.ones((9, 9, 60)))
    with pytest.raises(RuntimeError, match="has been replaced"):
        _ = found.stats
    w.close()
    with pytest.raises(RuntimeError, match="was closed"):
        _ = found.stats


def test_it_goes_where_it_no_longer_fits():
    scene = scene_of({"a": np.zeros((4, 30, 50)), "b": np.ones((4, 30, 50)), "small": np.ones((5, 6))})
    scene.change({"selection": BOX})
    scene.change({"region": "selection", "item": "b"})
    assert scene.selection.item == "b" and scene.state()["selection"] == [[2, 7], [10, 14]]
    scene.change({"item": "small"})
    assert scene.selection is None and scene.state()["region"] == "slice"
    scene.change({"item": "a"})
    scene.change({"selection": BOX})
    scene.update(np.zeros((4, 30, 60)))
    assert scene.selection.columns == (10, 14)
    scene.update(np.zeros((4, 5, 60)))
    assert scene.selection is None


def test_it_turns_with_the_axes_and_goes_with_others():
    scene = scene_of(VOLUME)
    scene.change({"selection": BOX, "region": "selection"})
    scene.change({"x": 1, "y": 2})
    assert (scene.selection.rows, scene.selection.columns) == BOX[::-1]
    assert np.array_equal(np.sort(VOLUME[scene.selection.index], None), np.sort(VOLUME[0, 2:7, 10:14], None))
    scene.change({"y": 0})
    assert scene.selection is None and scene.state()["region"] == "slice"


@pytest.mark.parametrize(("X", "options", "want"), [
    (VOLUME, {"columns": 0}, VOLUME[:, 2:7, 10:14]), (VOLUME, {"reduce": {0: "max"}}, VOLUME.max(0)[2:7, 10:14]),
    (VOLUME, {"x": 1, "y": 2, "selection": ((10, 14), (2, 7))}, VOLUME[0, 2:7, 10:14]),
    (np.ma.masked_greater(VOLUME, 1), {}, np.ma.masked_greater(VOLUME, 1)[0, 2:7, 10:14]),
    (VOLUME[0] + 1j, {"complex_mode": "imaginary"}, np.ones((5, 4))), (np.where(VOLUME > 1, np.nan, VOLUME), {}, None),
    (VOLUME, {"index": {1: slice(3, 20, 2)}}, VOLUME[0, 3:20:2][2:7, 10:14]),
])
def test_statistics_are_those_of_what_is_shown(X, options, want):
    options = dict(options)
    box = options.pop("selection", BOX)
    scene = scene_of(X, **options)
    scene.change({"selection": box})
    want = gpuplot.stats(X[scene.selection.index] if want is None else want)
    found = scene.selection.stats
    for name in ("nan", "neg", "zero", "pos", "masked", "min", "max"):
        assert getattr(found, name) == pytest.approx(getattr(want, name)), name
    assert found.mean == pytest.approx(want.mean)
    rows = dict(scene.stats("selection")["rows"])
    assert rows["min"] == dict(scene_of(np.ma.array([[float(want.min), float(want.max)]])).stats("slice")["rows"])["min"]
    assert sum(scene.histogram("selection")["counts"]) == want.neg + want.zero + want.pos


def test_lines_and_differences_have_one():
    line = scene_of(np.arange(100.0))
    line.change({"selection": ((0, 1), (40, 60))})
    assert line.selection.index == (slice(40, 60),) and (line.selection.stats.min, line.selection.stats.max) == (40, 59)
    pair = scene_of({"a": VOLUME, "b": 3 * VOLUME})
    pair.change({"item": "a - b", "selection": BOX})
    assert pair.selection.stats.max == pytest.approx(-2 * VOLUME[0, 2:7, 10:14].min())


def test_a_tensor_without_a_picture_has_none():
    for X in (np.float32(3), np.zeros((0, 3))):
        scene = scene_of(X)
        with pytest.raises(IndexError):
            scene.change({"selection": ((0, 1), (0, 1))})
        assert scene.selection is None


def test_limits_may_come_from_it():
    scene = scene_of(VOLUME)
    scene.change({"selection": BOX})
    version = scene.version
    scene.set_limits("full", "selection")
    part = VOLUME[0, 2:7, 10:14]
    assert scene.vmax == np.abs(part).max() and scene.version > version
    scene.change({"selection": ((0, 3), (0, 3))})
    assert scene.vmax == np.abs(VOLUME[0, :3, :3]).max()
    scene.change({"selection": None})
    assert scene.vmax == np.abs(VOLUME[0]).max() and scene.state()["region"] == "slice"
    with pytest.raises(ValueError, match="nothing is selected"):
        scene.change({"region": "selection"})
    for ask in (scene.stats, scene.histogram):
        with pytest.raises(ValueError, match="nothing is selected"):
            ask("selection")


def test_frames_stay_what_they_are():
    scene = scene_of(VOLUME)
    before, pixels = (scene.version, scene.data), whole(scene).pixels
    scene.change({"selection": BOX})
    assert (scene.version, scene.data) == before and np.array_equal(whole(scene).pixels, pixels)


def test_a_hand_selects_and_lets_go(w):
    page, heard = Page(w), []
    w.observe(lambda change: heard.append(change.new), "selection")
    page.say("set", values={"selection": [[2, 7], [10, 14]]})
    assert w.selection.columns == (10, 14) and page.heard("state")[-1][0]["state"]["selection"] == [[2, 7], [10, 14]]
    page.say("stats", region="selection")
    assert ["elements", "20"] in page.heard("stats")[-1][0]["rows"]
    page.say("set", values={"selection": None})
    assert [one and one.rows for one in heard] == [(2, 7), None] and page.errors() == []
    page.say("set", values={"selection": [[0, 99], [0, 1]]})
    assert "reaches beyond" in page.errors()[-1] and w.selection is None


def test_with_others_that_make_no_sense_it_is_taken_back(w):
    w.selection = BOX
    with pytest.raises(traitlets.TraitError), w.hold_trait_notifications():
        w.selection = None
        w.cmap = "nope"
    assert w.selection.rows == (2, 7)
    with pytest.raises(traitlets.TraitError), w.hold_trait_notifications():
        w.selection = ((0, 1), (0, 1))
        w.cmap = "nope"
    assert w.selection.rows == (2, 7)
    w.snapshot(io.BytesIO())
