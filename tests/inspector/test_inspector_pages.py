"""Messages of pages to the inspector's widget and its answers, valid and hostile; no notebook is needed."""

import json
import warnings

import numpy as np
import pytest
from effort import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from inspector_hostile import ALMOST, ASKED
from inspector_notebook import VOLUME, Page, notebook, shown_pixels, w  # noqa: F401

import gpuplot

pytestmark = pytest.mark.host("what pages get is the same from any memory; the scene's own tests are run on devices")

CONTROLS = ("item", "index", "x", "y", "vmin", "vmax", "cmap", "norm", "agg", "view")
RNG = np.random.default_rng(5)


def test_a_look_is_answered_with_the_pixels_of_to_rgba(w):
    page = Page(w)
    page.look([2, 20, 5, 41], [36, 72])
    want = gpuplot.to_rgba(VOLUME[0], (36, 72), view=((2, 20), (5, 41)), center="auto")
    assert np.array_equal(shown_pixels(page.frames()[0])[0], want)


def test_more_colors_than_an_index_holds_travel_as_rgba(notebook):
    colors = RNG.integers(0, 255, (40, 40, 3), dtype=np.uint8)
    w = gpuplot.inspect(colors)
    page = Page(w)
    page.look([0, 40, 0, 40], [40, 40])
    [(content, [data])] = page.frames()
    assert content["format"] == "rgba"
    assert np.array_equal(np.frombuffer(data, np.uint8).reshape(40, 40, 4)[..., :3], colors)


@pytest.mark.parametrize("data", [
    {}, [], None, 5, "x", {"method": "custom"}, {"method": "custom", "content": None}, {"method": "nope"}, {"method": ["custom"]},
    {"method": "update"}, {"method": "update", "state": 3}, {"method": "update", "state": {"index": 5}},
    {"method": "update", "state": {"view": "<b>"}}, {"method": "custom", "content": {"k": "set", "values": {"__class__": 1}}},
])
def test_no_message_changes_anything_or_makes_a_traceback(w, data, capsys, caplog):
    page = Page(w)
    before = w._controller.state()
    page.deliver(data)
    page.comm.handle_msg({})
    assert w._controller.state() == before
    assert capsys.readouterr() == ("", "") and not caplog.records
    assert len(page.errors()) >= 1


KINDS_OF_TENSOR = [
    VOLUME, np.where(VOLUME > 1, np.nan, VOLUME), RNG.integers(0, 9, (6, 7)), VOLUME[0] + 1j * VOLUME[1], VOLUME[0] > 0,
    RNG.integers(0, 255, (20, 20, 3), dtype=np.uint8), np.arange(40.0), np.float32(1), np.zeros((3, 0, 4)),
    {"a": VOLUME[0], "b": VOLUME[1], "<b>": np.arange(5)}, np.full((4, 5), np.inf), np.array([[2**63 - 1, -(2**63)]]),
]


@pytest.mark.parametrize("X", KINDS_OF_TENSOR, ids=range(len(KINDS_OF_TENSOR)))
@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ASKED | ALMOST, max_size=12))
def test_whatever_a_page_asks_of_any_tensor_is_answered_or_refused(notebook, X, asked):
    """What is refused changes nothing, what is answered is JSON, and afterwards all works as before."""
    with gpuplot.inspect(X) as w, warnings.catch_warnings():
        warnings.simplefilter("error")
        page = Page(w)
        for fields in asked:
            n_errors, before = len(page.errors()), {name: getattr(w, name) for name in w.trait_names() if name in CONTROLS}
            page.deliver({"method": "custom", "content": {"seq": page.seq + 1, "page": "p"} | fields})
            page.seq += 1
            if len(page.errors()) > n_errors:
                assert {name: getattr(w, name) for name in before} == before
        for content, _ in page.heard():
            json.dumps(content, allow_nan=False)
        page.name = "fresh"
        page.look([0, 5, 0, 5], [8, 9])
        assert page.frames()[-1][0]["page"] == "fresh"


def test_a_page_cannot_set_what_is_not_a_control(w):
    before = w._esm, w._css, w._view_module
    Page(w).deliver({"method": "update", "state": {"_esm": "alert(1)", "_css": "*{}", "_view_module": "evil", "_state": {}, "comm": 1}})
    assert (w._esm, w._css, w._view_module) == before


def test_jslinks_may_set_controls(w):
    Page(w).deliver({"method": "update", "state": {"index": {"0": 2}}})
    assert w.index == {0: 2}


def test_a_page_that_asks_for_the_state_gets_it(w):
    page = Page(w)
    page.forget()
    page.deliver({"method": "request_state"})
    assert any(kind == "comm_msg" and data["method"] == "update" and data["state"]["_state"]["plane"] == [30, 50]
               for kind, data, _ in page.comm.published)


def test_a_view_beside_axes_is_of_the_plane_that_the_page_shows(w):
    page = Page(w)
    page.say("set", values={"view": [[2, 8], [10, 40]], "x": w.y, "y": w.x})
    seen = w.view
    assert seen == ((10, 40), (2, 8))
    page.say("set", values={"view": [[0, 5], [0, 5]], "columns": w.x})
    assert page.errors() and w.view == seen
    page.say("set", values={"view": None, "cmap": "magma"})
    assert w.view is None and w.cmap == "magma"


def test_a_view_of_a_hand_is_read_without_noise(w):
    """After a wheel's step w.view was ((4.499999999999999, 19.50000000000001), ...)."""
    page, heard = Page(w), []
    w.observe(lambda change: heard.append(change.new), "view")
    page.look([0, 30, 0, 50], [300, 500])
    noisy = [[4.499999999999999, 19.50000000000001], [10.123456789, 30.0]]
    page.say("set", values={"view": noisy})
    read = ((4.5, 19.5), (10.123, 30.0))
    assert w.view == read and heard == [read]
    [*_, (content, _)] = page.heard("state")
    assert content["state"]["view"] == noisy  # the page's own numbers, or its picture would move under the hand
    w.view = w.view
    assert w.view == read and heard == [read]


@pytest.mark.parametrize("view", [((0.1, 0.30000000000000004), (1 / 3, 2 / 3)), ((5, 6), (7, 9)), None])
def test_a_view_of_python_is_read_as_it_was_set(w, view):
    Page(w).look([0, 30, 0, 50], [300, 500])
    w.view = view
    assert w.view == view


def test_names_from_the_user_stay_text(notebook):
    evil = "<img src=x onerror=alert(1)>"
    w = gpuplot.inspect({evil: VOLUME, "b": VOLUME[:2]})
    assert w._controller.state()["items"][0] == evil
