"""TensorImage: the matplotlib artist that shows a tensor of any size and reads only what the screen can show.

Names with an underscore are for the modules of this package.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Literal

import matplotlib.artist as martist
import numpy as np
from matplotlib.colors import Normalize
from matplotlib.image import AxesImage

from ... import _native
from ...arrays.pyramids import at_level
from ...choices import check_choice, check_flag
from ...color.alpha import host_alpha
from ...color.color_limits import check_limits_choice, robust_percents, wanted_limits
from ...color.rgb import check_denorm
from ...color.style import MarkColors, may_be_sharp
from ...notices import note_clipped
from ...options import VIEW, bare, like
from ...picture.png import write_png
from ...plane.aggs import AGGS, NAN_POLICIES, OTHER_UNITS
from ...plane.limits import WANT_RANKS
from ..axis_labels import name_axes
from ..figures import is_for_layout
from . import colorize, cursor, draw, expected_geometry, waiting
from .cell_cache import CellCache
from .class_colors import ClassColors
from .computed_plane import ComputedPlane
from .element_proxy import ElementProxy
from .elsewhere import hatch_elsewhere
from .extent import check_extent
from .image_data import load_plane
from .lifetime import Keeper
from .norm_and_limits import NormAndLimits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes

    from ... import typing as t
    from ...statistics.result import Stats
    from .image_plane import ImagePlane

NOT_FINITE_OR_MASKED = _native.HAS_NAN | _native.HAS_POS_INF | _native.HAS_NEG_INF | _native.HAS_MASKED

# The base class's draw without its wrapper, which must not be applied twice.
_draw_image = inspect.unwrap(AxesImage.draw)


@bare
class TensorImage(Keeper, ClassColors, NormAndLimits, AxesImage):
    """An image in an Axes whose data stays where it is; returned by `gpuplot.imshow`.

    Every draw reduces the visible part to the renderer's size in pixels. Elements that are smaller than pixels are reduced to cells,
    one per pixel; of larger ones the visible elements are copied, and matplotlib itself draws them.

    Parameters
    ----------
    ax : Axes
    view : dict, optional
        The keywords that choose a plane of an N-D tensor: ``dims, x, y, index, reduce, rgb, denorm, complex_mode``.
    agg : str, optional
        How elements become a cell: "mean", "max", "min", "absmax", "range", "std", "var", "sum", "count" or "nearest". Default:
        "mean", or "nearest" where that (or "none") was given as the interpolation.
    nan : {"auto", "show", "skip"}, optional
        Whether a cell with an element that is not finite is marked, or shows its finite elements; see `imshow`.
    marks : MarkColors, optional
        Colors of NaN, +Inf, -Inf, and of values outside the limits.
    limits, robust, center
        How limits are found, as in `imshow`.
    labels : dict, optional
        Texts for values under the pointer.
    stream : int or object, optional
        On which tensors are written, as in `imshow`.
    client, progress, wait, level : optional
        Who reads arrays in chunks, how progress is shown, whether draws wait, and which level of a pyramid is read, as in `imshow`.
    **properties
        As for `matplotlib.image.AxesImage`.

    Examples
    --------
    >>> import gpuplot
    >>> im = gpuplot.imshow([[1, 2], [3, 4]])
    >>> im.update([[5, 6], [7, 8]])
    >>> im.tensor.tolist()
    [[5, 6], [7, 8]]
    """

    axes: Axes
    agg: t.Agg | None
    robust: t.Robust
    center: t.Center | None
    labels: t.Labels | None
    stream: t.Stream | None

    def __init__(
            self, ax: Axes, *, view: Mapping[str, Any] | None = None, agg: t.Agg | None = None, nan: t.Nan = "auto",
            marks: MarkColors | None = None, limits: t.Limits = "auto", robust: t.Robust = False, center: t.Center | None = None,
            labels: t.Labels | None = None, stream: t.Stream | None = None, client: t.Client | None = None,
            progress: t.Progress | None = None, wait: t.Wait = "auto", level: int | None = None, **properties: Any) -> None:
        self._cells = CellCache(nan=check_choice("nan", nan, NAN_POLICIES))
        self._assigned = None  # what `_A` was set to, where there is no plane
        self._auto_limits = None  # `AutoLimits`, where limits were found in the data
        self._geometry_of_draw = None  # `ImageGeometry`, while limits are found for a draw
        self._beside = None  # another image with the same norm, of which the ends of the colorbar tell, too
        self._class_options = None  # (cmap, ignore_index), where elements are class numbers
        self._bar_classes = None  # the classes in the colorbar that `imshow` made
        self._slice_title = ""  # the title that says which plane of the tensor is shown
        self._place_pointed_at = ""  # the index of the element under the pointer, as text
        self._incomplete_text = ""  # the progress or the error of an incomplete picture of chunks
        self._is_drawing = False
        self._is_note_due = False  # whether clipped colors are still to be warned of
        self._is_centered = False  # whether the limits lie at equal distances from a center
        self._is_scaled_later = False  # whether missing limits are left to the first draw
        self._tells_ends = False  # whether the ends of the colorbar follow the limits
        self._view_options = VIEW | (view or {})
        self._denorm = self._view_options["denorm"]
        check_denorm(self._denorm)
        self.agg = None if agg is None else check_choice("agg", agg, AGGS)
        check_limits_choice(limits, self.agg)
        self._limits_choice = limits
        self._marks = MarkColors() if marks is None else marks
        self.robust, self.center, self.labels, self.stream = robust, center, labels, stream
        self._client, self._progress, self._wait, self._level = client, progress, check_flag("wait", wait, "auto"), level
        super().__init__(ax, **properties)
        self._own_norm = self.norm  # None where the norm is the caller's object
        self._drawn_colors = self._colors_now()  # as of the last change, to tell changes of colors from those of elements

    # ---- the data ------------------------------------------------------------------------------------------------------

    @property
    def plane(self) -> ImagePlane | None:
        """The `ImagePlane` that is shown, or None."""
        return self._cells.plane

    @property
    def tensor(self) -> Any:
        """The object whose elements are read at every draw; a copy of it where its plane is small; None once let go."""
        return None if self.plane is None else self.plane.tensor

    @property
    def hidden_text(self) -> str:
        """What was done to the axes of the tensor that are not seen, such as ``"index {0: 5}"``, and the level of a pyramid."""
        return "" if self.plane is None else self.plane.hidden_text

    @property
    def _A(self):
        plane, limits = self.plane, self._cells.known_limits
        if plane is None:
            return self._assigned
        if self._is_drawing and not plane.is_gathered:
            return ElementProxy(plane)
        host = plane.host_array(is_finite=limits is not None and not limits.has & NOT_FINITE_OR_MASKED)
        return ElementProxy(plane) if host is None else host

    @_A.setter
    def _A(self, array):
        self._show(None)
        self._assigned = array

    def _show(self, plane):
        if self.plane is not None and self.plane.answers is not None:
            self.plane.answers.forget()
        self._cells = CellCache(plane, self._cells.nan)
        self._assigned = self._imcache = None
        self._is_note_due = True
        if plane is not None and plane.color_range is not None and self._denorm is None:
            self._note_clipped(plane.color_range)

    def set_data(self, A: t.TensorLike) -> None:
        """Shows another tensor; color limits and extent stay.

        Parameters
        ----------
        A : array_like
            Anything `imshow` takes, read with the same choice of axes.
        """
        if isinstance(self.plane, ComputedPlane):
            plane = self.plane.another(A)
        else:
            plane = load_plane(at_level(A, self._level), self._view_options, self.stream, self._cells.nan, self._client, self._progress)
        plane.check_agg(self.agg)
        check_denorm(self._denorm, plane.is_rgb, plane.array_shape if plane.view is None else plane.view.tensor_shape)
        note = "" if self.plane is None else self.plane.note
        self._show(plane)
        self._color_new_classes()
        if self._slice_title:
            name_axes(self)
        if note != plane.note and self.axes.get_xlabel() == note:
            self.axes.set_xlabel(plane.note)
        self.stale = True

    def set_array(self, A: t.TensorLike) -> None:
        """Shows another tensor, as `set_data`."""
        self.set_data(A)

    @like(AxesImage.get_shape)
    def get_shape(self):
        """Sizes of the plane: rows, columns, and channels where it is colors."""
        return super().get_shape() if self.plane is None else self.plane.array_shape

    def update(self, X: t.TensorLike | dict[str, Any] | None = None) -> Any:
        """Reads the tensor again, or shows another one; limits that were found in the data are kept.

        Parameters
        ----------
        X : array_like or dict, optional
            The new tensor, needed for a plane of at most 2**20 elements, as that was copied at the call. A dict is what
            `matplotlib.artist.Artist.update` takes: properties to set.

        Examples
        --------
        >>> weights -= 0.1 * gradient           # doctest: +SKIP
        >>> im.update()                         # doctest: +SKIP
        """
        if issubclass(type(X), dict) and not hasattr(X, "toarray"):  # isinstance believes a mock's __class__; a dok_array is a dict
            return super().update(X)
        if X is not None:
            return self.set_data(X)
        self._reread()
        self._color_new_classes()
        return None

    def _reread(self):
        self._cells.forget()
        self.stale = True

    def changed(self) -> None:
        """Tells observers that the image changed; where its colors did not, the tensor is read again at the next draw."""
        colors = self._colors_now()
        if colors == getattr(self, "_drawn_colors", colors):
            self._reread()
        self._drawn_colors = colors
        super().changed()

    def _colors_now(self):
        norm = self.norm
        limits = (norm.vmin, norm.vmax) if isinstance(norm, Normalize) else ()
        return id(norm), limits, id(self.cmap)

    def set_index(self, index: Mapping[Any, int]) -> None:
        """Shows another plane of an N-D tensor; color limits stay.

        Parameters
        ----------
        index : dict of axis to int
            For axes that are not shown; the others stay where they are.

        Raises
        ------
        ValueError
            The tensor was let go, or an axis that is not there.
        IndexError
            An index outside its axis.
        """
        source = None if self.plane is None else self.plane.tensor_source
        if source is None:
            raise ValueError("set_index: this image keeps no tensor with other planes; make it with imshow of an N-D tensor"
                             + (", and with rgb=False where no axis is colors" if self.plane is not None and self.plane.is_rgb else ""))
        options = self._view_options | {"index": {**(self._view_options["index"] or {}), **index}}
        self._show(load_plane(source, options, None, self._cells.nan, self._client, self._progress))
        self._view_options = options
        self._color_new_classes()
        name_axes(self)
        self.stale = True

    def set_agg(self, agg: t.Agg | None) -> None:
        """Sets how elements become a cell; None is the default. Limits follow where the units change."""
        was_other = self._cell_agg in OTHER_UNITS
        agg = None if agg is None else check_choice("agg", agg, AGGS)
        if self.plane is not None:
            self.plane.check_agg(agg)
        check_limits_choice(self._limits_choice, agg)
        self.agg = agg
        if (self._cell_agg in OTHER_UNITS) != was_other or (self._auto_limits is not None and self._auto_limits.are_in_force(self)):
            self.autoscale()
        self.stale = True

    # ---- cells -------------------------------------------------------------------------------------------------------------

    @property
    def _cell_agg(self):
        """The aggregation in force."""
        if self.agg is not None:
            return self.agg
        return "nearest" if self._is_filter_given and self._interpolation in ("nearest", "none") else "mean"

    @property
    def _is_sharp(self):
        """Whether the default aggregation is in force, for which means may be weighted by Mitchell's filter."""
        # matplotlib's "auto" is "hanning" when it reduces.
        return self.agg is None and self.get_interpolation() in ("auto", "antialiased", "hanning") and may_be_sharp(self.norm)

    @property
    def _averages_colors(self):
        """Whether the caller chose to color elements before averaging them (``interpolation_stage="rgba"``)."""
        is_numbers = self.plane is not None and not (self.plane.is_rgb or self.plane.is_hue)
        return (is_numbers and self._is_stage_given and self._interpolation_stage == "rgba" and self._cell_agg == "mean"
                and self.agg is None)

    @property
    def _has_mark_colors(self):
        """Whether a color of NaN, infinities or values outside the limits was given, in place of the colormap's."""
        return self._marks != MarkColors()

    def _frame_of(self, window, agg=None, style=None):
        """The cells of a window; those of the last draw if nothing has changed. ``style()`` is as in `CellCache.frame_of`."""
        agg = agg or self._cell_agg
        # Limits of a plane in chunks need all of its chunks: not asked for if the norm has limits and only a part is seen.
        want = 0 if self.plane.is_chunked and self.norm.scaled() and not window.covers(self.plane.shape) else wanted_limits(self.norm)
        want |= WANT_RANKS if want and self.plane.is_chunked and robust_percents(self.robust) is not None else 0
        return self._cells.frame_of(window, agg, self._is_sharp and agg == "mean", want, style)

    def _element_limits(self):
        """`Limits` of the plane's elements that the norm needs, found once."""
        return self._cells.limits(wanted_limits(self.norm))

    def _present_geometry(self):
        """The geometry of the current draw, or what the next one will have if the layout stays."""
        return self._geometry_of_draw or expected_geometry.expected_geometry(self)

    def _present_frame(self, geometry=None, search=None):
        """The cells that the next draw will show if the layout stays; None where it shows none, or elements of a turned plane.

        `geometry` is the present one, where the caller has it; `search` the `LimitsSearch` for the limits of that draw, if any.
        """
        geometry = self._present_geometry() if geometry is None else geometry
        window = draw.drawn_window(self, geometry) if self.plane.size and geometry.box is not None else None
        if window is None:
            return None
        is_drawn = geometry.is_separable and all(geometry.is_dense) and not self._averages_colors
        style = (lambda: colorize.style_of(self, colorize.factors(self, window), search)) if search and is_drawn else None
        return self._frame_of(window, style=style)

    def _note_clipped(self, extremes):
        """Warns once for each tensor of color values outside 0 to 1; `extremes` are its (lowest, highest)."""
        if self._is_note_due:
            self._is_note_due = not note_clipped(self.plane, extremes, self._denorm)

    # ---- drawing ---------------------------------------------------------------------------------------------------------

    @like(AxesImage.draw)
    @martist.allow_rasterization
    def draw(self, renderer):
        # Tested here, as the base class's own test would make a masked array of all elements.
        if self.get_visible() and self.plane is None and self._assigned is None:
            raise RuntimeError("this image has no data, or was removed from its Axes, which releases its data: call set_data first")
        self._is_drawing = True
        try:
            _draw_image(self, renderer)
        finally:
            self._is_drawing = False
        if self.get_visible() and not is_for_layout(renderer):
            draw.draw_empty_text(self, renderer)
            waiting.draw_incomplete_text(self, renderer)
            hatch_elsewhere(self, renderer)

    @like(AxesImage.make_image)
    def make_image(self, renderer, magnification=1.0, unsampled=False):
        # docstring inherited
        if self.plane is None or not self.plane.size:
            return super().make_image(renderer, magnification, unsampled)
        self._incomplete_text = ""
        if is_for_layout(renderer) or waiting.is_waited_for(self):
            return self._make_all(renderer, magnification, unsampled)
        return waiting.make_image(self, lambda: self._make_all(renderer, magnification, unsampled), magnification)

    def _make_image(self, A, *args, **kwargs):
        if A.ndim == 3 and A.dtype.char in "?g":  # colors that matplotlib cannot resample: booleans and long doubles
            A = A.astype(float)
        return super()._make_image(A, *args, **kwargs)

    def _make_all(self, renderer, magnification, unsampled):
        """`make_image` of a plane with elements; raises `Pending` where elements are still being read."""
        if not is_for_layout(renderer):
            self._follow_view()
        if draw.is_left_to_matplotlib(self, magnification):
            return super().make_image(renderer, magnification, unsampled)
        if is_for_layout(renderer):
            return draw.NOTHING
        if not self.norm.scaled():
            self.autoscale_None()
        return draw.draw(self, magnification, unsampled)

    @like(AxesImage.set_alpha)
    def set_alpha(self, alpha):
        # docstring inherited
        before, alpha = self._alpha, host_alpha(alpha)
        if np.ndim(before) and not np.ndim(alpha):
            self._alpha, self.stale = None, True  # the base class compares old and new with !=, which fails for an array
        try:
            super().set_alpha(alpha)
        except BaseException:
            self._alpha = before
            raise

    def set_interpolation(self, s: str | None) -> None:
        # docstring inherited
        if s is not None and not isinstance(s, str):
            raise TypeError(f"interpolation={s!r} must be the name of a filter, such as 'nearest' or 'bilinear', or None")
        super().set_interpolation(s)
        self._is_filter_given = s is not None

    @like(AxesImage.set_interpolation_stage)
    def set_interpolation_stage(self, s):
        # docstring inherited
        super().set_interpolation_stage(s)
        self._is_stage_given = s is not None

    @like(AxesImage.set_extent)
    def set_extent(self, extent, **kwargs):
        # docstring inherited
        check_extent(extent)
        super().set_extent(extent, **kwargs)

    # ---- numbers, pointer and file --------------------------------------------------------------------------------------

    def stats(
            self, region: Literal["slice", "view", "all"] = "slice", *, bins: int = 64,
            value_range: tuple[float, float] | None = None, percentiles: Iterable[float] = (1, 2, 50, 98, 99)) -> Stats:
        """Statistics of the elements behind the picture, as `gpuplot.stats` has them.

        Parameters
        ----------
        region : {"slice", "view", "all"}
            The plane that is shown, the part of it that is visible now, or the whole tensor, no axis of it reduced.
        bins, value_range, percentiles
            As in `gpuplot.stats`.

        Returns
        -------
        Stats
            Of the shape and dtype of the tensor, with its indices; of complex elements what the picture shows of them.

        Raises
        ------
        ValueError
            Another region, nothing to look at, or "all" where the image has let its tensor go.
        """
        from .image_stats import image_stats  # with the package of statistics, which a picture needs for nothing else

        return image_stats(self, region, {"bins": bins, "value_range": value_range, "percentiles": percentiles})

    @like(AxesImage.get_cursor_data)
    def get_cursor_data(self, event):
        # docstring inherited
        return super().get_cursor_data(event) if self.plane is None else cursor.cursor_data(self, event)

    @like(AxesImage.format_cursor_data)
    def format_cursor_data(self, data):
        # docstring inherited
        if isinstance(data, cursor.CellValue):
            return cursor.cursor_text(self, data, "")
        try:
            text = super().format_cursor_data(data)
        except OverflowError:  # colors next to its own are without end on the norm's scale
            text = f"[{data:g}]"
        return cursor.cursor_text(self, data, text)

    def __repr__(self):
        return f"<{self}, {self.hidden_text}>" if self.hidden_text else super().__repr__()

    @like(AxesImage.write_png)
    def write_png(self, fname):
        """Writes the colors of all elements to a PNG file."""
        if self.plane is None or (self.plane.is_gathered and not self.plane.needs_own_colors):
            super().write_png(fname)
        else:
            rgba = colorize.colors_of_all(self)
            write_png(fname, rgba if self.origin == "upper" else rgba[::-1])
