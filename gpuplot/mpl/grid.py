"""A batch of images in one Axes: `grid`."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ..choices import is_listed
from ..notices import LIMITS_REMEDY_OF_GRID, warn_of_limits
from ..options import public, shared
from ..picture.grid_spec import GRID, GridSpec
from .axes_choice import check_axes
from .grid_plane import GridPlane
from .images.class_bars import height_of_names
from .images.colorbars import check_colorbar, is_wanted
from .imshow import imshow
from .tile_title import TileTitle
from .undo import closed_on_failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .. import typing as t

# In inches: the least and largest width and height of a figure, the height of what is not images, and the room of a colorbar.
WIDTHS, HEIGHTS, AROUND, BAR = (3.0, 8.0), (1.5, 12.0), 0.5, 1.2

# Keywords of `imshow` that a grid has as well; it chooses the images itself.
_PASSED_ON = ("agg", "nan", "denorm", "stream", "cmap", "norm", "vmin", "vmax", "gamma", "limits", "robust", "center", "categorical",
              "ignore_index", "labels", "alpha", "nan_color", "pos_inf_color", "neg_inf_color", "under_color", "over_color")

# More titles are not read, as an object may have no last one.
MAX_TITLES = 1_000_000


@public
def grid(
        X: t.TensorsLike, /, nrow: int | None = None, padding: int = 2, normalize: bool | None = None, value_range: t.Range | None = None,
        scale_each: bool = False, pad_value: t.PadValue = "auto", *, max_items: int = 64, titles: Sequence[object] | None = None,
        ax: Axes | None = None, colorbar: bool | dict[str, Any] = False, interpolation: str | None = None,
        dims: t.Dims | None = None, x: t.Axis | None = None, y: t.Axis | None = None, index: t.Index | None = None,
        reduce: t.Reduce | None = None, rgb: t.Axis | None = None, denorm: t.Denorm | None = None,
        complex_mode: t.ComplexMode = "amplitude", agg: t.Agg | None = None, nan: t.Nan = "auto", cmap: t.Cmap | None = None,
        norm: t.Norm | None = None, vmin: float | None = None, vmax: float | None = None, gamma: float | None = None,
        limits: t.Limits = "auto", robust: t.Robust = False, center: t.Center | None = None, categorical: bool | None = None,
        ignore_index: t.Ignored | None = None, labels: t.Labels | None = None, alpha: t.Alpha | None = None,
        nan_color: t.Color | None = None, pos_inf_color: t.Color | None = None, neg_inf_color: t.Color | None = None,
        under_color: t.Color | None = None, over_color: t.Color | None = None, stream: t.Stream | None = None) -> Figure:
    """Shows a batch of images side by side, with the keywords of `torchvision.utils.make_grid`.

    All images are one artist, `TensorImage`. Each is reduced where its tensor is, to the visible pixels, again at every zoom. The text
    under the pointer has the element and its index in the tensor.

    Parameters
    ----------
    X : array_like, list or mapping of these
        (N, C, H, W) with C = 3 or 4 are color images, and so are (..., H, W, C) with W above 4 and one (C, H, W) as `imshow` takes it.
        Four channels of floats more than a quarter of whose range lies outside 0 to 1, such as latents, are N x 4 images of one channel;
        ``rgb=1`` or `normalize` makes them colors. All else are images of one channel, too: (N, H, W) and (C, H, W) activations, and
        N x C images of (N, C, H, W) with other C, such as the kernels of a convolution.
        Images of a list may differ in size; each lies at the top left of its tile. Rows with coordinates that rise,
        such as latitudes of xarray, go upwards, as in `imshow`, and so do all with ``rcParams["image.origin"]`` "lower".
    nrow : int, optional
        Images in a row. Default: 8 as in torchvision; of images more than twice as wide as high, or as high as wide, as many as make
        them largest on a page 1.5 times as high as wide.
    padding : int, default: 2
        Elements between images, and around them; at least one pixel.
    normalize : bool, optional
        Shows `value_range` as 0 to 1; values beyond are clipped. Default: True for colors of floats more than a quarter of whose range
        lies outside 0 to 1, such as weights; a line under the images has their range. False shows 0 to 1 as it is, as torchvision does.
    value_range : (number, number), optional
        The range that `normalize` shows as 0 to 1. Default: smallest and largest finite element of all images that are shown.
    scale_each : bool, default: False
        Each image has a range of its own, shown as 0 to 1. Images of one channel have it without `normalize`, too; then color limits
        are found as in `imshow`, which may be narrower for means of many noisy elements.
    pad_value : number, None or "auto", default: "auto"
        What is between the images, in the units of the elements, or of 0 to 1 where those are normalized. None is nothing: the
        background is seen. "auto" is 0, black, between images of colors, and None with `denorm` and between images of one channel,
        where 0 has a color of the images.
    max_items : int, default: 64
        The most images that are shown; if there are more, a line under them says how many.
    titles : sequence of object, optional
        A text for each image, in its corner, or below a low one. Default: the names of a mapping, or coordinates in an array of xarray.
    ax : Axes, optional
        Default: that of a new figure.
    colorbar : bool or dict, optional
        As in `imshow`.
    interpolation : str, optional
        As in `imshow`.
    index : dict, optional
        As in `imshow`: an axis that is fixed at an index adds no images.
    dims, x, y, reduce, rgb, denorm, complex_mode, agg, nan, stream : optional
        Which axes are an image, and how its elements are reduced, but for hues and phases of complex numbers: see `imshow`.
    cmap, norm, vmin, vmax, gamma, limits, robust, center, categorical, ignore_index, labels, alpha : optional
        How images of one channel, which share their limits, are colored; with `categorical` no axis is one of colors unless `rgb` says
        so: see `imshow`.
    nan_color, pos_inf_color, neg_inf_color, under_color, over_color : optional
        Colors of what has no place in the colormap: see `imshow`.

    Returns
    -------
    Figure
        Its one image is ``figure.axes[0].images[0]``.

    Raises
    ------
    ValueError
        No images; images of different numbers of channels; `categorical` or limits beside `normalize`; values that make no sense.
    TypeError
        Not tensors of numbers (`UnsupportedError`); `nrow`, `padding` or `max_items` that are not integers.

    Warns
    -----
    GpuplotWarning
        Colors outside their range were clipped; use `normalize` or `denorm`.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> weights = np.random.default_rng(0).normal(size=(64, 3, 7, 7)).astype("float32")
    >>> figure = gpuplot.grid(weights, normalize=True, scale_each=True)
    >>> figure.axes[0].images[0].get_array().shape
    (74, 74, 3)
    """
    given = locals()
    check_axes("grid", (X,), ax)
    check_colorbar(colorbar)
    options = shared(given)
    spec = GridSpec(X, {name: given[name] for name in GRID}, options)
    texts = _titles(spec, titles)
    if spec.plane.view.is_rgb:
        warn_of_limits(options, LIMITS_REMEDY_OF_GRID)
    options |= spec.limits_for(options)
    if ax is None:
        figure = _figure_for(spec, colorbar)
        with closed_on_failure(figure):
            image = _draw(spec, figure.subplots(), options, colorbar, interpolation)
            _make_room_for_bar(figure, image)
    else:
        image = _draw(spec, ax, options, colorbar, interpolation)
    _write_titles(image.axes, spec, texts)
    if spec.note:
        image.axes.set_xlabel(spec.note)
    return image.axes.get_figure()


def _titles(spec, titles):
    """For each image that is shown a text, and a shorter one or "" for where that has no room."""
    if titles is None:
        is_named = any(image.name for image in spec.images)
        texts = [(image.text, "") if is_named else (image.place, image.short_place) for image in spec.images]
        return texts if any(text for text, _ in texts) else []
    if not is_listed(titles):
        raise TypeError(f"titles={titles!r} must be a list of texts, one for each image")
    titles = [str(title) for title in islice(titles, MAX_TITLES)]
    if len(titles) not in (len(spec.images), spec.n_images):
        raise ValueError(f"{len(titles)} titles for {spec.n_images} images, of which {len(spec.images)} are shown: give one for each")
    return [(title, "") for title in titles[:len(spec.images)]]


def _figure_for(spec, colorbar):
    """A figure of pyplot, as wide and high as its images and their colorbar need."""
    from matplotlib import pyplot

    n_rows, n_cols = spec.layout.shape
    place = colorbar if isinstance(colorbar, dict) else {}
    is_below = place.get("orientation") == "horizontal" or place.get("location") in ("top", "bottom")
    bar = BAR if is_wanted(colorbar) else 0.0
    beside, around = (0.0, AROUND + bar) if is_below else (bar, AROUND)
    height = float(np.clip((WIDTHS[1] - beside) * n_rows / n_cols + around, *HEIGHTS))
    width = float(np.clip((height - around) * n_cols / n_rows + beside, *WIDTHS))
    return pyplot.figure(figsize=(width, height), layout="compressed")


def _write_titles(ax, spec, texts):
    """Writes a text in the corner of each image."""
    layout = spec.layout
    down = -1 if spec.is_upward else 1
    for k, (text, shorter) in enumerate(texts):
        row, col = layout.corner(k)
        bottoms = tuple(row - 0.5 + down * n_rows for n_rows in (spec.images[k].view.shape[0], layout.tile_shape[0]))
        ax.add_artist(TileTitle(text, (col - 0.5, row - 0.5), col - 0.5 + layout.tile_shape[1], bottoms, shorter))


def _make_room_for_bar(figure, image):
    """Lets a colorbar be longer than a thin row or column of images, and makes a figure so high that names of classes are legible."""
    width, height = figure.get_size_inches()
    needed = height_of_names(image) + AROUND
    if needed > height:
        figure.set_size_inches(width, min(needed, HEIGHTS[1]))
    is_thin = image.colorbar is not None and (width <= WIDTHS[0] if image.colorbar.orientation == "horizontal" else height <= HEIGHTS[0])
    if needed > height or is_thin:
        figure.set_layout_engine("constrained")  # the compressed one would leave a colorbar no more room than its picture


def _draw(spec, ax, options, colorbar, interpolation):
    """The image of the grid in an Axes."""
    style = {name: options[name] for name in _PASSED_ON}
    if style["agg"] is None and not (isinstance(interpolation, str) and interpolation in ("nearest", "none")):
        style["agg"] = spec.usual_agg  # the default's filter would mix neighboring images
    image = imshow(GridPlane(spec), ax=ax, colorbar=colorbar, interpolation=interpolation,
                   origin="lower" if spec.is_upward else "upper", **style)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return image
