"""The picture with a fake kernel: what is on the canvas, what is asked for and acknowledged, wheel, drag, box, size and sight."""

import numpy as np
import pytest
from chromium import wait_until

from gpuplot.inspector.kernel.messages import parse

from .states import make_frame, make_state
from .test_with_kernel import RECORD

PALETTE = np.array([[40 * i, 255 - 40 * i, 10 * i, 255] for i in range(6)], np.uint8)


def indices_of(viewport, plane, scale=1):
    """Palette indices of a plane whose element (r, c) is (r + c) % 5, seen through a look; 5 beyond the plane.

    A middle between two elements shows the later one, as in the kernel, whatever is lost in rounding.
    """
    r0, r1, c0, c1 = viewport["window"]
    h, w = (max(1, side // scale) for side in viewport["size"])
    rows = np.floor(r0 + (np.arange(h) + 0.5) * (r1 - r0) / h + 1e-9).astype(int)
    cols = np.floor(c0 + (np.arange(w) + 0.5) * (c1 - c0) / w + 1e-9).astype(int)
    inside = ((rows >= 0) & (rows < plane[0]))[:, None] & ((cols >= 0) & (cols < plane[1]))
    return np.where(inside, (rows[:, None] + cols) % 5, 5).astype(np.uint8)


@pytest.fixture
def view(mount):
    """The widget on a plane of 60 x 80 with its first look answered."""
    view = mount()
    show(view)
    return view


def show(view, **fields):
    """Answers the newest look; the frame's indices."""
    viewport = view.wait_sent("viewport", visible=True)
    indices = indices_of(viewport, (60, 80))
    answer(view, indices, viewport, **fields)
    return indices


def answer(view, indices, viewport, *, drawn=True, **fields):
    fields = {"id": 100 + viewport["seq"], "palette": PALETTE, **fields}
    view.deliver(*make_frame(indices, viewport, **fields))
    view.wait_sent("ack", id=fields["id"], drawn=drawn)


def middle(view):
    box = view.locator(".gp-canvas").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def element_under(viewport, view, x, y):
    box = view.locator(".gp-canvas").bounding_box()
    r0, r1, c0, c1 = viewport["window"]
    return (r0 + (y - box["y"]) / box["height"] * (r1 - r0), c0 + (x - box["x"]) / box["width"] * (c1 - c0))


def settled(view, count=1):
    """The newest look of a hand at rest."""
    return view.wait_sent("viewport", count, moving=False, visible=True)


@pytest.mark.parametrize("is_zlib", [False, True])
@pytest.mark.parametrize("joined", [False, True])
def test_a_frame_is_on_the_canvas_pixel_by_pixel(mount, joined, is_zlib):
    view = mount(joined=joined)
    indices = show(view, is_zlib=is_zlib)
    np.testing.assert_array_equal(view.pixels(".gp-canvas"), PALETTE[indices])


def test_rgba_is_on_the_canvas(mount):
    view = mount()
    viewport = view.wait_sent("viewport", visible=True)
    pixels = np.random.default_rng(0).integers(0, 256, (*viewport["size"], 4), np.uint8)
    pixels[..., 3] = 255
    answer(view, pixels, viewport, palette=None)
    np.testing.assert_array_equal(view.pixels(".gp-canvas"), pixels)


def test_the_first_look_contains_the_plane_and_fits_the_canvas(mount):
    viewport = mount().wait_sent("viewport", visible=True)
    r0, r1, c0, c1 = viewport["window"]
    assert r0 <= 0 and r1 >= 60 and c0 <= 0 and c1 >= 80
    assert (r1 - r0) / viewport["size"][0] == pytest.approx((c1 - c0) / viewport["size"][1])
    assert r0 == pytest.approx(0) or c0 == pytest.approx(0)


def test_the_size_is_in_device_pixels(mount, open_page):
    page = open_page(device_scale_factor=2)
    view = mount(on=page)
    viewport = view.wait_sent("viewport", visible=True)
    box = view.locator(".gp-canvas").bounding_box()
    np.testing.assert_allclose(viewport["size"], [2 * box["height"], 2 * box["width"]], atol=1)


def test_all_is_fitted_again_when_the_cell_gets_another_width(mount, page):
    view = mount(width=900)
    first = view.wait_sent("viewport", visible=True)
    page.evaluate("views[0].host.style.width = '500px'")
    page.wait_for_function("width => sentBy(0).at(-1).k && sentBy(0).filter(m => m.k === 'viewport').at(-1).size[1] < width",
                           arg=first["size"][1])
    assert show(view).shape[1] < first["size"][1]


def test_the_element_under_the_wheel_stays_there(view, page):
    box = view.locator(".gp-canvas").bounding_box()
    for down, right in [(0.3, 0.4), (0.9, 0.2)]:
        # The pointer's place in a wheel event is in whole pixels.
        x, y = round(box["x"] + right * box["width"]), round(box["y"] + down * box["height"])
        page.mouse.move(x, y)
        before = element_under(settled(view), view, x, y)
        for _ in range(3):
            n = len(view.sent("viewport"))
            page.mouse.wheel(0, -120)
            view.wait_sent("viewport", n + 1)
            np.testing.assert_allclose(element_under(view.sent("viewport")[-1], view, x, y), before, atol=1e-6)
        r0, r1, c0, c1 = view.wait_rest()["window"]
        assert r1 - r0 < 60 and c1 - c0 < 80


def test_the_last_frame_stands_under_the_new_window_at_once(view, page):
    x, y = middle(view)
    page.mouse.move(x, y)
    n = len(view.sent("viewport"))
    page.mouse.wheel(0, -250)
    viewport = view.wait_sent("viewport", n + 1)
    shown = view.pixels(".gp-canvas")
    # Nobody answered: what is there is the old frame, enlarged; elements are larger than pixels and keep their colors.
    wanted = PALETTE[indices_of(viewport, (60, 80))]
    assert (shown == wanted).all(-1).mean() > 0.9


def test_moving_looks_say_so_and_the_last_one_does_not(view, page, clock):
    page.mouse.move(*middle(view))
    clock.run_for(1000)
    n = len(view.sent("viewport"))
    page.mouse.wheel(0, -240)
    # The browser hands over the wheel when it has time.
    wait_until(page, lambda: clock.run_for(20) or len(view.sent("viewport")) > n, lambda: "nothing is looked at")
    moving = view.sent("viewport")[-1]
    assert moving["visible"] is True and moving["moving"] is True and view.sent("set") == []
    clock.run_for(1000)
    rest = view.sent("viewport")[-1]
    assert rest["moving"] is False and rest["window"] == moving["window"]
    assert view.wait_sent("set")["values"]["view"] is not None


def test_a_drag_moves_the_plane_with_the_pointer(view, page):
    x, y = middle(view)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -500)
    view.wait_sent("set")
    before = element_under(view.wait_rest(lambda viewport: viewport["window"][1] < 60), view, x, y)
    page.mouse.down()
    page.mouse.move(x - 70, y + 40, steps=5)
    page.mouse.up()
    view.wait_rest(lambda viewport: np.allclose(element_under(viewport, view, x - 70, y + 40), before, atol=1e-6))
    view.wait_sent("set", 2)


def test_shift_and_drag_zoom_to_a_box_and_a_double_click_shows_all(view, page):
    whole = settled(view)["window"]
    x, y = middle(view)
    corners = [element_under(settled(view), view, x - 100, y - 50), element_under(settled(view), view, x + 100, y + 50)]
    page.keyboard.down("Shift")
    page.mouse.move(x - 100, y - 50)
    page.mouse.down()
    page.mouse.move(x + 100, y + 50, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    view.wait_sent("set")
    r0, r1, c0, c1 = view.wait_rest(lambda viewport: viewport["window"] != whole)["window"]
    assert r0 <= corners[0][0] + 1e-6 and r1 >= corners[1][0] - 1e-6
    assert c0 == pytest.approx(corners[0][1]) and c1 == pytest.approx(corners[1][1])
    page.mouse.dblclick(x, y)
    view.wait_sent("set", 2)
    view.wait_rest(lambda viewport: np.allclose(viewport["window"], whole))
    assert view.sent("set")[-1]["values"] == {"view": None}


def test_a_page_that_is_scrolled_goes_on_scrolling_over_the_picture(view, page):
    page.evaluate("document.body.style.height = '4000px'")
    box = view.locator(".gp-canvas").bounding_box()
    n = len(view.sent("viewport"))
    page.mouse.move(box["x"] + 200, box["y"] + 100)
    page.mouse.wheel(0, 200)  # cannot zoom out further
    page.wait_for_function("() => scrollY > 100")
    assert len({tuple(viewport["window"]) for viewport in view.sent("viewport")[n - 1:]}) == 1


def test_a_view_from_the_kernel_becomes_the_window_and_its_echo_does_not_move_it(view, page):
    page.mouse.move(*middle(view))
    page.mouse.wheel(0, -400)
    asked = view.wait_sent("set")
    window = view.sent("viewport")[-1]["window"]
    state = make_state(view=asked["values"]["view"], seq={asked["page"]: asked["seq"]})
    view.deliver({"k": "state", "state": state})
    view.deliver({"k": "state", "state": {**state, "view": [[10, 20], [30, 50]]}})
    page.wait_for_function("() => sentBy(0).filter(m => m.k === 'viewport').at(-1).window[2] === 30")
    assert [viewport["window"] for viewport in view.sent("viewport")][-2] == window
    assert view.sent("set")[-1] == asked


def test_of_frames_that_come_together_the_newest_is_drawn_and_each_is_acknowledged_once(view):
    viewport = settled(view)
    for i in range(1, 6):
        view.deliver(*make_frame(np.full(viewport["size"], i % 5), viewport, palette=PALETTE, id=i, is_zlib=i == 3))
    view.wait_sent("ack", id=5, drawn=True)
    view.wait_sent("ack", id=3)  # which had to be inflated first
    acks = [(ack["id"], ack["drawn"]) for ack in view.sent("ack") if ack["id"] < 6]
    assert sorted(number for number, _ in acks) == [1, 2, 3, 4, 5]
    assert (view.pixels(".gp-canvas") == PALETTE[0]).all()


def test_an_older_version_is_not_painted_over_a_newer_one(view):
    viewport = settled(view)
    answer(view, np.full(viewport["size"], 2), viewport, version=7, id=1)
    answer(view, np.full(viewport["size"], 3), viewport, version=6, id=2, drawn=False)
    assert (view.pixels(".gp-canvas") == PALETTE[2]).all()


def test_what_stood_there_before_does_not_show_through_beyond_the_plane(view, page):
    see_through = np.concatenate([PALETTE[:5], np.zeros((1, 4), np.uint8)])  # 5 is beyond the plane
    viewport = settled(view)
    answer(view, indices_of(viewport, (60, 80), scale=24), viewport, palette=see_through, id=1)  # its pixels reach beyond the plane
    box = view.locator(".gp-canvas").bounding_box()
    _, _, col0, col1 = viewport["window"]
    page.mouse.move(box["x"] + box["width"] * -col0 / (col1 - col0) + 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -300)
    viewport = view.wait_rest(lambda viewport: viewport["window"][3] - viewport["window"][2] < (col1 - col0) / 2)
    indices = indices_of(viewport, (60, 80))
    assert (indices == 5).any() and (indices < 5).any()
    answer(view, indices, viewport, palette=see_through, id=2)
    np.testing.assert_array_equal(view.pixels(".gp-canvas"), see_through[indices])


def test_a_smaller_frame_is_stretched_over_its_window(view):
    viewport = settled(view)
    small = indices_of(viewport, (60, 80), scale=4)
    answer(view, small, viewport, final=False, id=1)
    shown = view.pixels(".gp-canvas")
    assert (shown[2, 2] == PALETTE[small[0, 0]]).all() and (shown[-2, -2] == PALETTE[small[-1, -1]]).all()


WRONG_HEADS = [
    {"size": [3, 10**9]}, {"size": [-4, -4]}, {"size": "44"}, {"size": None}, {"n_facets": 0}, {"n_facets": 2.5},
    {"window": [0, 1, 2]}, {"window": [0, None, 0, 1]}, {"window": [5, 5, 0, 1]}, {"window": "0101"}, {"format": "png"},
    {"format": "constructor"}, {"format": None}, {"version": "x"}, {"version": None}, {"format": "line", "n": 10**12}, {"n_facets": 3},
]
WRONG_BUFFERS = [
    [], [b""], [b"\x00" * 7, b"\x00" * 4], ["pixels", b""], ["pixels", b"\x00" * 5], ["pixels", b"\x00" * 1028], ["pixels"],
]


def test_frames_that_are_not_right_are_refused_and_the_picture_stays(mount):
    view = mount(make_state(height=100), width=200)  # small frames: there are many
    show(view)
    viewport = settled(view)
    before = view.pixels(".gp-canvas")
    right, buffers = make_frame(np.full(viewport["size"], 2), viewport, palette=PALETTE)
    wrong = [({**right, **change}, buffers) for change in WRONG_HEADS]
    wrong += [(right, [buffers[0] if data == "pixels" else data for data in cut]) for cut in WRONG_BUFFERS]
    for i, (message, data) in enumerate(wrong):
        view.deliver({**message, "id": i}, data)
        assert view.wait_sent("ack", id=i)["drawn"] is False, message
    np.testing.assert_array_equal(view.pixels(".gp-canvas"), before)
    answer(view, np.full(viewport["size"], 3), viewport, id=1000)


def test_what_does_not_inflate_to_the_frame_is_refused(view):
    viewport = settled(view)
    h, w = viewport["size"]
    message, (pixels, palette) = make_frame(np.zeros((h, w)), viewport, palette=PALETTE, is_zlib=True)
    other_sizes = [make_frame(np.zeros(size), viewport, palette=PALETTE, is_zlib=True)[1][0] for size in [(h - 1, w), (8 * h, 8 * w)]]
    for i, packed in enumerate([b"\x00\x01\x02", b"", pixels[:-9], *other_sizes]):
        view.deliver({**message, "id": i}, [packed, palette])
        assert view.wait_sent("ack", id=i)["drawn"] is False
    answer(view, np.full(viewport["size"], 3), viewport, id=1000)


def test_facets_stand_side_by_side_under_one_window(mount):
    view = mount(make_state(facets={"rows": ["a", "b"], "columns": ["0", "1", "2"]}))
    viewport = view.wait_sent("viewport", visible=True)
    h, w = viewport["size"]
    answer(view, np.stack([np.full((h, w), i % 5) for i in range(6)]), viewport)
    shown = view.pixels(".gp-canvas")
    assert shown.shape[0] > 2 * h and shown.shape[1] > 3 * w
    gap = (shown.shape[1] - 3 * w) // 2
    for (row, col), facet in {(0, 0): 0, (h - 1, w + gap + 1): 1, (-2, 1): 3}.items():
        assert (shown[row, col] == PALETTE[facet]).all()


@pytest.mark.parametrize(("options", "room"), [
    ({"plane": [8, 8]}, [3, 3, 19, 21]), ({"plane": [100_000, 8]}, [3, 3, 19, 53]),
    ({"facets": {"rows": ["a", "relu"], "columns": ["0", "1"]}}, [18, 0, 0, 38]),
    ({"facets": {"rows": ["a" * 40], "columns": [""]}}, [0, 0, 0, 116]),
], ids=["few rows", "many rows", "facets", "long names"])
def test_labels_have_room_around_the_picture(mount, options, room):
    """Above, to the right, below and to the left, in CSS pixels: as many as the letters of the largest label want."""
    view = mount(make_state(**options))
    view.wait_sent("viewport", visible=True)
    assert view.locator(".gp-canvas").evaluate("""canvas => {
        const inner = canvas.getBoundingClientRect(), outer = canvas.parentElement.getBoundingClientRect();
        return [inner.top - outer.top, outer.right - inner.right, outer.bottom - inner.bottom, inner.left - outer.left].map(Math.round);
    }""") == room


def test_a_frame_of_another_number_of_facets_is_not_painted(view):
    viewport = settled(view)
    answer(view, np.zeros((2, *viewport["size"])), viewport, id=1, drawn=False)


def test_a_line_is_drawn_with_its_marks(mount):
    view = mount(make_state(kind="line", plane=[1, 100]))
    viewport = view.wait_sent("viewport", visible=True)
    assert viewport["window"] == [0, 1, 0, 100]
    columns = np.zeros((5, 100))
    columns[3, 50] = 1
    columns[:3, 50] = np.nan
    message = {"k": "frame", "id": 1, "seq": viewport["seq"], "page": viewport["page"], "version": 1, "window": [0, 1, 0, 100], "n": 100,
               "format": "line", "final": True}
    view.deliver(message, [columns.tobytes()])
    view.wait_sent("ack", id=1, drawn=True)
    shown = view.pixels(".gp-canvas")
    h, w = shown.shape[:2]
    assert (shown[1, int(50.5 * w / 100), :3] == [255, 0, 255]).all()
    assert shown[h // 2, w // 4, 3] == 255 and shown[1, w // 4, 3] == 0


@pytest.mark.parametrize("height, width", [(5000, 500), (4000, 1500)])
def test_a_picture_of_more_pixels_than_the_kernel_draws_gets_fewer_rows(mount, open_page, height, width):
    """Each of its questions was refused: it stayed empty."""
    page = open_page(device_scale_factor=2)
    asked = mount(make_state(height=height), width=width, on=page).wait_sent("viewport", visible=True)
    rows, columns = asked["size"]
    assert parse(asked).size == (rows, columns)
    assert rows == min(8192, 2**24 // columns) < 2 * height and columns > 1.9 * (width - 50)


def test_a_view_behind_a_billion_elements_is_followed_to_the_element(mount):
    """It was rounded to nine digits, and one that began two elements later was the same."""
    fields = {"plane": [60, 2 * 10**9], "aspect": "auto"}
    view = mount(make_state(**fields))
    view.wait_sent("viewport", visible=True)
    for first in (1_234_567_891, 1_234_567_893):
        view.deliver({"k": "state", "state": make_state(**fields, view=[[0, 60], [first, first + 20]])})
        view.wait_rest(lambda viewport, first=first: viewport["window"] == pytest.approx([0, 60, first, first + 20], rel=0, abs=0.01))


def test_the_numbers_in_cells_are_asked_for_when_elements_are_large(mount):
    texts = [[str(10 * r + c) for c in range(8)] for r in range(6)]
    view = mount(make_state(plane=[6, 8]), replies={"values": {"texts": texts}})
    show_small(view)
    asked = view.wait_sent("values")
    assert asked["box"] == [0, 6, 0, 8] and asked["facet"] == 0


def test_a_refusal_of_older_numbers_does_not_keep_newer_ones_away(mount, page):
    """A kernel that reads chunks refuses a question as a newer one comes; the answer to that one was dropped."""
    page.evaluate(RECORD)
    view = mount(make_state(plane=[6, 8]))
    show_small(view)
    older = view.wait_sent("values")
    view.locator(".gp-canvas").press("+")
    newer = view.wait_sent("values", 2)
    row0, row1, col0, col1 = newer["box"]
    view.deliver({"k": "error", "seq": older["seq"], "page": older["page"], "text": "a younger question took its place"})
    view.deliver({**newer, "texts": [["88"] * (col1 - col0)] * (row1 - row0)})
    page.wait_for_function("drawn.some(([text]) => text === '88')")


def test_numbers_are_printed_on_their_cells_in_black_or_white(mount, page):
    """Each where its element is, in what has more contrast to the color below: black on a gray of 128 and on a light green."""
    texts = [["88" if (r, c) in ((2, 3), (3, 3), (4, 3)) else "" for c in range(8)] for r in range(6)]
    view = mount(make_state(plane=[6, 8]), replies={"values": {"texts": texts}})
    show_small(view, palette=[[80, 175, 20, 255], [128, 128, 128, 255], [200, 30, 30, 255], *[[0, 0, 0, 255]] * 3])
    wait_until(page, lambda: ink_of(view, (6, 8)), lambda: "no number is printed")
    printed = ink_of(view, (6, 8))
    assert printed.keys() == {(2, 3), (3, 3), (4, 3)}
    assert all((printed[one] == [0, 0, 0, 255]).all() for one in ((2, 3), (3, 3))) and (printed[4, 3] == [255, 255, 255, 255]).all()


def ink_of(view, plane):
    """What is opaque in the middle of each cell of the plane on the overlay, where anything is: uint8 (n, 4)."""
    over, canvas = (view.locator(name).bounding_box() for name in (".gp-over", ".gp-canvas"))
    pixels = view.pixels(".gp-over")
    scale, found = pixels.shape[1] / over["width"], {}
    for r, c in np.ndindex(plane):
        y = canvas["y"] - over["y"] + (r + 0.5) * canvas["height"] / plane[0]
        x = canvas["x"] - over["x"] + (c + 0.5) * canvas["width"] / plane[1]
        part = pixels[int(scale * (y - 6)):int(scale * (y + 6)), int(scale * (x - 12)):int(scale * (x + 12))].reshape(-1, 4)
        opaque = part[part[:, 3] == 255]
        if len(opaque):
            found[r, c] = opaque
    return found


def show_small(view, **fields):
    viewport = view.wait_sent("viewport", visible=True)
    answer(view, indices_of(viewport, (6, 8)), viewport, **fields)


def test_no_numbers_are_asked_for_where_nobody_wants_them(mount, page):
    shows = {**make_state()["shows"], "values": False}
    view = mount(make_state(plane=[6, 8], shows=shows))
    show_small(view)
    page.keyboard.press("Tab")
    assert view.sent("values") == []


def test_what_is_out_of_sight_asks_for_nothing_until_it_is_back(view, page):
    page.evaluate("views[0].host.style.marginTop = '5000px'")
    hidden = view.wait_sent("viewport", visible=False)
    n = len(view.sent("viewport"))
    view.deliver({"k": "state", "state": make_state(version=2)})
    page.evaluate("views[0].host.style.marginTop = '0'")
    assert view.wait_sent("viewport", n + 1)["visible"] is True
    assert [viewport["seq"] for viewport in view.sent("viewport") if not viewport["visible"]] == [hidden["seq"]]


def test_the_hover_asks_for_the_element_under_the_pointer_and_shows_the_answer(mount, page):
    view = mount(replies={"hover": {"text": "[0, 3, 4] = 0.5", "value": "0.5", "index": "[0, 3, 4]", "lines": []}})
    show(view)
    box = view.locator(".gp-canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 4)
    asked = view.wait_sent("hover")
    np.testing.assert_allclose([asked["row"], asked["col"]], element_under(settled(view), view, *middle_quarter(box)), atol=0.2)
    assert asked["facet"] == 0
    page.wait_for_function("() => document.querySelector('.view').textContent.includes('0.5')")


def middle_quarter(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 4


def test_the_poster_is_shown_where_no_kernel_answers_and_goes_when_one_does(mount, page):
    poster = "data:image/png;base64,iVBORw0KGgo="
    view = mount(traits={"_poster": poster})
    view.locator(".gp-poster img").wait_for()
    assert view.locator(".gp-poster").text_content() != ""
    show(view)
    view.locator(".gp-poster").wait_for(state="hidden")


def test_nothing_is_said_of_the_kernel_before_the_picture_is_in_sight(mount, page, clock):
    page.evaluate("document.body.style.paddingTop = '5000px'")
    view = mount(traits={"_poster": "data:image/png;base64,iVBORw0KGgo="})
    clock.run_for(5000)
    poster = view.locator(".gp-poster")
    assert poster.is_hidden()
    page.mouse.move(500, 500)
    page.mouse.wheel(0, 5000)
    wait_until(page, lambda: clock.run_for(100) or poster.is_visible(), lambda: "no poster is seen")


def test_a_tensor_that_is_no_picture_says_what_it_is(mount):
    view = mount(make_state(kind="text", text="0-d float32: <b>3.25</b>", plane=[0, 0]))
    view.locator(".gp-poster").wait_for()
    assert view.locator(".gp-poster").text_content() == "0-d float32: <b>3.25</b>"
    [viewport] = view.sent("viewport")  # somebody looks, at no picture
    assert (viewport["visible"], viewport["size"], viewport["window"]) == (True, [1, 1], [0, 1, 0, 1])
