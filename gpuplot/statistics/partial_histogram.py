"""PartialHistogram: the counts of one piece in given bins, which can be added to those of other pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _native


@dataclass
class PartialHistogram:
    """The number of elements of one or several pieces in each bin."""

    edges: np.ndarray  # (bins + 1,) float64: they rise strictly
    integer_range: tuple[int, int] | None  # of integer elements: the range that is counted, in place of the outer edges
    counts: np.ndarray

    @classmethod
    def of_nothing(cls, edges, integer_range=None):
        """All bins empty."""
        edges = np.asarray(edges, np.float64)
        return cls(edges, integer_range, np.zeros(len(edges) - 1, np.int64))

    @classmethod
    def of_plane(cls, plane, edges, integer_range=None):
        """The counts of all elements of a `_native.Plane`."""
        edges = np.asarray(edges, np.float64)
        return cls(edges, integer_range, _native.histogram(plane, edges, integer_range))

    def join(self, other):
        """Adds the counts of another piece, in any order and grouping. ValueError if its bins differ."""
        if not np.array_equal(self.edges, other.edges) or self.integer_range != other.integer_range:
            raise ValueError(f"histograms of {self._bins()} and {other._bins()} have no counts in common: count both with the same edges")
        self.counts += other.counts

    def _bins(self):
        inside = f", integers {self.integer_range[0]} to {self.integer_range[1]}" if self.integer_range else ""
        return f"{len(self.counts)} bins from {self.edges[0]:g} to {self.edges[-1]:g}{inside}"
