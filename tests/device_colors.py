"""Styles, cells and channels for tests of colors on the emulated device."""

import numpy as np
import reference as ref
from device_planes import device_cells

from gpuplot import _native
from gpuplot.color.rgb import RgbStyle
from gpuplot.color.style import NativeStyle

NAN, INF = np.nan, np.inf
MARKS = {"nan_rgba": (1, 2, 3, 250), "pos_inf_rgba": (4, 5, 6, 200), "neg_inf_rgba": (7, 8, 9, 100)}
MASKED_RGBA = (10, 11, 12, 150)


def table_of(n_colors):
    """A color table whose rows have their index in their first two bytes."""
    rows = np.arange(n_colors + 3)
    return np.stack([rows % 256, rows // 256, np.full_like(rows, 77), np.full_like(rows, 200)], axis=-1).astype(np.uint8)


def style_of(norm, vmin, vmax, params=(), n_colors=256, boundaries=None, indices=None, **alpha):
    edges = None if boundaries is None else np.array(boundaries, float)
    rows = None if indices is None else np.array(indices, np.int32)
    return NativeStyle(norm, vmin, vmax, params, edges, rows, table_of(n_colors), **MARKS, masked_rgba=MASKED_RGBA, **alpha)


STYLES = {
    "linear": (style_of("linear", -1.0, 2.0), "linear"),
    "linear of a wide range": (style_of("linear", -1.7e308, 1.7e308), None),
    "linear of a narrow range": (style_of("linear", 1.0, 1.0 + 2**-40), None),
    "linear, equal limits": (style_of("linear", 0.5, 0.5), "linear"),
    "two_slope": (style_of("two_slope", -1.0, 2.0, (0.1,)), ref.Norm("twoslope", vcenter=0.1)),
    "boundary": (style_of("boundary", -1.0, 2.0, (), 4, (-1, -0.5, 0.25, 1, 2), (3, 0, 2, 1)), None),
    "boundary, repeated": (style_of("boundary", 0.0, 1.0, (), 256, (0, 0.5, 0.5, 1), (7, 8, 9)), None),
    "eq_hist": (style_of("eq_hist", -1.0, 1.5), "eq_hist"),
    "eq_hist, equal limits": (style_of("eq_hist", 0.0, 0.0), None),
    "log": (style_of("log", 1e-3, 1.9), "log"),
    "log, equal limits": (style_of("log", -2.0, -2.0), "log"),
    "symlog": (style_of("symlog", -1.0, 2.0, (0.03, 0.5, 2.0)), ref.Norm("symlog", linthresh=0.03, linscale=0.5, base=2.0)),
    "asinh": (style_of("asinh", -1.0, 2.0, (0.1,)), ref.Norm("asinh", linear_width=0.1)),
    "power 0.5": (style_of("power", -1.0, 2.0, (0.5,)), ref.Norm("power", gamma=0.5)),
    "power 3": (style_of("power", -1.0, 2.0, (3.0,)), ref.Norm("power", gamma=3.0)),
    "cbrt": (style_of("cbrt", -1.0, 2.0), "cbrt"),
}
# Here both backends do the same operations; elsewhere the libraries of a device may round functions differently.
EXACT = ("linear", "two_slope", "boundary", "eq_hist")


def values_of(style, shape, seed=0, huge=1.7e308):
    """Cells around the limits, on them and next to them, far away, tiny, equal, and every kind of mark."""
    rng = np.random.default_rng(seed)
    low, high = style.vmin, style.vmax
    half = high / 2 - low / 2 or 1.0
    outside = 0.4 if half < 1e300 else 0.0  # where the limits are the ends of all doubles
    values = rng.uniform(-1 - outside, 1 + outside, shape) * half + (low / 2 + high / 2)
    values = np.where(rng.random(shape) < 0.1, low + half, values)
    special = [low, high, np.nextafter(low, -INF), np.nextafter(high, INF), 0.0, 5e-324, -1e-310, huge, -huge, NAN, INF, -INF, 0.1,
               0.25, 0.5]
    n = min(len(special), values.size)
    values.flat[rng.permutation(values.size)[:n]] = special[:n]
    return values


def on_both(values, n_empty=0):
    """The same cells on the device and on the host, followed by some empty columns."""
    cells = device_cells(values, n_empty)
    return cells, _native.Cells.from_array(cells.numpy())


def codes_in(pixels):
    return pixels[..., 0] + 256 * pixels[..., 1].astype(int)


def are_allowed(values, rows, style, norm):
    """Which rows of the color table equal those of the definition, or are neighbors that rounding allows; marks allow none."""
    n_colors = len(style.table) - 3
    low, high, may_be_bad = ref.allowed_codes(values, 0.0, norm, style.vmin, style.vmax, n_colors)
    is_bad = rows == n_colors + 2
    codes = np.select([rows == n_colors, rows == n_colors + 1], [-1, n_colors], rows)
    is_colored = (low != -2) & (codes >= low) & (codes <= high)
    return np.where(is_bad, may_be_bad | (low == -2), is_colored) | ~np.isfinite(values)


def rgb_style(n_channels, **choices):
    scale = (1.0, 0.5, 2.0, 1.0)[:n_channels]
    offset = (0.0, 0.25, -0.1, 0.0)[:n_channels]
    choices = {"scale": scale, "offset": offset, "is_rounded": False, "is_f32": False, **MARKS, **choices}
    return RgbStyle(**choices)


def channels_of(n, shape=(21, 34), n_empty=1, seed=0):
    rng = np.random.default_rng(seed)
    grids = []
    for k in range(n):
        values = rng.uniform(-0.3, 1.3, shape)
        values.flat[rng.integers(0, values.size, 12)] = rng.choice([NAN, INF, -INF, 0.0, 1.0, -0.0], 12)
        if k == 3:
            values.flat[rng.integers(0, values.size, 60)] = 0.0
        grids.append(on_both(values, n_empty))
    return tuple(grid[0] for grid in grids), tuple(grid[1] for grid in grids)


def bytes_of(pixels, limits):
    """Pixels and the range of their colors in one array."""
    return np.concatenate([pixels.ravel(), np.array(limits).view(np.uint8)])


RGB_STYLES = {
    "plain": {}, "rounded": {"is_rounded": True}, "float32": {"is_f32": True}, "weighted": {"is_alpha_weighted": True},
    "weighted and rounded": {"is_alpha_weighted": True, "is_rounded": True}, "opacity": {"alpha": 0.4},
    "opacity in place of alpha": {"alpha": 0.4, "is_alpha_replaced": True},
    "bytes": {"scale": (1 / 255,) * 4, "offset": (0.0,) * 4, "is_rounded": True},
}
