"""One call from tensors to lines in an Axes: `plot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

from matplotlib.axes import Axes as MatplotlibAxes
from matplotlib.cbook import is_scalar_or_string, normalize_kwargs
from matplotlib.lines import Line2D

from ..options import public_with
from .axes_choice import check_axes, current_axes
from .line import TensorLine
from .line_groups import groups_of, lines_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .. import typing as t


@public_with(lambda name: hasattr(Line2D, f"set_{name}"))
def plot(
        *args: Any, ax: Axes | None = None, scalex: bool = True, scaley: bool = True, data: Any = None, x: t.Axis | None = None,
        agg: Literal["m4"] = "m4", stream: t.Stream | None = None, **line_properties: Unpack[t.LineProperties],
) -> list[TensorLine]:
    """Plots y, or y over x, as lines: `matplotlib.axes.Axes.plot` for tensors of any size and library.

    In each column of device pixels the first, the last, the smallest and the largest sample are drawn, found where the tensor is and
    found again for every view; where no more samples are visible, all are drawn.

    Parameters
    ----------
    *args : [x], y, [fmt], [x2], y2, [fmt2], ...
        As in matplotlib. y is a tensor of one axis, of two, whose columns are lines, or with `x=` of any number; a list of numbers that
        are on a GPU, such as losses, is gathered there. x is numbers of any dtype, dates or categories, which the Axes turn into
        float64 on the host; positions where it is left out. fmt has a color, a marker and a line style, such as ``"r.-"``. NaN
        and infinite y interrupt a line.
        x that rises or falls is read once to learn that, and searched from then on. x in no order is drawn by matplotlib from all
        samples, 10,000,000 at most.
    ax : Axes, optional
        Default: the current Axes of pyplot.
    scalex, scaley : bool
        Whether the limits of the Axes follow.
    data : mapping, optional
        Where texts among `args` are looked up.
    x : int or str, optional
        The axis of y along which samples follow each other; each index of the others is a line, 256 at most. Default: of two axes
        the first.
    agg : {"m4"}
        How samples become a line.
    stream : int or object, optional
        The CUDA stream on which the tensors are written, as in `imshow`.
    **line_properties
        Properties of `matplotlib.lines.Line2D`; ``label`` may be a list, of one text for each line.

    Returns
    -------
    list of TensorLine
        Each a `matplotlib.lines.Line2D` with `update` and `freeze`.

    Raises
    ------
    TypeError
        Complex numbers, or none at all.
    ValueError
        Lengths that differ; a tensor of more axes without `x`, or of too many lines; too many samples over x in no order.
    AttributeError
        A property that a line does not have.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> steps = np.random.default_rng(0).normal(size=(2_000_000, 2)).astype("float32")
    >>> walk, drift = gpuplot.plot(steps.cumsum(0), label=["walk", "drift"])
    >>> walk.length, drift.get_label()
    (2000000, 'drift')

    Of a batch of signals, (batch, channel, time), each channel of the first:

    >>> len(gpuplot.plot(np.zeros((8, 3, 1000))[0], x=1))
    3
    """
    if agg != "m4":
        raise ValueError(f"agg={agg!r} is not one of m4")
    check_axes("plot", args, ax)
    groups, label = groups_of(args, data)
    properties = normalize_kwargs(line_properties, Line2D)
    if label is not None and properties.get("label") is None:
        properties["label"] = label
    if len(groups) > 1 and not is_scalar_or_string(properties.get("label")):
        raise ValueError("plot() with multiple groups of data (i.e., pairs of x and y) does not support multiple labels")
    if ax is not None:
        return _show(ax, groups, x, stream, properties, scalex, scaley)
    with current_axes() as (_, ax):
        return _show(ax, groups, x, stream, properties, scalex, scaley)


def _show(ax, groups, axis, stream, properties, scalex, scaley):
    """The lines of all groups in an Axes; nothing is drawn where one of them cannot be."""
    found = [(lines_of(x, y, ax, axis, stream), fmt) for x, y, fmt in groups]
    made = []
    for series, fmt in found:
        for one, label in zip(series, _labels(properties.get("label"), len(series)), strict=True):
            made.append((TensorLine._of_series(one, stream), fmt, label))
    lines = [_add(ax, line, fmt, properties | {"label": label}) for line, fmt, label in made]
    _request_limits(ax, scalex, scaley)
    return lines


def _request_limits(ax, scalex, scaley):
    """Limits that follow the data, found when they are asked for first, as those of matplotlib's own `plot`."""
    request = getattr(ax, "_request_autoscale_view", None)
    if request is None:
        ax.autoscale_view(scalex=scalex, scaley=scaley)
        return
    for name, is_wanted in (("x", scalex), ("y", scaley)):
        if is_wanted:
            request(name)


def _labels(label, n):
    if is_scalar_or_string(label):
        return [label] * n
    if len(label) != n:
        raise ValueError(f"label must be scalar or have the same length as the input data, but found {len(label)} for {n} datasets.")
    return list(label)


def _add(ax, line, fmt, properties):
    """Adds a line that looks as matplotlib's own would: of its format, its properties and the next of the Axes' cycle."""
    pattern, = MatplotlibAxes.plot(ax, [], [], fmt, scalex=False, scaley=False, **properties)
    pattern.remove()
    line.update_from(pattern)
    line.set(**{name: value for name, value in properties.items() if value is not None})
    return ax.add_line(line)
