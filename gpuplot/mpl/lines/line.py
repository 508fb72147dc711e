"""TensorLine: a matplotlib line of any number of samples, drawn from at most four of them per pixel column.

Its public names are those that it declares, beside those of matplotlib.
"""

from __future__ import annotations

import contextlib
import inspect
from typing import TYPE_CHECKING, Any

import matplotlib.artist as martist
import numpy as np
from matplotlib.artist import Artist
from matplotlib.cbook import STEP_LOOKUP_MAP, _setattr_cm
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.transforms import Bbox, TransformedPath

from ...notices import warn
from ...options import bare, like
from ...plane.line_samples import LineData, LineSamples
from ...plane.series import MAX_COPIED_SAMPLES, Series
from ..axis_units import has_converter
from ..figures import is_for_layout
from ..property_values import check_at_draws
from ..undo import units_undone_on_failure
from .line_style import MAX_LONE_MARKERS, NO_MARKERS, has_lone_markers, marked_positions, style_of_samples
from .line_values import as_line_data, read_series
from .pixel_columns import column_edges
from .y_scales import shown_by, y_scale

if TYPE_CHECKING:
    from ... import typing as t

# The base class's drawing without its wrapper, which must not be applied twice.
_draw_line = inspect.unwrap(Line2D.draw)

# Lines of at most so many samples are drawn whole, as `Line2D` does: markers outside of a view may reach into it.
SHORT = 1000

# What the base class and `TensorLine` begin with where their data comes later: it is not read.
_LATER: list[float] = []

NO_SAMPLES = LineSamples(np.empty(0, np.int64), np.empty(0), np.empty(0), True, True)


@bare
class TensorLine(Line2D):
    """A line in an Axes whose samples stay where they are; `gpuplot.plot` makes it.

    Every draw finds the samples of the visible range of x that make a difference: in each column of device pixels the first, the
    last, the smallest and the largest, beside the neighbors outside of the view. Where no more samples than that are visible all are
    drawn, with their markers, and NaN do not count among the samples of a line with markers; of markers without a line all are. Either
    holds for up to 2**20 samples in view. A sample between two gaps is always marked. At most 2**20 samples are copied at the call, as
    matplotlib copies; more are borrowed, and read again for every other view. x is read once to learn its order.

    Samples that the scale of y cannot show, such as negative ones on a logarithmic scale with ``nonpositive="mask"``, are left out as
    NaN are: a column of pixels that has others, too, shows the smallest and the largest of these. The samples in view are then copied
    to the host, 2**20 at a time.

    Parameters
    ----------
    y : array_like, shape (n,)
    x : array_like, shape (n,), optional
        Default: 0, 1, 2, ....
    stream : int or object, optional
        On which tensors are written, as in `imshow`.
    **properties
        As for `matplotlib.lines.Line2D`.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> line, = gpuplot.plot(np.sin(np.arange(3e6) / 1e5))
    >>> line.length, len(line.get_xydata()) < 10_000
    (3000000, True)
    """

    stream: t.Stream | None
    _limits_path, _n_parts = None, 1

    def __init__(self, y: t.TensorLike, x: t.TensorLike | None = None, *, stream: t.Stream | None = None, **properties: Any) -> None:
        self.stream = stream
        self._given = self._series = (None, None)
        self._xorig = self._yorig = np.empty(0)
        self._forget_samples()
        super().__init__(_LATER, _LATER, **properties)
        self._show(None if x is None else self._read("x", x), self._read("y", y))

    @classmethod
    def _of_series(cls, series, pattern, stream):
        """A line of a `LineSeries` with the properties of `pattern`, a `Line2D` that is not used again."""
        line = cls.__new__(cls)
        line.__dict__.update(vars(pattern))
        line.stream, line._given = stream, (series.given_x, series.given_y)
        line._series = (series.data.x, series.data.y)
        line._renew()
        line._data = series.data
        return line

    # ---- the data ------------------------------------------------------------------------------------------------------

    @property
    def length(self) -> int:
        """Number of samples; where one of x and y has a single one, that of the other."""
        return max((series.length for series in self._series if series is not None), default=0)

    def set_data(self, *args: Any) -> None:
        """Shows other samples; limits of the Axes stay, as with any line.

        Parameters
        ----------
        *args : x, y or one pair of them
            Anything that `gpuplot.plot` takes, of one axis. An x of None is 0, 1, 2, ....
        """
        x, y = args[0] if len(args) == 1 else args
        with units_undone_on_failure(self.axes):
            self._show(None if x is None else self._read("x", x), self._read("y", y))

    def set_xdata(self, x: t.TensorLike | None) -> None:
        """Shows y over other x, as long as y when it is drawn, or over a single x; None is 0, 1, 2, ...."""
        self._show(None if x is None else self._read("x", x), (self._given[1], self._series[1]))

    def set_ydata(self, y: t.TensorLike) -> None:
        """Shows other y, as long as x when it is drawn, or a single one over every x."""
        self._show((self._given[0], self._series[0]), self._read("y", y))

    @like(Line2D.set_zorder)
    def set_zorder(self, level):
        # docstring inherited
        check_at_draws({"zorder": level})
        super().set_zorder(level)

    def update(self, y: t.TensorLike | dict[str, Any] | None = None) -> Any:
        """Reads x and y again, or shows another y over the same x.

        Parameters
        ----------
        y : array_like or dict, optional
            The new samples. A dict is what `matplotlib.artist.Artist.update` takes: properties to set.

        Raises
        ------
        ValueError
            Without `y` for at most 2**20 samples that were copied from a y of several axes, or for a line that was pickled: the line
            has the copy alone.

        Examples
        --------
        >>> losses[step] = loss                 # doctest: +SKIP
        >>> line.update()                       # doctest: +SKIP
        """
        if issubclass(type(y), dict):  # isinstance believes a mock's __class__
            return super().update(y)
        if y is not None:
            return self.set_ydata(y)
        series = self._series[1]
        if self._given[1] is None and series is not None and series.is_copied:
            raise ValueError("the line has a copy of its samples alone: pass the new ones, line.update(y)")
        self._read_again(lambda values: values is not None)
        return None

    def _read_again(self, is_read):
        """Reads x and y as they were handed over where ``is_read(values)``; the other is kept."""
        self._show(*(self._read(name, values) if is_read(values) else (values, series)
                     for name, values, series in zip("xy", self._given, self._series, strict=True)))

    def _read(self, name, values):
        """(object as given, its Series) of the values for x or y; the object is None for a Series, and both for `_LATER`."""
        if values is _LATER:
            return None, None
        if isinstance(values, Series):
            return None, values.kept()
        axis = None if self.axes is None else getattr(self.axes, f"{name}axis")
        with units_undone_on_failure(self.axes):
            return values, read_series(values, axis, self.stream, name).kept()

    def _show(self, x, y):
        (given_x, series_x), (given_y, series_y) = x or (None, None), y
        self._given, self._series = (given_x, given_y), (series_x, series_y)
        self._renew()

    def _renew(self):
        self._forget_samples()
        self._invalidx = self._invalidy = self.stale = True

    def _forget_samples(self):
        self._interpolation_steps()
        self._data = self._view_key = self._limits_path = None
        self._samples = NO_SAMPLES
        self._is_in_view = False

    def _line_data(self):
        """The LineData of x and y, checked here, not in the setters: x and y may be set one after the other."""
        if self._data is None:
            x, y = (series.repeated(self.length) if series is not None and series.length == 1 < self.length else series
                    for series in self._series)
            data = LineData(y, x)
            data.check_order()
            self._data = data
        return self._data

    @like(Line2D.get_xdata)
    def get_xdata(self, orig=True):
        """x as it was handed over, lists and columns of tables as arrays, or that of the samples drawn.

        Without one 0, 1, 2, ...: an array, or for more than 2**20 samples a range.

        Parameters
        ----------
        orig : bool
            False: float64, one for each of `get_xydata`.
        """
        if not orig:
            return super().get_xdata(orig=False)
        if self._series[0] is not None:
            return self._original(0)
        return (np.arange if self.length <= MAX_COPIED_SAMPLES else range)(self.length)

    @like(Line2D.get_ydata)
    def get_ydata(self, orig=True):
        """y as it was handed over, lists and columns of tables as arrays, or that of the samples drawn; of more axes a host copy.

        Parameters
        ----------
        orig : bool
            False: float64, one for each of `get_xydata`.
        """
        return self._original(1) if orig else super().get_ydata(orig=False)

    def _original(self, which):
        given, series = self._given[which], self._series[which]
        found = as_line_data(given)
        is_unread = given is None or (isinstance(found, (list, tuple)) and not has_converter(given))  # scalars of a GPU or with gradients
        return series.gather(0, series.length) if is_unread and series is not None else found

    # ---- the samples of a view -------------------------------------------------------------------------------------------

    @like(Line2D.recache)
    def recache(self, always=False):
        # docstring inherited
        if not self._is_in_view:
            self._find_samples(1.0)
        super().recache(always)
        if not self._samples.is_complete:
            # The samples are chosen for this view already: leaving out more would change the picture.
            self._subslice, self._path.should_simplify = False, False
        self._path._interpolation_steps = self._interpolation_steps()

    @like(Line2D.recache_always)
    def recache_always(self):
        # docstring inherited
        if any(map(has_converter, self._given)):  # an axis has another unit
            self._read_again(has_converter)
        super().recache_always()

    def _interpolation_steps(self):
        """Into how many parts curved axes divide each segment: that of the path of `get_path`, where callers set it."""
        if self._limits_path is not None:
            self._n_parts = self._limits_path[1]._interpolation_steps
        return self._n_parts

    def _find_samples(self, magnification):
        """Sets the base class's x and y to the samples of the present view, unless they are so already."""
        if self._series[1] is None:
            return
        data = self._line_data()
        is_by_view = self.axes is not None and data.is_sorted and self.length > SHORT
        edges = column_edges(self, magnification) if is_by_view else None
        max_complete = MAX_LONE_MARKERS if has_lone_markers(self) else 0
        is_marked = self.get_marker() not in NO_MARKERS
        key = "all" if edges is None else (edges.tobytes(), max_complete, is_marked, y_scale(self))
        if key == self._view_key:
            return
        samples = data.samples(edges, max_complete, shown_by(self), is_marked) if edges is not None else self._without_view(data)
        if max_complete and not samples.has_all_finite:
            warn(f"more than {MAX_LONE_MARKERS:,} markers are in view: only the first, last, lowest and highest one of each column of "
                 "pixels is drawn; gpuplot.scatter(x, y) shows how many are in each pixel")
        self._samples, self._view_key = samples, key
        self._xorig, self._yorig = samples.x, samples.y
        self._invalidx = self._invalidy = True

    def _without_view(self, data):
        """The samples where there are no pixel columns: without an Axes, in polar Axes, for unsorted x, or of a short line."""
        if self.axes is None and data.is_sorted:
            return data.whole()
        data.check_length()
        return data.all_samples()

    @like(Line2D.draw)
    @martist.allow_rasterization
    def draw(self, renderer):
        # docstring inherited
        if not self.get_visible() or is_for_layout(renderer):  # its place, that of all samples, is known without those of a view
            return
        self._find_samples(renderer.get_image_magnification())
        self._invalidx |= self._path is not None and self._path._interpolation_steps != self._interpolation_steps()
        with self._in_view(), _setattr_cm(self, **style_of_samples(self, self._samples)):
            _draw_line(self, renderer)
        if not self._samples.is_complete:
            self._draw_marks(renderer, marked_positions(self.get_markevery(), self.length))

    def _draw_marks(self, renderer, positions):
        """Draws the markers of the samples at these positions, as a line of its own."""
        if positions is None or not len(positions) or self.get_marker() in NO_MARKERS:
            return
        marks = Line2D(*self._line_data().at(positions))
        marks.update_from(self)
        marks.set(linestyle="None", markevery=None, figure=self.get_figure())
        marks.axes = self.axes
        marks.draw(renderer)

    @contextlib.contextmanager
    def _in_view(self):
        """A context in which `get_path` and transforms of it are those of the drawn samples, not of the whole line."""
        self._is_in_view = True
        try:
            yield
        finally:
            self._is_in_view = False

    # ---- limits, legends, pointer ----------------------------------------------------------------------------------------

    def get_path(self) -> Path:
        """The whole line over 1024 columns, whose limits are those of all samples: for data limits, and where a legend finds room."""
        if self._series[1] is None:
            return super().get_path()
        style = self.get_drawstyle()
        if self._limits_path is None or self._limits_path[0] != style:
            path = _limits_path(self._line_data(), style)
            path._interpolation_steps = self._interpolation_steps()
            self._limits_path = style, path
        return self._limits_path[1]

    @like(Line2D._get_transformed_path)
    def _get_transformed_path(self):
        # An Axes calls this for the data limits of a line that has a transform of its own.
        if self._is_in_view or self._series[1] is None:
            return super()._get_transformed_path()
        return TransformedPath(self.get_path(), self.get_transform())

    @like(Line2D.get_window_extent)
    def get_window_extent(self, renderer=None):
        # docstring inherited
        box = Bbox([[0, 0], [0, 0]])
        box.update_from_data_xy(self.get_transform().transform(self.get_path().vertices), ignore=True)
        if self.get_marker() not in NO_MARKERS:
            box = box.padded(self.get_markersize() / 72 * self.axes.figure.dpi / 2)
        return box

    @like(Line2D.contains)
    def contains(self, mouseevent):
        # docstring inherited
        if self._invalidx or self._invalidy:
            self.recache()
        self.ind_offset = 0
        with self._in_view(), self._without_corners():
            is_inside, details = super().contains(mouseevent)
        if is_inside:
            positions = self._samples.positions[details["ind"]]
            positions = positions[positions >= 0]
            # Samples that are near come before those whose segments are, as in matplotlib.
            details["ind"] = positions[np.sort(np.unique(positions, return_index=True)[1])]
        return is_inside, details

    @contextlib.contextmanager
    def _without_corners(self):
        """A context in which markers without a line have a path without the corners of steps, whose numbers are of no sample."""
        if self.get_linestyle() != "None" or self.get_drawstyle() == "default":
            yield
            return
        with _setattr_cm(self, _drawstyle="default", _path=None, _transformed_path=None):
            self.recache()
            yield

    # ---- lifetime --------------------------------------------------------------------------------------------------------

    def freeze(self) -> None:
        """Lets x and y go and keeps the samples that draw the whole line over 1024 columns; few samples are kept as they are."""
        if self._series[1] is not None:
            self._keep(self._line_data().portable())

    def _keep(self, data):
        self._given, self._series = (None, None), (data.x, data.y)
        self._renew()

    @Artist.axes.setter
    def axes(self, new_axes):
        is_removed = new_axes is None and getattr(self, "_axes", None) is not None
        Artist.axes.fset(self, new_axes)
        if is_removed and self._series[1] is not None:  # the tensors are not needed again
            self._let_go()

    def _let_go(self):
        """Keeps what a line needs that was removed from its Axes, and no tensors."""
        try:
            self._keep(self._line_data().portable())
        except ValueError:  # x and y, one of which was set alone, are no line
            copied = tuple(series if series is not None and series.is_copied else None for series in self._series)
            self._given, self._series = (None, None), copied

    def __getstate__(self):
        kept = None if self._series[1] is None else self._line_data().portable().arrays()
        dropped = {"_given": (None, None), "_series": (None, None), "_data": None, "_view_key": None, "stream": None}
        return super().__getstate__() | dropped | {"_kept": kept}

    def __setstate__(self, state):
        kept = state.pop("_kept")
        self.__dict__.update(state)
        if kept is not None:
            data = LineData.of_arrays(*kept)
            self._series = (data.x, data.y)

    def __copy__(self):
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __str__(self):
        return f"TensorLine({self._label})" if self._label else f"TensorLine({self.length} samples)"


def _limits_path(data, drawstyle):
    """The path of the whole line, with its steps; the least positive x and y have vertices of their own, for limits of logarithmic axes."""
    whole = data.whole()
    vertices = np.column_stack(STEP_LOOKUP_MAP[drawstyle](whole.x, whole.y))
    if whole.is_complete:
        return Path(vertices)
    finite = vertices[np.isfinite(vertices).all(axis=1)]
    if len(finite) and finite.min() <= 0:
        for axis, least in enumerate(data.least_positive()):
            if finite[:, axis].min() <= 0 and least <= finite[:, axis].max():  # else NaN, or of a sample that is NaN otherwise
                vertices = _with_least(vertices, axis, least)
    return Path(vertices)


def _with_least(vertices, axis, least):
    """Vertices with one more, whose x or y is `least`: on the line where it comes up from 0, as a legend finds room beside all of it."""
    values = np.where(np.isfinite(vertices).all(axis=1), vertices[:, axis], np.nan)
    is_low = np.pad(values <= 0, 1)
    is_first = (values > 0) & (is_low[:-2] | is_low[2:])
    values[~(is_first if is_first.any() else values > 0)] = np.inf
    place = int(values.argmin())
    vertex = vertices[place].copy()
    vertex[axis] = least
    return np.insert(vertices, place, vertex, axis=0)
