"""ChunkedPlane: a plane of an array in chunks; each chunk is reduced where it is read, and only results come back."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from ... import _native
from ...arrays.chunked_source import ChunkedSource
from ...choices import check_choice
from ...errors import UnsupportedError
from ..addends import OF_ADDENDS, check_linear
from ..aggs import AGGS, NAN_POLICIES, native_nan
from ..frame import empty_frame
from ..limits import UNKNOWN, WANT_ALL, WANT_RANKS, Limits
from ..partial_cells import PiecesOfCells
from ..reduce import Grid, Reading, frame_from
from ..source_plane import SourcePlane
from ..view import View
from .chunk_counts import PlaneOfChunk, percentiles_in_chunks
from .chunk_grid import ChunkGrid, with_channels_together
from .chunk_work import BothPolicies, CellsOfChunk, ElementsOfChunk, FrameStates, LimitsOfChunk, joined_counts, joined_limits
from .first_counts import counts_of_positive, has_every_value, n_counts, percentiles_of_counts
from .hidden_chunks import computed_elements


@dataclass(frozen=True)
class ChunkedPlane(SourcePlane):
    """The interface of a `TensorPlane` over chunks; each call reads the chunks that it needs once.

    Parameters
    ----------
    source : ChunkedSource
    view : View
    nan : {"auto", "show", "skip"}
    known : dict
        Cache of the whole plane's limits by policy, and of its "counts", the `first_counts`, valid while the elements are unchanged.

    Chunks of color channels are read together. Raises UnsupportedError where they cannot be, and where axes that are reduced before
    others lie in several chunks. Where chunks lie in other processes and the call is not collective, cells are empty and elements
    masked.
    """

    source: ChunkedSource
    known: dict = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "source", with_channels_together(self.source, self.view))
        ChunkGrid(self.view, self.source.chunks).check(self.source.advice)

    def _read_under(self, nan):
        """(source to read, its `ChunkGrid`) under a policy of hidden axes: the source of reduced elements, or the array's."""
        source, view = computed_elements(self.source, self.view, nan)
        return source, ChunkGrid(view, source.chunks)

    # ---- cells -----------------------------------------------------------------------------------------------------------

    def reduce(self, window, agg, want=0, has_nan=None, is_sharp=False):
        """Cells of a window; see `reduce.reduce_view`. The same pass finds all limits, as these cost less than reading."""
        check_choice("agg", agg, AGGS)
        check_choice("nan", self.nan, (*NAN_POLICIES, "unmasked", "infinite"))
        if self.source.n_addends > 1:
            check_linear(self.view, agg, self.nan, want)
            has_nan = False  # "auto" leaves no NaN out: it may be in one addend only
        if 0 in self.shape:
            return empty_frame(self.view, window)
        grid = Grid.of(window, self.view, agg, is_sharp)
        parts = _NeededCells.of(self.view, grid, agg)
        is_undecided = grid.is_undecided(self.view, self.nan, has_nan)
        may_know = not self.view.is_rgb and (want or (is_undecided and self._shows_all(grid, parts)))
        ranks = WANT_RANKS if want & WANT_RANKS and self._counts_values else 0
        reading = self._read(grid, parts, WANT_ALL | ranks if may_know else 0, is_undecided and self.view.is_reduced)
        if reading.known_limits is not None:
            self.known[self.nan] = reading.known_limits
        if reading.counts is not None:
            self.known["counts"] = reading.counts
        return frame_from(reading, agg, want, is_undecided)

    @property
    def _counts_values(self):
        """Whether percentiles begin with `first_counts`, which are found with cells."""
        is_plain = not self.view.is_reduced and self.view.complex_mode is None and not self.view.is_rgb
        return is_plain and "counts" not in self.known and n_counts(self.view.dtype) > 0

    def _read(self, grid, parts, want, splits_nan):
        """The joined partial results of all needed chunks for the cells of a grid, as a `_Joined`.

        With `splits_nan` the chunks are reduced with NaN left out of hidden axes, too.
        """
        nan = native_nan(self.nan)
        source, chunks = self._read_under(nan)
        work = CellsOfChunk(chunks, grid.window, tuple(parts), nan, want & WANT_ALL, bool(want & WANT_RANKS))
        touched = None if want else self._touched(grid, parts)
        found = source.run(chunks.tiles(touched), BothPolicies(work) if splits_nan else work, FrameStates.together)
        reading = self._joined(grid, parts, found, nan)
        if splits_nan:
            reading.left_out = self._joined(grid, parts, [tile.left_out for tile in found], "infinite")
        return reading

    def _touched(self, grid, parts):
        """Two functions, for rows and for columns, that tell whether cells show a half-open part of the plane."""
        axes = [span.fit(n, parts[0][0] == "nearest") for span, n in zip((grid.window.rows, grid.window.cols), self.shape, strict=True)]
        return [lambda first, stop, axis=axis: axis.crop(first, stop) is not None for axis in axes]

    def _shows_all(self, grid, parts):
        """Whether the cells need every chunk, so that limits, with the number of NaN, cost no read of their own."""
        chunks = ChunkGrid(self.view, self.source.chunks)
        return self.nan not in self.known and chunks.needed(self._touched(grid, parts)) == chunks.needed()

    def _joined(self, grid, parts, tiles, nan):
        limits = joined_limits([tile.limits for tile in tiles]) if tiles else None
        cells = [_whole(agg, grid, [tile.grids[k] for tile in tiles], self.source.n_addends) for k, (agg, _) in enumerate(parts)]
        counts = joined_counts([tile.counts for tile in tiles]) if tiles else None
        return _Joined(self.view, grid, dict(zip(map(_key, parts), cells, strict=True)), limits and limits.finish(), nan, counts)

    def part_of_frame(self, window, agg, is_sharp, tiles):
        """The `Frame` of a window from the known `tiles`, other cells empty; None where no cell is known yet."""
        if not tiles or not all(isinstance(tile, FrameStates) for tile in tiles):
            return None
        grid = Grid.of(window, self.view, agg, is_sharp)
        return frame_from(self._joined(grid, _NeededCells.of(self.view, grid, agg), tiles, native_nan(self.nan)), agg)

    # ---- limits and elements ---------------------------------------------------------------------------------------------

    def limits(self, want, box=None):
        """`Limits` of the elements, or of a half-open box; see `limits.find_limits`."""
        if box is not None:
            return self._limits(want, box)[0]
        if self.nan not in self.known:
            [self.known[self.nan]] = self._limits(WANT_ALL)
        return self.known[self.nan]

    def channel_ranges(self):
        """(smallest, largest) finite element of each color channel."""
        return [found[:2] for found in self._limits(_native.WANT_RANGE, channels=tuple(range(self.view.n_channels)))]

    def _limits(self, want, box=None, channels=(None,)):
        if self.source.n_addends > 1:
            raise UnsupportedError(f"limits of elements: {OF_ADDENDS}; or give vmin and vmax")
        if 0 in self.shape:
            return [UNKNOWN for _ in channels]
        source, chunks = (self if box is None else self.cropped(box))._read_under(self.nan)
        found = source.run(chunks.tiles(), LimitsOfChunk(chunks, want, self.nan, channels), LimitsOfChunk.together)
        return [limits.finish() for limits in LimitsOfChunk.together(found)] if found else [UNKNOWN for _ in channels]

    def cropped(self, box):
        """The plane of a half-open box (row0, row1, col0, col1)."""
        return replace(self, view=cropped(self.view, box), known={})

    def percentiles(self, percents, is_positive_only=False, box=None):
        """Exact percentiles of the finite elements, or of the positive ones, in a few passes; see `chunk_counts`.

        No pass where the cells came with counts of every value, one where they came with counts of ranges.
        """
        counts = self.known.get("counts") if box is None else None
        if counts is not None and has_every_value(self.view.dtype):
            return np.array(percentiles_of_counts(counts, percents, self.view.dtype, is_positive_only))
        part = self if box is None else self.cropped(box)
        limits, view = part.limits(WANT_ALL), self.view
        if counts is not None and is_positive_only:
            counts = counts_of_positive(counts, view.dtype, limits.min_positive)
        low, n = (limits.min_positive, None) if is_positive_only else (limits.min, limits.n_finite)
        dtype = "float64" if view.is_reduced or view.complex_mode is not None else view.dtype
        source, chunks = part._read_under(self.nan)
        return np.array(percentiles_in_chunks(source, PlaneOfChunk(chunks, self.nan), percents, n, low, limits.max, dtype, counts))

    def numbers(self, box=None):
        """The elements of a box as a host array; see `gather`."""
        return gather_chunks(self.source, self.view if box is None else cropped(self.view, box), self.nan)


def cropped(view, box):
    """The view of a half-open box (row0, row1, col0, col1) of a plane."""
    parts = {"rows": slice(*box[:2]), "cols": slice(*box[2:])}
    uses = tuple(use if use.role not in parts else _part_of(use, use.elements[parts[use.role]]) for use in view.uses)
    return replace(view, uses=uses, shape=(box[1] - box[0], box[3] - box[2]))


def _part_of(use, elements):
    return use._replace(start=elements.start, size=len(elements))


def gather_chunks(source, view, nan="show"):
    """The elements of a plane of a `ChunkedSource` as a host array; see `gather.gather`."""
    source, view = computed_elements(source, view, nan)
    grid = ChunkGrid(view, source.chunks)
    tiles = grid.tiles() if 0 not in view.shape else []
    found = ElementsOfChunk.together(source.run(tiles, ElementsOfChunk(grid, nan), ElementsOfChunk.together)) if tiles else []
    shape = (*view.shape, view.n_channels) if view.is_rgb else view.shape
    dtype = found[0][1].dtype if found else np.dtype(float)
    has_gaps = sum(values.shape[0] * values.shape[1] for _, values in found) < math.prod(view.shape)
    is_masked = any(isinstance(values, np.ma.MaskedArray) for _, values in found)
    if has_gaps:
        whole = np.ma.array(np.zeros(shape, dtype), mask=True)
    else:
        whole = (np.ma if is_masked else np).empty(shape, dtype)
    for (row, col), values in found:
        whole[row:row + values.shape[0], col:col + values.shape[1]] = values
    return whole


def boxes_elsewhere(source, view):
    """The parts of a plane, half-open boxes (row0, row1, col0, col1), that cannot be read in this process."""
    if source.is_complete or 0 in view.shape:
        return []
    grid = ChunkGrid(view, source.chunks)
    pieces = [grid.piece(index) for tile in grid.tiles() for index in tile if not source.is_here(index)]
    return [(row, row + piece.shape[0], col, col + piece.shape[1]) for piece, (row, col) in pieces]


def _key(part):
    return (part[0], *part[1].values())


def _whole(agg, grid, tiles, n_addends=1):
    """The partial results of tiles for the cells of a whole window; each element is counted `n_addends` times."""
    tiles = [tile for tile in tiles if tile is not None]
    is_one = len(tiles) == 1 and tiles[0].states.shape == grid.window.shape and n_addends == 1
    return tiles[0] if is_one else PiecesOfCells(agg, grid.window.shape, tiles, n_addends)


@dataclass
class _Joined(Reading):
    """A reading of the joined partial results of all chunks.

    `left_out` are those with NaN left out of hidden axes, where there are some.
    """

    view: View
    grid: Grid
    found: dict
    known_limits: Limits | None
    nan: str
    counts: np.ndarray | None = None
    left_out: _Joined | None = None

    def cells(self, agg, want=0, **part):
        """Cells and limits of the numbers selected by `part`."""
        is_reversed = self.grid.rows.is_reversed, self.grid.cols.is_reversed
        cells = self.found[_key((agg, part))].finish(agg, self.nan, is_reversed)
        return self.grid.filtered(_native.Cells.from_array(cells), self.nan), self.known_limits if want else None

    def limits(self, want):
        """Limits alone."""
        return self.known_limits if want else None

    def without_nan(self):
        """The same with NaN left out."""
        return self.left_out or replace(self, nan="infinite")


class _NeededCells(Reading):
    """A reading that only records which grids of cells a frame needs."""

    def __init__(self, view, grid):
        self.view, self.grid, self.noted = view, grid, []

    @classmethod
    def of(cls, view, grid, agg):
        """[(aggregation, `reduce_piece`'s selection of numbers)]; raises the errors of `reduce_view`."""
        parts = cls(view, grid)
        frame_from(parts, agg)
        return parts.noted

    def cells(self, agg, want=0, **part):
        self.noted.append((agg, part))
        return _native.Cells.from_array(np.zeros((1, 1))), None

    def limits(self, want):
        return None
