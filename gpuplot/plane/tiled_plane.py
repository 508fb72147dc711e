"""TiledPlane: planes of tensors side by side as one plane, each reduced where its tensor is."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace

import numpy as np

from .. import _native
from ..arrays.source import Source
from ..choices import check_choice
from ..dtype_classes import is_integer
from .aggs import AGGS, check_agg_of_colors
from .frame import EMPTY, Frame, has_elements, is_empty, is_masked
from .gather import gather
from .limits import find_channel_ranges, find_limits
from .native_plane import native_plane
from .partial_cells import PartialCells, reduce_piece
from .pooled_limits import joined, pooled_percentiles
from .view import View

# Cells of at most so many elements along both axes show what is between tiles where their center is: they hide no element whole there,
# and borders of a pixel or more are seen everywhere. Wider cells are made of the elements that they touch, but for one across each gap
# between tiles of at least MIN_CELLS_OF_TILE cells, as large images would touch without it. Marks stay, and so do cells of `agg` that
# look for peaks.
MAX_ELEMENTS_OF_BORDER = 2.0
MIN_CELLS_OF_TILE = 32
AGGS_WITH_GAPS = ("mean", "nearest")


@dataclass(frozen=True)
class Tile:
    """One plane of several."""

    source: Source
    view: View
    origin: tuple[int, int]  # row and column of the whole at which it begins
    # scale: ``(low, high)``: cells become ``(value - low) / (high - low)``, held to 0..1. Such tiles share no cell.
    scale: tuple[float, float] | None = None

    def crop(self, box):
        """The part of a box of the whole, in elements of the tile; None where it has none."""
        row0, row1, col0, col1 = box
        (top, left), (n_rows, n_cols) = self.origin, self.view.shape
        part = (max(row0 - top, 0), min(row1 - top, n_rows), max(col0 - left, 0), min(col1 - left, n_cols))
        return part if part[0] < part[1] and part[2] < part[3] else None


@dataclass(frozen=True)
class TiledPlane:
    """Planes side by side; read like a `TensorPlane`."""

    shape: tuple[int, int]  # rows and columns of the whole, with what is between the tiles
    tiles: tuple  # tuple of Tile: all of numbers, or all of the same number of color channels; none overlaps another
    dtype: str  # of the elements that are shown
    fill: float | None = 0  # the value between tiles; None leaves nothing there
    # nan: {"auto", "show", "skip"}: what cells and hidden axes do with elements that are not finite. "auto" leaves out masked
    # elements alone.
    nan: str = "show"

    @property
    def view(self):
        """The view of the first tile with the shape of the whole plane, and without a place in a tensor."""
        return replace(self.tiles[0].view, shape=self.shape, names=(), hidden_text="")

    def under(self, nan):
        """The same under another NaN policy."""
        return self if nan == self.nan else replace(self, nan=nan)

    # ---- cells -----------------------------------------------------------------------------------------------------------

    def reduce(self, window, agg, want=0, has_nan=None, is_sharp=False):
        """Cells of a window; a cell that touches several tiles is made of the elements of all of them."""
        check_choice("agg", agg, AGGS)
        if self.view.is_rgb:
            check_agg_of_colors(agg)
            n = self.view.n_channels
            spans = zip((window.rows, window.cols), self.shape, strict=True)
            is_weighted = n == 4 and agg == "mean" and not all(span.fit(size, False).is_nearest for span, size in spans)
            channels = tuple(self._cells(window, agg, k, is_weighted)[0] for k in range(n))
            return Frame(channels[0], channels=channels, is_alpha_weighted=is_weighted)
        cells, limits = self._cells(window, agg, want=want)
        if not want:
            return Frame(cells)
        has_all = len(limits) == len(self.tiles)
        return Frame(cells, limits=self._joined(limits) if has_all else self.limits(want))

    def _cells(self, window, agg, channel=None, is_alpha_weighted=False, want=0):
        """(`_native.Cells` of one channel, or of numbers; the `Limits` of the tiles that they touch, where there are wanted ones)."""
        cells, limits = None, []
        for scale in dict.fromkeys(tile.scale for tile in self.tiles):
            states = PartialCells.of_nothing(agg, window.shape)
            for tile in (tile for tile in self.tiles if tile.scale == scale):
                piece = reduce_piece(tile.source, tile.view, window, agg, self.nan, whole=self.shape, origin=tile.origin, channel=channel,
                                     is_alpha_weighted=is_alpha_weighted, want=want)
                if piece is None:
                    continue
                states.join(piece)
                if want:
                    limits.append(piece.limits.finish())
            values = _scaled(np.array(states.finish(agg, self.nan, window.is_reversed)), scale)
            cells = values if cells is None else np.where(has_elements(values), values, cells)
        cells[self._is_between(window)] = EMPTY
        if agg in AGGS_WITH_GAPS:
            cells[self._is_in_gap(window) & (np.isfinite(cells) | is_masked(cells))] = EMPTY
        if self.fill is not None:
            cells[_inside(window, self.shape) & is_empty(cells)] = self._fill_of(channel if is_alpha_weighted else None)
        return _native.Cells.from_array(cells), limits

    def _fill_of(self, channel):
        """The value of cells between tiles; of a `channel` of color times opacity, the last of which is the opacity itself."""
        if channel is None or channel == self.view.n_channels - 1:
            return self.fill
        return self.fill * min(max(self.fill / (255 if is_integer(self.dtype) else 1), 0), 1)

    def _is_between(self, window):
        """Which cells of a window show what is between tiles."""
        spans = window.rows, window.cols
        is_narrow = [_widths(span) <= MAX_ELEMENTS_OF_BORDER for span in spans]  # each cell for itself, as those at edges may be wider
        is_between = is_narrow[0][:, None] & is_narrow[1]
        if not is_between.any():
            return is_between
        centers = [span.center_array() for span in spans]
        for tile in self.tiles:
            rows, cols = (_slice_within(*part) for part in zip(centers, tile.origin, tile.view.shape, strict=True))
            is_between[rows, cols] = False
        return is_between

    def _is_in_gap(self, window):
        """Which cells of a window, wider than gaps between tiles, show these."""
        is_in_gap = np.zeros(window.shape, bool)
        spans = window.rows, window.cols
        widths = [np.median(_widths(span)) for span in spans]
        if max(widths) <= MAX_ELEMENTS_OF_BORDER:
            return is_in_gap
        for axis, (span, width) in enumerate(zip(spans, widths, strict=True)):
            # Each axis for itself: long tiles have many cells along one, and few elements, all of which are seen, along the other.
            if max(tile.view.shape[axis] for tile in self.tiles) >= MIN_CELLS_OF_TILE * width:
                is_in_gap |= np.expand_dims(_has_any(span, self._gaps(axis)), 1 - axis)
        return is_in_gap

    def _gaps(self, axis):
        """The middles of gaps along an axis, in which no tile lies."""
        is_tile = np.zeros(self.shape[axis] + 2, bool)
        for tile in self.tiles:
            is_tile[tile.origin[axis] + 1:tile.origin[axis] + tile.view.shape[axis] + 1] = True
        is_tile[[0, -1]] = True
        ends = np.flatnonzero(np.diff(is_tile))
        return ends.reshape(-1, 2).mean(1)

    def limits(self, want, box=None):
        """Facts about the elements, or those of a half-open box."""
        return self._joined(find_limits(tile.source, tile.view, want, part, self.nan) for tile, part in self._parts(box))

    def _joined(self, limits_of_tiles):
        """Limits of several tiles together; scaled ones are 0 to 1."""
        if any(tile.scale is not None for tile in self.tiles):
            limits_of_tiles = [limits._replace(min=0.0, max=1.0) for limits in limits_of_tiles]
        return joined(limits_of_tiles)

    def channel_ranges(self):
        """(smallest, largest) finite element of each color channel; NaN for none."""
        found = np.array([find_channel_ranges(tile.source, tile.view, self.nan) for tile in self.tiles])
        return list(zip(np.fmin.reduce(found[..., 0]).tolist(), np.fmax.reduce(found[..., 1]).tolist(), strict=True))

    def percentiles(self, percents, is_positive_only=False, box=None):
        """Exact percentiles of the finite elements of all tiles together."""
        with contextlib.ExitStack() as borrowed:
            tensors = {}
            planes = []
            for tile, part in self._parts(box):
                key = id(tile.source)
                if key not in tensors:
                    tensors[key] = borrowed.enter_context(tile.source.borrow())
                planes.append(native_plane(tensors[key], tile.view, nan=self.nan).crop(*part))
            dtype = "float64" if self.view.is_reduced else self.dtype
            return np.array(pooled_percentiles(planes, dtype, percents, is_positive_only))

    # ---- elements --------------------------------------------------------------------------------------------------------

    def numbers(self, box=None, fill=None):
        """The elements of a box as a masked array, masked or `fill` between tiles; see `gather`."""
        box = box or (0, self.shape[0], 0, self.shape[1])
        row0, row1, col0, col1 = box
        parts = [(tile, part, self._gathered(tile, part)) for tile, part in self._parts(box)]
        dtype = np.result_type(*(values.dtype for _, _, values in parts)) if parts else np.dtype(float)
        n_channels = self.view.n_channels
        dtype, fill = _with_room(dtype, fill, is_color=bool(n_channels))
        # Zeros, because matplotlib computes with masked values, too.
        zeros = np.zeros((row1 - row0, col1 - col0, *((n_channels,) if n_channels else ())), dtype)
        whole = np.ma.array(zeros, mask=np.ones(zeros.shape, bool))
        if fill is not None:
            whole[...] = fill
        for tile, part, values in parts:
            top, left = tile.origin[0] + part[0] - row0, tile.origin[1] + part[2] - col0
            whole[top:top + values.shape[0], left:left + values.shape[1]] = values
        return whole

    def _gathered(self, tile, part):
        return _scaled(gather(tile.source, tile.view, part, self.nan), tile.scale)

    def _parts(self, box):
        """(tile, the part of the box in its elements) of all tiles that have one."""
        box = box or (0, self.shape[0], 0, self.shape[1])
        return [(tile, part) for tile in self.tiles if (part := tile.crop(box)) is not None]

    def tile_at(self, row, col):
        """(number of the tile, row and column in it) of an element of the whole; None between tiles."""
        for k, tile in enumerate(self.tiles):
            part = tile.crop((row, row + 1, col, col + 1))
            if part is not None:
                return k, part[0], part[2]
        return None


def _with_room(dtype, fill, is_color):
    """(a dtype for elements of `dtype` and for `fill`, `fill` in it), None for no fill; integers that are colors stay such, as 1 is 255."""
    if fill is None:
        return dtype, None
    if is_color and dtype.kind in "iu":
        ends = np.iinfo(dtype)
        return dtype, min(max(math.floor(fill + 0.5), ends.min), ends.max) if math.isfinite(fill) else None
    return (dtype if _holds(dtype, fill) else np.dtype(float)), fill


def _holds(dtype, number):
    """Whether a number is one of an integer dtype, or a float dtype reaches as far."""
    if dtype.kind in "iu":
        return math.isfinite(number) and number == math.floor(number) and np.iinfo(dtype).min <= number <= np.iinfo(dtype).max
    return dtype.kind == "f" and (not math.isfinite(number) or abs(number) <= float(np.finfo(dtype).max))


def _scaled(values, scale):
    """Values as 0 to 1 of a range; marks of what is not finite, and what is empty, stay as they are."""
    if scale is None:
        return values
    low, high = scale
    is_finite = np.isfinite(np.ma.getdata(values))
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = np.clip((np.ma.getdata(values).astype(float) - low) / (high - low), 0, 1)
    scaled = np.where(is_finite, scaled, np.ma.getdata(values))
    return np.ma.array(scaled, mask=np.ma.getmask(values)) if isinstance(values, np.ma.MaskedArray) else scaled


def _inside(window, shape):
    """Which cells of a window have their center in the plane."""
    rows, cols = (_is_inside(span, n) for span, n in zip((window.rows, window.cols), shape, strict=True))
    return rows[:, None] & cols


def _is_inside(span, n):
    centers = span.center_array()
    return (centers >= 0) & (centers < n)


def _widths(span):
    """How many elements each cell is wide."""
    return abs(np.diff(span.edge_array()))


def _has_any(span, places):
    """Which cells have one of the places in them."""
    edges = span.edge_array()
    low, high = np.minimum(edges[:-1], edges[1:]), np.maximum(edges[:-1], edges[1:])
    places = np.asarray(places)[:, None]
    return ((low <= places) & (places < high)).any(0)


def _slice_within(centers, start, size):
    """The slice of cells, in order or reversed, with centers in ``[start, start + size)``."""
    inside = np.flatnonzero((centers >= start) & (centers < start + size))
    return slice(inside[0], inside[-1] + 1) if inside.size else slice(0, 0)
