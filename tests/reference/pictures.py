"""The whole chain from a stored tensor to cells or pixels, with what another implementation may give instead."""

import math
from dataclasses import dataclass, replace

import numpy as np

from . import categorical as classes
from . import complexes
from . import rgb as color_channels
from .axes import choose_axes, take
from .axis_sets import AxisCell, axis_cells
from .cells import EMPTY, NAN, VALUE, Cells, reduce_cells
from .colors import ClassColors, Palette, allowed_shades, assert_allowed, faded, shade
from .hidden import reduce_hidden
from .limits import Limits, autoscale, autoscaled, limit_ranges
from .loading import load
from .mitchell import sharp_cells
from .norms import Norm, normalize

MAX_DEFAULT_CELLS = 4096
# "auto": cells that use less of the colors that the limits of elements give have limits of their own.
LEAST_PART = 0.25
# Means of equal elements differ by rounding, at most by this part of them.
MEAN_NOISE = 1e-12
# nan="auto": NaN is left out where it would mark a larger part of a reduced picture.
MOST_MARKED = 0.5
LIMITS_FROM_CELLS = ("range", "std", "var", "sum", "count")


@dataclass
class Picture:
    """A drawn picture and everything that decided it.

    rgba : (H, W, 4) uint8; allowed : (H, W) object array, what another implementation may draw
    cells : Cells (or RgbCells); limits : Limits or None; is_rgb says how to read `allowed`
    """

    rgba: np.ndarray
    allowed: np.ndarray
    cells: object
    limits: Limits | None
    is_rgb: bool = False

    def assert_matches(self, got, what="picture"):
        """Raise AssertionError unless the uint8 picture `got` is allowed."""
        (color_channels.assert_rgb_allowed if self.is_rgb else assert_allowed)(got, self.allowed, what)


@dataclass
class Shown:
    """A 2-D plane of float64 values with their errors, and direction vectors where they are angles."""

    values: np.ndarray
    errors: np.ndarray
    vectors: np.ndarray | None = None


def default_shape(n_rows, n_columns):
    """One cell per element up to 4096 a side, then the largest size of the same aspect."""
    largest = max(n_rows, n_columns)
    if largest <= MAX_DEFAULT_CELLS:
        return n_rows, n_columns
    return tuple(max(1, math.floor(n * MAX_DEFAULT_CELLS / largest + 0.5)) if n else 0 for n in (n_rows, n_columns))


def lattice_cells(plane_shape, shape=None, view=None):
    """The row cells and column cells of a call, in display order."""
    if shape is None:
        sizes = plane_shape if view is None else [max(1, round(abs(b - a))) for a, b in view]
        shape = default_shape(*sizes)
    view = [(0, n) for n in plane_shape] if view is None else view
    return tuple(_axis_of(n, limits, n_cells) for n, limits, n_cells in zip(plane_shape, view, shape))


def _axis_of(n_elems, limits, n_cells):
    if n_elems == 0 or n_cells == 0:
        return [AxisCell(range(0), range(0), (), None, True, True)] * n_cells
    return axis_cells(n_elems, *limits, n_cells)


def shown_plane(values, choice, complex_mode="amplitude", nan="show"):
    """Index, crop and reduce hidden axes; complex elements become real numbers first."""
    values, reductions = take(values, choice)
    if values.dtype.kind == "c":
        plane = complexes.complex_plane(values, complex_mode, reductions, nan)
        return Shown(plane.values, plane.errors, plane.vectors)
    values, errors = reduce_hidden(values, reductions, nan)
    return Shown(values, errors)


def plane_cells(plane, rows, cols, agg, nan, complex_mode=None):
    """The Cells of a Shown plane; `complex_mode` is None for real tensors."""
    if complex_mode == "phase":
        return complexes.phase_cells(plane, rows, cols, agg, nan)
    return reduce_cells(plane.values, rows, cols, agg, nan, plane.errors)


def _name_of(array, dtype_name):
    return np.asarray(np.ma.getdata(array)).dtype.name if dtype_name is None else dtype_name


def downsample(
    X, shape=None, *, dtype_name=None, mask=None, view=None, dims=None, x=None, y=None, index=None, reduce=None,
    complex_mode="amplitude", agg=None, nan="show",
):  # fmt: skip
    """The Cells of a tensor (see `load` for X, dtype_name and mask); row 0 is the top of the picture."""
    values = load(X, dtype_name, mask)
    is_complex = values.dtype.kind == "c"
    if is_complex and complex_mode in complexes.COLOR_MODES:
        raise ValueError(f"complex_mode={complex_mode!r} is colors; ask for a picture")
    choice = choose_axes(values.shape, dims, x, y, index, reduce)
    plane = shown_plane(values, choice, complex_mode, nan)
    rows, cols = lattice_cells(plane.values.shape, shape, view)
    return plane_cells(plane, rows, cols, agg or "mean", nan, complex_mode if is_complex else None)


def picture(
    X, shape=None, *, dtype_name=None, mask=None, view=None, dims=None, x=None, y=None, index=None, reduce=None,
    rgb=None, denorm=None, complex_mode="amplitude", agg=None, nan="auto", cmap=None, norm=None, vmin=None, vmax=None,
    gamma=None, limits="auto", robust=False, center=None, categorical=None, alpha=None, nan_color=None, pos_inf_color=None,
    neg_inf_color=None, under_color=None, over_color=None,
):  # fmt: skip
    """The Picture of a tensor; the arguments are those of the public `to_rgba`, and a scalar alpha."""
    given = {name: value for name, value in locals().items() if name not in ("X", "shape", "nan")}
    if nan != "auto":
        return _picture(X, shape, nan=nan, **given)[0]
    found, is_reduced = _picture(X, shape, nan="unmasked", **given)
    kinds = found.cells.kinds
    if not is_reduced or np.sum(kinds == NAN) <= MOST_MARKED * np.sum(kinds != EMPTY):
        return found
    finite, _ = _picture(X, shape, nan="infinite", **given)
    return finite if np.sum(finite.cells.kinds == NAN) < np.sum(kinds == NAN) else found


def _picture(
    X, shape, *, dtype_name, mask, view, dims, x, y, index, reduce, rgb, denorm, complex_mode, agg, nan, cmap, norm, vmin, vmax,
    gamma, limits, robust, center, categorical, alpha, nan_color, pos_inf_color, neg_inf_color, under_color, over_color,
):  # fmt: skip
    """The Picture under a policy about which nothing is decided, and whether its pixels are several elements each."""
    values, dtype_name = load(X, dtype_name, mask), _name_of(X, dtype_name)
    colors = ClassColors(nan_color, pos_inf_color, neg_inf_color, under_color, over_color)
    is_object = not (norm is None or isinstance(norm, str))
    if gamma is not None:
        if norm is not None:
            raise ValueError("gamma is a power norm of its own; give gamma or norm")
        norm = Norm("power", gamma=gamma)
    axes = (dims, x, y, index, reduce)
    is_explicit = any(argument is not None for argument in axes)
    if values.ndim == 3 and values.shape[2] == 1 and rgb is None and not is_explicit:
        values = values[:, :, 0]
    may_be_stack = x is None and y is None and not reduce
    channel = color_channels.channel_axis(values.shape, dtype_name, rgb, is_explicit, may_be_stack)
    if rgb is None and channel is not None and channel in {axis % values.ndim for axis in index or {} if not isinstance(axis, str)}:
        channel = None
    if channel is not None:
        return _rgb_picture(values, dtype_name, channel, axes, shape, view, denorm, agg, nan, colors, alpha)
    plane = shown_plane(values, choose_axes(values.shape, *axes), complex_mode, nan)
    grid = lattice_cells(plane.values.shape, shape, view)
    if values.dtype.kind == "c" and complex_mode in complexes.COLOR_MODES:
        return _hue_picture(plane, grid, agg or "mean", nan, complex_mode, cmap, colors, alpha), is_reduction(grid, agg)
    if classes.is_shown_as_classes(categorical, dtype_name, agg):
        agg = agg or "nearest"
        return _class_picture(plane, grid, agg, nan, cmap, colors, alpha), is_reduction(grid, agg)
    is_phase = values.dtype.kind == "c" and complex_mode == "phase"
    cells = None
    if agg is None and not is_phase:
        cells = sharp_cells(plane.values, tuple(map(len, grid)), view, nan, plane.errors)
    is_reduced = cells is not None or is_reduction(grid, agg)
    if cells is None:
        cells = plane_cells(plane, *grid, agg or "mean", nan, "phase" if is_phase else None)
    scaling = {"norm": norm, "vmin": vmin, "vmax": vmax, "robust": robust, "center": center}
    kind = _limits_kind(limits, cells, plane, is_phase, is_object, scaling)
    return _scaled_picture(plane, cells, kind, scaling, cmap, colors, alpha), is_reduced


def is_reduction(grid, agg):
    """Whether cells are of several elements each, along one axis at least."""
    return agg != "nearest" and not all(cell.is_nearest for cells in grid for cell in cells)


def _limits_kind(limits, cells, plane, is_phase, is_object, scaling):
    """What limits come from: "phase", "elements" or "cells"."""
    if is_phase or cells.agg in LIMITS_FROM_CELLS:
        return "phase" if is_phase else "cells"
    is_given = is_object or scaling["vmin"] is not None or scaling["vmax"] is not None
    if limits == "elements" or (limits == "auto" and (is_given or cells.agg != "mean")):
        return "elements"
    values = cells.finite_values
    values = values[values > 0] if Norm.of(scaling["norm"]).name == "log" else values
    if not values.size:
        return "elements"
    of_cells = autoscale(values, **scaling)
    if of_cells.vmin == of_cells.vmax:
        return "elements"
    if limits == "pixels":
        return "cells"
    if values.max() - values.min() <= MEAN_NOISE * np.abs(values).max():
        return "elements"
    of_elements = autoscale(plane.values, **scaling)
    if of_elements.vmin == of_elements.vmax:  # of positive elements or percentiles; it is the first color everywhere
        return "cells"
    first, last = normalize(np.array([values.min(), values.max()]), scaling["norm"], of_elements.vmin, of_elements.vmax)
    return "cells" if last - first < LEAST_PART else "elements"


def _scaled_picture(plane, cells, kind, scaling, cmap, colors, alpha):
    """Cells through limits, norm and colormap; `scaling` holds the keywords of `autoscale`."""
    is_phase = kind == "phase"
    source, errors = _limit_source(plane, cells, kind)
    limits = autoscale(source, **scaling)
    norm = Norm.of(scaling["norm"])
    if norm.name == "object":
        norm = replace(norm, instance=autoscaled(norm.instance, source))
    palette = Palette("hsv" if is_phase and cmap is None else cmap, colors, alpha, limits.is_centered)
    rgba = shade(cells, palette, norm, limits.vmin, limits.vmax)
    ranges = limit_ranges(source, errors, **scaling) if np.any(errors) and norm.name != "object" else None
    has_own_limits = kind == "cells" and not scaling["robust"] and not norm.is_instance
    is_enclosed = has_own_limits and scaling["vmin"] is None and scaling["vmax"] is None
    allowed = allowed_shades(cells, palette, norm, limits.vmin, limits.vmax, ranges, is_enclosed)
    return Picture(rgba, allowed, cells, limits)


def _limit_source(plane, cells, kind):
    """The values that the color limits come from, and their errors."""
    if kind == "phase":
        return np.array([-math.pi, math.pi]), np.zeros(2)
    if kind == "cells":
        return cells.finite_values, cells.tolerances[cells.kinds == VALUE]
    return plane.values, plane.errors


def _class_picture(plane, grid, agg, nan, cmap, colors, alpha):
    cells = reduce_cells(plane.values, *grid, agg, nan, plane.errors)
    palette = Palette(cmap, colors, alpha)
    if cmap is not None:
        norm = Norm("boundary", boundaries=classes.class_boundaries(plane.values))
        limits = autoscale(plane.values, norm)
        return Picture(shade(cells, palette, norm), allowed_shades(cells, palette, norm), cells, limits)
    rgba = classes.shade_classes(cells, palette.marked, alpha)
    return Picture(rgba, _exactly(rgba), cells, None)


def _exactly(rgba):
    """Allowed pixels where there is no freedom."""
    allowed = np.empty(rgba.shape[:2], object)
    for at in np.ndindex(allowed.shape):
        allowed[at] = frozenset([tuple(int(c) for c in rgba[at])])
    return allowed


def _hue_picture(plane, grid, agg, nan, mode, cmap, colors, alpha):
    """Hue from the angle of the sum, alpha from the reduced amplitude."""
    hues = complexes.hue_cells(plane, *grid, agg, nan)
    amplitudes = reduce_cells(plane.values, *grid, agg, nan, plane.errors)
    finite = plane.values[np.isfinite(plane.values)]
    largest = float(finite.max()) if finite.size else 0.0
    palette = Palette("hsv" if cmap is None else cmap, colors)
    rgba = shade(hues, palette, None, -math.pi, math.pi)
    hue_sets = allowed_shades(hues, palette, None, -math.pi, math.pi)
    allowed = np.empty(hue_sets.shape, object)
    for at, kind in np.ndenumerate(hues.kinds):
        pixel, faint = tuple(int(c) for c in rgba[at]), (0.0, 0.0, 0.0)
        if kind == 0:
            value, error = amplitudes.values[at], amplitudes.tolerances[at] + 1e-9 * largest
            faint = complexes.amplitude_alpha([max(value - error, 0.0), value, value + error], largest, mode)
            pixel = faded(pixel, faint[1])
        rgba[at] = faded(pixel, alpha)
        allowed[at] = _faded_between(hue_sets[at], faint[0], faint[2], alpha) if kind == 0 else {tuple(rgba[at].tolist())}
    return Picture(rgba, allowed, Cells(hues.values, hues.kinds, hues.tolerances, agg), None)


def _faded_between(pixels, least, most, alpha):
    """Every pixel of a set under every alpha byte that `least`..`most` can give."""
    found = set()
    for pixel in pixels:
        ends = [faded(pixel, limit)[3] for limit in (least, most)]
        found |= {faded((*pixel[:3], byte), alpha) for byte in range(ends[0], ends[1] + 1)}
    return frozenset(found)


def _rgb_picture(values, dtype_name, channel, axes, shape, view, denorm, agg, nan, colors, alpha):
    """Channels apart through the hidden axes, then together through the cells."""
    is_last = channel == values.ndim - 1
    values = np.moveaxis(values, channel, -1)
    values, dtype_name = color_channels.channel_values(values, dtype_name, is_last)
    values = color_channels.whole_marks(values, nan)
    axes = _without_channel(axes, channel, values.ndim)
    choice = choose_axes(values.shape[:-1], *axes)
    planes = [shown_plane(values[..., c], choice, nan=nan).values for c in range(values.shape[-1])]
    elements = np.stack(planes, axis=-1)
    rows, cols = lattice_cells(elements.shape[:2], shape, view)
    cells = color_channels.reduce_rgb(elements, rows, cols, agg or "mean", nan, 255.0 if dtype_name == "uint8" else 1.0)
    cells = color_channels.finish_rgb(cells, dtype_name, denorm, elements)
    rgba, allowed = color_channels.shade_rgb(cells, dtype_name, denorm, colors, alpha)
    return Picture(rgba, allowed, cells, None, True), is_reduction((rows, cols), agg)


def _without_channel(axes, channel, n_dims):
    """The axis arguments of a tensor, in terms of the same tensor without its channel axis."""

    def moved(axis):
        if axis is None or isinstance(axis, str):
            return axis
        axis %= n_dims
        if axis == channel:
            raise ValueError(f"axis {axis} holds the channels, so it can have no other use")
        return axis - (axis > channel)

    dims, x, y, index, reduce = axes
    dims = None if dims is None else [name for at, name in enumerate(dims) if at != channel]
    index, reduce = ({moved(axis): what for axis, what in (given or {}).items()} for given in (index, reduce))
    return dims, moved(x), moved(y), index, reduce


def to_rgba(X, shape=None, **arguments):
    """The (H, W, 4) uint8 picture alone; see `picture`."""
    return picture(X, shape, **arguments).rgba


def allowed_rgba(X, shape=None, **arguments):
    """For each pixel what another implementation may draw; see `Picture`."""
    return picture(X, shape, **arguments).allowed
