"""Scales of color bars and histograms: edges that are even under a norm, and ticks at round numbers."""

import copy
import math

import numpy as np

from .format import scale_text

# Least distance of two ticks, and how far one may lie outside, as parts of the scale.
APART, BEYOND = 0.15, 1e-6
# First digits of ticks of a scale over several decades, preferred ones first.
MANTISSAS = (1, 5, 2)
MAX_POWERS = 40
# Ranges below this have no ticks.
TINIEST = 1e-300


def norm_edges(norm, low, high, n):
    """n + 1 values from `low` to `high` that the norm maps to evenly spaced ones.

    Parameters
    ----------
    norm : Normalize
        Its limits are ignored.
    low, high : float
        Finite.
    n : int

    Returns
    -------
    ndarray, shape (n + 1,), float64, or None
        Strictly rising. None for norms that are linear, rank values, or are not defined for some of them.

    Examples
    --------
    >>> from matplotlib.colors import LogNorm, Normalize
    >>> norm_edges(LogNorm(), 1, 1000, 3).round(9).tolist(), norm_edges(Normalize(), 1, 1000, 3)
    ([1.0, 10.0, 100.0, 1000.0], None)
    """
    if not low < high:
        return None
    try:
        own = copy.deepcopy(norm)
        own.vmin, own.vmax = low, high
        with np.errstate(all="ignore"):
            edges = np.ma.filled(np.ma.asarray(own.inverse(np.linspace(0, 1, n + 1)), np.float64), np.nan)
            even = low * (1 - np.linspace(0, 1, n + 1)) + high * np.linspace(0, 1, n + 1)
            is_bent = np.abs(edges / 2 - even / 2).max() > 1e-6 * (high / 2 - low / 2)
    except Exception:  # a caller's norm may refuse anything, and some of matplotlib's have no inverse
        return None
    edges[0], edges[-1] = low, high
    return edges if is_bent and np.isfinite(edges).all() and (np.diff(edges) > 0).all() else None


def scale_ticks(low, high, edges=None):
    """Ticks of a scale: [[share, text], ...] with shares from 0 (`low`) to 1 (`high`).

    Parameters
    ----------
    low, high : float
        Finite.
    edges : array_like, optional
        Values that are drawn evenly spaced, from `low` to `high`. Default: the scale is linear.

    Examples
    --------
    >>> scale_ticks(0, 10)
    [[0.0, '0'], [0.2, '2'], [0.4, '4'], [0.6, '6'], [0.8, '8'], [1.0, '10']]
    >>> scale_ticks(1, 1000, [1, 10, 100, 1000])
    [[0.0, '1'], [0.3333, '10'], [0.6667, '100'], [1.0, '1000']]
    """
    if not high / 2 - low / 2 > TINIEST:
        return []
    numbers = [] if edges is None else _round_numbers(edges)
    if len(numbers) < 3:
        numbers = _even_numbers(low, high, edges)
    return [[round(share, 4), scale_text(value, step)] for share, value, step in numbers]


def _round_numbers(edges):
    """(share, value, unit of its last digit) of zero and of 1, 5 and 2 times powers of ten, if there is room for them."""
    numbers = []
    for value in _candidates(float(edges[0]), float(edges[-1])):
        if edges[0] <= value <= edges[-1]:
            share = _share_of(value, edges)
            if all(abs(share - other) >= APART for other, *_ in numbers):
                numbers.append((share, value, abs(value)))
    return sorted(numbers)


def _candidates(low, high):
    yield 0.0
    most = max(abs(low), abs(high))
    ends = [abs(end) for end in (low, high) if end]
    first = min(ends) if low * high > 0 else most * 1e-6
    first, last = math.floor(math.log10(max(first, TINIEST))), math.floor(math.log10(max(most, TINIEST)))
    # Over many decades every second, third ... power, counted from 1.
    stride = max(1, math.ceil((last - first + 1) * APART))
    powers = sorted(range(first, last + 1), key=lambda k: (k % stride != 0, -abs(k)))
    for mantissa in MANTISSAS:
        for power in powers[:MAX_POWERS]:
            value = float(f"{mantissa}e{power}")
            yield value
            yield -value


def _even_numbers(low, high, edges):
    """(share, value, step) of some multiples of a round step."""
    span = high / 2 - low / 2
    unit = 10.0 ** math.floor(math.log10(span / 3))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= span / 3)
    values = [k * step for k in range(math.ceil(low / step - BEYOND), math.floor(high / step + BEYOND) + 1)]
    edges = [low, high] if edges is None else edges
    return [(_share_of(value, edges), value, step) for value in dict.fromkeys(values)]


def _share_of(value, edges):
    """The position of a value, 0 to 1, among evenly drawn edges; computed with quarters, as their range may overflow."""
    return float(np.interp(value / 4, np.asarray(edges, float) / 4, np.linspace(0, 1, len(edges))))
