"""LinesImage: the matplotlib artist that shows the density of any number of lines, counted again for every view."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.lines import Line2D

from ...options import bare
from ...plane.chunks.chunked_lines import line_set
from ...plane.lines import LineAxis, Lines
from ..axis_units import has_converter
from ..data_limits import request_limits
from ..lines.line_groups import check_x, line_set_of
from ..lines.line_values import read_source
from ..undo import units_undone_on_failure
from .density_image import DensityImage
from .spread import spread, spread_of_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ... import typing as t

# Knots of an axis that is not linear (data value, pixel): 4 per pixel in the view, one per pixel in the 500 pixels beside it, then
# at distances that grow by 0.2 % each, up to 1e7 pixels away; what is farther lies there.
KNOTS_PER_PIXEL, NEAR_KNOTS, KNOT_GROWTH, FARTHEST_KNOT = 4, 500, 1.002, 1e7


@bare
class LinesImage(DensityImage):
    """Lines in an Axes as counts, of how many pass each device pixel; ``gpuplot.plot(..., density=True)`` makes it.

    Every draw counts the lines of the visible range at the renderer's size in pixels. The tensors stay where they are.

    Parameters
    ----------
    ax : Axes
    lines : Lines
    normalize : bool
        Whether a line adds 1 to each column of pixels, in equal shares to those that it passes.
    spread : int or "auto"
        How many pixels a line reaches beyond its own; "auto" is 0 below 200 dots per inch, 1 below 400, and so on.
    stream : int or object, optional
        The CUDA stream on which tensors that `update` gets are written.
    **properties
        As for `matplotlib.image.AxesImage`.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> walks = np.random.default_rng(0).normal(size=(500, 1000)).cumsum(1)
    >>> image = gpuplot.plot(walks, x=1, density=True)
    >>> walks *= 2
    >>> image.update()                     # reads them again
    """

    _noun = ("line", "lines")
    zorder = Line2D.zorder

    points: Lines | None
    normalize: bool
    stream: t.Stream | None
    _quantities = ()

    def __init__(self, ax: Axes, lines: Lines, *, normalize: bool = False, spread: int | Literal["auto"] = "auto",
                 stream: t.Stream | None = None, **properties: Any) -> None:
        self.normalize, self.stream = normalize, stream
        super().__init__(ax, lines, agg="share" if normalize else "count", spread=spread, **properties)

    def __getattr__(self, name):
        if hasattr(Line2D, name):
            raise AttributeError(f"lines drawn as their density have no {name}, which single lines have: leave density out to draw these")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    @property
    def n_lines(self) -> int:
        """Number of lines."""
        return 0 if self.points is None else self.points.n_lines

    def update(self, y: t.TensorLike | dict[str, Any] | None = None) -> Any:
        """Reads the tensors again, or shows another y of the same shape over the same x; limits of colors are found anew.

        Parameters
        ----------
        y : array_like or dict, optional
            A dict is what `matplotlib.artist.Artist.update` takes: properties to set.
        """
        if isinstance(y, dict):
            return super().update(y)
        self._check_points()
        with units_undone_on_failure(self.axes):
            self._replace(self.points.read_again() if y is None else self.points.with_y(read_source(y, self.axes.yaxis, self.stream)))
        if y is not None and self._quantities:
            self._keep_quantities([(self._quantities[0][0], y)])
        return None

    def set_offsets(self, offsets: Any) -> None:
        """Refused: offsets are of points."""
        raise ValueError("lines have no offsets: call set_data(x, y)")

    def set_data(self, x: Any, y: Any = None, A: Any = None) -> None:
        """Shows other lines; limits of the Axes stay.

        Parameters
        ----------
        x : array_like or None
            As many numbers as a line of `y` has samples, an array of the shape of `y`, or None for 0, 1, 2, ....
        y : array_like
            Samples follow each other along the same axis as before.
        A : None
            Of images alone, which have this method too.
        """
        if y is None or A is not None:
            raise ValueError("lines have no array of their own: give x, which may be None, and y")
        self._check_points()
        if len(self.points.sets) != 1:
            raise ValueError(f"these are the lines of {len(self.points.sets)} tensors, and x and y are those of one: plot them again")
        with units_undone_on_failure(self.axes):
            self._replace(self._read_lines(x, y))
        self._keep_quantities([(x, y)])

    def _read_lines(self, x, y):
        """Other `Lines`, whose samples follow each other along the same axis of y as before."""
        xs = None if x is None else read_source(x, self.axes.xaxis, self.stream, "x")
        ys = read_source(y, self.axes.yaxis, self.stream, "y")
        axis = self.points.sets[0].axis
        if axis >= max(ys.ndim, 1):
            raise ValueError(f"y has shape {ys.shape}, and samples of these lines follow each other along axis {axis}, which it lacks")
        check_x(xs, ys, ys.shape[axis] if ys.ndim else 1)
        return Lines((line_set(ys, axis, xs),))

    # ---- units -----------------------------------------------------------------------------------------------------------

    def _keep_quantities(self, groups):
        """Keeps (x or None, y) of each set of lines, where one has a unit, to read them again when an axis takes another one."""
        was_kept, has_units = bool(self._quantities), any(has_converter(values) for group in groups for values in group)
        self._quantities = tuple(groups) if has_units else ()
        if has_units and not was_kept:
            for axis in (self.axes.xaxis, self.axes.yaxis):
                axis.callbacks.connect("units", self._read_in_units)

    def _read_in_units(self):
        """Called when an axis has another unit: the lines and the limits of the Axes follow, as those of `Line2D` do."""
        if not self._quantities or self.points is None or self.axes is None:
            return
        along = [line_set.axis for line_set in self.points.sets]
        found = [line_set_of(x, y, self.axes, axis, self.stream)[0] for (x, y), axis in zip(self._quantities, along, strict=True)]
        self._replace(Lines(tuple(found)))
        self.axes.relim()
        request_limits(self.axes)

    def freeze(self) -> None:
        # docstring inherited
        super().freeze()
        self._quantities = ()

    def remove(self) -> None:
        # docstring inherited
        super().remove()
        self._quantities = ()

    def __getstate__(self):
        return super().__getstate__() | {"_quantities": ()}

    def _make_legend_entry(self, color, size):
        return self.axes.add_line(Line2D([], [], color=color, label=self.get_label()))

    # ---- cells -----------------------------------------------------------------------------------------------------------

    def _axes_of_cells(self, box):
        axes, is_falling = super()._axes_of_cells(box)
        scales = self.axes.xaxis.get_transform(), self.axes.yaxis.get_transform()
        return tuple(map(_line_axis, axes, scales, self._ranges)), is_falling

    def _auto_spread(self, dpi):
        return spread_of_lines(dpi)

    def _reduce(self, columns, rows, is_turned, n_pixels):
        cells = self.points.cells(columns, rows, self.normalize)
        return spread(cells, n_pixels, self.agg, is_turned), None, 0


def _line_axis(axis, scale, limits):
    """The LineAxis of a PointAxis. If that has edges they become knots, with others beyond the view up to the data's `limits`."""
    if axis.edges is None:
        return LineAxis(axis.first, axis.last, axis.n_cells)
    n_cells, edges = axis.n_cells, axis.edges
    first, last = scale.transform(edges[[0, -1]])
    step = (last - first) / n_cells
    with np.errstate(all="ignore"):
        ends = (scale.transform(np.array(limits)) - first) / step
        inside = np.arange(n_cells * KNOTS_PER_PIXEL + 1) / KNOTS_PER_PIXEL
        places = np.concatenate([-_distances(-ends[0])[::-1], inside, n_cells + _distances(ends[1] - n_cells)])
        values = scale.inverted().transform(first + step * places)
    values[(places >= 0) & (places <= n_cells) & (places % 1 == 0)] = edges
    values, places = values[np.isfinite(values)], places[np.isfinite(values)]
    is_kept = np.append(values[:-1] < np.minimum.accumulate(values[:0:-1])[::-1], True)  # rounding may let some fall
    values, places = values[is_kept], places[is_kept]
    found = LineAxis(0.0, 0.0, n_cells, values=values, places=places)
    if not math.isfinite(ends[0]):  # the scale has no place for the smallest number
        found = found._replace(low=float(values[0]))
    if not math.isfinite(ends[1]):
        found = found._replace(high=float(values[-1]))
    return found


def _distances(far):
    """Distances of knots from the view, in pixels, up to `far`; NaN stands for FARTHEST_KNOT."""
    far = min(far, FARTHEST_KNOT) if far == far else FARTHEST_KNOT
    if far <= 0:
        return np.empty(0)
    n_far = math.ceil(math.log(max(far / NEAR_KNOTS, 1.0)) / math.log(KNOT_GROWTH))
    near = np.arange(1.0, min(math.ceil(far), NEAR_KNOTS) + 1)
    return np.concatenate([near, NEAR_KNOTS * KNOT_GROWTH ** np.arange(1, n_far + 1)])
