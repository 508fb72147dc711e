"""DensityImage: the matplotlib artist that shows the density of points or of lines, aggregated again for every view."""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib.artist as martist
import numpy as np
from matplotlib.colors import CenteredNorm, LogNorm, TwoSlopeNorm
from matplotlib.image import AxesImage
from matplotlib.legend import Legend

from ...color.color_limits import EXTENDS, completed, has_limits, put_limits
from ...color.style import MarkColors, shade
from ...options import bare, like
from ...plane.frame import is_empty
from ...plane.points import PointAxis
from ..figures import is_for_layout, root_figure
from ..images import draw
from ..images.geometry import round_box
from ..images.ranks import rank_cells
from ..images.scaled_image import ScaledImage, limit_pair
from .density_legend import DensityHandler, LegendEntries, occupied_blocks
from .density_lifetime import DensityKeeper
from .density_limits import COUNTS, usual_limits
from .density_style import check_log_limits, match_colorbar, ramp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ... import typing as t
    from ...plane.lines import Lines
    from ...plane.points import Points
    from .point_classes import PointClasses

# Where a logarithmic axis begins whose limit is not positive.
SMALLEST = math.ulp(0.0)

# The base class's drawing without its wrapper, which must not be applied twice.
_draw_image = inspect.unwrap(AxesImage.draw)


class FoundLimits(NamedTuple):
    """Color limits that were found in cells."""

    norm: Any  # Normalize
    limits: tuple[float, float]  # its vmin and vmax
    cells_key: tuple | None  # the `_cells_key` of these cells; None where limits are to be found anew
    given: tuple[float | None, float | None]  # the caller's vmin and vmax, None for those that were found

    def are_in_force(self, norm):
        """Whether `norm` has them, and the caller has not set others."""
        return norm is self.norm and has_limits(norm, self.limits)


@bare
class DensityImage(DensityKeeper, ScaledImage):
    """Points or lines in an Axes as cells, one for each device pixel: the base of `PointsImage` and `LinesImage`.

    Every draw asks for the visible range at the renderer's size in pixels. The coordinates stay where they are. Subclasses have
    `_reduce`, which makes the cells, `_auto_spread`, and `_count` where `agg` may be of values.

    Parameters
    ----------
    ax : Axes
    points : Points or Lines
    agg : str
        Of what is in a pixel; one of `COUNTS`, or of the values of points.
    nan : {"show", "skip"}, optional
        Whether a value that is not finite marks its pixel.
    spread : int or "auto"
        How many pixels a point or a line reaches beyond its own.
    marks : MarkColors, optional
    **properties
        As for `matplotlib.image.AxesImage`.
    """

    # Singular and plural of what is aggregated, for errors and the text under the pointer.
    _noun: tuple[str, str]

    points: Points | Lines | None
    agg: t.Agg
    n_outside: int
    classes: PointClasses | None = None

    def __init__(self, ax: Axes, points: Points | Lines, *, agg: str, spread: int | str, nan: str = "show",
                 marks: MarkColors | None = None, **properties: Any) -> None:
        self.points, self.agg, self._nan, self._spread = points, agg, nan, spread
        self._frozen, self._is_drawing = None, False
        self._legend = LegendEntries(self)
        self._marks = MarkColors() if marks is None else marks
        self._cells_place = self._found = None
        self._forget_cells()
        self.n_outside = 0
        super().__init__(ax, origin="lower", interpolation="nearest", **properties)
        self._ranges = points.ranges()  # which may read all points, and is left for last: a wrong property must not cost that
        self._own_norm = self.norm

    # ---- where -----------------------------------------------------------------------------------------------------------

    def get_extent(self) -> tuple[float, float, float, float]:
        """Smallest and largest x, smallest and largest y of all points; NaN where there are none."""
        return tuple(float(end) for limits in self._ranges for end in limits)

    def set_extent(self, extent: Any, **keywords: Any) -> None:
        """Refused, as the coordinates of the points are the extent."""
        raise ValueError(f"the extent of {self._noun[1]} is that of their coordinates: set the limits of the Axes")

    @like(AxesImage.set_transform)
    def set_transform(self, t):
        """Refused but for that of the Axes' data coordinates, which are those of the pixels' edges."""
        if t is not None and t is not self.axes.transData:
            raise ValueError(f"a density counts {self._noun[1]} in the data coordinates of the Axes, and has no transform of its own: "
                             "transform the coordinates, or give density=False")
        super().set_transform(self.axes.transData)

    @like(AxesImage.get_window_extent)
    def get_window_extent(self, renderer=None):
        """The box of the Axes, as the image covers all of it."""
        return self.axes.get_window_extent(renderer)

    @like(AxesImage.get_shape)
    def get_shape(self):
        return (1, 1) if self._cells is None else self._cells.shape

    @property
    def _A(self):
        """The cells of the last draw; one masked element before and during a draw, where matplotlib asks only for the size."""
        is_unasked = self._is_drawing or self._cells is None
        return np.ma.masked_all((1, 1)) if is_unasked else np.ma.masked_invalid(self._cells.numpy())

    @_A.setter
    def _A(self, array):
        if array is not None:
            raise ValueError(f"{self._noun[1]} have no array of their own: call set_data with other coordinates")

    def _replace(self, points):
        """Shows other `Points` or `Lines`; limits of colors are found anew."""
        ranges = points.ranges()
        self.points, self._ranges = points, ranges
        self._frozen = None
        self._forget_cells()
        if self._found is not None:
            self._found = self._found._replace(cells_key=None)
        self.stale = True

    # ---- cells -----------------------------------------------------------------------------------------------------------

    def _axes_of_cells(self, box):
        """The columns, rows and directions for `_reduce`; lines need other axes than `_pixel_axes`."""
        return self._pixel_axes(box)

    def _pixel_axes(self, box):
        """((columns, rows) of device pixels as `PointAxis`, (whether x falls to the right, whether y falls to the top)).

        They divide the view, whose ends lie up to half a pixel beyond the edges of the pixels: a point on a limit of the Axes is seen.
        """
        ax = self.axes
        sides = ((ax.xaxis, ax.bbox.intervalx, ax.viewLim.intervalx), (ax.yaxis, ax.bbox.intervaly, ax.viewLim.intervaly))
        found = []
        for i, (axis, places, view) in enumerate(sides):
            n_cells = box[i + 2] - box[i]
            if axis.get_transform().is_affine:
                found.append(_whole_axis(view, n_cells))
            else:
                limits = axis._scale.limit_range_for_scale(*sorted(view), SMALLEST)
                found.append(_axis_of(ax.transData, i, *places, n_cells, limits))
        (columns, is_x_falling), (rows, is_y_falling) = found
        return (columns, rows), (is_x_falling, is_y_falling)

    def _find_cells(self, magnification):
        """(cells of all device pixels of the Axes, their box); cells are None where nothing can be seen."""
        box = round_box(self.axes.bbox.extents, magnification)
        if box is None or not _is_view_placed(self.axes) or (self.points is None and self._frozen is None):
            return None, box
        (columns, rows), is_falling = self._axes_of_cells(box)
        has_counts = self.agg not in COUNTS and self.get_alpha() is not None
        n_pixels = self._auto_spread(root_figure(self).dpi * magnification) if self._spread == "auto" else self._spread
        key = _hashable(columns), _hashable(rows), self.agg, self._nan, n_pixels, is_falling, has_counts
        if key != self._cells_key:
            if self._frozen is None:
                is_x_falling, is_y_falling = is_falling
                is_turned = is_y_falling, is_x_falling  # the rows, the columns
                self._cells, self._class_colors, self.n_outside = self._reduce(columns, rows, is_turned, n_pixels)
                self._counts = self._count(columns, rows, is_turned, n_pixels) if has_counts else None
            else:
                axes, _ = self._pixel_axes(box)
                self._cells, self._class_colors, self._counts = self._frozen.cells(*axes, is_falling)
            self._cells_key, self._cells_place = key, (box, magnification)
        return self._cells, box

    def _fill_limits(self):
        """Sets limits of the norm that the caller did not set, from the pixels that have points, without a few hot ones."""
        norm, found = self.norm, self._found
        if found is not None and not found.are_in_force(norm):
            found = self._found = None
        if norm.scaled() and (found is None or found.cells_key == self._cells_key):
            return
        given = (norm.vmin, norm.vmax) if found is None else found.given
        usual = usual_limits(self._cells, self.agg, type(norm) is LogNorm)
        limits = completed(given, usual.ends)
        with norm.callbacks.blocked(signal="changed"):
            if isinstance(norm, (CenteredNorm, TwoSlopeNorm)):  # which find them around their center
                put_limits(norm, *given)
                norm.autoscale_None(np.array(usual.ends))
            else:
                norm.vmin, norm.vmax = limits
            if norm is self._own_norm:  # for a colorbar that is made later
                is_below = usual.smallest < limits[0] and self.agg not in COUNTS
                norm.extend = EXTENDS[is_below, usual.largest > limits[1]]
        self._found = FoundLimits(norm, (norm.vmin, norm.vmax), self._cells_key, given)
        norm.callbacks.process("changed")

    def _cells_ahead(self):
        return self._find_cells(1.0)[0]

    def _find_limits_ahead(self, magnification):
        """Sets limits and ranks to those of the next draw."""
        cells = self._find_cells(magnification)[0]
        if cells is not None:
            self._fit_norm(cells)

    def _fit_norm(self, cells):
        self._fill_limits()
        rank_cells(self, cells)

    # ---- drawing ---------------------------------------------------------------------------------------------------------

    @like(AxesImage.draw)
    @martist.allow_rasterization
    def draw(self, renderer):
        # docstring inherited
        self._is_drawing = True
        try:
            _draw_image(self, renderer)
        finally:
            self._is_drawing = False
        if self.colorbar is not None:
            match_colorbar(self.colorbar, self.get_alpha(), self.agg in COUNTS)

    @like(AxesImage.make_image)
    def make_image(self, renderer, magnification=1.0, unsampled=False):
        # docstring inherited
        if is_for_layout(renderer):
            return draw.NOTHING
        cells, box = self._find_cells(magnification)
        if cells is None:
            return draw.NOTHING
        self._fit_norm(cells)
        alpha = None if self.get_alpha() is None else float(self.get_alpha())
        opacities = None if alpha is None else self._opacities(cells, alpha)
        rgba = shade(cells, self.norm, self.cmap, self._marks, alpha if opacities is None else None)
        if opacities is not None:
            rgba[..., 3] = rgba[..., 3] * opacities
        if self._class_colors is not None:
            rgba[..., :3] = self._class_colors
        return draw.placed(rgba, box, magnification)

    def _opacities(self, cells, alpha):
        """The opacity of each pixel by its points, from `alpha` to 1; None where they were not counted."""
        if self.agg in COUNTS:
            return ramp(self.norm, cells.numpy(), alpha)
        return None if self._counts is None else ramp(LogNorm(*usual_limits(self._counts, "count").ends), self._counts.numpy(), alpha)

    @like(AxesImage.set_alpha)
    def set_alpha(self, alpha):
        """Sets the opacity of the pixels with the fewest points or lines; one number or None."""
        if np.ndim(alpha):
            raise ValueError(f"{self._noun[1]} drawn as their density have no opacities of their own: give one alpha, or None")
        super().set_alpha(alpha)

    def set_clim(self, vmin: float | tuple[float, float] | None = None, vmax: float | None = None) -> None:
        """Sets the color limits, which stay from then on: `matplotlib.cm.ScalarMappable.set_clim`."""
        pair = limit_pair(vmin, vmax)
        check_log_limits(self.norm, *pair, "call set_norm('linear') of the density before")
        self._check_pair(pair)
        super().set_clim(*pair)

    def autoscale(self) -> None:
        """Sets the color limits from the pixels of the present view."""
        put_limits(self.norm)
        self.autoscale_None()

    def autoscale_None(self) -> None:
        """Sets the color limits that are not set yet, from the pixels of the present view."""
        if self._find_cells(1.0)[0] is not None:
            self._fill_limits()

    def legend_elements(self, **properties: Any) -> tuple[list[Any], list[str]]:
        """Handles and texts of the classes of the points, as `matplotlib.collections.PathCollection.legend_elements` gives them.

        Parameters
        ----------
        **properties
            Of the handles, which are `matplotlib.lines.Line2D`.

        Raises
        ------
        ValueError
            The points have no classes; a colorbar says what their colors are.
        """
        if self.classes is None:
            raise ValueError(f"these {self._noun[1]} have no classes, whose names a legend could have: draw a colorbar, or give "
                             "points categorical=True")
        return self.classes.legend_elements(**properties)

    def changed(self) -> None:
        """Called by matplotlib after a change of the norm or the colormap, which the label's entry in legends follows."""
        self._legend.follow_cmap()
        super().changed()

    def _occupied_places(self):
        """Places in display units where the last draw had points, (n, 2)."""
        return np.empty((0, 2)) if self._cells is None else occupied_blocks(self._cells.numpy(), *self._cells_place)

    def _make_legend_entry(self, color, size):
        """Adds an empty scatter of this color with the image's label, for legends."""
        return self.axes.scatter([], [], size, color=[color], label=self.get_label())

    @like(AxesImage.set_label)
    def set_label(self, s):
        super().set_label(s)
        if "_legend" in self.__dict__:
            self._legend.follow_label()

    def remove(self) -> None:
        """Takes the image out of its Axes, and lets go of the tensors."""
        self._legend.remove()
        super().remove()

    # ---- pointer ---------------------------------------------------------------------------------------------------------

    @like(AxesImage.contains)
    def contains(self, mouseevent):
        """Whether a pixel that is not empty is under the pointer: between the points it is on what lies below them."""
        if self._different_canvas(mouseevent) or not self.axes.contains(mouseevent)[0]:
            return False, {}
        return self.get_cursor_data(mouseevent) is not None, {}

    @like(AxesImage.get_cursor_data)
    def get_cursor_data(self, event):
        """The value of the pixel under the pointer, None where it has no point."""
        cells, box = self._find_cells(1.0)
        if cells is None:
            return None
        row, col = int(event.y - box[1]), int(event.x - box[0])
        if not (0 <= row < cells.shape[0] and 0 <= col < cells.shape[1]):
            return None
        value = cells.numpy()[row, col]
        return None if is_empty(value) else float(value)

    @like(AxesImage.format_cursor_data)
    def format_cursor_data(self, data):
        if self.agg == "count":
            return f"[{data:.0f} {self._noun[data != 1]}]"
        if self.agg == "share":
            text = f"{data:.4g}"
            return f"[{text} {self._noun[text != '1']}]"
        return f"[{self.agg} {data:.6g}]"


def _is_view_placed(ax):
    """Whether the limits of the Axes have places on the display, apart from each other; not so where a scale has none for them."""
    ends = ax.transData.transform(ax.viewLim.get_points())
    return bool(np.isfinite(ends).all() and (ends[0] != ends[1]).all())


def _hashable(axis):
    return tuple(part.tobytes() if isinstance(part, np.ndarray) else part for part in axis)


def _whole_axis(view, n_cells):
    """`_axis_of` of a linear axis with these limits."""
    return PointAxis(float(min(view)), float(max(view)), n_cells), view[0] > view[1]


def _axis_of(transform, which, first, last, n_cells, limits):
    """(PointAxis of the n pixels from display coordinate `first` to `last`, whether the data coordinate falls along them).

    Its ends are the exact `limits`, (low, high). Pixels that float64 does not tell apart, in a deep zoom or where a scale has no place,
    have no width, and therefore no points.
    """
    places = np.linspace(first, last, n_cells + 1)
    display = np.zeros((places.size, 2))
    display[:, which] = places
    other = transform.inverted().transform(display)[:, which]
    is_falling = other[0] > other[-1]
    edges = np.clip(other[::-1] if is_falling else other, *limits)
    edges[[0, -1]] = limits
    edges = np.fmax.accumulate(edges)  # a number that overflows is NaN
    return PointAxis(float(edges[0]), float(edges[-1]), n_cells, edges), is_falling


Legend.update_default_handler_map({DensityImage: DensityHandler()})
