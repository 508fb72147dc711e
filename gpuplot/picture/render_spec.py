"""RenderSpec: a tensor and the checked keywords of a picture -> cells or pixels."""

import math
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
from matplotlib.colors import Normalize

from .. import _native
from ..arrays.describe import describe_whole
from ..choices import check_choice
from ..color.alpha import check_alpha, opacity_on
from ..color.categories import (
    MIXING,
    category_colors,
    check_categorical,
    check_ignored,
    check_labels,
    check_style_of_classes,
    looks_like_classes,
)
from ..color.classes import Classes
from ..color.color_limits import (
    LIMITS_SIDE,
    CellValues,
    check_limits_choice,
    fill_limits,
    is_angle,
    lies_around,
    limits_choice,
    limits_search,
    put_limits,
    robust_percents,
    set_limits,
    usual_cmap,
    wanted_limits,
)
from ..color.colorize import colorize, style_ahead
from ..color.rgb import check_denorm
from ..color.style import MarkColors, find_cmap, find_norm, is_cellwise, may_be_sharp, native_style
from ..notices import LIMITS_REMEDY, REMEDY, blank_text, clipping_text, left_out_text, warn, warn_of_limits
from ..plane.aggs import ADDING_UP, AGGS, NAN_POLICIES, OTHER_UNITS
from ..plane.chunks.chunked_plane import ChunkedPlane
from ..plane.chunks.level_view import PlaneOnLevel
from ..plane.coordinates import PictureLabels
from ..plane.frame import HOST, is_empty, values_of
from ..plane.index_labels import full_view
from ..plane.limits import UNKNOWN, WANT_RANKS, n_nan_of
from ..plane.picture_size import check_view, default_shape, window_of
from ..plane.reduce import shown_box
from ..plane.slice_text import places_text
from ..plane.tensor_plane import TensorPlane, plane_of
from ..plane.window import Window
from ..transfer.memory import check_room
from ..transfer.output import pinned_empty

# Norms with an autoscale of their own get all elements of planes up to this size, else the smallest and the largest.
MAX_NORM_ELEMENTS = 2**20

# Least number of pixels of a picture that is reduced and colored in one pass; cells of smaller ones stay in the CPU's caches anyway.
MIN_PAINTED = 2**20

# Of the colors of a picture; others' memory, such as that of cells, comes on top.
BYTES_PER_PIXEL = 4

# Most elements a pixel that are read once more, for their limits, so that no memory is needed for cells.
MAX_READ_AGAIN = 4


class RenderSpec:
    """A tensor and all keywords of the groups VIEW, CELLS, STYLE and STREAM (`options`), checked before an element is read.

    `collective`, `client` and `progress` are those of `describe_whole`.

    Attributes
    ----------
    source : Source
    view : View
    plane : TensorPlane
    agg : str
    is_sharp : bool
        Whether `agg` is the default, for which means may be weighted by Mitchell's filter.
    is_categorical : bool
    """

    clipping_remedy, limits_remedy = REMEDY, LIMITS_REMEDY

    def __init__(self, X, options, collective=False, client=None, progress=None):
        given = SimpleNamespace(**options)
        self.source = describe_whole(X, given.stream, collective, client, progress)
        self._full_view = full_view(self.source, options)
        self.view = self._full_view if self.source.level is None else self._place.view
        is_mixed = isinstance(given.agg, str) and given.agg in MIXING
        self.is_categorical = check_categorical(given.categorical, self.source.dtype, self.view) and not is_mixed
        self.plane = plane_of(self.source, self.view, check_choice("nan", given.nan, NAN_POLICIES))
        is_class = self.is_categorical or looks_like_classes(given.categorical, given.cmap, self.source.dtype, self.view)
        usual = "nearest" if is_class else "mean"
        self.agg = check_choice("agg", usual if given.agg is None else given.agg, AGGS)
        self.is_sharp = given.agg is None and may_be_sharp(given.norm)
        self.marks = MarkColors.of(options)
        self._given = given
        self._check_style(given)

    def _check_style(self, given):
        check_denorm(given.denorm, self.view.is_rgb, self.source.shape)
        robust_percents(given.robust)
        check_limits_choice(given.limits, self.agg)
        self.alpha = check_alpha(given.alpha, self.view.shape)
        self._norm = find_norm(given.norm, given.vmin, given.vmax, given.gamma)
        find_cmap(given.cmap)
        check_labels(given.labels)
        check_ignored(given.ignore_index, given.categorical)
        if self.is_categorical:
            check_style_of_classes(vars(given))
        if self.view.is_rgb:
            warn_of_limits(vars(given), self.limits_remedy)

    @property
    def _place(self):
        """Where the plane of a level of a pyramid lies in that of level 0."""
        return PlaneOnLevel.of(self._full_view, self.source.level, self.source.shape)

    def window(self, view, shape, choose_shape=default_shape):
        """See `window_of`; `view` is in elements of level 0 of a pyramid. MemoryError if there is no memory for so many pixels."""
        if view is not None and self.source.level is not None:
            view = self._place.box(check_view(view, self._full_view.shape))
        window = window_of(self.view.shape, view, shape, choose_shape)
        height, width = window.shape
        check_room(BYTES_PER_PIXEL * height * width, f"a picture of {height} x {width} pixels", "ask for fewer, such as shape=(1000, 1000)")
        return window

    @property
    def dtype(self):
        """Name of the elements' dtype."""
        return self.source.dtype

    @property
    def is_upward(self):
        """Whether row 0 is at the bottom of a file: where rows have coordinates that rise, or by ``rcParams``."""
        labels = PictureLabels.of(self.source, self.view)
        return (labels is not None and labels.points_up) or mpl.rcParams["image.origin"] == "lower"

    @property
    def place_text(self):
        """The place of the plane along the hidden axes, as text."""
        return places_text(self.source, self.view)

    @property
    def color_limits(self):
        """(vmin, vmax) of the last picture that was made; None where its colors have none."""
        is_number = not self.view.is_rgb and not self.is_categorical and self._norm.scaled()
        return (float(self._norm.vmin), float(self._norm.vmax)) if is_number else None

    # ---- cells ---------------------------------------------------------------------------------------------------

    def frame(self, window, want=0, **shading):
        """The Frame of a window; `want` are the limits to find with it, ``WANT_*`` bits; `shading` are a style and `out`, if any."""
        frame = self.plane.reduce(window, self.agg, want, is_sharp=self.is_sharp, **shading)
        if frame.leaves_out_nan:
            warn(left_out_text(n_nan_of(self.plane, frame.limits), math.prod(self.view.shape), self.view.is_reduced))
        return frame

    def cells(self, window):
        """(H, W) float64 values; cells without elements are NaN, or 0 for counts and sums."""
        cells = self.frame(window).cells
        values = values_of(cells, _pinned_for(cells.device, cells.shape, np.float64))
        if not window.is_within(self.view.shape):
            values[is_empty(values)] = 0.0 if self.agg in ADDING_UP else np.nan
        return values

    # ---- pixels --------------------------------------------------------------------------------------------------

    def rgba(self, window):
        """(H, W, 4) uint8, straight alpha, in the window's orientation."""
        alpha = opacity_on(self.alpha, window, self.agg)
        painted = self._painted(window, alpha)
        if painted is not None:
            return painted
        shading = self._shading_ahead(window, alpha)
        frame = self.frame(window, self._wanted_limits(), **shading)
        plane = self.plane.under("infinite") if frame.leaves_out_nan else self.plane
        norm = cmap = None
        if not self.view.is_rgb:
            norm, cmap = self._colors(frame.limits, lambda: CellValues(frame.cells, norm=self._norm), plane)
        denorm = self._given.denorm
        out = shading["out"] if shading else _pinned_for(frame.cells.device, (*frame.cells.shape, 4), np.uint8)
        rgba, color_range = colorize(plane, frame, norm, cmap, self.marks, alpha, denorm=denorm, largest=lambda: frame.limits.max,
                                     out=out)
        text = None if color_range is None else clipping_text(color_range, self.dtype, denorm, self.clipping_remedy)
        if text is not None:
            warn(text)
        return rgba

    def why_blank(self, rgba):
        """The warning that all pixels are transparent as there is no finite element, or None where some are not."""
        if rgba[:1, :, 3].any() or rgba[..., 3].any():
            return None
        return blank_text(self.plane.limits(_native.WANT_RANGE).has, self.source.shape)

    def _shading_ahead(self, window, alpha):
        """The style of numbers and `out`, for pixels that a device makes together with cells; {} where it cannot."""
        given = self._given
        if self.is_categorical or self.view.is_rgb:
            return {}
        search = limits_search(self._norm, self.view, self.agg, self._limits_choice, robust=given.robust, center=given.center)
        is_centered = lies_around(self._norm, given.center) if search is None else not math.isnan(search.center)
        style = style_ahead(self.plane, self._norm, usual_cmap(given.cmap, self.view, is_centered), self.marks, alpha, search)
        return {} if style is None else {"style": style, "out": _pinned_for(self.source.device, (*window.shape, 4), np.uint8)}

    def _painted(self, window, alpha):
        """The pixels of a large picture, made without memory for all its cells; else None."""
        is_large = math.prod(window.shape) >= MIN_PAINTED and isinstance(self.plane, TensorPlane)
        if not is_large or self.is_categorical or not is_cellwise(self._norm):
            return None
        if not self.plane.can_paint():
            return None
        if self._norm.scaled():
            return self._paint(window, *self._colors(None, lambda: None), alpha)[0]
        if self.agg in ("nearest", *OTHER_UNITS) or self._given.robust:
            return None
        box = shown_box(self.view, window)
        if box is None:
            return self._painted_by_elements(window, alpha)
        limits = self.plane.limits(self._wanted_limits())
        return self._paint(window, *self._colors(limits, lambda: self._elements_as_cells(box, limits)), alpha)[0]

    def _painted_by_elements(self, window, alpha):
        """The pixels of a picture of means or extremes with limits of the elements, which take a pass of their own.

        Cells whose own limits are taken are painted once more. None where the pass would cost more than memory for cells.
        """
        if self._limits_choice == "pixels" or window.n_elements(self.view.shape) > MAX_READ_AGAIN * math.prod(window.shape):
            return None
        want, ends = self._wanted_limits(), (self._norm.vmin, self._norm.vmax)
        limits = self.plane.limits(want)
        colors = self._colors(limits, lambda: None)
        of_elements = self._norm.vmin, self._norm.vmax
        pixels, of_cells = self._paint(window, *colors, alpha, want)
        put_limits(self._norm, *ends)
        if pixels is None:
            return None
        colors = self._colors(limits, lambda: CellValues(limits=of_cells))
        return pixels if of_elements == (self._norm.vmin, self._norm.vmax) else self._paint(window, *colors, alpha)[0]

    def _paint(self, window, norm, cmap, alpha, want=0):
        """(pixels, `Limits` of the cells), or (None, None) if all cells are needed."""
        style = native_style(norm, cmap, self.marks, alpha)
        return (None, None) if style is None else self.plane.paint(window, style, self.agg, self.is_sharp, want)

    def _elements_as_cells(self, box, limits):
        """The CellValues of a picture without reduction: the limits of a box of elements; `limits` are those of all elements."""
        height, width = self.view.shape
        return CellValues(limits=limits if box == (0, height, 0, width) else self.plane.limits(self._wanted_limits(), box))

    def _wanted_limits(self):
        if self.view.is_hue:
            return _native.WANT_RANGE
        if is_angle(self.view) and type(self._norm) is Normalize:  # these have limits of their own, -pi and pi
            return 0
        if self.agg in OTHER_UNITS or (self._norm.scaled() and not self.is_categorical):
            return 0
        has_ranks = isinstance(self.plane, ChunkedPlane) and robust_percents(self._given.robust) is not None
        return wanted_limits(self._norm) | (WANT_RANKS if has_ranks else 0)

    def _colors(self, limits, cells, plane=None):
        """(norm with its limits, colormap), from limits of the elements and ``cells() -> CellValues``.

        `plane` has the elements under the policy that "auto" came to, if that is another one.
        """
        given = self._given
        if self.is_categorical:
            cmap, norm = category_colors(Classes.of(self.plane, limits, given.ignore_index), given.cmap)
            return norm, cmap
        is_centered, _ = fill_limits(
            self._norm, self.view, self.agg, self._limits_choice, robust=given.robust, center=given.center,
            elements=lambda: self._fill_from_elements(limits, plane or self.plane), cells=lambda choice: cells())
        return self._norm, usual_cmap(given.cmap, self.view, is_centered)

    @property
    def _limits_choice(self):
        """Where limits come from: "elements", "pixels", or "auto"."""
        given = self._given
        is_given = isinstance(given.norm, Normalize) or (given.vmin, given.vmax) != (None, None)
        return limits_choice(given.limits, self.agg, is_given)

    def _fill_from_elements(self, limits, plane):
        given, is_small = self._given, math.prod(self.view.shape) <= MAX_NORM_ELEMENTS
        return set_limits(self._norm, limits or UNKNOWN, robust=given.robust, center=given.center, percentiles=plane.percentiles,
                          elements=plane.numbers if is_small else None, sample=lambda: self._sample_of(plane))

    def _sample_of(self, plane):
        """Some elements of the plane, on the host."""
        window = Window.at_most(LIMITS_SIDE, (0, plane.shape[0], 0, plane.shape[1]))
        return values_of(plane.reduce(window, "nearest").cells)


def _pinned_for(device, shape, dtype):
    """An array in pinned memory, to which a device copies directly; None for the host, and for few bytes."""
    kind, ordinal = device
    return None if kind == HOST else pinned_empty(shape, dtype, ordinal)
