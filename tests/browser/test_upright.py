"""Pictures of which row 0 is at the bottom, as coordinates that rise have it: what is painted, pointed at, moved and selected."""

import numpy as np
import pytest
from chromium import wait_until

from .states import make_state
from .test_picture import PALETTE, answer, ink_of, middle, settled, show, show_small

RISING = {"x": {"first": 10.0, "step": 0.5, "is_date": False}, "y": {"first": -60.0, "step": 2.0, "is_date": False}}


@pytest.fixture
def view(mount):
    """The widget on a plane of 60 x 80 whose rows rise, its first look answered."""
    view = mount(make_state(origin="lower", rulers=RISING))
    show(view)
    return view


def element_under(viewport, view, x, y):
    box = view.locator(".gp-canvas").bounding_box()
    r0, r1, c0, c1 = viewport["window"]
    return r1 - (y - box["y"]) / box["height"] * (r1 - r0), c0 + (x - box["x"]) / box["width"] * (c1 - c0)


def test_the_first_row_is_painted_at_the_bottom(mount):
    view = mount(make_state(origin="lower"))
    indices = show(view)
    np.testing.assert_array_equal(view.pixels(".gp-canvas"), PALETTE[indices[::-1]])


def test_facets_are_turned_each_by_itself(mount):
    view = mount(make_state(origin="lower", facets={"rows": ["a", "b"], "columns": [""]}))
    viewport = settled(view)
    height, width = viewport["size"]
    indices = np.zeros((2, height, width), np.uint8)
    indices[1], indices[:, 0] = 1, 3
    answer(view, indices, viewport)
    shown = view.pixels(".gp-canvas")
    seen = [shown[row, 5].tolist() for row in (0, height - 1, -height + 1, -1)]
    assert seen == PALETTE[[0, 3, 1, 3]].tolist()


def test_every_pixel_is_pointed_at_as_the_element_that_it_shows(view, page):
    viewport = settled(view)
    box = view.locator(".gp-canvas").bounding_box()
    r0, r1, _, _ = viewport["window"]
    shown = view.pixels(".gp-canvas")
    for down in (0, 1, 100, viewport["size"][0] - 1):
        n = len(view.sent("hover"))
        x, y = round(box["x"]) + 200, round(box["y"]) + down
        page.mouse.move(x, y)
        row = view.wait_sent("hover", n + 1)["row"]
        assert row == pytest.approx(r1 - (y - box["y"] + 0.5) / box["height"] * (r1 - r0), abs=0.1)
        col = view.sent("hover")[-1]["col"]
        assert (shown[down, 200] == PALETTE[(int(row) + int(col)) % 5]).all()


def test_wheel_and_drag_hold_the_element_under_the_pointer(view, page):
    box = view.locator(".gp-canvas").bounding_box()
    x, y = round(box["x"] + 0.3 * box["width"]), round(box["y"] + 0.2 * box["height"])
    page.mouse.move(x, y)
    before = element_under(settled(view), view, x, y)
    page.mouse.wheel(0, -500)
    view.wait_sent("set")
    viewport = view.wait_rest(lambda viewport: viewport["window"][1] - viewport["window"][0] < 40)
    np.testing.assert_allclose(element_under(viewport, view, x, y), before, atol=0.01)
    page.mouse.down()
    page.mouse.move(x + 40, y + 60, steps=5)
    page.mouse.up()
    moved = view.wait_rest(lambda now: now["window"] != viewport["window"])
    np.testing.assert_allclose(element_under(moved, view, x + 40, y + 60), before, atol=0.01)
    assert moved["window"][0] > viewport["window"][0]  # the plane goes down with the hand, and higher rows come in


def test_the_arrow_up_shows_higher_rows(view, page):
    page.mouse.move(*middle(view))
    page.mouse.wheel(0, -500)
    view.wait_sent("set")
    before = view.wait_rest(lambda viewport: viewport["window"][1] - viewport["window"][0] < 40)["window"]
    page.keyboard.press("Shift+ArrowUp")
    after = view.wait_rest(lambda viewport: viewport["window"] != before)["window"]
    assert after[0] > before[0] and after[2:] == pytest.approx(before[2:])


def test_boxes_are_selected_where_they_are_drawn(view, page):
    x, y = middle(view)
    viewport = settled(view)
    corners = [element_under(viewport, view, x - 60, y - 80), element_under(viewport, view, x + 60, y - 20)]
    page.keyboard.down("Alt")
    page.mouse.move(x - 60, y - 80)
    page.mouse.down()
    page.mouse.move(x + 60, y - 20, steps=4)
    page.mouse.up()
    page.keyboard.up("Alt")
    (row0, row1), (col0, col1) = view.wait_sent("set")["values"]["selection"]
    assert (row0, row1) == (int(corners[1][0]), int(np.ceil(corners[0][0]))) and row0 > 30
    assert (col0, col1) == (int(corners[0][1]), int(np.ceil(corners[1][1])))


def test_a_drag_in_the_overview_moves_the_window_there(mount, page):
    view = mount(make_state(origin="lower", view=[[15, 45], [20, 60]]))
    show(view)
    view.wait_rest(lambda viewport: viewport["window"][3] < 70)
    box = view.locator(".gp-canvas").bounding_box()
    left, top = box["x"] + box["width"] - 8 - 96, box["y"] + 8
    page.mouse.move(left + 48, top + 36)
    page.mouse.down()
    page.mouse.move(left + 48, top + 20, steps=4)
    page.mouse.up()
    viewport = view.wait_rest(lambda viewport: viewport["window"][0] > 16)
    assert sum(viewport["window"][:2]) / 2 == pytest.approx(60 * (1 - 20 / 72), abs=1)


def test_numbers_stand_in_their_cells(mount, page):
    texts = [["88" if (r, c) in ((0, 3), (4, 4)) else "" for c in range(8)] for r in range(6)]
    view = mount(make_state(plane=[6, 8], origin="lower"), replies={"values": {"texts": texts}})
    show_small(view)
    wait_until(page, lambda: ink_of(view, (6, 8)), lambda: "no number is printed")
    assert ink_of(view, (6, 8)).keys() == {(5, 3), (1, 4)}  # from the top


def test_another_origin_turns_the_picture_that_is_there(view):
    before = view.pixels(".gp-canvas")
    view.deliver({"k": "state", "state": make_state()})
    view.page.wait_for_timeout(200)
    np.testing.assert_array_equal(view.pixels(".gp-canvas"), before[::-1])
