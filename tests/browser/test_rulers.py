"""What is written beside the plane: ticks, and the names of the axes where there is room for them."""

import pytest

from .states import make_state
from .test_picture import show
from .test_with_kernel import RECORD

SPY = """() => {
  const { fillText, reset } = CanvasRenderingContext2D.prototype;
  [window.written, window.begun] = [[], 0];
  // Which a drawing begins with.
  CanvasRenderingContext2D.prototype.reset = function () { begun = written.length; reset.call(this); };
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { written.push([String(text), ...rest]); fillText.call(this, text, ...rest); };
}"""


# The picture is drawn once more where the page's layout is ready only afterwards.
UNTIL_QUIET = """async () => {
    for (let n = 0; n !== written.length;) {
        n = written.length;
        await new Promise(resolve => setTimeout(resolve, 100));
    }
}"""


def written(view, do):
    """(text, x, y) of all that `do` writes over the picture, after which nothing more is to come."""
    view.page.evaluate("() => { written.length = 0; }")
    do()
    view.page.wait_for_function("() => written.length > 4")
    view.page.evaluate(UNTIL_QUIET)
    return view.page.evaluate("() => written")


def test_rulers_end_with_the_names_of_their_axes(mount, page):
    page.evaluate(SPY)
    axes = make_state()["axes"]
    axes[2]["name"] = "longitude"
    view = mount(make_state(axes=axes))
    texts = [text for text, *_ in written(view, lambda: show(view))]
    assert "longitude" in texts and "axis 1" in texts
    ticks = [int(text) for text in texts if text.isdecimal()]
    assert 0 in ticks and 40 in ticks and 80 not in ticks


LONG = [(101325.2, 101325.4), (1.7e9, 1.7e9 + 8), (-1234567.9, -1234567.8), (-2e-7, 3e-7), (1e6 - 3e-9, 1e6)]


@pytest.mark.parametrize("vmin, vmax", LONG)
def test_the_numbers_beside_a_line_are_whole(mount, page, vmin, vmax):
    """Their first digits were cut, which made others of them: 234567.8 of -1234567.8."""
    page.evaluate(RECORD)
    view = mount(make_state(kind="line", plane=[1, 100], vmin=vmin, vmax=vmax))
    page.wait_for_function("drawn.length > 4")
    assert min(left for _, left, *_ in page.evaluate("drawn")) >= 0
    assert view.locator(".gp-canvas").bounding_box()["width"] > 740


def test_the_room_for_the_numbers_beside_a_line_follows_its_limits(mount, page):
    page.evaluate(RECORD)
    view = mount(make_state(kind="line", plane=[1, 100]))
    before = view.wait_sent("viewport", visible=True)["size"][1]
    view.deliver({"k": "state", "state": make_state(kind="line", plane=[1, 100], vmin=1.7e9, vmax=1.7e9 + 8, version=2)})
    view.wait_rest(lambda viewport: viewport["size"][1] < before)
    page.wait_for_function("drawn.some(([text]) => text === '1700000004')")
    assert min(left for _, left, *_ in page.evaluate("drawn")) >= 0


def test_a_name_that_is_longer_than_its_ruler_is_left_out(mount, page):
    page.evaluate(SPY)
    axes = make_state()["axes"]
    axes[1]["name"] = axes[2]["name"] = "a name of forty letters, and not shorter"
    view = mount(make_state(axes=axes), width=300)
    assert not [text for text, *_ in written(view, lambda: show(view)) if text.startswith("a name")]


@pytest.mark.parametrize("width", [470, 520])
def test_ticks_keep_away_from_the_names_of_their_axes(mount, page, width):
    page.evaluate(SPY)
    axes = make_state()["axes"]
    axes[2]["name"] = "longitude"
    view = mount(make_state(axes=axes), width=width)
    texts = written(view, lambda: show(view))
    name = max(i for i, (text, *_) in enumerate(texts) if text == "longitude")  # of the last time that it was drawn
    _, middle, line, *_ = texts[name]
    end = view.locator(".gp-canvas").bounding_box()["width"]
    ticks = [x for text, x, y, *_ in texts[name + 1:] if y == line]
    assert ticks and max(ticks) < 2 * middle - end - 12


def test_rulers_lie_beside_the_plane_where_the_canvas_is_wider(mount, page):
    """Numbers half a page to the left of the rows that they count cannot be read."""
    page.evaluate(SPY)
    view = mount(make_state(plane=[80, 20]), width=900)
    texts = written(view, lambda: show(view))
    canvas = view.locator(".gp-canvas").bounding_box()
    left, right = (canvas["width"] / 2 + side * canvas["height"] / 8 for side in (-1, 1))
    rows = [x for text, x, y, *_ in texts if text in ("20", "60") and y < canvas["height"]][-2:]  # of the last time that they were drawn
    assert rows and all(left - 40 < x < left for x in rows)
    name = [x for text, x, *_ in texts if text == "axis 2"][-1]
    assert right < name < right + 60


def ticks_under(view):
    """What is written under the picture of `view` where it was last drawn: [(text, x), ...]."""
    height = view.locator(".gp-canvas").bounding_box()["height"]
    return [(text, x) for text, x, y, *_ in view.page.evaluate("() => written.slice(begun)") if y > height]


def point_at(view, x):
    """What is written under the picture while the pointer is so many pixels from its left edge."""
    box = view.locator(".gp-canvas").bounding_box()
    written(view, lambda: view.page.mouse.move(box["x"] + x, box["y"] + 50))
    return dict(ticks_under(view))


def test_the_pointer_over_the_name_of_an_axis_takes_its_place(mount, page):
    page.evaluate(SPY)
    axes = make_state()["axes"]
    axes[2]["name"] = "longitude"
    view = mount(make_state(axes=axes), width=520)
    written(view, lambda: show(view))
    name = dict(ticks_under(view))["longitude"]
    assert "longitude" in point_at(view, name - 60)
    assert "longitude" not in point_at(view, name)


def test_the_pointer_hides_only_the_dates_that_it_touches(mount, page):
    """Dates further away were hidden, as if each were moved to end with the picture."""
    page.evaluate(SPY)
    view = mount(make_state(rulers={"x": {"first": 0, "step": 864e6, "is_date": True}, "y": None}), width=520)
    written(view, lambda: show(view))
    x = dict(ticks_under(view))["1970-07-01"]
    assert "1970-07-01" in point_at(view, x + 86)
    assert "1970-07-01" not in point_at(view, x + 46)


@pytest.mark.parametrize("col, shown", [(30, {"20", "30", "40"}), (21, {"21", "40"})])
def test_the_pointer_hides_only_the_ticks_that_it_touches(mount, page, col, shown):
    """Short numbers were hidden as if they were as long as the longest that a ruler may have."""
    page.evaluate(SPY)
    view = mount(make_state(rulers={"x": {"first": 0, "step": 1, "is_date": False}, "y": None}), width=520)
    written(view, lambda: show(view))
    box = view.locator(".gp-canvas").bounding_box()
    texts = written(view, lambda: page.mouse.move(box["x"] + (col + 0.5) / 80 * box["width"], box["y"] + 50))
    assert {text for text, _, y, *_ in texts if y > box["height"]} & {"20", "21", "30", "40"} == shown
