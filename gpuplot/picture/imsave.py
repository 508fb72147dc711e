"""`imsave`: a tensor -> a PNG file, without a figure."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, overload

from ..arrays.describe import describe_in_place
from ..arrays.frozen import freeze
from ..arrays.pyramids import at_level
from ..choices import check_choice, check_flag
from ..notices import warn
from ..options import all_keywords, public, shared, untraced
from ..plane.picture_size import check_shape, shape_for_width
from .grid_render import GridRender
from .png import check_png, write_png
from .render_spec import RenderSpec

if TYPE_CHECKING:
    from .. import typing as t
    from .file_transfer import FileTransfer

# Pictures so many times longer than wide, or wider than high, are strips.
MAX_RATIO = 64


@overload
def imsave(
        fname: t.Target, X: t.TensorLike, /, *, width: int | None = None, shape: t.Shape | None = None,
        view: t.View | None = None, origin: Literal["upper", "lower"] | None = None, format: Literal["png"] | None = None,
        dpi: float | None = None, metadata: t.Texts | None = None, grid: bool | Mapping[str, Any] = False,
        blocking: Literal[True] = True, collective: bool = False,
        dims: t.Dims | None = None, x: t.Axis | None = None, y: t.Axis | None = None, index: t.Index | None = None,
        reduce: t.Reduce | None = None, rgb: t.Axis | None = None, denorm: t.Denorm | None = None,
        complex_mode: t.ComplexMode = "amplitude", agg: t.Agg | None = None, nan: t.Nan = "auto", cmap: t.Cmap | None = None,
        norm: t.Norm | None = None, vmin: float | None = None, vmax: float | None = None, gamma: float | None = None,
        limits: t.Limits = "auto", robust: t.Robust = False, center: t.Center | None = None, categorical: bool | None = None,
        ignore_index: t.Ignored | None = None, labels: t.Labels | None = None, alpha: t.Alpha | None = None,
        nan_color: t.Color | None = None, pos_inf_color: t.Color | None = None, neg_inf_color: t.Color | None = None,
        under_color: t.Color | None = None, over_color: t.Color | None = None, stream: t.Stream | None = None,
        client: t.Client | None = None, progress: t.Progress | None = None, level: int | None = None) -> None: ...
@overload
def imsave(fname: t.Target, X: t.TensorLike, /, *, blocking: Literal[False], **options: Any) -> FileTransfer: ...
@public
def imsave(
        fname, X, /, *, width=None, shape=None, view=None, origin=None, format=None, dpi=None, metadata=None, grid=False,
        blocking=True, collective=False, dims=None, x=None, y=None, index=None, reduce=None, rgb=None, denorm=None,
        complex_mode="amplitude", agg=None, nan="auto", cmap=None, norm=None, vmin=None, vmax=None, gamma=None, limits="auto",
        robust=False, center=None, categorical=None, ignore_index=None, labels=None, alpha=None, nan_color=None, pos_inf_color=None,
        neg_inf_color=None, under_color=None, over_color=None, stream=None, client=None, progress=None, level=None):
    """Writes a picture of a tensor to a PNG file: the pixels of `to_rgba`, no axes, no figure, no display.

    Parameters
    ----------
    fname : str, path-like or binary file object
        A name that ends in ``.png``, or with `format` any name. The file is written whole or not at all: what was there stays
        until the new picture is complete. Symbolic links are followed, the mode of an existing file is kept.
    X : array_like
        Anything `imshow` takes.
    width : int, optional
        Columns of the picture in pixels; rows follow from the aspect, as elements are square. Default: one pixel per element,
        however many.
    shape : (int, int), optional
        Rows and columns of the picture in pixels, in place of `width`, such as those of a long plane whose elements are stretched.
    view : ((float, float), (float, float)), optional
        Rows and columns of the plane to show, in elements: element j covers [j, j + 1). Default: all.
    origin : {"upper", "lower"}, optional
        Whether element (0, 0) is at the top or at the bottom. Default: at the bottom if rows have coordinates that rise, as
        those of xarray may, else ``rcParams["image.origin"]``. In a grid this applies to each image; the first image is at
        the top in either case.
    format : {"png"}, optional
        If given, the file has exactly the name `fname`, whatever its ending, as with ``pyplot.imsave``. For other formats use a
        figure: ``Figure.savefig``.
    dpi : float, optional
        Written into the file for programs that print it, in dots per inch. Not written by default.
    metadata : dict of str to str, optional
        Texts for the file, such as ``{"Title": "layer 3"}``. The keys Software, and Description with the position of the slice
        along the hidden axes, are added; a value of None leaves a key out.
    grid : bool or dict, optional
        True: X is a batch of images, which are written side by side as `grid` shows them; a dict has keywords of `grid`, such as
        ``{"nrow": 4, "normalize": True}``, where `max_items` is all by default.
    blocking : bool, default: True
        False returns a handle at once, like that of `asnumpy`, with ``wait()``, ``done()``, ``result()`` and ``cancel()``; a thread
        compresses and writes. The tensor may be modified as soon as the call returns: of a tensor of torch or CuPy on a GPU a copy is
        queued on its stream, for which the thread waits; all other tensors, and those given with `stream`, are reduced before the call
        returns. Leave a file object to the thread until it is done. Files that are not written yet hold at most 256 MB of pixels and
        copies, or one file: a call that finds no room waits.
    client, progress : optional
        Who reads an array in chunks, and how progress is shown: see `imshow`.
    level : int, optional
        Of a pyramid, which level is read: see `imshow`. `view` and `index` stay in elements of level 0.
    collective : bool, default: False
        For an array that is spread over several processes. True: all of them make this call, with the same parameters; each reduces
        its own shards, one gather per pass exchanges the results (never elements), and all return the same result, bit for bit.
        False: such an array is an error, as no process has all of it. Only the first process writes the file.
    dims, x, y, index, reduce, rgb, denorm, complex_mode, agg, nan, stream : optional
        Which plane, and how it is reduced: see `imshow`.
    cmap, norm, vmin, vmax, gamma, limits, robust, center, categorical, ignore_index, labels, alpha : optional
        How it is colored: see `imshow`.
    nan_color, pos_inf_color, neg_inf_color, under_color, over_color : optional
        Colors of what has no place in the colormap: see `imshow`.

    Returns
    -------
    FileTransfer or None
        The handle, where `blocking` is False.

    Raises
    ------
    ValueError
        Another format, a size that no picture has, both `width` and `shape`, and all that `to_rgba` refuses.
    TypeError
        Not a tensor of numbers (`UnsupportedError`), or a target that cannot be written to.
    OSError
        The file cannot be written; it then stays as it was. With ``blocking=False`` the handle raises the error; if neither
        ``wait()`` nor ``result()`` is called, a warning has it.
    DeviceError
        The tensor's device cannot be used: no driver, an error of the driver, memory that was freed.
    ChunkError
        A chunk of a large array of dask, zarr or HDF5 cannot be read or computed, or another process cannot look at its part.

    Warns
    -----
    GpuplotWarning
        The picture is blank, because no element is finite, or a narrow strip, because `width` was given for a very long plane; colors
        were clipped, or NaN was left out.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> weights = np.random.default_rng(0).normal(size=(512, 1376)).astype("float32")
    >>> gpuplot.imsave("weights.png", weights, width=688, cmap="RdBu", center=0)
    """
    given = SimpleNamespace(**locals())
    _check(given)
    check_flag("blocking", blocking)
    given.X, given.level = at_level(X, level), None
    if not blocking:
        return _in_a_thread(given)
    file = _PictureFile(given)
    rgba = file.render()  # by each process, as all take part in the exchange
    if not collective or file.spec.source.is_first_process:
        file.write(rgba)
    return None


@untraced
def begin_imsave(fname, X, **options):
    """Makes the pixels of `imsave`; returns a function that writes them, which any thread may call, and facts about the picture.

    The facts are ``place``, the place of the slice as text, ``limits``, those of its colors or None, as of a blank picture and where
    one is not finite, and ``blank``, why nothing is seen, or None. JSON can hold them.
    """
    given = SimpleNamespace(fname=fname, X=X, **all_keywords(imsave, options))
    _check(given)
    given.X, given.level = at_level(X, given.level), None
    file = _PictureFile(given)
    rgba = file.render()
    limits = file.spec.color_limits if rgba[..., 3].any() else None
    is_told = limits is not None and all(map(math.isfinite, limits))
    facts = {"place": file.spec.place_text, "limits": limits if is_told else None, "blank": file.why_blank}
    return (lambda: file.write(rgba)), facts


def _check(given):
    """Raises for parameters of `imsave`, the attributes of `given`, that do not go together; reads nothing."""
    check_target(given.fname, given.format)
    check_png(given.fname, given.dpi, given.metadata)
    if given.width is not None and given.shape is not None:
        raise ValueError("give width or shape, not both")
    check_choice("origin", "upper" if given.origin is None else given.origin, ("upper", "lower"))
    if given.collective is not False and not (given.blocking and given.grid is False):
        raise ValueError("collective=True is for the picture of one tensor, which all processes make at once: leave blocking=False and "
                         "grid out")
    if given.grid is not False and not (given.client is given.progress is given.level is None):
        raise ValueError("client, progress and level are for one array in chunks, and grid shows several tensors: leave them out")


class _PictureFile:
    """The pixels of a picture, and what else its file has."""

    def __init__(self, given):
        options = shared(vars(given))
        self.spec = RenderSpec(given.X, options, given.collective, given.client, given.progress) if given.grid is False else \
            GridRender(given.X, given.grid, options, given.origin)
        by_width = _one_per_element if given.width is None else lambda extent: _with_square_elements(extent, given.width)
        self.window = self.spec.window(given.view, given.shape, by_width)
        self._texts = with_description(given.metadata, self.spec.place_text)
        self._is_upward = self.spec.is_upward if given.origin is None else given.origin == "lower"
        self._fname, self._dpi = given.fname, given.dpi
        self.why_blank = None  # known once the picture is rendered

    def render(self):
        """The pixels, an array of bytes."""
        rgba = self.spec.rgba(self.window)
        self.why_blank = self.spec.why_blank(rgba)
        if self.why_blank is not None:
            warn(self.why_blank)
        return rgba[::-1] if self._is_upward else rgba

    def write(self, rgba):
        """Writes pixels to the file."""
        write_png(self._fname, rgba, dpi=self._dpi, metadata=self._texts)


def _frozen(X, stream):
    """A copy of a device's tensor for a thread that reads it later; None if the tensor has to be read at once."""
    try:
        source = describe_in_place(X, stream)
    except (TypeError, ValueError):  # tensors of a grid, or an object that is refused later
        return None
    return None if source.device is None else freeze(X, source, stream)


def _in_a_thread(given):
    """Starts a thread that writes the file, and returns its handle; pixels are made by the thread if it has a copy of the tensor."""
    from .file_transfer import FileTransfer

    fname, frozen = given.fname, _frozen(given.X, given.stream)
    if frozen is not None:
        given.X, given.stream = frozen.tensor, frozen.stream
    if isinstance(fname, (str, bytes, os.PathLike)):
        given.fname = os.path.abspath(fname)  # it is written where it belongs now: programs change their folder
    file = _PictureFile(given)
    if frozen is not None:
        return FileTransfer(fname, file.render, file.write, frozen.n_bytes + 4 * math.prod(file.window.shape)).start()
    rgba = file.render()
    return FileTransfer(fname, lambda: rgba, file.write, rgba.nbytes).start()


def with_description(metadata, where):
    """`metadata` with `where`, the place of the slice, as the default of "Description"."""
    return {"Description": where} | (metadata or {}) if where else metadata


def _one_per_element(extent):
    return check_shape(tuple(max(1, math.ceil(n)) for n in extent))


def _with_square_elements(extent, width):
    """Rows and columns of a picture of a width; a warning says what to do about a strip, in which rows or columns are hard to see."""
    shape = shape_for_width(extent, width)
    if max(shape) > MAX_RATIO * min(shape):
        warn(f"the picture is a strip of {shape[0]} x {shape[1]} pixels, as elements are square and there are {extent[0]:g} x "
             f"{extent[1]:g}: give rows and columns of pixels in place of width, such as shape=({width}, {width})")
    return shape


def check_target(fname, format=None, call="imsave(fname, X)"):
    """An error, with how to `call` it, unless `fname` is a file object, the name of a PNG file, or any name with a `format`."""
    if format is not None and (not isinstance(format, str) or format.lower() != "png"):
        raise ValueError(f"format={format!r}: imsave writes PNG; use gpuplot.imshow and Figure.savefig for other formats")
    if isinstance(fname, (str, bytes, os.PathLike)):
        name = os.fspath(fname)
        suffix = b".png" if isinstance(name, bytes) else ".png"
        if format is None and not name.lower().endswith(suffix) and not _is_special(name):
            raise ValueError(f"imsave writes PNG and {name!r} does not end in .png: add that; use gpuplot.imshow and Figure.savefig "
                             "for other formats")
    elif not hasattr(fname, "write"):
        raise TypeError(f"fname must be a name or a binary file object, not {type(fname).__name__}; it comes first, {call}")


def _is_special(name):
    """Whether a name is a device or a pipe, which need no suffix."""
    return os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name)
