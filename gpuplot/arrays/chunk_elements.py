"""The elements that a task reads of one chunk -> a Source, checked against the dtype of the whole array."""

from ..errors import ChunkError
from .describe import describe


def described(elements, dtype, index):
    """The `Source` of a chunk's elements; ChunkError where their dtype differs from the array's."""
    source = describe(elements)
    if source.dtype != dtype:
        raise ChunkError(f"chunk {tuple(index)} has elements of {source.dtype}, but the array's dtype is {dtype}: give the array the dtype "
                         f"of its chunks, or convert the chunks, X.map_blocks(lambda chunk: chunk.astype({dtype!r}))", tuple(index))
    return source
