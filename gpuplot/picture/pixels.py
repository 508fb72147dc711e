"""Cells and pixels of tensors as NumPy arrays: `downsample` and `to_rgba`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ..arrays.pyramids import at_level
from ..choices import check_choice
from ..options import STYLE, public, shared
from ..plane.aggs import NAN_POLICIES
from ..plane.picture_size import check_shape
from ..plane.view import COMPLEX_MODES
from .render_spec import RenderSpec

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .. import typing as t

_NO_STYLE = dict(STYLE)


@public
def downsample(
        X: t.TensorLike, /, shape: t.Shape, *, view: t.View | None = None,
        dims: t.Dims | None = None, x: t.Axis | None = None, y: t.Axis | None = None, index: t.Index | None = None,
        reduce: t.Reduce | None = None, rgb: t.Axis | None = None, denorm: t.Denorm | None = None,
        complex_mode: t.ComplexMode = "amplitude", agg: t.Agg | None = None, nan: Literal["show", "skip"] = "show",
        stream: t.Stream | None = None, collective: bool = False, client: t.Client | None = None,
        progress: t.Progress | None = None, level: int | None = None) -> NDArray[np.float64]:
    """Reduces a plane of a tensor to a grid of cells.

    With ``agg="mean"`` each cell is the mean of the elements under it, where elements at its border are weighted by the part that
    the cell covers; so totals are conserved. A cell not wider than an element shows the element under its center.

    Parameters
    ----------
    X : array_like
        A tensor of any number of axes and any dtype: NumPy array, torch tensor, or anything in host or CUDA
        memory with DLPack or an array interface. Never written, never copied whole.
    shape : (int, int)
        Rows and columns of the grid.
    view : ((float, float), (float, float)), optional
        Rows and columns of the plane to look at, in elements: element j covers [j, j + 1). May reach outside the plane
        and may be reversed. Default: the whole plane.
    dims, x, y, index, reduce, complex_mode, agg, stream : optional
        Which plane, and how it is reduced: see `imshow`.
    client, progress : optional
        Who reads an array in chunks, and how progress is shown: see `imshow`.
    level : int, optional
        Of a pyramid, which level is read: see `imshow`. `view` and `index` stay in elements of level 0.
    nan : {"show", "skip"}, optional
        Whether a cell with an element that is NaN, infinite or masked is marked (default), or shows the finite elements.
    rgb, denorm : optional
        Leave them out: colors are not numbers. A shape that `imshow` would guess to be colors is N-D here.
    collective : bool, default: False
        For an array that is spread over several processes. True: all of them make this call, with the same parameters; each reduces
        its own shards, one gather per pass exchanges the results (never elements), and all return the same result, bit for bit.
        False: such an array is an error, as no process has all of it.
        Of a DTensor whose placements are ``Partial("sum")`` it gives the mean or the sum of cells.

    Returns
    -------
    ndarray (H, W) float64
        In the units of the elements. Row 0 is the first row of the view. A cell that touches a NaN or an infinity is that
        (``nan="show"``); a cell with no element at all is NaN, or 0 for ``agg="count"`` and ``"sum"``.
        A result of a megabyte or more from a device is in pinned memory, like one of `asnumpy`: forked processes must not use it.

    Raises
    ------
    ValueError
        Unknown names, views that show nothing, ``rgb=True`` or a complex mode that gives colors.
    TypeError
        Not a tensor of numbers (`UnsupportedError`), a shape that is not a pair of integers.
    IndexError
        An index outside its axis.
    DeviceError
        The tensor's device cannot be used: no driver, an error of the driver, memory that was freed.
    ChunkError
        A chunk of a large array of dask, zarr or HDF5 cannot be read or computed, or another process cannot look at its part.

    Examples
    --------
    >>> import gpuplot
    >>> gpuplot.downsample([[1, 2, 3, 4]], (1, 3))
    array([[1.25, 2.5 , 3.75]])
    >>> gpuplot.downsample([[1, 2, 3, 4]], (1, 2), agg="max", view=((0, 1), (0, 3)))
    array([[2., 3.]])
    """
    options = shared(locals())
    if options["rgb"] is not None and not (isinstance(options["rgb"], (bool, np.bool_)) and not options["rgb"]):
        raise ValueError("downsample gives numbers and rgb asks for colors: call to_rgba, or leave rgb out")
    check_choice("complex_mode", options["complex_mode"], COMPLEX_MODES)
    if options["complex_mode"] in ("amplitude_phase", "log10_amplitude_phase"):
        raise ValueError(f"downsample gives numbers and complex_mode={options['complex_mode']!r} is colors: call to_rgba")
    if options["denorm"] is not None:
        raise ValueError("downsample gives numbers and denorm changes colors: call to_rgba, or leave denorm out")
    if check_choice("nan", options["nan"], NAN_POLICIES) == "auto":
        raise ValueError("nan='auto' is for pictures, and downsample gives numbers: choose nan='show' or nan='skip'")
    picture = RenderSpec(at_level(X, level), options | _NO_STYLE | {"rgb": False}, collective, client, progress)
    picture.is_sharp = False
    return picture.cells(picture.window(view, check_shape(shape)))


@public
def to_rgba(
        X: t.TensorLike, /, shape: t.Shape | None = None, *, view: t.View | None = None,
        dims: t.Dims | None = None, x: t.Axis | None = None, y: t.Axis | None = None, index: t.Index | None = None,
        reduce: t.Reduce | None = None, rgb: t.Axis | None = None, denorm: t.Denorm | None = None,
        complex_mode: t.ComplexMode = "amplitude", agg: t.Agg | None = None, nan: t.Nan = "auto", cmap: t.Cmap | None = None,
        norm: t.Norm | None = None, vmin: float | None = None, vmax: float | None = None, gamma: float | None = None,
        limits: t.Limits = "auto", robust: t.Robust = False, center: t.Center | None = None, categorical: bool | None = None,
        ignore_index: t.Ignored | None = None, labels: t.Labels | None = None, alpha: t.Alpha | None = None,
        nan_color: t.Color | None = None, pos_inf_color: t.Color | None = None, neg_inf_color: t.Color | None = None,
        under_color: t.Color | None = None, over_color: t.Color | None = None, stream: t.Stream | None = None,
        collective: bool = False, client: t.Client | None = None, progress: t.Progress | None = None,
        level: int | None = None) -> NDArray[np.uint8]:
    """Reduces and colors a plane of a tensor: the pixels of a picture.

    Parameters
    ----------
    X : array_like
        Anything `imshow` takes.
    shape : (int, int), optional
        Rows and columns of the picture in pixels. Default: one pixel per element up to 4096 a side, beyond that the
        largest size of the same aspect.
    view : ((float, float), (float, float)), optional
        Rows and columns of the plane to look at, in elements. Default: the whole plane.
    client, progress : optional
        Who reads an array in chunks, and how progress is shown: see `imshow`.
    level : int, optional
        Of a pyramid, which level is read: see `imshow`. `view` and `index` stay in elements of level 0.
    collective : bool, default: False
        For an array that is spread over several processes. True: all of them make this call, with the same parameters; each reduces
        its own shards, one gather per pass exchanges the results (never elements), and all return the same result, bit for bit.
        False: such an array is an error, as no process has all of it.
    dims, x, y, index, reduce, rgb, denorm, complex_mode, agg, nan, stream : optional
        Which plane, and how it is reduced: see `imshow`.
    cmap, norm, vmin, vmax, gamma, limits, robust, center, categorical, ignore_index, labels, alpha : optional
        How it is colored: see `imshow`. Limits that are not given come from where `limits` says.
    nan_color, pos_inf_color, neg_inf_color, under_color, over_color : optional
        Colors of what has no place in the colormap: see `imshow`.

    Returns
    -------
    ndarray (H, W, 4) uint8
        Red, green, blue and straight alpha, 0 to 255; row 0 is the first row of the view. Cells without elements are
        transparent. A result of a megabyte or more from a device is in pinned memory, like one of `asnumpy`: forked processes
        must not use it.

    Raises
    ------
    ValueError
        Unknown names, axes that do not exist, views that show nothing, ``vmin > vmax``, limits that are not finite.
    TypeError
        Not a tensor of numbers (`UnsupportedError`), or a parameter of the wrong kind.
    IndexError
        An index outside its axis.
    DeviceError
        The tensor's device cannot be used: no driver, an error of the driver, memory that was freed.
    ChunkError
        A chunk of a large array of dask, zarr or HDF5 cannot be read or computed, or another process cannot look at its part.

    Warns
    -----
    GpuplotWarning
        RGB values outside their range were clipped.

    Examples
    --------
    >>> import gpuplot
    >>> gpuplot.to_rgba([[0.0, 1.0]], cmap="gray")[0].tolist()
    [[0, 0, 0, 255], [255, 255, 255, 255]]
    """
    picture = RenderSpec(at_level(X, level), shared(locals()), collective, client, progress)
    if shape is None and 0 in picture.view.shape:
        return np.zeros((*picture.view.shape, 4), np.uint8)
    return picture.rgba(picture.window(view, shape))
