"""Cells and pixels of tensors as NumPy arrays: `downsample` and `to_rgba`."""

from __future__ import annotations

import numpy as np

from .options import CELLS, QUEUE, STYLE, VIEW, takes
from .picture import Picture
from .window import check_shape, window_of

__all__ = ["downsample", "to_rgba"]

_NO_STYLE = dict(STYLE)


@takes(VIEW, CELLS, QUEUE)
def downsample(X, /, shape, *, view=None, options):
    """Reduces a plane of a tensor to a grid of cells.

    With ``agg="mean"`` each cell is the mean of the elements under it, those at its border weighted by the part that the
    cell covers; so totals are conserved. A cell not wider than an element shows the element under its centre.

    Parameters
    ----------
    X : array_like
        A tensor of any number of axes and any dtype: NumPy array, CPU tensor, or anything with DLPack or the array
        interface. Never written, never copied whole.
    shape : (int, int)
        Rows and columns of the grid.
    view : ((float, float), (float, float)), optional
        Rows and columns of the plane to look at, in elements: element j covers [j, j + 1). May reach outside the plane
        and may be reversed. Default: the whole plane.
    dims, x, y, index, reduce, complex_mode, agg, nan
        Which plane, and how it is reduced: see `imshow`. `rgb` stays None here: colours are not numbers.

    Returns
    -------
    ndarray (H, W) float64
        Row 0 is the top row of the picture. Cells that touch a NaN or an infinity are that (``nan="show"``); cells with
        no element at all are NaN, or 0 for ``agg="count"`` and ``"sum"``.

    Raises
    ------
    ValueError
        Unknown names, views that show nothing, ``rgb=True`` or a complex mode that gives colours.

    Examples
    --------
    >>> import gpuplot
    >>> gpuplot.downsample([[1, 2, 3, 4]], (1, 3))
    array([[1.25, 2.5 , 3.75]])
    """
    if options["rgb"] not in (None, False):
        raise ValueError("downsample gives numbers and rgb asks for colours: call to_rgba, or leave rgb out")
    if options["complex_mode"] in ("amplitude_phase", "log10_amplitude_phase"):
        raise ValueError(f"downsample gives numbers and complex_mode={options['complex_mode']!r} is colours: call to_rgba")
    if options["denorm"] is not None:
        raise ValueError("downsample gives numbers and denorm changes colours: call to_rgba, or leave denorm out")
    picture = Picture(X, options | _NO_STYLE | {"rgb": False})
    return picture.cells(window_of(picture.view.shape, view, check_shape(shape)))


@takes(VIEW, CELLS, STYLE, QUEUE)
def to_rgba(X, /, shape=None, *, view=None, options):
    """Reduces and colours a plane of a tensor: the pixels of a picture.

    Parameters
    ----------
    X : array_like
        Anything `imshow` takes.
    shape : (int, int), optional
        Rows and columns of the picture in pixels. Default: one pixel per element up to 4096 a side, beyond that the
        largest size of the same aspect.
    view : ((float, float), (float, float)), optional
        Rows and columns of the plane to look at, in elements. Default: the whole plane.
    **options
        Which plane, how it is reduced and how it is coloured: see `imshow`. Limits that are not given are those of the
        whole plane's finite elements.

    Returns
    -------
    ndarray (H, W, 4) uint8
        Red, green, blue and straight alpha; row 0 is the top row. Cells without elements are transparent.

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
    picture = Picture(X, options)
    if shape is None and 0 in picture.view.shape:
        return np.zeros((*picture.view.shape, 4), np.uint8)
    return picture.rgba(window_of(picture.view.shape, view, shape))
