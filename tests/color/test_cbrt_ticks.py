"""Ticks of colorbars with norm="cbrt": all over the colors, at numbers with few digits."""

import pickle

import numpy as np
import pytest
from matplotlib.figure import Figure

import gpuplot


def bar_of(limits, location="right"):
    figure = Figure()
    image = gpuplot.imshow(np.array([limits]), norm="cbrt", colorbar={"location": location}, ax=figure.subplots())
    figure.draw_without_rendering()
    return image.colorbar


@pytest.mark.parametrize("limits", [(-53.7, 73.3), (0.0, 1.0), (2.5e-25, 1.0), (-4.5e-4, 3.9e-4), (-1e9, -20.0), (100.0, 101.0),
                                    (-1e300, 1e300)])
def test_ticks_are_spread_over_all_colors(limits):
    bar = bar_of(limits)
    ticks = bar.get_ticks()
    places = bar.norm(ticks)
    gaps = np.diff(places)
    assert 5 <= len(ticks) <= 9 and gaps.max() < 0.25 and gaps.min() > 0.04
    assert places[0] <= 0.2 and places[-1] >= 0.8 and limits[0] <= ticks[0] and ticks[-1] <= limits[1]
    assert (0 in ticks) == (limits[0] <= 0 <= limits[1])


def test_ticks_follow_the_limits_and_have_short_texts():
    bar = bar_of((-64.0, 64.0), "bottom")
    texts = [text.get_text() for text in bar.ax.get_xticklabels()]
    assert "0" in texts and all(len(text) <= 3 for text in texts)
    bar.mappable.set_clim(0, 1e6)
    figure = pickle.loads(pickle.dumps(bar.ax.figure))
    figure.draw_without_rendering()
    assert [text.get_text() for text in figure.axes[1].get_xticklabels()][-1] == "1000000"


def test_equal_limits_have_ticks():
    assert 0 in bar_of((0.0, 0.0)).get_ticks()
