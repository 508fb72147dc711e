"""What the page says of the pointer for Python: that it has left the elements, and clicks; hands as mice and fingers."""

import numpy as np
import pytest
from chromium import wait_until

from .states import make_frame, make_state
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


@pytest.mark.parametrize("key", [None, "Shift", "Alt"])
def test_the_element_under_a_pointer_that_drags_is_told(view, page, key):
    """It was the one under the place where the drag began, until the pointer moved again."""
    x, y = middle(view)
    if key is None:
        page.mouse.move(x, y)
        page.mouse.wheel(0, -500)
        view.wait_rest(lambda viewport: viewport["window"][3] < 70)
    else:
        page.keyboard.down(key)
    page.mouse.move(x - 60, y - 40)
    page.mouse.down()
    page.mouse.move(x + 60, y + 30, steps=3)

    def expected():
        return element_under(view.sent("viewport")[-1], view, x + 60, y + 30)

    wait_until(page, lambda: np.allclose(places(view, "hover")[-1][:2], expected(), atol=0.3), lambda: f"{places(view, 'hover')} {expected()}")
    page.mouse.up()


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
    np.testing.assert_allclose((clicked["row"], clicked["col"]), element_under(view.sent("viewport")[-1], view, x + 1, y), atol=0.1)


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
    view.wait_rest(lambda viewport: viewport["window"][3] >= 80)
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
    view.wait_rest(lambda viewport: viewport["window"][3] < 60)
    x, y = middle(view)
    fingers = Fingers(page)
    fingers.move([(x, y)], [(x - 80, y + 40)])
    fingers.move([(x - 50, y), (x + 50, y)], [(x - 60, y), (x + 60, y)])
    view.wait_sent("set")
    assert view.sent("click") == []
    page.touchscreen.tap(x + 40, y)
    clicked = view.wait_sent("click")
    at = clicked["row"], clicked["col"]
    view.wait_rest(lambda viewport: np.allclose(element_under(viewport, view, x + 40, y), at, atol=0.2))


def drawn_over(view, plane=(60, 80)):
    """What lies over the plane, in pixels of the picture: uint8 (height, width, 4); 0 beside the plane, where rulers may be."""
    picture, over = (view.locator(name).bounding_box() for name in (".gp-canvas", ".gp-over"))
    top, left = round(picture["y"] - over["y"]), round(picture["x"] - over["x"])
    pixels = view.pixels(".gp-over")[top:top + round(picture["height"]), left:left + round(picture["width"])].astype(int)
    r0, r1, c0, c1 = view.sent("viewport")[-1]["window"]
    height, width = pixels.shape[:2]
    rows, cols = r0 + (np.arange(height) + 0.5) / height * (r1 - r0), c0 + (np.arange(width) + 0.5) / width * (c1 - c0)
    return pixels * np.outer((rows > 0) & (rows < plane[0]), (cols > 0) & (cols < plane[1]))[..., None]


def point(view, row, col):
    r0, r1, c0, c1 = view.sent("viewport")[-1]["window"]
    box = view.locator(".gp-canvas").bounding_box()
    view.page.mouse.move(box["x"] + (col - c0) / (c1 - c0) * box["width"], box["y"] + (row - r0) / (r1 - r0) * box["height"])
    view.wait_sent("hover")


def jump(view, row, col):
    n = len(view.sent("viewport"))
    view.page.evaluate("([row, col]) => { views[0].model.replies.next = {k: 'jump', row, col, text: ''}; }", [int(row), int(col)])
    view.locator(".gp-canvas").press("n")
    view.wait_sent("viewport", n + 1)


@pytest.mark.parametrize("way", [point, jump])
def test_an_element_that_is_pointed_at_or_jumped_to_is_framed(view, way):
    """In white, along its four edges, and nothing else changes over the picture."""
    before = drawn_over(view)
    way(view, 20.5, 30.5)
    after, (r0, r1, c0, c1) = drawn_over(view), view.sent("viewport")[-1]["window"]
    height, width = before.shape[:2]
    top, bottom = ((row - r0) / (r1 - r0) * height for row in (20, 21))
    left, right = ((col - c0) / (c1 - c0) * width for col in (30, 31))
    rows, cols = np.nonzero((before != after).any(-1))
    np.testing.assert_allclose([rows.min(), rows.max(), cols.min(), cols.max()], [top, bottom, left, right], atol=4)
    middle_y, middle_x = int((top + bottom) / 2), int((left + right) / 2)
    for y, x in [(top, middle_x), (bottom, middle_x), (middle_y, left), (middle_y, right)]:
        assert after[round(y) - 1:round(y) + 2, round(x) - 1:round(x) + 2].min(-1).max() > 180
    assert after[middle_y, middle_x, 3] < 100


def test_what_was_jumped_to_is_framed_until_the_elements_change(view):
    """The frame stayed, around whatever element has that place in another slice."""
    before = drawn_over(view)
    jump(view, 20.5, 30.5)
    view.locator(".gp-canvas").press("Escape")
    view.deliver({"k": "state", "state": make_state(version=2, cmap="magma")})
    view.wait_sent("hover", row=None)
    assert (drawn_over(view) != before).any()
    view.deliver({"k": "state", "state": make_state(version=3, data=2)})
    wait_until(view.page, lambda: (drawn_over(view) == before).all(), lambda: "there is a frame")


def test_an_element_too_small_for_a_frame_has_none(mount):
    view = mount(make_state(plane=[600, 800]))
    show(view)
    before = drawn_over(view, (600, 800))
    point(view, 200.5, 300.5)
    np.testing.assert_array_equal(drawn_over(view, (600, 800)), before)


# ---- the selection -----------------------------------------------------------------------------------------------------------

ROWS = [["elements", "50"], ["min", "-1"], ["max", "2"], ["mean", "0.5"], ["std", "1"], ["NaN", "3"]]
STATS = {"stats": {"rows": ROWS, "kind_counts": None, "region": "selection"}}


@pytest.fixture
def selecting(mount):
    view = mount(replies=STATS)
    show(view)
    return view


def drag(page, view, start, end, key=None):
    """From one element to another, with a key held."""
    box, (r0, r1, c0, c1) = view.locator(".gp-canvas").bounding_box(), view.sent("viewport")[-1]["window"]
    places = [(box["x"] + (col - c0) / (c1 - c0) * box["width"], box["y"] + (row - r0) / (r1 - r0) * box["height"])
              for row, col in (start, end)]
    if key:
        page.keyboard.down(key)
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=4)
    page.mouse.up()
    if key:
        page.keyboard.up(key)


@pytest.mark.parametrize("key", ["Alt", "Control"])
@pytest.mark.parametrize(("start", "end"), [((10.5, 20.5), (14.5, 29.5)), ((14.5, 20.5), (10.5, 29.5))])
def test_a_drag_with_a_key_selects_the_elements_that_it_touches(selecting, page, key, start, end):
    window = selecting.sent("viewport")[-1]["window"]
    drag(page, selecting, start, end, key)
    assert selecting.wait_sent("set")["values"] == {"selection": [[10, 15], [20, 30]]}
    assert selecting.sent("viewport")[-1]["window"] == window and selecting.sent("click") == []


def test_a_selection_ends_at_the_plane_and_beside_it_there_is_none(selecting, page):
    drag(page, selecting, (50.5, 70.5), (70, 95), "Alt")
    assert selecting.wait_sent("set")["values"] == {"selection": [[50, 60], [70, 80]]}
    drag(page, selecting, (30.2, 85), (35.5, 88), "Alt")
    drag(page, selecting, (30.5, 30.5), (30.5, 30.5), "Alt")
    assert len(selecting.sent("set")) == 1


def test_its_statistics_are_said_and_asked_again_when_they_are_others(selecting, page):
    drag(page, selecting, (10.5, 20.5), (14.5, 29.5), "Alt")
    selecting.wait_sent("stats", region="selection")
    note = selecting.locator(".gp-note")
    said = "5 × 10 selected: min -1 max 2 mean 0.5 NaN 3"
    page.wait_for_function("([note, said]) => note.textContent.replace(/\\s+/g, ' ').trim() === said", arg=[note.element_handle(), said])
    box = [[10, 15], [20, 30]]
    selecting.deliver({"k": "state", "state": make_state(selection=box, seq={selecting.sent("ready")[0]["page"]: 999})})
    selecting.deliver({"k": "state", "state": make_state(selection=box, version=2)})
    page.mouse.move(*middle(selecting))
    page.mouse.move(5, 5)
    line = selecting.locator(".gp-hover")
    page.wait_for_function("([line, said]) => line.textContent.replace(/\\s+/g, ' ').trim() === said", arg=[line.element_handle(), said])
    assert len([one for one in selecting.sent("stats") if one["region"] == "selection"]) == 1
    selecting.deliver({"k": "state", "state": make_state(selection=box, version=3, data=2)})
    selecting.wait_sent("stats", 2, region="selection")
    selecting.deliver({"k": "state", "state": make_state(version=4, data=2)})
    page.wait_for_function("line => !line.textContent.trim()", arg=line.element_handle())


def test_a_new_state_leaves_the_value_under_the_pointer_in_the_line(selecting, page):
    """Another color map or view put the statistics of the selection there until the pointer moved."""
    drag(page, selecting, (10.5, 20.5), (14.5, 29.5), "Alt")
    line, box = selecting.locator(".gp-hover"), [[10, 15], [20, 30]]
    page.wait_for_function("line => line.textContent.includes('selected')", arg=line.element_handle())
    page.mouse.move(*middle(selecting))
    hover = selecting.wait_sent("hover", 2)
    selecting.deliver({"k": "hover", "seq": hover["seq"], "text": "[3] 7", "index": "[3]", "value": "7", "lines": []})
    assert line.inner_text().split() == ["[3]", "7"]
    selecting.deliver({"k": "state", "state": make_state(selection=box, cmap="gray", vmax=14.0, seq={hover["page"]: 999})})
    assert line.inner_text().split() == ["[3]", "7"]
    assert selecting.locator(".gp-pointer").evaluate("one => one.style.left").startswith("53.3")


def test_escape_clears_it_and_closes_the_help_first(mount, page):
    view = mount(make_state(selection=[[10, 15], [20, 30]]), replies=STATS)
    show(view)
    view.locator(".gp-canvas").focus()
    page.keyboard.press("?")
    page.keyboard.press("Escape")
    assert view.locator(".gp-help").is_hidden() and view.sent("set") == []
    page.keyboard.press("Escape")
    assert view.wait_sent("set")["values"] == {"selection": None}
    page.keyboard.press("Escape")
    page.wait_for_timeout(100)
    assert len(view.sent("set")) == 1


@pytest.mark.parametrize("n_facets", [1, 2])
def test_it_is_outlined_where_its_elements_are(mount, page, n_facets):
    facets = None if n_facets == 1 else {"rows": [], "columns": ["a", "b"]}
    view = mount(make_state(selection=[[10, 20], [20, 40]], facets=facets), replies=STATS)
    viewport = view.wait_sent("viewport", visible=True)
    black = np.full((n_facets, *viewport["size"]), 0)
    view.deliver(*make_frame(black, viewport, palette=[[0, 0, 0, 255]]))
    view.wait_sent("ack")
    picture, over = view.locator(".gp-canvas").bounding_box(), view.locator(".gp-over").bounding_box()
    pixels = view.pixels(".gp-over")
    (r0, r1, c0, c1), width = viewport["window"], viewport["size"][1]
    y = round(picture["y"] - over["y"] + (10 - r0) / (r1 - r0) * viewport["size"][0])
    for facet in range(n_facets):
        x = round(picture["x"] - over["x"] + facet * (picture["width"] - width) + (30 - c0) / (c1 - c0) * width)
        r, _, b, a = pixels[y, x].astype(int)
        assert a > 200 and b > r + 60, f"no line in the accent's blue at {x}, {y}: {pixels[y - 2:y + 3, x]}"
        assert pixels[y + 8, x][3] == 0  # what is selected is not covered


def test_the_panels_may_be_about_it(mount, page):
    view = mount(make_state(selection=[[10, 20], [20, 40]], region="selection"), replies=STATS)
    show(view)
    view.wait_sent("histogram", region="selection")
    choice = view.locator("select[title='Statistics of']")
    assert choice.evaluate("one => [...one.options].map(option => option.value)") == ["view", "slice", "all", "selection"]
    assert choice.input_value() == "selection"
    view.deliver({"k": "state", "state": make_state(version=2)})
    page.wait_for_function("one => one.options.length === 3", arg=choice.element_handle())


def test_of_a_line_it_is_a_stretch(mount, page):
    view = mount(make_state(kind="line", plane=[1, 80], axes=[{"name": "", "size": 80, "role": "x", "index": 0, "op": None}]), replies=STATS)
    view.wait_sent("viewport", visible=True)
    box = view.locator(".gp-canvas").bounding_box()
    page.keyboard.down("Alt")
    page.mouse.move(box["x"] + box["width"] / 4 + 2, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 - 2, box["y"] + 20)
    page.mouse.up()
    page.keyboard.up("Alt")
    assert view.wait_sent("set")["values"] == {"selection": [[0, 1], [20, 40]]}
