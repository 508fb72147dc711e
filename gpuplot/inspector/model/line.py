"""A 1-D tensor as a line: lowest, highest and mean element of each column of pixels, and marks of those not finite."""

from __future__ import annotations

import numpy as np

from ... import _native
from ...plane.reduce import Span, Window, has_elements

__all__ = ["line_columns"]

# Values of the frame's fourth row.
NO_MARK, NAN, POS_INF, NEG_INF = range(4)


def line_columns(plane, viewport):
    """The five rows of a line frame, as `Drawn.line` has them.

    Parameters
    ----------
    plane : InspectedPlane or DifferencePlane
        Of one row.
    look : Viewport
        Its columns are those of the frame; rows do not matter.

    Returns
    -------
    ndarray (5, w) float64
    """
    n_columns = viewport.size[1]
    window = Window(Span(0.0, 1.0, 1), Span(*viewport.window[2:], n_columns))
    finite = plane.skipping()
    aggs = plane.envelope_aggs
    found = {agg: finite.reduce(window, agg).cells.numpy()[0] for agg in dict.fromkeys(aggs)}
    counts = _touched(plane.shape[1], window.cols)
    line = np.full((5, n_columns), np.nan)
    for row, agg in enumerate(aggs):
        line[row] = np.where(np.isfinite(found[agg]), found[agg], np.nan)
    line[3] = _marks(plane.decided(leaves_out_nan=False).reduce(window, aggs[1]).cells.numpy()[0], counts)
    line[4] = np.where(counts > 0, counts, np.nan)
    return line


def _marks(cells, counts):
    is_nan = np.isnan(cells) & has_elements(cells)
    marks = np.where(is_nan, NAN, np.where(cells == np.inf, POS_INF, np.where(cells == -np.inf, NEG_INF, NO_MARK)))
    return np.where(counts > 0, marks.astype(float), np.nan)


def _touched(n_elems, span):
    """The number of elements in each column."""
    axis = _native.Axis(n_elems, span.u0, span.u1, span.n_cells)
    spans = [axis.span(p) for p in range(span.n_cells)]
    return np.array([max(0, stop - first) for first, stop, *_ in spans], float)
