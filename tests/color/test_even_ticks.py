"""Ticks of colorbars with norm="asinh" and "cbrt": all over the colors, at numbers with few digits."""

import itertools
import pickle

import numpy as np
import pytest
from matplotlib.figure import Figure

import gpuplot


def bar_of(norm, limits, location="right"):
    figure = Figure()
    image = gpuplot.imshow(np.array([limits]), norm=norm, colorbar={"location": location}, ax=figure.subplots())
    figure.draw_without_rendering()
    return image.colorbar


@pytest.mark.parametrize("norm, limits", [
    *(("asinh", limits) for limits in ((-4.4, 4.6), (0.0, 1.0), (-27.0, 1e7), (-4.5e-4, 3.9e-4), (-1e9, -20.0), (1e6, 1e6 + 6.3),
                                       (-1e300, 1e300))),
    *(("cbrt", limits) for limits in ((-53.7, 73.3), (0.0, 1.0), (2.5e-25, 1.0), (-4.5e-4, 3.9e-4), (-1e9, -20.0), (100.0, 101.0),
                                      (-1e300, 1e300)))])
def test_ticks_are_spread_over_all_colors(norm, limits):
    """matplotlib's of asinh are powers of ten, which overlap around zero, or are one, 10^6."""
    bar = bar_of(norm, limits)
    ticks = bar.get_ticks()
    places = bar.norm(ticks)
    gaps = np.diff(places)
    assert 5 <= len(ticks) <= 9 and gaps.max() < 0.25 and gaps.min() > 0.04
    assert places[0] <= 0.2 and places[-1] >= 0.8 and limits[0] <= ticks[0] and ticks[-1] <= limits[1]
    assert (0 in ticks) == (limits[0] <= 0 <= limits[1])


def test_texts_are_short_and_do_not_overlap():
    bar = bar_of("asinh", (-27.0, 1e7))
    renderer = bar.ax.figure._get_renderer()
    boxes = [label.get_window_extent(renderer) for label in bar.ax.get_yticklabels()]
    assert all(high.y0 > low.y1 for low, high in itertools.pairwise(boxes))
    assert max(len(label.get_text()) for label in bar.ax.get_yticklabels()) <= 7 and len(bar.ax.yaxis.get_minorticklocs()) == 0


def test_a_pickled_figure_has_the_same_ticks():
    bar = bar_of("asinh", (-4.4, 4.6), "bottom")
    figure = pickle.loads(pickle.dumps(bar.ax.figure))
    figure.draw_without_rendering()
    assert figure.axes[1].get_xticks().tolist() == bar.ax.get_xticks().tolist()


@pytest.mark.parametrize("draw", [
    lambda x, ax: gpuplot.hist2d(x, x, 50, norm="asinh", ax=ax).image,
    lambda x, ax: gpuplot.scatter(x, x, c=x, norm="asinh", ax=ax),
    lambda x, ax: gpuplot.imshow(x[None], ax=ax).set(norm="asinh") and ax.images[0]])
def test_every_picture_with_that_name_has_them(draw):
    figure = Figure()
    figure.colorbar(draw(np.random.default_rng(0).standard_normal(2000), figure.subplots()))
    texts = [text.get_text() for text in figure.axes[1].get_yticklabels()]
    assert len(texts) >= 4 and not any("mathdefault" in text for text in texts)


def test_ticks_follow_the_limits_and_have_short_texts():
    bar = bar_of("cbrt", (-64.0, 64.0), "bottom")
    texts = [text.get_text() for text in bar.ax.get_xticklabels()]
    assert "0" in texts and all(len(text) <= 3 for text in texts)
    bar.mappable.set_clim(0, 1e6)
    figure = pickle.loads(pickle.dumps(bar.ax.figure))
    figure.draw_without_rendering()
    assert [text.get_text() for text in figure.axes[1].get_xticklabels()][-1] == "1000000"


def test_equal_limits_have_ticks():
    assert 0 in bar_of("cbrt", (0.0, 0.0)).get_ticks()


def test_exponents_are_written_in_one_way():
    """5e\u221205 stood beside 4e7, and 1e+20."""
    for norm, limit in (("cbrt", 8e-5), ("cbrt", 8e7), ("cbrt", 8e20), ("symlog", 3.3e-5)):
        texts = [text.get_text() for text in bar_of(norm, (-limit, limit)).ax.get_yticklabels()]
        assert any("e" in text for text in texts) and not any("e+" in text or "e\u22120" in text for text in texts)
