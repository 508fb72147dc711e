"""ChunkedSource: an array in chunks, each read or computed when it is needed; the whole array is never in memory."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from ..errors import UnsupportedError, size_text
from .run_progress import RunProgress
from .source import Source

# Maximum number of chunks of one pass: some tens of minutes, and gigabytes, of a scheduler alone.
MAX_CHUNKS = 10**6


class Advice(NamedTuple):
    """Parts of error messages about an array that is never in memory as a whole: how it is read, and what to do instead."""

    read: str  # how it is read: "read chunk by chunk"
    pieces: str  # "chunks"
    framework: str  # what computes with it
    together: str  # how to bring an axis into one piece, "{axis}" for its number


OF_DASK = Advice("read chunk by chunk", "chunks", "dask", "give chunks with all of it, such as X.rechunk({{{axis}: -1}}) of a dask array")


class ChunkedSource(Source):
    """The shape, dtype and chunks of an array larger than memory, or elsewhere.

    Each chunk is reduced by the task that reads it, where that task runs: see `run`. No memory can be borrowed, so functions
    that do not support chunks refuse such arrays with an error that says what to type.

    Parameters
    ----------
    owner : object
        The caller's array.
    engine : object
        Reads the chunks, such as `dask_chunks.DaskChunks`: it has ``chunks``, ``run(tiles, work, join, watch)`` and ``of_client(client)``.
    shape : tuple of int
    dtype : str
    dims, is_masked
        As of `Source`.
    make_watch : callable, optional
        ``make_watch()`` is the `RunWatch` of one pass. Default: a progress bar for passes that take long.

    Attributes
    ----------
    chunks : tuple of tuple of int
        Sizes of the chunks along each axis.
    advice : Advice
    n_addends : int
        Number of partial sums (addends) that make up each element; 1 where elements are whole.
    tells_tiles : bool
        Whether watches are called for each tile, and can stop a pass.
    """

    __slots__ = ("_engine", "_joined", "_make_watch")
    advice, n_addends, tells_tiles = OF_DASK, 1, True

    def __init__(self, owner, engine, shape, dtype, *, dims=None, is_masked=False, make_watch=RunProgress):
        super().__init__(owner, None, shape, dtype, dims=dims, is_masked=is_masked)
        self._engine, self._make_watch, self._joined = engine, make_watch, None

    def run_by(self, client=None, progress=None):
        """See `Source.run_by`."""
        super().run_by(client, progress)
        return self._twin(self._engine if client is None else self._engine.of_client(client), lambda: RunProgress(progress))

    def watched_by(self, watch):
        """The same array, with a `RunWatch` for all passes over it."""
        return self._twin(self._engine, lambda: watch)

    def by(self, make):
        """The same array, read by the engine ``make(engine)``, where ``engine`` is the present one."""
        engine = make(self._engine)
        return self if engine is self._engine else self._twin(engine, self._make_watch)

    def _twin(self, engine, make_watch):
        twin = ChunkedSource(self.owner, engine, self.shape, self.dtype, dims=self.dims, is_masked=self.is_masked, make_watch=make_watch)
        twin.labels, twin.level, twin.pyramid = self.labels, self.level, self.pyramid
        return twin

    @property
    def chunks(self):
        """Sizes of the chunks along each axis."""
        return self._engine.chunks

    @property
    def client(self):
        """The distributed.Client whose workers read the chunks; None for dask's current scheduler, and for other engines."""
        return getattr(self._engine, "client", None)

    @property
    def is_local(self):
        """Whether chunks are read in this process each time, so that it may keep some instead of reading them again."""
        return getattr(self._engine, "is_local", False)

    @property
    def is_collective(self):
        """Whether every process sends its results to all others."""
        return getattr(self._engine, "is_collective", False)

    def is_here(self, index):
        """Whether a chunk can be read in this process."""
        return True

    def beside(self, others):
        """This array and others in equal chunks, as one source whose chunks are `Together`; None where the engine cannot do that."""
        make = getattr(self._engine, "beside", None)
        return None if make is None else self._twin(make([other._engine for other in others]), self._make_watch)

    def joined_as(self, chunks):
        """This array in chunks that are several whole ones each; None where they are not, or where the engine cannot join them."""
        if chunks == self.chunks:
            return self
        if self._joined is None or self._joined.chunks != chunks:
            join = getattr(self._engine, "joined_as", None)
            if join is None or len(chunks) != len(self.chunks) or not all(map(_are_joined, chunks, self.chunks)):
                return None
            engine = join(chunks)
            if engine is None:
                return None
            self._joined = self._twin(engine, self._make_watch)  # kept, as of a thousand chunks it takes a tenth of a second
        return self._joined

    def cut_alike(self, source):
        """An array in memory as one in the same chunks; None for another shape, or where the engine or the array cannot do that."""
        cut = getattr(self._engine, "cut", None)
        if cut is None or source.shape != self.shape or source.array is None:
            return None
        return ChunkedSource(source.owner, cut(source.array), self.shape, source.dtype, dims=source.dims, is_masked=source.is_masked)

    def run(self, tiles, work, join):
        """Applies a function to chunks and joins its results tile by tile, where the chunks are.

        Parameters
        ----------
        tiles : list of list of tuple of int
            Indices of chunks in the grid of all; each list is joined in its order.
        work : callable
            ``work(elements, index)``, called with a chunk, an array of any library. It is pickled to run in other processes.
            Where several processes reduce one array together, ``work.result_bytes(index)`` is the approximate size of its result.
        join : callable
            ``join(results)`` joins a list of results into one.

        Returns
        -------
        list
            The joined result of each tile, in the order of `tiles`.

        Raises
        ------
        ChunkError
            A chunk cannot be read or computed, or has another shape or dtype than the array says.
        """
        return self._engine.run(tiles, work, join, self._make_watch())

    def borrow(self):
        """Raises UnsupportedError: only pieces are ever in memory."""
        raise UnsupportedError(in_chunks_text(self.owner, self.shape, self.nbytes) + _ways_out(self.owner, self.shape))


def _are_joined(larger, smaller):
    """Whether chunks along an axis are several whole ones each of smaller chunks."""
    return set(accumulate(larger)) <= set(accumulate(smaller)) and sum(larger) == sum(smaller)


def check_n_chunks(n_chunks):
    """UnsupportedError for more than `MAX_CHUNKS`, before anything lists them."""
    if n_chunks > MAX_CHUNKS:
        raise UnsupportedError(f"{n_chunks:,} chunks would be read, and a scheduler takes some milliseconds for each, however small: make "
                               "the array of larger chunks, of about 100 MB, such as by chunks='auto' where it is made or opened; or take "
                               "a part that lies in fewer")


def in_chunks_text(X, shape, n_bytes):
    """The beginning of a message about an array whose elements are elsewhere."""
    return (f"the {type(X).__name__} of shape {tuple(shape)} is not in memory and would take {size_text(n_bytes)} there: ")


def part_text(shape):
    """The code to type for a small part of an array of this shape."""
    n_axes = len(shape)
    return "X[" + ", ".join(["0"] * (n_axes - 2) + [":2048"] * min(2, n_axes)) + "]"


def _ways_out(X, shape):
    whole = "compute it yourself, X.compute()" if hasattr(X, "compute") else "read all of it, X[...]"
    return (f"imshow, inspect, plot, hist, stats and most others read it chunk by chunk, but this function does not; draw a part, "
            f"{part_text(shape)}, or {whole}")
