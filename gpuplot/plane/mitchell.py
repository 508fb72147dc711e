"""Mitchell's filter instead of the area mean for axes with only slightly more elements than pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from .. import _native

# With more elements per pixel the area mean shows no moire pattern.
MAX_ELEMENTS_PER_PIXEL = 1.25

# A pixel's weights reach two pixels to either side: at most five elements, wherever they begin.
N_TAPS = 6

# Pixels of a linear axis have one width, but for rounding and for the two at its ends; where others differ by more than this
# part, the axis is not filtered.
UNEVEN = 1e-6

# Where the weights of a pixel at the end of a plane sum to less, the area mean is used.
MIN_WEIGHT = 0.25

# Smaller weights are rounding errors at the ends of the filter.
MIN_PART = 1e-9


@dataclass(frozen=True)
class Taps:
    """The elements and weights that make each pixel of an axis."""

    # begin, end: the elements that are needed, half-open.
    begin: int
    end: int
    first: np.ndarray  # (n,) int64: the first element of each pixel, counted from `begin`
    touched: np.ndarray  # (n, 2) int64: half-open: the elements that the pixel itself covers, which decide about marks
    weights: np.ndarray  # (n, 6 or fewer) float64: of elements from `first` on; their sum is 1


@lru_cache(maxsize=8)  # a draw asks several times
def sharpened(span, n_elems):
    """The `Taps` of an axis, or None where its pixels are means by area, or single elements."""
    edges = _edges_if_small(span, n_elems)
    if edges is None:
        return None
    width = float(np.median(np.diff(edges)))
    whole = np.round(edges)
    edges = np.where(abs(edges - whole) <= n_elems * 2.0**-46, whole, edges)
    if width > 0:
        return _taps(edges, width, n_elems)
    taps = _taps(edges[::-1], -width, n_elems)
    return replace(taps, first=taps.first[::-1], touched=taps.touched[::-1], weights=taps.weights[::-1])


def _edges_if_small(span, n_elems):
    """The edges of cells, in elements, where they are even and hardly larger than elements; else None."""
    if span.edges is None:
        width = abs(span.u1 - span.u0) / max(span.n_cells, 1)
        if not _is_small(width, span.n_cells, n_elems):
            return None
        low, high = sorted((span.u0, span.u1))
        edges = low + np.arange(span.n_cells + 1) * (high - low) / span.n_cells
        return edges if span.u0 < span.u1 else edges[::-1]
    edges = np.array(span.edges)
    if not np.isfinite(edges).all():
        return None
    widths = abs(np.diff(edges))
    width = float(np.median(widths))
    is_even = abs(widths[1:-1] - width).max(initial=0) <= UNEVEN * width and widths.max() <= 2 * width
    return edges if is_even and _is_small(width, span.n_cells, n_elems) else None


def _is_small(width, n_cells, n_elems):
    return n_cells > 0 and 1 + n_elems * 2.0**-46 / n_cells < width <= MAX_ELEMENTS_PER_PIXEL


def _taps(edges, width, n_elems):
    n_taps, centers = min(N_TAPS, n_elems), (edges[:-1] + edges[1:]) / 2
    first = np.clip(np.ceil(centers - 2 * width - 0.5), 0, n_elems - n_taps).astype(np.int64)
    touched = np.clip(np.stack([np.floor(edges[:-1]), np.ceil(edges[1:])], axis=-1), 0, n_elems).astype(np.int64)
    elements = first[:, None] + np.arange(n_taps)
    weights = _mitchell((elements + 0.5 - centers[:, None]) / width)
    areas = np.clip(np.minimum(elements + 1, edges[1:, None]) - np.maximum(elements, edges[:-1, None]), 0, None)
    weights = np.where(weights.sum(1, keepdims=True) > MIN_WEIGHT * width, weights, areas)
    sums = weights.sum(1, keepdims=True)
    weights = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    weights[abs(weights) < MIN_PART] = 0
    begin, end = int(first.min()), int(first.max()) + n_taps
    is_empty = touched[:, :1] >= touched[:, 1:]
    touched = np.where(is_empty, first[:, None], touched)
    return Taps(begin, end, first - begin, touched - begin, weights)


def _mitchell(x):
    """The filter of Mitchell and Netravali with B = C = 1/3 ("Reconstruction Filters in Computer Graphics", 1988)."""
    x = abs(x)
    near, far = (7 * x - 12) * x * x + 16 / 3, ((12 - 7 / 3 * x) * x - 20) * x + 32 / 3
    return np.where(x < 1, near, np.where(x < 2, far, 0.0)) / 6


def identity(n_cells):
    """The `Taps` that leave an axis as it is."""
    places = np.arange(n_cells)
    return Taps(0, n_cells, places, np.stack([places, places + 1], axis=-1), np.ones((n_cells, 1)))


def native_taps(taps, shape):
    """The native weights of rows and columns of a grid; of an axis whose taps are None those that leave it as it is."""
    axes = (identity(n) if axis is None else axis for axis, n in zip(taps, shape, strict=True))
    return [(axis.first, axis.touched, axis.weights) for axis in axes]


def resample(cells, rows, cols, nan):
    """Cells filtered by the taps of rows and columns, None for an axis that stays; `nan` is a native policy."""
    return _native.filter(cells, *native_taps((rows, cols), cells.shape), nan)
