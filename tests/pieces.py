"""A NumPy array that is read in chunks and counts how often each was read: a stand-in for dask."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gpuplot.arrays.chunked_source import ChunkedSource
from gpuplot.arrays.chunks_together import Together
from gpuplot.arrays.describe import describe

__all__ = ["Gate", "Pieces", "in_pieces"]


class Pieces:
    """The engine of a `ChunkedSource`.

    Parameters
    ----------
    array : ndarray
    chunks : tuple of tuple of int
    n_threads : int
        0 looks at chunks one after the other, from the last to the first.
    """

    def __init__(self, array, chunks, n_threads=0):
        self.array, self.chunks, self.n_threads, self.is_local = array, chunks, n_threads, True
        self.reads, self._lock = Counter(), threading.Lock()

    def chunk(self, index):
        starts = [sum(sizes[:k]) for sizes, k in zip(self.chunks, index, strict=True)]
        return self.array[tuple(slice(start, start + sizes[k]) for start, sizes, k in zip(starts, self.chunks, index, strict=True))]

    def beside(self, others):
        """As `DaskChunks.beside`; each engine counts its own reads."""
        engines = (self, *others)
        both = Pieces(self.array, self.chunks, self.n_threads)
        both.chunk = lambda index: Together(*(engine._counted(index) for engine in engines))
        return both

    def _counted(self, index):
        with self._lock:
            self.reads[index] += 1
        return self.chunk(index)

    def run(self, tiles, work, join, watch):
        watch.begin(len(tiles))

        def look(index):
            watch.tick()
            with self._lock:
                self.reads[index] += 1
            return work(self.chunk(index), index)

        every = [index for tile in tiles for index in tile]
        if self.n_threads:
            with ThreadPoolExecutor(self.n_threads) as pool:
                found = dict(zip(every, pool.map(look, every), strict=True))
        else:
            found = {index: look(index) for index in reversed(every)}
        joined = [join([found[index] for index in tile]) for tile in tiles]
        for k, one in enumerate(joined):
            watch.tile(k, one)
        watch.end()
        return joined

    def run_tile_by_tile(self, tiles, work, join, watch):
        """As `run`, but reads a tile after the last one is joined."""
        watch.begin(len(tiles))
        joined = []
        for k, tile in enumerate(tiles):
            watch.tick()
            joined.append(join([work(self._counted(index), index) for index in tile]))
            watch.tile(k, joined[-1])
        watch.end()
        return joined

    def take_reads(self):
        """How often each chunk was read since the last call, {index: times}."""
        reads, self.reads = dict(self.reads), Counter()
        return reads


def in_pieces(array, chunks, n_threads=0, dtype=None):
    """(a source of an array cut into chunks, its `Pieces`); `chunks` are sizes along each axis, an int for even ones."""
    def sizes(n, size):
        return tuple(size) if not isinstance(size, int) else (size,) * (n // size) + ((n % size,) if n % size else ())

    engine = Pieces(array, tuple(sizes(n, size) for n, size in zip(array.shape, chunks, strict=True)), n_threads)
    is_masked = isinstance(array, np.ma.MaskedArray)
    return ChunkedSource(array, engine, array.shape, dtype or describe(array).dtype, is_masked=is_masked), engine


class Gate:
    """Lets chunks be read one by one: `Pieces` asks for `chunk`, which waits until `n_open` allows it."""

    def __init__(self, engine, n_open=0):
        self._chunk, self.n_open, self.n_begun, self._changed = engine.chunk, n_open, 0, threading.Condition()
        engine.chunk = self.chunk

    def chunk(self, index):
        with self._changed:
            self.n_begun += 1
            n = self.n_begun
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: n <= self.n_open, 60)
        return self._chunk(index)

    def open(self, n=10**9):
        with self._changed:
            self.n_open = n
            self._changed.notify_all()

    def wait_for(self, n):
        """Waits until so many chunks have begun to be read."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.n_begun >= n, 60)
