"""Joins aggregated values of two groups of elements; where one is a mark (NaN, infinity, masked, empty), decides which wins."""

import numpy as np

from .frame import is_empty, is_masked

# Kinds of values, and which of two kinds decides under a policy, the one of the higher number; two finite values are combined.
FINITE, MASKED, NEG_INF, POS_INF, NAN, EMPTY = range(6)
PRIORITIES = {"show": (1, 2, 3, 4, 5, 0), "unmasked": (2, 1, 3, 4, 5, 0), "infinite": (3, 1, 4, 5, 2, 0), "skip": (5, 1, 2, 3, 4, 0)}

COMBINED = {"sum": np.add, "count": np.add, "max": np.maximum, "min": np.minimum, "norm": np.hypot}


def kinds_of(values):
    """The kind of each value, float64: a number, or one of the marks of cells."""
    if np.isfinite(values).all():
        return np.zeros(np.shape(values), np.int8)
    values = np.ascontiguousarray(values)
    kinds = [np.isfinite(values), is_masked(values), is_empty(values), values == -np.inf, values == np.inf]
    return np.select(kinds, [FINITE, MASKED, EMPTY, NEG_INF, POS_INF], NAN)


def decided(nan, a, b):
    """For two arrays of values: where both are numbers, where the first one wins, and the result where not both are numbers.

    `nan` is the native name of a policy.
    """
    if np.isfinite(a).all() and np.isfinite(b).all():  # as most are, and much faster
        return np.True_, np.True_, a
    kinds = kinds_of(a), kinds_of(b)
    is_pair = (kinds[0] == FINITE) & (kinds[1] == FINITE)
    is_first = np.greater_equal(*(np.array(PRIORITIES[nan])[kind] for kind in kinds))
    values = np.where(is_first, a, b)
    if nan == "show":  # what is masked is NaN beside anything else
        is_alone = (kinds[0] == EMPTY) | (kinds[1] == EMPTY)
        values[((kinds[0] == MASKED) != (kinds[1] == MASKED)) & ~is_alone] = np.nan
    return is_pair, is_first, values


def joined_values(op, nan, a, b):
    """Sums, counts, extremes or norms of some elements and of others as those of all."""
    is_pair, _, values = decided(nan, a, b)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(is_pair, COMBINED[op](a, b), values)
