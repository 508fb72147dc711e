"""The kernel's side of the inspector: answers, frames, errors, and closing."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from inspector_fakes import Drawn, FakeScene, Rig
from inspector_hostile import ALMOST, JSON
from scenes import scene_of

import gpuplot
from gpuplot.inspector.kernel.error_limit import ERROR_BURST, text_of
from gpuplot.inspector.kernel.pages import MAX_AXES, MAX_PAGES

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")


@pytest.fixture
def rig():
    return Rig()


# ---- answers ------------------------------------------------------------------------------------------------------------


def test_ready_is_answered_by_the_state_with_the_pages_number(rig):
    seq = rig.say("ready")
    [state] = rig.heard("state")
    assert state["state"]["seq"] == {"p": seq} and state["state"]["plane"] == [100, 200]


def test_a_look_is_answered_by_a_frame_with_its_pixels(rig):
    rig.scene.value = 77
    seq = rig.look()
    frame = rig.heard("frame")[0]
    assert frame == {"k": "frame", "id": 1, "seq": seq, "page": "p", "version": 0, "window": [0, 100, 0, 200],
                     "size": [50, 100], "n_facets": 1, "format": "index", "final": True}
    [(_, (indices, palette))] = [sent for sent in rig.sent if sent[0]["content"]["k"] == "frame"]
    pixels = np.frombuffer(palette, np.uint8).reshape(-1, 4)[np.frombuffer(indices, np.uint8)]
    assert pixels.shape == (5000, 4) and (pixels == [77, 255, 255, 255]).all()


@pytest.mark.parametrize("role", ["rows", "columns"])
def test_facets_share_the_pixels_of_the_picture_that_they_replace_until_the_page_asks_anew(role):
    rig = Rig(scene_of(np.ones((2, 64, 28, 28), "f4")))
    rig.look(window=[0, 28, -15, 43], size=[560, 1174])
    rig.take()
    rig.say("set", values={role: 1})
    [frame] = rig.heard("frame")
    (height, width), n = frame["size"], frame["n_facets"]
    assert rig.heard("error") == [] and n == 64
    assert 0.9 * 560 * 1174 < n * height * width <= 560 * 1174 and width / height == pytest.approx(1174 / 560, rel=0.05)
    rig.ack(frame)
    rig.look(window=[0, 28, 0, 28], size=[90, 90])
    assert rig.heard("frame")[-1]["size"] == [90, 90]


def test_the_state_comes_before_the_first_frame_of_its_version(rig):
    rig.look()
    rig.say("set", values={"vmin": 1})
    kinds = [content["k"] for content in rig.heard()]
    assert kinds == ["state", "frame", "state", "frame"]
    assert [content["version"] for content in rig.heard("frame")] == [0, 1]


def test_questions_are_answered_with_their_number(rig):
    rig.look()
    asked = {
        "hover": dict(row=3.5, col=4, facet=0), "values": dict(box=[0, 1, 0, 1], facet=0), "histogram": dict(region="view"),
        "stats": dict(region="all"), "palettes": {}, "flags": {}, "search": {}, "next": dict(step=1),
    }
    for k, fields in asked.items():
        seq = rig.say(k, **fields)
        [answer] = [a for a in rig.take() if a["k"] not in ("state", "frame")]
        assert (answer["k"], answer["seq"], answer["page"]) == ("jump" if k == "next" else k, seq, "p")
    assert rig.scene.called("hover") == [(3.5, 4.0, 0, (2.0, 2.0), (0.0, 0.0))]
    assert rig.scene.called("histogram") == [("view", (0.0, 100.0, 0.0, 200.0))]


def test_a_jump_comes_after_the_state_that_it_made(rig):
    rig.say("next", step=-1)
    assert [content["k"] for content in rig.heard()] == ["state", "jump"]


def test_the_window_is_that_of_the_page_that_asks(rig):
    rig.look("a", window=[0, 10, 0, 20])
    rig.look("b", window=[5, 15, 5, 25])
    rig.say("limits", "a", how="full", region="view")
    rig.say("limits", "c", how="full", region="view")
    rig.say("hover", "a", row=3, col=4, facet=0)
    rig.say("hover", "b", row=3, col=4, facet=0)
    assert [pixel for *_, pixel in rig.scene.called("hover")] == [(0, 0), (5, 5)]
    assert [window for *_, window in rig.scene.called("set_limits")] == [(0, 10, 0, 20), (0, 100, 0, 200)]


def test_the_window_is_what_is_seen_while_an_overview_is_asked_for(rig):
    """Statistics "in view" were those of the whole plane then, and the page, whose window stayed, did not ask again."""
    rig.look(seen=[5, 15, 5, 25])
    rig.say("stats", region="view")
    rig.say("limits", how="full", region="view")
    rig.say("hover", row=7, col=9, facet=0)
    assert rig.scene.called("stats") == [("view", (5, 15, 5, 25))]
    assert [window for *_, window in rig.scene.called("set_limits")] == [(5, 15, 5, 25)]
    assert [pixel for *_, pixel in rig.scene.called("hover")] == [(5, 5)]
    assert rig.heard("frame")[0]["window"] == [0, 100, 0, 200]


def test_a_question_says_what_is_in_view(rig):
    """The kernel may not have heard of the window yet: a view that opened zoomed asked before its first viewport."""
    rig.say("stats", region="view", seen=[5, 15, 5, 25])
    rig.say("histogram", region="view", seen=[5, 15, 5, 25])
    rig.say("stats", region="view", seen=None)
    assert rig.scene.called("stats") == [("view", (5, 15, 5, 25)), ("view", (0, 100, 0, 200))]
    assert rig.scene.called("histogram") == [("view", (5, 15, 5, 25))]


def test_every_page_gets_frames_of_its_own(rig):
    rig.look("a", size=[10, 10])
    rig.look("b", size=[20, 20])
    rig.take()
    rig.say("set", "a", values={"vmax": 3})
    assert {(frame["page"], *frame["size"]) for frame in rig.heard("frame")} == {("a", 10, 10), ("b", 20, 20)}
    assert len({frame["id"] for frame in rig.heard("frame")}) == 2


def test_a_line_is_sent_as_five_rows(rig):
    columns = np.arange(50.0).reshape(5, 10)
    rig.scene.draw = lambda window, size, keeps_limits: Drawn(0, window, size, line=columns)
    rig.look()
    frame, buffers = next((m["content"], b) for m, b in rig.sent if m["content"]["k"] == "frame")
    assert (frame["format"], frame["n"]) == ("line", 10)
    assert np.array_equal(np.frombuffer(buffers[0], "<f8").reshape(5, 10), columns)


# ---- refusals -------------------------------------------------------------------------------------------------------------


def test_what_is_refused_changes_nothing_and_is_answered_once(rig):
    rig.look()
    before = rig.scene.version, dict(rig.scene.settings)
    rig.take()
    seq = rig.say("set", values={"agg": "x"})
    assert rig.take() == [{"k": "error", "seq": seq, "page": "p", "text": "agg='x' is not one of mean, max"}]
    assert (rig.scene.version, rig.scene.settings) == before


@pytest.mark.parametrize("content", [None, [], "x", {"k": "viewport"}, {"k": "viewport", "seq": 1, "page": "p", "window": "w"}])
def test_malformed_messages_get_one_error(rig, content):
    rig.controller.receive(content)
    [error] = rig.heard()
    assert error["k"] == "error" and error["text"]
    assert not rig.scene.calls


def test_messages_out_of_order_change_nothing_and_only_questions_are_answered(rig):
    """What a page said first may wait behind a running cell until long after: nobody wants to read about it then."""
    rig.look(seq=10, size=[10, 10])
    rig.take()
    rig.look(seq=9, size=[20, 20])
    rig.look(seq=10, size=[30, 30])
    assert rig.heard() == []
    assert next(iter(rig.controller.pages)).flow.viewport.size == (10, 10)
    for seq in (12, 11):
        rig.say("values", seq=seq, box=[0, 1, 0, 1], facet=0)
    assert [content["k"] for content in rig.heard()] == ["values", "error"]


@pytest.mark.parametrize("window", [[2.0**52, 2.0**52 + 1, 0, 5], [-1e308, 1e308, 0, 5], [1, 1 + 1e-15, 0, 5]])
def test_a_look_at_no_place_is_refused_once(rig, window):
    """It is not tried again at every change, and the page goes on with the look that it had."""
    rig.look(size=[10, 10])
    rig.take()
    seq = rig.look(window=window)
    [error] = rig.take()
    assert (error["k"], error["seq"]) == ("error", seq)
    rig.say("set", values={"vmin": 1})
    assert [content["k"] for content in rig.heard()] == ["state", "frame"] and rig.heard("frame")[0]["size"] == [10, 10]


def test_a_control_that_a_younger_message_set_is_not_set_back(rig):
    rig.say("set", seq=20, values={"vmin": 2})
    rig.say("set", seq=19, values={"vmin": 1, "vmax": 5})  # waited behind a running cell
    rig.say("set", seq=18, values={"vmin": 0})
    assert rig.scene.settings == {"vmin": 2, "vmax": 5}
    assert rig.heard("error") == []


def test_an_index_of_one_axis_does_not_undo_those_of_others_that_waited(rig):
    """The whole message was dropped, with the index of the other axis."""
    rig.say("set", seq=20, values={"index": {"0": 4}})
    rig.say("set", seq=18, values={"index": {"0": 1, "1": 2}})  # waited behind a running cell
    assert rig.scene.settings == {"index": {"1": 2}}
    rig.say("set", seq=19, values={"index": {"1": 3}})
    rig.say("set", seq=17, values={"index": {"1": 5}})
    assert rig.scene.settings == {"index": {"1": 3}} and rig.heard("error") == []


def test_axes_without_end_are_not_remembered_one_by_one(rig):
    for seq in range(100):
        rig.say("set", seq=seq, values={"index": {f"{seq} {i}": 0 for i in range(64)}})
    page, = rig.controller.pages
    assert len(page._newest_axes["index"]) <= MAX_AXES
    before = len(rig.scene.calls)
    rig.say("set", seq=5, values={"index": {"0 0": 1}})
    assert len(rig.scene.calls) == before


def test_a_flood_of_nonsense_is_answered_sparingly(rig):
    for _ in range(1000):
        rig.controller.receive({"k": "?"})
    assert len(rig.take()) == ERROR_BURST
    rig.now += 1
    for _ in range(1000):
        rig.controller.receive({"k": "?"})
    assert 1 <= len(rig.take()) <= 3


def test_every_question_is_answered_if_only_by_an_error(rig):
    """A page that waits for its answer asks no more."""
    rig.scene.problem = ValueError("no")
    asked = [rig.say("values", box=[0, 1, 0, 1], facet=facet) for facet in range(2 * ERROR_BURST)]
    assert [error["seq"] for error in rig.heard("error")] == asked


def test_pages_are_bounded_and_the_silent_one_is_forgotten(rig):
    rig.look("first")
    for i in range(10 * MAX_PAGES):
        rig.say("ready", f"page {i}")
        rig.ack({"id": 10**6 + i}, "first")
    assert len(rig.controller.pages) == MAX_PAGES
    assert "first" in rig.controller.pages and "page 0" not in rig.controller.pages


def test_nonsense_makes_no_pages(rig):
    for i in range(50):
        rig.controller.receive({"k": "viewport", "seq": 1, "page": f"page {i}", "window": None})
    assert len(rig.controller.pages) == 0


def test_an_error_while_drawing_goes_to_the_page_and_is_not_repeated_by_itself(rig):
    rig.scene.problem = gpuplot.DeviceError("cuMemAlloc: out of memory")
    seq = rig.look()
    [error] = rig.heard("error")
    assert error == {"k": "error", "seq": seq, "page": "p", "text": "DeviceError: cuMemAlloc: out of memory"}
    rig.now += 100
    rig.host.ring()
    rig.ack({"id": 5})
    assert len(rig.scene.called("draw")) == 1
    rig.scene.problem = None
    rig.look()
    assert rig.heard("frame")


def test_texts_of_errors_are_short_and_in_one_line():
    assert text_of(ValueError("a\n  b")) == "a b"
    assert text_of(KeyError("x")) == "KeyError: 'x'"
    assert text_of(MemoryError()) == "MemoryError"
    assert len(text_of(RuntimeError("x" * 10_000))) == 300


@examples(200)
@given(st.lists(ALMOST | JSON, max_size=40))
def test_any_messages_in_any_order_leave_a_controller_that_works(messages):
    rig = Rig()
    for content in messages:
        n_errors, version, values = len(rig.heard("error")), rig.scene.version, dict(rig.scene.settings)
        rig.controller.receive(content)
        if len(rig.heard("error")) > n_errors:
            assert (rig.scene.version, rig.scene.settings) == (version, values)
    for frame in rig.heard("frame"):
        assert set(frame) == {"k", "id", "seq", "page", "version", "window", "size", "n_facets", "format", "final"}
    rig.now += 10
    rig.take()
    rig.look("fresh")
    assert [frame["page"] for frame in rig.heard("frame")].count("fresh") == 1


# ---- the end --------------------------------------------------------------------------------------------------------------


def test_close_tells_pages_and_lets_go(rig):
    rig.look()
    rig.controller.update(1)
    rig.take()
    rig.controller.close()
    rig.controller.close()
    assert rig.heard() == [{"k": "closed"}] and rig.scene.called("close") == [()]
    assert not rig.host.timers and len(rig.controller.pages) == 0
    rig.look()
    rig.host.ring()
    assert len(rig.heard()) == 1
    for use in (lambda: rig.controller.update(1), lambda: rig.controller.change({}), lambda: rig.controller.ask(len)):
        with pytest.raises(RuntimeError, match="was closed"):
            use()


def test_a_message_that_waited_while_the_inspector_was_closed_makes_no_page_and_changes_nothing(rig):
    rig.host.note_handler = rig.controller.close  # as another thread does it just before this one has the lock
    rig.say("set", values={"nan": "skip"})
    assert [message["k"] for message in rig.heard()] == ["closed", "error"] and "was closed" in rig.heard("error")[0]["text"]
    assert len(rig.controller.pages) == 0 and rig.views == [] and rig.scene.called("change") == []


def test_a_page_that_is_gone_gets_nothing_more(rig):
    rig.look()
    rig.take()
    rig.say("gone")
    rig.controller.change({"vmin": 1})
    assert rig.heard("frame") == [] and rig.views == [False, True]


def test_pages_of_one_scene_whose_problem_is_theirs():
    rig = Rig(FakeScene())
    rig.look("a")
    rig.scene.problem = ValueError("no")
    rig.look("b")
    assert [error["page"] for error in rig.heard("error")] == ["b"]
