"""Reduces a view of a tensor to the cells of a window, a Frame, or to their pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from .. import _native
from ..choices import check_choice
from .aggs import AGGS, NAN_POLICIES, OTHER_UNITS, check_agg_of_colors, native_nan
from .frame import HOST, Frame, Shaded, empty_frame, has_elements, is_empty
from .limits import Limits, limits_of_cells
from .mitchell import native_taps, resample, sharpened
from .native_plane import native_plane
from .window import Span, Window

# Under "auto" masked elements are left out; and NaN, too, where it would mark a larger part of a reduced picture than this.
MAX_MARKED = 0.5


def reduce_view(source, view, window, agg="mean", nan="show", want=0, has_nan=None, is_sharp=False, style=None, out=None):
    """Elements of a source to the `Frame` of a window's cells.

    Parameters
    ----------
    nan : {"auto", "show", "skip"}
        Under "auto" masked elements are left out; and NaN, where it would mark most of a picture whose pixels are several elements
        each, those of hidden axes among them.
    want : int
        ``_native.WANT_*`` bits: limits of the whole plane, found in the same pass where the window covers it.
    has_nan : bool, optional
        Whether there is a NaN among the elements of the plane, where that is known: "auto" then need not count.
    is_sharp : bool
        Whether means are Mitchell's along axes that have hardly more elements than cells; see `mitchell`.
    style : NativeStyle, optional
        How the cells will be colored, as far as that is known: cells on a device then come with their pixels, `Frame.shaded`. Limits
        that it misses are found as its `search` says.
    out : ndarray (H, W, 4) uint8, optional
        Where these pixels are to be written.
    """
    check_choice("agg", agg, AGGS)
    check_choice("nan", nan, (*NAN_POLICIES, "unmasked", "infinite"))
    if 0 in view.shape:
        return empty_frame(view, window)
    grid = Grid.of(window, view, agg, is_sharp)
    is_undecided = grid.is_undecided(view, nan, has_nan)
    with source.borrow() as tensor:
        reading = _Reading(tensor, view, grid, native_nan(nan), is_undecided, style, out)
        return frame_from(reading, agg, want, is_undecided)


def frame_from(reading, agg, want=0, is_undecided=False):
    """The `Frame` from a `Reading`; if it `is_undecided`, also decides whether NaN is left out."""
    frame = _reduce(reading, agg, want)
    if not is_undecided or not _is_mostly_nan(frame):
        return frame
    finite = _reduce(reading.without_nan(), agg, want)
    if _n_nan(finite) >= _n_nan(frame):
        return frame
    # Reduced axes leave NaN out as well, so the cells no longer tell whether there was one.
    limits = finite.limits and finite.limits._replace(has=finite.limits.has | _native.HAS_NAN)
    return replace(finite, limits=limits, leaves_out_nan=True)


def shown_box(view, window):
    """The elements that a window shows one by one, half-open (row0, row1, col0, col1); None where a cell has several, or none does."""
    grid = Grid(window, view.shape, "mean", is_sharp=False)
    box = (*grid.rows.touched(), *grid.cols.touched())
    return None if grid.is_reduced or box[0] == box[1] or box[2] == box[3] else box


def can_paint(source, view):
    """Whether `paint_view` supports a view: not for colors, hidden axes or device memory."""
    is_plain = not (view.is_rgb or view.is_hue or view.is_reduced or view.complex_mode == "phase")
    return is_plain and source.device is None and 0 not in view.shape


def paint_view(source, view, window, style, agg="mean", nan="show", is_sharp=False, want=0):
    """The pixels of a window by a NativeStyle, without memory for all its cells, and the `Limits` that cells have.

    Both are None where "auto" leaves out NaN. `want` is as in `reduce_view`; without it limits may be None.
    """
    grid = Grid.of(window, view, agg, is_sharp)
    want |= _native.WANT_COUNTS if grid.is_undecided(view, nan, None) else 0
    with source.borrow() as tensor:
        pixels, found = _native.paint(native_plane(tensor, view), grid.rows, grid.cols, agg, native_nan(nan), style, want, *grid.taps)
    limits = found and Limits(*found)
    if want & _native.WANT_COUNTS and limits.n_nan + limits.n_masked > MAX_MARKED * math.prod(window.shape):
        return None, None
    return pixels, limits


class Grid:
    """The cells of a window as native axes; where means are Mitchell's, single elements that are filtered afterwards.

    `rows` and `cols` are the axes, `window` their spans; `is_reduced` says whether a cell is made of several elements,
    `is_of_elements` whether those of the axes show one each.
    """

    def __init__(self, window, shape, agg, is_sharp):
        spans = window.rows, window.cols
        self._taps = [sharpened(span, n) if is_sharp else None for span, n in zip(spans, shape, strict=True)]
        self.window = Window(*(span if taps is None else Span(taps.begin, taps.end, taps.end - taps.begin)
                               for span, taps in zip(spans, self._taps, strict=True)))
        self.rows, self.cols = (span.fit(n, agg == "nearest") for span, n in zip((self.window.rows, self.window.cols), shape, strict=True))
        self.is_of_elements = self.rows.is_nearest and self.cols.is_nearest
        self.is_reduced = agg != "nearest" and (self.is_filtered or not self.is_of_elements)

    @classmethod
    def of(cls, window, view, agg, is_sharp):
        """The grid of a frame of a view; means of angles are not Mitchell's."""
        is_angle = view.is_hue or view.complex_mode == "phase"
        return cls(window, view.shape, agg, is_sharp and agg == "mean" and not is_angle)

    def is_undecided(self, view, nan, has_nan):
        """Whether "auto" needs the cells to decide whether NaN is left out; see `reduce_view`."""
        return nan == "auto" and (self.is_reduced or view.is_reduced) and has_nan is not False

    @property
    def is_filtered(self):
        """Whether means are Mitchell's along an axis."""
        return self._taps != [None, None]

    @property
    def taps(self):
        """The weights of both axes for native calls; none where nothing is filtered."""
        return native_taps(self._taps, (self.rows.n_cells, self.cols.n_cells)) if self.is_filtered else ()

    def filtered(self, cells, nan):
        """Cells of the window from those of the native axes."""
        return cells if not self.is_filtered else resample(cells, *self._taps, nan)


class Reading:
    """What `frame_from` makes a frame of.

    Attributes
    ----------
    view : View
    grid : Grid
    shaded : Shaded or None
    """

    shaded = None

    def parts(self, agg, parts):
        """Cells of each of some parts of the elements, which are given by keywords of `native_plane`."""
        return tuple(self.cells(agg, **part)[0] for part in parts)

    def finite_channels(self, agg):
        """Cells of each color channel, read by itself, if all are finite; None where they are not or it saves nothing."""


class _Reading(Reading):
    """Reads the elements of a view, once for each grid of cells of a frame."""

    def __init__(self, tensor, view, grid, nan, splits_nan=False, style=None, out=None):
        self.view, self.grid = view, grid
        self._tensor, self._nan, self._splits_nan = tensor, nan, splits_nan
        self._style = None if grid.is_filtered else style
        self._out = out
        self._has_pairs = splits_nan and (view.is_reduced or not grid.is_of_elements)
        self._seen = {}

    def cells(self, agg, want=0, **part):
        """Cells and limits (None unless wanted) of a plane; `part` says which, by keywords of `native_plane`."""
        plane, is_on_host = native_plane(self._tensor, self.view, **part), self._tensor.device[0] == HOST
        if self.grid.is_filtered and not (self._splits_nan or want) and is_on_host:
            return _native.resample(plane, self.grid.rows, self.grid.cols, self._nan, *self.grid.taps), None
        style = None if part else self._style
        search = style and style.search
        # On a device limits of the first cells, which decide, come with those of the elements, or with the number of NaN.
        may_decide = bool(want or self._splits_nan or search)
        has_limits_of_cells = may_decide and not (is_on_host or self._seen or self.grid.is_filtered)
        cells, limits, *others = _native.reduce(plane, self.grid.rows, self.grid.cols, agg, self._nan, want, splits_nan=self._has_pairs,
                                                limits_of_cells=has_limits_of_cells, style=style, search=search, out=self._out)
        shaded = None if style is None else others.pop()
        if shaded is not None:
            pixels, vmin, vmax = shaded
            self.shaded = Shaded(replace(style, vmin=vmin, vmax=vmax, search=None), pixels)
        without_nan, limits_without_nan = others or (None, limits)
        self._seen[tuple(part.values())] = cells, without_nan, limits_without_nan
        return self.grid.filtered(cells, self._nan), limits and Limits(*limits)

    def finite_channels(self, agg):
        """As `Reading.finite_channels`, of a tensor in host memory, without a look at the other channels of an element."""
        if self._tensor.device[0] != HOST or self._tensor.is_masked or self.view.is_reduced:
            return None
        planes = tuple(native_plane(self._tensor, self.view.channel(k)) for k in range(self.view.n_channels))
        channels = [cells for cells, _ in _native.reduce_channels(planes, self.grid.rows, self.grid.cols, agg, "show", False)]
        with np.errstate(all="ignore"):  # cells of both infinities, and sums beyond float64
            are_finite = all(np.isfinite(np.asarray(cells).sum()) for cells in channels)
        return tuple(self.grid.filtered(cells, self._nan) for cells in channels) if are_finite else None

    def parts(self, agg, parts):
        """As `Reading.parts`, of a tensor in host memory by one look at it."""
        if self.grid.is_filtered or self._tensor.device[0] != HOST:
            return super().parts(agg, parts)
        planes = tuple(native_plane(self._tensor, self.view, **part) for part in parts)
        found = _native.reduce_channels(planes, self.grid.rows, self.grid.cols, agg, self._nan, self._has_pairs)
        for part, (cells, without_nan) in zip(parts, found, strict=True):
            self._seen[tuple(part.values())] = cells, without_nan, None
        return tuple(cells for cells, _ in found)

    def limits(self, want):
        """Limits alone."""
        return Limits(*_native.limits(native_plane(self._tensor, self.view, nan=self._nan), want)) if want else None

    def without_nan(self):
        """The reading of the same cells with NaN left out: from known results if `splits_nan`, else by another pass."""
        looking_again = _Reading(self._tensor, self.view, self.grid, "infinite")
        if self._splits_nan:
            return _WithoutNan(self.view, self.grid, self._seen, looking_again.limits)
        return looking_again


@dataclass
class _WithoutNan(Reading):
    """The results of a `_Reading` that splits NaN, in the form of one that leaves NaN out."""

    view: object
    grid: Grid
    seen: dict  # `_Reading._seen`
    limits: object  # ``limits(want)``, as of a `_Reading`

    def cells(self, agg, want=0, **part):
        """See `_Reading.cells`."""
        cells, without_nan, limits = self.seen[tuple(part.values())]
        if without_nan is None:  # each cell is one element: without NaN it is empty
            without_nan = cells
        else:
            _native.fill_without_nan(cells, without_nan)
        return self.grid.filtered(without_nan, "infinite"), limits and Limits(*limits)


def _reduce(reading, agg, want):
    view = reading.view
    if view.is_rgb:
        return _reduce_rgb(reading, agg)
    if view.complex_mode == "phase":
        return _reduce_phase(reading, agg, want)
    cells, limits = reading.cells(agg, want)
    angle = _angle(reading, ("sum_re", "sum_im"), agg) if view.is_hue else None
    return Frame(cells, angle, limits=limits, shaded=reading.shaded)


def _is_mostly_nan(frame):
    """Whether NaN marks most of the cells that have elements; the cells of most pictures need not leave their device for it."""
    if frame.limits is not None and not frame.limits.has & _native.HAS_NAN:
        return False
    n = frame.cells.shape[0] * frame.cells.shape[1]
    if limits_of_cells(frame.cells, _native.WANT_COUNTS).n_nan <= MAX_MARKED * n:  # empty cells among them
        return False
    n_empty = int(is_empty(frame.cells.numpy()).sum())
    return _n_nan(frame) > MAX_MARKED * (n - n_empty)


def _n_nan(frame):
    """How many cells NaN marks."""
    cells = frame.cells.numpy()
    return int((np.isnan(cells) & has_elements(cells)).sum())


def _reduce_phase(reading, agg, want):
    """Angles wrap, so their mean is the angle of the mean direction; other aggregations take them as numbers."""
    if agg in OTHER_UNITS:
        *most, last = (known for known in AGGS if known not in OTHER_UNITS)
        raise ValueError(f"agg={agg!r} of angles has no meaning: use {', '.join(most)} or {last} with complex_mode='phase'")
    if agg == "mean" and reading.grid.is_reduced:
        return Frame(_angle(reading, ("unit_re", "unit_im"), agg), limits=reading.limits(want))
    cells, limits = reading.cells(agg, want)
    return Frame(cells, limits=limits)


def _angle(reading, components, agg):
    """The angle of a mean of complex numbers, from the means of its two parts; marks and empty cells stay."""
    how = "nearest" if agg == "nearest" else "mean"
    return _native.angle(*reading.parts(how, [{"component": component} for component in components]))


def _reduce_rgb(reading, agg):
    check_agg_of_colors(agg)
    n = reading.view.n_channels
    is_weighted = n == 4 and agg == "mean" and reading.grid.is_reduced
    channels = None if is_weighted else reading.finite_channels(agg)
    if channels is None:
        n_weighted = 0
        if is_weighted:
            n_weighted = n - 1 if reading.view.dtype == "uint8" else n  # alpha of bytes needs no clipping
        # Of elements that are not finite in all channels each channel has the mark.
        channels = reading.parts(agg, [{"component": "channel", "channel": k, "is_alpha_weighted": k < n_weighted} for k in range(n)])
    return Frame(channels[0], channels=channels, is_alpha_weighted=is_weighted, is_filtered=reading.grid.is_filtered)
