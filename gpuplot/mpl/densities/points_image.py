"""PointsImage: the matplotlib artist that shows the density of any number of points, aggregated again for every view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import PathCollection

from ...arrays.describe import describe
from ...errors import type_text
from ...options import bare
from ...plane.points import Points
from ..axis_units import describe_in_units
from ..undo import units_undone_on_failure
from .density_image import DensityImage
from .point_sources import check_sizes, in_one_order, real_source
from .spread import AutoSpread, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .point_classes import PointClasses


@bare
class PointsImage(DensityImage):
    """Points in an Axes as cells, one for each device pixel; `gpuplot.scatter` makes it.

    Every draw asks for the visible range at the renderer's size in pixels. The coordinates stay where they are.

    Parameters
    ----------
    ax : Axes
    points : Points
    agg : str
        Of the values of the points in a pixel; "count" counts points.
    nan : {"show", "skip"}
        Whether a value that is not finite marks its pixel.
    spread : int or "auto"
        How many pixels a point reaches beyond its own; "auto" is as many as make lone points visible.
    classes : PointClasses, optional
        What the values of the points are: the color of a pixel is then the mean of those of its classes, its opacity follows
        from the number of points.
    marks : MarkColors, optional
    **properties
        As for `matplotlib.image.AxesImage`.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> points = gpuplot.scatter(*np.random.default_rng(0).normal(size=(2, 100_000)))
    >>> points.update()                    # reads the coordinates again
    >>> points.set_data(*np.random.default_rng(1).normal(size=(2, 50_000)))
    """

    _noun = ("point", "points")

    # That of matplotlib's markers; images lie below everything.
    zorder = 1

    points: Points | None

    def __init__(self, ax: Axes, points: Points, *, agg: str = "count", spread: int | str = "auto",
                 classes: PointClasses | None = None, **properties: Any) -> None:
        self.classes = classes
        super().__init__(ax, points, agg=agg, spread=spread, **properties)

    def __getattr__(self, name):
        if hasattr(PathCollection, name):
            raise AttributeError(f"points drawn as their density have no {name}, which markers have: density=False draws all of them as "
                                 "markers, matplotlib's own")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def set_data(self, x: Any, y: Any = None, A: Any = None) -> None:
        """Shows other points; limits of the Axes stay.

        Parameters
        ----------
        x, y : array_like
        A : array_like, optional
            The values or class numbers of the points, where they have some. Default: those that they have.
        """
        if y is None:
            raise ValueError("points have no array of their own: give x and y, and as a third one their values, if they have some")
        self._check_points()
        with units_undone_on_failure(self.axes):
            x, y = (real_source(describe_in_units(values, axis), axis.axis_name)
                    for values, axis in ((x, self.axes.xaxis), (y, self.axes.yaxis)))
            if A is not None and self.points.values is None:
                raise ValueError("these points have no values: draw them again, with c=")
            values = self.points.values if A is None else real_source(describe(A), "c")
            check_sizes(x, y, values)
            self._replace(Points(*in_one_order(x, y, values)))

    def set_offsets(self, offsets: Any) -> None:
        """Shows other points, as `PathCollection.set_offsets` does.

        Parameters
        ----------
        offsets : array_like, shape (N, 2)
            x and y of each.
        """
        offsets = offsets if hasattr(offsets, "shape") else np.asarray(offsets)
        if len(offsets.shape) != 2 or offsets.shape[1] != 2:
            raise ValueError(f"offsets have shape {tuple(offsets.shape)} and are x and y of each point, (N, 2)")
        self.set_data(offsets[:, 0], offsets[:, 1])

    def update(self, points: Any = None) -> Any:
        """Reads the coordinates again, or shows other `Points`; limits of colors are found anew.

        Parameters
        ----------
        points : Points or dict, optional
            A dict is what `matplotlib.artist.Artist.update` takes: properties to set.

        Raises
        ------
        TypeError
            Anything else; the image stays as it is.
        """
        if isinstance(points, dict):
            return super().update(points)
        if points is None:
            self._check_points()
            points = self.points.read_again()
        if not isinstance(points, Points):
            raise TypeError(f"update() reads the same points again; for others, not {type_text(type(points))}, call set_data(x, y)")
        self._replace(points)
        return None

    # ---- cells -----------------------------------------------------------------------------------------------------------

    def _auto_spread(self, dpi):
        """How far a point reaches at a resolution in pixels per inch: a number of pixels, or an AutoSpread."""
        return AutoSpread(dpi)

    def _reduce(self, columns, rows, is_turned, n_pixels):
        """(cells, colors of classes or None, number of points outside); `is_turned` are (rows, columns) to reverse."""
        if self.classes is not None:
            return self.classes.cells(self.points, columns, rows, n_pixels, is_turned)
        cells, n_outside = self.points.cells(columns, rows, self.agg, self._nan)
        return spread(cells, n_pixels, self.agg, is_turned), None, n_outside

    def _count(self, columns, rows, is_turned, n_pixels):
        """The number of points in each cell of values, which says how opaque it is."""
        counts, _ = Points(self.points.x, self.points.y).cells(columns, rows)
        return spread(counts, n_pixels, "count", is_turned)
