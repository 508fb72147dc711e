"""`plot`: tensors -> lines in an Axes, or their density."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np
from matplotlib.artist import Artist
from matplotlib.cbook import is_scalar_or_string, normalize_kwargs
from matplotlib.lines import Line2D

from ..arrays.tensor_tree import holds_values, values_in
from ..choices import check_choice, is_default
from ..errors import UnsupportedError, naming_entry, type_text
from ..options import public_with
from ..plane.lines import Lines
from .axes_choice import check_axes, check_columns, check_flat, drawing_axes
from .axis_labels import label_axes
from .axis_units import UNITS, set_units
from .data_limits import extend_data_limits, request_limits
from .densities.density_colors import choose_color, note_default
from .densities.density_style import density_cmap, density_norm
from .densities.lines_image import LinesImage
from .densities.spread import check_spread
from .drawable_text import drawable
from .lines.line import TensorLine
from .lines.line_groups import groups_of, line_set_of, lines_of
from .property_values import check_at_draws, check_properties

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .. import typing as t


# Keywords that only a density takes, with their defaults.
DENSITY_OPTIONS = {"normalize": False, "spread": "auto", "cmap": None, "norm": None, "vmin": None, "vmax": None}


@overload
def plot(
        *args: Any, density: Literal[False] = ..., normalize: bool = ..., ax: Axes | None = ..., scalex: bool = ..., scaley: bool = ...,
        data: Any = ..., x: t.Axis | None = ..., agg: Literal["m4"] = ..., cmap: t.Cmap | None = ..., norm: t.Norm | None = ...,
        vmin: float | None = ..., vmax: float | None = ..., spread: int | Literal["auto"] = ..., stream: t.Stream | None = ...,
        **line_properties: Unpack[t.PlotProperties]) -> list[TensorLine]: ...
@overload
def plot(
        *args: Any, density: Literal[True], normalize: bool = ..., ax: Axes | None = ..., scalex: bool = ..., scaley: bool = ...,
        data: Any = ..., x: t.Axis | None = ..., agg: Literal["m4"] = ..., cmap: t.Cmap | None = ..., norm: t.Norm | None = ...,
        vmin: float | None = ..., vmax: float | None = ..., spread: int | Literal["auto"] = ..., stream: t.Stream | None = ...,
        **line_properties: Unpack[t.PlotProperties]) -> LinesImage: ...
@public_with(Line2D, *UNITS)
def plot(
        *args: Any, density: bool = False, normalize: bool = False, ax: Axes | None = None, scalex: bool = True, scaley: bool = True,
        data: Any = None, x: t.Axis | None = None, agg: Literal["m4"] = "m4", cmap: t.Cmap | None = None, norm: t.Norm | None = None,
        vmin: float | None = None, vmax: float | None = None, spread: int | Literal["auto"] = "auto", stream: t.Stream | None = None,
        **line_properties: Unpack[t.PlotProperties]) -> list[TensorLine] | LinesImage:
    """Plots y, or y over x, as lines: `matplotlib.axes.Axes.plot` for tensors of any size and library.

    In each column of pixels the first, the last, the smallest and the largest sample are drawn; they are found where the tensor is,
    again for every view. If fewer samples are visible, all of them are drawn. Markers without a line are drawn at all samples, up to
    2**20 visible ones.

    `density` shows how many of thousands of lines pass each pixel, counted where the tensors are, for the visible range, again at every
    zoom. In each column of pixels a line counts once in every pixel from its lowest to its highest place there.

    Parameters
    ----------
    *args : [x], y, [fmt], [x2], y2, [fmt2], ...
        As in matplotlib. y is a tensor of one axis; of two axes, whose columns are lines; or with `x=` of any number of axes. Lists of
        scalars on a GPU, such as losses, are gathered there. Of arrays in chunks (dask, zarr) the visible chunks are read. x is numbers
        of any dtype, or dates or categories, which the Axes converts to float64 on the host; default: positions. fmt is a color, a
        marker and a line style, such as ``"r.-"``. NaN and infinite y interrupt a line. A dict of tensors (or another
        mapping, a file of h5py, a group of zarr), whose names become labels, stands alone, or before fmt; names in nested ones are
        joined by points, and None is left out. A monotonic x is read once, and searched from then on. Over an x that is not
        monotonic all samples are drawn, at most 10,000,000; a density takes any number.
    density : bool, default: False
        True: one image of the number of lines in each pixel, in place of lines. x is then shared by all lines, or has the shape of y.
    normalize : bool, default: False
        For a density: a line adds 1 to each column of pixels, in equal shares to the pixels that it passes there, so that steep lines
        weigh no more than flat ones (`DenseLines <https://arxiv.org/abs/1808.06019>`__).
    ax : Axes, optional
        Default: the current Axes of pyplot.
    scalex, scaley : bool, default: True
        Whether the limits of the Axes adapt to the lines.
    data : mapping, optional
        Where strings among `args` are looked up.
    x : int or str, optional
        The axis of y that runs along x; each index of the other axes is a line, at most 256, or any number for a density. Default: the
        first of two axes. If y is an array of xarray with coordinates along this axis, they are the default of the lines' x.
    agg : {"m4"}, default: "m4"
        How samples become a line: by the first, last, smallest and largest one of each column of pixels.
    cmap, norm, vmin, vmax : optional
        Colors of a density, as in `imshow`. Default: ``rcParams["image.cmap"]``; with `color`, that color at different opacities;
        for several densities in an Axes, one color of the cycle each; the norm is "log". ``norm="eq_hist"`` also shows structure where
        there are few lines.
    spread : int or "auto", default: "auto"
        For a density: the number of pixels, up to 16, by which lines are widened on each side. "auto" keeps lines from becoming
        hairlines at high resolutions: 0 below 200 dots per inch, 1 below 400, and so on, which are 0.4 to 1.1 points in all.
    stream : int or object, optional
        The CUDA stream on which the tensors are written, as in `imshow`.
    **line_properties
        Properties of `matplotlib.lines.Line2D`, and ``xunits`` and ``yunits``, as of `matplotlib.axes.Axes.plot`; ``label`` may be a
        list of one text for each line, and is by default the coordinates of the lines of an array of xarray, or the names of
        columns of pandas or polars, one or all of a table. A density takes ``color`` and the properties that every artist has, but
        ``transform``; its ``alpha`` is the opacity of pixels with the fewest lines, and the fullest are opaque.

    Returns
    -------
    list of TensorLine or LinesImage
        Each is a `matplotlib.lines.Line2D` with `update` and `freeze`. With `density` it is one image, whose ``Figure.colorbar`` is in
        lines per pixel; its tensors are borrowed, and `LinesImage.update` reads them again.

    Raises
    ------
    TypeError
        Complex numbers, or elements that are no numbers.
    ValueError
        Lengths that differ; a tensor of more than two axes without `x`, or with too many lines; too many samples over an x that is
        not monotonic; Axes of three dimensions. With `density`: formats, markers, line styles, polar Axes; without it: keywords
        that only a density has.
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

    How many of all 24 of them pass each pixel:

    >>> gpuplot.plot(np.zeros((8, 3, 1000)), x=2, density=True).n_lines
    24
    """
    check_choice("agg", agg, ("m4",))
    check_axes("plot", args, ax)
    options = {"normalize": normalize, "spread": spread, "cmap": cmap, "norm": norm, "vmin": vmin, "vmax": vmax}
    if density:
        options["spread"] = check_spread(spread)
        return _plot_density(args, data, ax, x, stream, options, line_properties, (scalex, scaley))
    for name, default in DENSITY_OPTIONS.items():
        if not is_default(options[name], default):
            raise ValueError(f"{name}={options[name]!r} is for a density: give density=True, or leave it out")
    properties = normalize_kwargs(line_properties, Line2D)
    check_properties(Line2D([], []), {name: value for name, value in properties.items() if name != "label"}, takes_lists=False)
    if args and holds_values(args[0]):
        return _plot_named(args, properties, {"ax": ax, "scalex": scalex, "scaley": scaley, "x": x, "stream": stream, "data": data})
    groups, label = groups_of(args, data)
    if label is not None and properties.get("label") is None:
        properties["label"] = label
    if len(groups) > 1 and not is_scalar_or_string(properties.get("label")):
        raise ValueError("plot() with multiple groups of data (i.e., pairs of x and y) does not support multiple labels")
    with drawing_axes(ax) as (_, ax):
        return _show(ax, groups, x, stream, properties, scalex, scaley)


def _plot_named(args, properties, options):
    """The lines of a dict of tensors, whose names become labels; a format follows it, if any."""
    named, fmt = _named(args)
    with drawing_axes(options.pop("ax")) as (_, ax):
        lines = []
        for name, y in named:
            with _naming(name):
                lines += plot(y, *fmt, ax=ax, **options, **({"label": drawable(str(name))} | properties))
    return lines


@contextlib.contextmanager
def _naming(name):
    """Errors about y, inside the block, say which entry of a dict it is; `name` is None for what is in none."""
    if name is None:
        yield
        return
    with naming_entry(name):
        try:
            yield
        except (TypeError, ValueError) as error:
            if not isinstance(error, UnsupportedError) and str(error).startswith("y "):
                error.args = (f"{name!r}: {error}",)
            raise


def _named(args):
    """(name, tensor) pairs of a dict and of those in it, and the formats beside it, one at most.

    None, such as the gradient of a frozen parameter, is left out, as by the other functions that take a dict.
    """
    named, *fmt = args
    named, kind = [(name, y) for name, y in values_in(named) if y is not None], type(named)
    if not named:
        raise ValueError(f"{type_text(kind)} without tensors has no lines: give one that holds some, such as {{'train': a, 'val': b}}")
    if not all(isinstance(one, str) for one in fmt) or len(fmt) > 1:
        raise ValueError("a dict has tensors, and no argument but a format beside it: plot({'train': a, 'val': b}, '.-')")
    return named, fmt


def _show(ax, groups, axis, stream, properties, scalex, scaley):
    """The lines of all groups in an Axes; nothing is drawn where one of them cannot be."""
    check_flat("plot", ax)
    properties = set_units(ax, properties)
    found = [(lines_of(x, y, ax, axis, stream), fmt) for x, y, fmt in groups]
    labels = [_labels(properties.get("label"), len(series)) for (series, _), _ in found]
    lines = []
    for ((series_of_group, _), fmt), texts in zip(found, labels, strict=True):
        for series, text in zip(series_of_group, texts, strict=True):
            lines.append(_add(ax, series, fmt, stream, properties | {"label": series.label if text is None else text}))
    for (_, axis_labels), _ in found:
        label_axes(ax, *axis_labels)
    request_limits(ax, scalex, scaley)
    return lines


def _labels(label, n):
    if is_scalar_or_string(label):
        return [label] * n
    if not hasattr(type(label), "__len__"):
        raise TypeError(f"label={label!r} must be one text for all lines, or a list of texts, one for each")
    if len(label) != n:
        raise ValueError(f"label must be scalar or have the same length as the input data, but found {len(label)} for {n} datasets.")
    return list(label)


def _add(ax, series, fmt, stream, properties):
    """Adds a line that looks as matplotlib's own would: of its format, its properties and the next of the Axes' cycle."""
    # An empty format would be taken for one that says "solid", beside a linestyle among the properties.
    pattern, = ax._get_lines(ax, [], [], *([fmt] if fmt else []), **properties)  # as `Axes.plot` makes a line, before it adds it
    return ax.add_line(TensorLine._of_series(series, pattern, stream))


# ---- densities -------------------------------------------------------------------------------------------------------


def _plot_density(args, data, ax, axis, stream, options, properties, scales):
    """All lines of all groups as one image, in an Axes or in the current one."""
    if args and holds_values(args[0]):
        named, fmt = _named(args)
        groups, label = [(None, y, *(fmt or [""])) for _, y in named], None
    else:
        groups, label = groups_of(args, data)
        named = [(None, y) for _, y, _ in groups]
    _check_density(groups, properties)
    check_at_draws(properties)
    properties = {"label": label} | properties if label is not None else dict(properties)
    with drawing_axes(ax) as (pyplot, ax):
        image = _show_density(ax, groups, [name for name, _ in named], axis, stream, options, properties, scales)
        if pyplot is not None:
            pyplot.sci(image)
    return image


def _check_density(groups, properties):
    """ValueError for formats and properties that only single lines have."""
    if not groups:
        raise ValueError("density=True needs lines: give y, or x and y")
    for *_, fmt in groups:
        if fmt:
            raise ValueError(f"the format {fmt!r} is for single lines: with density=True give color= or cmap=, or leave density out")
    for name in properties:
        if name not in ("color", "c", *UNITS) and not hasattr(Artist, f"set_{name}"):
            raise ValueError(f"{name} is for single lines, and density=True shows how many there are in each pixel: leave one "
                             "of the two out")
    if not (properties.get("label") is None or is_scalar_or_string(properties["label"])):
        raise ValueError("a density has one label for all its lines: give a text, not a list")
    if np.ndim(properties.get("alpha")):
        raise ValueError("lines drawn as their density have no opacities of their own: give one alpha, or leave density out")


def _show_density(ax, groups, names, axis, stream, options, properties, scales):
    check_flat("plot", ax)
    check_columns("lines", ax)
    properties = normalize_kwargs(set_units(ax, properties), Line2D)
    found = []
    for name, (x, y, _) in zip(names, groups, strict=True):
        with _naming(name):
            found.append(line_set_of(x, y, ax, axis, stream))
    lines = Lines(tuple(line_set for line_set, _ in found))
    given = properties.pop("color", None), options["cmap"]
    color = choose_color(ax, *given)
    norm = density_norm(options, is_count=True)
    cmap = density_cmap(options["cmap"], color, properties.get("alpha"), background=ax.get_facecolor())
    image = LinesImage(ax, lines, normalize=options["normalize"], spread=options["spread"], stream=stream, norm=norm, cmap=cmap,
                       **properties)
    image.set_clip_path(ax.patch)
    extend_data_limits(ax, lines.limits)
    ax.add_image(image)
    image._keep_quantities([(x, y) for x, y, _ in groups])
    image._legend.show(color, None)
    for _, axis_labels in found:
        label_axes(ax, *axis_labels)
    request_limits(ax, *scales)
    image.autoscale_None()  # asks for the limits of the Axes, which a scale that the user chooses later changes
    request_limits(ax, *scales)
    note_default(image, *given)
    return image
