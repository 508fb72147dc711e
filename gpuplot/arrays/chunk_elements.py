"""The elements that a task reads of one chunk -> a Source, checked against the dtype of the whole array."""

from .chunk_checks import dtype_error
from .describe import describe


def source_of_chunk(elements, dtype, index):
    """The `Source` of a chunk's elements; ChunkError where their dtype differs from the array's."""
    source = describe(elements)
    if source.dtype != dtype:
        raise dtype_error(source.dtype, dtype, index)
    return source
