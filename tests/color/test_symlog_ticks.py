"""Ticks of colorbars with norm="symlog", also of numbers that are all in the linear part of the scale."""

import pickle

import numpy as np
import pytest
from matplotlib.figure import Figure

import gpuplot


def texts_of(figure):
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.axes[1].get_yticklabels()]


def drawn(limits, norm):
    figure = Figure()
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


def test_others_have_those_of_matplotlib():
    figure = Figure()
    ax = figure.subplots()
    figure.colorbar(ax.imshow([[-449.0, 390.0]], norm="symlog"))
    assert texts_of(drawn((-449.0, 390.0), "symlog")) == texts_of(figure)
