"""One view after another on one model: messages, answers, what a user changed meanwhile, and that nothing is left behind."""

import base64

import numpy as np
import pytest
from chromium import wait_until

from .states import make_frame, make_state
from .test_gestures import HIDE

PALETTE = np.array([[0, 0, 0, 255], [255, 255, 255, 255]], np.uint8)

LOSE = "views[0].model.tell('comm_live_update')"
CONNECTION = "status => views[0].model.widget_manager.kernel.connectionStatusChanged.emit(status)"
IS_USABLE = "() => !document.querySelector('.gp-header').inert"
# Counts what a page takes from the browser and gives back.
COUNT = """
window.left = {timers: new Set(), frames: new Set(), observers: new Set(), listeners: 0};
const wrap = (name, end, set) => {
  const [start, stop] = [window[name], window[end]];
  window[name] = (f, ...rest) => {
    const id = start((...args) => { set.delete(id); f(...args); }, ...rest);
    set.add(id);
    return id;
  };
  window[end] = id => { set.delete(id); stop(id); };
};
wrap("setTimeout", "clearTimeout", left.timers);
wrap("requestAnimationFrame", "cancelAnimationFrame", left.frames);
for (const name of ["ResizeObserver", "IntersectionObserver", "MutationObserver"]) {
  window[name] = class extends window[name] {
    constructor(...args) { super(...args); left.observers.add(this); }
    disconnect() { left.observers.delete(this); super.disconnect(); }
  };
}
for (const target of [window, document]) {
  const [add, remove] = [target.addEventListener, target.removeEventListener];
  target.addEventListener = function (name, f, options) {
    left.listeners += 1;
    options?.signal?.addEventListener("abort", () => { left.listeners -= 1; });
    return add.call(target, name, f, options);
  };
  target.removeEventListener = function (...args) { left.listeners -= 1; return remove.apply(target, args); };
}
"""


@pytest.mark.parametrize("shadow", [False, True])
def test_a_view_that_is_removed_leaves_nothing_behind(mount, page, shadow):
    page.evaluate(f"() => {{ {COUNT} }}")
    view = mount(shadow=shadow)
    viewport = view.wait_sent("viewport", visible=True)
    view.deliver(*make_frame(np.zeros(viewport["size"]), viewport, palette=PALETTE))
    view.wait_sent("ack", drawn=True)
    box = view.locator(".gp-canvas").bounding_box()
    page.mouse.move(box["x"] + 50, box["y"] + 50)
    page.mouse.wheel(0, -100)
    view.wait_sent("viewport", 2)
    assert view.remove() == 0
    view.end()
    assert view.sent()[-1]["k"] == "gone"
    assert view.listeners() == []
    page.wait_for_function("() => !left.timers.size && !left.frames.size && !left.observers.size && !left.listeners")


def test_messages_are_numbered_and_carry_one_page(mount):
    view = mount()
    view.wait_sent("viewport", visible=True)
    sent = view.sent()
    assert [message["seq"] for message in sent] == list(range(1, len(sent) + 1))
    (page,) = {message["page"] for message in sent}
    assert 8 <= len(page) <= 32


def test_two_views_of_one_model_have_two_pages_and_both_get_their_frames(mount):
    first = mount(make_state(height=200), width=900)
    second = mount(like=first, width=400)
    first.page.wait_for_function("() => new Set(sentBy(0).filter(m => m.k === 'viewport').map(m => m.page)).size === 2")
    looks = {viewport["page"]: viewport for viewport in first.sent("viewport")}
    for i, viewport in enumerate(looks.values()):
        first.deliver(*make_frame(np.full(viewport["size"], i), viewport, palette=PALETTE, id=i))
        first.wait_sent("ack", id=i, drawn=True)
    shown = {view.pixels(".gp-canvas").shape[:2] for view in (first, second)}
    assert shown == {tuple(viewport["size"]) for viewport in looks.values()}
    first.remove()
    second.deliver({"k": "state", "state": make_state(version=2)})
    assert len(second.sent("gone")) == 1


def test_a_frame_of_another_page_is_not_acknowledged(mount):
    view = mount()
    viewport = view.wait_sent("viewport", visible=True)
    view.deliver(*make_frame(np.zeros(viewport["size"]), {**viewport, "page": "another"}, palette=PALETTE, id=1))
    view.deliver(*make_frame(np.zeros(viewport["size"]), viewport, palette=PALETTE, id=2))
    view.wait_sent("ack", id=2)
    assert [ack["id"] for ack in view.sent("ack")] == [2]


def test_a_view_that_comes_later_has_the_newest_state(mount):
    first = mount()
    first.deliver({"k": "state", "state": make_state(kind="text", text="later")})
    second = mount(like=first)
    second.locator(".gp-poster").wait_for()
    assert "later" in second.locator(".gp-poster").text_content()


def test_nothing_waits_for_a_state_and_it_may_come_late(mount, page):
    view = mount(traits={"_state": {}})
    view.wait_sent("ready")
    view.locator(".gp-canvas").focus()
    for key in "xfra+n?":
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    page.mouse.move(100, 100)
    page.mouse.wheel(0, -100)
    assert view.sent("viewport") == []
    view.deliver({"k": "state", "state": make_state()})
    view.wait_sent("viewport", visible=True)


def test_a_users_change_shows_at_once_and_an_older_state_does_not_take_it_back(mount, page):
    view = mount()
    view.locator(".gp-canvas").focus()
    page.keyboard.press("ArrowRight")
    change = view.wait_sent("set")
    slider = view.locator("input[type=range]").first
    shown = "() => document.querySelector('.view input[type=range]').value"
    assert slider.input_value() == "1"
    view.deliver({"k": "state", "state": make_state(version=2, seq={change["page"]: change["seq"] - 1})})
    assert page.evaluate(shown) == "1"
    view.deliver({"k": "state", "state": make_state(version=3, seq={change["page"]: change["seq"]})})
    assert page.evaluate(shown) == "0"


def test_a_change_that_is_refused_is_taken_back_and_said(mount, page):
    view = mount()
    view.locator(".gp-canvas").focus()
    page.keyboard.press("ArrowRight")
    change = view.wait_sent("set")
    view.deliver({"k": "error", "seq": change["seq"], "page": change["page"], "text": "no such <b>index</b>"})
    assert view.locator("input[type=range]").first.input_value() == "0"
    page.wait_for_function("() => document.querySelector('.view').textContent.includes('no such <b>index</b>')")


@pytest.mark.parametrize("message", [
    None, 3, "text", {}, {"k": "state"}, {"k": "state", "state": None}, {"k": "state", "state": {"kind": "image"}},
    {"k": "frame"}, {"k": "unknown"}, {"k": "hover", "seq": 99}, {"k": "error"}, {"k": "__proto__", "seq": "x"},
])
def test_messages_that_are_not_right_change_nothing(mount, message):
    view = mount()
    viewport = view.wait_sent("viewport", visible=True)
    view.deliver(message)
    view.deliver(*make_frame(np.zeros(viewport["size"]), viewport, palette=PALETTE))
    view.wait_sent("ack", drawn=True)


def first_look(view, clock):
    """On a page whose clock stands still."""
    wait_until(view.page, lambda: clock.run_for(5) or view.sent("viewport"), lambda: "nothing is looked at")
    return view.sent("viewport")[-1]


def test_a_first_look_is_repeated_until_it_is_answered(mount, page, clock):
    """It may wait behind a running cell while the kernel's thread for messages is still to come."""
    view = mount()
    viewport = first_look(view, clock)
    counts = []
    for ms in (900, 200, 1700, 400, 3500, 500):
        clock.run_for(ms)
        counts.append(len(view.sent("viewport")))
    assert counts == [1, 2, 2, 3, 3, 4]
    said = [{**message, "seq": 0} for message in view.sent("viewport")]
    assert said == [{**viewport, "seq": 0}] * len(said)
    view.deliver(*make_frame(np.zeros(viewport["size"]), viewport, palette=PALETTE))
    wait_until(page, lambda: clock.run_for(5) or view.sent("ack"), lambda: "the frame is not acknowledged")
    n = len(view.sent("viewport"))
    clock.run_for(100_000)
    assert len(view.sent("viewport")) == n


def test_a_frame_for_any_page_is_shown_and_the_look_goes_on_asking(mount, page, clock):
    view = mount()
    viewport = first_look(view, clock)
    view.deliver(*make_frame(np.ones(viewport["size"]), {**viewport, "page": None, "seq": None}, palette=PALETTE, id=1))
    wait_until(page, lambda: clock.run_for(5) or view.sent("ack"), lambda: "the frame is not acknowledged")
    assert (view.pixels(".gp-canvas") == PALETTE[1]).all()
    n = len(view.sent("viewport"))
    clock.run_for(100_000)
    assert len(view.sent("viewport")) > n + 3


@pytest.mark.parametrize("end", ["hidden", "gone", "gone and shown again"])
def test_a_look_is_not_repeated_where_nobody_looks_or_listens(mount, page, clock, end):
    view = mount()
    first_look(view, clock)
    if "gone" in end:
        page.evaluate(LOSE)
    for is_hidden in {"hidden": [True], "gone": []}.get(end, [True, False]):
        page.evaluate(HIDE, is_hidden)
    clock.run_for(50)
    n = len(view.sent("viewport"))
    clock.run_for(100_000)
    assert len(view.sent("viewport")) == n
    if end == "gone and shown again":
        assert view.sent("viewport")[-1]["visible"]


def test_a_model_that_cannot_send_any_more_does_no_harm(mount, page):
    view = mount()
    view.wait_sent("viewport", visible=True)
    page.evaluate("() => { views[0].model.send = () => { throw new Error('the comm is closed'); }; }")
    view.locator(".gp-canvas").focus()
    for key in ["+", "ArrowRight", "n", "a", "r"]:
        page.keyboard.press(key)
    view.remove()


def test_the_health_of_the_plane_comes_with_its_statistics(mount, page):
    kind_counts = {"nan": 7, "neg_inf": 0, "neg": 0, "zero": 0, "pos": 4793, "pos_inf": 0}
    mount(make_state(kind_counts=None), replies={"stats": {"region": "slice", "rows": [["min", "0"]], "kind_counts": kind_counts}})
    page.wait_for_function("() => document.querySelector('.view .gp-pill').textContent.includes('4793')")


def test_a_kernel_that_is_gone_is_said_at_once_and_takes_no_input(mount, page):
    view = mount()
    viewport = view.wait_sent("viewport", visible=True)
    view.deliver(*make_frame(np.ones(viewport["size"]), viewport, palette=PALETTE))
    view.wait_sent("ack", drawn=True)
    view.wait_sent("stats")  # the last that a page asks for of itself, when the picture has come to rest
    before = view.pixels(".gp-canvas")
    page.evaluate(LOSE)
    line = view.locator("[role=status]")
    line.wait_for()
    assert line.inner_text() == "The kernel is gone: run the cell again"
    n = len(view.sent())
    box = view.locator(".gp-canvas").bounding_box()
    page.mouse.click(box["x"] + 50, box["y"] + 50)
    page.mouse.wheel(0, -200)
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement === document.body")
    assert view.sent()[n:] == []
    np.testing.assert_array_equal(view.pixels(".gp-canvas"), before)


def test_a_closed_inspector_says_so_keeps_its_picture_and_takes_no_input(mount, page):
    view = mount()
    viewport = view.wait_sent("viewport", visible=True)
    view.deliver(*make_frame(np.ones(viewport["size"]), viewport, palette=PALETTE))
    view.wait_sent("ack", drawn=True)
    before = view.pixels(".gp-canvas")
    view.deliver({"k": "closed"})
    view.deliver({"k": "error", "seq": None, "page": None, "text": "what was on its way"})
    for status in ("disconnected", "connected"):
        page.evaluate(CONNECTION, status)
    later = mount(like=view)
    for one in (view, later):
        one.locator("[role=status]").wait_for()
    assert later.locator("[role=status]").inner_text() == "The inspector was closed: run the cell again"
    assert not page.evaluate(IS_USABLE)
    np.testing.assert_array_equal(view.pixels(".gp-canvas"), before)


def test_a_message_from_the_kernel_proves_that_it_is_there(mount, page):
    view = mount()
    page.evaluate(LOSE)
    view.locator("[role=status]").wait_for()
    view.deliver({"k": "state", "state": make_state(version=2)})
    page.wait_for_function(IS_USABLE)
    view.locator("[role=status]").wait_for(state="hidden")


def test_a_connection_that_comes_back_is_used_again_but_not_to_another_kernel(mount, page):
    view = mount()
    page.evaluate(CONNECTION, "disconnected")
    view.locator("[role=status]").wait_for()
    page.evaluate(CONNECTION, "connected")
    page.wait_for_function(IS_USABLE)
    page.evaluate(LOSE)
    page.evaluate(CONNECTION, "connected")
    view.locator("[role=status]").wait_for()
    assert not page.evaluate(IS_USABLE)


def test_a_view_that_comes_after_the_kernel_has_gone_says_so(mount, page):
    first = mount()
    page.evaluate(LOSE)
    second = mount(like=first)
    second.locator("[role=status]").wait_for()


def test_a_model_that_ends_follows_no_connection_any_more(mount, page):
    view = mount()
    view.remove()
    view.end()
    assert page.evaluate("views[0].model.widget_manager.kernel.connectionStatusChanged.followers.size") == 0


def test_a_view_that_is_over_says_nothing_more(mount, page):
    """A frame that was still being inflated when it went: with a word about it the kernel would take the page for a new one."""
    view = mount(make_state(view=[[0, 30], [0, 40]]))
    viewport = view.wait_sent("viewport", visible=True)
    message, buffers = make_frame(np.zeros(viewport["size"]), viewport, palette=PALETTE, is_zlib=True)
    page.evaluate("""async ([message, ...buffers]) => {
      deliverTo(0, message, buffers);
      await removeWidget(0);
      for (let i = 0; i < 5; i++) {  // as long as it takes, several times
        const { body } = await fetch("data:;base64," + buffers[0]);
        await new Response(body.pipeThrough(new DecompressionStream("deflate"))).blob();
        await new Promise(requestAnimationFrame);
      }
    }""", [message, *(base64.b64encode(data).decode() for data in buffers)])
    assert view.sent()[-1]["k"] == "gone"
