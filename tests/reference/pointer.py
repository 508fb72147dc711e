"""What the pointer says about a cell: one element, or a bin of them."""

from dataclasses import dataclass

import numpy as np

from .cells import weighted_mean
from .loading import is_masked


@dataclass(frozen=True)
class ElementHover:
    """One element: its place in the plane and its stored value."""

    row: int
    col: int
    value: object


@dataclass(frozen=True)
class BinHover:
    """Half-open index ranges of the touched elements, their number, and what they hold."""

    rows: tuple
    cols: tuple
    n: int
    minimum: float | None
    mean: float | None
    maximum: float | None
    n_nan: int
    n_pos_inf: int
    n_neg_inf: int
    n_masked: int


def hover(plane, rows, cols, q, p, storage=None):
    """What to say about cell (q, p); None for an empty cell.

    plane : float64 values; storage : the same elements in their own dtype, for exact values
    """
    row, col = rows[q], cols[p]
    if row.is_empty or col.is_empty:
        return None
    if row.is_nearest and col.is_nearest:
        value = (plane if storage is None else storage)[row.nearest, col.nearest]
        return ElementHover(row.nearest, col.nearest, value)
    box = (slice(row.touched.start, row.touched.stop), slice(col.touched.start, col.touched.stop))
    values = plane[box]
    finite = np.isfinite(values)
    exact = (plane if storage is None else storage)[box][finite]
    weights = np.outer(row.weights, col.weights)
    return BinHover(
        rows=(row.touched.start, row.touched.stop),
        cols=(col.touched.start, col.touched.stop),
        n=values.size,
        minimum=exact.min() if exact.size else None,
        mean=weighted_mean(weights[finite], values[finite]) if exact.size else None,
        maximum=exact.max() if exact.size else None,
        n_nan=int((np.isnan(values) & ~is_masked(values)).sum()),
        n_pos_inf=int(np.isposinf(values).sum()),
        n_neg_inf=int(np.isneginf(values).sum()),
        n_masked=int(is_masked(values).sum()),
    )
