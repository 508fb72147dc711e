"""Histogram and statistics of the shown elements as answers to pages."""

import math

import numpy as np
from matplotlib.colors import LogNorm

from ...color.classes import MAX_LEVELS
from ...dtype_classes import is_bool_or_integer
from ...plane.bin_edges import bin_edges
from ...statistics.arguments import check_spec
from ...statistics.summaries import measure
from ...statistics.text import KINDS, amount, digits_between, number
from .facts import WANT_POSITIVE, WANT_RANGE
from .ticks import norm_edges, scale_ticks

# Bins of the histogram; integers of at most as many levels get one bin each.
N_BINS = 128

OUTER_PERCENTILES = (1, 99)


def histogram(view_state, facts, norm, region, box, ignored=frozenset()):
    """The `histogram` answer of the front end's README: counts of elements in up to 128 bins.

    Parameters
    ----------
    facts : FactCache
        Its limits save a pass.
    norm : Normalize
        Bins are evenly spaced under it; its limits are ignored.
    region, box : {"view", "slice", "all"}, (int, int, int, int) or None
        The elements of each plane.
    ignored : frozenset of int
        Class numbers that are not counted.
    """
    plane, stacked_axes = view_state.planes[0], view_state.stacked_axes(region)
    is_log = isinstance(norm, LogNorm)
    limits = facts.of_many(plane, stacked_axes, WANT_RANGE | (WANT_POSITIVE if is_log else 0), box)
    low, high = limits.min_positive if is_log else limits.min, limits.max
    if math.isnan(low):
        low, high = (1.0, 10.0) if is_log else (0.0, 1.0)
    if is_log and low == high <= 0.5:  # even bins around it would reach zero
        low, high = low / 2, high * 2
    if ignored.intersection((low, high)) and high - low < MAX_LEVELS:
        low, high = _ends_without(ignored, plane, stacked_axes, box, low, high)
    edges, is_even = _bins(_is_of_levels(view_state, low, high), norm, low, high)
    # Elements that are not above zero are counted in one bin before those of a log norm.
    outside = [limits.min] if is_log and limits.min < edges[0] else []
    counts = np.zeros(len(outside) + len(edges) - 1, np.int64)
    with plane.elements_over(stacked_axes, box) as elements:
        counts += elements.histogram([*outside, *edges]).counts
        for number in (number for number in ignored if low <= number <= high):
            k = min(np.searchsorted(edges, number, "right"), len(counts)) - 1
            counts[k] -= elements.histogram([number - 0.5, number + 0.5]).counts[0]
    low, high, given = float(edges[0]), float(edges[-1]), None if is_even else edges.tolist()
    return {"counts": counts[len(outside):].tolist(), "low": low, "high": high, "edges": given,
            "ticks": [] if is_even else scale_ticks(low, high, given), "n_outside": int(counts[:len(outside)].sum())}


def _ends_without(ignored, plane, stacked_axes, box, low, high):
    """(lowest, highest) integer of the elements from `low` to `high` that is not ignored; (0, 0) if there is none."""
    with plane.elements_over(stacked_axes, box) as elements:
        counts = elements.histogram(np.arange(low, high + 2) - 0.5).counts
    present = [number for number in np.flatnonzero(counts) + low if number not in ignored]
    return (present[0], present[-1]) if present else (0.0, 0.0)


def _is_of_levels(view_state, low, high):
    """Whether elements are integers that are exact in float64."""
    is_integer = is_bool_or_integer(view_state.source.dtype) and not view_state.view.is_reduced
    return is_integer and max(abs(low), abs(high)) <= 2.0**52


def _bins(is_of_levels, norm, low, high):
    """(edges of the bins, whether they are evenly spaced); bins of integers have equally many levels each."""
    places = norm_edges(norm, low, high, N_BINS - 1)
    if places is not None and is_of_levels:
        levels = np.unique(np.round(places))
        return np.append(levels - 0.5, high + 0.5), False
    if places is not None:
        return places, False
    if not is_of_levels or high - low >= 2 * N_BINS:
        # A single value lies in the middle of the middle bin.
        return bin_edges(low, high, N_BINS - (low == high)), True
    per_bin = 1 if high - low < N_BINS else 2
    n_bins = math.ceil((high - low + 1) / per_bin)
    return bin_edges(low - 0.5, low - 0.5 + n_bins * per_bin, n_bins), True


def statistics(view_state, region, box):
    """Rows [name, text] of the table, and the number of elements of each kind."""
    plane = view_state.planes[0]
    with plane.elements_over(view_state.stacked_axes(region), box) as elements:
        values = measure(elements, check_spec(1, None, OUTER_PERCENTILES))
    kind_counts = {field: int(getattr(values, field)) for field, _ in KINDS}
    n_all = sum(kind_counts.values())
    # In pairs, as the page has two columns.
    digits = digits_between(values.min, values.max)
    rows = [("elements", amount(n_all)), ("L2 norm", number(values.l2)), ("min", number(values.min, digits)),
            ("max", number(values.max, digits)), ("mean", number(values.mean, digits)), ("std", number(values.std)),
            ("median", number(values.median, digits)), ("abs max", number(values.absmax, digits)),
            *((f"{p} %", number(values.percentiles[p], digits)) for p in OUTER_PERCENTILES)]
    if not view_state.item.is_difference:
        rows += [(name, _index_text(index)) for name, index in (("first min", values.argmin), ("first max", values.argmax))
                 if index is not None]
    if n_all and values.zero:
        rows.append(("zeros", f"{amount(values.zero)} ({_percent(values.zero, n_all)} %)"))
    rows += [(name, amount(n)) for name, n in (("NaN", values.nan), ("+Inf", values.pos_inf), ("-Inf", values.neg_inf),
                                               ("masked", values.masked), ("subnormal", values.subnormal)) if n]
    return [list(row) for row in rows], kind_counts


def _percent(n, n_all):
    """A share in percent in three digits, of which only all is 100."""
    text = f"{100 * n / n_all:.3g}"
    return "> 99.9" if text == "100" and n < n_all else text


def _index_text(index):
    """An index of the tensor, with a colon for reduced axes."""
    return "[" + ", ".join(":" if isinstance(where, slice) else str(where) for where in index) + "]"
