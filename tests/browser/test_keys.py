"""Keys on the widget: what they do, and that the notebook around never sees them."""

import itertools
import math

import pytest
from chromium import wait_until

from .states import BINS, make_state, see_bins
from .test_picture import show

PLAIN = [*"abcdefghijklmnopqrstuvwxyz0123456789+-=?/. ", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Enter", "Escape",
         "Delete", "Backspace", "Home", "End", "PageUp", "PageDown", "Shift+N", "Shift+A", "Shift+M", "Shift+ArrowUp"]


@pytest.fixture
def view(mount):
    view = mount()
    show(view)  # a second without a picture puts the poster between the pointer and the canvas
    view.locator(".gp-canvas").focus()
    return view


def listen(page):
    """Collects the keys that reach the document in the bubbling phase, as a notebook's own shortcuts do."""
    page.evaluate("document.addEventListener('keydown', event => (window.heard ??= []).push(event.key))")


def test_no_plain_key_reaches_the_notebook(view, page):
    listen(page)
    for key in PLAIN:
        view.locator(".gp-canvas").focus()
        page.keyboard.press(key)
    page.keyboard.press("Control+s")
    assert page.evaluate("window.heard.filter(key => key !== 'Control')") == ["s"]


def test_every_element_that_takes_the_focus_turns_the_notebooks_shortcuts_off(view):
    tags = view.locator("button, input, select, textarea, summary, [tabindex]")
    assert tags.count() > 5
    without = tags.evaluate_all("all => all.filter(one => one.dataset.lmSuppressShortcuts !== 'true').map(one => one.outerHTML)")
    assert without == []


def test_tab_leaves_the_widget(view, page):
    page.evaluate("document.body.append(Object.assign(document.createElement('button'), {id: 'after'}))")
    for _ in range(60):
        if page.evaluate("document.activeElement.id") == "after":
            return
        page.keyboard.press("Tab")
    pytest.fail("the focus never left the widget")


def test_the_slider_that_arrows_step_is_marked_at_once(mount, page):
    """It was with the next change of the state."""
    x, y = ({**make_state()["axes"][i], "role": "xy"[i]} for i in (0, 1))
    view = mount(make_state(axes=[{**x, "name": name, "role": "index"} for name in ("batch", "head")] + [y, x]))
    view.locator(".gp-canvas").focus()
    for key, name in (("ArrowDown", "head"), ("ArrowUp", "batch")):
        page.keyboard.press(key)
        assert view.locator(".is-focused bdi").first.inner_text() == name


@pytest.mark.parametrize("key, values", [
    ("ArrowRight", {"index": {"0": 3}}), ("ArrowLeft", {"index": {"0": 1}}), ("x", {"x": 1, "y": 2}), ("f", {"aspect": "auto"}),
])
def test_a_key_changes_a_setting(mount, page, key, values):
    view = mount(make_state(axes=[{**make_state()["axes"][0], "index": 2}, *make_state()["axes"][1:]]))
    view.locator(".gp-canvas").focus()
    page.keyboard.press(key)
    assert view.wait_sent("set")["values"] == values


@pytest.mark.parametrize("key, k, fields", [
    ("a", "limits", {"how": "full", "region": "slice"}), ("Shift+A", "limits", {"how": "snap", "region": "slice"}),
    ("Control+a", "limits", {"how": "full", "region": "view"}), ("n", "next", {"step": 1}), ("Shift+N", "next", {"step": -1}),
])
def test_a_key_asks_the_kernel(view, page, key, k, fields):
    page.keyboard.press(key)
    sent = view.wait_sent(k)
    assert {name: sent[name] for name in fields} == fields


@pytest.mark.parametrize("region, asked", [("view", "slice"), ("all", "all")])
def test_limits_of_the_data_follow_after_those_of_the_view(mount, page, region, asked):
    view = mount(make_state(region=region))
    view.locator(".gp-canvas").focus()
    page.keyboard.press("a")
    assert view.wait_sent("limits")["region"] == asked


def test_arrows_choose_among_sliders_and_stop_at_their_ends(mount, page):
    axes = [{"name": "", "size": 3, "role": "index", "index": 2, "op": None}, *make_state()["axes"]]
    view = mount(make_state(axes=axes))
    view.locator(".gp-canvas").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => sentBy(0).some(m => m.k === 'set' && m.values.index[1] === 1)")


def test_zoom_move_and_reset_by_keys(view, page):
    def press(key):
        """The rows and columns in view when all has come to rest."""
        n, before = len(view.sent("set")), view.wait_rest()["window"]
        page.keyboard.press(key)
        view.wait_sent("set", n + 1)
        return view.wait_rest(lambda viewport: viewport["window"] != before)["window"]

    def span(window):
        return window[1] - window[0]

    whole = span(view.wait_rest()["window"])
    press("+")
    near = press("+")
    assert span(near) == pytest.approx(whole / 2.25)
    assert press("Shift+ArrowRight")[2] > near[2]
    assert span(press("-")) == pytest.approx(whole / 1.5)
    assert span(press("r")) == pytest.approx(whole) and view.sent("set")[-1]["values"] == {"view": None}


def test_arrows_move_a_plane_that_has_no_sliders(mount, page):
    view = mount(make_state(axes=make_state()["axes"][1:]))
    view.wait_sent("viewport", visible=True)
    view.locator(".gp-canvas").focus()
    page.keyboard.press("+")
    (before, _), columns = view.wait_sent("set")["values"]["view"]
    page.keyboard.press("ArrowDown")
    (after, _), same = view.wait_sent("set", 2)["values"]["view"]
    assert after > before and same == columns
    view.wait_rest(lambda viewport: viewport["window"][0] == pytest.approx(after))


@pytest.mark.parametrize(("sizes", "index"), [((1, 5), {"1": 1}), ((1, 1), None)])
def test_arrows_leave_out_axes_of_one_element(mount, page, sizes, index):
    """A batch of one was the axis that they stepped: nothing happened, and nothing moved where there was no other."""
    axes = make_state()["axes"]
    view = mount(make_state(axes=[{**axes[0], "size": size} for size in sizes] + axes[1:], view=[[10, 20], [20, 40]]))
    view.wait_sent("viewport", visible=True)
    view.locator(".gp-canvas").press("ArrowRight")
    values = view.wait_sent("set")["values"]
    assert values == {"index": index} if index else values["view"][1][0] > 20


def test_the_next_element_that_is_not_finite_comes_into_view(mount, page):
    view = mount(make_state(plane=[600, 800]),
                 replies={"next": {"k": "jump", "row": 555, "col": 70, "text": "NaN at [0, 555, 70]"}})
    view.wait_sent("viewport", visible=True)
    view.locator(".gp-canvas").focus()
    page.keyboard.press("n")
    view.wait_sent("set")
    r0, r1, c0, c1 = view.wait_rest(lambda viewport: viewport["window"][0] > 0)["window"]
    assert r0 < 555 < r1 < r0 + 100 and c0 < 70 < c1
    page.wait_for_function("() => document.querySelector('.view').textContent.includes('NaN at [0, 555, 70]')")


@pytest.mark.parametrize("shape", [{"kind": "line", "plane": [1, 100_000]}, {"aspect": "auto", "plane": [5, 100_000]}], ids=["line", "wide"])
def test_what_is_found_among_many_narrow_elements_is_zoomed_at(mount, page, shape):
    """Elements as high as the picture, but a small part of a pixel wide, counted as large enough to be seen."""
    view = mount(make_state(**shape), replies={"next": {"k": "jump", "row": 0, "col": 70_000, "facet": 0, "text": "NaN"}})
    view.wait_sent("viewport", visible=True)
    view.locator(".gp-canvas").press("n")
    view.wait_sent("set")
    _, _, c0, c1 = view.wait_rest(lambda viewport: viewport["window"][2] > 0)["window"]
    assert c0 < 70_000 < c1 < c0 + 100


@pytest.mark.parametrize("origin", ["upper", "lower"])
def test_elements_are_read_one_by_one(mount, page, origin):
    """The first one is in the middle; those beyond the edge come into view; each is announced, and Escape ends it."""
    view = mount(make_state(origin=origin), replies={"hover": {"k": "hover", "value": "0.25", "index": "[0, 30, 40]", "lines": []}})
    view.wait_sent("viewport", visible=True)
    view.locator(".gp-canvas").focus()
    for _ in range(6):
        page.keyboard.press("+")
    view.wait_rest(lambda viewport: viewport["window"][3] < 70)
    at = []
    for n, key in enumerate("llljjhk", 1):
        page.keyboard.press(key)
        view.wait_sent("hover", n)
        sent = view.sent("hover")[-1]
        at.append((int(sent["row"]), int(sent["col"])))
    down = -1 if origin == "lower" else 1
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(at)]
    assert steps == [(0, 1), (0, 1), (down, 0), (down, 0), (0, -1), (-down, 0)]
    assert abs(at[0][0] - 30) <= 1 and abs(at[0][1] - 40) <= 1
    page.wait_for_function("() => document.querySelector('[role=status].gp-note').textContent.includes('0.25')")
    for _ in range(60):
        page.keyboard.press("l")
    view.wait_rest(lambda viewport: viewport["window"][3] > 79.9)
    page.keyboard.press("Escape")
    view.wait_sent("hover", row=None, col=None)
    assert max(place["col"] for place in view.sent("hover") if place["col"] is not None) == pytest.approx(79.5, abs=0.5)


def read_beside(view, n):
    """Reads the middle element and `n` others to its right; where the cursor is then."""
    for k in range(n + 1):
        view.page.keyboard.press("l")
        view.wait_sent("hover", k + 1)
    return cursor_of(view)


def cursor_of(view):
    """Row and column of what is read or pointed at, None for nothing."""
    at = view.sent("hover")[-1]
    return None if at["row"] is None else (math.floor(at["row"]), math.floor(at["col"]))


def wait_cursor(view, wanted):
    wait_until(view.page, lambda: cursor_of(view) == wanted, lambda: f"the cursor is at {cursor_of(view)}, not at {wanted}")


def test_the_element_that_is_read_keeps_the_cursor_while_the_window_moves(view, page):
    """The cursor kept its place on the canvas: another element was read after each zoom."""
    at = read_beside(view, 12)
    for key in ("+", "+", "+", "-", "Shift+ArrowLeft", "f"):
        n, before = len(view.sent("hover")), view.sent("viewport")[-1]["window"]
        page.keyboard.press(key)
        view.wait_rest(lambda viewport, before=before: viewport["window"] != before)
        view.wait_sent("hover", n + 1)
        wait_cursor(view, at)
    page.keyboard.press("l")
    wait_cursor(view, (at[0], at[1] + 1))


def test_keys_zoom_at_the_element_that_is_read(view, page):
    row, col = read_beside(view, 30)

    def share():
        r0, r1, c0, c1 = view.sent("viewport")[-1]["window"]
        return (row + 0.5 - r0) / (r1 - r0), (col + 0.5 - c0) / (c1 - c0)

    before, whole = share(), view.wait_rest()["window"]
    for _ in range(4):
        page.keyboard.press("+")
    view.wait_rest(lambda viewport: viewport["window"][1] - viewport["window"][0] < (whole[1] - whole[0]) / 5)
    assert share() == pytest.approx(before)
    wait_cursor(view, (row, col))


def test_keys_zoom_at_the_pointer(view, page):
    box = view.locator(".gp-canvas").bounding_box()
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.3 * box["height"])
    view.wait_sent("hover")
    at = cursor_of(view)
    for _ in range(3):
        page.keyboard.press("+")
    r0, _, c0, _ = view.wait_rest(lambda viewport: viewport["window"][3] - viewport["window"][2] < 40)["window"]
    assert r0 > 2 and c0 > 30
    assert cursor_of(view) == at


def is_inside(at, window):
    r0, r1, c0, c1 = window
    return r0 < at[0] < r1 and c0 < at[1] < c1


def test_a_cursor_out_of_view_reads_nothing_and_comes_back(view, page):
    at = read_beside(view, 0)
    for _ in range(4):
        page.keyboard.press("+")
    view.wait_rest(lambda viewport: viewport["window"][3] < 60)
    for _ in range(4):
        page.keyboard.press("Shift+ArrowRight")
    wait_cursor(view, None)
    page.keyboard.press("r")
    wait_cursor(view, at)
    for _ in range(4):
        page.keyboard.press("+")
    for _ in range(6):
        page.keyboard.press("Shift+ArrowRight")
    wait_cursor(view, None)
    page.keyboard.press("h")
    wait_cursor(view, (at[0], at[1] - 1))
    view.wait_rest(lambda viewport: is_inside((at[0], at[1] - 1), viewport["window"]))


def test_the_cursor_stays_on_its_element_where_x_and_y_change_places(view, page):
    row, col = read_beside(view, 0)
    axes = make_state()["axes"]
    swapped = [{**axis, "role": {"x": "y", "y": "x"}.get(axis["role"], axis["role"])} for axis in axes]
    view.deliver({"k": "state", "state": make_state(axes=swapped, plane=[80, 60], version=2)})
    wait_cursor(view, (col, row))
    view.deliver({"k": "state", "state": make_state(axes=swapped, plane=[80, 60], version=3)})
    view.deliver({"k": "state", "state": make_state(version=4)})
    wait_cursor(view, (row, col))


def test_the_pointer_takes_over_from_the_cursor(view, page):
    show(view)  # without a picture a notice covers the canvas after a while, which the pointer then leaves
    read_beside(view, 3)
    box = view.locator(".gp-canvas").bounding_box()
    page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + 0.1 * box["height"])
    wait_until(page, lambda: cursor_of(view)[0] < 8, lambda: f"the cursor is at {cursor_of(view)}")
    page.keyboard.press("l")
    under = cursor_of(view)
    assert under[1] < 15


def test_reading_goes_on_from_the_next_element_that_is_not_finite(mount, page):
    """It went on from wherever the jump had put the place of the cursor."""
    view = mount(make_state(plane=[600, 800]),
                 replies={"next": {"k": "jump", "row": 5, "col": 790, "facet": 0, "text": "NaN at [0, 5, 790]"}})
    view.wait_sent("viewport", visible=True)
    view.locator(".gp-canvas").focus()
    read_beside(view, 2)
    page.keyboard.press("n")
    wait_cursor(view, (5, 790))
    page.keyboard.press("l")
    wait_cursor(view, (5, 791))
    page.keyboard.press("j")
    wait_cursor(view, (6, 791))


def test_a_cursor_in_a_facet_that_is_no_more_is_gone(mount, page):
    state = make_state(plane=[60, 80], facets={"rows": [], "columns": ["a", "b"]})
    view = mount(state, replies={"next": {"k": "jump", "row": 5, "col": 7, "facet": 1, "text": "NaN"}})
    view.wait_sent("viewport", visible=True)
    view.locator(".gp-canvas").focus()
    page.keyboard.press("n")
    view.wait_sent("hover")
    wait_cursor(view, (5, 7))
    assert view.sent("hover")[-1]["facet"] == 1
    view.deliver({"k": "state", "state": {**state, "facets": None, "version": 2}})
    wait_cursor(view, None)
    page.keyboard.press("l")
    wait_until(page, lambda: cursor_of(view), lambda: "nothing is read")
    assert view.sent("hover")[-1]["facet"] == 0


def test_the_help_opens_lists_the_keys_and_gives_the_focus_back(view, page):
    page.keyboard.press("?")
    view.locator(".gp-help").wait_for()
    assert "next, previous NaN or Inf" in view.locator(".gp-help").text_content()
    page.keyboard.press("Escape")
    view.locator(".gp-help").wait_for(state="hidden")
    assert page.evaluate("document.activeElement.className") == "gp-canvas"


def test_the_help_lies_over_the_handles_of_the_histogram_and_is_as_wide_as_its_page(mount, page):
    """They were painted over its text in narrow cells, and took presses there; the button to close it took a column of the text's."""
    view = mount(width=240, replies={"histogram": BINS})
    see_bins(view)
    view.locator(".gp-canvas").press("?")
    view.locator(".gp-help").wait_for()
    plot, text, whole = (view.locator(part).bounding_box() for part in (".gp-plot", ".gp-help dl", ".gp-help"))
    for share in (3 / 8, 5 / 8):
        place = [plot["x"] + share * plot["width"], plot["y"] + 66]
        assert page.evaluate("place => Boolean(document.elementFromPoint(...place).closest('.gp-help'))", place)
    assert whole["width"] - text["width"] == 34


def test_what_is_typed_into_a_box_is_no_key(view, page):
    box = view.locator("input:not([type=range]):not([type=checkbox])").first
    box.focus()
    for key in "xrna":
        page.keyboard.press(key)
    assert view.sent("set") == [] and view.sent("next") == [] and view.sent("limits") == []
