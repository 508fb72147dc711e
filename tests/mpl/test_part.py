"""A part of a plane shown in Axes: the limits are its edges, whichever way the image lies."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import gpuplot
from gpuplot.mpl.part import edges_in_data, show_part

# Keywords of imshow for 4 x 10 elements -> limits in x and y that show rows 1 to 3, columns 2 to 4.
LIMITS = {
    "first row at the top": ({}, (1.5, 3.5), (2.5, 0.5)),
    "first row at the bottom": ({"origin": "lower"}, (1.5, 3.5), (0.5, 2.5)),
    "an extent": ({"extent": (0, 100, 0, 8)}, (20, 40), (2, 6)),
    "an extent from right to left": ({"extent": (100, 0, 0, 8)}, (80, 60), (2, 6)),
    "an extent from top to bottom": ({"extent": (0, 100, 8, 0)}, (20, 40), (6, 2)),
    "from the bottom, in an extent": ({"extent": (0, 100, 0, 8), "origin": "lower"}, (20, 40), (2, 6)),
}


@pytest.mark.parametrize("case", LIMITS)
def test_limits_are_the_edges_of_the_part(case):
    keywords, xlim, ylim = LIMITS[case]
    image = gpuplot.imshow(np.arange(40.0).reshape(4, 10), ax=Figure().add_subplot(), **keywords)
    show_part(image, (1, 3), (2, 4))
    assert image.axes.get_xlim() == pytest.approx(xlim)
    assert image.axes.get_ylim() == pytest.approx(ylim)


def test_the_whole_plane_is_the_extent():
    image = gpuplot.imshow(np.zeros((4, 10)), ax=Figure().add_subplot(), extent=(3, 5, 7, 9))
    assert edges_in_data(image, (0, 4), (0, 10)) == ([9, 7], [3, 5])
