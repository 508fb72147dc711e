"""ChunkGrid: which chunks hold elements of a plane, and which part of the plane each holds; found from shapes alone."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

from ...arrays.chunk_elements import source_of_chunk
from ...arrays.chunked_source import check_n_chunks
from ...errors import UnsupportedError
from ..view import View

# Maximum number of tiles along each axis; a tile is a group of neighboring chunks, joined where the chunks are.
MAX_TILES = 8


def span_within(elements, begin, end):
    """The half-open pair of places in a range whose elements lie in [begin, end)."""
    if elements.step < 0:
        first, stop = span_within(elements[::-1], begin, end)
        return len(elements) - stop, len(elements) - first
    first, stop = (min(max(-((elements.start - edge) // elements.step), 0), len(elements)) for edge in (begin, end))
    return first, stop


def bounds(sizes, k):
    """The half-open bounds of chunk `k` along an axis, from the sizes of its chunks."""
    begin = sum(sizes[:k])
    return begin, begin + sizes[k]


def chunks_of(elements, sizes):
    """(index, first place, end place) of each chunk along an axis that holds elements of a range."""
    begin = 0
    for k, size in enumerate(sizes):
        first, stop = span_within(elements, begin, begin + size)
        if first < stop:
            yield k, first, stop
        begin += size


def with_channels_together(source, view):
    """A `ChunkedSource` in chunks with all color channels of a view; itself where they are, or where its engine cannot join them."""
    axis = view.channel_axis
    if axis is None:
        return source
    sizes = source.chunks[axis]
    needed = [k for k, _, _ in chunks_of(view.elements(axis), sizes)]
    first, last = needed[0], needed[-1]
    joined = (*sizes[:first], sum(sizes[first:last + 1]), *sizes[last + 1:])
    return source.joined_as((*source.chunks[:axis], joined, *source.chunks[axis + 1:])) or source


def in_tiles(*indices):
    """Groups indices of chunks along each axis into tiles: lists of neighbors in the grid, in its order, which are joined first.

    The groups are the same for every scheduler, so sums have the same bits everywhere. UnsupportedError for far too many.
    """
    check_n_chunks(math.prod(map(len, indices)))
    groups = [_grouped(along, MAX_TILES if axis >= len(indices) - 2 else 1) for axis, along in enumerate(indices)]
    return [list(itertools.product(*members)) for members in itertools.product(*groups)]


def over_all(source, work, join):
    """What `work` finds in all chunks of a `ChunkedSource`, joined tile by tile and then in the order of the tiles."""
    tiles = in_tiles(*(list(range(len(sizes))) for sizes in source.chunks))
    return join(source.run(tiles, work, join))


def _grouped(indices, n_groups):
    size = max(1, -(-len(indices) // n_groups))
    return [indices[i:i + size] for i in range(0, len(indices), size)]


@dataclass(frozen=True)
class ChunkGrid:
    """The chunks of a tensor, and a plane of it.

    Attributes
    ----------
    view : View
    chunks : tuple of tuple of int
        Sizes along each axis of the tensor.
    """

    view: View
    chunks: tuple

    def check(self, advice):
        """UnsupportedError where color channels, or axes that are reduced before others, lie in several chunks.

        The `Advice` of the source is the text that says what to do.
        """
        for axis, use in enumerate(self.view.uses):
            n = self._n_chunks(axis) if use.role in ("hidden", "channels") else 1
            together = advice.together.format(axis=axis)
            if n > 1 and use.role == "channels":
                raise UnsupportedError(f"the color channels, axis {axis}, lie in {n} {advice.pieces}, and are needed together: give "
                                       f"rgb=False, or {together}")
            is_first = use.stage < len(self.view.stage_ops) - 1
            if n > 1 and (is_first or self.view.is_rgb or self.view.is_hue or self.view.complex_mode == "phase"):
                what = "is reduced before another one" if is_first else "is reduced to colors or angles"
                raise UnsupportedError(f"reduce: axis {axis} lies in {n} {advice.pieces} and {what}, which needs all of them together: let "
                                       f"{advice.framework} reduce it first, such as X.mean({axis}), or {together}")

    def is_folded(self):
        """Whether a reduced axis lies in several chunks."""
        return any(use.role == "hidden" and self._n_chunks(axis) > 1 for axis, use in enumerate(self.view.uses))

    def _n_chunks(self, axis):
        """Number of chunks along an axis that hold selected elements."""
        return sum(1 for _ in chunks_of(self.view.elements(axis), self.chunks[axis]))

    def shown_index(self, index):
        """The indices of a chunk along rows and columns; None where the tensor has no such axis."""
        return tuple(None if axis is None else index[axis] for axis in (self.view.row_axis, self.view.col_axis))

    def needed(self, touched=None):
        """For each axis the indices along it of the chunks with elements of the plane.

        `touched` has two functions, for rows and for columns, that tell whether a half-open part of the plane is needed.
        """
        is_needed = {} if touched is None else dict(zip(("rows", "cols"), touched, strict=True))
        along = []
        for axis, use in enumerate(self.view.uses):
            is_part_needed = is_needed.get(use.role, lambda first, stop: True)
            along.append([k for k, first, stop in chunks_of(use.elements, self.chunks[axis]) if is_part_needed(first, stop)])
        return along

    def tiles(self, touched=None):
        """Indices of the chunks that are `needed`, grouped in tiles."""
        along = self.needed(touched)
        return in_tiles(*along) if all(along) else []

    def bands(self):
        """Half-open (first row, end row) of each row of chunks, from the top of the plane."""
        axis = self.view.row_axis
        if axis is None:
            return [(0, 1)]
        return sorted((first, stop) for _, first, stop in chunks_of(self.view.elements(axis), self.chunks[axis]))

    def piece(self, index):
        """(the view of a chunk alone, the row and the column of the plane at which it begins)."""
        uses, origin, shape = [], {"rows": 0, "cols": 0}, {"rows": 1, "cols": 1}
        for axis, use in enumerate(self.view.uses):
            begin, end = bounds(self.chunks[axis], index[axis])
            first, stop = span_within(use.elements, begin, end)
            uses.append(use._replace(start=use.elements[first] - begin, size=stop - first))
            if use.role in origin:
                origin[use.role], shape[use.role] = first, stop - first
        sizes = tuple(sizes[k] for sizes, k in zip(self.chunks, index, strict=True))
        view = replace(self.view, tensor_shape=sizes, uses=tuple(uses), shape=tuple(shape.values()), names=())
        return view, tuple(origin.values())

    def read(self, elements, index):
        """(the `Source` of a chunk's elements, which a task has read, then as `piece`)."""
        return source_of_chunk(elements, self.view.dtype, index), *self.piece(index)
