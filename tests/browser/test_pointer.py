"""What the page says of the pointer for Python: that it has left the elements, and clicks; hands as mice and fingers."""

import numpy as np
import pytest

from .states import make_state
from .test_gestures import Fingers
from .test_picture import element_under, middle, show


@pytest.fixture
def view(mount):
    """The widget on a plane of 60 x 80, its first look answered."""
    view = mount()
    show(view)
    return view


def places(view, k):
    return [(message["row"], message["col"], message["facet"]) for message in view.sent(k)]


NOWHERE = (None, None, 0)


def test_that_the_pointer_leaves_the_plane_is_said_once(view, page):
    x, y = middle(view)
    page.mouse.move(x, y)
    view.wait_sent("hover")
    page.mouse.move(5, 5)
    view.wait_sent("hover", row=None, col=None, facet=0)
    view.deliver({"k": "state", "state": make_state(version=2)})
    page.mouse.move(5, 8)
    page.mouse.move(x, y)
    view.wait_sent("hover", 3)
    assert [place == NOWHERE for place in places(view, "hover")] == [False, True, False]


def test_a_pointer_that_goes_while_answers_wait_is_gone_at_the_end(mount, page):
    view = mount(replies={})
    show(view)
    x, y = middle(view)
    for i in range(6):  # nobody answers: at most two are under way
        page.mouse.move(x + 20 * i, y)
    page.mouse.move(5, 5)
    view.wait_sent("hover", row=None)
    page.wait_for_timeout(600)
    assert places(view, "hover")[-1] == NOWHERE


def test_a_tensor_without_a_picture_has_nothing_under_the_pointer(view, page):
    page.mouse.move(*middle(view))
    view.wait_sent("hover")
    view.deliver({"k": "state", "state": make_state(version=2, data=2, kind="text", text="0-d float32: 1")})
    view.wait_sent("hover", row=None, col=None, facet=0)


def test_a_press_that_stays_where_it_came_is_a_click(view, page):
    x, y = middle(view)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 1, y)
    page.mouse.up()
    clicked = view.wait_sent("click")
    assert clicked["facet"] == 0
    np.testing.assert_allclose((clicked["row"], clicked["col"]), element_under(view.sent("look")[-1], view, x + 1, y), atol=0.1)


def test_drags_boxes_other_buttons_and_the_rest_of_a_double_click_are_none(view, page):
    x, y = middle(view)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -500)
    view.wait_sent("set")
    page.mouse.down()
    page.mouse.move(x + 30, y, steps=3)
    page.mouse.move(x, y, steps=3)  # back where it came from
    page.mouse.up()
    page.mouse.click(x, y, button="right")
    page.mouse.click(x, y, button="middle")
    page.keyboard.down("Shift")
    page.mouse.click(x + 60, y)
    page.keyboard.up("Shift")
    page.mouse.click(5, 5)
    assert view.sent("click") == []
    page.mouse.dblclick(x - 60, y)
    view.wait_rest(lambda look: look["window"][3] >= 80)
    assert len(view.sent("click")) == 1


def test_a_press_beside_the_plane_is_no_click(mount, page):
    view = mount(make_state(plane=[60, 20], axes=[
        {"name": "", "size": 60, "role": "y", "index": 0, "op": None}, {"name": "", "size": 20, "role": "x", "index": 0, "op": None}]))
    show(view)
    box = view.locator(".gp-canvas").bounding_box()
    page.mouse.click(box["x"] + 3, box["y"] + box["height"] / 2)
    page.mouse.click(*middle(view))
    view.wait_sent("click")
    assert len(view.sent("click")) == 1


def test_a_tap_of_a_finger_is_a_click_and_a_drag_is_none(mount, open_page):
    page = open_page(has_touch=True)
    view = mount(make_state(view=[[10.0, 30.0], [20.0, 50.0]]), on=page)
    show(view)
    view.wait_rest(lambda look: look["window"][3] < 60)
    x, y = middle(view)
    fingers = Fingers(page)
    fingers.move([(x, y)], [(x - 80, y + 40)])
    fingers.move([(x - 50, y), (x + 50, y)], [(x - 60, y), (x + 60, y)])
    view.wait_sent("set")
    assert view.sent("click") == []
    page.touchscreen.tap(x + 40, y)
    clicked = view.wait_sent("click")
    np.testing.assert_allclose((clicked["row"], clicked["col"]), element_under(view.wait_rest(), view, x + 40, y), atol=0.2)
