"""Color limits for the cells of a density, which a few hot pixels do not stretch."""

import math
from typing import NamedTuple

from ...plane.limits import limits_of_cells, percentiles_of_cells

# Aggregations that count points or lines, or shares of lines; others are of the points' values.
COUNTS = ("count", "share")

# If the largest count is more than HOT times this percentile of the counts, the percentile is the upper limit, as one hot pixel must not
# dim all others. For values the same is done at both ends, with distances from the median.
HOT, HOT_PERCENTILE = 8, 99.8


class UsualLimits(NamedTuple):
    """Color limits where none are given, and the extremes of the cells that they are of."""

    ends: tuple[float, float]  # vmin and vmax
    smallest: float
    largest: float


def usual_limits(cells, agg, is_log=False):
    """The `UsualLimits` of cells under an aggregation.

    With `is_log` those of cells above zero, as a log norm has no place for others.
    """
    limits = limits_of_cells(cells)
    smallest, largest = limits.min_positive if is_log else limits.min, limits.max
    if math.isnan(smallest):
        return UsualLimits((1.0, 10.0) if is_log or agg in COUNTS else (0.0, 1.0), 0.0, 0.0)
    ends = _ends_of_counts(cells, agg, smallest, largest) if agg in COUNTS else _ends_of_values(cells, smallest, largest, is_log)
    return UsualLimits(ends, smallest, largest)


def _ends_of_counts(cells, agg, smallest, largest):
    """From one point, or the smallest share, to the largest cell or, where few are far larger than all others, to these others."""
    usual = float(percentiles_of_cells(cells, [HOT_PERCENTILE])[0])
    high = usual if largest > HOT * usual else largest
    return (1.0, max(high, 2.0)) if agg == "count" else (smallest, max(high, 2 * smallest))


def _ends_of_values(cells, smallest, largest, is_log):
    """The extremes of cells, without a few that are far more distant from the median than nearly all others."""
    low, median, high = map(float, percentiles_of_cells(cells, [100 - HOT_PERCENTILE, 50, HOT_PERCENTILE], is_log))
    is_hot_below = median - smallest > HOT * (median - low) > 0
    is_hot_above = largest - median > HOT * (high - median) > 0
    return low if is_hot_below else smallest, high if is_hot_above else largest
