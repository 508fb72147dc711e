"""Elements: planes of a borrowed tensor that are summarized together."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from .. import _native
from ..dtype_classes import is_bool_or_integer
from ..plane.coalesce_axes import cover
from ..plane.order_statistics import percentiles_of_planes
from ..plane.pooled_limits import pooled_limits, pooled_percentiles
from .partial_histogram import PartialHistogram
from .partial_summary import PartialSummary


@dataclass(frozen=True)
class Elements:
    """Elements that are summarized together, on borrowed planes.

    Attributes
    ----------
    ordered : list of (_native.Plane, callable)
        Each plane with a function: position in it -> rank of the element, the number of elements before it.
    pooled : list of _native.Plane
        The same elements in any order, possibly on fewer planes.
    dtype : str
        Of the tensor.
    is_computed : bool
        Whether planes hold float64 numbers computed from the tensor's elements, not the elements.
    index : callable
        Rank -> index of the tensor.
    """

    ordered: list
    pooled: list
    dtype: str
    is_computed: bool
    index: Callable

    @property
    def is_integer(self):
        """Whether elements are integers or bool."""
        return not self.is_computed and is_bool_or_integer(self.dtype)

    def summary(self, to_whole=None):
        """The `PartialSummary` of all planes; `to_whole` maps a rank to that in a whole of which these elements are a piece."""
        whole = PartialSummary()
        for plane, rank in self.ordered:
            position = rank if to_whole is None else lambda place, rank=rank: to_whole(rank(place))
            whole.join(PartialSummary.of_plane(plane, position))
        return whole

    def histogram(self, edges, integer_range=None):
        """The `PartialHistogram` of all."""
        whole = PartialHistogram.of_nothing(edges, integer_range)
        for plane in self.pooled:
            whole.join(PartialHistogram.of_plane(plane, edges, integer_range))
        return whole

    def limits(self, want):
        """`Limits` of all, by ``_native.WANT_*`` bits."""
        return pooled_limits(self.pooled, want)

    def outer_percentiles(self, percents, is_positive_only):
        """Two percentiles for color limits; see `pooled_percentiles`."""
        return pooled_percentiles(self.pooled, "float64" if self.is_computed else self.dtype, percents, is_positive_only)

    def has_any(self, kinds):
        """Whether there is an element of any of these kinds, ``HAS_*`` bits."""
        return any(_native.find(plane, kinds) >= 0 for plane in self.pooled)

    def percentiles(self, percents, n, low, high):
        """Percentiles of the finite elements, of which there are `n` from `low` to `high`."""
        return percentiles_of_planes(self.pooled, percents, n, low, high, "float64" if self.is_computed else self.dtype)


# No elements at all.
NOTHING = Elements([], [], "float64", True, tuple)


def all_elements(tensor, dtype, spans, component="value"):
    """The `Elements` of a borrowed tensor that lie in `spans`, a range for each axis, none of them empty."""
    covers = [cover(tensor, spans, range(len(spans)), is_ordered) for is_ordered in (True, False)]
    return elements_at(tensor, dtype, covers, component, {})


def elements_at(tensor, dtype, covers, component, fixed):
    """The `Elements` of two covers, (ordered, unordered), with the axes outside of these at the indices in `fixed`."""
    ordered, pooled = covers
    planes = list(ordered.planes(tensor, component, fixed))
    return Elements(
        [(plane, functools.partial(ordered.rank, outer=outer)) for plane, outer in planes],
        [plane for plane, _ in (planes if len(planes) == 1 else pooled.planes(tensor, component, fixed))], dtype, component != "value",
        functools.partial(ordered.index, fixed=fixed))
