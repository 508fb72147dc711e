"""Exact percentiles of a plane in chunks, by counting: each pass over the chunks closes in on all ranks by 15 bits or more of the keys."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .. import _native
from .chunk_grid import ChunkGrid
from .chunk_work import described
from .order_statistics import KeyParts, percentiles_by_counts
from .reduce import _plane

# Bins of one pass, shared by all ranks: 1 MB for each chunk, as a pass reads everything. Two passes find two percentiles of float32.
N_BINS = 2**17


@dataclass(frozen=True)
class CountsOfChunk:
    """Counts the elements of a chunk of a plane between keys."""

    grid: ChunkGrid
    nan: str
    parts: KeyParts

    def __call__(self, elements, index):
        source, (view, _) = described(elements, self.grid.view.dtype, index), self.grid.piece(index)
        with source.borrow() as tensor:
            return _native.histogram(_plane(tensor, view, nan=self.nan), self.parts.values)


def added(counts):
    """The counts of several chunks together."""
    return np.sum(counts, axis=0)


def chunked_percentiles(source, grid, nan, percents, limits, is_positive_only=False):
    """Exact percentiles of the finite elements, or of the positive ones; NaN where there are none.

    Parameters
    ----------
    source : ChunkedSource
    grid : ChunkGrid
        The plane.
    nan : str
        The policy of hidden axes.
    percents : sequence of float
    limits : Limits
        Of the plane, with counts, and for positive elements with the smallest one.
    is_positive_only : bool
    """
    def count(parts):
        return np.cumsum(added(source.run(grid.tiles(), CountsOfChunk(grid, nan, parts), added)))

    low, high, n = limits.min, limits.max, limits.n_finite
    if is_positive_only:
        low, n = limits.min_positive, 0 if math.isnan(limits.min_positive) else None
    view = grid.view
    dtype = "float64" if view.is_reduced or view.complex_mode is not None else view.dtype
    if n is None:
        n = int(count(KeyParts(low, high, dtype, (), N_BINS))[-1])
    return percentiles_by_counts(count, percents, n, low, high, dtype, N_BINS)
