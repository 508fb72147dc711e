"""Histogram and statistics of what is on show, in the words of the page."""

from __future__ import annotations

import math

from ..stats_text import amount, number
from ..stats_questions import check_asked
from ..summaries import count, measure
from .limits import WANT_RANGE

__all__ = ["histogram", "statistics"]

# Bins of the histogram; integers of at most as many levels get one bin each.
N_BINS = 128

PERCENTILES = (1, 50, 99)
KINDS = ("nan", "neg_inf", "neg", "zero", "pos", "pos_inf")


def histogram(shown, facts, region, box):
    """The `histogram` answer of the front end's README: how many elements are in each of 64 to 128 bins.

    Parameters
    ----------
    shown : Shown
    facts : FactBook
        Knows the range where limits were found already, which saves a pass.
    region : {"view", "slice", "all"}
    box : (int, int, int, int) or None
        The elements of each plane that count.
    """
    plane, spread = shown.planes[0], shown.spread(region)
    limits = facts.of_many(plane, spread, WANT_RANGE, box)
    if math.isnan(limits.min):
        return {"counts": [0] * N_BINS, "low": 0.0, "high": 1.0, "n_outside": 0}
    n_bins, value_range = _bins(shown, limits.min, limits.max)
    with plane.together(spread, box) as elements:
        counts, edges = count(elements, n_bins, value_range)
    return {"counts": counts.tolist(), "low": float(edges[0]), "high": float(edges[-1]), "n_outside": 0}


def _bins(shown, low, high):
    """How many, and from where to where: whole levels of integers, so that no bin holds more of them than others."""
    is_integer = shown.source.dtype.startswith(("int", "uint", "bool")) and not shown.view.is_reduced
    if not is_integer or high - low >= 2 * N_BINS or max(abs(low), abs(high)) > 2.0**52:
        # One value is in the middle of a bin, and a bin in the middle of them all.
        return N_BINS - (low == high), (low, high)
    per_bin = 1 if high - low < N_BINS else 2
    n_bins = math.ceil((high - low + 1) / per_bin)
    return n_bins, (low - 0.5, low - 0.5 + n_bins * per_bin)


def statistics(shown, region, box):
    """The rows of the table, as (name, text), and how many elements of each kind there are."""
    plane = shown.planes[0]
    with plane.together(shown.spread(region), box) as elements:
        found = measure(elements, check_asked(1, None, PERCENTILES))
    pill = {kind: int(getattr(found, kind)) for kind in KINDS}
    n_all = sum(pill.values())
    rows = [("elements", amount(n_all)), ("min", number(found.min)), ("max", number(found.max)), ("mean", number(found.mean)),
            ("std", number(found.std)), *((_percent_name(p), number(found.percentiles[p])) for p in PERCENTILES),
            ("abs max", number(found.absmax)), ("L2 norm", number(found.l2))]
    if not shown.item.is_difference:
        places = (("first min", found.argmin), ("first max", found.argmax))
        rows += [(name, _place(index)) for name, index in places if index is not None]
    if n_all and found.zero:
        rows.append(("zeros", f"{amount(found.zero)} ({100 * found.zero / n_all:.3g} %)"))
    rows += [(name, amount(n)) for name, n in (("NaN", found.nan), ("+Inf", found.pos_inf), ("-Inf", found.neg_inf),
                                               ("subnormal", found.subnormal)) if n]
    return [list(row) for row in rows], pill


def _percent_name(percent):
    return "median" if percent == 50 else f"{percent} %"


def _place(index):
    """An index of the tensor; axes that are reduced are a colon."""
    return "[" + ", ".join(":" if isinstance(where, slice) else str(where) for where in index) + "]"
