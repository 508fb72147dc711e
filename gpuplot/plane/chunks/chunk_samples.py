"""Tasks for one chunk of a series, run in any process, and how their results are joined by position."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ... import _native
from ..gather import gather
from ..native_plane import native_plane
from ..partial_limits import PartialLimits
from ..series import M4_STATE, join_states
from .chunk_grid import ChunkGrid
from .chunk_work import joined_limits


@dataclass(frozen=True)
class SamplesOfChunk(ABC):
    """Base of tasks for the samples of a chunk that belong to a series."""

    grid: ChunkGrid
    nan: str

    def __call__(self, elements, index):
        source, view, (_, begin) = self.grid.read(elements, index)
        return self.look(source, view, begin)

    @abstractmethod
    def look(self, source, view, begin):
        """The results, as a list, for the one row of a view, whose first sample is at position `begin`."""

    @contextmanager
    def row(self, source, view):
        """A context with the native plane of the samples."""
        with source.borrow() as tensor:
            yield native_plane(tensor, view, nan=self.nan)

    @staticmethod
    def together(found):
        """The results of all chunks, sorted by position."""
        return sorted((one for part in found for one in part), key=lambda one: one[0])


class Run(NamedTuple):
    """Consecutive samples: their first position, the first and last value as Python numbers, and whether they rise or fall."""

    begin: int
    first: float
    last: float
    rises: bool
    falls: bool

    def turned(self, begin):
        """The same samples reversed, beginning at another position."""
        return Run(begin, self.last, self.first, self.falls, self.rises)


class OrderOfChunk(SamplesOfChunk):
    """Finds whether the samples of a chunk rise or fall: a `Run`."""

    def look(self, source, view, begin):
        """See `SamplesOfChunk.look`."""
        n = view.shape[1]
        with self.row(source, view) as plane:
            rises, falls = _native.find_ways(plane)
        first, last = (gather(source, view, (0, 1, place, place + 1), self.nan)[0, 0].item() for place in (0, n - 1))
        return [Run(begin, first, last, rises, falls)]


@dataclass(frozen=True)
class PlacesOfChunk(SamplesOfChunk):
    """Finds for some values the first sample of a chunk not below each: (position of the chunk, places in it)."""

    values: dict = field(default_factory=dict)  # position at which a chunk begins -> the values

    def look(self, source, view, begin):
        """See `SamplesOfChunk.look`."""
        with self.row(source, view) as plane:
            return [(begin, _native.search_sorted(plane, self.values[begin]))]


@dataclass(frozen=True)
class ValuesAtPlaces(SamplesOfChunk):
    """Reads the samples at some places of a chunk, as float64: (position of the chunk, values)."""

    places: dict = field(default_factory=dict)  # position at which a chunk begins -> places in it

    def look(self, source, view, begin):
        """See `SamplesOfChunk.look`."""
        with self.row(source, view) as plane:
            return [(begin, _native.take(plane, self.places[begin]))]


@dataclass
class Columns:
    """The M4_STATE of neighboring pixel columns, from column `first` on, and the type that their values are orders of.

    `limits` are those of all samples of the chunks, if wanted.
    """

    first: int
    states: np.ndarray
    order: str
    limits: PartialLimits | None = None

    def join(self, other):
        """Adds other samples of the same columns."""
        begin = other.first - self.first
        join_states(self.states[begin:begin + len(other.states)], other.states)


@dataclass(frozen=True)
class ColumnsOfChunk(SamplesOfChunk):
    """Finds the samples of a chunk to draw: `Columns`."""

    bounds: np.ndarray | None = None  # (n + 1,) positions between columns
    want: int = 0  # ``_native.WANT_*`` bits of the limits

    def result_bytes(self, index):
        """Approximate size of the states of the columns that a chunk touches."""
        view, (_, begin) = self.grid.piece(index)
        first, stop = self._touched(begin, begin + view.shape[1])
        return M4_STATE.itemsize * max(stop - first, 0)

    def _touched(self, begin, end):
        """The half-open range of columns with samples from `begin` to `end`."""
        first = max(int(np.searchsorted(self.bounds, begin, "right")) - 1, 0)
        return first, min(int(np.searchsorted(self.bounds, end)), len(self.bounds) - 1)

    def look(self, source, view, begin):
        """See `SamplesOfChunk.look`."""
        end = begin + view.shape[1]
        first, stop = self._touched(begin, end)
        bounds = np.clip(self.bounds[first:stop + 1] - begin, 0, end - begin)
        found, states = np.zeros(stop - first, M4_STATE), np.empty(stop - first, M4_STATE)
        with self.row(source, view) as plane:
            order = _native.m4(plane, bounds, states)
            limits = PartialLimits.of_plane(plane, self.want) if self.want else None
        join_states(found, states, begin)
        return [Columns(first, found, order, limits)]

    @staticmethod
    def together(found):
        """The joined columns of all chunks, exact in any order."""
        parts = [one for part in found for one in part]
        first, stop = min(part.first for part in parts), max(part.first + len(part.states) for part in parts)
        limits = joined_limits([part.limits for part in parts])
        whole = Columns(first, np.zeros(stop - first, M4_STATE), parts[0].order, limits)
        for part in parts:
            whole.join(part)
        return [whole]
