"""Hands on the picture: fingers, trackpads, the overview, and what happens when a gesture is cut short or the page goes away."""

import numpy as np
import pytest

from .states import make_frame, make_state
from .test_picture import answer, element_under, middle, show

ZOOMED = [[10.0, 30.0], [20.0, 50.0]]


@pytest.fixture
def view(mount):
    """The widget on a plane of 60 x 80, its first look answered."""
    view = mount()
    show(view)
    return view


@pytest.fixture
def touch(mount, open_page):
    """A function that mounts the widget on a screen that is touched: (view, fingers)."""
    def touch_one(state=None, show=show):
        page = open_page(has_touch=True)
        view = mount(state, on=page)
        show(view)
        return view, Fingers(page)
    return touch_one


class Fingers:
    """Fingers on a page, as the screen's driver reports them."""

    def __init__(self, page):
        self._driver = page.context.new_cdp_session(page)

    def tell(self, kind, *points):
        places = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        self._driver.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def move(self, start, end, n_steps=5):
        """From places to places, one for each finger, and up."""
        start, end = np.array(start, float), np.array(end, float)
        self.tell("touchStart", *start.tolist())
        for share in np.linspace(0, 1, n_steps + 1)[1:]:
            self.tell("touchMove", *(start + share * (end - start)).tolist())
        self.tell("touchEnd")


def window_of(view):
    return view.sent("viewport")[-1]["window"]


def test_two_fingers_zoom_and_what_they_hold_stays_under_them(touch):
    view, fingers = touch()
    x, y = middle(view)
    held = element_under(view.wait_rest(), view, x, y)
    fingers.move([(x - 50, y), (x + 50, y)], [(x - 150, y), (x + 150, y)], n_steps=10)
    viewport = view.wait_rest(lambda viewport: viewport["window"][3] - viewport["window"][2] < 40)
    c0, c1 = viewport["window"][2:]
    assert (c1 - c0) / 80 == pytest.approx(1 / 3, rel=0.25)
    np.testing.assert_allclose(element_under(viewport, view, x, y), held, atol=1.5)
    assert view.page.evaluate("[scrollX, scrollY, visualViewport.scale]") == [0, 0, 1]


def test_one_finger_moves_a_plane_that_is_zoomed(touch):
    view, fingers = touch(make_state(view=ZOOMED))
    x, y = middle(view)
    held = element_under(view.wait_rest(lambda viewport: viewport["window"][3] < 60), view, x, y)
    fingers.move([(x, y)], [(x - 80, y + 40)])
    view.wait_sent("set")
    view.wait_rest(lambda viewport: np.allclose(element_under(viewport, view, x - 80, y + 40), held, atol=0.5))


def test_one_finger_scrolls_the_page_where_all_is_shown(touch):
    view, fingers = touch()
    view.page.evaluate("document.body.style.height = '4000px'")
    whole, (x, y) = window_of(view), middle(view)
    fingers.move([(x, y)], [(x, y - 200)], n_steps=10)
    view.page.wait_for_function("() => scrollY > 100")
    assert window_of(view) == whole and view.sent("set") == []


def test_fingers_that_are_taken_away_by_the_system_end_the_gesture(touch):
    view, fingers = touch(make_state(view=ZOOMED))
    x, y = middle(view)
    fingers.tell("touchStart", (x, y))
    fingers.tell("touchMove", (x - 60, y))
    fingers.tell("touchCancel")
    _, (before, _) = view.wait_sent("set")["values"]["view"]
    fingers.move([(x, y)], [(x + 60, y)])
    _, (c0, c1) = view.wait_sent("set", 2)["values"]["view"]
    assert before - c0 == pytest.approx((c1 - c0) * 60 / view.locator(".gp-canvas").bounding_box()["width"], rel=0.2)


FACETS = make_state(facets={"rows": [], "columns": ["a", "b"]}, view=ZOOMED)


def show_facets(view):
    """Answers the first look at two small pictures: the middle of both, their width in CSS pixels, and the columns that they show."""
    viewport = view.wait_sent("viewport", visible=True)
    answer(view, np.zeros((2, *viewport["size"])), viewport)
    viewport = view.wait_rest(lambda viewport: viewport["window"][3] < 60)
    return *middle(view), viewport["size"][1], viewport["window"][2:]


def test_a_drag_from_one_small_picture_to_another_does_not_jump(mount, page):
    """It went back by a whole picture where the pointer left the one in which the drag had begun."""
    view = mount(FACETS)
    x, y, width, (c0, c1) = show_facets(view)
    page.mouse.move(x - 40, y)
    page.mouse.down()
    page.mouse.move(x, y)
    page.mouse.move(x + 60, y)
    page.mouse.up()
    moved = view.wait_rest(lambda viewport: viewport["window"][2] != c0)["window"]
    assert moved[2] == pytest.approx(c0 - 100 / width * (c1 - c0), abs=0.1)


def test_a_box_that_is_drawn_beyond_a_small_picture_ends_at_its_edge(mount, page):
    view = mount(FACETS)
    x, y, width, (c0, c1) = show_facets(view)
    page.keyboard.down("Alt")
    page.mouse.move(x - 40, y - 30)
    page.mouse.down()
    page.mouse.move(x + 60, y + 30, steps=4)
    page.mouse.up()
    page.keyboard.up("Alt")
    _, (first, stop) = view.wait_sent("set")["values"]["selection"]
    assert (first, stop) == (int(c1 - 37 / width * (c1 - c0)), -int(-c1))


def test_fingers_on_two_small_pictures_zoom_where_they_are(touch):
    view, fingers = touch(FACETS, show=show_facets)
    (x, y), (c0, c1) = middle(view), window_of(view)[2:]
    fingers.move([(x - 40, y), (x + 40, y)], [(x - 80, y), (x + 80, y)], n_steps=10)
    near = view.wait_rest(lambda viewport: viewport["window"][3] - viewport["window"][2] < 0.7 * (c1 - c0))["window"]
    # They hold the end of the first picture, as it is 3 px from the middle of both.
    assert near[3] == pytest.approx(c1, abs=1)


def test_a_drag_in_the_overview_moves_the_window_there(mount, page):
    view = mount(make_state(view=ZOOMED))
    show(view)
    view.wait_rest(lambda viewport: viewport["window"][3] < 60)
    box = view.locator(".gp-canvas").bounding_box()
    # The overview: 96 px wide, 8 px from the upper right corner.
    left, top = box["x"] + box["width"] - 8 - 96, box["y"] + 8
    page.mouse.move(left + 48, top + 36)
    page.mouse.down()
    page.mouse.move(left + 72, top + 54, steps=4)
    page.mouse.up()
    viewport = view.wait_rest(lambda viewport: viewport["window"][2] > 20)
    r0, r1, c0, c1 = viewport["window"]
    assert ((r0 + r1) / 2, (c0 + c1) / 2) == (pytest.approx(45, abs=1), pytest.approx(60, abs=1))


def test_a_view_that_opens_zoomed_has_the_whole_plane_for_its_overview(mount):
    view = mount(make_state(view=ZOOMED))
    first = view.wait_sent("viewport", visible=True)
    assert first["window"][2] <= 0 and first["window"][3] >= 80
    assert first["seen"][2] == pytest.approx(20, abs=1)
    show(view)
    assert view.wait_rest(lambda viewport: viewport["window"][3] < 60)["window"][2] == pytest.approx(20, abs=1)
    corner = view.pixels(".gp-over")[20:60, -80:-30]
    assert len(np.unique(corner.reshape(-1, 4), axis=0)) > 3


def test_a_trackpads_pinch_zooms_the_picture_and_not_the_page(view, page):
    whole = view.wait_rest()["window"]
    page.mouse.move(*middle(view))
    page.keyboard.down("Control")
    page.mouse.wheel(0, -50)
    near = view.wait_rest(lambda viewport: viewport["window"] != whole)["window"]
    assert near[3] - near[2] == pytest.approx((whole[3] - whole[2]) * 2 ** -0.5, rel=1e-6)
    page.mouse.wheel(0, 1000)
    view.wait_rest(lambda viewport: viewport["window"] == pytest.approx(whole))
    page.keyboard.up("Control")
    assert page.evaluate("[scrollY, visualViewport.scale]") == [0, 1]


def test_a_hand_that_loses_the_pointer_does_not_go_on_dragging(view, page):
    x, y = middle(view)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -500)
    view.wait_sent("set")
    viewport = view.wait_rest(lambda viewport: viewport["window"][3] < 80)
    page.mouse.down()
    page.mouse.move(x + 20, y, steps=2)
    dragged = viewport["window"][2] - 20 * (viewport["window"][3] - viewport["window"][2]) / viewport["size"][1]
    view.wait_rest(lambda viewport: viewport["window"][2] == pytest.approx(dragged))
    view.locator(".gp-canvas").evaluate("canvas => canvas.releasePointerCapture(1)")
    page.mouse.move(x + 90, y, steps=3)
    page.mouse.up()
    assert view.wait_rest()["window"][2] == pytest.approx(dragged)


def test_a_cell_that_changes_its_width_during_a_drag_keeps_a_whole_picture(view, page):
    x, y = middle(view)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -500)
    view.wait_sent("set")
    wide = view.wait_rest()["size"][1]
    page.mouse.down()
    page.mouse.move(x - 30, y, steps=2)
    page.evaluate("views[0].host.style.width = '600px'")
    page.wait_for_function("wide => sentBy(0).filter(m => m.k === 'viewport').at(-1).size[1] < wide", arg=wide)
    page.mouse.move(x - 60, y, steps=2)
    page.mouse.up()
    view.wait_sent("set", 2)
    viewport = view.wait_rest()
    r0, r1, c0, c1 = viewport["window"]
    assert (r1 - r0) / viewport["size"][0] == pytest.approx((c1 - c0) / viewport["size"][1])


HIDE = """isHidden => {
  Object.defineProperty(document, "hidden", { get: () => isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_page_in_the_background_asks_for_no_frames_and_holds_up_none(view, page):
    n = len(view.sent("viewport"))
    page.evaluate(HIDE, True)
    last = view.wait_sent("viewport", visible=False)
    view.deliver({"k": "state", "state": make_state(version=2)})
    view.deliver(*make_frame(np.zeros(last["size"]), last, palette=np.zeros((1, 4)), version=2, id=77))
    view.wait_sent("ack", id=77)
    assert len(view.sent("viewport")) == n + 1
    page.evaluate(HIDE, False)
    assert view.wait_sent("viewport", n + 2)["visible"] is True


# ---- what a wheel is for -----------------------------------------------------------------------------------------------------


@pytest.fixture
def long_page(view, page):
    """The view below the first screen of a page that scrolls, the pointer where the picture will come."""
    page.evaluate("document.body.style.height = '6000px'; document.body.style.paddingTop = '900px'")
    page.mouse.move(300, 300)
    return page


def scroll(page, by):
    """A turn of the wheel that scrolls the page, and the time until the next turn is one of its own."""
    before = page.evaluate("scrollY")
    page.mouse.wheel(0, by)
    page.wait_for_function("before => scrollY !== before", arg=before)
    page.wait_for_timeout(350)


def looks(view):
    return {tuple(viewport["window"]) for viewport in view.sent("viewport") if viewport["visible"]}


def test_a_wheel_scrolls_the_page_until_the_pointer_has_moved_over_the_picture(view, long_page):
    scroll(long_page, 850)
    n = len(looks(view))
    scroll(long_page, 60)
    scroll(long_page, -60)  # nearer, were it meant for the picture
    assert len(looks(view)) == n and view.sent("set") == []
    long_page.mouse.move(301, 300)  # a hand that rests on the mouse
    scroll(long_page, -60)
    long_page.mouse.move(310, 304)
    at = long_page.evaluate("scrollY")
    long_page.mouse.wheel(0, -120)
    view.wait_sent("set")
    assert len(looks(view)) > n and long_page.evaluate("scrollY") == at


def test_a_press_means_the_picture_too(view, long_page):
    scroll(long_page, 850)
    long_page.mouse.down()
    long_page.mouse.up()
    long_page.mouse.wheel(0, -120)
    view.wait_sent("set")


def test_a_list_that_scrolls_elsewhere_on_the_page_is_nothing_to_the_picture(view, page):
    page.evaluate("""() => {
        const list = Object.assign(document.createElement('div'), {id: 'log'});
        list.style = 'height: 40px; overflow: auto';
        list.append(Object.assign(document.createElement('p'), {style: 'height: 4000px'}));
        document.body.append(list);
    }""")
    page.mouse.move(*middle(view))
    page.evaluate("log.scrollTop = 500")
    page.wait_for_timeout(100)
    page.mouse.wheel(0, -120)
    view.wait_sent("set")


@pytest.mark.parametrize("mode, delta, px", [("PIXEL", -48, 48), ("LINE", -3, 48), ("PAGE", -0.25, 100)])
def test_a_wheel_that_counts_lines_or_pages_zooms_as_far_as_their_pixels(view, page, mode, delta, px):
    """A line is 16 pixels, a page 400: browsers and mice differ in what they count."""
    r0, r1, *_ = whole = view.wait_rest()["window"]
    page.mouse.move(*middle(view))
    view.locator(".gp-canvas").evaluate("""(canvas, [mode, deltaY, clientX, clientY]) => canvas.dispatchEvent(
        new WheelEvent("wheel", {deltaMode: WheelEvent[`DOM_DELTA_${mode}`], deltaY, clientX, clientY, cancelable: true}))""",
                                        [mode, delta, *middle(view)])
    near = view.wait_rest(lambda viewport: viewport["window"] != whole)["window"]
    assert (near[1] - near[0]) / (r1 - r0) == pytest.approx(2 ** (-0.004 * px), rel=1e-6)


def test_zooming_takes_the_keyboard_so_that_no_key_after_it_is_the_notebooks(view, page):
    page.evaluate("""() => {
        window.keys = [];
        document.addEventListener('keydown', event => keys.push(event.key));
        const cell = Object.assign(document.createElement('div'), {tabIndex: 0});
        document.body.append(cell);
        cell.focus();
    }""")
    page.mouse.move(*middle(view))
    page.keyboard.press("y")
    page.mouse.wheel(0, -120)
    view.wait_sent("set")
    page.keyboard.press("x")
    assert view.wait_sent("set", 2)["values"] == {"x": 1, "y": 2}
    assert page.evaluate("keys") == ["y"]


def test_a_number_that_is_being_typed_keeps_the_keyboard_through_a_wheel(view, page):
    box = view.locator(".gp-limits input").first
    box.fill("0.5")
    page.mouse.move(*middle(view))
    page.mouse.wheel(0, -120)
    view.wait_sent("set")
    page.keyboard.type("75")
    assert box.input_value() == "0.575"
