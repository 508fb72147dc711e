"""`compare`: draws two tensors and their difference, with statistics of the difference; of collections a table."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from ..arrays.chunked_source import ChunkedSource
from ..arrays.describe import describe
from ..arrays.tensor_tree import is_stack, named_tensors, pairs_in_list
from ..choices import check_choice, is_default
from ..color.rgb import are_colors
from ..dtype_classes import is_complex
from ..options import SHARED, public, shared
from ..plane.aggs import NAN_POLICIES
from ..plane.chunks.chunked_difference import difference_of_chunks
from ..plane.chunks.chunked_plane import ChunkedPlane
from ..plane.difference import DifferencePlane, check_ops
from ..plane.index_labels import chosen_view
from ..plane.slice_text import places_text
from ..plane.tensor_plane import TensorPlane
from ..plane.view import COMPLEX_MODES
from ..statistics.comparison import compare_classes, compare_elements
from ..statistics.comparison_table import compare_named
from .compare_figure import draw_comparison, write_title
from .compared_classes import check_classes, ignored_classes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .. import typing as t
    from ..statistics.comparison_table import ComparisonTable

# Keywords that color numbers.
_OF_NUMBERS = ("cmap", "norm", "vmin", "vmax", "gamma", "robust", "center")


@overload
def compare(
        a: t.NamedTensors, b: t.NamedTensors, /, rtol: float | None = None, atol: float | None = None, *,
        titles: tuple[str, str] = ("a", "b"), stream: t.Stream | None = None) -> ComparisonTable: ...
@overload
def compare(
        a: t.TensorLike, b: t.TensorLike, /, rtol: float | None = None, atol: float | None = None, *,
        titles: tuple[str, str] = ("a", "b"),
        dims: t.Dims | None = None, x: t.Axis | None = None, y: t.Axis | None = None, index: t.Index | None = None,
        reduce: t.Reduce | None = None, complex_mode: t.ComplexMode = "real", agg: t.Agg | None = None, nan: t.Nan = "auto",
        cmap: t.Cmap | None = None, norm: t.Norm | None = None, vmin: float | None = None, vmax: float | None = None,
        gamma: float | None = None, robust: t.Robust = False, center: t.Center | None = None, categorical: bool | None = None,
        ignore_index: t.Ignored | None = None, labels: t.Labels | None = None, nan_color: t.Color | None = "#ff00ff",
        pos_inf_color: t.Color | None = "#00ffff", neg_inf_color: t.Color | None = "#ff8000",
        stream: t.Stream | None = None) -> Figure: ...
@public
def compare(
        a, b, /, rtol=None, atol=None, *, titles=("a", "b"), dims=None, x=None, y=None, index=None, reduce=None, complex_mode="real",
        agg=None, nan="auto", cmap=None, norm=None, vmin=None, vmax=None, gamma=None, robust=False, center=None, categorical=None,
        ignore_index=None, labels=None, nan_color="#ff00ff", pos_inf_color="#00ffff", neg_inf_color="#ff8000", stream=None):
    """Shows two tensors with one color scale, their difference, and a line of numbers about all their elements.

    The line has the largest absolute and relative difference with their indices, how many elements differ by more than the
    tolerances, and how many are NaN in only one of the two. It is exact and includes all elements of the tensors, of which one plane is
    drawn. Two tensors on one device are compared and subtracted there: only numbers and cells cross to the host. If they are on two
    devices, or one is in host memory, the elements are copied to the host in blocks of 2**20: all of them once for the line, and those in
    view for the picture of the difference. In that picture a pixel shows the largest difference of the elements under it, so that none is
    averaged away. The three pictures zoom together.

    With `categorical` the two are class numbers. Each class has the color that it has in `imshow`, the third picture shows where the
    classes differ, and the line counts these elements, without those that are no class (`ignore_index`) in one of the two.

    Of two collections, such as a ``state_dict`` before and after, or a model and the tensors of a file, those with the same name are
    compared: a table of the numbers is returned, the worst first, and no figure.

    Coordinates of xarray, and names of rows and columns of tables, are those of `a`, or of `b` where `a` has none.

    If `imshow` would show colors and no axes are chosen here, the difference is that of the channel which differs most. Beside it, bytes,
    and floats most of whose range lies within 0 to 1, are drawn in colors, unless `agg` or a keyword about colors asks for numbers; other
    elements, and those of arrays in chunks unless all channels lie in each chunk and are bytes, are drawn as numbers of that channel.

    Parameters
    ----------
    a, b : array_like, mapping or model
        Anything `imshow` takes, of one shape; libraries, dtypes and devices may differ. b is the expected tensor: relative differences
        are relative to it. Or two collections: mappings (nested ones, too), models with ``state_dict()``, lists or generators of pairs
        of a name and a tensor.
    rtol, atol : float, optional
        An element differs if ``|a - b| > atol + rtol * |b|``. Default: by the coarser of the two dtypes, such as 1e-6 and 1e-5 for
        float32, 2e-2 and 1e-5 for bfloat16; 0 for integers.
    titles : (str, str), default: ("a", "b")
        Names of the two tensors.
    nan_color, pos_inf_color, neg_inf_color : color, optional
        Colors of NaN, +Inf and -Inf in any of the three pictures. Default: magenta, cyan, orange.
    complex_mode : {"real", "imaginary"}, default: "real"
        Which part of complex elements is drawn; the line is about ``|a - b|``.
    agg : {"mean", "max", "min", "absmax", "range", "std", "var", "sum", "count", "nearest"}, optional
        How the elements under a pixel become one value. Default: "mean" of the two tensors, "absmax" of their difference.
    dims, x, y, index, reduce, nan, stream : optional
        Which plane, and how its elements are reduced: see `imshow`.
    cmap, norm, vmin, vmax, gamma, robust, center : optional
        How the two tensors, which share their limits, are colored: see `imshow`.
    categorical, ignore_index, labels : optional
        Whether elements are class numbers, which of them are none, and texts for numbers: see `imshow`.

    Returns
    -------
    Figure or ComparisonTable
        A figure whose ``comparison`` has the numbers of the line: ``max_abs``, ``argmax_abs``, ``max_rel``, ``argmax_rel``,
        ``n_beyond``, ``share_beyond``, ``nan_only_a``, ``nan_only_b``, ``first_nan_only``, ``masked``, ``rtol``, ``atol``. Of
        collections a mapping from each name that is in both to such numbers, with attributes ``skipped`` (why tensors of one name were
        not compared), ``only_a`` and ``only_b`` (the names that are in only one of the two). It shows itself in notebooks.

    Raises
    ------
    ValueError
        Shapes that differ, tolerances below 0, a reduction of axes that has no meaning for differences; collections without a common
        name, or given with a keyword about pictures.
    TypeError
        Not a tensor of numbers (`UnsupportedError`).

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> expected = np.sin(np.arange(10000.0)).reshape(100, 100)
    >>> figure = gpuplot.compare(expected.astype("float16"), expected)
    >>> print(figure.comparison.n_beyond, figure.comparison.max_abs < 3e-4)
    0 True
    """
    options = SHARED | shared(locals())
    a, b = pairs_in_list(a), pairs_in_list(b)
    named_a, named_b = _named(a), _named(b)
    if named_a is not None or named_b is not None:
        return _table(named_a, named_b, rtol, atol, options, titles)
    first, second = (describe(value, stream) for value in (a, b))
    _check_pair(first, second, options, titles)
    check_choice("nan", nan, NAN_POLICIES)
    if _are_classes(first, second, options, rtol, atol):
        return _draw_classes(a, b, (first, second), options, titles)
    picture = _picture_of(first, second, options)
    one_channel = _one_channel(options, picture)
    difference = _difference_of(first, second, one_channel, nan)
    comparison = compare_elements(first, second, rtol, atol)
    if picture is not None and picture.is_rgb and comparison.argmax_abs is not None:
        one_channel = _one_channel(options, picture, comparison.argmax_abs[picture.channel_axis])
        difference = _difference_of(first, second, one_channel, nan)
    figure = draw_comparison(a, b, difference, comparison, _drawn_as(options, one_channel, picture, (first, second)), titles)
    if picture is not None and picture.is_rgb:
        write_title(figure.axes[2], figure.axes[2].get_title(), places_text(first, difference.view))
    return figure


def _are_classes(first, second, options, rtol, atol):
    """Whether class numbers are compared; checks the keywords about these."""
    views = [_view(source, first, options) for source in (first, second)]
    return check_classes((first, second), views, options, rtol, atol)


def _ignored_in(sources, options):
    views = [_view(source, sources[0], options) for source in sources]
    return ignored_classes(sources, views, options)


def numbers_of(first, second, rtol=None, atol=None, **options):
    """The `Comparison` that the figure of `compare` has, of two sources of one shape, without the figure."""
    options = SHARED | {"complex_mode": "real", "nan": "auto"} | options
    if _are_classes(first, second, options, rtol, atol):
        return compare_classes(first, second, _ignored_in((first, second), options))
    return compare_elements(first, second, rtol, atol)


def _draw_classes(a, b, sources, options, titles):
    """The figure of two tensors of class numbers."""
    ignored = _ignored_in(sources, options)
    difference = _difference_of(*sources, options, options["nan"], ignored)
    return draw_comparison(a, b, difference, compare_classes(*sources, ignored), options | {"rgb": False, "ignore_index": ignored}, titles)


def _named(X):
    """{name: tensor} of a collection, None for one tensor; a list of arrays of one shape is one, as for `imshow`."""
    named = None if is_stack(X) else named_tensors(X)
    return None if named is None else dict(named)


def _table(first, second, rtol, atol, options, titles):
    """The `ComparisonTable` of two collections; keywords about pictures are refused."""
    _check_titles(titles)
    if first is None or second is None:
        one, other = ("a", "b") if second is None else ("b", "a")
        raise ValueError(f"{one} is a collection of tensors and {other} is not: give one of its tensors, or two collections")
    for name, parameter in inspect.signature(compare).parameters.items():
        value = options.get(name, parameter.default)
        if name != "stream" and not is_default(value, parameter.default):
            raise ValueError(f"{name}={value!r} is for the picture of two tensors, not for collections: give one tensor of each")
    return compare_named(first, second, lambda X: describe(X, options["stream"]), rtol, atol, titles)


def _picture_of(first, second, options):
    """The `View` of both tensors where `imshow` takes them as pictures whose last axis is not columns, or as colors; else None."""
    views = [chosen_view(source, options | {"rgb": None}, names_from=first) for source in (first, second)]
    is_picture = all(view.is_rgb or (view.row_axis, view.col_axis) == (0, 1) for view in views) and len(first.shape) > 2
    return views[0] if is_picture else None


def _one_channel(options, picture, channel=0):
    """The options that choose the plane of a picture, of colors that of one channel; those of other tensors stay."""
    if picture is None:
        return options
    index = {picture.channel_axis: int(channel)} if picture.is_rgb else {}
    return options | {"x": picture.col_axis, "y": picture.row_axis, "index": {**(options["index"] or {}), **index}}


def _drawn_as(options, one_channel, picture, sources):
    """The options of the two: those of colors where both have some and no keyword asks for numbers, else those of `one_channel`."""
    wants_numbers = not any(is_default(options["agg"], agg) for agg in (None, "mean", "nearest")) or not all(
        is_default(options[name], SHARED[name]) for name in _OF_NUMBERS)
    is_colored = picture is not None and picture.is_rgb and not wants_numbers and all(_has_colors(source, picture) for source in sources)
    return options | {"rgb": None} if is_colored else one_channel | {"rgb": False}


def _has_colors(source, picture):
    """Whether the channels of a picture are bytes, or floats most of whose range lies within 0..1; in chunks, bytes of one chunk."""
    if isinstance(source, ChunkedSource):
        return source.dtype == "uint8" and sum(map(bool, source.chunks[picture.channel_axis])) == 1
    if source.dtype == "uint8":
        return True
    if "float" not in source.dtype:
        return False
    lows, highs = zip(*TensorPlane(source, picture).channel_ranges(), strict=True)
    return are_colors(min(lows), max(highs))


def _difference_of(first, second, options, nan, ignored=()):
    """The plane of the difference of two tensors, or of two arrays in equal chunks."""
    views = [_view(source, first, options) for source in (first, second)]
    check_ops(views[0])
    if isinstance(first, ChunkedSource) or isinstance(second, ChunkedSource):
        source = difference_of_chunks(first, second, ignored)
        return ChunkedPlane(source, _view(source, first, options), nan)
    return DifferencePlane(*(TensorPlane(source, view, nan) for source, view in zip((first, second), views, strict=True)), ignored)


def _check_pair(first, second, options, titles):
    if first.shape != second.shape:
        raise ValueError(f"a has shape {first.shape} and b has {second.shape}: tensors of one shape are compared")
    if check_choice("complex_mode", options["complex_mode"], COMPLEX_MODES) not in ("real", "imaginary"):
        raise ValueError(f"complex_mode={options['complex_mode']!r}: differences of complex elements are drawn by their parts, real or "
                         "imaginary")
    _check_titles(titles)
    for source in (first, second):
        if options["complex_mode"] == "imaginary" and not is_complex(source.dtype):
            raise ValueError(f"{source.dtype} has no imaginary part: use complex_mode='real'")


def _check_titles(titles):
    is_sequence = isinstance(titles, Sequence) and not isinstance(titles, str)
    if not is_sequence or len(titles) != 2 or not all(isinstance(title, str) for title in titles):
        raise ValueError(f"titles={titles!r} must be two texts")


def _view(source, first, options):
    """The same plane of either tensor: names of axes are those of the first."""
    return chosen_view(source, options | {"rgb": False}, names_from=first)
