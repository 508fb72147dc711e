"""The tensor inspector of notebooks: `inspect`. Its modules are imported at the first call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..options import public, shared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .. import typing as t
    from .widget import Inspector


# Other defaults than those of `imshow`: colors diverge from 0 where numbers have both signs, and NaN and infinities stand out.
@public
def inspect(
        X: t.TensorsLike, /, *, sliders: t.Axis | Sequence[t.Axis] | None = None, rows: t.Axis | None = None,
        columns: t.Axis | None = None, histogram: bool = True, show_stats: bool = True, play: bool = True,
        values: Literal["auto"] | bool = "auto", link: Inspector | Sequence[Inspector] | None = None, throttle: float = 33,
        max_buffered_frames: int = 2, height: int | None = None, title: str | None = None,
        dims: t.Dims | None = None, x: t.Axis | None = None, y: t.Axis | None = None, index: t.Index | None = None,
        reduce: t.Reduce | None = None, rgb: t.Axis | None = None, denorm: t.Denorm | None = None,
        complex_mode: t.ComplexMode = "amplitude", agg: t.Agg | None = None, nan: t.Nan = "auto", cmap: t.Cmap | None = None,
        norm: t.Norm | None = None, vmin: float | None = None, vmax: float | None = None, gamma: float | None = None,
        limits: t.Limits = "auto", robust: t.Robust = False, center: t.Center | None = "auto", categorical: bool | None = None,
        ignore_index: t.Ignored | None = None, labels: t.Labels | None = None, alpha: t.Alpha | None = None,
        nan_color: t.Color | None = "#ff00ff", pos_inf_color: t.Color | None = "#00ffff",
        neg_inf_color: t.Color | None = "#ff8000", under_color: t.Color | None = None, over_color: t.Color | None = None,
        stream: t.Stream | None = None, level: int | None = None) -> Inspector:
    """Opens a tensor in the notebook: pan, zoom, step through its axes, read every number.

    Only the pixels of the page's canvas are sent to the notebook; at every move the tensor is reduced again where it is.

    The inspector keeps its tensor until ``close()``, the end of a ``with`` block, or until no variable and no page refers to the
    inspector any more. Note that a notebook keeps the value of a cell's last line in ``Out[n]``, which is such a variable. With
    ``display(gpuplot.inspect(X))`` there is none: the inspector and its tensor are freed when the cell is run again or its output is
    cleared. ``update`` replaces the tensor at once.

    Parameters
    ----------
    X : array_like, or list or dict of array_like
        Anything `imshow` takes, with any number of axes. Of several tensors, such as a ``state_dict`` or a list of pairs of a name
        and a tensor, one is shown and a menu has the others. If there are exactly two tensors, of the same shape (scalars do not
        count), their difference is a third item. Never written, never copied.
    sliders : sequence of int or str, optional
        The axes that get a slider. Default: all that are not shown, reduced or facets.
    rows, columns : int or str, optional
        Axes whose elements each get a picture of its own, below or beside each other, at most 64 pictures. If only one of the two
        is given, many pictures wrap: ``columns=0`` shows the 64 filters of a convolution as 4 lines of 16, and so does ``rows=0``.
    histogram, show_stats, play : bool, optional
        Whether there is a histogram with the color limits, a table of statistics, and buttons that step through an axis.
        Default: True.
    values : {"auto", True, False}, optional
        Numbers in the elements: if these are large enough (default, and True), or never.
    link : Inspector or sequence of Inspector, optional
        Inspectors that follow each other's view and index from now on, with color limits that include the elements of all:
        ``w.link(other)``.
    throttle : float, optional
        The least time between frames during a movement, in milliseconds. Default: 33.
    max_buffered_frames : int, optional
        The most frames that are on their way to a page. Default: 2.
    height : int, optional
        Height of the picture, in CSS pixels. Default: by the aspect of the plane.
    title : str, optional
        A line of text at the top. Default: the name of the tensor that is shown, where there are several.
    level : int, optional
        Of a pyramid, which level is shown: see `imshow`. `index` is in elements of level 0, as are the rulers; the sliders, and what
        Python reads and sets later, count elements of the level. While level 0 is read, the coarsest level that is sharp enough is
        shown, and a line below the picture calls it a preview.
    dims, x, y, index, reduce, rgb, denorm, complex_mode, agg, nan, stream : optional
        Which plane, and how it is reduced: see `imshow`. Here stacks of uint8 pictures, (N, H, W, 3) or (N, 3, H, W), are shown in
        their colors.
    cmap, norm, vmin, vmax, gamma, limits, robust, center, categorical, ignore_index, labels, alpha : optional
        How it is colored: see `imshow`. Here `center` is ``"auto"``, and bool and integers of at most 32 values are shown as classes.
        ``limits="auto"`` finds limits anew with another item, `agg` or `norm`, and keeps them while sliders, play and `update` change
        the elements; ``"elements"`` follows these. Limits of pixels are found anew with another view; those of elements are kept in
        every part of the view that they were found in.
    nan_color, pos_inf_color, neg_inf_color, under_color, over_color : optional
        Colors of what has no place in the colormap: see `imshow`. Here NaN, +Inf and -Inf have colors of their own.

    Returns
    -------
    Inspector
        A widget. Its traits ``item, index, x, y, vmin, vmax, limits, cmap, norm, agg, view, selection`` are what is shown: they can
        be set and observed, and follow what the user does; ``cursor`` is what is under the pointer, ``on_click(f)`` calls a function
        with it. ``update(X)`` shows another tensor, also from a running loop; ``snapshot`` and ``to_figure`` keep what is shown;
        ``close()`` releases the tensor.

    Raises
    ------
    ImportError
        The package anywidget is not installed.
    TypeError
        Not a tensor of numbers. `UnsupportedError` is one; the message says what to do.
    ValueError
        Axes, limits or names that make no sense, alone or together.
    IndexError
        An index outside its axis.
    DeviceError
        The tensor's device cannot be used.

    Warns
    -----
    GpuplotWarning
        The inspector is shown by a program that is not a notebook.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> volume = np.random.default_rng(0).normal(size=(40, 256, 256)).astype("float32")
    >>> w = gpuplot.inspect(volume, index={0: 20}, cmap="gray")         # doctest: +SKIP
    >>> w.index = {0: 21}                                               # doctest: +SKIP
    >>> w.observe(lambda change: print(change.new), "view")             # doctest: +SKIP
    >>> w.snapshot("slice.png")                                         # doctest: +SKIP
    """
    options = shared(locals())
    try:
        from .widget import Inspector
    except ImportError as error:
        if error.name not in ("anywidget", "ipywidgets", "traitlets", "IPython"):
            raise
        raise ImportError("gpuplot.inspect needs the package anywidget: pip install anywidget, or gpuplot with its extra, "
                          "pip install 'gpuplot[notebook]'", name=error.name) from error
    return Inspector(X, options, sliders=sliders, rows=rows, columns=columns, histogram=histogram, show_stats=show_stats,
                     play=play, values=values, link=link, throttle=throttle, max_buffered_frames=max_buffered_frames,
                     height=height, title=title, level=level)
