"""Several arrays in equal chunks as one source: a task gets the chunks of all arrays at one place of the grid."""

from __future__ import annotations

from ..errors import UnsupportedError
from .chunked_source import ChunkedSource


class Together(tuple):
    """The chunks at one place of several arrays, of one shape."""

    __slots__ = ()

    def __new__(cls, *chunks):
        """One of some chunks."""
        return super().__new__(cls, chunks)

    @property
    def shape(self):
        """That of the first one."""
        return self[0].shape


def together(named):
    """The `ChunkedSource` of several, whose chunks are `Together`.

    Parameters
    ----------
    named : dict of str to Source
        What to call each in errors.

    Raises
    ------
    UnsupportedError
        One of them is in memory, or in other chunks.
    """
    for source in named.values():
        source.check_complete()
    (name, first), *others = named.items()
    for other_name, other in others:
        if not (isinstance(first, ChunkedSource) and isinstance(other, ChunkedSource)):
            here, there = (name, other_name) if isinstance(other, ChunkedSource) else (other_name, name)
            raise UnsupportedError(f"{there} lies in chunks and {here} in memory: make both of them arrays of chunks, such as "
                                   f"dask.array.from_array({here}, chunks={there}.chunks)")
        if first.chunks != other.chunks:
            raise UnsupportedError(f"{name} and {other_name} lie in different chunks, and are looked at together: give them the same, such "
                                   f"as {other_name}.rechunk({name}.chunks) of dask arrays")
    source = first.beside([other for _, other in others])
    if source is None:
        said = first.advice
        raise UnsupportedError(f"{list(named)[-1]} of an array that is {said.read}: elements are not looked at beside those of others; "
                               f"{said.together}")
    return source
