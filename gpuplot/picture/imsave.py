"""Pictures of tensors as PNG files, without a figure: `imsave`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl

from ..options import public, shared
from ..plane.reduce import check_choice
from ..plane.window import check_shape, shape_for_width, window_of
from .grid_render import GridRender
from .png import check_png, write_png
from .render_spec import RenderSpec

if TYPE_CHECKING:
    from .. import typing as t


@public
def imsave(
        fname: t.Target, X: t.TensorLike, /, *, width: int | None = None, shape: t.Shape | None = None,
        view: t.View | None = None, origin: Literal["upper", "lower"] | None = None, format: Literal["png"] = "png",
        dpi: float | None = None, metadata: t.Texts | None = None, grid: bool | Mapping[str, Any] = False,
        dims: t.Dims | None = None, x: t.Axis | None = None, y: t.Axis | None = None, index: t.Index | None = None,
        reduce: t.Reduce | None = None, rgb: t.Axis | None = None, denorm: t.Denorm | None = None,
        complex_mode: t.ComplexMode = "amplitude", agg: t.Agg | None = None, nan: t.Nan = "auto", cmap: t.Cmap | None = None,
        norm: t.Norm | None = None, vmin: float | None = None, vmax: float | None = None, gamma: float | None = None,
        limits: t.Limits = "auto", robust: t.Robust = False, center: t.Center | None = None, categorical: bool | None = None,
        ignore_index: t.Ignored | None = None, labels: t.Labels | None = None, alpha: t.Alpha | None = None,
        nan_color: t.Color | None = None, pos_inf_color: t.Color | None = None, neg_inf_color: t.Color | None = None,
        under_color: t.Color | None = None, over_color: t.Color | None = None, stream: t.Stream | None = None) -> None:
    """Writes a picture of a tensor to a PNG file: the pixels of `to_rgba`, no axes, no figure, no display.

    Parameters
    ----------
    fname : str, path-like or binary file object
        A name that ends in ``.png``. The file is written whole or not at all: what was there stays until the new picture
        is complete. Symbolic links are followed, the mode of an existing file is kept.
    X : array_like
        Anything `imshow` takes.
    width : int, optional
        Columns of the picture in pixels; rows follow from the aspect. Default: one pixel per element, however many.
    shape : (int, int), optional
        Rows and columns of the picture in pixels, in place of `width`.
    view : ((float, float), (float, float)), optional
        Rows and columns of the plane to show, in elements: element j covers [j, j + 1). Default: all.
    origin : {"upper", "lower"}, optional
        Whether element (0, 0) is at the top or at the bottom. Default: at the bottom where rows have coordinates that rise, as
        those of xarray may, else ``rcParams["image.origin"]``.
    format : {"png"}, optional
        For other formats use a figure: ``Figure.savefig``.
    dpi : float, optional
        Written into the file for programs that print it, in dots per inch. Not written by default.
    metadata : dict of str to str, optional
        Texts for the file, such as ``{"Title": "layer 3"}``. The keys Software, and Description with the place of the slice
        along the axes that are not seen, are added; None as its value leaves one out.
    grid : bool or dict, optional
        True: X is a batch of images, which are written side by side as `grid` shows them; a dict has keywords of `grid`, such as
        ``{"nrow": 4, "normalize": True}``, where `max_items` is all by default.
    **options
        Which plane, how it is reduced and how it is colored: see `imshow`.

    Raises
    ------
    ValueError
        Another format, a size that no picture has, both `width` and `shape`, and what `to_rgba` refuses.
    TypeError
        Not a tensor of numbers (`UnsupportedError`), or a target that cannot be written to.
    OSError
        The file cannot be written; it then stays as it was.
    DeviceError
        The tensor's device cannot be used: no driver, a driver that says no, memory that is no longer there.
    ChunkError
        A chunk of a large array of dask, zarr or HDF5 cannot be read or computed.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> weights = np.random.default_rng(0).normal(size=(512, 1376)).astype("float32")
    >>> gpuplot.imsave("weights.png", weights, width=688, cmap="RdBu", center=0)
    """
    options = shared(locals())
    check_target(fname, format)
    check_png(fname, dpi, metadata)
    if width is not None and shape is not None:
        raise ValueError("give width or shape, not both")
    check_choice("origin", "upper" if origin is None else origin, ("upper", "lower"))
    picture = RenderSpec(X, options) if grid is False else GridRender(X, grid, options)
    window = window_of(picture.view.shape, view, shape,
                       (lambda extent: shape_for_width(extent, width)) if width is not None else _one_per_element)
    rgba = picture.rgba(window)
    texts = with_description(metadata, picture.place_text)
    write_png(fname, rgba if (origin or _origin(picture)) == "upper" else rgba[::-1], dpi=dpi, metadata=texts)


def _origin(picture):
    """Where row 0 is by default."""
    labels = picture.labels
    return "lower" if labels is not None and labels.points_up else mpl.rcParams["image.origin"]


def with_description(metadata, where):
    """Texts for a file: `metadata`, to which the place of the slice, `where`, is added as the Description."""
    return {"Description": where} | (metadata or {}) if where else metadata


def _one_per_element(extent):
    return check_shape(tuple(max(1, int(-(-n // 1))) for n in extent))


def check_target(fname, format):
    """Raises where `fname` is no name of a PNG file and no file object."""
    if not isinstance(format, str) or format != "png":
        raise ValueError(f"format={format!r}: imsave writes PNG; use gpuplot.imshow and Figure.savefig for other formats")
    if isinstance(fname, (str, bytes, os.PathLike)):
        name = os.fspath(fname)
        suffix = b".png" if isinstance(name, bytes) else ".png"
        if not name.lower().endswith(suffix) and not _is_special(name):
            raise ValueError(f"imsave writes PNG and {name!r} does not end in .png; use gpuplot.imshow and Figure.savefig "
                             "for other formats")
    elif not hasattr(fname, "write"):
        raise TypeError(f"fname must be a name or a binary file object, not {type(fname).__name__}; it comes first, imsave(fname, X)")


def _is_special(name):
    """Whether a name is a device or a pipe, which have no suffix."""
    return os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name)
