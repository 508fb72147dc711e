"""The arguments of `plot` -> groups of x, y and format, as matplotlib reads them, and the series of each line."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from ...arrays.literals import items_of_view
from ...arrays.optional_imports import answers_everything, attribute, is_kind
from ...notices import warn
from ...plane.chunks.chunked_lines import line_set
from ...plane.chunks.chunked_series import series_of
from ...plane.dims import TensorAxes
from ...plane.line_samples import LineData
from ...plane.slice_text import position_text
from ..axis_labels import name_of_column
from ..data_keyword import looked_up
from ..drawable_text import drawable
from .line_values import read_source

# Most lines of one tensor: each is an artist, with a pass over its samples at each draw.
MAX_LINES = 256

# Most names along the lines that become categories: matplotlib draws a tick for each.
MAX_CATEGORIES = 100


class LineSeries(NamedTuple):
    """x and y of one line, whose order was checked; and as they were given, if they have one axis at most.

    `label` is the place of the line in y, by coordinates or names along the other axes; None if y has none.
    """

    data: LineData
    given_x: Any
    given_y: Any
    label: str | None = None


def groups_of(args, data=None):
    """``(x or None, y, format)`` of each group of positional arguments, and the name in `data` that labels the first.

    Raises
    ------
    ValueError
        A format where x or y belongs, or None.
    """
    if not args:
        return [], None
    label = None
    if data is not None:
        args, label = _arguments_in(data, args)
    groups, rest = [], [items_of_view(arg) for arg in args]
    while rest:
        taken, rest = rest[:2], rest[2:]
        if rest and isinstance(rest[0], str):
            taken.append(rest.pop(0))
        if any(value is None for value in taken):
            raise ValueError("x, y, and format string must not be None")
        fmt = taken.pop() if len(taken) > 1 and isinstance(taken[-1], str) else ""
        if len(taken) == 3:
            raise ValueError("third arg must be a format string")
        groups.append((taken[0] if len(taken) == 2 else None, taken[-1], fmt))
    return groups, label


def _arguments_in(data, args):
    """(arguments with keys of `data` replaced by its values, the key of y as a label or None), by matplotlib's rules."""
    if len(args) > 3:
        raise ValueError("Using arbitrary long args with data is not supported due to ambiguity of arguments; use multiple plotting "
                         "calls instead")
    found = [looked_up(arg, data) for arg in args[:2]] + list(args[2:])
    is_y_second = len(args) == 3 or (len(args) == 2 and found[1] is not args[1])
    is_ambiguous = len(args) == 2 and isinstance(args[1], str)
    error = _format_error(args[1]) if is_ambiguous else ""
    if error and not is_y_second:
        raise ValueError(error.replace("is not a valid", "is neither a data key nor a valid"))
    if is_ambiguous and is_y_second and not error:
        warn(f"{args[1]!r} could be a format, and is in data: it is taken as data. For the format give x, too; for the data an empty "
             f"format, as in plot({args[0]!r}, {args[1]!r}, '', data=...)")
    name = args[1 if is_y_second else 0]
    return found, name if isinstance(name, str) else None


@lru_cache(256)
def _format_error(text):
    """What matplotlib says about a text that is no format, such as "r.-" is; "" for formats."""
    try:
        Figure().subplots().plot([], text)
    except ValueError as error:
        return str(error)
    return ""


def lines_of(x, y, ax, axis=None, stream=None):
    """The lines of one group.

    Parameters
    ----------
    x, y : array_like
        x is None for positions. Of two axes each column is a line, as in matplotlib.
    ax : Axes
    axis : int or str, optional
        The axis of y along which the samples of a line lie; each index of the other axes is a line. Default: the first of two.
    stream : int or object, optional

    Returns
    -------
    list of LineSeries
    axis_labels : tuple of str
        Of the x and the y axis, "" for none.
    """
    is_x_given = x is not None
    x, y, *sources = _read(x, y, ax, axis, stream)
    ys = _series_of(sources[1], axis, "y")
    x_axis = axis if sources[0] is not None and sources[0].ndim > 1 else None
    xs = [None] if x is None else _series_of(sources[0], x_axis, "x")
    if len(xs) > 1 and len(ys) > 1 and len(xs) != len(ys):
        raise ValueError(f"x has {len(xs)} columns but y has {len(ys)} columns")
    if x is not None and _length(sources[0], x_axis, "x") != _length(sources[1], axis, "y"):
        raise ValueError(f"x and y must have same first dimension, but have shapes {sources[0].shape} and {sources[1].shape}")
    xs = [series and series.kept() for series in xs]
    given = [values if source is not None and source.ndim <= 1 else None for values, source in zip((x, y), sources, strict=True)]
    n = max(len(xs), len(ys)) if xs and ys else 0
    labels = _labels_of(sources[1], axis) if sources[1].ndim > 1 else [name_of_column(y) or None]
    lines = [LineSeries(LineData(ys[k % len(ys)].kept(), xs[k % len(xs)]), *given, labels[k % len(ys)]) for k in range(n)]
    for line in lines:
        line.data.check_order()
    return lines, _axis_labels(sources[1], axis, sources[0] if is_x_given else None)


def _axis_labels(source, axis, x):
    """Labels of the x and the y axis, "" for none: the names of the values in xarray, and of x or the axis along the lines.

    `x` is the Source of a given x, else None.
    """
    labels = source.labels
    if x is not None:
        return tuple("" if one is None else one.values for one in (x.labels, labels))
    if labels is None:
        return "", ""
    along = labels.axes[_axis_of_series(source, axis, "y")] if labels.axes else None
    return "" if along is None else along.label, labels.values


def _read(x, y, ax, axis, stream):
    """(x, y, Source of x or None, Source of y). A missing x is taken from y: a pandas index, or coordinates along the lines."""
    source = read_source(y, ax.yaxis, stream, "y")
    if x is None and source.ndim:
        along = _axis_of_series(source, axis, "y")
        x = _index_of(y) if along == 0 else None
        x = _coordinates(source, along) if x is None else x
    return x, y, None if x is None else read_source(x, ax.xaxis, stream, "x"), source


def _coordinates(source, along):
    """Coordinates along the axis of the lines: numbers, dates or a few names; None if it has none, and for the rows of a table."""
    axes = None if source.labels is None else source.labels.axes
    found = None if axes is None else axes[along]
    if found is None or (found.is_table and along == 0):
        return None
    return _categories(found.names) if found.positions is None else found.positions


def _categories(names):
    """An array of names for an axis of categories; None where they are not texts, where two are equal, and where they are many."""
    if names is None or len(names) > MAX_CATEGORIES or not all(isinstance(name, str) for name in names):
        return None
    return np.array(list(names), dtype=object) if len(set(names)) == len(names) else None


def _index_of(y):
    """The index of a pandas object, unless it is just 0, 1, 2, ...; else None."""
    index = None if answers_everything(y) else attribute(y, "index")
    if is_kind(index, ("pandas",), "RangeIndex") and (index.start, index.step) == (0, 1):  # its numbers would take memory
        return None
    if not (callable(attribute(y, "to_numpy")) and callable(attribute(index, "to_numpy"))):
        return None
    values = _values_of(index)
    if not isinstance(values, np.ndarray):
        return None
    is_positions = values.dtype.kind in "iu" and len(values) and values[0] == 0 and (np.diff(values) == 1).all()
    return None if is_positions else values


def _values_of(index):
    """What an axis takes of a pandas index: periods as their first moments, intervals as their centers; None for several levels."""
    if attribute(index, "nlevels") not in (None, 1):
        return None
    if hasattr(type(index), "to_timestamp"):
        return index.to_timestamp().to_numpy()
    return (index.mid if hasattr(type(index), "mid") else index).to_numpy()


def _series_of(source, axis, name):
    """A Series along `axis` for each index of the other axes, the last of these fastest."""
    if source.ndim <= 1:
        return [series_of(source)]
    along, others = _axes_of_lines(source, axis, name)
    n = int(np.prod([source.shape[k] for k in others], dtype=object))
    if n > MAX_LINES:
        raise ValueError(_too_many_lines(source, along, n, name))
    return [series_of(source, along, place) for place in _places(source, others)]


def _too_many_lines(source, along, n, name):
    """The error about a tensor of more lines than are drawn; another axis comes first where that has few, as for channels of sound."""
    label = TensorAxes(source.shape, None, source.dims).label(along)
    other = max((axis for axis in range(source.ndim) if axis != along), key=lambda axis: source.shape[axis])
    n_else = source.size // source.shape[other]
    few = f"x={other} draws the {n_else} along axis {other}; " if n_else <= MAX_LINES else ""
    elsewhere = f", or another axis, such as x={other}" if MAX_LINES < n_else < n else ""
    parts = [":"] * source.ndim
    parts[other] = f":{max(1, MAX_LINES * source.shape[other] // n)}"
    part = ", ".join(parts[:other + 1])
    return (f"{name} of shape {source.shape} has {n:,} lines along axis {label}, at most {MAX_LINES} are drawn: {few}density=True shows "
            f"how many pass each pixel; or choose some, such as {name}[{part}]{elsewhere}; gpuplot.imshow shows all")


def _axes_of_lines(source, axis, name):
    """(axis along which the samples of a line lie, the other axes)."""
    along = _axis_of_series(source, axis, name)
    return along, [k for k in range(source.ndim) if k != along]


def _places(source, others):
    """``{axis: index}`` of each line, the last of the other axes fastest."""
    for index in np.ndindex(*[source.shape[k] for k in others]):
        yield dict(zip(others, index, strict=True))


def _labels_of(source, axis):
    """The label of each line of y: the coordinates or names of its place along the other axes, or None."""
    labels = []
    for place in _places(source, _axes_of_lines(source, axis, "y")[1]):
        texts = {k: position_text(source, k, i) for k, i in place.items()}
        is_named = any(text is not None for text in texts.values())
        label = ", ".join(str(place[k]) if text is None else text for k, text in texts.items())
        labels.append(drawable(label) if is_named else None)
    return labels


def _axis_of_series(source, axis, name):
    """The number of the axis along which the samples of a line lie."""
    if axis is None and source.ndim > 2:
        raise ValueError(f"{name} has {source.ndim} axes, shape {source.shape}: say which one is the series, such as x={source.ndim - 1}; "
                         "each index of the others is a line")
    return 0 if axis is None else TensorAxes(source.shape, None, source.dims, takes_dims=False).number(axis, "x")


def _length(source, axis, name):
    """Samples of each line, of which there may be none."""
    return source.size if source.ndim <= 1 else source.shape[_axis_of_series(source, axis, name)]


def line_set_of(x, y, ax, axis=None, stream=None):
    """(`LineSet`, axis labels) of one group of any number of lines; arguments and labels are those of `lines_of`.

    Raises
    ------
    ValueError
        x has neither one number for each sample of a line, nor the shape of y.
    """
    is_x_given = x is not None
    *_, xs, ys = _read(x, y, ax, axis, stream)
    along = _axis_of_series(ys, axis, "y") if ys.ndim else 0
    check_x(xs, ys, _length(ys, axis, "y"))
    return line_set(ys, along, xs), _axis_labels(ys, axis, xs if is_x_given else None)


def check_x(x, y, length):
    """ValueError for the Source of an x that has neither one number for each of `length` samples of the lines of y, nor the shape of y."""
    if x is not None and x.shape != y.shape and (x.ndim > 1 or x.size != length):
        raise ValueError(f"x has shape {x.shape}, and y {y.shape} has lines of {length} samples: give {length} x for all of them, or an "
                         "x of the shape of y")
