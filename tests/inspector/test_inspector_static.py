"""The inspector without a kernel: a small PNG, the same as a poster, and one line of text."""

import base64
import io
import re

import numpy as np
import pytest
from inspector_notebook import Page, notebook  # noqa: F401
from PIL import Image

import gpuplot
from gpuplot.inspector.export.still import GAP, LINE_COLOR, MAX_BYTES, RANGE_COLOR, WIDTH, Layout, draw_line, still_rgba

RNG = np.random.default_rng(8)


def bundle(X, **options):
    """The mime bundle of an inspector, with its PNG as RGBA pixels."""
    w = gpuplot.inspect(X, **options)
    data, metadata = w._repr_mimebundle_(include=None, exclude=None)
    png = base64.b64decode(data["image/png"]) if "image/png" in data else None
    if png is None:
        return w, data, metadata, None
    with Image.open(io.BytesIO(png)) as picture:
        return w, data, metadata, np.asarray(picture.convert("RGBA"))


def test_the_bundle_has_a_view_a_picture_and_a_line(notebook):
    volume = RNG.normal(size=(3, 200, 300))
    w, data, metadata, pixels = bundle(volume, rgb=False, index={0: 1}, cmap="gray")
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == w.model_id
    assert re.fullmatch(r"<Inspector: float64 \(3, 200, 300\) on (cpu|cuda:0), index \{0: 1\}>", data["text/plain"])
    assert metadata["image/png"] == {"width": 600, "height": 400}
    if pixels.shape[:2] == (400, 600):
        assert np.array_equal(pixels, gpuplot.to_rgba(volume[1], (400, 600), cmap="gray", center="auto"))


def test_a_smooth_picture_is_pixel_for_pixel_that_of_to_rgba(notebook):
    plane = np.add.outer(np.arange(1000.0), np.arange(1500.0))
    _, data, _, pixels = bundle(plane)
    assert np.array_equal(pixels, gpuplot.to_rgba(plane, (400, 600)))
    assert len(data["image/png"]) < 130_000


def test_noise_is_made_smaller_until_it_is_small(notebook):
    _, data, metadata, pixels = bundle(RNG.normal(size=(2000, 2000)))
    assert len(base64.b64decode(data["image/png"])) <= MAX_BYTES
    assert pixels.shape[1] < WIDTH and metadata["image/png"] == {"width": 600, "height": 600}


def test_it_shows_the_view_of_that_moment(notebook):
    plane = np.add.outer(np.arange(100.0), np.arange(100.0))
    w = gpuplot.inspect(plane, cmap="gray")
    Page(w).say("set", values={"view": [[20, 40], [10, 40]]})
    data, _ = w._repr_mimebundle_()
    with Image.open(io.BytesIO(base64.b64decode(data["image/png"]))) as picture:
        want = gpuplot.to_rgba(plane, (400, 600), view=((20, 40), (10, 40)), cmap="gray", limits="elements")
        assert np.array_equal(np.asarray(picture.convert("RGBA")), want)


def test_pages_get_the_same_as_a_poster(notebook):
    w, data, _, _ = bundle(np.eye(9))
    assert w._poster == "data:image/png;base64," + data["image/png"]


@pytest.mark.parametrize("shape", [(1, 5000), (5000, 1), (3, 4), (1, 1), (10_000, 7)])
def test_any_shape_has_a_still(notebook, shape):
    _, _, metadata, pixels = bundle(RNG.normal(size=shape))
    assert pixels.size and 1 <= metadata["image/png"]["width"] <= 600 and 1 <= metadata["image/png"]["height"] <= 600


@pytest.mark.parametrize("X", [np.float32(2.5), np.zeros((0, 5))])
def test_what_has_no_picture_has_its_line(notebook, X):
    w, data, _, _ = bundle(X)
    assert "image/png" not in data and data["text/plain"].startswith("<Inspector: ") and w._poster == ""


def test_facets_lie_side_by_side(notebook):
    volume = np.arange(4.0)[:, None, None] + np.zeros((4, 20, 20))
    _, _, metadata, pixels = bundle(volume, columns=0, cmap="gray")
    assert metadata["image/png"]["width"] <= WIDTH
    shown = [tuple(pixels[5, x]) for x in range(5, pixels.shape[1], pixels.shape[1] // 4)]
    assert len(set(shown)) == 4


def test_facets_stand_apart_by_transparent_gaps(notebook):
    volume = np.arange(6.0)[:, None, None] + np.zeros((6, 20, 30))
    w = gpuplot.inspect(volume.reshape(2, 3, 20, 30), rows=0, columns=1, cmap="gray")
    layout = Layout((0.0, 20.0, 0.0, 30.0), (2, 3), (2, 3))
    sheet = w._controller.ask(lambda scene: still_rgba(scene, layout))
    assert sheet.shape == (2 * 2 + GAP, 3 * 3 + 2 * GAP, 4) == (*layout.tiles.shape, 4)
    assert sheet[0, 0, 0] == 0 and sheet[-1, -1, 0] == 255 and not sheet[2:2 + GAP].any()


def test_lines_are_drawn_with_their_marks():
    n = 50
    values = np.linspace(-1, 1, n)
    marks = np.zeros(n)
    marks[7] = 1
    picture = draw_line(np.array([values - 0.1, values + 0.1, values, marks, np.ones(n)]), (100, n), (-1.1, 1.1))
    assert picture.shape == (100, n, 4) and (picture[:, 7] == picture[0, 7]).all() and picture[0, 7, 3] == 255
    rows = np.array([np.flatnonzero(picture[:, x, 3]).mean() for x in range(n) if x != 7])
    assert (np.diff(rows) <= 0).all()


def test_a_line_lies_in_a_band_from_the_smallest_to_the_largest_element():
    low, high, mean = np.array([-1.0, 2.0]), np.array([9.0, 6.0]), np.array([4.0, 4.0])
    picture = draw_line(np.array([low, high, mean, np.zeros(2), np.ones(2)]), (11, 2), (-1.0, 9.0))
    for x, top, bottom in ((0, 0, 10), (1, 3, 7)):
        drawn = np.flatnonzero(picture[:, x, 3])
        assert (drawn[0], drawn[-1]) == (top, bottom)
        assert (picture[[top, bottom], x] == RANGE_COLOR).all() and (picture[5, x] == LINE_COLOR).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e308, 0.0])
def test_lines_of_anything(value):
    with np.errstate(all="raise", under="ignore", invalid="ignore"):
        columns = np.array([[-value, 1], [value, 2], [value, 1], [np.nan, 0], [0, 1]])
        assert draw_line(columns, (10, 2), (-abs(value), abs(value))).shape == (10, 2, 4)
