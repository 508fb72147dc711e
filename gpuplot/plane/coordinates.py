"""A tensor's own coordinates -> the extent of its picture in data coordinates."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ..notices import warn

# Tolerance for evenly spaced coordinates, in steps: 1/3 written as 0.333 is even.
ROUNDING = 5e-3

# The same for dates that step by months, which have 28 to 31 days and may begin with a weekend.
CALENDAR = 0.2

# The dates that matplotlib can show.
FIRST_DAY, LAST_DAY = np.datetime64("0001-01-01"), np.datetime64("9999-12-31")


@dataclasses.dataclass(frozen=True)
class Placement:
    """The position of a picture in data coordinates."""

    extent: tuple[float, ...]  # left, right, bottom, top, in data coordinates (days for dates)
    aspect: float | str  # of the Axes, for elements that are square on screen, as without coordinates
    # is_date, is_counted: whether the x and the y axis show dates; whether they count elements.
    is_date: tuple[bool, bool]
    is_counted: tuple[bool, bool]


@dataclasses.dataclass(frozen=True)
class PictureLabels:
    """A tensor's labels for a plane: its two axes, cropped as the plane is (None: no labels), name and unit of the values."""

    rows: object = None
    cols: object = None
    values: str = ""

    @classmethod
    def of(cls, source, view):
        """The labels of a plane, None where its tensor has none. `view` None is the whole of a 2-D or RGB array."""
        labels = source.labels
        if labels is None:
            return None
        axes = labels.axes or ()
        if view is None:
            return cls(axes[0] if axes else None, axes[1] if axes else None, labels.values)
        axes_of_plane = {}
        for role, axis, n_elems in (("rows", view.row_axis, view.shape[0]), ("cols", view.col_axis, view.shape[1])):
            axes_of_plane[role] = None if axis is None or not axes else axes[axis].cropped(view.tensor_range(role, 0, n_elems))
        has_unit = view.complex_mode in (None, "amplitude", "real", "imaginary")
        return cls(axes_of_plane["rows"], axes_of_plane["cols"], labels.values if has_unit else "")

    @property
    def points_up(self):
        """Whether the rows have increasing coordinates, which are then drawn upwards, as in other graphs."""
        positions = None if self.rows is None else self.rows.positions
        if positions is None or len(positions) < 2:
            return False
        edges = axis_edges(self.rows)
        return is_drawable(self.rows, edges) and rows_rise(self.rows, edges)

    def _ends(self):
        """Outer edges of the rows and the columns in coordinates, {"rows": (first, last) or None, "cols": ...}; warns of uneven ones."""
        ends, uneven, far = {"rows": None, "cols": None}, [], []
        for role, axis in (("rows", self.rows), ("cols", self.cols)):
            if axis is not None and axis.positions is not None:
                edges = axis_edges(axis)
                ends[role] = edges if is_drawable(axis, edges) else None
                if ends[role] is None and not axis.is_table:
                    (uneven if edges is None else far).append(axis.name)
        if uneven:
            names = " and ".join(map(repr, uneven))
            warn(f"coordinates of {names} are not evenly spaced, so positions are shown in their place; X.interp({uneven[0]}=...) makes "
                 "them even")
        if far:
            names = " and ".join(map(repr, far))
            warn(f"dates of {names} reach beyond the years 1 to 9999 of matplotlib, so positions are shown in their place; numbers of "
                 f"years, X.assign_coords({far[0]}=X[{far[0]!r}].dt.year), are shown")
        return ends

    def placement(self, shape, origin):
        """The `Placement` in which each coordinate is at the middle of its row or column; None without coordinates.

        `shape` is that of the plane, `origin` where row 0 is. A warning names axes with uneven coordinates, which show element
        positions instead.
        """
        if 0 in shape:
            return None
        ends = self._ends()
        if ends == {"rows": None, "cols": None}:
            return None
        left, right = ends["cols"] or (-0.5, shape[1] - 0.5)
        first, last = ends["rows"] or (-0.5, shape[0] - 0.5)
        bottom, top = (last, first) if origin == "upper" else (first, last)
        height = abs(last - first) / shape[0]
        aspect = abs(right - left) / shape[1] / height if height else math.inf
        if _elements_each(self.rows) != _elements_each(self.cols):
            aspect *= _elements_each(self.rows) / _elements_each(self.cols)
        if not 0 < aspect < math.inf:  # steps of 1e-300 and 1e300: no float is their ratio
            aspect = "auto"
        axes = (ends["cols"], self.cols), (ends["rows"], self.rows)
        is_date = tuple(edges is not None and axis.is_date for edges, axis in axes)
        is_counted = tuple(edges is None or axis.elements_each is not None for edges, axis in axes)
        return Placement((left, right, bottom, top), aspect, is_date, is_counted)


def _elements_each(axis):
    """The elements of level 0 of a pyramid for each one of an axis; 1 where that is level 0 or no pyramid."""
    return 1.0 if axis is None or axis.elements_each is None else axis.elements_each


def rows_rise(rows, edges):
    """Whether the coordinates of rows, with these outer edges, increase; rows of tables, and indices, always go downwards."""
    is_downward = rows.is_table or rows.elements_each is not None
    return edges is not None and not is_downward and len(rows.positions) > 1 and edges[0] < edges[1]


def is_drawable(axis, edges):
    """Whether matplotlib can draw an axis with these outer edges: climates and orbits have dates beyond the years 1 to 9999."""
    if edges is None or not axis.is_date:
        return edges is not None
    first, last = _numbers(np.array([FIRST_DAY, LAST_DAY]))[0]
    return bool(first <= min(edges) and max(edges) <= last)


def axis_edges(axis):
    """Outer edges of the first and the last element of an `Axis` with positions; None where these are not evenly spaced."""
    if axis.elements_each is None:
        return outer_edges(axis.positions)
    first, last = map(float, axis.positions[[0, -1]])
    half = math.copysign(axis.elements_each / 2, last - first)
    return first - half, last + half


def outer_edges(positions):
    """Outer edges of the first and the last element; None where the positions are not evenly spaced.

    Dates that step by whole months or years count as even: each is near the middle of its element.
    """
    values, precision = _numbers(positions)
    # Edges lie beyond the coordinates; near the largest float they would be infinite.
    if not (np.abs(values) < np.finfo(float).max / 4).all():
        return None
    n_steps = len(values) - 1
    step = (values[-1] - values[0]) / n_steps if n_steps else 1.0
    largest = np.abs(values).max()
    deviation = np.abs(values - (values[0] + step * np.arange(len(values)))).max()
    noise = min(4 * precision * largest, 0.25 * abs(step))
    is_lost = np.finfo(float).eps * largest > ROUNDING * abs(step)  # microseconds on an axis that counts days since 1970
    is_even = deviation <= max(ROUNDING * abs(step), noise) or (deviation <= CALENDAR * abs(step) and _steps_by_months(positions))
    if step == 0 or is_lost or not is_even:
        return None
    return float(values[0] - step / 2), float(values[-1] + step / 2)


def _steps_by_months(positions):
    """Whether positions are dates that are all the same number of calendar months apart."""
    if positions.dtype.kind != "M":
        return False
    steps = np.diff(positions.astype("M8[M]").astype(np.int64))
    return bool((steps == steps[0]).all()) and steps[0] != 0


def _numbers(positions):
    """(positions as float64, dates as matplotlib counts them, durations in their unit; the relative rounding error of the stored dtype)."""
    if positions.dtype.kind == "M":
        from matplotlib.dates import date2num

        return np.asarray(date2num(positions), float), np.finfo(float).eps
    if positions.dtype.kind == "m":
        return np.where(np.isnat(positions), np.nan, positions.astype(float)), np.finfo(float).eps
    precision = np.finfo(positions.dtype).eps if positions.dtype.kind == "f" else np.finfo(float).eps
    return positions.astype(float), float(precision)
