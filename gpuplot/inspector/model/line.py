"""A 1-D tensor as a line: lowest, highest and mean element of each column of pixels, and marks of elements not finite."""

import numpy as np

from ... import _native
from ...plane.frame import has_elements
from ...plane.series import states_of_ranges, values_of_orders
from ...plane.window import Span, Window

# Values of the frame's fourth row.
NO_MARK, NAN, POS_INF, NEG_INF = range(4)


def line_columns(plane, viewport):
    """The five rows of `Drawn.line` for a plane of one row, in the columns of a viewport."""
    n_columns = viewport.size[1]
    window = Window(Span(0.0, 1.0, 1), Span(*viewport.window[2:], n_columns))
    begins, ends = _touched(plane.shape[1], window.cols)
    mean = plane.skipping().reduce(window, "mean").cells.numpy()[0]
    if plane.series is None:
        lowest = highest = mean
        marks = _marks_of_cells(plane.decided(leaves_out_nan=False).reduce(window, "mean").cells.numpy()[0])
    else:
        states, order = states_of_ranges(plane.series, begins, ends)
        is_known = states["n_finite"] > 0
        lowest, highest = (np.where(is_known, values_of_orders(states[name], order) + 0.0, np.nan) for name in ("lowest", "highest"))
        marks = np.where(is_known & (plane.nan == "skip"), NO_MARK, _marks_of_states(states["has"], plane.nan))
    line = np.array([np.where(np.isfinite(row), row, np.nan) for row in (lowest, highest, mean)] + [marks, ends - begins], float)
    line[3:, ends == begins] = np.nan
    return line


def _marks_of_cells(cells):
    is_nan = np.isnan(cells) & has_elements(cells)
    return np.where(is_nan, NAN, np.where(cells == np.inf, POS_INF, np.where(cells == -np.inf, NEG_INF, NO_MARK)))


def _marks_of_states(has, nan):
    """The mark of a column: NaN before +Inf before -Inf; a masked element counts as NaN beside others under "show"."""
    is_masked_nan = (nan == "show") & (has & _native.HAS_MASKED > 0) & (has != _native.HAS_MASKED)
    is_there = [has & bit > 0 for bit in (_native.HAS_NAN, _native.HAS_POS_INF, _native.HAS_NEG_INF)]
    return np.select([is_there[0] | is_masked_nan, *is_there[1:]], [NAN, POS_INF, NEG_INF], NO_MARK)


def _touched(n_elems, span):
    """(first, stop) of the elements of each column; equal if it has none."""
    axis = _native.Axis(n_elems, span.u0, span.u1, span.n_cells)
    spans = np.array([axis.span(p)[:2] for p in range(span.n_cells)], np.int64).reshape(-1, 2)
    return spans[:, 0], np.maximum(spans[:, 0], spans[:, 1])
