"""Points (tensors of coordinates and values) -> cells of a grid, aggregated where the tensors are."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import _native
from ..arrays.chunk_elements import source_of_chunk
from ..arrays.chunked_source import ChunkedSource
from ..arrays.chunks_together import check_together, together
from ..arrays.source import Source
from ..cached import cached_property
from ..errors import UnsupportedError
from .aggs import native_nan
from .chunks.chunk_grid import over_all
from .chunks.chunk_work import limits_of_chunks
from .frame import is_empty
from .limits import UNKNOWN, WANT_FOR_AXES, Limits
from .partial_values import joined_values


class PointAxis(NamedTuple):
    """Cells along one coordinate: `n_cells` of one width over a closed range, or those between edges that do not fall."""

    first: float
    last: float
    n_cells: int
    edges: np.ndarray | None = None


@dataclass(frozen=True)
class Points:
    """Points whose coordinates are element i of x and of y; they may have values. All have one size."""

    x: Source
    y: Source
    values: Source | None = None

    @property
    def n_points(self):
        """The number of points."""
        return self.x.size

    def read_again(self):
        """The same points, whose limits are found anew."""
        return Points(self.x, self.y, self.values)

    @cached_property
    def limits(self):
        """(smallest, largest, smallest positive) x of the points whose coordinates are both finite, and the same of y; NaN for none.

        Found once.
        """
        found = [_limits(source) for source in (self.x, self.y)]
        ends = [limits[:3] for limits in found]
        if any(math.isnan(low) for low, _, _ in ends):
            return (UNKNOWN[:3],) * 2
        are_lost = tuple(limits.has != _native.HAS_FINITE for limits in reversed(found))  # where all y are finite, no x counts less
        if not any(are_lost) or not all(math.isfinite(high - low) for low, high, _ in ends):
            return tuple(ends)
        if not any(isinstance(source, ChunkedSource) for source in (self.x, self.y)):
            return self._ends_of_finite(ends, are_lost)
        work = EndsOfChunk((self.x.dtype, self.y.dtype), tuple(ends), are_lost)
        return _over_chunks({"x": self.x, "y": self.y}, work)

    def _ends_of_finite(self, ends, are_lost):
        """`limits`, from those of all finite x and of all finite y: a pass for each of those that may be of other points."""
        return tuple(self._ends(which, ends) if are_lost[which] else ends[which] for which in (0, 1))

    def _ends(self, which, ends):
        low, high = (self._end(which, ends, agg) for agg in ("min", "max"))
        return low, high, low if low > 0 else self._end(which, ends, "min", is_positive=True)

    def _end(self, which, ends, agg, is_positive=False):
        """The smallest or largest (positive) x or y of points with finite coordinates: an aggregate of one cell."""
        axes = [PointAxis(low, math.nextafter(high, math.inf), 1) for low, high, _ in ends]
        if is_positive and not ends[which][1] > 0:
            return math.nan
        if is_positive:
            axes[which] = axes[which]._replace(first=math.nextafter(0.0, 1.0))
        cells, _ = Points(self.x, self.y, (self.x, self.y)[which])._bin(*axes, agg, native_nan("skip"))
        return float(cells.numpy()[0, 0])

    def ranges(self):
        """((smallest, largest) finite x, the same of y); NaN if there are none."""
        return tuple(limits[:2] for limits in self.limits)

    def cells(self, columns, rows, agg="count", nan="show"):
        """Aggregates points by cell: `Cells`, row 0 with the smallest y, and the number of points outside or not finite.

        `columns` and `rows` are the PointAxis of x and of y. `agg` aggregates values; "count" needs none. A cell without points is
        empty. `nan` is the policy for values that are not finite; see `reduce_view`.
        """
        return self._bin(columns, rows, agg, native_nan(nan))

    def counts_by_class(self, columns, rows, first, last):
        """Counts the points of each cell by class, `first` to `last`; a point's class is its integer value.

        Returns counts, (classes, rows, columns) float64, and the number of points in no cell or with another value.
        """
        cells, n_outside = self._bin(columns, rows, "count", "skip", (first, last))
        counts = cells.numpy()
        counts[is_empty(counts)] = 0.0
        return counts.reshape(last - first + 1, rows.n_cells, columns.n_cells), n_outside

    def _bin(self, columns, rows, *how):
        sources = [source for source in (self.x, self.y, self.values) if source is not None]
        if any(isinstance(source, ChunkedSource) for source in sources):
            return _bin_chunks(dict(zip(("x", "y", "c"), sources, strict=False)), PointsOfChunk.of(sources, columns, rows, *how))
        shape = self.x.shape if all(source.shape == self.x.shape for source in sources) else None
        with contextlib.ExitStack() as stack:
            planes = [_plane(stack.enter_context(source.borrow()), shape) for source in sources]
            return _native.bin_points(*planes, *[None] * (3 - len(planes)), tuple(columns), tuple(rows), *how)


# Aggregations that can be joined over chunks; means come from sums and counts.
_OF_CHUNKS = ("count", "sum", "min", "max", "mean")


@dataclass(frozen=True)
class PointsOfChunk:
    """Aggregates the points of chunks by cell: an array for each of `aggs`, and the number of points in no cell.

    Attributes
    ----------
    dtypes : tuple of str
    columns, rows : PointAxis
    aggs : tuple of str
        Counts without values are of points.
    nan : str
        The native name of a policy.
    classes : (int, int) or None
    """

    dtypes: tuple
    columns: PointAxis
    rows: PointAxis
    aggs: tuple
    nan: str
    classes: tuple | None = None

    @classmethod
    def of(cls, sources, columns, rows, agg, nan, classes=None):
        """The task for an aggregation; UnsupportedError if chunks do not support it."""
        _check_agg(agg)
        aggs = ("sum", "count") if agg == "mean" else (agg,)
        return cls(tuple(source.dtype for source in sources), columns, rows, aggs, nan, classes)

    def __call__(self, chunks, index):
        sources = _sources(chunks, self.dtypes, index)
        how = () if self.classes is None else (self.classes,)
        found = [Points(*sources)._bin(self.columns, self.rows, agg, self.nan, *how) for agg in self.aggs]
        return [cells.numpy() for cells, _ in found], found[0][1]

    def together(self, found):
        """The joined results of all chunks, in order."""
        (whole, n_outside), *others = found
        for arrays, n in others:
            whole = [joined_values(agg, self.nan, a, b) for agg, a, b in zip(self.aggs, whole, arrays, strict=True)]
            n_outside += n
        return whole, n_outside


@dataclass(frozen=True)
class EndsOfChunk:
    """`Points.limits` of the points of chunks that have some coordinates which are not finite, all in one pass.

    `ends` are the limits of all finite x, and of all finite y; `are_lost`: which of them may be those of other points.
    """

    dtypes: tuple
    ends: tuple
    are_lost: tuple

    def __call__(self, chunks, index):
        return Points(*_sources(chunks, self.dtypes, index))._ends_of_finite(self.ends, self.are_lost)

    def together(self, found):
        """The joined limits of all chunks; those without such points have NaN."""
        ends = np.array(list(found))
        joined = np.fmin.reduce(ends)
        joined[:, 1] = np.fmax.reduce(ends[:, :, 1])
        return tuple(map(tuple, joined.tolist()))


def check_chunks(x, y, values, agg):
    """UnsupportedError for points in chunks that cannot be aggregated, before a first pass over x, which may take long."""
    check_together({"x": x, "y": y, "c": values})
    if any(isinstance(source, ChunkedSource) for source in (x, y, values)):
        _check_agg(agg)


def _check_agg(agg):
    if agg not in _OF_CHUNKS:
        raise UnsupportedError(f"agg={agg!r} is not available for points that are read chunk by chunk: use {', '.join(_OF_CHUNKS)}")


def _sources(chunks, dtypes, index):
    """Chunks of coordinates and values as sources whose elements lie end to end."""
    return [source_of_chunk(_end_to_end(chunk), dtype, index) for chunk, dtype in zip(chunks, dtypes, strict=True)]


def _end_to_end(chunk):
    """A chunk of host memory whose elements lie in C order: a copy of one of several axes that is a part of an array."""
    is_part = isinstance(chunk, np.ndarray) and chunk.ndim > 2 and not chunk.flags.c_contiguous
    return chunk.copy(order="C") if is_part else chunk


def _over_chunks(named, work):
    """The joined results of a task over all of equal chunks, {name: Source}."""
    return over_all(together(named), work, work.together)


def _bin_chunks(named, work):
    """`Points._bin` of coordinates and values that lie in equal chunks."""
    (first, *counts), n_outside = _over_chunks(named, work)
    if counts:  # needed for a mean
        with np.errstate(invalid="ignore", divide="ignore"):
            first = np.where(np.isfinite(first), first / counts[0], first)
    return _native.Cells.from_array(np.ascontiguousarray(first)), n_outside


def _limits(source):
    if not source.size:
        return UNKNOWN
    if isinstance(source, ChunkedSource):
        return limits_of_chunks(source, WANT_FOR_AXES)
    with source.borrow() as tensor:
        return Limits(*_native.limits(_plane(tensor, source.shape), WANT_FOR_AXES))


def lies_end_to_end(source):
    """Whether the elements of a tensor can be read as one row, in the order of their indices; those of chunks are copied anyway."""
    if isinstance(source, ChunkedSource) or source.ndim < 2 or not source.size:
        return True
    with source.borrow() as tensor:
        try:
            _native.Plane(tensor, _one_row(source.shape), ())
        except ValueError:
            return False
    return True


def _one_row(sizes):
    return [("cols", 0, 1, size, i) for i, size in enumerate(sizes)]


def _plane(tensor, shape):
    """A native plane of all elements in one row; in rows and columns if the tensor has two axes, of `shape` in all tensors."""
    sizes = tensor.shape
    if len(sizes) == 2 and sizes == shape:
        roles = ("rows", "cols")
        return _native.Plane(tensor, [(role, 0, 1, size, 0) for role, size in zip(roles, sizes, strict=True)], ())
    try:
        return _native.Plane(tensor, _one_row(sizes), ())
    except ValueError as error:
        raise ValueError(f"coordinates of shape {tuple(sizes)} are not contiguous in memory: give x.reshape(-1), "
                         "or a contiguous copy") from error
