"""`imshow`: a tensor -> an image artist in an Axes."""

from __future__ import annotations

import math
import sys
import warnings
from typing import TYPE_CHECKING, Any, Literal, Unpack

import matplotlib as mpl
from matplotlib.colors import Normalize
from matplotlib.ticker import AutoLocator, MaxNLocator

from ..arrays.scalars import number_in
from ..color.alpha import check_alpha, host_alpha
from ..color.categories import (
    MIXING,
    CategoryNorm,
    check_categorical,
    check_ignored,
    check_labels,
    check_style_of_classes,
    looks_like_classes,
)
from ..color.color_limits import check_limits_choice, is_angle, usual_cmap
from ..color.style import MarkColors, check_given_limits, check_limits, find_cmap, find_norm, limit_number
from ..errors import value_text
from ..notices import LIMITS_REMEDY, warn, warn_of_limits
from ..options import VIEW, public_with, shared
from ..plane.aggs import OTHER_UNITS
from .axes_choice import check_axes, drawing_axes
from .axis_labels import name_axes, write_labels
from .data_keyword import looked_up, tensor_in
from .images.colorbars import (
    add_colorbar,
    check_colorbar,
    give_back_room,
    is_wanted,
    make_room,
    phase_ticks,
    position_of,
    value_label,
)
from .images.computed_plane import ComputedPlane
from .images.draw import reduce_ahead
from .images.extent import check_extent
from .images.image import TensorImage
from .images.waiting import is_waited_for
from .property_values import check_at_draws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.colorizer import Colorizer

    from .. import typing as t

# A plane whose sides differ by a larger factor fills its Axes (aspect "auto"); the second is of tables and coordinates, whose axes are of
# different kinds, and have texts that need room.
MAX_SQUARE_IN_AXES, MAX_SQUARE_WITH_TEXTS = 50, 4


@public_with(TensorImage)
def imshow(
        X: t.TensorLike, /, cmap: t.Cmap | None = None, norm: t.Norm | None = None, *, ax: Axes | None = None,
        aspect: Literal["equal", "auto"] | float | None = None, interpolation: str | None = None,
        origin: Literal["upper", "lower"] | None = None, extent: tuple[Any, Any, Any, Any] | Sequence[Any] | None = None,
        interpolation_stage: Literal["data", "rgba", "auto"] | None = None, filternorm: bool = True, filterrad: float = 4.0,
        resample: bool | None = None, url: str | None = None, colorizer: Colorizer | None = None, data: Any = None,
        colorbar: bool | dict[str, Any] = False,
        dims: t.Dims | None = None, x: t.Axis | None = None, y: t.Axis | None = None, index: t.Index | None = None,
        reduce: t.Reduce | None = None, rgb: t.Axis | None = None, denorm: t.Denorm | None = None,
        complex_mode: t.ComplexMode = "amplitude", agg: t.Agg | None = None, nan: t.Nan = "auto", vmin: float | None = None,
        vmax: float | None = None, gamma: float | None = None, limits: t.Limits = "auto", robust: t.Robust = False,
        center: t.Center | None = None, categorical: bool | None = None, ignore_index: t.Ignored | None = None,
        labels: t.Labels | None = None, alpha: t.Alpha | None = None, nan_color: t.Color | None = None,
        pos_inf_color: t.Color | None = None, neg_inf_color: t.Color | None = None, under_color: t.Color | None = None,
        over_color: t.Color | None = None, stream: t.Stream | None = None, client: t.Client | None = None,
        progress: t.Progress | None = None, wait: t.Wait = "auto", level: int | None = None,
        **artist_properties: Unpack[t.ArtistProperties],
) -> TensorImage:
    """Shows a tensor as an image: `matplotlib.axes.Axes.imshow` for tensors of any size, library and number of axes.

    Where elements are smaller than pixels, every pixel is the mean (or maximum, ...) of all elements under it, computed where the
    tensor is; only pixels are copied. Where elements are larger, the picture is matplotlib's own.

    Parameters
    ----------
    X : array_like, shape (rows, cols), (rows, cols, 3 or 4), or any number of axes
        A NumPy array; a tensor of torch, TensorFlow or JAX; anything in host or CUDA memory that supports DLPack, the buffer
        protocol or the (CUDA) array interface; data frames, xarray and pint objects, lists, PIL images; small sparse arrays. Large
        arrays of dask, zarr and HDF5 are read chunk by chunk, sharded arrays of JAX and DTensors of torch shard by shard. Of an array
        over several processes this one's shards are drawn, the rest is hatched, and the title says which part is shown. Dtypes are
        bool, integers, floats of 8 to 64 bits and complex. X is never written to.
        A plane of at most 2**20 elements is copied at the call, as in matplotlib. A larger one is borrowed: it is reduced at the
        call, and again when size or view change, with the values that it has then. `TensorImage.update` reads it again.
    cmap : str or Colormap, optional
        Default: ``rcParams["image.cmap"]``; "RdBu_r" with `center`, "hsv" for angles.
    norm : str or Normalize, optional
        How values become colors: any norm of matplotlib, any name of one of its scales ("log", "symlog", "asinh", ...),
        "cbrt" or "eq_hist". Default: linear. "symlog" is linear from -2 to 2, as in matplotlib; for smaller numbers, such as gradients,
        take "cbrt", or ``SymLogNorm(1e-5)`` of `matplotlib.colors`.
    ax : Axes, optional
        Default: the current Axes of pyplot, whose current image this becomes.
    aspect, interpolation, origin, extent, interpolation_stage, filternorm, filterrad, resample, url, colorizer : optional
        As in `matplotlib.axes.Axes.imshow`, with the same defaults. `interpolation` is the filter for magnified elements; "nearest"
        and "none" given here also mean ``agg="nearest"``. Default of `extent`: the coordinates of X (xarray) where they are evenly
        spaced, or dates of months or years; each is at the center of its row or column, and elements stay square. Default of `origin`:
        rows whose coordinates rise point up. Names of axes become labels where the Axes has none; the place of the slice along the
        hidden axes becomes its title, with scalar coordinates of X, as those of ``X.isel(time=3)``. Default of `aspect`: a tensor of
        one axis, and a plane longer than 50 to 1, or than 4 to 1 where elements have names or coordinates, fill the Axes.
    data : mapping, optional
        Where `X`, `vmin`, `vmax` and `alpha` that are strings are looked up.
    colorbar : bool or dict, optional
        Adds a colorbar, ``im.colorbar``, whose ends are pointed if elements lie beyond the limits; a dict has keywords of
        ``Figure.colorbar``. RGB(A) has none.
    dims : str or sequence of str, optional
        Names for the axes, such as ``"batch head row col"``. Default: those that the tensor itself gives them.
    x : int or str, optional
        The axis shown across, by number or name. Default: the last.
    y : int or str, optional
        The axis shown down, by number or name. Default: the second to last.
    index : dict of axis to int, str, date, duration or slice, optional
        The element at which a hidden axis is fixed, 0 by default; a slice crops an axis. Integers are positions; texts, dates and
        durations are looked up among the coordinates or names of X (xarray, pandas) and have to match exactly.
    reduce : dict of axis to {"mean", "max", "min", "sum", "std", "norm"}, optional
        Hidden axes over which elements are reduced before the picture is made.
    rgb : bool, int or str, optional
        The axis of the color channels; True searches for it, False is for plain numbers. Default: for three axes and
        no choice of axes a last axis of 3 or 4, or a first one of 3 (floats, uint8) or 4 (uint8); for stacks of uint8
        pictures, (N, 3, H, W) or (N, H, W, 3), that axis.
        Floats are 0 to 1, integers 0 to 255.
    denorm : {"imagenet", "symmetric", "minmax"} or (mean, std), optional
        Undoes the normalization of colors: ``c * std + mean``, ``c / 2 + 0.5``, or each channel's own range.
    complex_mode : {"amplitude", "square_amplitude", "real", "imaginary", "phase", "amplitude_phase", \
"log10_amplitude_phase"}, optional
        How complex elements are shown. Default: "amplitude". Real dtypes ignore it. In the last two the hue is the angle
        and the opacity the amplitude against the plane's largest: proportional, or its uppermost two decades.
    agg : {"mean", "max", "min", "absmax", "range", "std", "var", "sum", "count", "nearest"}, optional
        How the elements under a pixel become one value. "mean" weights each element by the part of it under the pixel. Default:
        "nearest" for classes, and for integers and bool with a colormap of at most 20 colors, such as "tab10", where a mean would have
        the color of another class; else "mean". Where an axis has 1 to 1.25 elements per pixel, the default is Mitchell's filter,
        clipped to the smallest and largest element that it reaches, because an area mean turns noise into a regular pattern there; not
        under a logarithm, which would show the filter's noise around 0.
    nan : {"auto", "show", "skip"}, optional
        Whether a pixel with a NaN, an infinity or a masked element under it is marked ("show"), or shows the finite elements ("skip").
        "auto", the default: NaN and infinities are marked, masked elements left out. Where NaN would mark more than half of a picture
        whose pixels are made of several elements (by `reduce`, too), NaN is also left out, and a warning says so.
    vmin, vmax : float, optional
        Limits of the colors in data units. Default: as `limits` says.
    gamma : float, optional
        The power law norm of that exponent, in place of `norm`.
    limits : {"auto", "elements", "pixels"}, optional
        Where limits that are not given come from. "elements": the smallest and largest finite element of the whole plane; of more than
        2**20, some of which have no place on the norm's scale, as 0 and 1 on "logit", those of 512 x 512 of them. "pixels": the smallest
        and largest pixel at the present size of the Axes; found again when another part of the plane is visible, unless they were set
        in the meantime or the norm is shared with other artists. "auto", the default: elements; but pixels where means of many elements
        would use less than a quarter of the colors, and no `vmin`, `vmax` or norm object is given. For "range", "std", "var", "sum" and
        "count" limits are those of pixels, and "elements" is an error. Limits stay through draws, `update`, `set_data` and `set_index`.
    robust : bool, float or (float, float), optional
        Limits at exact percentiles: True is 2 and 98, ``p`` is ``p`` and ``100 - p``. Default: False. With ``agg="max"`` of many noisy
        elements all pixels may lie above the percentile of the elements: ``limits="pixels"`` takes percentiles of pixels.
    center : float or "auto", optional
        Limits symmetric about this value, with a diverging colormap; "auto" is 0 where the range has both signs. If both `vmin` and
        `vmax` are given, they stay, and the colormap is diverging where they are symmetric about it.
    categorical : bool, optional
        True: elements are class numbers (bool or integers), and each class has a color of its own, 128 different ones. Hidden axes can
        then be reduced by "max" and "min" only, and there are no norm and limits. An `agg` that mixes classes, such as "mean", shows
        numbers. Default: elements are numbers.
    ignore_index : int or sequence of int, optional
        Numbers that are no class: their pixels stay empty. Default: 255 and -100, if two or more classes of 0 to 99 occur as well.
        Given numbers replace these: ``(0, 255)`` ignores the background, too, and ``()`` ignores none.
    labels : dict or list, optional
        Texts for values, under the pointer and in the colorbar of classes; a list has those of 0, 1, 2, .... Default: numbers, but
        False and True beside the classes of booleans.
    alpha : float or array_like, shape (rows, cols), optional
        Opacity, 0 to 1; 0 where it is NaN or masked. Default: 1.
    nan_color, pos_inf_color, neg_inf_color : color, optional
        Of pixels marked by a NaN, +Inf or -Inf. Default: the colormap's *bad* color, which is transparent by default; pixels of masked
        elements only always have that color.
    under_color, over_color : color, optional
        Of values below `vmin` and above `vmax`. Default: the colormap's.
    stream : int or object, optional
        The CUDA stream on which the tensor is written, where its library does not say: a handle (1 is the legacy default
        stream, 2 the calling thread's) or a stream of torch, CuPy, Numba, .... At every draw the device, not the caller, waits for the
        work that is queued on it. Not needed for host memory.
    client : distributed.Client, optional
        The client whose workers read a large array of dask, zarr or HDF5, chunk by chunk. Default: dask's current scheduler.
    progress : bool or callable, optional
        Whether a bar on standard error, or below a notebook's cell, shows the progress of a pass over chunks: True at once, False
        never; default: after a second. A callable gets (tiles done, tiles in all), where a tile is up to a 64th of the chunks.
    wait : {"auto", True, False}, optional
        Whether a draw waits for all chunks that it needs. False: the previous picture is stretched to the new view, and replaced tile
        by tile as chunks arrive; the final picture is the same as with True, and another view cancels the reads for this one. Default:
        "auto" is False in a window with an event loop, and True in inline figures. Files, colorbars, classes, `center` and methods that
        return numbers always wait.
    level : int, optional
        The level that is read of an image stored at several resolutions: an OME-Zarr group, ``zarr.open_group(...)``; a DataTree of
        xarray whose children hold one array each; or a list of arrays, the largest first. 0, the default of groups and trees, is the
        array itself. Other levels are stored previews, made in whatever way. They are shown in the place, and with the coordinates, of
        level 0, whose elements `index` counts as well; title and pointer say so. While a draw of level 0 does not wait (`wait`), the
        coarsest level that is sharp enough is shown, marked as a preview.
    **artist_properties
        Properties of the artist, such as ``zorder`` or ``transform``.

    Returns
    -------
    TensorImage
        A `matplotlib.image.AxesImage` with `update`, `set_index`, `set_agg`, `autoscale` and `freeze`.

    Raises
    ------
    TypeError
        Not a tensor of numbers. Its subclass `UnsupportedError`: a large sparse or quantized tensor, a nested one, ...; the message says
        what to do.
    ValueError
        Axes, limits or names that make no sense, alone or together.
    IndexError
        An index outside its axis.
    DeviceError
        The tensor's device cannot be used: no driver, an error of the driver, memory that was freed.
    ChunkError
        A chunk of a large array of dask, zarr or HDF5 cannot be read or computed.
    AttributeError
        A property that an image does not have.

    Warns
    -----
    GpuplotWarning
        Colors of a tensor outside their range were clipped (matplotlib's log says it for arrays); coordinates that are
        not evenly spaced are not shown; NaN was left out (``nan="auto"``); there are no elements.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> noise = np.random.default_rng(0).normal(size=(2000, 1500)).astype("float32")
    >>> im = gpuplot.imshow(noise, agg="max", limits="pixels", robust=True, cmap="magma")

    Four axes: columns and rows are chosen, one axis is fixed, one averaged.

    >>> acts = np.zeros((8, 12, 64, 64), "float16")
    >>> gpuplot.imshow(acts, x=3, y=2, index={0: 5}, reduce={1: "mean"}).hidden_text
    'index {0: 5}, mean over axis 1'
    """
    options = shared(locals()) | {"colorizer": colorizer}
    if data is not None:
        X, options = _from_data(X, options, data)
    options |= {name: limit_number(name, options[name]) for name in ("vmin", "vmax")}
    check_limits_choice(options["limits"], options["agg"])
    check_ignored(options["ignore_index"], options["categorical"])
    check_axes("imshow", (X, cmap, norm), ax)
    check_colorbar(colorbar)
    _check_placement(extent, aspect)
    _check_colorizer(options)
    check_at_draws(artist_properties)
    properties = artist_properties | {
        "interpolation": interpolation, "origin": origin, "extent": extent, "interpolation_stage": interpolation_stage,
        "filternorm": filternorm, "filterrad": filterrad, "resample": resample, "url": url}
    reading = {"client": client, "progress": progress, "wait": wait, "level": level}
    with drawing_axes(ax) as (pyplot, ax):
        image = _show(ax, X, options, properties, aspect, colorbar, reading)
        if pyplot is not None:
            pyplot.sci(image)
    return image


def _show(ax, X, options, properties, aspect, colorbar, reading):
    """Adds the image to an Axes, with color limits, colorbar, labels and title, and returns it.

    `options` are the keyword groups VIEW, CELLS, STYLE and STREAM, and the colorizer; `properties` those of the artist; `reading` says
    how arrays in chunks are read.
    """
    image = _make(ax, X, options, properties, reading)
    is_free = properties["extent"] is None and "transform" not in properties  # so that coordinates may place the image
    placement = _placement(image, properties["origin"]) if is_free else None
    _choose_colors(image, options)
    has_colorbar = is_wanted(colorbar) and _can_have_colorbar(image)
    before = position_of(ax)
    room = make_room(ax, colorbar) if has_colorbar else None
    try:
        _place(ax, image, aspect, placement, is_free)
        can_be_later = not (has_colorbar or image._class_options or options["center"] is not None)
        _find_limits(image, options, can_be_later)  # after the extent, as they may depend on what will be visible
        ax.add_image(image)
        if image._is_centered and options["cmap"] is None and options["colorizer"] is None:
            image.set_cmap(image._marks.with_ends(usual_cmap(None, image.plane.view, is_centered=True)))
        if image.plane.labels is not None:
            write_labels(image.plane.labels, ax, placement, is_free)
        name_axes(image)
        if room is not None:  # after the texts, which take room as well
            add_colorbar(image, room)
    except BaseException:
        give_back_room(ax, room, before)
        raise
    return image


def colorbar_texts(image):
    """Keywords with which a colorbar that `Figure.colorbar` makes of an image has the texts of that of `imshow`."""
    return value_label(image) | phase_ticks(image)


def _placement(image, origin):
    """Where coordinates place the image, None without; if `origin` is None and they rise, row 0 is then at the bottom."""
    labels = image.plane.labels
    if labels is None:
        return None
    if origin is None and labels.points_up:
        image.origin = "lower"
    return labels.placement(image.plane.shape, image.origin)


def _can_have_colorbar(image):
    """Whether there is a scale of values for a colorbar, else warns; ValueError for too many classes."""
    if image._class_options and isinstance(image.norm, CategoryNorm) and image._present_classes() is None:
        raise ValueError(f"colorbar: class numbers from {image.norm.vmin:.0f} to {image.norm.vmax:.0f} are too many, or too far apart, to "
                         "have an entry each: leave it out, or give a cmap")
    if image.plane.is_rgb:
        warn("colorbar: colors have no scale of values, so none is drawn; rgb=False shows one channel, with its scale")
    return not image.plane.is_rgb


def _from_data(X, options, data):
    """(X, options) with names replaced by the values in `data`."""
    found = {name: looked_up(options[name], data) for name in ("alpha", "vmin", "vmax")}
    return tensor_in(X, data), options | found


def _check_placement(extent, aspect):
    """ValueError for an extent without four edges, and for what is no aspect."""
    if extent is not None:
        check_extent(extent)
    if aspect is not None and not (isinstance(aspect, str) and aspect in ("equal", "auto")) and not _is_ratio(aspect):
        raise ValueError(f"aspect={value_text(aspect)} must be 'equal', 'auto' or the height of an element by its width in data "
                         "coordinates")


def _is_ratio(aspect):
    """Whether an aspect is a finite number above zero, or the text of one, which matplotlib takes as well."""
    try:
        ratio = float(aspect) if isinstance(aspect, str) else number_in(aspect)
    except ValueError:
        return False
    return ratio is not None and 0 < ratio < math.inf


def _check_colorizer(options):
    others = ("cmap", "norm", "vmin", "vmax", "gamma")
    if options["colorizer"] is None:
        return
    module = sys.modules.get("matplotlib.colorizer")  # of matplotlib 3.10 and newer
    if module is not None and not isinstance(options["colorizer"], module.Colorizer):  # matplotlib would draw as if there were none
        raise TypeError(f"colorizer={value_text(options['colorizer'])} must be a matplotlib.colorizer.Colorizer: a colormap and a norm are "
                        "cmap= and norm=")
    if any(options[name] is not None for name in others):
        raise ValueError("The `colorizer` keyword cannot be used simultaneously with any of the following keywords: "
                         + ", ".join(f"`{name}`" for name in others))


def _resolve_norm(options):
    """The `norm` of matplotlib's artist: an object, one of its names, or None."""
    norm = options["norm"]
    if options["gamma"] is not None:
        return find_norm(norm, gamma=options["gamma"])
    return find_norm(norm) if isinstance(norm, str) else norm


def _make(ax, X, options, properties, reading):
    """The image of an object, which is in no Axes yet, and has no limits."""
    cmap, norm, marks = options["cmap"], _resolve_norm(options), MarkColors.of(options)
    if not isinstance(cmap, str):  # matplotlib itself checks names
        find_cmap(cmap)
    if marks.under is not None or marks.over is not None:  # a colorbar takes them from the colormap
        cmap = marks.with_ends(find_cmap(cmap))
    if options["colorizer"] is not None:  # a keyword of matplotlib 3.10 and newer
        properties = properties | {"colorizer": options["colorizer"]}
    same = {name: options[name] for name in ("agg", "nan", "limits", "robust", "center", "stream")}
    image = TensorImage(ax, cmap=cmap, norm=norm, view={name: options[name] for name in VIEW}, marks=marks,
                        labels=check_labels(options["labels"]), **same, **reading, **properties)
    if isinstance(options["norm"], Normalize) or options["colorizer"] is not None:
        image._own_norm = None
    image.set_data(X)
    alpha = host_alpha(options["alpha"])
    check_alpha(alpha, image.plane.shape)
    image.set_alpha(alpha)
    _check_given_limits(image, options)
    if image.plane.is_rgb and not isinstance(image.plane, ComputedPlane):
        warn_of_limits(options, LIMITS_REMEDY)
    return image


def _choose_colors(image, options):
    """Sets the colormap and the norm of class numbers, and the colormap of angles."""
    plane, cmap = image.plane, options["cmap"]
    is_categorical = check_categorical(options["categorical"], plane.dtype, plane.view, plane.is_rgb)
    if image.agg is None and (is_categorical or _looks_like_classes(image, options)):
        image.agg = "nearest"
    is_categorical = is_categorical and image._cell_agg not in MIXING
    if is_categorical:
        check_style_of_classes(options)
    if options["colorizer"] is not None:
        return
    if cmap is None and is_angle(plane.view):
        image.set_cmap(image._marks.with_ends(usual_cmap(None, plane.view)))
    if is_categorical:
        image._show_classes(cmap, options["ignore_index"])
        if not image._is_filter_given:
            image.set_interpolation("nearest")


def _looks_like_classes(image, options):
    """Whether the caller's colormap is one of classes; not where the colors of elements are averaged, as these are real ones."""
    plane = image.plane
    cmap = options["cmap"] if options["colorizer"] is None else image.cmap
    return not image._averages_colors and looks_like_classes(options["categorical"], cmap, plane.dtype, plane.view, plane.is_rgb)


def _is_long(plane):
    """Whether a plane with square elements would be a thin line: a tensor of one axis, or a very long plane."""
    is_line = plane.view is not None and len(plane.view.tensor_shape) == 1
    axes = () if plane.labels is None else (plane.labels.rows, plane.labels.cols)
    has_texts = any(axis is not None and (axis.positions is not None or axis.names is not None) for axis in axes)
    most = MAX_SQUARE_WITH_TEXTS if has_texts else MAX_SQUARE_IN_AXES
    return 0 not in plane.shape and (is_line or max(plane.shape) > most * min(plane.shape))


def tick_elements(axes):
    """Restricts ticks to whole elements; with few elements matplotlib puts some at fractions."""
    for axis in axes:
        if type(axis.get_major_locator()) is AutoLocator:
            axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=True, min_n_ticks=1))


def _set_extent(image, extent):
    """Sets the extent; of an empty plane with one warning of ours in place of matplotlib's for each axis."""
    if image.plane.size:
        image.set_extent(extent)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        image.set_extent(extent)
    if caught:
        n_rows, n_cols = image.plane.shape
        warn(f"there is nothing to show, the plane has {n_rows} x {n_cols} elements: {caught[0].message}")


def _default_aspect(ax, image, placement, is_free):
    """The aspect of Axes where none was given, None to leave theirs; where a long plane fills them, restricts ticks to whole elements."""
    if image.is_transform_set() and not image.get_transform().contains_branch(ax.transData):
        return None
    aspect = mpl.rcParams["image.aspect"]
    if aspect == "equal" and is_free and _is_long(image.plane):
        is_counted = (True, True) if placement is None else placement.is_counted
        tick_elements(axis for axis, counts in zip((ax.xaxis, ax.yaxis), is_counted, strict=True) if counts)
        return "auto"
    return placement.aspect if aspect == "equal" and placement is not None else aspect


def _place(ax, image, aspect, placement, is_free):
    """Sets the aspect of the Axes, and the extent of the image, which they clip, as `Axes.imshow` does.

    `placement` is that by coordinates or None; `is_free` is False where the extent or the transform is the caller's.
    """
    aspect = _default_aspect(ax, image, placement, is_free) if aspect is None else aspect
    if aspect is not None:
        ax.set_aspect(aspect)
    if image.get_clip_path() is None:
        image.set_clip_path(ax.patch)
    _set_extent(image, image.get_extent() if placement is None else placement.extent)


def _find_limits(image, options, can_be_later):
    """Sets the color limits that are not given; with `can_be_later` a draw may find them."""
    image._is_scaled_later = can_be_later and not is_waited_for(image)
    if not image._is_scaled_later and (not image.plane.is_gathered or image._cell_agg in OTHER_UNITS):
        reduce_ahead(image)
    image._scale_norm(options["norm"], options["vmin"], options["vmax"])
    image._is_scaled_later = False
    if not image.plane.is_rgb and _are_given(options) and image.norm.scaled():
        check_limits(image.norm, None in (options["vmin"], options["vmax"]))  # now, as matplotlib's error comes at the first draw


def _are_given(options):
    """Whether the caller gave a limit."""
    return (options["vmin"], options["vmax"]) != (None, None)


def _check_given_limits(image, options):
    """ValueError for limits that the norm cannot use, whatever the elements are, before they are read; colors ignore limits."""
    if image.plane.is_rgb or not image.plane.size:
        return
    norm = options["norm"]
    if (norm is None or isinstance(norm, str)) and _are_given(options):
        check_given_limits(find_norm(norm, options["vmin"], options["vmax"], options["gamma"]))
    elif isinstance(image.norm, Normalize):
        check_given_limits(image.norm)
