"""What lies over the picture: as sharp as the picture, beside the pixels that show elements, and labels that can be read."""

import itertools

import numpy as np
import pytest
from chromium import wait_until

from .states import make_frame, make_state
from .test_picture import PALETTE, answer, indices_of, show
from .test_with_kernel import RECORD

# Sizes of both canvases and where the overlay's origin is, in device pixels; and where the browser paints them.
PLACES = """view => {
  const [canvas, over] = [".gp-canvas", ".gp-over"].map(name => view.querySelector(name)), scale = devicePixelRatio;
  const { e, f } = over.getContext("2d").getTransform(), box = one => one.getBoundingClientRect();
  return {size: [canvas.width, canvas.height], over: [over.width, over.height], origin: [e, f],
          room: [box(over).width - box(canvas).width, box(over).height - box(canvas).height].map(px => px * scale),
          lead: [box(canvas).left - box(over).left, box(canvas).top - box(over).top].map(px => px * scale)};
}"""


@pytest.mark.parametrize("scale", [1, 1.25, 1.5, 1.75, 2])
def test_the_overlay_has_the_pixels_of_the_picture_at_every_zoom_of_the_page(mount, open_page, scale):
    """At 125 % and 150 % of a browser's zoom it was stretched by a part of a pixel, and its lines lay between two."""
    page = open_page(device_scale_factor=scale)
    view = mount(width=700.3, on=page)
    view.wait_sent("viewport", visible=True)
    places = view.root.evaluate(PLACES)
    room = np.subtract(places["over"], places["size"])
    np.testing.assert_allclose(room, places["room"], atol=0.1)
    np.testing.assert_allclose(places["origin"], places["lead"], atol=0.1)
    np.testing.assert_allclose(places["origin"], np.round(places["origin"]), atol=1e-6)


def test_the_overlay_follows_another_zoom_of_the_page(mount, page):
    view = mount()
    view.wait_sent("viewport", visible=True)
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setDeviceMetricsOverride", {"width": 801, "height": 703, "deviceScaleFactor": 1.25, "mobile": False})
    page.wait_for_function("devicePixelRatio === 1.25 && document.querySelector('.gp-canvas').width > 900")
    view.wait_sent("viewport", 2, visible=True)
    places = view.root.evaluate(PLACES)
    np.testing.assert_allclose(places["lead"], np.round(places["lead"]), atol=0.1)
    np.testing.assert_allclose(np.subtract(places["over"], places["size"]), places["room"], atol=0.1)
    session.send("Emulation.clearDeviceMetricsOverride")


def test_pictures_are_sharp_on_a_page_that_a_style_sheet_zooms(mount, page):
    """They had the pixels of the page as it is without, which were stretched."""
    view = mount(width=700)
    view.wait_sent("viewport", visible=True)
    page.evaluate("document.documentElement.style.zoom = 1.25")
    page.wait_for_function("() => document.querySelector('.gp-canvas').width > 790")
    view.wait_sent("viewport", 2, visible=True)
    for name in (".gp-canvas", ".gp-over"):
        width, height, box = view.locator(name).evaluate("one => [one.width, one.height, one.getBoundingClientRect()]")
        np.testing.assert_allclose([width, height], [box["width"], box["height"]], atol=1)


@pytest.mark.parametrize("plane", [(60, 80), (37, 30), (9, 90)])
def test_the_line_around_the_plane_covers_none_of_its_pixels(mount, plane):
    view = mount(make_state(plane=list(plane), shows={**make_state()["shows"], "values": False}))
    viewport = view.wait_sent("viewport", visible=True)
    height, width = viewport["size"]
    view.deliver(*make_frame(np.zeros((height, width)), viewport, palette=np.array([[9, 9, 9, 255]], np.uint8)))
    view.wait_sent("ack", drawn=True)
    x, y = (round(at) for at in view.root.evaluate(PLACES)["origin"])
    over = view.pixels(".gp-over")[y:y + height, x:x + width, 3]
    r0, r1, c0, c1 = viewport["window"]
    top, bottom, left, right = (round(at, 6) for at in (-r0 / (r1 - r0) * height, (plane[0] - r0) / (r1 - r0) * height,
                                                         -c0 / (c1 - c0) * width, (plane[1] - c0) / (c1 - c0) * width))
    rows, cols = slice(int(top), int(np.ceil(bottom))), slice(int(left), int(np.ceil(right)))
    assert not over[rows, cols].any()
    if cols.start:
        assert (over[rows.start + 1:rows.stop - 40, cols.start - 1] == 255).all()


# A view that is zoomed, which has an overview.
ZOOMED = [[10.0, 30.0], [20.0, 50.0]]


def colors_of_overview(view):
    """The different colors in the part of the overview that the window's outline is not in: 96 px wide, 8 px from the corner."""
    canvas, over = view.locator(".gp-canvas").bounding_box(), view.locator(".gp-over").bounding_box()
    right, top = (round(at) for at in (canvas["x"] + canvas["width"] - over["x"] - 8, canvas["y"] - over["y"] + 8))
    part = view.pixels(".gp-over")[top + 58:top + 68, right - 90:right - 10]
    return {tuple(color) for color in part.reshape(-1, 4).tolist()}


@pytest.fixture
def zoomed(mount):
    """The widget on a zoomed view of a plane of 60 x 80; its overview and its window are there."""
    view = mount(make_state(view=ZOOMED))
    show(view)
    view.wait_rest(lambda viewport: viewport["window"][3] < 60)
    show(view)
    assert len(colors_of_overview(view)) == 5
    return view


def is_of_whole(viewport):
    return viewport["window"][2] <= 0 and viewport["window"][3] >= 80


def test_the_overview_is_never_of_what_was_there_before(zoomed, page):
    """After another colormap, other axes or other elements it was the old picture, and faint, until the user zoomed out."""
    n, window = len(zoomed.sent("viewport")), zoomed.sent("viewport")[-1]
    zoomed.deliver({"k": "state", "state": make_state(view=ZOOMED, version=2, cmap_name="magma")})
    answer(zoomed, indices_of(window, (60, 80)), window, version=2, id=2, palette=PALETTE[::-1])
    wait_until(page, lambda: len(colors_of_overview(zoomed)) == 1, lambda: f"the overview has {colors_of_overview(zoomed)}")
    asked = zoomed.wait_sent("viewport", n + 1)
    assert is_of_whole(asked) and asked["moving"]
    before = zoomed.pixels(".gp-canvas")
    answer(zoomed, indices_of(asked, (60, 80), scale=8), asked, version=2, id=3, palette=PALETTE[::-1])
    wait_until(page, lambda: len(colors_of_overview(zoomed)) == 5, lambda: f"the overview has {colors_of_overview(zoomed)}")
    assert colors_of_overview(zoomed) <= {tuple(color) for color in PALETTE.tolist()}
    # What the window shows is as sharp as it was.
    np.testing.assert_array_equal(zoomed.pixels(".gp-canvas"), before)
    wait_until(page, lambda: zoomed.sent("viewport")[-1]["window"] == window["window"], lambda: str(zoomed.sent("viewport")[n:]))


def test_the_overview_is_not_asked_for_again_before_its_answer(zoomed, page):
    """A picture of the window that came in between asked again: the plane was read twice, and the first answer counted as late."""
    n, window = len(zoomed.sent("viewport")), zoomed.sent("viewport")[-1]
    zoomed.deliver({"k": "state", "state": make_state(view=ZOOMED, version=2, cmap_name="magma")})
    answer(zoomed, indices_of(window, (60, 80)), window, version=2, id=2)
    asked = zoomed.wait_sent("viewport", n + 1)
    answer(zoomed, indices_of(window, (60, 80)), window, version=2, id=3)
    page.wait_for_timeout(700)
    assert is_of_whole(asked) and len(zoomed.sent("viewport")) == n + 1
    answer(zoomed, indices_of(asked, (60, 80), scale=8), asked, version=2, id=4)
    wait_until(page, lambda: zoomed.sent("viewport")[-1]["window"] == window["window"], lambda: str(zoomed.sent("viewport")[n:]))


def test_the_overview_is_asked_for_once_where_limits_follow_the_window(zoomed, page):
    """Those of sums are others for each size of a pixel: the version grows with each answer."""
    n = len(zoomed.sent("viewport"))
    for version, count in enumerate((n + 1, n + 2, n + 2), 2):
        zoomed.deliver({"k": "state", "state": make_state(view=ZOOMED, version=version, agg="sum", vmax=float(version))})
        viewport = zoomed.sent("viewport")[-1]
        answer(zoomed, indices_of(viewport, (60, 80)), viewport, version=version, id=version)
        zoomed.wait_sent("viewport", count)
    page.wait_for_timeout(700)
    assert [is_of_whole(viewport) for viewport in zoomed.sent("viewport")[n:]] == [True, False]
    assert len(colors_of_overview(zoomed)) == 5


def test_an_array_in_chunks_is_not_read_as_a_whole_for_its_overview(zoomed, page):
    n = len(zoomed.sent("viewport"))
    zoomed.deliver({"k": "state", "state": make_state(view=ZOOMED, version=2, cmap_name="magma", is_slow=True)})
    window = zoomed.sent("viewport")[-1]
    answer(zoomed, indices_of(window, (60, 80)), window, version=2, id=2)
    page.wait_for_timeout(700)
    assert len(zoomed.sent("viewport")) == n and len(colors_of_overview(zoomed)) == 1


@pytest.mark.parametrize("width", [320, 900])
@pytest.mark.parametrize("n_rows, n_cols, least", [(4, 16, 8), (64, 1, 24), (3, 3, 6), (12, 17, 16)])
def test_labels_of_facets_keep_apart_and_are_whole(mount, page, n_rows, n_cols, least, width):
    """Those of 64 rows were written over each other, and of 16 narrow columns the last six had none."""
    page.evaluate(RECORD)
    rows, columns = [[f"{name}: {i}" for i in range(n)] for name, n in (("head", n_rows), ("x", n_cols))]
    view = mount(make_state(plane=[28, 28], facets={"rows": rows, "columns": columns, "short": [*map(str, range(n_cols))]}), width=width)
    view.wait_sent("viewport", visible=True)
    page.wait_for_function("window.drawn.length > 3")
    over, drawn = view.locator(".gp-over").bounding_box(), page.evaluate("drawn")
    assert all(x0 >= 0 and x1 <= over["width"] + 1 and y0 >= 0 and y1 <= over["height"] for _, x0, x1, y0, y1 in drawn)
    for (_, a0, a1, b0, b1), (_, c0, c1, d0, d1) in itertools.combinations(drawn, 2):
        assert a1 <= c0 or c1 <= a0 or b1 <= d0 or d1 <= b0
    numbers = [int(text.split()[-1]) for text, x0, *_ in drawn if text in columns or text.isdecimal()]
    assert len(set(np.diff(numbers))) <= 1 and numbers[:1] == [0] and len(drawn) >= least


def test_the_unit_of_durations_is_beside_their_name(mount, page):
    page.evaluate(RECORD)
    view = mount(make_state(rulers={"x": {"first": 0, "step": 6, "is_date": False, "unit": "hours"}, "y": None}))
    view.wait_sent("viewport", visible=True)
    page.wait_for_function("window.drawn.length > 3")
    assert {"axis 1", "axis 2 [hours]"} <= {text for text, *_ in page.evaluate("drawn")}


def test_the_line_under_the_pointer_of_a_graph_is_at_its_element(mount, page):
    """It was where the pointer is, up to half an element from the index below it, and over two pixels."""
    view = mount(make_state(kind="line", plane=[1, 20], axes=[{"name": "", "size": 20, "role": "x", "index": 0, "op": None}]))
    viewport = view.wait_sent("viewport", visible=True)
    box = view.locator(".gp-canvas").bounding_box()
    page.mouse.move(box["x"] + 7.1 / 20 * box["width"], box["y"] + 50)
    assert int(view.wait_sent("hover")["col"]) == 7
    x, y = (round(at) for at in view.root.evaluate(PLACES)["origin"])
    ink = view.pixels(".gp-over")[y + 3, x:x + viewport["size"][1], 3]
    assert np.flatnonzero(ink).tolist() == [pytest.approx(7.5 / 20 * viewport["size"][1], abs=1)]
