"""Reducing hidden axes element by element, before anything is reduced to cells."""

import math

import numpy as np

from .cells import MARK_VALUES, VALUE, mark_of
from .tolerances import CANCELLED, RELATIVE

OPERATIONS = ("mean", "max", "min", "sum", "std", "norm")


def _one(values, op):
    """One element of the result, from the finite elements along the hidden axes."""
    if op in ("max", "min"):
        return float(values.max() if op == "max" else values.min())
    total = math.fsum(values.tolist())
    if op == "sum":
        return total
    mean = total / len(values)
    if op == "mean":
        return mean
    if op == "std":
        return math.sqrt(math.fsum(((values - mean) ** 2).tolist()) / len(values))
    return math.sqrt(math.fsum((values * values).tolist()))


def _one_error(value, values, errors, op):
    """The error that one element of the result may have."""
    inherited = float(np.max(errors))
    if op in ("max", "min"):
        return inherited
    magnitude = math.fsum(np.abs(values).tolist())
    if op == "sum":
        return CANCELLED * magnitude + math.fsum(errors.tolist())
    own = CANCELLED * magnitude / len(values)
    if op == "norm":
        return RELATIVE * value + own + math.sqrt(math.fsum((errors * errors).tolist()))
    return own + inherited + (RELATIVE * value if op == "std" else 0.0)


def _joined_axes(values, axes):
    """`values` with the given axes moved to the end and merged into one."""
    kept = [axis for axis in range(values.ndim) if axis not in axes]
    moved = values.transpose(*kept, *axes)
    return moved.reshape(*moved.shape[: len(kept)], -1) if moved.size else None


def reduce_jointly(values, errors, op, axes, nan):
    """Reduce `axes` as one set; returns (values, errors) without those axes.

    Non-finite elements follow `nan` as in a cell: the result is marked, or they are left out.
    """
    if op not in OPERATIONS:
        raise ValueError(f"reduce takes one of {OPERATIONS}, not {op!r}")
    sets, error_sets = _joined_axes(values, axes), _joined_axes(errors, axes)
    kept_shape = tuple(size for axis, size in enumerate(values.shape) if axis not in axes)
    if sets is None:
        # Nothing to reduce: the picture has no element.
        return np.empty(kept_shape), np.empty(kept_shape)
    result, result_errors = np.empty(kept_shape), np.zeros(kept_shape)
    for at in np.ndindex(kept_shape):
        mark = mark_of(sets[at], nan)
        if mark != VALUE:
            result[at] = MARK_VALUES[mark]
            continue
        finite = np.isfinite(sets[at])
        result[at] = _one(sets[at][finite], op)
        result_errors[at] = _one_error(result[at], sets[at][finite], error_sets[at][finite], op)
    return result, result_errors


def reduce_hidden(values, reductions, nan="show", errors=None):
    """Carry out reductions [(operation, axes), ...] in order; axes count in the array as given.

    Returns (values, errors): errors is the absolute error that another implementation may have.
    """
    errors = np.zeros(values.shape) if errors is None else errors
    remaining = list(range(values.ndim))
    for op, axes in reductions:
        here = tuple(remaining.index(axis) for axis in axes)
        values, errors = reduce_jointly(values, errors, op, here, nan)
        remaining = [axis for axis in remaining if axis not in axes]
    return values, errors
