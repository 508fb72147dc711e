"""Spans: the parts, centers and other coordinates of equal and of uneven cells."""

import numpy as np
import pytest

from gpuplot.plane.picture_size import check_view
from gpuplot.plane.window import Span, Window

pytestmark = pytest.mark.host("numbers of spans alone")

EVEN, TURNED = Span(1.0, 7.0, 4, "down"), Span(7.0, 1.0, 4)
UNEVEN = Span.of_edges(np.array([0.0, 1.0, 4.0, 9.0]), np.array([0.25, 2.25, 6.25]), "down")


@pytest.mark.parametrize("span", [EVEN, TURNED, UNEVEN])
def test_a_part_has_the_edges_and_centers_of_its_cells(span):
    part = span.part(1, 3)
    assert part.n_cells == 2 and part.tie == span.tie and part.is_reversed == span.is_reversed
    assert np.array_equal(part.edge_array(), span.edge_array()[1:4])
    assert np.array_equal(part.center_array(), span.center_array()[1:3])
    assert (part.u0, part.u1) == tuple(span.edge_array()[[1, 3]])
    assert span.part(0, span.n_cells) == span


@pytest.mark.parametrize("span", [EVEN, TURNED, UNEVEN])
def test_mapped_cells_keep_their_order_and_their_tie(span):
    mapped = span.mapped(lambda places: 8 - 2 * places)
    assert mapped.tie == span.tie and mapped.is_reversed != span.is_reversed
    assert np.array_equal(mapped.edge_array(), 8 - 2 * span.edge_array())
    assert np.array_equal(mapped.center_array(), 8 - 2 * span.center_array())
    assert span.counted_from(3).counted_from(-3) == span


def test_a_window_is_reversed_along_each_axis():
    assert Window(TURNED, UNEVEN).is_reversed == (True, False)


def test_a_view_is_read_from_an_array_of_any_library(recwarn):
    """A tensor, whose library knows no `copy` yet, brought a warning of NumPy about that."""
    class Tensor:
        def __array__(self, dtype=None):
            return np.array([[0, 5], [2, 4]], dtype)

    assert check_view(Tensor(), (10, 10)) == ((0.0, 5.0), (2.0, 4.0))
    assert not recwarn.list
