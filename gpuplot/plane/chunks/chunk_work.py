"""Tasks for one chunk of a plane, run in any process, and how their results are joined."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ... import _native
from ...arrays.chunk_elements import source_of_chunk
from ..cell_states import packed_bytes
from ..coalesce_axes import cover
from ..gather import gather
from ..native_plane import native_plane
from ..partial_cells import PartialCells, cropped_axes, reduce_piece
from ..partial_limits import PartialLimits
from ..window import Window
from .chunk_grid import ChunkGrid, over_all
from .first_counts import first_counts, n_counts


@dataclass
class FrameStates:
    """Partial results of some chunks for the cells of a frame and the limits of the plane.

    Attributes
    ----------
    grids : list of (PartialCells or None)
        One for each grid of cells of the frame; None where the chunks touch no cell.
    limits : PartialLimits or None
        None if they are not wanted.
    counts : ndarray or None
        `first_counts` of the elements, if they are wanted.
    without_nan : FrameStates or None
        The same with NaN left out of hidden axes, from `BothPolicies`; None where that is the same.
    """

    grids: list
    limits: PartialLimits | None = None
    counts: np.ndarray | None = None
    without_nan: FrameStates | None = None

    @property
    def has_nan(self):
        """Whether a NaN is among the elements."""
        is_marked = any(part is not None and (part.states["has"] & _native.HAS_NAN).any() for part in self.grids)
        return is_marked or (self.limits is not None and bool(self.limits.finish().has & _native.HAS_NAN))

    @property
    def left_out(self):
        """The same with NaN left out."""
        return self.without_nan or self

    @classmethod
    def together(cls, found):
        """The results of all chunks, joined in order."""
        whole = cls._joined(found)
        if any(one.without_nan is not None for one in found):
            whole.without_nan = cls._joined([one.left_out for one in found])
        return whole

    @classmethod
    def _joined(cls, found):
        grids = [[part for part in parts if part is not None] for parts in zip(*(one.grids for one in found), strict=True)]
        return cls([PartialCells.together(parts) if parts else None for parts in grids],
                   joined_limits([one.limits for one in found]), joined_counts([one.counts for one in found]))


def joined_counts(parts):
    """The summed counts of several pieces, None where they are not wanted."""
    return None if any(part is None for part in parts) else np.sum(parts, axis=0)


def joined_limits(parts):
    """The joined `PartialLimits` of several pieces, None where limits are not wanted."""
    if any(part is None for part in parts):
        return None
    whole = PartialLimits()
    for part in parts:
        whole.join(part)
    return whole


@dataclass(frozen=True)
class CellsOfChunk:
    """Reduces a chunk to its part of the cells of a frame.

    Attributes
    ----------
    grid : ChunkGrid
    window : Window
        The window, in elements of the whole plane.
    parts : tuple of (str, dict)
        Aggregation and `reduce_piece`'s choice of numbers of each grid of cells.
    nan : str
        The policy of hidden axes.
    want : int
        ``_native.WANT_*`` bits of the limits.
    counts_values : bool
        Whether `first_counts` of the elements are wanted.
    """

    grid: ChunkGrid
    window: Window
    parts: tuple
    nan: str
    want: int = 0
    counts_values: bool = False

    def result_bytes(self, index):
        """The most bytes of the packed states of a chunk's cells."""
        view, origin = self.grid.piece(index)
        sizes = []
        for agg, _ in self.parts:
            cropped = cropped_axes(self.window, self.grid.view.shape, origin, view.shape, agg)
            sizes.append(0 if None in cropped else packed_bytes(agg) * math.prod(axis.n_cells for axis, _ in cropped))
        return sum(sizes) + (8 * n_counts(self.grid.view.dtype) if self.counts_values else 0)

    def __call__(self, elements, index):
        source, view, origin = self.grid.read(elements, index)
        found = self._of_piece(source, view, origin)
        if self.counts_values:
            found.counts = first_counts(elements, source, view, self.nan)
        return found

    def _of_piece(self, source, view, origin):
        """The `FrameStates` of a piece, with limits."""
        found = []
        for k, (agg, part) in enumerate(self.parts):
            want = self.want if k == 0 and not part else 0
            found.append(reduce_piece(source, view, self.window, agg, self.nan, whole=self.grid.view.shape, origin=origin, want=want,
                                      **part))
        if not self.want:
            return FrameStates(found)
        limits = found[0].limits if found and found[0] is not None else None
        return FrameStates(found, limits or _limits_of(source, view, self.want, self.nan))


@dataclass(frozen=True)
class BothPolicies:
    """`CellsOfChunk`, and where that finds NaN once more with NaN left out, in place of a second read."""

    shown: CellsOfChunk

    @property
    def left_out(self):
        """The task that leaves NaN out."""
        return replace(self.shown, nan="infinite")

    def result_bytes(self, index):
        """See `CellsOfChunk.result_bytes`."""
        return 2 * self.shown.result_bytes(index)

    def __call__(self, elements, index):
        found = self.shown(elements, index)
        found.without_nan = self.left_out(elements, index) if found.has_nan else None
        return found


def _limits_of(source, view, want, nan):
    with source.borrow() as tensor:
        return PartialLimits.of_plane(native_plane(tensor, view, nan=nan), want)


@dataclass(frozen=True)
class LimitsOfChunk:
    """Finds limits of a chunk's elements in a half-open box of the plane: of each of some color channels alone, or, for None, of all."""

    grid: ChunkGrid
    want: int
    nan: str
    channels: tuple = (None,)

    def result_bytes(self, index):
        """Size of a result: negligible."""
        return 0

    def __call__(self, elements, index):
        source, view, _ = self.grid.read(elements, index)
        views = [view if channel is None else view.channel(channel) for channel in self.channels]
        return [_limits_of(source, one, self.want, self.nan) for one in views]

    @staticmethod
    def together(found):
        """Those of all chunks."""
        return [joined_limits(list(parts)) for parts in zip(*found, strict=True)]


@dataclass(frozen=True)
class ElementsOfChunk:
    """Copies the elements of a chunk that belong to a plane to the host, with their position in the plane."""

    grid: ChunkGrid
    nan: str

    def result_bytes(self, index):
        """Size of the elements, at 16 bytes each at most."""
        view, _ = self.grid.piece(index)
        return 16 * math.prod(view.shape) * max(1, view.n_channels)

    def __call__(self, elements, index):
        source, view, origin = self.grid.read(elements, index)
        return [(origin, gather(source, view, (0, view.shape[0], 0, view.shape[1]), self.nan))]

    @staticmethod
    def together(found):
        """The elements of all chunks."""
        return [one for part in found for one in part]


@dataclass(frozen=True)
class LimitsOfWholeChunk:
    """Finds the `PartialLimits` of all elements of a chunk with any number of axes; `want` are ``WANT_*`` bits."""

    dtype: str
    want: int

    def __call__(self, elements, index):
        source = source_of_chunk(elements, self.dtype, index)
        with source.borrow() as tensor:
            planes = cover(tensor, [range(n) for n in source.shape], range(source.ndim), is_ordered=False).planes(tensor, "value", {})
            return joined_limits([PartialLimits.of_plane(plane, self.want) for plane, _ in planes])


def limits_of_chunks(source, want=_native.WANT_RANGE):
    """`Limits` of all elements of a `ChunkedSource`, by default their range alone."""
    source.check_complete()
    return over_all(source, LimitsOfWholeChunk(source.dtype, want), joined_limits).finish()
