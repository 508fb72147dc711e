"""TensorPlane: cells, limits, percentiles and elements of one plane of a tensor, for every front end."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays.chunked_source import ChunkedSource
from ..arrays.source import Source
from . import reduce
from .chunks.chunked_plane import ChunkedPlane
from .gather import gather
from .limits import find_channel_ranges, find_limits, find_percentiles
from .source_plane import SourcePlane


@dataclass(frozen=True)
class TensorPlane(SourcePlane):
    """A plane of one tensor, borrowed at every use."""

    source: Source

    def reduce(self, window, agg, want=0, has_nan=None, is_sharp=False, style=None, out=None):
        """Cells of a window; see `reduce.reduce_view`."""
        return reduce.reduce_view(self.source, self.view, window, agg, self.nan, want, has_nan, is_sharp, style, out)

    def can_paint(self):
        """Whether `paint` can; see `reduce.can_paint`."""
        return reduce.can_paint(self.source, self.view)

    def paint(self, window, style, agg, is_sharp=False, want=0):
        """Pixels of a window by a NativeStyle and limits of its cells, or None and None; see `reduce.paint_view`."""
        return reduce.paint_view(self.source, self.view, window, style, agg, self.nan, is_sharp, want)

    def limits(self, want, box=None):
        """`Limits` of the elements, or of a half-open box; see `limits.find_limits`."""
        return find_limits(self.source, self.view, want, box, self.nan)

    def channel_ranges(self):
        """(smallest, largest) finite element of each color channel."""
        return find_channel_ranges(self.source, self.view, self.nan)

    def percentiles(self, percents, is_positive_only=False, box=None):
        """Exact percentiles of the finite elements, or of the positive ones."""
        return find_percentiles(self.source, self.view, percents, is_positive_only, box, self.nan)

    def numbers(self, box=None):
        """The number that each element of a box gives, such as the amplitude of a complex one, as a host array."""
        return gather(self.source, self.view, box or (0, self.shape[0], 0, self.shape[1]), self.nan)


def plane_of(source, view, nan="show"):
    """The `TensorPlane` of a source, or the `ChunkedPlane` of one in chunks."""
    return (ChunkedPlane if isinstance(source, ChunkedSource) else TensorPlane)(source, view, nan)
