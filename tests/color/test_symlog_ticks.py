"""Ticks of colorbars with norm="symlog", also where zero and the powers of ten are few, or overlap."""

import itertools
import pickle

import numpy as np
import pytest
from matplotlib.figure import Figure

import gpuplot


def texts_of(figure):
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.axes[1].get_yticklabels()]


def drawn(limits, norm, size=None):
    figure = Figure(size)
    gpuplot.imshow(np.array([limits]), norm=norm, colorbar=True, ax=figure.subplots())
    return figure


@pytest.mark.parametrize("limits", [(-0.0036069805, 0.0035698), (-4e-6, 3.1e-6), (0.0093, 0.9962), (-2, 2)])
def test_small_numbers_have_linear_ticks_with_short_texts(limits):
    """matplotlib's are the two ends, such as -3.60698 x 10^-3, which leaves the figure, and 0."""
    figure = drawn(limits, "symlog")
    texts = texts_of(figure)
    assert texts == texts_of(pickle.loads(pickle.dumps(figure)))
    numbers = [float(text.replace("\N{MINUS SIGN}", "-")) for text in texts]
    assert len(numbers) >= 5 and 0 in numbers and max(map(len, texts)) <= 6
    np.testing.assert_allclose(np.diff(numbers), numbers[1] - numbers[0])


@pytest.mark.parametrize(("limits", "size"), [((15, 80), None), ((-80.0, -15.0), None), ((0, 4.7), None), ((30, 210), None),
                                              ((1e6, 1e6 + 8), None), ((-3e4, 4e4), (4, 3)), ((0, 1e10), (4, 3))])
def test_ticks_are_even_where_powers_of_ten_are_few_or_overlap(limits, size):
    """From 15 to 80 is none, and ten of them do not fit beside a small picture."""
    figure = drawn(limits, "symlog", size)
    texts, (cax,) = texts_of(figure), figure.axes[1:]
    assert texts == texts_of(pickle.loads(pickle.dumps(figure))) and not any("mathdefault" in text for text in texts)
    places = figure.axes[0].images[0].norm(np.array(cax.get_yticks()))
    assert 3 <= len(places) <= 9 and np.diff(places).min() > 0.04 and places[0] <= 0.3 and places[-1] >= 0.7
    boxes = [label.get_window_extent(figure._get_renderer()) for label in cax.get_yticklabels()]
    assert all(high.y0 > low.y1 for low, high in itertools.pairwise(boxes))


def test_ticks_that_are_given_have_texts():
    """matplotlib's text of what is no power of ten is empty."""
    figure = Figure()
    gpuplot.imshow(np.array([[-20.0, 20.0]]), norm="symlog", colorbar={"ticks": [-10, -5, 0, 7]}, ax=figure.subplots())
    assert texts_of(figure) == ["$\\mathdefault{-10^{1}}$", "\N{MINUS SIGN}5", "$\\mathdefault{0}$", "7"]


def test_others_have_those_of_matplotlib():
    figure = Figure()
    ax = figure.subplots()
    figure.colorbar(ax.imshow([[-449.0, 390.0]], norm="symlog"))
    assert texts_of(drawn((-449.0, 390.0), "symlog")) == texts_of(figure)
