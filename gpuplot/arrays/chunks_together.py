"""Several arrays in equal chunks as one source: a task gets the chunks of all arrays at one place of the grid."""

from __future__ import annotations

import math

from ..errors import UnsupportedError
from .chunked_source import OF_DASK, ChunkedSource


class Together(tuple):
    """The chunks of several arrays at one place of the grid, all of one shape."""

    __slots__ = ()

    def __new__(cls, *chunks):
        """Makes one of the chunks."""
        return super().__new__(cls, chunks)

    @property
    def shape(self):
        """Shape of the first chunk."""
        return self[0].shape


def together(named):
    """One `ChunkedSource` for several arrays, whose chunks are `Together`.

    Parameters
    ----------
    named : dict of str to Source
        The arrays, by the names that errors call them.

    Raises
    ------
    UnsupportedError
        Their chunks differ, or one of them is in memory and cannot be cut as the others are.
    """
    for source in named.values():
        source.check_complete()
    named = _in_largest_chunks(_all_in_chunks(named))
    (name, first), *others = named.items()
    for other_name, other in others:
        _check_alike(name, first, other_name, other)
        if not (isinstance(first, ChunkedSource) and isinstance(other, ChunkedSource)):
            here, there = (name, other_name) if isinstance(other, ChunkedSource) else (other_name, name)
            raise UnsupportedError(f"{there} is in chunks and {here} in memory: make both of them arrays of chunks, for example "
                                   f"dask.array.from_array({here}, chunks={there}.chunks)")
        if first.chunks != other.chunks:
            raise UnsupportedError(f"{name} and {other_name} have different chunks but are read together: give them the same chunks, "
                                   f"{other_name}.rechunk({name}.chunks) for dask arrays")
    source = first.beside([other for _, other in others])
    if source is None:
        advice = first.advice
        raise UnsupportedError(f"{list(named)[-1]} is not supported for an array that is {advice.read}, which cannot be paired with "
                               f"others: {advice.together}")
    return source


def check_together(named):
    """The errors of `together`, before a first pass over one of the arrays, which may take long; nothing where all are in memory.

    `named` is as for `together`, None for an array that is not given.
    """
    given = {name: source for name, source in named.items() if source is not None}
    if any(isinstance(source, ChunkedSource) for source in given.values()):
        together(given)


def _check_alike(name, source, other_name, other):
    """UnsupportedError for the shards of a framework beside what is not sharded like them: dask cannot cut either like the other."""
    if getattr(source, "chunks", None) == getattr(other, "chunks", None):
        return
    for sharded, whose in ((source, name), (other, other_name)):
        advice = getattr(sharded, "advice", OF_DASK)
        if advice is not OF_DASK:
            piece = advice.pieces.removesuffix("s")
            raise UnsupportedError(f"{name} and {other_name} have different chunks but are read together, {whose} {piece} by {piece}: cut "
                                   f"both alike, or {advice.together}")


def _all_in_chunks(named):
    """The sources, those in memory cut as one in chunks of the same shape is: a small array of dask is computed before."""
    like = next((source for source in named.values() if isinstance(source, ChunkedSource)), None)
    if like is None:
        return named
    return {name: source if isinstance(source, ChunkedSource) else like.cut_alike(source) or source for name, source in named.items()}


def _in_largest_chunks(named):
    """The sources, all in the chunks of the one with the fewest, where these are several whole ones of the others; else unchanged.

    A store is read in groups of its chunks, so that its chunks are larger than those of a dask array that was made from it.
    """
    if not all(isinstance(source, ChunkedSource) for source in named.values()):
        return named
    chunks = min((source.chunks for source in named.values()), key=lambda chunks: math.prod(map(len, chunks)))
    joined = {name: source.joined_as(chunks) for name, source in named.items()}
    return named if None in joined.values() else joined
