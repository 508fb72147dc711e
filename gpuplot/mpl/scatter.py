"""`scatter`: few points as markers, many as an image of their density."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.colors import is_color_like

from .. import _native
from ..arrays.scalars import number_in
from ..arrays.streams import check_stream
from ..choices import check_choice, check_flag
from ..color.categories import (
    category_colors,
    check_categorical,
    check_ignored,
    check_labels,
    check_style_of_classes,
    looks_like_classes,
    texts_of_classes,
)
from ..color.classes import Classes
from ..color.style import MarkColors, find_norm
from ..dtype_classes import is_integer
from ..errors import naming
from ..notices import warn
from ..options import public_with
from ..plane.aggs import AGGS
from ..plane.limits import find_limits
from ..plane.points import Points, check_chunks
from ..plane.tensor_plane import TensorPlane
from ..plane.view import plain_view
from ..transfer.asnumpy import asnumpy
from .axes_choice import check_axes, check_columns, check_flat, drawing_axes
from .axis_labels import label_axes, values_label
from .axis_units import UNITS, describe_in_units, set_units
from .data_keyword import looked_up
from .data_limits import extend_data_limits, request_limits
from .densities.density_colors import choose_color, note_default
from .densities.density_legend import add_class_entries
from .densities.density_style import density_cmap, density_norm
from .densities.point_classes import MAX_CLASSES, PointClasses
from .densities.point_colors import MISSING, check_color, colors_of_points
from .densities.point_sources import check_sizes, in_one_order, real_source
from .densities.points_image import PointsImage
from .densities.spread import check_spread
from .property_values import check_at_draws, check_properties
from .removal import remove_together

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .. import typing as t
    from ..arrays.source import Source

# More points than these are drawn as a density: markers would take seconds and hide one another.
MAX_MARKERS = 50_000

# Markers, and values of properties of markers, that pixels of a density look like anyway; a density refuses others.
ROUND_MARKERS = ("o", ".", ",")
PLAIN_VALUES = {"linewidths": (None, 0), "linewidth": (None, 0), "lw": (None, 0), "edgecolors": (None, "none", "face"),
                "edgecolor": (None, "none", "face"), "ec": (None, "none", "face"), "colorizer": (None,)}


class _Marks(NamedTuple):
    """Points, with what each of them looks like."""

    x: Source
    y: Source
    s: Any  # the sizes of markers, as `Axes.scatter` takes them
    color: Any  # one color, or one for each point; None where they have values
    values: Source | None
    classes: PointClasses | None  # of the values, where these are class numbers


@public_with(PathCollection, "plotnonfinite", "colorizer", *UNITS)
def scatter(
        x: t.TensorLike, y: t.TensorLike, /, s: Any = None, c: Any = None, *, marker: Any = None, cmap: t.Cmap | None = None,
        norm: t.Norm | None = None, vmin: float | None = None, vmax: float | None = None, alpha: float | None = None,
        categorical: bool | None = None, ignore_index: t.Ignored | None = None, labels: t.Labels | None = None,
        density: bool | None = None, agg: t.Agg | None = None, spread: int | Literal["auto"] = "auto",
        nan: Literal["show", "skip"] = "show", nan_color: t.Color | None = None, ax: Axes | None = None, data: Any = None,
        stream: t.Stream | None = None, **properties: Any) -> PathCollection | PointsImage:
    """Draws points: `matplotlib.axes.Axes.scatter` for tensors of any size and library.

    Up to 50,000 points are matplotlib's own markers. More are drawn as an image of their density: for every pixel the number of
    points in it, or an aggregate of their values. The image is computed where the tensors are, for the visible range, again at every
    zoom; only pixels are copied to the host.

    Parameters
    ----------
    x, y : array_like
        Coordinates of the points, real numbers, anything `imshow` takes. `x`, `y` and `c` have equally many elements and are on one
        device. A point with a coordinate that is not finite is not drawn. A density copies arrays in host memory that are not
        contiguous, such as a transpose; arrays on a device have to be contiguous. The names of arrays of xarray, and of columns of
        pandas and polars, label axes that have no label.
    s : float or array_like, optional
        Area of markers, as in matplotlib; of a density that of the marker in a legend, and `spread` is the size of points.
    c : color or array_like, optional
        One color for all points, or a number for each, which `cmap` and `norm` color. Points that are drawn as markers may have a
        color each, as in matplotlib.
    marker, vmin, vmax : optional
        As in matplotlib; a density has no markers, but takes ".", "," and "o".
    alpha : float, optional
        Opacity of a marker. In a density, pixels with the fewest points have this opacity and the fullest are opaque, as where many
        markers overlap; a density of values needs another pass for it, which counts the points.
    cmap : str or Colormap, optional
        Default: ``rcParams["image.cmap"]``; for a density of one color, its opacities. Of a named colormap whose first colors can
        hardly be seen on the Axes' background, such as "Blues" on white, counts use only the part after these. Several densities in
        an Axes that have neither `c` nor `cmap` use the opacities of one color of the cycle each, as markers would.
    norm : str or Normalize, optional
        Any norm that `imshow` takes. Default: "log" for counts, else linear. ``"eq_hist"`` shows structure in points of very
        different densities.
    categorical : bool, optional
        Whether `c` are classes: numbers of an integer dtype, among 64 that follow each other, or, on the host, up to 64 texts or
        categories of pandas or polars. The color of a pixel is the mean of its classes' colors. Default: for texts of which none is
        a color, and in a density for integers with a qualitative `cmap`, such as "tab10", and no limits. ``Axes.legend()`` names
        classes with texts, and ``Axes.legend(*points.legend_elements())`` all others.
    ignore_index : int or sequence of int, optional
        Class numbers that are not drawn, as in `imshow`.
    labels : dict or list, optional
        Texts for class numbers, as in `imshow`. Default: False and True for booleans.
    density : bool, optional
        Whether points are drawn as a density, whatever their number. Default: if there are more than 50,000 points.
    agg : {"count", "mean", "sum", "max", "min", "absmax", "range", "std", "var"}, optional
        How the values `c` of all points in a pixel become one value. Default: "mean" where there are values, else "count", the number
        of points.
    spread : int or "auto", default: "auto"
        How many pixels each point of a density reaches beyond its own pixel. "auto" is as many as let half of the points touch
        another one, up to 3 at 100 dots per inch and up to 8 at more; at least 1 for thin curves and at 200 dots per inch; lone points
        among many reach further.
    nan : {"show", "skip"}, default: "show"
        Whether a value that is not finite marks its pixel, or is left out.
    nan_color : color, optional
        Of pixels marked by NaN. Default: the "bad" color of the colormap.
    ax : Axes, optional
        Default: the current Axes of pyplot.
    data : mapping, optional
        Where strings for `x`, `y`, `s` and `c` are looked up; that for `y` is the default label.
    stream : int or object, optional
        The CUDA stream on which the tensors are written, as in `imshow`.
    **properties
        Of `matplotlib.collections.PathCollection`, such as ``linewidths``, and ``xunits`` and ``yunits``, as of
        `matplotlib.axes.Axes.scatter`; a density takes the units and those that every artist has, but ``transform``; a
        ``label`` is then shown by ``Axes.legend`` beside a marker.

    Returns
    -------
    PathCollection or PointsImage
        matplotlib's markers; or the image of the density. Either may be passed to ``Figure.colorbar``; that of a density of counts is
        in points per pixel. `PointsImage.update` reads the tensors again.

    Raises
    ------
    TypeError
        Not tensors of real numbers (`UnsupportedError`).
    ValueError
        Different numbers of elements, tensors on different devices, `c` and a color, an aggregation without values, sizes or colors of
        single points in a density; a density in polar Axes; Axes of three dimensions.
    DeviceError
        The tensors' device cannot be used.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> x, y = np.random.default_rng(0).normal(size=(2, 200_000)).astype("float32")
    >>> points = gpuplot.scatter(x, y)
    >>> type(points).__name__, type(gpuplot.scatter(x[:500], y[:500])).__name__
    ('PointsImage', 'PathCollection')
    """
    check_axes("scatter", (x, y), ax)
    check_stream(stream)
    name = y if data is not None and isinstance(y, str) else None
    x, y, s, c = (looked_up(value, data) for value in (x, y, s, c))
    check_choice("nan", nan, ("show", "skip"))
    options = {"cmap": cmap, "norm": norm, "vmin": vmin, "vmax": vmax, "alpha": alpha, "marker": marker, "density": density, "agg": agg,
               "categorical": check_flag("categorical", categorical, None), "ignore_index": ignore_index, "labels": check_labels(labels),
               "spread": check_spread(spread), "nan": nan, "nan_color": nan_color, "stream": stream}
    check_ignored(ignore_index, categorical)
    _check_area(s)
    check_at_draws(properties)
    with drawing_axes(ax) as (pyplot, ax):
        check_flat("scatter", ax)
        properties = set_units(ax, properties)
        check_properties(PathCollection([]), {"alpha": alpha})
        check_color(c, properties)  # first, as classes are found by passes over all values
        marks, options = _read(ax, x, y, s, c, options)
        if marks.classes is None and name is not None:  # legends name classes
            properties = {"label": name} | properties
        points = (_draw_density if options["density"] else _draw_markers)(ax, marks, options, properties)
        label_axes(ax, values_label(marks.x, x), values_label(marks.y, y))
        if pyplot is not None:
            pyplot.sci(points)
    return points


def _check_area(s):
    """ValueError for a single area that is none, which matplotlib refuses at each draw; among several such markers are not drawn."""
    area = number_in(s) if np.isscalar(s) else None
    if area is not None and not 0 <= area < np.inf:
        raise ValueError(f"s={s!r}: the area of a marker is a number from 0 on, in square points")


def _check_agg(agg, values):
    known = [name for name in AGGS if name != "nearest"]
    if agg is not None:
        check_choice("agg", agg, known)
    if values is None and agg not in (None, "count"):
        raise ValueError(f"agg={agg!r} needs values of the points: give them as c, or leave agg out to count points")
    return agg or ("count" if values is None else "mean")


def _read(ax, x, y, s, c, options):
    """(`_Marks`, options) of the arguments; what the options leave open is decided: ``density``, ``agg`` and the keywords of classes."""
    stream = options["stream"]
    x, y = (real_source(describe_in_units(values, axis, stream), axis.axis_name) for values, axis in ((x, ax.xaxis), (y, ax.yaxis)))
    with naming("c"):
        color, values, names = colors_of_points(c, x.size, options["categorical"], stream)
    is_density = x.size > MAX_MARKERS if options["density"] is None else options["density"]
    options = _with_names(options, names) | {"agg": _check_agg(options["agg"], values), "density": is_density}
    values = None if values is None else real_source(values, "c")
    check_sizes(x, y, values)
    if is_density:
        check_chunks(x, y, values, options["agg"])
    if is_density and values is not None and options["agg"] == "mean" and _are_classes(values, options):
        options["categorical"] = True
    return _Marks(x, y, s, color, values, _find_classes(values, options)), options


def _with_names(options, names):
    """The options with the names of classes, if any, as labels; points without a class are then ignored."""
    if not names:
        return options
    ignored = MISSING if options["ignore_index"] is None else options["ignore_index"]
    return options | {"categorical": True, "labels": dict(enumerate(names)) | (options["labels"] or {}), "ignore_index": ignored}


def _are_classes(values, options):
    """Whether values are a few integers that a qualitative colormap alone colors: the mean of their numbers means nothing."""
    if not is_integer(values.dtype) or any(options[name] is not None for name in ("norm", "vmin", "vmax")):
        return False
    view = plain_view(values)
    if not looks_like_classes(options["categorical"], options["cmap"], values.dtype, view):
        return False
    limits = find_limits(values, view, _native.WANT_RANGE)
    return limits.max - limits.min < MAX_CLASSES


def _draw_markers(ax, marks, options, properties):
    """Draws the points as matplotlib's own markers."""
    x, y, s, color, values, classes = marks
    c, style = color if values is None else _on_host(values), {name: options[name] for name in ("cmap", "norm", "vmin", "vmax", "alpha")}
    if classes is not None:
        c, style = classes.colors_of(c.astype(np.int64)), {"alpha": style["alpha"]}
    elif values is None:
        _warn_ignored(style)
        style = {"alpha": style["alpha"]}
    elif isinstance(style["norm"], str):
        style = style | {"norm": find_norm(style["norm"], style["vmin"], style["vmax"]), "vmin": None, "vmax": None}
    with naming("s"):
        sizes = s if s is None or np.isscalar(s) else asnumpy(s)
    points = ax.scatter(_on_host(x), _on_host(y), sizes, c, marker=options["marker"], **style, **properties)
    if classes is not None:
        classes.put_scale(points)
        points.legend_elements = classes.legend_elements  # matplotlib's own has no names of classes
        if "label" not in properties:
            remove_together(points, add_class_entries(ax, classes, s if np.isscalar(s) else None))
    return points


def _warn_ignored(style):
    """Warns of what colors values, for markers that have none, in the words of matplotlib."""
    given = [f"'{name}'" for name in ("cmap", "norm", "vmin", "vmax") if style[name] is not None]
    if given:
        warn(f"No data for colormapping provided via 'c'. Parameters {', '.join(given)} will be ignored")


def _find_classes(values, options):
    """The PointClasses of the values, None where they are numbers."""
    if not options["categorical"]:
        return None
    if values is None:
        raise ValueError("categorical=True: give the class number of each point as c")
    view = plain_view(values)
    check_categorical(options["categorical"], values.dtype, view)
    check_style_of_classes(options | {"limits": "auto", "robust": False, "center": None})
    known = Classes.of(TensorPlane(values, view), find_limits(values, view, _native.WANT_RANGE), options["ignore_index"])
    first, last = known.ends
    if known.n_levels > MAX_CLASSES:
        raise ValueError(f"classes from {first} to {last} span more than the {MAX_CLASSES} numbers that points may have: renumber them "
                         "from 0, such as by np.unique(c, return_inverse=True)[1], or leave categorical out")
    cmap, norm = category_colors(known, options["cmap"])
    colors = cmap(norm(np.arange(first, last + 1)))
    return PointClasses(first, last, colors, texts_of_classes(options["labels"], values.dtype), known.present)


def _on_host(source):
    """The elements in a row; masked ones are a copy, since matplotlib writes to their mask, which may be read-only."""
    array = np.ravel(asnumpy(source))
    return array.copy() if isinstance(array, np.ma.MaskedArray) else array


def _single(color):
    """One color out of a list or an array of one, as `Axes.scatter` takes it; others unchanged."""
    if isinstance(color, np.ndarray) and color.ndim == 2 and len(color) == 1:
        return tuple(color[0].tolist())
    return color[0] if isinstance(color, (list, tuple)) and len(color) == 1 else color


def _check_density(s, color, options):
    """ValueError for what only markers can have each: colors, sizes, opacities and shapes."""
    alpha, marker = options["alpha"], options["marker"]
    if isinstance(color, str) and not is_color_like(color):
        raise ValueError(f"{color!r} is not a color: give a name, '#rrggbb' or an RGB(A) tuple of 0..1")
    if color is not None and (isinstance(color, np.ndarray) or not is_color_like(color)):
        raise ValueError("points drawn as their density have no colors of their own: give one color, a number for each, or with "
                         "categorical=True the class of each; density=False draws all of them as markers")
    if s is not None and np.size(s) != 1:
        raise ValueError("points drawn as their density have no sizes of their own: leave s out, or give these numbers as c= to color "
                         "points by them; density=False draws all of them as markers")
    if np.ndim(alpha):
        raise ValueError("points drawn as their density have no opacities of their own: give one alpha, or draw fewer points; "
                         "density=False draws all of them as markers")
    if marker is not None and not (isinstance(marker, str) and marker in ROUND_MARKERS):
        raise ValueError(f"marker={marker!r}: more than {MAX_MARKERS:,} points are drawn as their density, without markers; "
                         "density=False draws all of them")


def _properties_of_density(properties):
    """Those that a density has; ValueError for what only markers can look like."""
    kept = {name: value for name, value in properties.items()
            if not any(value is plain or value == plain for plain in PLAIN_VALUES.get(name, ()))}
    for name in kept:
        if name in (*PLAIN_VALUES, "plotnonfinite") or not hasattr(PointsImage, f"set_{name}"):
            raise ValueError(f"{name} is for markers, and these points are drawn as their density: leave it out, or give density=False")
    return kept


def _draw_density(ax, marks, options, properties):
    """Draws the points as an image of their density."""
    check_columns("points", ax)
    given = _single(properties.pop("color", marks.color)), options["cmap"]
    _check_density(marks.s, given[0], options)
    with naming("s"):
        size = None if marks.s is None else asnumpy(marks.s).item()
    is_plain = options["agg"] == "count" and marks.classes is None
    color = choose_color(ax, *given) if is_plain else given[0]
    image = _density_image(ax, marks, color, options, _properties_of_density(properties))
    image.set_clip_path(ax.patch)
    extend_data_limits(ax, image.points.limits)
    ax.add_image(image)
    image._legend.show(color, size)
    _choose_margins(ax)
    request_limits(ax)
    image.autoscale_None()  # asks for the limits of the Axes, which a scale that the user chooses later changes
    request_limits(ax)
    if is_plain:
        note_default(image, *given)
    return image


def _density_image(ax, marks, color, options, properties):
    """The `PointsImage` of points, which is in no Axes yet; `color` is that of all points or None."""
    has_classes, alpha = marks.classes is not None, options["alpha"]
    agg = "count" if has_classes else options["agg"]
    background = ax.get_facecolor() if agg == "count" and not has_classes else None
    return PointsImage(ax, Points(*in_one_order(marks.x, marks.y, marks.values)), agg=agg, nan=options["nan"], spread=options["spread"],
                       classes=marks.classes, marks=MarkColors(options["nan_color"]), norm=density_norm(options, agg == "count"),
                       cmap=density_cmap(options["cmap"], color, alpha, has_classes, background), alpha=alpha, **properties)


def _choose_margins(ax):
    """Gives Axes that have no margins of their own those of `Axes.scatter`."""
    if ax.get_autoscale_on():
        for name in ("xmargin", "ymargin"):
            if getattr(ax, f"_{name}") is None:
                setattr(ax, f"_{name}", mpl.rcParams[f"axes.{name}"])
