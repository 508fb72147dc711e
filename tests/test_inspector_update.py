"""`update` of the inspector's widget: other tensors in the place of the present one, from loops and threads."""

import threading

import numpy as np
import pytest
from inspector_notebook import VOLUME, Page, notebook, shown_pixels, w  # noqa: F401

import gpuplot

pytestmark = pytest.mark.host("what pages get is the same from any memory; the scene's own tests are run on devices")


def test_update_shows_the_new_tensor_and_keeps_the_choices(w):
    page = Page(w)
    w.index = {0: 2}
    w.cmap = "gray"
    page.look([0, 30, 0, 50], [30, 50])
    other = VOLUME * 3
    w.update(other)
    assert (w.index, w.cmap) == ({0: 2}, "gray")
    assert np.array_equal(shown_pixels(page.frames()[-1])[0], gpuplot.to_rgba(other[2], center="auto", cmap="gray"))


def test_traits_follow_an_update_that_nobody_sees(w):
    w.update(VOLUME * 10)
    assert w.vmax == pytest.approx(10 * np.abs(VOLUME[0]).max(), rel=1e-6)
    w.update(np.zeros((2, 5, 6)))
    assert w.index == {0: 0}


def test_update_of_one_among_several(notebook):  # noqa: F811
    w = gpuplot.inspect({"a": VOLUME, "b": VOLUME * 2})
    w.update(VOLUME * 7, name="a")
    assert w.vmax == pytest.approx(7 * np.abs(VOLUME[0]).max(), rel=1e-6)
    with pytest.raises((ValueError, KeyError, IndexError)):
        w.update(VOLUME, name="c")


@pytest.mark.parametrize("X", ["text", object(), None, [["a"]], {1: 2}])
def test_update_refuses_what_is_no_tensor(w, X):
    before = w.vmax
    with pytest.raises((TypeError, ValueError)):
        w.update(X)
    assert w.vmax == before


def test_updates_and_pages_on_many_threads(w):
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
