"""ViewState: an item, settings that fit it, and the planes that they show."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...arrays.source import Source
from ...cached import cached_property
from ...plane.aggs import AGGS, OTHER_UNITS
from ...plane.coordinates import PictureLabels, axis_edges, rows_rise
from ...plane.picture_size import is_long
from ...plane.pooled_limits import fixed_axes
from ...plane.slice_text import places_text
from .facets import Facets

# Longer axes have no coordinates on their rulers.
MAX_POSITIONS = 100_000


@dataclass(frozen=True, eq=False)
class ViewState:
    """The shown item, its settings and planes. Immutable: other settings make another one."""

    item: object  # Item or Difference
    settings: object  # Settings
    facets: Facets
    planes: tuple  # one for each facet, row by row

    @classmethod
    def of(cls, item, settings):
        """The ViewState of an item and settings; ValueError if they do not fit. Reads no element."""
        roles, mode = settings.roles, item.complex_mode(settings.complex_mode)
        facets = Facets.of(roles)
        planes = tuple(item.plane(roles.view(item.source.dtype, mode, index), settings.nan) for index in facets.indices(roles))
        return cls(item, settings.within(planes[0].shape) if planes else settings, facets, planes)

    @property
    def source(self):
        return self.item.source

    @property
    def view(self):
        """The View of the first facet; others differ in the index."""
        return self.planes[0].view

    @cached_property
    def labels(self):
        """For "rows" and "cols": (axis labels of the tensor or None, outer edges of its coordinates or None).

        Edges are None for uneven coordinates, and for more than MAX_POSITIONS.
        """
        labels = None if self.kind == "text" or self.source.labels is None else PictureLabels.of(self.source, self.view)
        axes = {role: getattr(labels, role, None) for role in ("rows", "cols")}
        return {role: (axis, _edges(axis)) for role, axis in axes.items()}

    @property
    def slice_text(self):
        """The index of the axes that are not shown: ``"head = 5, time = 2026-04-01"``; "" for none."""
        roles = self.settings.roles
        return places_text(self.source, self.view, left_out=(roles.rows, roles.columns))

    @property
    def shape(self):
        """Rows and columns of each plane."""
        return self.view.shape

    @property
    def n_tiles(self):
        """Pictures of a frame: planes, and empty tiles that fill the last row."""
        return max(len(self.planes), math.prod(self.facets.grid))

    @property
    def aspect(self):
        """"equal" or "auto"."""
        is_square = self.view.is_rgb or not is_long(self.shape)
        return self.settings.aspect or ("equal" if is_square else "auto")

    @property
    def origin(self):
        """"lower" (row 0 at the bottom) if coordinates of rows rise, else "upper"."""
        axis, edges = self.labels["rows"]
        return "lower" if self.kind == "image" and axis is not None and rows_rise(axis, edges) else "upper"

    @property
    def kind(self):
        """"image", "line" or "text"."""
        if self.source.ndim == 0 or self.source.size == 0:
            return "text"
        return "line" if self.source.ndim == 1 and not self.view.is_rgb else "image"

    @property
    def is_computed(self):
        """Whether elements are computed, as those of a difference."""
        return not isinstance(self.source, Source)

    @property
    def aggs(self):
        """Aggregations that fit the plane."""
        if self.view.is_rgb:
            return ("mean", "nearest")
        if self.view.complex_mode == "phase":
            return tuple(agg for agg in AGGS if agg not in OTHER_UNITS)
        return self.item.aggs

    def stacked_axes(self, region):
        """``{axis: range}`` of the fixed axes whose elements a region has: those of facets; for "all", every one."""
        fixed = fixed_axes(self.source, self.view)
        if region == "all":
            return fixed
        counts = dict(zip((self.settings.roles.rows, self.settings.roles.columns), self.facets.counts, strict=True))
        return {axis: range(count) for axis, count in counts.items() if axis in fixed}

    @property
    def elements(self):
        """A key that is equal for two ViewStates of the same elements, whatever their colors."""
        return tuple(plane.key for plane in self.planes)


def _edges(axis):
    positions = None if axis is None else axis.positions
    return axis_edges(axis) if positions is not None and 0 < len(positions) <= MAX_POSITIONS else None
