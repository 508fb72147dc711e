"""`update` of the inspector's widget, from loops and threads."""

import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest
from inspector_notebook import VOLUME, Page, notebook, shown_pixels, w  # noqa: F401

import gpuplot

pytestmark = pytest.mark.host("what pages get is the same from any memory; the scene's own tests are run on devices")


def test_update_shows_the_new_tensor_and_keeps_the_choices(w):
    page = Page(w)
    w.index = {0: 2}
    w.cmap, w.limits = "gray", "elements"
    page.look([0, 30, 0, 50], [30, 50])
    other = VOLUME * 3
    w.update(other)
    assert (w.index, w.cmap) == ({0: 2}, "gray")
    assert np.array_equal(shown_pixels(page.frames()[-1])[0], gpuplot.to_rgba(other[2], center="auto", cmap="gray"))


def test_traits_follow_an_update_that_nobody_sees(w):
    w.limits = "elements"
    w.update(VOLUME * 10)
    assert w.vmax == pytest.approx(10 * np.abs(VOLUME[0]).max(), rel=1e-6)
    w.update(np.zeros((2, 5, 6)))
    assert w.index == {0: 0}


def test_update_of_one_among_several(notebook):
    w = gpuplot.inspect({"a": VOLUME, "b": VOLUME * 2}, limits="elements")
    w.update(VOLUME * 7, name="a")
    assert w.vmax == pytest.approx(7 * np.abs(VOLUME[0]).max(), rel=1e-6)
    with pytest.raises((ValueError, KeyError, IndexError)):
        w.update(VOLUME, name="c")


@pytest.mark.parametrize("X", ["text", object(), None, [["a"]], {1: "text"}])
def test_update_refuses_what_is_no_tensor(w, X):
    before = w.vmax
    with pytest.raises((TypeError, ValueError)):
        w.update(X)
    assert w.vmax == before


def test_updates_and_pages_on_many_threads(w):
    w.limits = "elements"
    page, problems = Page(w), []
    page.look([0, 30, 0, 50], [30, 50])

    def use(k):
        try:
            mine = Page(w, f"page {k}")
            for i in range(40):
                w.update(VOLUME * (k + 1))
                w.index = {0: i % 4}
                mine.look([0, 30, 0, 50 - i], [20, 20], moving=bool(i % 2))
                mine.say("hover", row=1.0, col=2.0, facet=0)
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=use, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert problems == [] and not any(thread.is_alive() for thread in threads)
    w.update(VOLUME * 50)
    assert w.vmax == pytest.approx(50 * np.abs(VOLUME[w.index[0]]).max(), rel=1e-6)


class Fickle:
    """An array whose library fails once it was described."""

    def __init__(self, array, error):
        self.array, self.error, self.is_gone = array, error, False

    @property
    def __array_interface__(self):
        if self.is_gone:
            raise self.error
        return self.array.__array_interface__


@pytest.mark.parametrize("error", [RuntimeError("Array has been deleted"), MemoryError("no"), OSError("x"), TypeError("y")])
def test_a_tensor_that_is_gone_when_it_is_drawn_does_not_end_a_loop(w, error):
    w.limits = "elements"
    page = Page(w)
    page.look([0, 30, 0, 50], [30, 50])
    X = Fickle(VOLUME * 2, error)
    w.update(X)
    X.is_gone = True
    w.index = {0: 2}
    assert str(error) in w._controller.state()["text"]
    w.update(VOLUME * 3)
    assert w._controller.state()["text"] == "" and w.index == {0: 2}
    assert w.vmax == pytest.approx(3 * np.abs(VOLUME[2]).max(), rel=1e-6)


@pytest.mark.parametrize("X", [
    VOLUME.astype("float64"), VOLUME[0], VOLUME[0, 0], VOLUME[..., None, None], VOLUME > 0, (VOLUME * 9).astype("int8"),
    VOLUME + 1j, np.float32(3), np.zeros((0, 4)), np.full((3, 3), np.nan), VOLUME[:, ::-2, ::3], np.asfortranarray(VOLUME),
    VOLUME.astype(">f4"), np.ma.masked_greater(VOLUME, 1), {"a": VOLUME, "b": VOLUME[0]}, np.zeros((9, 9, 3), "uint8")], ids=range(16))
def test_a_tensor_of_another_kind_may_come_and_the_first_one_again(w, X):
    page = Page(w)
    w.view = ((2, 20), (5, 41))
    page.look([2, 20, 5, 41], [36, 72])
    w.update(X)
    assert w._controller.state()["text"].find("cannot") < 0
    w.update(VOLUME)
    w.x, w.y, w.index = 2, 1, {0: 0}
    fresh = Page(w, "fresh")
    fresh.look([0, 30, 0, 50], [30, 50])
    assert np.array_equal(shown_pixels(fresh.frames()[-1])[0], gpuplot.to_rgba(VOLUME[0], center="auto"))


def test_a_thousand_updates_without_a_page_keep_nothing(w):
    class Tensor(np.ndarray):
        """An array whose end can be seen."""

    given = []
    for k in range(1000):
        X = np.full((20, 30 + k % 5), float(k)).view(Tensor)
        given.append(weakref.ref(X))
        w.update(X)
    del X
    gc.collect()
    assert sum(one() is not None for one in given) == 1
    tracemalloc.start()
    try:
        X = np.zeros((20, 30))
        for _ in range(50):
            w.update(X)
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(500):
            w.update(X)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 20_000
    finally:
        tracemalloc.stop()


def test_update_of_a_closed_inspector_is_an_error_that_says_so(notebook):
    w = gpuplot.inspect(VOLUME)
    w.close()
    with pytest.raises(RuntimeError, match="was closed.*call gpuplot.inspect again"):
        w.update(VOLUME)
