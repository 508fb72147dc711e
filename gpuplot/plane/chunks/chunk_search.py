"""Finds the next element of given kinds in a plane in chunks, one row of chunks after the other."""

from __future__ import annotations

from dataclasses import dataclass

from ..limits import find_element
from .chunk_grid import ChunkGrid
from .hidden_chunks import computed_elements


@dataclass(frozen=True)
class FoundInChunk:
    """Finds the first element of given kinds in a chunk: its row-major position in the plane, -1 for none.

    Attributes
    ----------
    grid : ChunkGrid
    kinds : int
        ``HAS_*`` bits.
    start : int
        The position in the plane at which the search begins.
    is_backwards : bool
    nan : str
        The policy of hidden axes.
    """

    grid: ChunkGrid
    kinds: int
    start: int
    is_backwards: bool
    nan: str

    def __call__(self, elements, index):
        source, view, (row0, col0) = self.grid.read(elements, index)
        (n_rows, n_cols), width = view.shape, self.grid.view.shape[1]
        row, col = divmod(self.start, width)
        # A start outside the chunk means that it has nothing to find: before its first element backwards, after its last forwards.
        least = -1 if self.is_backwards else 0
        first = (row - row0) * n_cols + _held(col - col0, least, n_cols + least)
        first = _held(first, least, n_rows * n_cols + least)
        position = find_element(source, view, self.kinds, first, self.is_backwards, self.nan)
        if position < 0:
            return []
        row, col = divmod(position, n_cols)
        return [(row0 + row) * width + col0 + col]

    @staticmethod
    def together(found):
        """The list of positions of all chunks."""
        return [position for positions in found for position in positions]


def _held(place, low, high):
    return min(max(place, low), high)


def find_in_chunks(source, view, kinds, start, is_backwards=False, nan="show"):
    """Row-major position of the first element of given kinds at or after `start`, or the last at or before it; see `find_element`.

    Chunks beyond the row of chunks with that element are not read.
    """
    if 0 in view.shape:
        return -1
    source, view = computed_elements(source, view, nan)
    grid = ChunkGrid(view, source.chunks)
    work = FoundInChunk(grid, kinds, start, is_backwards, nan)
    row = start // view.shape[1]
    bands = [band for band in grid.bands() if (band[0] <= row if is_backwards else band[1] > row)]
    for first, stop in bands[::-1] if is_backwards else bands:
        tiles = grid.tiles((lambda begin, end, band=(first, stop): (begin, end) == band, lambda begin, end: True))
        found = work.together(source.run(tiles, work, work.together))
        if found:
            return max(found) if is_backwards else min(found)
    return -1
