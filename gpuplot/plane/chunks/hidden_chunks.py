"""Hidden axes reduced over several chunks: an array of the reduced elements, computed by folding chunks along these axes."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

from ...arrays.chunked_source import ChunkedSource
from ...dtype_classes import is_bool_or_integer
from ...errors import UnsupportedError
from ..addends import OF_ADDENDS
from ..aggs import native_nan
from ..gather import gather, index_plane
from ..partial_values import COMBINED, MASKED, decided, joined_values, kinds_of
from ..view import choose
from .chunk_grid import ChunkGrid, chunks_of
from .chunk_work import BothPolicies

# Reduction of all elements -> that of the elements of each chunk, where it is another one; for "std" moments are found as well.
OF_A_CHUNK = {"mean": "sum", "std": "mean"}

# Reductions that leave a single element unchanged.
SAME_OF_ONE = ("mean", "sum", "max", "min")


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

        def fold_under(nan, work):
            return Fold(self._grid, nan, work, indices, len(groups[0]))

        if isinstance(work, BothPolicies):
            fold = FoldBoth(fold_under(self._nan, work.shown), fold_under("infinite", work.left_out))
        else:
            fold = fold_under(self._nan, work)
        found = dict(zip(every, self._source.run(groups, fold, fold.together), strict=True))
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


@dataclass
class FoldedElements:
    """Partial results of some chunks for reduced elements.

    Attributes
    ----------
    key : tuple
        Which chunk of rows and columns it is.
    values : ndarray of float64, (rows, columns)
        Sums (also for means), extremes, sums of squares, or means if there are moments; marks where there are no numbers, or they win.
    n : ndarray or int
        Number of elements in each, for means and moments.
    moments : ndarray or None
        Sums of squares of differences from the mean.
    n_chunks : int
    is_finite : bool
        Whether no value is a mark.
    """

    key: tuple
    values: np.ndarray
    n: object
    moments: np.ndarray | None = None
    n_chunks: int = 1
    is_finite: bool = False


@dataclass(frozen=True)
class Fold:
    """Folds chunks along reduced axes, and applies a task to the reduced elements.

    Attributes
    ----------
    grid : ChunkGrid
    nan : str
    work : callable
        ``work(elements, index)`` of a computed chunk.
    indices : dict
        Keys of `FoldedElements` -> indices of computed chunks.
    n_members : int
        How many chunks are folded to one.
    """

    grid: ChunkGrid
    nan: str
    work: object
    indices: dict
    n_members: int

    @property
    def op(self):
        """The operation of the last stage, which goes over the chunks."""
        return self.grid.view.stage_ops[-1]

    def result_bytes(self, index):
        """Size of reduced elements with counts and moments; of the task's result where one chunk holds all elements."""
        if self.n_members == 1:
            return self.work.result_bytes(self.indices[self.grid.shown_index(index)])
        view, _ = self.grid.piece(index)
        return 24 * math.prod(view.shape)

    def __call__(self, elements, index):
        found = self.folded(elements, index)
        return found if self.n_members > 1 else self.looked_at(found)

    def folded(self, elements, index):
        """The `FoldedElements` of one chunk."""
        source, view, _ = self.grid.read(elements, index)
        return self._of_chunk(source, view, self.grid.shown_index(index))

    def _of_chunk(self, source, view, key):
        values, n_all = self._reduced(source, view, OF_A_CHUNK.get(self.op, self.op)), self._n_reduced(view)
        is_finite = bool(np.isfinite(values).all())
        if self.op not in ("mean", "std"):
            return FoldedElements(key, values, n_all, is_finite=is_finite)
        n = self._counts(source, view) if self._leaves_out(source) else n_all
        if self.op == "mean":
            return FoldedElements(key, values, n, is_finite=is_finite)
        with np.errstate(invalid="ignore"):  # marks have no moments
            return FoldedElements(key, values, n, n * self._reduced(source, view, "std")**2, is_finite=is_finite)

    def _reduced(self, source, view, op):
        """The reduced elements of one chunk; masked ones have the bits of a masked cell."""
        if op in SAME_OF_ONE and self._n_reduced(view) == 1 and len(view.stage_ops) == 1 and is_plain(source, view):
            return numbers_of_one(source, view)
        view = replace(view, stage_ops=(*view.stage_ops[:-1], op))
        return np.ma.getdata(gather(source, view, (0, view.shape[0], 0, view.shape[1]), self.nan))

    def _last_axes(self, view):
        """The axes of the last stage."""
        return [axis for axis, use in enumerate(view.uses) if use.role == "hidden" and use.stage == len(view.stage_ops) - 1]

    def _n_reduced(self, view):
        return math.prod(view.uses[axis].size for axis in self._last_axes(view))

    def _leaves_out(self, source):
        """Whether a finite result may have left out elements."""
        is_float = not is_bool_or_integer(source.dtype)
        return (source.is_masked and self.nan != "show") or (is_float and self.nan in ("skip", "infinite"))

    def _counts(self, source, view):
        """The number of a chunk's elements that count in each reduced one."""
        axes, n = self._last_axes(view), 0
        for places in itertools.product(*(view.elements(axis) for axis in axes)):
            at = replace(view.fixed_at(dict(zip(axes, places, strict=True))), stage_ops=view.stage_ops[:-1])
            values = gather(source, at, (0, view.shape[0], 0, view.shape[1]), self.nan)
            n = n + np.isfinite(np.ma.filled(np.ma.asarray(values).astype(np.float64), np.nan))
        return n

    def together(self, parts):
        """Folds results of several chunks in order; after the last chunk the task is applied, and its result returned."""
        if not isinstance(parts[0], FoldedElements):
            return parts[0]
        whole = self.joined(parts)
        return self.looked_at(whole) if whole.n_chunks == self.n_members else whole

    def joined(self, parts):
        """The `FoldedElements` of several chunks, in order."""
        whole = parts[0]
        for part in parts[1:]:  # results of tasks must not be changed: they may be used again
            whole = self._joined(whole, part, None if whole is parts[0] else whole.values)
        return whole

    def looked_at(self, folded):
        """What the task finds in the elements of all chunks."""
        values = folded.values
        if self.op == "mean":
            with np.errstate(invalid="ignore", divide="ignore"):
                values = values / folded.n if folded.is_finite else np.where(np.isfinite(values), values / folded.n, values)
        if self.op == "std":
            with np.errstate(invalid="ignore", divide="ignore"):
                values = np.where(np.isfinite(values), np.sqrt(folded.moments / folded.n), values)
        is_masked = np.False_ if folded.is_finite else kinds_of(values) == MASKED
        return self.work(np.ma.array(values, mask=is_masked) if is_masked.any() else values, self.indices[folded.key])

    def _joined(self, a, b, out=None):
        """Joins two `FoldedElements` of one key; `out` is memory that may be overwritten."""
        n_chunks = a.n_chunks + b.n_chunks
        if self.op == "std":
            return self._joined_moments(a, b, n_chunks)
        combined = OF_A_CHUNK.get(self.op, self.op)
        if a.is_finite and b.is_finite:
            with np.errstate(over="ignore"):
                values = COMBINED[combined](a.values, b.values, out=out)
            return FoldedElements(a.key, values, a.n + b.n, n_chunks=n_chunks, is_finite=True)
        n = a.n + b.n
        if self.op == "mean":
            is_pair, is_first, _ = decided(self.nan, a.values, b.values)
            n = np.where(is_pair, n, np.where(is_first, a.n, b.n))
        return FoldedElements(a.key, joined_values(combined, self.nan, a.values, b.values), n, n_chunks=n_chunks)

    def _joined_moments(self, a, b, n_chunks):
        is_pair, is_first, values = decided(self.nan, a.values, b.values)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            means = (a.values * a.n + b.values * b.n) / (a.n + b.n)
            between = (b.values - a.values)**2 * (a.n * b.n / (a.n + b.n))
            moments = np.where(is_pair, a.moments + b.moments + between, np.where(is_first, a.moments, b.moments))
        n = np.where(is_pair, a.n + b.n, np.where(is_first, a.n, b.n))
        return FoldedElements(a.key, np.where(is_pair, means, values), n, moments, n_chunks)


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
class FoldBoth:
    """Folds chunks under both policies of NaN at once, for a `BothPolicies`: `Fold` with NaN shown, and with NaN left out."""

    shown: Fold
    left_out: Fold

    def result_bytes(self, index):
        """See `Fold.result_bytes`."""
        return 2 * self.shown.result_bytes(index)

    def __call__(self, elements, index):
        shown = self.shown.folded(elements, index)
        found = FoldedTwice(shown, None if shown.is_finite else self.left_out.folded(elements, index))
        return found if self.shown.n_members > 1 else self._looked_at(found)

    def together(self, parts):
        """See `Fold.together`."""
        if not isinstance(parts[0], FoldedTwice):
            return parts[0]
        shown = self.shown.joined([part.shown for part in parts])
        is_same = all(part.without_nan is None for part in parts)
        whole = FoldedTwice(shown, None if is_same else self.left_out.joined([part.left_out for part in parts]))
        return self._looked_at(whole) if shown.n_chunks == self.shown.n_members else whole

    def _looked_at(self, folded):
        found = self.shown.looked_at(folded.shown)
        found.without_nan = None if folded.without_nan is None else self.left_out.looked_at(folded.without_nan)
        return found


def is_plain(source, view):
    """Whether the numbers of a plane are unmasked elements in host memory, of a NumPy dtype."""
    return source.array is not None and not source.is_masked and view.component == "value" and source.array.dtype.kind in "fiub"


def numbers_of_one(source, view):
    """The float64 elements of a plane whose reduced axes have one element each; not a number is the NaN of cells."""
    uses = tuple(use._replace(role="fixed") if use.role == "hidden" else use for use in view.uses)
    values = index_plane(source.array, replace(view, uses=uses, stage_ops=())).astype(np.float64, order="C")
    is_nan = np.isnan(values)
    if is_nan.any():
        values[is_nan] = np.nan
    return values
