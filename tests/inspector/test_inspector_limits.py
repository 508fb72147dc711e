"""`Inspector.limits`: the policy for automatic limits, and the pair of given ones."""

import io

import numpy as np
import pytest
from inspector_notebook import NOISE, VOLUME, Page, drawn_page, notebook, w  # noqa: F401

import gpuplot

traitlets = pytest.importorskip("traitlets")

pytestmark = pytest.mark.host("what pages get is the same from any memory; the scene's own tests are run on devices")



def test_the_policy_is_the_keyword_of_inspect(notebook):
    assert [gpuplot.inspect(VOLUME, limits=limits).limits for limits in ("auto", "elements", "pixels")] == ["auto", "elements", "pixels"]
    assert gpuplot.inspect(VOLUME, vmin=-1, vmax=2).limits == (-1.0, 2.0)


def test_a_policy_chooses_where_limits_come_from(notebook):
    w = gpuplot.inspect(NOISE)
    drawn_page(w)
    assert w.limits == "auto" and w._controller.state()["limits_source"] == "pixels" and w.vmax < 1
    w.limits = "elements"
    assert w.vmax == np.abs(NOISE).max() and w._controller.state()["limits_source"] == "elements"
    w.limits = "pixels"
    assert w.vmax < 1 and w._controller.state()["limits"] == "pixels"


def test_both_given_limits_read_as_a_pair_one_alone_does_not(w):
    w.vmin = -1
    assert w.limits == "auto"
    w.vmax = 2
    assert w.limits == (-1.0, 2.0)
    w.vmin = None
    assert w.limits == "auto" and w.vmax == 2


@pytest.mark.parametrize("pair", [(-1, 2), [-1, 2], np.array([-1, 2]), (np.float16(-1), np.array(2, "uint8"))])
def test_a_pair_gives_both_limits_and_a_policy_lets_go_of_them(w, pair):
    found = w.vmin, w.vmax
    w.limits = pair
    assert (w.vmin, w.vmax, w.limits) == (-1.0, 2.0, (-1.0, 2.0))
    assert w._controller.state()["is_fixed"] == {"vmin": True, "vmax": True}
    w.limits = "auto"
    assert (w.vmin, w.vmax, w.limits) == (*found, "auto")


def test_a_policy_is_one_of_the_slice(w):
    w._controller.change({"region": "all"})
    assert w.vmax == pytest.approx(np.abs(VOLUME).max())
    w.limits = "elements"
    assert w.vmax == pytest.approx(np.abs(VOLUME[0]).max()) and w._controller.state()["region"] == "slice"


def test_the_same_policy_again_finds_limits_of_pixels_anew(notebook):
    w = gpuplot.inspect(NOISE, limits="pixels")
    page, before = drawn_page(w), w.vmax
    w.update(10 * NOISE)
    w.snapshot(io.BytesIO())
    assert w.vmax == before  # a loop does not make colors flicker
    heard = []
    w.observe(lambda change: heard.append(change.new), "vmax")
    w.limits = "pixels"
    assert w.vmax == pytest.approx(10 * before) and heard == [w.vmax]
    assert page.heard("state")[-1][0]["state"]["vmax"] == w.vmax


def test_observers_hear_of_limits_that_a_hand_sets_and_lets_go(w):
    page, heard = Page(w), []
    w.observe(lambda change: heard.append(change.new), "limits")
    page.say("set", values={"vmin": -1, "vmax": 2})
    page.say("limits", how="full", region="slice")
    page.say("limits", how="auto", region="slice")
    assert heard == [(-1.0, 2.0), "elements", "auto"] and page.errors() == []


@pytest.mark.parametrize(("value", "text"), [
    ("slice", "auto, elements, pixels"), (3, "a pair of numbers"), (None, "a pair of numbers"), ((1, 2, 3), "a pair of numbers"),
    ((None, 1), "set vmin or vmax"), ((2, 1), "vmin .2. must be less"), (("a", 1), "vmin"), ((0, np.inf), "finite"), ({}, "a pair"),
])
def test_what_are_no_limits_is_a_trait_error_and_changes_nothing(w, value, text):
    state, limits = w._controller.state(), w.limits
    with pytest.raises(traitlets.TraitError, match=text):
        w.limits = value
    assert w._controller.state() == state and w.limits == limits


def test_limits_of_elements_have_no_meaning_for_sums(w):
    w.agg = "sum"
    with pytest.raises(traitlets.TraitError, match="limits='elements': with agg='sum'"):
        w.limits = "elements"
    assert w.limits == "auto"


@pytest.mark.parametrize("given", [{}, {"vmin": -1.0}, {"vmin": -1.0, "vmax": 1.0}])
def test_limits_that_are_set_with_what_makes_no_sense_are_taken_back(notebook, given):
    w = gpuplot.inspect(VOLUME, **given)
    w._controller.change({"region": "all"})
    before = w._controller.state() | {"version": 0, "extend": ""}
    with pytest.raises(traitlets.TraitError), w.hold_trait_notifications():
        w.limits = "pixels"
        w.view = ((5, 1), (0, 1))
    assert w._controller.state() | {"version": 0, "extend": ""} == before
    with pytest.raises(traitlets.TraitError), w.hold_trait_notifications():
        w.limits = (3, 4)
        w.agg = "median"
    assert w._controller.state() | {"version": 0, "extend": ""} == before
