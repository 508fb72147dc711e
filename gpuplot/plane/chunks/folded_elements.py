"""The reduced elements of some chunks: those of one chunk under a policy of NaN, and those of several, joined."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

from ...dtype_classes import is_bool_or_integer
from ..gather import gather, index_plane
from ..partial_values import COMBINED, MASKED, decided, joined_values, kinds_of
from .chunk_grid import ChunkGrid

# Reduction of all elements -> that of the elements of each chunk, where it is another one; for "std" moments are found as well.
OF_A_CHUNK = {"mean": "sum", "std": "mean"}

# Reductions that leave a single element unchanged.
SAME_OF_ONE = ("mean", "sum", "max", "min")


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
    """Reduces the elements of chunks along hidden axes, under a policy of NaN, and joins what several chunks have for the same ones.

    Attributes
    ----------
    grid : ChunkGrid
    nan : str
        The native name of the policy.
    """

    grid: ChunkGrid
    nan: str

    @property
    def op(self):
        """The operation of the last stage, which goes over the chunks."""
        return self.grid.view.stage_ops[-1]

    def of_chunk(self, elements, index):
        """The `FoldedElements` of one chunk."""
        source, view, _ = self.grid.read(elements, index)
        return self._of_piece(source, view, self.grid.shown_index(index))

    def _of_piece(self, source, view, key):
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

    def joined(self, parts):
        """The `FoldedElements` of several chunks, in order."""
        whole = parts[0]
        for part in parts[1:]:  # results of tasks must not be changed: they may be used again
            whole = self._joined(whole, part, None if whole is parts[0] else whole.values)
        return whole

    def elements(self, folded):
        """The reduced elements of all chunks from their joined `FoldedElements`, float64; cells of masked elements are masked."""
        values = folded.values
        if self.op == "mean":
            with np.errstate(invalid="ignore", divide="ignore"):
                values = values / folded.n if folded.is_finite else np.where(np.isfinite(values), values / folded.n, values)
        if self.op == "std":
            with np.errstate(invalid="ignore", divide="ignore"):
                values = np.where(np.isfinite(values), np.sqrt(folded.moments / folded.n), values)
        is_masked = np.False_ if folded.is_finite else kinds_of(values) == MASKED
        return np.ma.array(values, mask=is_masked) if is_masked.any() else values

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
