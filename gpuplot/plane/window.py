"""Window: the part of a plane that is shown, and its cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from .. import _native


@dataclass(frozen=True)
class Span:
    """Cells along one axis, in element coordinates: element ``j`` covers ``[j, j + 1)``."""

    # u0, u1: where the first cell begins and the last one ends; ``u0 > u1`` shows the axis reversed.
    u0: float
    u1: float
    n_cells: int
    tie: str = "up"  # {"up", "down"}: the element shown where a cell's center lies exactly between two
    # edges, centers: used in place of equal cells: ``n_cells + 1`` monotonic edges and the centers between them.
    edges: tuple[float, ...] | None = None
    centers: tuple[float, ...] | None = None

    @classmethod
    def of_edges(cls, edges, centers, tie):
        """Uneven cells; `edges` and `centers` are arrays."""
        return cls(float(edges[0]), float(edges[-1]), len(centers), tie, tuple(edges.tolist()), tuple(centers.tolist()))

    @property
    def is_reversed(self):
        """Whether the axis is shown reversed."""
        return self.u0 > self.u1

    def edge_array(self):
        """The edges of all cells, (n_cells + 1,)."""
        if self.edges is not None:
            return np.array(self.edges)
        return np.array([*(self.u0 + np.arange(self.n_cells) * (self.u1 - self.u0) / self.n_cells), self.u1])

    def center_array(self):
        """The centers of all cells, (n_cells,)."""
        if self.centers is not None:
            return np.array(self.centers)
        return self.u0 + (np.arange(self.n_cells) + 0.5) * (self.u1 - self.u0) / self.n_cells

    def part(self, first, stop):
        """The cells from `first` to `stop - 1`."""
        edges = self.edge_array()[first:stop + 1]
        if self.edges is not None:
            return Span.of_edges(edges, self.center_array()[first:stop], self.tie)
        return replace(self, u0=float(edges[0]), u1=float(edges[-1]), n_cells=stop - first)

    def mapped(self, function):
        """The cells in other coordinates; `function` is linear and maps arrays of element coordinates."""
        if self.edges is not None:
            return Span.of_edges(function(self.edge_array()), function(self.center_array()), self.tie)
        u0, u1 = map(float, function(np.array([self.u0, self.u1])))
        return replace(self, u0=u0, u1=u1)

    def counted_from(self, start):
        """The cells in coordinates that begin at element `start`."""
        return self.mapped(lambda places: places - start)

    def fit(self, n_elems, is_nearest):
        """The native axis for so many elements."""
        if self.edges is not None:
            return _native.Axis.from_edges(n_elems, self.edges, self.centers, self.tie, is_nearest)
        return _native.Axis(n_elems, self.u0, self.u1, self.n_cells, self.tie, is_nearest)


@dataclass(frozen=True)
class Window:
    """The part of a plane that is shown, and the number of cells."""

    rows: Span
    cols: Span

    @classmethod
    def whole(cls, plane_shape, shape):
        """All of a plane on ``shape`` cells."""
        return cls(Span(0.0, float(plane_shape[0]), shape[0]), Span(0.0, float(plane_shape[1]), shape[1]))

    @classmethod
    def at_most(cls, n, box):
        """A box (row0, row1, col0, col1) of elements on as many cells, but at most ``n`` along each axis."""
        row0, row1, col0, col1 = box
        return cls(Span(float(row0), float(row1), min(row1 - row0, n)), Span(float(col0), float(col1), min(col1 - col0, n)))

    @classmethod
    def of_box(cls, box):
        """One cell for each element of a box (row0, row1, col0, col1)."""
        row0, row1, col0, col1 = box
        return cls(Span(float(row0), float(row1), row1 - row0), Span(float(col0), float(col1), col1 - col0))

    @property
    def shape(self):
        return (self.rows.n_cells, self.cols.n_cells)

    @property
    def is_reversed(self):
        """(rows, columns): whether the axis is shown reversed."""
        return self.rows.is_reversed, self.cols.is_reversed

    def covers(self, plane_shape):
        """Whether the window shows a whole plane, but for less than a millionth of an element."""
        return all(min(span.u0, span.u1) <= 1e-6 and max(span.u0, span.u1) >= n - 1e-6
                   for span, n in zip((self.rows, self.cols), plane_shape, strict=True))

    def n_elements(self, plane_shape):
        """How many elements of a plane are seen, those at the borders in part."""
        extents = [min(max(span.u0, span.u1), n) - max(min(span.u0, span.u1), 0)
                   for span, n in zip((self.rows, self.cols), plane_shape, strict=True)]
        return math.prod(max(extent, 0) for extent in extents)

    def is_within(self, plane_shape):
        """Whether every cell has elements: none reaches beyond the plane."""
        return all(0 <= min(span.u0, span.u1) and max(span.u0, span.u1) <= n and n > 0 and span.edges is None
                   for span, n in zip((self.rows, self.cols), plane_shape, strict=True))


def reversing(is_reversed):
    """The slices that reverse those axes of an array for which `is_reversed` is True, such as ``Window.is_reversed``."""
    return tuple(slice(None, None, -1 if reverse else 1) for reverse in is_reversed)
