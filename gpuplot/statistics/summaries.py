"""`Elements` -> counts, moments, extremes, histogram and percentiles."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..plane.bin_edges import bin_edges
from .partial_histogram import PartialHistogram


class StatsSpec(NamedTuple):
    """The checked parameters of `stats`; the ends of the range are Python ints or floats in rising order."""

    bins: int
    value_range: tuple | None
    percentiles: tuple

    @property
    def percents(self):
        """The percentiles to find: those of the caller and the median."""
        return self.percentiles if 50 in self.percentiles else (*self.percentiles, 50)


class StatsValues(NamedTuple):
    """Statistics of some elements; the fields are those of `Stats`."""

    nan: int
    neg_inf: int
    neg: int
    zero: int
    pos: int
    pos_inf: int
    masked: int
    subnormal: int
    min: object
    max: object
    mean: float
    median: float
    std: float
    absmax: object
    l2: float
    argmin: tuple | None
    argmax: tuple | None
    first_nan: tuple | None
    hist: np.ndarray
    bin_edges: np.ndarray
    percentiles: dict


def measure(elements, spec):
    """The `StatsValues` of some `Elements` by a `StatsSpec`."""
    partial = elements.summary()
    summary, (low, high), n = partial.finish(), _exact_extremes(elements, partial), partial.n
    hist, edges = _counted(elements, spec.bins, spec.value_range, low, high)
    values = dict(zip(spec.percents, elements.percentiles(spec.percents, n, summary.min, summary.max), strict=True))
    if elements.dtype == "bool" and elements.is_integer and n:
        low, high = bool(low), bool(high)
    return StatsValues(
        *summary[:8], low, high, summary.mean, values[50],
        summary.std, max(abs(low), abs(high)) if n else math.nan, summary.l2,
        *(elements.index(rank) if rank >= 0 else None for rank in (summary.argmin, summary.argmax, summary.first_nan)),
        hist, edges, {percent: values[percent] for percent in spec.percentiles},
    )


def count(elements, bins, value_range):
    """(counts, edges) of the histogram alone; one pass if the range is given."""
    if value_range is not None:
        return _counted(elements, bins, value_range, 0, 0)
    return _counted(elements, bins, None, *extremes(elements))


def extremes(elements):
    """(smallest, largest) finite element, exact for integers; NaN if there is none."""
    return _exact_extremes(elements, elements.summary())


def _exact_extremes(elements, partial):
    """(smallest, largest) finite element as Python numbers, exact for integers; NaN if there is none."""
    is_exact = elements.is_integer and partial.n
    return tuple(int(value) if is_exact else value for value in (partial.low, partial.high))


def _counted(elements, bins, value_range, low, high):
    """(counts, edges) of the histogram; `low` and `high` are the finite extremes, NaN if nothing is finite."""
    is_any = low == low
    first, last = value_range or ((low, high) if is_any else (0, 1))
    is_exact = elements.is_integer and isinstance(first, int) and isinstance(last, int)
    bins_of = bin_edges(first, last, bins), (first, last) if is_exact else None
    whole = elements.histogram(*bins_of) if is_any else PartialHistogram.of_nothing(*bins_of)
    return whole.counts, whole.edges
