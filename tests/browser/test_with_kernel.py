"""What a person sees of a tensor, from its elements to the pixels of the page: a real inspector behind a real page."""

import itertools
import warnings

import numpy as np
import pytest

import gpuplot

from .bridge import Bridge

MAGENTA, CYAN = [255, 0, 255], [0, 255, 255]
RNG = np.random.default_rng(0)


@pytest.fixture
def open_inspector(page):
    """A function that inspects a tensor on a page and waits until its picture and its counts are there."""
    widgets = []

    def open_one(X, width=900, **options):
        with warnings.catch_warnings(action="ignore"):  # that no notebook is there
            widgets.append(gpuplot.inspect(X, **options))
        view = Bridge(page, widgets[-1], width=width)
        view.talk(lambda: any(ack["drawn"] for ack in view.sent("ack")) and view.locator(".gp-pill b").first.inner_text() != "–")
        return view

    yield open_one
    for widget in widgets:
        widget.close()


def marks_in(view, color):
    """Rows and columns of the canvas that have a color."""
    return np.nonzero((view.pixels(".gp-canvas")[..., :3] == color).all(-1))


def is_one_mark(found):
    """Three or four pixels a side: a pixel more where the element lies between two."""
    rows, _ = found
    sides = [np.ptp(places) + 1 if len(places) else 0 for places in found]
    return set(sides) <= {3, 4} and len(rows) == sides[0] * sides[1]


@pytest.mark.parametrize("shape", [(900, 1100), (900, 1100, 3)], ids=["numbers", "colors"])
def test_a_lone_mark_among_a_million_elements_is_three_pixels_wide(open_inspector, shape):
    X = RNG.random(shape, "f4")
    X[402, 503] = np.nan
    if len(shape) == 2:
        X[700, 200] = np.inf
    view = open_inspector(X)
    assert is_one_mark(marks_in(view, MAGENTA))
    assert is_one_mark(marks_in(view, CYAN)) == (len(shape) == 2)


def test_what_is_left_of_nan_that_is_left_out_is_not_made_larger(open_inspector):
    """A third of all elements are: the few pixels that have nothing else would look like all of them."""
    X = RNG.random((900, 1100), "f4")
    X[RNG.random(X.shape) < 0.3] = np.nan
    X[402, 503] = np.inf
    view = open_inspector(X)
    assert len(marks_in(view, MAGENTA)[0]) < 0.01 * X.size and is_one_mark(marks_in(view, CYAN))


# The overlay's texts: what is drawn where, [text, left, right, top, bottom] in CSS pixels from the picture's corner.
RECORD = """() => {
  const { fillText, reset } = CanvasRenderingContext2D.prototype;
  window.drawn = [];
  CanvasRenderingContext2D.prototype.reset = function () { window.drawn = []; reset.call(this); };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const wide = this.measureText(text).width, left = x - wide * { center: 0.5, right: 1, left: 0 }[this.textAlign];
    const high = parseFloat(this.font), { a: scale, e, f } = this.getTransform();
    window.drawn.push([text, left + e / scale, left + wide + e / scale, y - high / 2 + f / scale, y + high / 2 + f / scale]);
    fillText.call(this, text, x, y);
  };
}"""


def numbers_on(view):
    """What is printed in cells, with its place; rulers are beside the plane, which is in the middle of the canvas."""
    canvas, over = (view.locator(part).bounding_box() for part in (".gp-canvas", ".gp-over"))
    left, top = canvas["x"] - over["x"], canvas["y"] - over["y"]
    r0, r1, c0, c1 = view.sent("viewport")[-1]["window"] if view.sent("viewport") else (0, 1, 0, 1)
    bottom, beside = canvas["height"] * (1 - max(0, -r0) / (r1 - r0)), canvas["width"] * max(0, -c0) / (c1 - c0)
    inside = [[text, x0 - left, x1 - left, y0 - top, y1 - top] for text, x0, x1, y0, y1 in view.page.evaluate("drawn")]
    return [one for one in inside if one[3] < bottom and one[2] > beside], canvas


def test_numbers_of_neighbors_keep_apart(open_inspector, page):
    page.evaluate(RECORD)
    view = open_inspector(RNG.integers(100_000, 1_000_000, (12, 18)))
    view.talk(lambda: len(numbers_on(view)[0]) == 12 * 18, "a number in each cell")
    places = sorted(numbers_on(view)[0], key=lambda one: (round(one[3]), one[1]))
    gaps = [b[1] - a[2] for a, b in itertools.pairwise(places) if round(a[3]) == round(b[3])]
    assert len(gaps) == 12 * 17 and min(gaps) > 5.9


def test_numbers_that_do_not_fit_their_cells_are_left_out(open_inspector, page):
    page.evaluate(RECORD)
    X = RNG.integers(0, 10, (12, 24)).astype(float)
    X[3, 4] = -1.234e-100
    view = open_inspector(X)
    view.talk(lambda: len(numbers_on(view)[0]) > 100, "numbers")
    assert len(numbers_on(view)[0]) == X.size - 1


@pytest.mark.parametrize("low, high", [(-3, 3), (-100, 0), (-1000, 0), (-0.01, 0.01)])
def test_small_cells_have_fewer_digits(open_inspector, page, low, high):
    """Seven letters were too many for a cell of 35 px: the numbers of all negative elements were missing."""
    page.evaluate(RECORD)
    X = RNG.uniform(low, high, (16, 17))
    view = open_inspector(X, height=560)
    view.talk(lambda: len(numbers_on(view)[0]) == X.size, "a number in each cell")
    assert min(float(text) for text, *_ in numbers_on(view)[0]) < 0.9 * low


def test_numbers_are_whole_or_not_there(open_inspector, page):
    """The last digits of a number that is cut by the edge, or by the overview, read as another number."""
    page.evaluate(RECORD)
    view = open_inspector(RNG.integers(10_000, 99_999, (400, 400)))
    view.widget.view = ((100.4, 106.4), (100.4, 110.4))
    view.talk(lambda: len(numbers_on(view)[0]) > 20, "numbers")
    found, canvas = numbers_on(view)
    # The overview is 96 px wide, 8 px from the corner.
    corner = canvas["width"] - 104
    assert all(x0 >= 0 and x1 <= canvas["width"] and y0 >= 0 and y1 <= canvas["height"] for _, x0, x1, y0, y1 in found)
    assert not [one for one in found if one[2] > corner and one[3] < 104]
    assert {len(text) for text, *_ in found} == {5}


@pytest.mark.parametrize("X, text", [
    (np.full((900, 1100), np.nan), "all NaN"), (np.ma.masked_all((900, 1100)), "all masked"), (np.full((900, 1100), np.inf), "no finite element"),
    (np.full(9000, np.nan), "all NaN"), (np.zeros((900, 1100)), None)], ids=["nan", "masked", "infinite", "line", "zeros"])
def test_a_picture_without_a_finite_element_says_so(open_inspector, page, X, text):
    page.evaluate(RECORD)
    view = open_inspector(X)
    view.talk(lambda: [one for one, *_ in numbers_on(view)[0] if one[0] in "an"] == [text] * (text is not None), text)


def test_a_nan_in_another_slice_is_told_while_the_picture_rests(open_inspector):
    X = RNG.standard_normal((6, 600, 600)).astype("f4")
    X[3, 100, 100] = np.nan
    view = open_inspector(X)
    view.talk(lambda: view.locator(".gp-tensor b").inner_text() == "has NaN", "what the tensor has")
    assert view.locator(".gp-pill b").first.inner_text() == "0"
    view.widget.index = {0: 3}
    view.talk(lambda: view.locator(".gp-pill b").first.inner_text() == "1", "the counts of the slice")


def test_the_ends_of_the_color_bar_follow_the_limits(open_inspector):
    view = open_inspector(RNG.standard_normal((30, 40)), center=None)

    def ends():
        return view.locator(".gp-colors").get_attribute("class").split()[1:]

    assert ends() == []
    view.widget.vmin = 0
    view.talk(lambda: ends() == ["has-under"], "the lower end")
    view.widget.limits = (-1, 1)
    view.talk(lambda: ends() == ["has-under", "has-over"], "both ends")


def test_two_large_tensors_are_compared_to_the_end(open_inspector):
    """The page asks as long as there is more; the notes then have the numbers of all elements."""
    a = RNG.random((1100, 1200), "f4")
    b = a.copy()
    b[701, 99] += 2
    view = open_inspector({"a": a, "b": b})
    view.widget.item = "a - b"
    view.talk(lambda: "largest difference 2 at [701, 99]" in " ".join(view.locator(".gp-notice").all_text_contents()), "the comparison")
    assert not view.widget._controller.state()["is_comparing"]


def test_keys_read_elements_one_by_one(open_inspector, page):
    values = np.arange(64 * 80, dtype="f4").reshape(64, 80)
    view = open_inspector(values)
    view.locator(".gp-canvas").focus()
    for key, value in (("l", 32 * 80 + 40), ("l", 32 * 80 + 41), ("k", 31 * 80 + 41)):
        page.keyboard.press(key)
        view.talk(lambda value=value: f"] {value}" in view.locator("[role=status].gp-note").inner_text())
    page.keyboard.press("Escape")
    view.talk(lambda: view.locator(".gp-hover").inner_text() == "")


@pytest.mark.parametrize("n_zooms", [4, 5, 6, 8])
@pytest.mark.parametrize("scale", [1, 0.5])
def test_cells_of_a_grid_of_small_pictures_have_numbers_where_there_is_room(open_inspector, page, n_zooms, scale):
    """There were none from the fifth zoom on: the middle of no cell is seen there, at which the number would be cut."""
    page.evaluate(RECORD)
    values = np.arange(8**4).reshape(8, 8, 8, 8) * scale
    view = open_inspector(values, rows=0, columns=1)
    for _ in range(n_zooms):
        view.locator(".gp-canvas").press("+")
    shown = {f"{values[i, j, k, m]:.{int(scale < 1)}f}" for i, j, k, m in itertools.product(range(8), range(8), (3, 4), (3, 4))}
    # Labels are above and to the left.
    view.talk(lambda: shown <= {text for text, x0, _, y0, _ in page.evaluate("drawn") if y0 > 18}, "a number in each cell that is seen")
    height, width = view.sent("viewport")[-1]["size"]
    places = [[x0, x1, y0, y1] for text, x0, x1, y0, y1 in numbers_on(view)[0] if text in shown and x0 > 0]
    assert len(places) >= 256
    assert all(x0 % (width + 6) < x1 % (width + 6) <= width and y0 % (height + 6) < y1 % (height + 6) <= height for x0, x1, y0, y1 in places)


@pytest.mark.parametrize("width, n_columns, least", [(300, 1, 24), (300, 2, 24), (900, 1, 24)])
def test_pictures_of_a_long_column_can_be_seen(open_inspector, width, n_columns, least):
    """64 in a column were two pixels high."""
    view = open_inspector(np.zeros((64, n_columns, 16, 16)), width=width, rows=0, columns=1)
    assert min(view.sent("viewport")[-1]["size"]) >= least


def test_axes_that_swap_right_after_a_zoom_show_the_same_elements(open_inspector, page):
    """The view, told once the zoom rests, was taken for one of the swapped plane."""
    view = open_inspector(np.arange(60.0 * 80).reshape(60, 80))
    box = view.locator(".gp-canvas").bounding_box()
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.wheel(0, -600)
    page.wait_for_function("sentBy(0).filter(({ k, window: [top] = [0] }) => k === 'viewport' && top > 1).length")
    page.keyboard.press("x")
    view.talk(lambda: view.widget.x == 0 and view.sent("viewport")[-1]["window"][0] > 1, "the swapped view")
    (row0, row1), (col0, col1) = view.widget.view
    assert 30 < row0 < row1 == 80 and 10 < col0 < 30 < col1 < 50
