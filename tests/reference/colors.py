"""From cells to RGBA8 pixels: the colormap's bytes, colors of the special classes, artist alpha."""

from dataclasses import dataclass

import numpy as np

from .cells import EMPTY, MASKED, NAN, NEG_INF, POS_INF, VALUE
from .norms import BAD, UNDER, Norm, allowed_codes, allowed_codes_between, codes

TRANSPARENT = (0, 0, 0, 0)


@dataclass(frozen=True)
class ClassColors:
    """Colors given for classes of cells, as matplotlib colors; None is the colormap's own."""

    nan_color: object = None
    pos_inf_color: object = None
    neg_inf_color: object = None
    under_color: object = None
    over_color: object = None


def colormap_of(cmap, is_diverging=False):
    """The installed matplotlib's colormap object."""
    import matplotlib

    if cmap is None:
        cmap = "RdBu_r" if is_diverging else matplotlib.rcParams["image.cmap"]
    return matplotlib.colormaps[cmap] if isinstance(cmap, str) else cmap


def color_bytes(color):
    """The four bytes of a matplotlib color: trunc(255 c), as in the table of a colormap."""
    from matplotlib.colors import to_rgba

    return tuple(int(255 * c) for c in to_rgba(color))


def faded(pixel, alpha):
    """The pixel with its alpha byte times the artist's alpha, in float32, truncated."""
    if alpha is None:
        return tuple(pixel)
    return (*pixel[:3], int(np.float32(pixel[3]) * np.float32(alpha)))


class Palette:
    """Every pixel that a colormap and the special classes can give, by code."""

    def __init__(self, cmap=None, colors=None, alpha=None, is_diverging=False):
        self.cmap = colormap_of(cmap, is_diverging)
        self.colors = colors or ClassColors()
        self.alpha = alpha
        self.n_colors = self.cmap.N
        self._table = self.cmap(np.arange(self.n_colors), bytes=True)

    def _class_pixel(self, given, own):
        return faded(color_bytes(given) if given is not None else tuple(int(c) for c in own), self.alpha)

    @property
    def bad(self):
        """The colormap's bad pixel."""
        return self._class_pixel(None, self.cmap(np.ma.masked_all(1), bytes=True)[0])

    def marked(self, kind):
        """The pixel of a cell that is NaN, +Inf, -Inf or empty."""
        if kind == EMPTY:
            return TRANSPARENT
        if kind == MASKED:
            return self.bad
        given = {NAN: "nan_color", POS_INF: "pos_inf_color", NEG_INF: "neg_inf_color"}[kind]
        given = getattr(self.colors, given)
        return self.bad if given is None else self._class_pixel(given, None)

    def colored(self, code):
        """The pixel of a color code."""
        if code == BAD:
            return self.bad
        if code == UNDER:
            return self._class_pixel(self.colors.under_color, self.cmap(np.array([-1]), bytes=True)[0])
        if code >= self.n_colors:
            return self._class_pixel(self.colors.over_color, self.cmap(np.array([self.n_colors]), bytes=True)[0])
        return faded(tuple(int(c) for c in self._table[code]), self.alpha)

    def between(self, low, high):
        """The pixels of all codes from low to high."""
        return frozenset(self.colored(code) for code in range(low, high + 1))


def _pixels_by_norm_object(values, norm, palette):
    """Any other Normalize: the object itself, called with the float64 cells."""
    pixels = palette.cmap(norm.instance(np.ma.masked_invalid(values)), bytes=True)
    return [faded(tuple(int(c) for c in pixel), palette.alpha) for pixel in pixels.reshape(-1, 4)]


def shade(cells, palette, norm=None, vmin=0.0, vmax=1.0):
    """The H x W x 4 uint8 picture of Cells."""
    norm = Norm.of(norm)
    values = np.where(cells.kinds == VALUE, cells.values, np.nan)
    if norm.name == "object":
        colored = _pixels_by_norm_object(values, norm, palette)
    else:
        colored = [palette.colored(code) for code in codes(values, norm, vmin, vmax, palette.n_colors).flat]
    rgba = np.empty((*cells.values.shape, 4), np.uint8)
    for at, (kind, pixel) in enumerate(zip(cells.kinds.flat, colored)):
        rgba.reshape(-1, 4)[at] = pixel if kind == VALUE else palette.marked(kind)
    return rgba


def allowed_shades(cells, palette, norm=None, vmin=0.0, vmax=1.0, limit_ranges=None, is_enclosed=False):
    """An H x W object array: for each cell the frozenset of pixels that another implementation may draw.

    limit_ranges : ((low, high), (low, high)) of vmin and vmax, where the limits themselves are inexact
    is_enclosed : the limits come from these very cells, so none of them can be under or over
    """
    norm = Norm.of(norm)
    values = np.where(cells.kinds == VALUE, cells.values, np.nan)
    if norm.name == "object":
        return _allowed_by_norm_object(cells, values, norm, palette)
    if cells.period is not None:
        return _allowed_angles(cells, values, palette, norm, vmin, vmax)
    ranges = limit_ranges or ((vmin, vmin), (vmax, vmax))
    is_exact = ranges == ((vmin, vmin), (vmax, vmax))
    low, high, may_be_bad = (
        allowed_codes(values, cells.tolerances, norm, vmin, vmax, palette.n_colors)
        if is_exact
        else allowed_codes_between(values, cells.tolerances, norm, *ranges, palette.n_colors)
    )
    if is_enclosed:
        low, high = (np.where(ends == BAD, BAD, np.clip(ends, 0, palette.n_colors - 1)) for ends in (low, high))
    allowed = np.empty(values.shape, object)
    for at, kind in np.ndenumerate(cells.kinds):
        if kind != VALUE:
            allowed[at] = frozenset([palette.marked(kind)])
            continue
        allowed[at] = palette.between(low[at], high[at]) if low[at] != BAD else frozenset()
        if may_be_bad[at] or low[at] == BAD:
            allowed[at] |= {palette.bad}
    return allowed


def _allowed_by_norm_object(cells, values, norm, palette):
    """The pixels of each value, and of both ends of its tolerance."""
    drawn = [_pixels_by_norm_object(values + side * cells.tolerances, norm, palette) for side in (-1, 0, 1)]
    allowed = np.empty(values.shape, object)
    for at, pixels in zip(np.ndindex(values.shape), zip(*drawn)):
        kind = cells.kinds[at]
        allowed[at] = frozenset(pixels if kind == VALUE else [palette.marked(kind)])
    return allowed


def _allowed_angles(cells, values, palette, norm, vmin, vmax):
    """As `allowed_shades`, for values that count modulo a period: near one end the other end is as good."""
    allowed = np.empty(cells.values.shape, object)
    half = cells.period / 2
    for at, kind in np.ndenumerate(cells.kinds):
        is_marked = kind != VALUE
        pixels = frozenset([palette.marked(kind)]) if is_marked else frozenset()
        for turn in () if is_marked else (-cells.period, 0.0, cells.period):
            first = max(values[at] + turn - cells.tolerances[at], -half)
            last = min(values[at] + turn + cells.tolerances[at], half)
            if first <= last:
                ends = np.array([first, last])
                low, high, _ = allowed_codes(ends, 0.0, norm, vmin, vmax, palette.n_colors)
                pixels |= palette.between(low[0], high[1])
        allowed[at] = pixels
    return allowed


def assert_allowed(got, allowed, what="picture"):
    """Raise AssertionError unless every pixel of the uint8 picture `got` is among those allowed."""
    got = np.asarray(got)
    assert got.dtype == np.uint8, f"{what}: dtype {got.dtype}, want uint8"
    assert got.shape == (*allowed.shape, 4), f"{what}: shape {got.shape}, want {(*allowed.shape, 4)}"
    wrong = [at for at in np.ndindex(allowed.shape) if tuple(int(c) for c in got[at]) not in allowed[at]]
    if wrong:
        pixel = tuple(int(c) for c in got[wrong[0]])
        raise AssertionError(
            f"{what}: {len(wrong)} of {allowed.size} pixels differ; first at {wrong[0]}: got {pixel}, "
            f"want one of {sorted(allowed[wrong[0]])[:6]}"
        )
