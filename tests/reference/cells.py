"""Reducing the elements of each cell to one float64 value, with marks for NaN, +Inf, -Inf and masked elements."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from .loading import MASKED_VALUE, is_masked
from .tolerances import cell_tolerance

VALUE, NAN, POS_INF, NEG_INF, EMPTY, MASKED = range(6)
MARK_VALUES = {NAN: np.nan, POS_INF: np.inf, NEG_INF: -np.inf, MASKED: MASKED_VALUE}
PUBLIC_AGGS = ("mean", "max", "min", "absmax", "range", "std", "var", "sum", "count", "nearest")
AGGS = (*PUBLIC_AGGS, "any", "first", "last", "mode")
# What is computed from finite elements stays finite.
LARGEST = float(np.finfo(np.float64).max)
# What marks under each policy; "auto" is one of the last two.
MARKING = {
    "show": {NAN, POS_INF, NEG_INF, MASKED}, "skip": set(), "unmasked": {NAN, POS_INF, NEG_INF}, "infinite": {POS_INF, NEG_INF},
}
NAN_POLICIES = tuple(MARKING)


@dataclass
class Cells:
    """A grid of cells, all arrays H x W.

    values : float64; a mark is NaN or an infinity, an empty cell NaN (0 for count and sum)
    kinds : VALUE, NAN, POS_INF, NEG_INF, EMPTY or MASKED
    tolerances : absolute error that another implementation may have; 0 means equal
    agg : the reduction that made them
    period : the values count modulo this number (2 pi for angles), or None
    """

    values: np.ndarray
    kinds: np.ndarray
    tolerances: np.ndarray
    agg: str
    period: float | None = None

    @property
    def finite_values(self):
        """The values of the cells that are neither marked nor empty."""
        return self.values[self.kinds == VALUE]


@dataclass(frozen=True)
class Block:
    """The elements of one cell: their values in row-major order, and the axis cells that weigh them; None for weights of 1."""

    values: np.ndarray
    rows: object
    cols: object
    is_one_element: bool

    @cached_property
    def weights(self):
        """The weights as float64: 1 each where there is one element, or no axes."""
        if self.is_one_element or self.rows is None:
            return np.ones(self.values.size)
        return (self.rows.weights[:, None] * self.cols.weights).ravel()

    def exact_weights(self):
        return [wy * wx for wy in self.rows.exact_weights for wx in self.cols.exact_weights]


def mark_of(values, nan):
    """VALUE, or the mark that these elements give their cell under the policy `nan`."""
    if nan not in NAN_POLICIES:
        raise ValueError(f"nan must be one of {NAN_POLICIES}, not {nan!r}")
    values = np.ravel(values)
    if np.isfinite(values).all():
        return VALUE
    masked = is_masked(values)
    there = {
        NAN: (np.isnan(values) & ~masked).any(), POS_INF: np.isposinf(values).any(), NEG_INF: np.isneginf(values).any(),
        MASKED: masked.any(),
    }
    marks = [kind for kind in (NAN, POS_INF, NEG_INF, MASKED) if there[kind]]
    marking = [kind for kind in marks if kind in MARKING[nan]]
    if MASKED in marking and not masked.all():
        return NAN
    if marking:
        return marking[0]
    return VALUE if np.isfinite(values).any() else marks[0]


def weighted_sum(weights, values):
    """SUM w x, rounded once per product and once at the end."""
    try:
        return math.fsum(np.ravel(weights * values).tolist())
    except OverflowError:
        return float(np.sum(weights * values))


def weighted_mean(weights, values):
    """SUM w x / SUM w."""
    return weighted_sum(weights, values) / weighted_sum(weights, np.ones_like(values))


def weighted_variance(weights, values):
    """The weighted second moment about the weighted mean, divided by SUM w."""
    deviations = values - weighted_mean(weights, values)
    return weighted_mean(weights, deviations * deviations)


WEIGHTED = {
    "mean": weighted_mean, "sum": weighted_sum, "var": weighted_variance,
    "std": lambda weights, values: math.sqrt(weighted_variance(weights, values)),
}


def absolute_maximum(values):
    """The value of largest magnitude, with its sign; the larger of the two on a tie."""
    return max(values.tolist(), key=lambda v: (abs(v), v))


def heaviest_value(values, exact_weights):
    """The value with the largest total weight; ties go to the smallest value."""
    totals = {}
    for value, weight in zip(values.tolist(), exact_weights):
        totals[value] = totals.get(value, Fraction(0)) + weight
    return min(totals, key=lambda value: (-totals[value], value))


def _aggregate(block, agg):
    """The value of a cell that has at least one finite element (count apart)."""
    finite = np.isfinite(block.values)
    values = block.values[finite]
    if agg == "mode":
        exact = [w for w, is_finite in zip(block.exact_weights(), finite) if is_finite]
        return heaviest_value(values, exact)
    if agg in WEIGHTED:
        return WEIGHTED[agg](block.weights[finite], values)
    return {
        "min": lambda: float(values.min()),
        "max": lambda: float(values.max()),
        "absmax": lambda: absolute_maximum(values),
        "range": lambda: min(float(values.max()) - float(values.min()), LARGEST),
        "any": lambda: float(np.any(values != 0)),
        "first": lambda: float(values[0]),
        "last": lambda: float(values[-1]),
        "nearest": lambda: float(values[0]),
    }[agg]()


def block_of(plane, row, col, agg):
    """The elements of `plane` in the cell of axis cells `row` and `col`; None if the cell is empty."""
    if row.is_empty or col.is_empty:
        return None
    if agg == "nearest" or (row.is_nearest and col.is_nearest):
        values = plane[row.nearest, col.nearest].reshape(1)
        return Block(values, row, col, True)
    values = plane[row.touched.start : row.touched.stop, col.touched.start : col.touched.stop]
    return Block(values.ravel(), row, col, False)


def owned_count(plane, row, col):
    """The number of finite elements that the cell owns."""
    owned = plane[row.owned.start : row.owned.stop, col.owned.start : col.owned.stop]
    return float(np.count_nonzero(np.isfinite(owned)))


def empty_value(agg):
    """What `downsample` gives for a cell without elements."""
    return 0.0 if agg in ("count", "sum") else np.nan


def reduce_cells(plane, rows, cols, agg="mean", nan="show", errors=None):
    """Reduce a plane to the grid of its row cells and column cells.

    Parameters
    ----------
    plane : ndarray (Ny, Nx) of float64
    rows, cols : lists of AxisCell
    agg : one of `AGGS`
    nan : one of `NAN_POLICIES`
    errors : ndarray (Ny, Nx) of float64, optional
        Absolute error that the plane's own elements may have, where they were computed.

    Returns
    -------
    Cells
    """
    if agg not in AGGS:
        raise ValueError(f"agg must be one of {AGGS}, not {agg!r}")
    shape = (len(rows), len(cols))
    cells = Cells(np.empty(shape), np.full(shape, VALUE), np.zeros(shape), agg)
    for q, row in enumerate(rows):
        for p, col in enumerate(cols):
            _reduce_into(cells, (q, p), plane, row, col, nan, errors)
    return cells


def _reduce_into(cells, at, plane, row, col, nan, errors):
    block = block_of(plane, row, col, cells.agg)
    if block is None:
        cells.values[at], cells.kinds[at] = empty_value(cells.agg), EMPTY
        return
    mark = mark_of(block.values, nan)
    if mark != VALUE:
        cells.values[at], cells.kinds[at] = MARK_VALUES[mark], mark
        return
    if cells.agg == "count":
        value = owned_count(plane, row, col)
    else:
        # Adding 0.0 turns a negative zero into a positive one.
        value = _aggregate(block, cells.agg) + 0.0
    error_block = None if errors is None else block_of(errors, row, col, cells.agg)
    cells.values[at] = value
    cells.tolerances[at] = cell_tolerance(cells.agg, value, block, error_block)
