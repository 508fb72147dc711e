"""What is on show: one item, the settings for it, and the planes that follow."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...arrays.source import Source
from ...cached import cached_property
from ...plane.coordinates import PictureLabels, outer_edges, points_up
from ...plane.pooled_limits import fixed_axes
from ...plane.reduce import AGGS, OTHER_UNITS
from ...plane.slice_text import places_text
from .facets import Facets, is_long

__all__ = ["MAX_POSITIONS", "ViewState"]

# Coordinates that are looked at to see whether they are even.
MAX_POSITIONS = 100_000


@dataclass(frozen=True, eq=False)
class ViewState:
    """An item under settings that have a meaning for it; other choices make another one.

    Attributes
    ----------
    item : Item or Difference
    settings : Settings
    facets : Facets
    planes : tuple
        One for each facet, row by row.
    """

    item: object
    settings: object
    facets: Facets
    planes: tuple

    @classmethod
    def of(cls, item, settings):
        """Raises ValueError for choices that have no meaning for the item; reads no element."""
        roles, mode = settings.roles, item.complex_mode(settings.complex_mode)
        facets = Facets.of(roles)
        planes = tuple(item.plane(roles.view(item.source.dtype, mode, place), settings.nan) for place in facets.places(roles))
        return cls(item, settings.within(planes[0].shape) if planes else settings, facets, planes)

    @property
    def source(self):
        return self.item.source

    @property
    def view(self):
        """Of the first facet; the others differ in an index alone."""
        return self.planes[0].view

    @cached_property
    def labels(self):
        """Of "rows" and "cols": (what the tensor says about that axis of the planes, the edges of its coordinates where even).

        None for nothing, and for the edges of very many coordinates, which nobody looks through.
        """
        said = None if self.kind == "text" or self.source.labels is None else PictureLabels.of(self.source, self.view)
        axes = {role: getattr(said, role, None) for role in ("rows", "cols")}
        return {role: (axis, _edges(axis)) for role, axis in axes.items()}

    @property
    def slice_text(self):
        """Where the planes are along the axes that are not seen: ``"head = 5, time = 2026-04-01"``; "" where there are none."""
        roles = self.settings.roles
        return places_text(self.source, self.view, left_out=(roles.rows, roles.columns))

    @property
    def shape(self):
        """Rows and columns of each plane."""
        return self.view.shape

    @property
    def n_tiles(self):
        """How many pictures a frame has: one for each plane, and empty ones at the end of the last row of facets."""
        return max(len(self.planes), math.prod(self.facets.grid))

    @property
    def aspect(self):
        """"equal" or "auto"."""
        is_square = self.view.is_rgb or not is_long(self.shape)
        return self.settings.aspect or ("equal" if is_square else "auto")

    @property
    def origin(self):
        """"lower" where row 0 is at the bottom, as coordinates of rows that rise have it, else "upper"."""
        axis, edges = self.labels["rows"]
        return "lower" if self.kind == "image" and axis is not None and points_up(axis, edges) else "upper"

    @property
    def kind(self):
        """"image", "line" or "text"."""
        if self.source.ndim == 0 or self.source.size == 0:
            return "text"
        return "line" if self.source.ndim == 1 and not self.view.is_rgb else "image"

    @property
    def is_computed(self):
        """Whether there is no tensor that holds the elements."""
        return not isinstance(self.source, Source)

    @property
    def aggs(self):
        """Aggregations that have a meaning."""
        if self.view.is_rgb:
            return ("mean", "nearest")
        if self.view.complex_mode == "phase":
            return tuple(agg for agg in AGGS if agg not in OTHER_UNITS)
        return self.item.aggs

    def stacked_axes(self, region):
        """``{axis: range}`` of the axes that stand at an index in a plane and along which others count too.

        Those of the facets that are shown; in region "all" every axis that is fixed.
        """
        fixed = fixed_axes(self.source, self.view)
        if region == "all":
            return fixed
        counts = dict(zip((self.settings.roles.rows, self.settings.roles.columns), self.facets.counts, strict=True))
        return {axis: range(count) for axis, count in counts.items() if axis in fixed}

    @property
    def elements(self):
        """Equal for two that show the same elements, however these are coloured."""
        return tuple(plane.key for plane in self.planes)


def _edges(axis):
    positions = None if axis is None else axis.positions
    return outer_edges(positions) if positions is not None and 0 < len(positions) <= MAX_POSITIONS else None
