"""Limits of linked inspectors: one range for all, so that equal colors are equal values."""

import numpy as np
import pytest
from inspector_notebook import NOISE, VOLUME, Page, drawn_page, notebook, shown_pixels  # noqa: F401

import gpuplot

traitlets = pytest.importorskip("traitlets")

pytestmark = pytest.mark.host("limits are found as without links, whose tests are run on devices")

POSITIVE = np.abs(VOLUME) + 1
TOP = np.abs(VOLUME[0]).max()


def limits(*inspectors):
    return [(w.vmin, w.vmax) for w in inspectors]


def pair(a, b, **options):
    first = gpuplot.inspect(a, **options)
    return first, gpuplot.inspect(b, link=first, **options)


def test_all_have_the_range_of_all(notebook):
    a, b = pair(POSITIVE, POSITIVE + 10)
    c = gpuplot.inspect(POSITIVE - 0.5, link=b)
    whole = POSITIVE[0].min() - 0.5, POSITIVE[0].max() + 10
    assert limits(a, b, c) == [pytest.approx(whole)] * 3
    assert a.limits == "auto" and a._controller.state()["is_fixed"] == {"vmin": False, "vmax": False}


def test_equal_values_have_equal_colors(notebook):
    a, b = pair(VOLUME, VOLUME * 3)
    shown = []
    for w, X in ((a, VOLUME), (b, VOLUME * 3)):
        page = Page(w)
        page.look([0, 30, 0, 50], [30, 50])
        shown.append(shown_pixels(page.frames()[-1])[0])
        assert np.array_equal(shown[-1], gpuplot.to_rgba(X[0], vmin=-3 * TOP, vmax=3 * TOP, cmap="RdBu_r"))


def test_where_one_is_around_a_center_all_are(notebook):
    a, b = pair(VOLUME, POSITIVE + 20)
    top = POSITIVE[0].max() + 20
    assert limits(a, b) == [pytest.approx((-top, top))] * 2 and a.cmap == b.cmap == "RdBu_r"
    b.unlink()
    assert limits(a, b) == [(-TOP, TOP), pytest.approx((POSITIVE[0].min() + 20, top))] and b.cmap == "viridis"


def test_around_one_center_limits_of_all_are_shared(notebook):
    """The center was the mean of the limits, in which rounding made two of one, and each inspector kept its own limits."""
    for center in (0.1, -0.78, 1 / 3):
        a, b = pair(VOLUME, VOLUME * 3, center=center)
        reach = max(np.abs(VOLUME[0].astype(float) * 3 - center).max(), np.abs(VOLUME[0] - center).max())
        assert limits(a, b) == [pytest.approx((center - reach, center + reach))] * 2 and limits(a) == limits(b)
        assert b.vmin <= 3 * VOLUME[0].min() and b.vmax >= 3 * VOLUME[0].max()


@pytest.mark.parametrize("values, want", [({"vmax": 2}, (-2, 2)), ({"vmin": -1.5}, (-1.5, 1.5))])
def test_a_given_limit_gives_all_the_other_one_where_one_is_around_a_center(notebook, values, want):
    a, b = pair(VOLUME, POSITIVE + 20)
    c = gpuplot.inspect(-POSITIVE - 20, link=b)
    b.set_trait(*next(iter(values.items())))
    assert limits(a, b, c) == [want] * 3 and {w.cmap for w in (a, b, c)} == {"RdBu_r"}


def test_a_limit_that_is_let_go_changes_both_traits(notebook):
    a, b, c = (gpuplot.inspect(X, center=center) for X, center in ((VOLUME, "auto"), (POSITIVE + 20, None), (VOLUME * 2, None)))
    b.link(a, c)
    c.vmax = 9
    c.vmax = None
    top = POSITIVE[0].max() + 20
    assert limits(a, b, c) == [pytest.approx((-top, top))] * 3


def test_they_follow_the_index_and_update_and_pages_hear_of_it(notebook):
    a, b = pair(VOLUME, VOLUME / 2, limits="elements")
    page = Page(b)
    page.look([0, 30, 0, 50], [30, 50])
    a.index = {0: 3}
    assert limits(a, b) == [(-np.abs(VOLUME[3]).max(), np.abs(VOLUME[3]).max())] * 2
    assert page.heard("state")[-1][0]["state"]["vmax"] == a.vmax
    heard = []
    b.observe(lambda change: heard.append(change.new), "vmax")
    a.update(VOLUME * 10)
    assert a.vmax == pytest.approx(10 * np.abs(VOLUME[3]).max())
    assert b.vmax == a.vmax and heard == [a.vmax]


def test_limits_of_pixels_are_shared_as_those_of_elements_are(notebook):
    a, b = gpuplot.inspect(NOISE), gpuplot.inspect(NOISE * 5)
    for w in (a, b):
        drawn_page(w)
    alone = b.vmax
    assert alone < 1
    a.link(b)
    assert limits(a, b) == [(-alone, alone)] * 2 and a._controller.state()["limits_source"] == "pixels"


def test_what_one_is_given_all_are_given(notebook):
    a, b = pair(VOLUME, VOLUME * 3)
    a.vmax = 2
    assert limits(a, b) == [(-2, 2)] * 2 and b._controller.state()["is_fixed"] == {"vmin": False, "vmax": True}
    Page(b).say("set", values={"vmin": -1})
    assert limits(a, b) == [(-1, 2)] * 2 and a.limits == (-1, 2)
    b.limits = "auto"
    assert limits(a, b) == [pytest.approx((-3 * TOP, 3 * TOP))] * 2
    Page(a, "q").say("limits", how="robust", region="slice")
    assert b._controller.state()["robust"]
    assert a.vmax == b.vmax == pytest.approx(3 * np.abs(np.percentile(VOLUME[0], [2, 98])).max(), rel=1e-6)


def test_limits_that_one_has_are_taken_over_when_it_is_linked(notebook):
    a = gpuplot.inspect(VOLUME, vmin=-1, vmax=2)
    b = gpuplot.inspect(VOLUME * 3, link=a)
    assert b.limits == (-1, 2)
    own = gpuplot.inspect(VOLUME, vmin=0, vmax=1)
    free = gpuplot.inspect(VOLUME * 3)
    own.link(free)
    assert limits(own, free) == [(0, 1), pytest.approx((-3 * TOP, 3 * TOP))]


def test_what_is_found_on_one_takes_nothing_from_another_that_was_given(notebook):
    own, free = gpuplot.inspect(VOLUME, vmin=0, vmax=1), gpuplot.inspect(VOLUME * 3, limits="elements")
    own.link(free)
    free.index = {0: 2}
    free.update(VOLUME * 4)
    assert own.index == {0: 2} and limits(own, free) == [(0, 1), pytest.approx((-4 * np.abs(VOLUME[2]).max(), 4 * np.abs(VOLUME[2]).max()))]
    Page(free).say("set", values={"robust": True})
    assert own.limits == (0, 1) and own._controller.state()["robust"]


def test_of_one_limit_that_is_given_the_other_is_shared(notebook):
    a, b = pair(POSITIVE, POSITIVE * 4, center=None)
    b.vmin = 0
    assert limits(a, b) == [pytest.approx((0, 4 * POSITIVE[0].max()))] * 2


LABELS = np.arange(12).reshape(3, 4)


@pytest.mark.parametrize(("X", "options"), [
    (LABELS, {}), (np.zeros((4, 5, 3), np.uint8), {}), (VOLUME[0] + 1j, {"complex_mode": "phase"}),
    (VOLUME[0] + 1j, {"complex_mode": "amplitude_phase"}), (VOLUME[0, 0] * 100, {}), (np.float32(300), {}),
    (POSITIVE, {"norm": "log"}), (VOLUME * 100, {"norm": "eq_hist"}), (VOLUME * 100, {"agg": "sum"}), (np.zeros((0, 4)), {}),
])
def test_what_is_no_scale_of_the_same_numbers_keeps_its_own(notebook, X, options):
    free, other = gpuplot.inspect(VOLUME), gpuplot.inspect(X, **options)
    alone = limits(free, other)
    free.link(other)
    assert limits(free, other) == alone
    free.vmax = 7
    free.vmin = -2
    assert limits(other) == alone[1:]


def test_two_of_a_kind_share(notebook):
    a, b = pair(POSITIVE, POSITIVE * 3, norm="log")
    assert limits(a, b) == [pytest.approx((POSITIVE[0].min(), 3 * POSITIVE[0].max()))] * 2
    a.norm = "linear"
    assert a.vmax == pytest.approx(POSITIVE[0].max()) and b.vmin == pytest.approx(3 * POSITIVE[0].min())


def test_the_difference_of_two_keeps_its_own_and_gives_nothing_away(notebook):
    a, b = gpuplot.inspect({"a": VOLUME, "b": VOLUME + 1}), gpuplot.inspect(VOLUME)
    a.link(b)
    b.limits = (-9, 9)
    assert a.vmax == 9
    a.item = "a - b"
    assert a.vmax == pytest.approx(1) and b.limits == (-9, 9)


def test_a_log_norm_takes_no_limits_that_it_cannot_have(notebook):
    a, b = pair(POSITIVE, POSITIVE * 3, norm="log")
    with pytest.raises(traitlets.TraitError):
        a.vmin = -1
    a.vmin = 0.5
    assert b.vmin == 0.5


def test_who_is_closed_has_no_part_in_it(notebook):
    a, b = pair(VOLUME, VOLUME * 3)
    b.close()
    assert limits(a) == [(-TOP, TOP)]
    a.vmax = 1
    c = gpuplot.inspect(VOLUME * 2)
    c.link(a)
    assert c.vmax == 1


def test_those_between_two_join_them(notebook):
    a, b, c = (gpuplot.inspect(VOLUME * k) for k in (1, 2, 3))
    b.link(a, c)
    assert limits(a, b, c) == [pytest.approx((-3 * TOP, 3 * TOP))] * 3
    c.vmax = 5
    assert limits(a, b) == [(-5, 5)] * 2
    c.vmax = None
    b.unlink()
    assert limits(a, b, c) == [pytest.approx((-k * TOP, k * TOP)) for k in (1, 2, 3)]


def test_facets_share_theirs(notebook):
    w = gpuplot.inspect(POSITIVE, columns=0)
    assert limits(w) == [pytest.approx((POSITIVE.min(), POSITIVE.max()))]


def test_a_file_is_written_with_the_limits_of_all(notebook, tmp_path):
    a, b = pair(VOLUME, VOLUME * 3)
    a.snapshot(tmp_path / "a.png", scale=1)
    gpuplot.imsave(tmp_path / "want.png", VOLUME[0], vmin=b.vmin, vmax=b.vmax, cmap="RdBu_r")
    read = __import__("matplotlib.image").image.imread
    assert np.array_equal(read(tmp_path / "a.png"), read(tmp_path / "want.png")) and limits(a) == limits(b)
    image = a.to_figure().axes[0].images[0]
    assert image.get_clim() == (b.vmin, b.vmax)
