"""`Inspector.cursor` and `Inspector.on_click`: the element under the pointer, for Python."""

import itertools
import logging

import numpy as np
import pytest
from inspector_notebook import VOLUME, Page, notebook, w  # noqa: F401

import gpuplot
from gpuplot.inspector.model.cursor import Cursor

traitlets = pytest.importorskip("traitlets")

pytestmark = pytest.mark.host("elements are read as for hover, whose tests are run on devices")

NUMBERS = itertools.count()


def pointing(inspector, row, col, window=None, size=None, facet=0):
    """The cursor over a place, on a page that shows all of the plane, one pixel for each element or fewer."""
    page = Page(inspector, f"p{next(NUMBERS)}")
    rows, cols = inspector._controller.state()["plane"]
    page.look(window or [0, rows, 0, cols], size or [rows, cols])
    page.say("hover", row=row, col=col, facet=facet)
    assert page.errors() == []
    return inspector.cursor


def test_over_an_element_it_is_the_element(w):
    assert w.cursor is None
    w.index = {0: 2}
    found = pointing(w, 3.5, 17.2)
    assert found == Cursor((2, 3, 17), VOLUME[2, 3, 17], 1, "")
    assert isinstance(found.value, np.float32) and VOLUME[found.index] == found.value
    assert eval(repr(found), {"Cursor": Cursor, "np": np}) == found


def test_over_several_elements_it_is_the_pixel(w):
    found = pointing(w, 7, 12, size=[5, 5])
    assert found.index == (0, slice(6, 12), slice(10, 20)) and found.n == 60
    assert type(found.value) is float and found.value == pytest.approx(VOLUME[found.index].mean(), rel=1e-6)
    w.agg = "absmax"
    assert abs(pointing(w, 7, 12, size=[5, 5]).value) == np.abs(VOLUME[found.index]).max()


@pytest.mark.parametrize("options", [
    {"x": 0, "y": 2}, {"index": {1: 7}, "x": 0, "y": 2}, {"index": {1: slice(3, 20, 2), 0: 1}}, {"index": {2: slice(None, None, -1)}},
])
@pytest.mark.parametrize("size", [[4, 4], [2, 1]])
def test_the_index_gives_what_is_there(notebook, options, size):
    w = gpuplot.inspect(VOLUME, **options)
    found = pointing(w, 2.5, 1.5, window=[0, 4, 0, 4], size=size)
    assert np.mean(VOLUME[found.index]) == pytest.approx(float(found.value), rel=1e-6)
    assert np.size(VOLUME[found.index]) == found.n == 16 // (size[0] * size[1])


def test_axes_that_are_reduced_are_slices(notebook):
    w = gpuplot.inspect(VOLUME, reduce={0: "max"})
    found = pointing(w, 3.5, 4.5)
    assert found.index == (slice(None), 3, 4) and found.value == VOLUME[:, 3, 4].max()


def test_facets_have_the_element_of_their_axis(notebook):
    w = gpuplot.inspect(VOLUME, columns=0)
    assert pointing(w, 3.5, 4.5, facet=2).index == (2, 3, 4)


def test_numbers_keep_what_they_are(notebook):
    big = np.array([[2**53 + 1, 2**60 + 1]])
    assert pointing(gpuplot.inspect(big), 0.5, 0.5).value == 2**53 + 1
    z = np.array([[1 + 2j, 3 - 4j]])
    assert pointing(gpuplot.inspect(z), 0.5, 1.5).value == 3 - 4j
    image = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    found = pointing(gpuplot.inspect(image), 1.5, 2.5)
    assert found.index == (1, 2, slice(None)) and found.value == tuple(image[1, 2])
    assert pointing(gpuplot.inspect(image), 1.5, 2.5, size=[1, 1]).value == pytest.approx(tuple(image.mean((0, 1))))
    masked = np.ma.masked_greater(np.arange(12.0).reshape(3, 4), 5)
    assert pointing(gpuplot.inspect(masked), 2.5, 2.5).value is np.ma.masked
    assert np.isnan(pointing(gpuplot.inspect(np.full((3, 3), np.nan)), 1.5, 1.5).value)


def test_of_a_line_and_of_a_difference(notebook):
    line = np.arange(100.0)
    assert pointing(gpuplot.inspect(line), 0.5, 42.5, size=[50, 100]) == Cursor((42,), 42.0, 1, "")
    w = gpuplot.inspect({"a": VOLUME, "b": 2 * VOLUME})
    w.item = "a - b"
    found = pointing(w, 1.5, 2.5)
    assert found.item == "a − b" and found.value == pytest.approx(-VOLUME[0, 1, 2])


def test_it_goes_with_the_pointer(w):
    heard, page = [], Page(w)
    w.observe(lambda change: heard.append(change.new), "cursor")
    page.look([0, 30, 0, 50], [30, 50])
    page.say("hover", row=1.5, col=1.5, facet=0)
    page.say("hover", row=1.6, col=1.4, facet=0)
    page.say("hover", row=-5, col=1, facet=0)
    page.say("hover", row=2.5, col=1.5, facet=0)
    page.say("hover", row=None, col=None, facet=0)
    assert [found and found.index for found in heard] == [(0, 1, 1), None, (0, 2, 1), None]
    assert page.heard("hover")[-1][0]["text"] == "" and page.errors() == []


def test_one_pages_pointer_is_not_taken_away_by_another(w):
    here, there = Page(w, "here"), Page(w, "there")
    for page in (here, there):
        page.look([0, 30, 0, 50], [30, 50])
        page.say("hover", row=1.5, col=1.5, facet=0)
    here.say("hover", row=None, col=None, facet=0)
    here.say("gone")
    assert w.cursor.index == (0, 1, 1)
    there.say("gone")
    assert w.cursor is None


def test_what_comes_too_late_is_left_alone(w):
    page = Page(w)
    page.look([0, 30, 0, 50], [30, 50])
    page.say("hover", seq=9, row=None, col=None, facet=0)
    page.say("hover", seq=8, row=1.5, col=1.5, facet=0)
    assert w.cursor is None and page.errors() == []


def test_it_cannot_be_set_and_ends_with_the_inspector(w):
    with pytest.raises(traitlets.TraitError, match="read-only"):
        w.cursor = None
    heard = []
    pointing(w, 1.5, 1.5)
    w.observe(lambda change: heard.append(change.new), "cursor")
    w.close()
    assert w.cursor is None and heard == [None]


def test_observers_may_use_the_inspector_and_may_be_wrong(w):
    page = Page(w)
    page.look([0, 30, 0, 50], [30, 50])
    w.observe(lambda change: setattr(w, "index", {0: 3}), "cursor")
    page.say("hover", row=1.5, col=1.5, facet=0)
    assert w.index == {0: 3}
    w.observe(lambda change: 1 / 0, "cursor")
    page.say("hover", row=2.5, col=1.5, facet=0)
    assert page.errors() == ["ZeroDivisionError: division by zero"]
    page.say("hover", row=3.5, col=1.5, facet=0)
    assert w.cursor.index == (3, 3, 1)


# ---- clicks ------------------------------------------------------------------------------------------------------------------


def test_a_click_calls_each_function_with_what_is_there(w):
    page, heard = Page(w), []
    w.on_click(heard.append)
    w.on_click(lambda cursor: heard.append(cursor.value))
    page.look([0, 30, 0, 50], [30, 50])
    page.say("click", row=4.5, col=5.5, facet=0)
    assert heard == [Cursor((0, 4, 5), VOLUME[0, 4, 5], 1, ""), VOLUME[0, 4, 5]]
    assert w.cursor is None  # a finger is nowhere before and after
    w.on_click(heard.append, remove=True)
    page.say("click", row=4.5, col=6.5, facet=0)
    assert heard[2:] == [VOLUME[0, 4, 6]] and page.errors() == []


def test_a_click_beside_the_plane_is_none(w):
    page, heard = Page(w), []
    w.on_click(heard.append)
    page.say("click", row=-0.5, col=5.5, facet=0)
    page.say("click", row=0.5, col=50.5, facet=0)
    assert heard == []


def test_what_a_function_raises_is_shown_and_the_next_is_called(w, caplog):
    page, heard = Page(w), []
    w.on_click(lambda cursor: 1 / 0)
    w.on_click(heard.append)
    logging.getLogger("traitlets").propagate = True
    page.say("click", row=0.5, col=0.5, facet=0)
    assert len(heard) == 1 and "ZeroDivisionError" in caplog.text and page.errors() == []


def test_a_function_may_change_what_is_shown(w):
    page = Page(w)
    w.on_click(lambda cursor: (setattr(w, "index", {0: 1}), w.update(VOLUME * 2)))
    page.look([0, 30, 0, 50], [30, 50])
    page.say("click", row=0.5, col=0.5, facet=0)
    assert w.index == {0: 1} and pointing(w, 0.5, 0.5).value == 2 * VOLUME[1, 0, 0]
