"""Lines (series along one axis of a tensor) -> the number of lines through each cell of a grid, counted on the tensor's device."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .. import _native
from ..arrays.source import Source
from ..cached import cached_property
from .frame import EMPTY, is_empty
from .limits import UNKNOWN
from .line_limits import SharedX, all_limits, ends_of_finite, paired_limits
from .line_planes import plane_of_lines, planes_together
from .series import Series

_LARGEST = float(np.finfo(float).max)

# The native layer counts fractions of lines in units of 1 / LINE_ONE.
LINE_ONE = 2**32

# Ways of an x for all lines in which it is sorted; see `LineSet`.
SORTED = ("rises", "falls")


class LineAxis(NamedTuple):
    """Cells along one coordinate: `n_cells` of one width over a closed range, or by knots.

    Attributes
    ----------
    first, last : float
        The range, of no use with knots.
    n_cells : int
    low, high : float
        Samples below or above interrupt their line, as samples do that are not finite.
    values, places : ndarray or None
        Knots: coordinates that rise strictly, and where they lie, in cells; the range is that of places from 0 to `n_cells`.
    """

    first: float
    last: float
    n_cells: int
    low: float = -_LARGEST
    high: float = _LARGEST
    values: np.ndarray | None = None
    places: np.ndarray | None = None

    def ends(self):
        """The smallest and the largest coordinate that has a cell."""
        if self.values is None:
            return self.first, self.last
        inside = self.values[(self.places >= 0) & (self.places <= self.n_cells)]
        return float(inside[0]), float(inside[-1])


@dataclass(frozen=True)
class LineSet:
    """Lines of one length.

    Attributes
    ----------
    y : Source
        Each index of the axes that are not `axis` is a line.
    axis : int
        Along which samples follow each other.
    x : Source or None
        Of one axis, for all lines, or of the shape of `y`; None is 0, 1, 2, ....
    way : {"rises", "falls", "neither", "unknown"}
        Which way an `x` for all lines is known to go. Of a line that goes neither way nothing is filled between its strokes.
    x_ends : (float, float)
        Its first and last value, where it is known to go some way.
    """

    y: Source
    axis: int
    x: Source | None = None
    way: str = "unknown"
    x_ends: tuple[float, float] = (np.nan, np.nan)
    is_in_chunks = False

    @classmethod
    def of(cls, y, axis=0, x=None):
        """The lines of a tensor; an x for all of them is read once, to learn which way it goes."""
        length = y.shape[axis] if y.ndim else 1
        if x is None:
            return cls(y, axis, None, "rises", (0.0, float(max(length - 1, 0))))
        if x.ndim > 1:
            return cls(y, axis, x)
        series = Series(x)
        rises, falls = series.ways()
        if not series.length or not (rises or falls):
            return cls(y, axis, x)
        ends = series.take([0, series.length - 1])
        return cls(y, axis, x, "rises" if rises else "falls", (float(ends[0]), float(ends[1])))

    @property
    def length(self):
        """How many samples each line has."""
        return self.y.shape[self.axis] if self.y.ndim else 1

    @property
    def n_lines(self):
        """How many lines there are."""
        return self.y.size // self.length if self.length else 0

    @property
    def shared_x(self):
        """The `SharedX`, None where the x of all lines goes no way or each has its own."""
        if self.way not in SORTED:
            return None
        return SharedX(self.length, None if self.x is None else Series(self.x), self.way == "falls")

    @property
    def is_paired(self):
        """Whether x and y have one shape."""
        return self.x is not None and (self.x.ndim > 1 or self.y.ndim < 2)

    def limits(self):
        """`Limits` of x and of y, of their ranges and smallest positive numbers.

        A sample counts if its x and its y are finite. Where all lines share an x that neither rises nor falls, all its finite numbers
        count, and all finite y.
        """
        if not self.y.size:
            return UNKNOWN, UNKNOWN
        if self.is_paired:
            return paired_limits(self.x, self.y)
        of_y, x = all_limits(self.y), self.shared_x
        return (all_limits(self.x) if x is None else x.limits(ends_of_finite(self.y, self.axis, of_y, x.spans))), of_y

    def planes(self, x, y, columns):
        """``(x or None, y, order)`` as `_native.bin_lines` takes them, of borrowed tensors."""
        is_sorted = self.way in SORTED and self.has_places(columns)
        is_turned = is_sorted and self.way == "falls"
        order = "sorted" if is_sorted else "unsorted" if self.way == "neither" else "found"
        others = tuple(k for k in range(self.y.ndim) if k != self.axis)
        if x is not None and self.x.ndim <= 1:
            shared = plane_of_lines(x, 0, (), {}, is_turned)
            return [(shared, plane, order) for plane in planes_together([y], self.axis, others, is_turned=is_turned)[0]]
        found = planes_together([tensor for tensor in (x, y) if tensor is not None], self.axis, others)
        return [(planes[0] if x is not None else None, planes[-1], order) for planes in zip(*found, strict=True)]

    def has_places(self, columns):
        """Whether columns have places for all of an `x` that is known to go some way."""
        return all(columns.low <= end <= columns.high for end in self.x_ends)


@dataclass(frozen=True)
class Lines:
    """Lines of any number of lengths, in the memory of one device or in chunks.

    Attributes
    ----------
    sets : tuple of LineSet
    """

    sets: tuple[LineSet, ...]

    @property
    def n_lines(self):
        """How many lines there are."""
        return sum(lines.n_lines for lines in self.sets)

    @cached_property
    def limits(self):
        """(smallest, largest, smallest positive) finite x, and the same of y; NaN where there are none. Found once."""
        found = np.array([[(one.min, one.max, one.min_positive) for one in lines.limits()] for lines in self.sets], float)
        joined = np.where(np.isnan(found), [np.inf, -np.inf, np.inf], found)
        joined = np.stack([joined[..., 0].min(0), joined[..., 1].max(0), joined[..., 2].min(0)], axis=1)
        return tuple(map(tuple, np.where(np.isinf(joined), np.nan, joined)))

    def ranges(self):
        """(smallest, largest) finite x, and the same of y; NaN where there are none."""
        return tuple(limits[:2] for limits in self.limits)

    def cells(self, columns, rows, normalize=False):
        """The number of lines through each cell.

        Parameters
        ----------
        columns, rows : LineAxis
            Of x and of y.
        normalize : bool
            Whether each line adds 1 to each column that it passes, in equal shares to the cells there, and not 1 to each of these.

        Returns
        -------
        Cells, (rows, columns) float64
            Row 0 has the smallest y. A cell without a line is empty.
        """
        in_chunks = [lines for lines in self.sets if lines.is_in_chunks]
        in_memory = [lines for lines in self.sets if not lines.is_in_chunks]
        cells = cells_of(in_memory, columns, rows, normalize) if in_memory else None
        if not in_chunks:
            return cells
        counts = sum(lines.counts(columns, rows, normalize) for lines in in_chunks)
        counts = counts if cells is None else counts + counts_of(cells)
        return _native.Cells.from_array(np.where(counts > 0, counts, EMPTY))

    def with_y(self, y):
        """The lines of another y over the same x, where there is one set of them."""
        if len(self.sets) != 1:
            raise ValueError(f"these are the lines of {len(self.sets)} tensors: call update() after writing into them, or plot others")
        lines = self.sets[0]
        if type(y) is not type(lines.y) or y.shape != lines.y.shape:
            raise ValueError(f"y has shape {y.shape}, and these lines have {lines.y.shape}: show it with set_data(x, y)")
        return Lines((replace(lines, y=y),))

    def read_again(self):
        """The same lines, of tensors that others have written into."""
        return Lines(tuple(type(lines).of(lines.y, lines.axis, lines.x) for lines in self.sets))


def cells_of(sets, columns, rows, normalize=False, has_outside=False):
    """The cells of lines in memory; `has_outside` adds a first row for all that is below the grid, and a last one for what is above."""
    with contextlib.ExitStack() as stack:
        planes = []
        for lines in sets:
            x, y = (None if source is None else stack.enter_context(source.borrow()) for source in (lines.x, lines.y))
            planes += lines.planes(x, y, columns)
        return _native.bin_lines(planes, tuple(columns), tuple(rows), normalize, has_outside)


def counts_of(cells):
    """The numbers of lines of cells, (rows, columns) float64, 0 where there is none."""
    counts = cells.numpy()
    return np.where(is_empty(counts), 0.0, counts)
