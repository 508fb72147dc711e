"""Tensors and keywords -> the bytes of a graph: `plot`, `hist`, `hist2d`, `scatter`, `grid` and `compare` as commands."""

from __future__ import annotations

import io

import numpy as np

from ..mpl.drawable_text import drawable
from .commands import GRAPHS, function_of
from .drawing import DPI, WIDTH, check_dpi, save, usual_axes
from .errors import UsageError
from .readers.dates import dates_in
from .x_column import array_of, is_masked, with_x_first

# Ratio of height to width of graphs.
ASPECT = 0.6

# The best place of a legend is looked for among at most so many samples of lines.
MAX_SAMPLES = 100_000


def draw_graph(command, tensors, keywords, *, own=None, texts=None, format="png", is_together=False):
    """(the bytes of a graph, of `compare` its `Comparison`, else None).

    Parameters
    ----------
    command : str
        One of `GRAPHS`.
    tensors : dict of str to Source
    keywords : dict
        Keywords of the function of that name.
    own : dict
        The command's own options of graphs: ``width`` and ``dpi``, and of those with axes ``xlim``, ``ylim``, ``xscale``, ``yscale``.
    texts : dict of str to str
        ``title``, ``xlabel`` and ``ylabel``, where they are given.
    format : str
        Any format that matplotlib writes.
    is_together : bool
        Whether the tensors are the curves of one file, of which one may be the x of others.
    """
    if command == "hist2d" and "range" in keywords:
        keywords = keywords | {"range": _two_ranges(keywords["range"])}
    ordered = with_x_first(tensors) if is_together and command == "plot" else None
    if GRAPHS[command].has_axes:
        calls = _calls(command, ordered or tensors, keywords, is_together, ordered is not None)
        names = {} if is_together and ordered is None else _names_of_axes(command, ordered or tensors)
        figure, comparison = _in_axes(calls, function_of(command), dict(own or {}), texts or {}, names)
    else:
        figure, comparison = _whole(command, tensors, keywords, texts or {})
        _resize(figure, **own or {})
    file = io.BytesIO()
    save(figure, file, format)
    return file.getvalue(), comparison


def _names_of_axes(command, tensors):
    """Labels of the x and the y axis: the names of the tensors that are x and y; several y have a legend."""
    if len(tensors) == 1:
        return {"xlabel" if command == "hist" else "ylabel": next(iter(tensors))}
    if command == "hist":
        return {}
    names = list(tensors)[:1 if command == "plot" and len(tensors) > 2 else 2]
    return dict(zip(("xlabel", "ylabel"), names, strict=False))


def _two_ranges(value):
    """Four numbers, x0,x1,y0,y1, as the two pairs of a range of x and y."""
    if not isinstance(value, tuple) or len(value) != 4:
        raise UsageError("--range is for x and y: give four numbers, x0,x1,y0,y1")
    return value[:2], value[2:]


def _in_axes(calls, function, own, texts, names):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, ASPECT))
    FigureCanvasAgg(figure)
    _resize(figure, own.pop("width", WIDTH), own.pop("dpi", DPI))
    ax = usual_axes(figure)
    drawn = [function(*args, ax=ax, **named) for args, named in calls][-1]
    ax.set(**{name: drawable(text) for name, text in names.items() if not getattr(ax, f"get_{name}")()})
    ax.set(**{name: _with_dates(value) for name, value in own.items()}, **texts)
    _shorten_dates(ax.xaxis)
    _shorten_dates(ax.yaxis)
    _explain(figure, ax, drawn)
    return figure, None


def _resize(figure, width=None, dpi=DPI):
    """Makes a figure `width` pixels wide, by default as wide as it is at 100 pixels to an inch, and keeps its proportions."""
    check_dpi(dpi)
    if width is not None and not width >= 2 * DPI:
        raise UsageError(f"--width: give at least {2 * DPI} pixels for a figure")
    inches = figure.get_size_inches()
    figure.set_dpi(dpi)
    figure.set_size_inches(inches * ((DPI * inches[0] if width is None else width) / (inches[0] * dpi)))


def _shorten_dates(axis):
    """Writes what ticks that are dates have in common once, as whole dates run into each other."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    if isinstance(axis.get_major_locator(), AutoDateLocator):
        axis.set_major_formatter(ConciseDateFormatter(axis.get_major_locator()))


def _with_dates(limits):
    """Limits of an axis, of which texts of dates are these."""
    is_of_texts = isinstance(limits, tuple) and all(isinstance(limit, str) for limit in limits)
    dates = dates_in(limits) if is_of_texts else None
    return limits if dates is None else tuple(dates)


def _calls(command, tensors, keywords, is_together, has_x):
    """(arguments, keywords) of each call that draws the tensors; `hist` gets several as a dict by name, as does `plot` curves.

    `has_x`: the first of the curves of a file is the x of the others.
    """
    values = list(tensors.values())
    if is_together and command == "plot" and (not has_x or keywords.get("density")):
        return _calls_of_curves(tensors, keywords, has_x)
    if command == "plot" and len(values) > 2:
        return _calls_of_lines(values[0], dict(list(tensors.items())[1:]), keywords)
    if command == "hist" and len(values) > 1:
        return [([tensors], keywords)]
    if command == "plot":
        return [(_samples(*values), keywords)]
    return [(values[:2], keywords | ({"c": values[2]} if len(values) > 2 else {}))]


def _calls_of_curves(tensors, keywords, has_x):
    """A call of `plot` for the curves of a file; several where samples are missing, as each then has an x of its own.

    A density counts them all in one call, over the first where that is their x.
    """
    if not has_x and not any(map(is_masked, tensors.values())):
        return [([tensors], keywords)]
    if keywords.get("density"):
        columns = list(tensors.values())
        x, lines = (columns[:1], columns[1:]) if has_x else ([], columns)
        return [([one for y in lines for one in _over_x(*_samples(*x, y))], keywords)]
    return [(_samples(y), {"label": drawable(name)} | keywords) for name, y in tensors.items()]


def _over_x(*columns):
    """x and y; positions where y is alone."""
    return columns if len(columns) == 2 else (np.arange(columns[0].size), *columns)


def _samples(*columns):
    """The arguments x and y, or y alone; of arrays in memory with masked samples, such as empty cells of a table, only the others.

    A log has a validation loss every so many steps: a line between these, where a gap beside each would leave nothing to draw.
    """
    arrays = [array_of(column) for column in columns]
    if not any(map(is_masked, columns)) or any(array is None or array.shape != (columns[0].size,) for array in arrays):
        return list(columns)
    is_there = ~np.logical_or.reduce([np.ma.getmaskarray(array) for array in arrays])
    x = np.arange(len(is_there)) if len(arrays) == 1 else np.ma.getdata(arrays[0])
    return [x[is_there], np.ma.getdata(arrays[-1])[is_there]]


def _calls_of_lines(x, lines, keywords):
    """A call of `plot` for each of `lines`, {name: y}, over one x; of texts in a keyword, such as colors, each gets its own."""
    if keywords.get("density"):
        raise UsageError(f"--density counts the lines of one tensor, not of {len(lines)}: give one X and one Y")
    several = {name: value for name, value in keywords.items() if isinstance(value, tuple) and all(isinstance(one, str) for one in value)}
    for name, value in several.items():
        if len(value) != len(lines):
            raise UsageError(f"--{name} has {len(value)} values for {len(lines)} tensors: give one for all, or one for each")
    return [(_samples(x, y), {"label": drawable(label)} | keywords | {name: value[k] for name, value in several.items()})
            for k, (label, y) in enumerate(lines.items())]


def _explain(figure, ax, drawn):
    """Adds a legend for labels, and a colorbar for colors."""
    handles, labels = ax.get_legend_handles_labels()
    colored = getattr(drawn, "image", drawn)
    if getattr(colored, "classes", None) is not None:
        handles, labels = colored.legend_elements()
    elif hasattr(colored, "get_array") and colored.get_array() is not None:
        figure.colorbar(colored, ax=ax)
    if handles:
        n_samples = sum(getattr(line, "length", 0) for line in ax.lines)
        ax.legend(handles, labels, loc="best" if n_samples <= MAX_SAMPLES and not ax.images else "upper right")


def _whole(command, tensors, keywords, texts):
    """The figure of a function that makes its own by pyplot."""
    import matplotlib as mpl
    from matplotlib import pyplot

    mpl.use("agg")  # a command opens no window
    function, values = function_of(command), list(tensors.values())
    if command == "compare":
        names = tuple(map(drawable, tensors)) if len(tensors) == 2 else ("a", "b")
        figure = function(*values, **{"titles": names} | keywords)
    else:
        figure = function(values[0] if len(values) == 1 else tensors, **keywords)
    pyplot.close(figure)
    title = texts.get("title")
    if title is not None:
        figure.axes[0].set_title(title) if command == "grid" else figure.suptitle(title)
    return figure, figure.comparison if command == "compare" else None
