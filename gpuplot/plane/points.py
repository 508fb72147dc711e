"""Points, whose coordinates and values are tensors -> cells of a grid, on the device where the tensors are."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import _native
from ..arrays.source import Source
from .reduce import Limits, native_nan


class PointAxis(NamedTuple):
    """Cells along one coordinate: `n_cells` of one width over a closed range, or those between edges that rise strictly."""

    first: float
    last: float
    n_cells: int
    edges: np.ndarray | None = None


@dataclass(frozen=True)
class Points:
    """Points of two coordinates, element i of each tensor; they may have values."""

    # x, y: of one size.
    x: Source
    y: Source
    values: Source | None = None

    @property
    def n_points(self):
        """How many points there are."""
        return self.x.size

    def ranges(self):
        """(smallest, largest) finite x, and the same of y; NaN where there are none."""
        return tuple(_limits(source)[:2] for source in (self.x, self.y))

    def cells(self, columns, rows, agg="count", nan="show"):
        """What the points in each cell come to: `Cells`, row 0 with the smallest y, and how many points lie in none or are not finite.

        `columns` and `rows` are the PointAxis of x and of y. `agg` is of the values; "count" counts points where there are none,
        and a cell without points is empty. `nan` says whether values that are not finite mark their cell; see `reduce_view`.
        """
        return self._bin(columns, rows, agg, native_nan(nan))

    def counts_by_class(self, columns, rows, first, last):
        """How many points each cell has of each class, `first` to `last`, the whole number that is its value.

        Returns counts, (classes, rows, columns) float64, and how many points lie in no cell, or have another value.
        """
        cells, n_outside = self._bin(columns, rows, "count", "skip", (first, last))
        counts = cells.numpy()
        counts[counts.view(np.uint64) == _native.EMPTY_BITS] = 0.0
        return counts.reshape(last - first + 1, rows.n_cells, columns.n_cells), n_outside

    def _bin(self, columns, rows, *how):
        sources = [source for source in (self.x, self.y, self.values) if source is not None]
        shape = self.x.shape if all(source.shape == self.x.shape for source in sources) else None
        with contextlib.ExitStack() as stack:
            planes = [_plane(stack.enter_context(source.borrow()), shape) for source in sources]
            return _native.bin_points(*planes, *[None] * (3 - len(planes)), tuple(columns), tuple(rows), *how)


def _limits(source):
    if not source.size:
        return Limits(np.nan, np.nan, np.nan, 0, 0, 0, 0, 0, 0)
    with source.borrow() as tensor:
        return Limits(*_native.limits(_plane(tensor, source.shape), _native.WANT_RANGE))


def _plane(tensor, shape):
    """The elements of a tensor one after the other, as one row; two axes of the same `shape` in all tensors may stay two."""
    sizes = tensor.shape
    if len(sizes) == 2 and sizes == shape:
        roles = ("rows", "cols")
        return _native.Plane(tensor, [(role, 0, 1, size, 0) for role, size in zip(roles, sizes, strict=True)], ())
    try:
        return _native.Plane(tensor, [("cols", 0, 1, size, i) for i, size in enumerate(sizes)], ())
    except ValueError as error:
        raise ValueError(f"coordinates of shape {tuple(sizes)} do not lie end to end in memory: give x.reshape(-1) and so on") from error
