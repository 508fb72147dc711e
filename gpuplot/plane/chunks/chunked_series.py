"""A series in chunks: each chunk is searched where it is read, and only the samples to draw come back."""

from __future__ import annotations

import copy
import itertools
from contextlib import ExitStack, contextmanager

import numpy as np

from ... import _native
from ...arrays.chunked_source import ChunkedSource
from ...arrays.dask_kept import kept_by_workers
from ...arrays.kept_chunks import KeptChunks
from ..limits import UNKNOWN, WANT_FOR_AXES
from ..series import M4_STATE, Series
from .chunk_grid import ChunkGrid, chunks_of
from .chunk_samples import ColumnsOfChunk, OrderOfChunk, PlacesOfChunk, ValuesAtPlaces
from .chunked_plane import ChunkedPlane, cropped, gather_chunks


def series_of(source, axis=0, index=None):
    """One axis of a tensor as a `Series`, a `ChunkedSeries` where it lies in chunks; arguments are those of `Series`."""
    source.check_complete()
    return (ChunkedSeries if isinstance(source, ChunkedSource) else Series)(source, axis, index)


class ChunkedSeries(Series):
    """The interface of `Series` over chunks; each call reads the chunks that it needs once."""

    # The `Run` of each chunk by position, from the last pass over all samples.
    _runs = None

    @contextmanager
    def read_once(self):
        """See `Series.read_once`: up to 64 MB of chunks are kept by what reads them until the context ends."""
        series = copy.copy(self)
        with ExitStack() as kept:
            series.source = (KeptChunks.of(self.source) if self.source.is_local else
                             self.source.by(lambda engine: kept.enter_context(kept_by_workers(engine))))
            yield series

    def reversed(self):
        """The samples from the last to the first."""
        turned = super().reversed()
        ends = [end for _, end, _ in self._pieces()]
        turned._runs = self._runs and [run.turned(self.length - end) for run, end in zip(self._runs, ends, strict=True)][::-1]
        return turned

    def gather(self, begin, end):
        """Samples ``begin`` to ``end - 1`` as a host array, masked where the array is."""
        return gather_chunks(self.source, cropped(self._view, (0, 1, begin, end)), self._nan)[0] if begin < end else np.empty(0)

    def limits(self, want=_native.WANT_RANGE):
        """Facts about all samples; see `limits.find_limits`."""
        return ChunkedPlane(self.source, self._view, self._nan).limits(want)

    def ways(self):
        """Reads all samples once: whether they rise, and whether they fall; neither where one is NaN or masked."""
        self._runs = runs = self._ask_all(OrderOfChunk(self._grid, self._nan))
        neighbors = [(before.last, after.first) for before, after in itertools.pairwise(runs)]
        rises = all(run.rises for run in runs) and all(before <= after for before, after in neighbors)
        falls = all(run.falls for run in runs) and all(before >= after for before, after in neighbors)
        return rises, falls

    def search(self, values):
        """For each value the position of the first sample not below it, in a series that rises.

        Only chunks that begin below a value and end at or above it are read.
        """
        if self._runs is None:
            self.ways()
        values = np.asarray(values, np.float64)
        # Samples of every dtype are compared as float64, as for series in memory.
        owners = np.searchsorted(np.array([run.last for run in self._runs], np.float64), values)
        positions = np.array([*(run.begin for run in self._runs), self.length], np.int64)[owners]
        is_inside = np.array([*(run.first for run in self._runs), np.inf], np.float64)[owners] < values
        asked = {begin: np.flatnonzero(is_inside & (positions == begin)) for begin in np.unique(positions[is_inside]).tolist()}
        work = PlacesOfChunk(self._grid, self._nan, {begin: values[which] for begin, which in asked.items()})
        for begin, places in self._ask_at(work, asked):
            positions[asked[begin]] = begin + places
        return positions

    def take(self, positions):
        """The samples at some positions as float64; masked ones are NaN."""
        positions, begins = np.asarray(positions, np.int64), np.array([begin for begin, _, _ in self._pieces()])
        values, owners = np.empty(len(positions)), begins[np.searchsorted(begins, positions, "right") - 1]
        asked = {begin: np.flatnonzero(owners == begin) for begin in np.unique(owners).tolist()}
        work = ValuesAtPlaces(self._grid, self._nan, {begin: positions[which] - begin for begin, which in asked.items()})
        for begin, found in self._ask_at(work, asked):
            values[asked[begin]] = found
        return values

    def m4(self, bounds):
        """The M4_STATE of each column of pixels, and their order; see `Series.m4`."""
        return self._columns(bounds)[:2]

    def m4_and_limits(self, bounds):
        """The same with the `Limits` of all samples, which are all read for it."""
        return self._columns(bounds, WANT_FOR_AXES)

    def _columns(self, bounds, want=0):
        bounds = np.asarray(bounds, np.int64)
        states, order, limits = np.zeros(len(bounds) - 1, M4_STATE), "f64", UNKNOWN
        work = ColumnsOfChunk(self._grid, self._nan, bounds, want)
        for found in self._ask_where(work, None if want else lambda begin, end: bounds[0] < end and begin < bounds[-1]):
            states[found.first:found.first + len(found.states)] = found.states
            order, limits = found.order, found.limits and found.limits.finish()
        return states, order, limits

    # ---- chunks ----------------------------------------------------------------------------------------------------------

    @property
    def _grid(self):
        return ChunkGrid(self._view, self.source.chunks)

    def _pieces(self):
        """(first position, end position, index along the axis) of each chunk, by position."""
        axis = self._view.col_axis
        return sorted((first, stop, k) for k, first, stop in chunks_of(self._view.elements(axis), self.source.chunks[axis]))

    def _ask_all(self, work):
        return self._ask_where(work, None)

    def _ask_at(self, work, begins):
        """The results of the chunks that begin at given positions."""
        return self._ask_where(work, lambda begin, end: begin in begins) if begins else []

    def _ask_where(self, work, is_needed):
        """The results of the chunks for which `is_needed(begin, end)` is true, a half-open range of positions; None for all chunks."""
        tiles = self._grid.tiles(is_needed and (lambda begin, end: True, is_needed))
        found = self.source.run(tiles, work, work.together) if tiles else []
        return work.together(found) if found else []  # chunks may all be in other processes
