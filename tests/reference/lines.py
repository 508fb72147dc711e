"""Lines to cells, line by line and column by column: which rows each fills, and how many lines fill a cell."""

import math
from bisect import bisect_right
from fractions import Fraction

import numpy as np

__all__ = ["bin_lines", "exact_bounds", "line_axis", "line_place"]

LARGEST, FARTHEST, ONE = 1.7976931348623157e308, 1e300, 2**32


def line_axis(first, last, n_cells, low=-LARGEST, high=LARGEST, values=None, places=None):
    """An axis as `_native.bin_lines` takes it."""
    return first, last, n_cells, low, high, values, places


def line_place(v, first, last, n_cells, low, high, values, places):
    """Where a coordinate lies, in cells; None for what has no place."""
    v = float(v)
    if not low <= v <= high:
        return None
    if values is not None:
        at = min(max(bisect_right(values, v) - 1, 0), len(values) - 1)
        if v <= values[0] or at == len(values) - 1:
            return places[at]
        return places[at] + (places[at + 1] - places[at]) * ((v - values[at]) / (values[at + 1] - values[at]))
    with np.errstate(over="ignore"):
        place = float((np.float64(v) - first) * n_cells / (np.float64(last) - first))
    if first <= v <= last:
        return float(n_cells) if v == last else min(place, n_cells)
    place = max(place, n_cells * (1 + 2.0**-52)) if v > last else min(place, -1 / FARTHEST)
    return min(max(place, -FARTHEST), FARTHEST)


def _crossing(a, b, border):
    """Where the stroke from place a to place b, the left one first, crosses a border, or has an end on it."""
    if border in (a[0], b[0]):
        return a[1] if a[0] == border else b[1]
    y = a[1] + (b[1] - a[1]) * ((border - a[0]) / (b[0] - a[0]))
    return min(max(y, min(a[1], b[1])), max(a[1], b[1]))


def _spans(samples, n_cols):
    """``(column, low, high)`` of each sample by itself, and of each stroke over each closed column that it touches."""
    for a in samples:
        if a is not None and 0 <= a[0] <= n_cols:
            yield min(math.floor(a[0]), n_cols - 1), a[1], a[1]
    for a, b in zip(samples, samples[1:], strict=False):
        if a is None or b is None:
            continue
        if a[0] > b[0]:
            a, b = b, a
        for k in range(n_cols):
            if b[0] < k or a[0] > k + 1:
                continue
            ends = (a[1] if a[0] >= k else _crossing(a, b, k)), (b[1] if b[0] <= k + 1 else _crossing(a, b, k + 1))
            yield k, min(ends), max(ends)


def _rows(low, high, n_rows, has_outside=False):
    if has_outside:
        first, last = (0 if at < 0 else n_rows + 1 if at > n_rows else min(math.floor(at), n_rows - 1) + 1 for at in (low, high))
        return set(range(first, last + 1))
    if high < 0 or low > n_rows:
        return set()
    return set(range(min(math.floor(max(low, 0)), n_rows - 1), min(math.floor(min(high, n_rows)), n_rows - 1) + 1))


def _filled(samples, shape, is_sorted, has_outside):
    """For each column the rows that a line fills: of one that rises or falls all between the lowest and the highest."""
    filled = [set() for _ in range(shape[1])]
    spans = list(_spans(samples, shape[1]))
    for k in range(shape[1]):
        here = [span[1:] for span in spans if span[0] == k]
        if here and is_sorted:
            here = [(min(low for low, _ in here), max(high for _, high in here))]
        for low, high in here:
            filled[k] |= _rows(low, high, shape[0], has_outside)
    return filled


def _is_sorted(x):
    pairs = list(zip(x, x[1:], strict=False))
    return None not in x and (all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs))


def bin_lines(x, y, x_axis, y_axis, normalized=False, has_outside=False, fills_gaps=True):
    """How many lines fill each cell, or their shares.

    Parameters
    ----------
    x : sequence of float64, a list of these for each line, or None
    y : list of sequences of float64
    x_axis, y_axis : as `line_axis` makes them
    has_outside : bool
        Whether there is a row more for what is below the grid, and one for what is above.
    fills_gaps : bool
        Whether a line that rises or falls fills what is between its strokes in a column.

    Returns
    -------
    ndarray (rows, columns)
        Row 0 is that of the smallest y; 0 where there is no line.
    """
    shape = (y_axis[2], x_axis[2])
    sums = np.zeros((shape[0] + 2 * has_outside, shape[1]), object)
    for i, line in enumerate(y):
        own = range(len(line)) if x is None else x[i] if np.ndim(x[0]) else x
        xs, ys = [line_place(v, *x_axis) for v in own], [line_place(v, *y_axis) for v in line]
        samples = [None if None in pair else pair for pair in zip(xs, ys, strict=True)]
        for k, rows in enumerate(_filled(samples, shape, fills_gaps and _is_sorted(xs), has_outside)):
            for row in rows:
                sums[row, k] += (ONE + len(rows) // 2) // len(rows) if normalized else 1
    return (sums / ONE if normalized else sums).astype(float)


def exact_bounds(x, y, x_range, y_range, shape, slack=Fraction(1, 10**9)):
    """How many of some lines that rise fill each cell at least, and at most, in exact numbers, where rows may be off by `slack` of one.

    Every sample is finite. Neither places nor crossings are rounded.
    """
    (x0, x1), (y0, y1) = (tuple(Fraction(float(end)) for end in ends) for ends in (x_range, y_range))
    n_rows, n_cols = shape
    least, most = np.zeros(shape, int), np.zeros(shape, int)
    for line in y:
        places = [((Fraction(float(a)) - x0) * n_cols / (x1 - x0), (Fraction(float(b)) - y0) * n_rows / (y1 - y0))
                  for a, b in zip(x, line, strict=True)]
        for low, high, k in _hulls(places, n_cols):
            for row in _rows(low + slack, high - slack, n_rows) if low + slack <= high - slack else ():
                least[row, k] += 1
            for row in _rows(low - slack, high + slack, n_rows):
                most[row, k] += 1
    return least, most


def _hulls(places, n_cols):
    """``(low, high, column)`` of a line over each closed column that it touches."""
    spans = list(_spans(places, n_cols))
    for k in range(n_cols):
        here = [span[1:] for span in spans if span[0] == k]
        if here:
            yield min(low for low, _ in here), max(high for _, high in here), k
