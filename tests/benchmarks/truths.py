"""What a case's result should be, computed once for all its contenders."""

import definition
import numpy as np


def cells(a, shape, agg, nan="show"):
    """Cells by the float64 definition."""
    return definition.cells(a, shape, agg, nan)


def hidden_cells(a, op):
    """Means of 2 x 2 elements of a tensor whose first axis is reduced."""
    plane = getattr(np, op)(a, axis=0, dtype=np.float64) if op != "max" else a.max(axis=0).astype(np.float64)
    return definition.cells(plane, (plane.shape[0] // 2, plane.shape[1] // 2), "mean")


def _places(a, shape, edge):
    """The number of the cell of each point, and which points have one."""
    columns, rows = (np.floor((v.astype(np.float64) + edge) * n / (2 * edge)) for v, n in zip(a, shape[::-1], strict=False))
    is_inside = (abs(a[0]) <= edge) & (abs(a[1]) <= edge)
    cells = np.minimum(rows, shape[0] - 1) * shape[1] + np.minimum(columns, shape[1] - 1)
    return cells[is_inside].astype(np.int64), is_inside


def counts_of_points(a, shape, edge):
    """How many points each cell between -edge and edge has."""
    return np.bincount(_places(a, shape, edge)[0], minlength=shape[0] * shape[1]).reshape(shape)


def means_of_points(a, shape, edge):
    """The mean value of the points of each cell, NaN where there are none."""
    cells, is_inside = _places(a, shape, edge)
    sums = np.bincount(cells, a[2][is_inside].astype(np.float64), shape[0] * shape[1])
    with np.errstate(invalid="ignore"):
        return (sums / np.bincount(cells, minlength=sums.size)).reshape(shape)


def counts_of_lines(a, shape, edge):
    """How many rows, as lines over their positions, pass each cell between -edge and edge: column by column, all lines at once."""
    n_rows, n_cols = shape
    n = a.shape[1]
    x = np.arange(n) * n_cols / (n - 1)
    y = (a.astype(np.float64) + edge) * n_rows / (2 * edge)
    cells = np.empty(shape)
    for k in range(n_cols):
        begin, end = np.searchsorted(x, k), np.searchsorted(x, k + 1, "right")
        ends = [_on_border(x, y, k, begin), *y[:, begin:end].T, _on_border(x, y, k + 1, end)]
        ends = np.array([here for here in ends if here is not None])
        low, high = ends.min(0), ends.max(0)
        is_seen = (high >= 0) & (low <= n_rows)
        rows = [np.clip(np.floor(v[is_seen]), 0, n_rows - 1).astype(int) for v in (low, high)]
        starts, stops = (np.bincount(row, minlength=n_rows + 1) for row in (rows[0], rows[1] + 1))
        cells[:, k] = (starts - stops)[:n_rows].cumsum()
    return cells


def _on_border(x, y, k, i):
    """Where the strokes from sample i - 1 to i cross the border of a column; None where none does."""
    if not 0 < i < len(x) or not x[i - 1] < k < x[i]:
        return None
    part = (k - x[i - 1]) / (x[i] - x[i - 1])
    return y[:, i - 1] + (y[:, i] - y[:, i - 1]) * part


def picture_of_array(a, shape):
    """Pixels of the means, with the limits of the elements."""
    return definition.colors(definition.cells(a, shape), *definition.limits(a))


def picture_of_colors(a, side):
    """Pixels of the means of colors, weighed by opacity if they have one: of bytes rounded half up, of floats cut to bytes.

    They are transparent where a channel is NaN.
    """
    blocks = a.reshape(side, a.shape[0] // side, side, a.shape[1] // side, -1).astype(np.float64)
    opaque = 255 if a.dtype == np.uint8 else 1
    alpha = blocks[..., 3:] / opaque if a.shape[2] == 4 else np.ones((*blocks.shape[:-1], 1))
    mean_alpha = alpha.mean((1, 3))
    means = (blocks[..., :3] * alpha).mean((1, 3)) / np.where(mean_alpha > 0, mean_alpha, 1)
    pixels = np.concatenate([means / opaque, mean_alpha], axis=-1) * 255
    pixels[np.isnan(pixels).any(-1)] = 0
    return (np.floor(pixels + 0.5) if opaque == 255 else np.clip(pixels, 0, 255)).astype(np.uint8)


def colors(a, norm):
    """Pixels of cells between 1 and 3."""
    return definition.colors(a, 1, 3, norm)


def colors_of_array(a):
    """One pixel an element, with the limits of the elements."""
    return definition.colors(a.astype(np.float64), *definition.limits(a))


def percentiles(a, percents):
    """Linear interpolation of order statistics in float64."""
    ordered = np.sort(a, axis=None)
    ranks = (ordered.size - 1) * np.asarray(percents) / 100
    low = np.floor(ranks).astype(np.int64)
    first, second = ordered[low].astype(np.float64), ordered[np.minimum(low + 1, ordered.size - 1)].astype(np.float64)
    return (first + (second - first) * (ranks - low))[None]


def summary(a):
    """Smallest, largest, mean and std (ddof=1) in float64."""
    x = a.astype(np.float64)
    return np.array([[x.min(), x.max(), x.mean(), x.std(ddof=1)]])


def slices(a, axis):
    """The same along one axis, a row of each."""
    x = a.astype(np.float64)
    return np.array([x.min(axis), x.max(axis), x.mean(axis), x.std(axis, ddof=1)])


def m4(a, n_columns):
    """First, last, smallest and largest finite sample of columns of equally many samples, each row in order of size."""
    columns = a.reshape(n_columns, -1)
    found = np.empty((n_columns, 4))
    for row, column in zip(found, columns):
        finite = column[np.isfinite(column)]
        row[:] = finite[0], finite[-1], finite.min(), finite.max()
    return np.sort(found)


def picture_of_line(a):
    """matplotlib's own picture of all samples, which joins none of them to others."""
    import matplotlib
    from cases_lines import LINE

    names = {"a": a}
    with matplotlib.rc_context({"path.simplify": False, "agg.path.chunksize": 20_000}):
        exec(LINE.format(call="ax.plot(a, linewidth=0.72)"), names)
    return names["r"]


def numpy_histogram(a, bins, low, high):
    """NumPy's own counts."""
    return np.histogram(a, bins, (low, high))[0][None].astype(float)


def numpy_weights(a, bins, edge):
    """Sums in float64 of the values of points, by NumPy's bins of their first coordinate."""
    return np.histogram(a[0], bins, (-edge, edge), weights=a[2].astype(np.float64))[0][None]


def numpy_histogram2d(a, side, edge):
    """NumPy's own counts of pairs."""
    return np.histogram2d(a[0], a[1], side, ((-edge, edge),) * 2)[0]


KEPT = {}


def of(case, a):
    """The truth of a case, or None where it has none; the same question is answered once."""
    if not case.truth:
        return None
    key = (case.array, case.truth)
    if key not in KEPT:
        name, *arguments = case.truth
        KEPT[key] = globals()[name.replace(" ", "_")](a, *arguments)
    return KEPT[key]
