"""Histogram and statistics of what is on show, in the words of the page."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.colors import LogNorm

from ... import _native
from ...color.classes import MAX_LEVELS
from ...plane.bin_edges import bin_edges
from ...statistics.arguments import check_spec
from ...statistics.summaries import measure
from ...statistics.text import amount, number
from .facts import WANT_POSITIVE, WANT_RANGE
from .ticks import norm_edges, scale_ticks

__all__ = ["histogram", "statistics"]

# Bins of the histogram; integers of at most as many levels get one bin each.
N_BINS = 128

OUTER_PERCENTILES = (1, 99)
KINDS = ("nan", "neg_inf", "neg", "zero", "pos", "pos_inf", "masked")


def histogram(view_state, facts, norm, region, box, ignored=frozenset()):
    """The `histogram` answer of the front end's README: how many elements are in each of up to 128 bins.

    Parameters
    ----------
    shown : ViewState
    facts : FactCache
        Knows the range where limits were found already, which saves a pass.
    norm : Normalize
        Bins are as even as it makes them; its own limits do not matter.
    region : {"view", "slice", "all"}
    box : (int, int, int, int) or None
        The elements of each plane that count.
    ignored : frozenset of int
        Class numbers that stand for no class: they do not count, and the range is that of the others.
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
    # What a logarithm has no place for is counted in one bin before the others.
    outside = [limits.min] if is_log and limits.min < edges[0] else []
    counts = np.zeros(len(outside) + len(edges) - 1, np.int64)
    with plane.elements_over(stacked_axes, box) as elements:
        for one in elements.pooled:
            counts += _native.histogram(one, [*outside, *edges])
            for number in (number for number in ignored if low <= number <= high):
                place = min(np.searchsorted(edges, number, "right"), len(counts)) - 1
                counts[place] -= _native.histogram(one, [number - 0.5, number + 0.5])[0]
    low, high, given = float(edges[0]), float(edges[-1]), None if is_even else edges.tolist()
    return {"counts": counts[len(outside):].tolist(), "low": low, "high": high, "edges": given,
            "ticks": scale_ticks(low, high, given), "n_outside": int(counts[:len(outside)].sum())}


def _ends_without(ignored, plane, stacked_axes, box, low, high):
    """The smallest and the largest of whole numbers from `low` to `high` that are there and count; 0 and 0 without any."""
    with plane.elements_over(stacked_axes, box) as elements:
        counts = sum(_native.histogram(one, np.arange(low, high + 2) - 0.5) for one in elements.pooled)
    present = [number for number in np.flatnonzero(counts) + low if number not in ignored]
    return (present[0], present[-1]) if present else (0.0, 0.0)


def _is_of_levels(view_state, low, high):
    """Whether elements are integers that float64 tells from each other."""
    is_integer = view_state.source.dtype.startswith(("int", "uint", "bool")) and not view_state.view.is_reduced
    return is_integer and max(abs(low), abs(high)) <= 2.0**52


def _bins(is_of_levels, norm, low, high):
    """Edges of the bins, and whether they are even numbers; of integers whole levels, so that no bin holds more than others."""
    places = norm_edges(norm, low, high, N_BINS - 1)
    if places is not None and is_of_levels:
        levels = np.unique(np.round(places))
        return np.append(levels - 0.5, high + 0.5), False
    if places is not None:
        return places, False
    if not is_of_levels or high - low >= 2 * N_BINS:
        # One value is in the middle of a bin, and a bin in the middle of them all.
        return bin_edges(low, high, N_BINS - (low == high)), True
    per_bin = 1 if high - low < N_BINS else 2
    n_bins = math.ceil((high - low + 1) / per_bin)
    return bin_edges(low - 0.5, low - 0.5 + n_bins * per_bin, n_bins), True


def statistics(view_state, region, box):
    """The rows of the table, as (name, text), and how many elements of each kind there are."""
    plane = view_state.planes[0]
    with plane.elements_over(view_state.stacked_axes(region), box) as elements:
        found = measure(elements, check_spec(1, None, OUTER_PERCENTILES))
    kind_counts = {kind: int(getattr(found, kind)) for kind in KINDS}
    n_all = sum(kind_counts.values())
    # In pairs, as a page of two columns shows them.
    rows = [("elements", amount(n_all)), ("L2 norm", number(found.l2)), ("min", number(found.min)), ("max", number(found.max)),
            ("mean", number(found.mean)), ("std", number(found.std)), ("median", number(found.median)),
            ("abs max", number(found.absmax)), *((f"{p} %", number(found.percentiles[p])) for p in OUTER_PERCENTILES)]
    if not view_state.item.is_difference:
        places = (("first min", found.argmin), ("first max", found.argmax))
        rows += [(name, _place(index)) for name, index in places if index is not None]
    if n_all and found.zero:
        rows.append(("zeros", f"{amount(found.zero)} ({100 * found.zero / n_all:.3g} %)"))
    rows += [(name, amount(n)) for name, n in (("NaN", found.nan), ("+Inf", found.pos_inf), ("-Inf", found.neg_inf),
                                               ("masked", found.masked), ("subnormal", found.subnormal)) if n]
    return [list(row) for row in rows], kind_counts


def _place(index):
    """An index of the tensor; axes that are reduced are a colon."""
    return "[" + ", ".join(":" if isinstance(where, slice) else str(where) for where in index) + "]"
