"""What each cell should be: area statistics with fractional coverage in float64, by NumPy's reduceat, not timed; and errors against it."""

import numpy as np

CHUNK_ELEMS = 4_000_000


def float64_rows(a, start, stop):
    """Rows of `a`, torch's bfloat16 included, as float64; what is masked is NaN."""
    rows = a[start:stop]
    return rows.double().numpy() if hasattr(rows, "double") else np.ma.filled(rows.astype(np.float64), np.nan)


class Axis:
    """`n_elems` elements shared out to `n_cells` equal cells; an element that a border cuts counts on both sides.

    From cells at most as wide as an element on, a cell is the one element under its center.
    """

    def __init__(self, n_elems, n_cells):
        self.n_cells = n_cells
        p = np.arange(n_cells + 1, dtype=np.int64)
        self.floor = p * n_elems // n_cells
        self.ceil = -(-p * n_elems // n_cells)
        self.fraction = (p * n_elems % n_cells) / n_cells
        self.is_nearest = n_elems <= n_cells
        self.center = (2 * p[:-1] + 1) * n_elems // (2 * n_cells)

    def sum(self, x):
        """Coverage-weighted sums along the last axis."""
        if self.is_nearest:
            return x[..., self.center]
        padded = np.concatenate([x, np.zeros((*x.shape[:-1], 1))], axis=-1)
        inside = self._between(np.add, padded, self.ceil[:-1], self.floor[1:])
        inside[..., self.ceil[:-1] >= self.floor[1:]] = 0
        left = np.where(self.fraction[:-1] > 0, 1 - self.fraction[:-1], 0)
        return inside + left * padded[..., self.floor[:-1]] + self.fraction[1:] * padded[..., self.floor[1:]]

    def extreme(self, ufunc, x):
        """`ufunc` (maximum or minimum) over the elements that each cell touches, along the last axis."""
        if self.is_nearest:
            return x[..., self.center]
        padded = np.concatenate([x, x[..., -1:]], axis=-1)
        return self._between(ufunc, padded, self.floor[:-1], self.ceil[1:])

    @staticmethod
    def _between(ufunc, padded, starts, stops):
        return ufunc.reduceat(padded, np.stack([starts, stops], axis=1).ravel(), axis=-1)[..., ::2].copy()


def _reduce_both(a, shape, along):
    """`along(axis, rows)` on blocks of rows, then on the columns of what that left."""
    rows, cols = Axis(a.shape[0], shape[0]), Axis(a.shape[1], shape[1])
    step = max(1, CHUNK_ELEMS // a.shape[1])
    blocks = [along(cols, float64_rows(a, i, i + step), True) for i in range(0, a.shape[0], step)]
    return along(rows, np.concatenate(blocks).T, False).T


def _sum(a, shape, per_element):
    return _reduce_both(a, shape, lambda axis, x, is_first: axis.sum(per_element(x) if is_first else x))


def _extreme(a, shape, ufunc, per_element):
    return _reduce_both(a, shape, lambda axis, x, is_first: axis.extreme(ufunc, per_element(x) if is_first else x))


def _coverage(shape, source):
    """How many elements each cell covers, parts included."""
    rows, cols = (Axis(n, n_cells).sum(np.ones(n)) for n, n_cells in zip(source, shape))
    return rows[:, None] * cols


def _spread(a, shape, n, mean):
    """Standard deviation from squares about one element; the benchmark's numbers lie close enough together for that."""
    shift = np.nan_to_num(float64_rows(a, 0, 1)[0, 0])
    squares = _sum(a, shape, lambda x: np.nan_to_num(x - shift) ** 2)
    return np.sqrt(np.maximum(squares / n - (mean - shift) ** 2, 0))


def _has_nan(a):
    step = max(1, CHUNK_ELEMS // a.shape[1])
    return any(np.isnan(float64_rows(a, i, i + step)).any() for i in range(0, a.shape[0], step))


def cells(a, shape, agg="mean", nan="show"):
    """Cells of the plane `a`: `agg` of the finite elements of each, NaN where one is NaN (``nan='show'``) or all are.

    Parameters
    ----------
    a : array (rows, columns)
        Finite numbers and NaN, or a masked array.
    shape : (int, int)
        Rows and columns of cells.
    agg : {"mean", "min", "max", "absmax", "std"}

    Returns
    -------
    ndarray (shape) float64
    """
    has_nan = _has_nan(a)

    def but_nan(value):
        return (lambda x: np.where(np.isnan(x), value, x)) if has_nan else (lambda x: x)

    n = _sum(a, shape, lambda x: 1.0 - np.isnan(x)) if has_nan else _coverage(shape, a.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        if agg in ("mean", "std"):
            result = _sum(a, shape, but_nan(0)) / n
            result = _spread(a, shape, n, result) if agg == "std" else result
        else:
            high = _extreme(a, shape, np.maximum, but_nan(-np.inf))
            low = _extreme(a, shape, np.minimum, but_nan(np.inf))
            result = {"max": high, "min": low, "absmax": np.where(high >= -low, high, low)}[agg]
    if has_nan:
        n_nan = _extreme(a, shape, np.maximum, lambda x: np.isnan(x).astype(float))
        result[(n_nan > 0) if nan == "show" else (n == 0)] = np.nan
    return result


def limits(a):
    """Smallest and largest finite element."""
    step = max(1, CHUNK_ELEMS // a.shape[1])
    pairs = []
    for i in range(0, a.shape[0], step):
        x = float64_rows(a, i, i + step)
        x = x[np.isfinite(x)]
        pairs += [(x.min(), x.max())] if x.size else []
    return min(p[0] for p in pairs), max(p[1] for p in pairs)


def colors(values, low, high, norm="linear", cmap="viridis"):
    """The pixels of cells: matplotlib's own norm and colormap on float64."""
    import matplotlib
    from matplotlib.colors import LogNorm, Normalize

    maker = {"linear": Normalize, "log": LogNorm}[norm]
    masked = np.ma.masked_invalid(values)
    return matplotlib.colormaps[cmap](maker(low, high)(masked), bytes=True)


def cell_error(got, want):
    """How far cells are off: the largest difference over the largest value, and the cells that are wrongly (un)marked."""
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    if got.shape != want.shape:
        raise ValueError(f"cells of shape {got.shape}, and {want.shape} were asked for")
    both = np.isfinite(got) & np.isfinite(want)
    scale = np.abs(want[both]).max() if both.any() else 1.0
    return {"kind": "cells",
            "max_relative": float(np.abs(got - want)[both].max() / scale) if both.any() else 0.0,
            "n_wrong_marks": int((np.isfinite(got) != np.isfinite(want)).sum())}


def picture_error(got, want):
    """How far pixels are off: the share that differs at all, and the mean and largest difference of a channel."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        raise ValueError(f"a picture of shape {got.shape}, and {want.shape} was asked for")
    difference = np.abs(got.astype(int) - want.astype(int))
    return {"kind": "pixels", "share_differing": float((difference > 0).any(axis=-1).mean()),
            "max_channel": int(difference.max()), "mean_channel": float(difference.mean())}


def array_error(got, want):
    """How many elements of an array are not those of the other one; a NaN is a NaN, and dtypes count."""
    got, want = np.asarray(got), np.asarray(want)
    if (got.shape, got.dtype) != (want.shape, want.dtype):
        raise ValueError(f"{got.dtype} {got.shape}, and the other one is {want.dtype} {want.shape}")
    step = max(1, CHUNK_ELEMS * len(got) // max(1, got.size)) if got.ndim else 1
    parts = ((got[i:i + step], want[i:i + step]) for i in range(0, len(got), step)) if got.ndim else [(got, want)]
    return {"kind": "elements", "n_differing": sum(int(((x != y) & ((x == x) | (y == y))).sum()) for x, y in parts)}


def error_of(contender, statement, truth):
    """The error of the cells or the picture that a contender's statement makes."""
    exec(contender.check or contender.line, statement.names)
    got = eval(contender.cells or contender.picture, statement.names)
    return measured(cell_error if contender.cells else picture_error, got, truth)


def measured(measure, got, truth):
    """The error by one of the measures, or {"failed": why} where the result does not have the truth's shape."""
    try:
        return measure(got, truth)
    except ValueError as error:
        return {"failed": str(error)}
