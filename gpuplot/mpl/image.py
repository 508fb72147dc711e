"""TensorImage: the matplotlib artist that shows a tensor of any size and reads only what the screen can show.

Its public names are those that it declares, beside those of matplotlib. Names with an underscore are for all modules of the
package.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Literal

import matplotlib.artist as martist
import numpy as np
from matplotlib.colors import Normalize
from matplotlib.image import AxesImage

from .. import _native
from ..color.categories import category_colors, is_categorical_dtype
from ..color.classes import Classes
from ..color.color_limits import check_limits_choice, wanted_limits
from ..color.rgb import check_denorm
from ..color.style import OWN_NORMS, MarkColors
from ..notices import left_out_text, note_clipped, warn
from ..options import VIEW, bare, like
from ..plane.cell_budget import keep_within_budget
from ..plane.plane import ElementProxy, lacks, mask_invalid
from ..plane.reduce import AGGS, NAN_POLICIES, OTHER_UNITS, Span, Window, check_choice, native_nan
from . import autoscaling, colorize, cursor, draw, expected_geometry, image_stats
from .class_bars import refresh_class_bar
from .colorbars import refresh_ends
from .image_data import load_plane
from .image_file import write_all
from .lifetime import Keeper

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes

    from .. import typing as t
    from ..plane.plane import Plane
    from ..statistics.result import Stats

__all__ = ["TensorImage"]

NOT_FINITE = _native.HAS_NAN | _native.HAS_POS_INF | _native.HAS_NEG_INF | _native.HAS_MASKED

# The base class's drawing without its wrapper, which must not be applied twice.
_draw_image = inspect.unwrap(AxesImage.draw)


def check_agg_of_colors(plane, agg):
    """Refuses what cannot be done with colors when it is asked for, not when the figure is drawn."""
    if plane.is_rgb and agg not in (None, "mean", "nearest"):
        raise ValueError(f"agg={agg!r} of colors has no meaning: use mean or nearest, or rgb=False to look at one channel")


@bare
class TensorImage(Keeper, AxesImage):
    """An image in an Axes whose data stays where it is; `gpuplot.imshow` makes it.

    Every draw asks for exactly the visible part at the renderer's size in pixels. Where elements are smaller than pixels
    they are reduced to cells, one per pixel; where they are larger, those that are seen are drawn by matplotlib itself.

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
            labels: t.Labels | None = None, stream: t.Stream | None = None, **properties: Any) -> None:
        self._data_version = 0
        self._plane = self._assigned = self._frame = self._frame_key = self._limits = self._found = None
        self._class_options = self._bar_classes = self._classes_known = self._geometry_of_draw = None
        self._slice_title = ""
        self._is_drawing = self._is_note_due = self._is_nan_note_due = self._is_centered = self._tells_ends = False
        self._view_options = VIEW | (view or {})
        self._denorm = self._view_options["denorm"]
        check_denorm(self._denorm)
        self.agg = None if agg is None else check_choice("agg", agg, AGGS)
        check_limits_choice(limits, self.agg)
        self._limits_choice = limits
        self._nan_policy = check_choice("nan", nan, NAN_POLICIES)
        self._marks = MarkColors() if marks is None else marks
        self.robust, self.center, self.labels, self.stream = robust, center, labels, stream
        super().__init__(ax, **properties)
        self._own_norm = self.norm
        self._drawn_colors = self._colors_now()

    # ---- the data ------------------------------------------------------------------------------------------------------

    @property
    def plane(self) -> Plane | None:
        """The `Plane` that is shown, or None."""
        return self._plane

    @property
    def tensor(self) -> Any:
        """The object whose elements are read at every draw; a copy of it where its plane is small; None once let go."""
        return None if self._plane is None else self._plane.tensor

    @property
    def hidden_text(self) -> str:
        """What was done to the axes of the tensor that are not seen, such as ``"index {0: 5}"``."""
        return "" if self._plane is None or self._plane.view is None else self._plane.view.hidden_text

    @property
    def _A(self):
        if self._plane is None:
            return self._assigned
        if self._is_drawing and not self._plane.is_gathered:
            return ElementProxy(self._plane)
        host = self._plane.host_array(is_finite=self._limits is not None and not self._limits.has & NOT_FINITE)
        return ElementProxy(self._plane) if host is None else host

    @_A.setter
    def _A(self, array):
        self._show(None)
        self._assigned = array

    def _show(self, plane):
        self._plane, self._assigned, self._limits = plane, None, None
        self._data_version += 1
        self._frame = self._frame_key = self._imcache = None
        self._is_note_due = self._is_nan_note_due = True
        if plane is not None and plane.color_range is not None and self._denorm is None:
            self._note_clipped(plane.color_range)

    def set_data(self, A: t.TensorLike) -> None:
        """Shows another tensor; color limits and extent stay.

        Parameters
        ----------
        A : array_like
            Anything `imshow` takes, read with the same choice of axes.
        """
        plane = load_plane(A, self._view_options, self.stream, self._nan_policy)
        check_agg_of_colors(plane, self.agg)
        check_denorm(self._denorm, plane.is_rgb, plane.array_shape if plane.view is None else plane.view.tensor_shape)
        self._show(plane)
        self._color_new_classes()
        if self._slice_title:
            self._name_axes()
        self.stale = True

    def set_array(self, A: t.TensorLike) -> None:
        """Shows another tensor, as `set_data`."""
        self.set_data(A)

    @like(AxesImage.get_shape)
    def get_shape(self):
        """Sizes of the plane: rows, columns, and channels where it is colors."""
        return super().get_shape() if self._plane is None else self._plane.array_shape

    def update(self, X: t.TensorLike | dict[str, Any] | None = None) -> Any:
        """Reads the tensor again, or shows another one; limits that were found in the data are kept.

        Parameters
        ----------
        X : array_like or dict, optional
            The new tensor. A dict is what `matplotlib.artist.Artist.update` takes: properties to set.

        Examples
        --------
        >>> weights -= 0.1 * gradient           # doctest: +SKIP
        >>> im.update()                         # doctest: +SKIP
        """
        if issubclass(type(X), dict):  # not what the object says it is, as mocks do
            return super().update(X)
        if X is not None:
            return self.set_data(X)
        self._reread()
        self._color_new_classes()
        return None

    def _reread(self):
        self._data_version += 1
        self._frame = self._frame_key = self._limits = None
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
        source = None if self._plane is None else self._plane.tensor_source
        if source is None:
            raise ValueError("set_index: this image keeps no tensor with other planes; make it with imshow of an N-D tensor"
                             + (", and with rgb=False where no axis is colors" if self.plane is not None and self.plane.is_rgb else ""))
        kept = self._view_options
        options = kept | {"index": {**(kept["index"] or {}), **index}}
        self._show(load_plane(source, options, nan=self._nan_policy))
        self._view_options = options
        self._color_new_classes()
        self._name_axes()
        self.stale = True

    def set_agg(self, agg: t.Agg | None) -> None:
        """Sets how elements become a cell; None is the default. Limits follow where the units change."""
        was_other = self._cell_agg in OTHER_UNITS
        agg = None if agg is None else check_choice("agg", agg, AGGS)
        if self._plane is not None:
            check_agg_of_colors(self._plane, agg)
        check_limits_choice(self._limits_choice, agg)
        self.agg = agg
        if (self._cell_agg in OTHER_UNITS) != was_other or (self._found is not None and self._found.are_those_of(self)):
            self.autoscale()
        self.stale = True

    def _name_axes(self):
        """Writes the names of the tensor's axes, and where the slice is, into an Axes that says neither; follows `set_index`."""
        plane, ax = self._plane, self.axes
        if plane is None or ax is None:
            return
        for name, axis in () if plane.view is None else (("x", plane.view.col_axis), ("y", plane.view.row_axis)):
            text = plane.view.names[axis] if plane.view.names and axis is not None else ""
            if text and not getattr(ax, f"get_{name}label")():
                getattr(ax, f"set_{name}label")(text)
        before, self._slice_title = self._slice_title, plane.slice_text
        if ax.get_title() == before and not (ax.get_title("left") or ax.get_title("right")) and self._slice_title != before:
            ax.set_title(self._slice_title)

    def _show_classes(self, cmap, ignore_index):
        """Gives each class number of the plane a color, of the palette where `cmap` is None; ignored ones stay empty."""
        self._class_options = cmap, ignore_index
        cmap, norm = category_colors(self._find_classes(), cmap)
        self.set_norm(norm)
        self.set_cmap(cmap)

    def _find_classes(self):
        """The `Classes` of the plane. They read its elements when they are asked, so nobody keeps them."""
        return Classes.of(self._plane.reader, self._element_limits(), self._class_options[1])

    def _present_classes(self):
        """The classes that are there, None where they are many and lie too far apart; found once, which may take several passes."""
        key = self._data_version, self._class_options[1]
        if self._classes_known is None or self._classes_known[0] != key:
            self._classes_known = key, self._find_classes().present
        return self._classes_known[1]

    def _color_new_classes(self):
        """Other elements may have classes that none had before: in the palette all have their colors, in the colorbar entries."""
        if self._class_options is None or not is_categorical_dtype(self._plane.dtype):
            return
        first, last = self._find_classes().ends
        if self._class_options[0] is None and not self.norm.vmin <= first <= last <= self.norm.vmax:
            self._show_classes(*self._class_options)
        refresh_class_bar(self)

    # ---- reductions, each made once --------------------------------------------------------------------------------------

    @property
    def _cell_agg(self):
        """The aggregation in force."""
        if self.agg is not None:
            return self.agg
        return "nearest" if self._is_filter_given and self._interpolation in ("nearest", "none") else "mean"

    @property
    def _is_sharp(self):
        """True where nobody chose how elements become a cell: means may be Mitchell's."""
        # "hanning" is what matplotlib's "auto" stands for at such sizes.
        return self.agg is None and self.get_interpolation() in ("auto", "antialiased", "hanning")

    @property
    def _averages_colors(self):
        """True where elements are to be colored before they are averaged, because somebody said so."""
        is_numbers = self._plane is not None and not (self._plane.is_rgb or self._plane.is_hue)
        return (is_numbers and self._is_stage_given and self._interpolation_stage == "rgba" and self._cell_agg == "mean"
                and self.agg is None)

    @property
    def _has_mark_colors(self):
        """True where some color is not the colormap's."""
        return self._marks != MarkColors()

    def _frame_of(self, window, agg=None):
        """The cells of a window, from the last draw where nothing changed since."""
        agg = agg or self._cell_agg
        is_sharp = self._is_sharp and agg == "mean"
        key = self._data_version, window, agg, is_sharp, self._nan_policy
        frame = self._frame if key == self._frame_key else None
        if frame is None:
            want = wanted_limits(self.norm) if self._limits is None and not self._plane.is_gathered else 0
            has_nan = None if self._limits is None else bool(self._limits.has & _native.HAS_NAN)
            frame = self._plane.reduce(window, agg, self._nan_policy, want, has_nan, is_sharp)
            self._frame, self._frame_key = frame, key
            if key[0] == self._data_version:  # else update() came in another thread, and these are facts about older data
                self._limits = frame.limits or self._limits
            if frame.leaves_out_nan:
                self._note_left_out()
        keep_within_budget(self)
        return frame

    @property
    def _drawn_nan(self):
        """What the cells of the last draw do with what is not finite: for one cell nothing is decided anew."""
        frame = self._frame
        return "infinite" if frame is not None and frame.leaves_out_nan else native_nan(self._nan_policy)

    def _element_limits(self):
        """Facts about the elements of the plane that the norm needs, found once."""
        want = wanted_limits(self.norm)
        if self._limits is None or lacks(self._limits, want):
            self._limits = self._plane.limits(want)
        return self._limits

    def _kinds_found(self):
        """``HAS_*`` bits of the elements as far as they are known; 0 for no elements."""
        plane = self._plane
        if plane is None or not plane.size:
            return 0
        if self._limits is None and plane.is_gathered:
            mask = np.ma.getmask(plane.array)
            return self._element_limits().has if mask is not np.ma.nomask and mask.all() else _native.HAS_FINITE
        return 0 if self._limits is None else self._limits.has

    def _present_geometry(self):
        """Where the image will be drawn, as far as that is known before the figure is laid out."""
        return self._geometry_of_draw or expected_geometry.expected_geometry(self)

    def _present_frame(self):
        """Cells at the present size of the Axes, what the first draw will ask for, or None where none are seen."""
        geometry = self._present_geometry()
        is_seen = self._plane.size and geometry.box is not None and geometry.is_separable
        return self._frame_of(draw.window_of(self, geometry)) if is_seen else None

    def _reduce_ahead(self):
        """Reads a large tensor where it will be seen, and finds its limits in the same pass."""
        geometry = self._present_geometry()
        if not self._plane.size or geometry.box is None or not geometry.is_separable:
            return
        if all(geometry.is_dense):
            self._frame_of(geometry.window)
        elif not any(geometry.is_dense):
            self._decide_nan(geometry.touched)

    def _decide_nan(self, box):
        """Hidden axes leave out NaN where it would mark most elements of a box, as of cells that have one each: these, kept like others.

        None where there is nothing to decide.
        """
        plane, (row0, row1, col0, col1) = self._plane, box
        if self._nan_policy != "auto" or plane.is_gathered or plane.view is None or not plane.view.is_reduced:
            return None
        window = Window(Span(float(row0), float(row1), row1 - row0), Span(float(col0), float(col1), col1 - col0))
        return self._frame_of(window, "nearest")

    def _elements_of(self, box):
        """Elements for matplotlib's resampler, integers in the float type that their whole range asks for."""
        decided = self._decide_nan(box)
        if decided is not None and not self._plane.is_rgb:
            return mask_invalid(decided.cells.numpy())
        values = self._plane.box(*box, self._drawn_nan)
        if values.dtype.kind in "iu" and values.ndim == 2 and values.dtype.itemsize > 2:
            limits = self._element_limits()
            if limits.max - limits.min > 1e8:
                values = values.astype(float)
        return values

    def _colors_of(self, window):
        """uint8 (H, W, 4) of a window, without the artist's alpha."""
        return colorize.paint(self, self._plane.reduce(window, self._cell_agg, self._nan_policy), None)

    def _note_clipped(self, found):
        """Says once for each tensor that colors are outside their range; `found` is (lowest, highest), 1 is full."""
        if self._is_note_due:
            self._is_note_due = not note_clipped(self._plane, found, self._denorm)

    def _note_left_out(self):
        """Says once for each tensor that NaN was left out."""
        if self._is_nan_note_due:
            self._is_nan_note_due = False
            plane = self._plane
            n_nan = plane.limits(_native.WANT_RANGE | _native.WANT_COUNTS).n_nan
            warn(left_out_text(n_nan, plane.size, plane.view is not None and plane.view.is_reduced))

    # ---- drawing ---------------------------------------------------------------------------------------------------------

    @like(AxesImage.draw)
    @martist.allow_rasterization
    def draw(self, renderer):
        # The base class asks whether there are elements; for a large array the answer must not mask all of them.
        if self.get_visible() and self._plane is None and self._assigned is None:
            raise RuntimeError("this image has no data, or let it go when it was removed from its Axes: call set_data first")
        self._is_drawing = True
        try:
            _draw_image(self, renderer)
        finally:
            self._is_drawing = False
        if self.get_visible() and not draw.is_for_layout(renderer):
            draw.say_if_nothing(self, renderer)

    @like(AxesImage.make_image)
    def make_image(self, renderer, magnification=1.0, unsampled=False):
        # docstring inherited
        if self._plane is None or not self._plane.size:
            return super().make_image(renderer, magnification, unsampled)
        if not draw.is_for_layout(renderer) and autoscaling.follow_view(self):
            refresh_ends(self)
        if draw.is_left_to_matplotlib(self, magnification):
            return super().make_image(renderer, magnification, unsampled)
        if draw.is_for_layout(renderer):
            return draw.NOTHING
        if not self.norm.scaled():
            self.autoscale_None()
        return draw.draw(self, magnification, unsampled)

    @like(AxesImage.set_norm)
    def set_norm(self, norm):
        """Sets how values become colors.

        Parameters
        ----------
        norm : Normalize or str or None
            Any norm that `imshow` takes; None is linear.
        """
        is_own = isinstance(norm, str) and norm in OWN_NORMS
        super().set_norm(OWN_NORMS[norm]() if is_own else norm)

    @like(AxesImage.set_alpha)
    def set_alpha(self, alpha):
        # docstring inherited
        kept = self._alpha
        if np.ndim(kept) and not np.ndim(alpha):
            self._alpha, self.stale = None, True  # the base class compares the two, which an array does not allow
        try:
            super().set_alpha(alpha)
        except BaseException:
            self._alpha = kept
            raise

    def set_interpolation(self, s: str | None) -> None:
        # docstring inherited
        self._is_filter_given = s is not None
        super().set_interpolation(s)

    @like(AxesImage.set_interpolation_stage)
    def set_interpolation_stage(self, s):
        # docstring inherited
        self._is_stage_given = s is not None
        super().set_interpolation_stage(s)

    # ---- color limits ---------------------------------------------------------------------------------------------------

    def _scale_norm(self, norm, vmin, vmax):
        """Gives the norm the limits of the caller, then those that it lacks."""
        if vmin is not None or vmax is not None:
            self.set_clim(vmin, vmax)
            if isinstance(norm, Normalize):
                raise ValueError("Passing a Normalize instance simultaneously with vmin/vmax is not supported.  Please pass "
                                 "vmin/vmax as arguments to the norm object when creating it")
        self.autoscale_None()

    def set_clim(self, vmin: float | tuple[float, float] | None = None, vmax: float | None = None) -> None:
        """Sets the color limits, which stay from then on: `matplotlib.cm.ScalarMappable.set_clim`."""
        self._found = None
        super().set_clim(vmin, vmax)
        if self._limits is not None or (self._plane is not None and self._plane.is_gathered):  # else elements would be read for it
            autoscaling.note_ends(self)

    def autoscale(self, region: Literal["slice", "view", "all", "pixels"] | None = None, robust: t.Robust | None = None) -> None:
        """Sets the color limits from the data.

        Parameters
        ----------
        region : {"slice", "view", "all", "pixels"}, optional
            The elements of the plane, those that are visible now, or those of the whole tensor; "pixels" are the values of the
            pixels that are drawn, found anew whenever another part of the plane is seen. Default: as `limits` of `imshow` says.
        robust : bool, float or (float, float), optional
            Percentiles in place of the full range, as in `imshow`. Default: what `imshow` was told.
        """
        if self._plane is None:
            super().autoscale()
        else:
            autoscaling.autoscale(self, region, robust)
            refresh_ends(self)

    def autoscale_None(self) -> None:
        """Sets the color limits that are not set yet."""
        if self._plane is None:
            super().autoscale_None()
        else:
            self._is_centered = autoscaling.fill_limits(self)

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
        asked = {"bins": bins, "value_range": value_range, "percentiles": percentiles}
        return image_stats.image_stats(self, region, asked)

    # ---- pointer and file ------------------------------------------------------------------------------------------------

    @like(AxesImage.get_cursor_data)
    def get_cursor_data(self, event):
        # docstring inherited
        return super().get_cursor_data(event) if self._plane is None else cursor.cursor_data(self, event)

    @like(AxesImage.format_cursor_data)
    def format_cursor_data(self, data):
        # docstring inherited
        if isinstance(data, cursor.CellValue):
            return cursor.cursor_text(self, data, "")
        return cursor.cursor_text(self, data, super().format_cursor_data(data))

    def __repr__(self):
        return f"<{self}, {self.hidden_text}>" if self.hidden_text else super().__repr__()

    @like(AxesImage.write_png)
    def write_png(self, fname):
        """Writes the colors of all elements to a PNG file."""
        if self._plane is None or (self._plane.is_gathered and not self._plane.needs_own_colors):
            super().write_png(fname)
        else:
            write_all(self, fname)
