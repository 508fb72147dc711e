"""What a task reads of one chunk -> a Source, checked against the announced dtype."""

from ..errors import ChunkError
from .describe import describe


def described(elements, dtype, index):
    """The `Source` of a chunk's elements; ChunkError where they are of another dtype than was announced."""
    source = describe(elements)
    if source.dtype != dtype:
        raise ChunkError(f"chunk {tuple(index)} has elements of {source.dtype}, and {dtype} was announced: give the array the dtype of its "
                         f"chunks, or convert these, X.map_blocks(lambda chunk: chunk.astype({dtype!r}))", tuple(index))
    return source
