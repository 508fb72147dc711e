"""How far another implementation's numbers may lie from the reference's."""

import math

import numpy as np

RELATIVE = 1e-6
"""Allowed error of a mean, sum, variance or deviation relative to itself."""
CANCELLED = 1e-12
"""Allowed error relative to the same mean or sum of magnitudes, which matters where terms cancel."""
WEIGHTED = ("mean", "sum", "var", "std")
"""The reductions in which elements have weights."""


def _own_tolerance(agg, value, weights, values):
    """The error that the reduction of exact elements may add."""
    if agg == "range":  # integers are subtracted before they are rounded, here they are after
        largest = float(np.max(np.abs(values)))
        return 2 * float(np.spacing(largest)) if largest >= 2**53 and np.all(values == np.rint(values)) else 0.0
    if agg not in WEIGHTED:
        return 0.0
    total = math.fsum((weights * np.abs(values)).tolist())
    magnitude = total if agg == "sum" else total / math.fsum(weights.tolist())
    if agg in ("mean", "sum"):
        return max(RELATIVE * abs(value), CANCELLED * magnitude)
    return RELATIVE * value + CANCELLED * (magnitude**2 if agg == "var" else magnitude)


def _inherited_tolerance(agg, weights, errors, values):
    """The error that inexact elements pass on: the largest of them, per unit of weight for a sum."""
    if agg in ("count", "any"):
        return 0.0
    largest = float(np.max(errors))
    if agg == "range":
        return 2 * largest
    if agg == "sum":
        return largest * math.fsum(weights.tolist())
    if agg == "var":
        return largest * 2 * float(np.ptp(values)) + largest**2
    return largest


def cell_tolerance(agg, value, block, error_block=None):
    """Absolute error allowed for one cell; 0 means that the value must be equal.

    `block` holds the elements of the cell with their weights, `error_block` the errors of those
    elements where the plane itself was computed. A cell of one element is that element.
    """
    finite = np.isfinite(block.values)
    values, weights = block.values[finite], block.weights[finite] if agg in WEIGHTED else None
    own = 0.0 if block.is_one_element else _own_tolerance(agg, value, weights, values)
    if error_block is None or (block.is_one_element and agg in ("std", "var", "range")):
        return own
    return own + _inherited_tolerance(agg, weights, error_block.values[finite], values)


def assert_cells(got, want, what="cells"):
    """Raise AssertionError unless the float64 grid `got` is the Cells `want` within their tolerances."""
    got = np.asarray(got)
    assert got.dtype == np.float64, f"{what}: dtype {got.dtype}, want float64"
    assert got.shape == want.values.shape, f"{what}: shape {got.shape}, want {want.values.shape}"
    finite = np.isfinite(want.values)
    same_class = np.where(finite, np.isfinite(got), (got == want.values) | (np.isnan(got) & np.isnan(want.values)))
    # absmax of nearly equal magnitudes may come out with either sign where the elements were computed.
    by_magnitude = (want.agg == "absmax") & (want.tolerances > 0)
    a, b = (np.where(by_magnitude, np.abs(v), v) for v in (got, want.values))
    with np.errstate(invalid="ignore"):
        distance = np.abs(a - b)
        if want.period is not None:
            distance = np.minimum(distance, np.abs(want.period - distance))
        near = np.where(finite, distance <= want.tolerances, True)
    wrong = np.argwhere(~(same_class & near))
    if len(wrong):
        q, p = wrong[0]
        raise AssertionError(
            f"{what}: {len(wrong)} of {got.size} differ; first at {(int(q), int(p))}: got {got[q, p]!r}, "
            f"want {want.values[q, p]!r} within {want.tolerances[q, p]:.3g} (agg {want.agg!r})"
        )
    zeros = (got == 0) & np.signbit(got)
    assert not zeros.any(), f"{what}: negative zero at {np.argwhere(zeros)[0]}"
