"""Hidden axes reduced over several chunks: an array of the reduced elements, computed by folding chunks along these axes."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from ...arrays.chunked_source import ChunkedSource
from ...errors import UnsupportedError
from ..addends import OF_ADDENDS
from ..aggs import native_nan
from ..view import choose
from .chunk_grid import ChunkGrid, chunks_of
from .chunk_work import BothPolicies
from .folded_elements import Fold, FoldedElements


def computed_elements(source, view, nan, is_always=False):
    """(source, view) of the plane of reduced elements of a `ChunkedSource`, float64.

    Its chunks are those of rows and columns. Returns the given pair where no axis is reduced over several chunks, unless `is_always`.
    """
    grid = ChunkGrid(view, source.chunks)
    grid.check(source.advice)
    if 0 in view.shape or not (grid.is_folded() or (is_always and view.is_reduced)):
        return source, view
    if source.n_addends > 1:
        raise UnsupportedError(f"reduce: {OF_ADDENDS}")
    if not source.is_complete:
        raise UnsupportedError(f"reduce: an axis lies in several processes, of which this is {source.part_text}: let "
                               f"{source.advice.framework} reduce it first, such as X.mean(axis)")
    engine = FoldedChunks(source, grid, native_nan(nan))
    folded = ChunkedSource(source.owner, engine, view.shape, "float64", is_masked=source.is_masked)
    return folded, choose(view.shape, None, "float64", rgb=False)


class FoldedChunks:
    """The engine of a `ChunkedSource` of computed elements.

    Parameters
    ----------
    source : ChunkedSource
        Whose axes are reduced.
    grid : ChunkGrid
    nan : str
        The native name of the policy.
    """

    def __init__(self, source, grid, nan):
        self._source, self._grid, self._nan = source, grid, nan
        view = grid.view
        self._shown = [self._pieces(axis) for axis in (view.row_axis, view.col_axis)]
        self.chunks = tuple(tuple(stop - first for first, stop, _ in pieces) for pieces in self._shown)

    def _pieces(self, axis):
        """(first place, end place, index along the axis) of each chunk of rows or columns, in order."""
        if axis is None:
            return [(0, 1, None)]
        found = chunks_of(self._grid.view.elements(axis), self._grid.chunks[axis])
        return sorted((first, stop, k) for k, first, stop in found)

    def run(self, tiles, work, join, watch):
        """See `ChunkedSource.run`; the folded source has its own watch. The task runs where the last chunk was folded."""
        every = [index for tile in tiles for index in tile]
        if not every:
            return []
        groups = [self._members(index) for index in every]
        indices = dict(zip(map(self._key, groups), every, strict=True))

        def task_of(work, nan):
            return FoldTask(Fold(self._grid, nan), work, indices, len(groups[0]))

        if isinstance(work, BothPolicies):
            task = FoldBothTask(task_of(work.shown, self._nan), task_of(work.left_out, "infinite"))
        else:
            task = task_of(work, self._nan)
        found = dict(zip(every, self._source.run(groups, task, task.together), strict=True))
        return [join([found[index] for index in tile]) for tile in tiles]

    def _members(self, index):
        """Indices of the chunks that are folded to a computed one, in the order of the grid."""
        along = []
        for axis, use in enumerate(self._grid.view.uses):
            if use.role in ("rows", "cols"):
                shown = 0 if use.role == "rows" else 1
                _, _, k = self._shown[shown][index[shown]]
                along.append([k])
            else:
                along.append([k for k, _, _ in chunks_of(use.elements, self._grid.chunks[axis])])
        return list(itertools.product(*along))

    def _key(self, members):
        return self._grid.shown_index(members[0])


@dataclass(frozen=True)
class FoldTask:
    """Folds chunks along hidden axes, and applies a task to the reduced elements of all of them.

    Attributes
    ----------
    fold : Fold
    work : callable
        ``work(elements, index)`` of a computed chunk.
    indices : dict
        Keys of `FoldedElements` -> indices of computed chunks.
    n_members : int
        How many chunks are folded to one.
    """

    fold: Fold
    work: object
    indices: dict
    n_members: int

    def result_bytes(self, index):
        """Size of reduced elements with counts and moments; of the task's result where one chunk holds all elements."""
        grid = self.fold.grid
        if self.n_members == 1:
            return self.work.result_bytes(self.indices[grid.shown_index(index)])
        view, _ = grid.piece(index)
        return 24 * math.prod(view.shape)

    def __call__(self, elements, index):
        found = self.fold.of_chunk(elements, index)
        return found if self.n_members > 1 else self.applied(found)

    def together(self, parts):
        """Joins results of several chunks in order; after the last chunk the task is applied, and its result returned."""
        if not isinstance(parts[0], FoldedElements):
            return parts[0]
        whole = self.fold.joined(parts)
        return self.applied(whole) if whole.n_chunks == self.n_members else whole

    def applied(self, folded):
        """What the task finds in the reduced elements of all chunks."""
        return self.work(self.fold.elements(folded), self.indices[folded.key])


@dataclass
class FoldedTwice:
    """The `FoldedElements` of some chunks, and those with NaN left out, None where these are the same."""

    shown: FoldedElements
    without_nan: FoldedElements | None

    @property
    def left_out(self):
        """Those with NaN left out."""
        return self.shown if self.without_nan is None else self.without_nan


@dataclass(frozen=True)
class FoldBothTask:
    """Folds chunks under both policies of NaN at once, for a `BothPolicies`: a `FoldTask` with NaN shown, one with NaN left out."""

    shown: FoldTask
    left_out: FoldTask

    def result_bytes(self, index):
        """See `FoldTask.result_bytes`."""
        return 2 * self.shown.result_bytes(index)

    def __call__(self, elements, index):
        shown = self.shown.fold.of_chunk(elements, index)
        found = FoldedTwice(shown, None if shown.is_finite else self.left_out.fold.of_chunk(elements, index))
        return found if self.shown.n_members > 1 else self._applied(found)

    def together(self, parts):
        """See `FoldTask.together`."""
        if not isinstance(parts[0], FoldedTwice):
            return parts[0]
        shown = self.shown.fold.joined([part.shown for part in parts])
        is_same = all(part.without_nan is None for part in parts)
        whole = FoldedTwice(shown, None if is_same else self.left_out.fold.joined([part.left_out for part in parts]))
        return self._applied(whole) if shown.n_chunks == self.shown.n_members else whole

    def _applied(self, folded):
        found = self.shown.applied(folded.shown)
        found.without_nan = None if folded.without_nan is None else self.left_out.applied(folded.without_nan)
        return found
