"""Colors of densities, of points and of lines: their norm, the colormap of a single color, opacities, and the colorbar of these."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import Colormap, LinearSegmentedColormap, ListedColormap, LogNorm, to_rgba
from matplotlib.scale import LogScale
from matplotlib.ticker import LogFormatterSciNotation

from ...color.style import check_given_limits, find_cmap, find_norm, limit_number

# The opacity of a pixel with one point or line, where all have one color and no opacity is given: that of the fullest pixel is 1.
MIN_OPACITY = 0.4

# The least contrast of single points to the background, by the contrast ratio of the Web Content Accessibility Guidelines 2 (WCAG),
# section "contrast ratio"; and colors among which the first that has it is looked for.
MIN_CONTRAST, N_COLORS = 1.5, 256

# Where the colorbar of counts ends below this, they are written without exponents.
MAX_PLAIN = 20_000

# Over fewer decades than these, some ticks between powers of ten have texts, or all; matplotlib's are 1 and 0.4.
LABELED_DECADES = (2.2, 0.4)


def density_norm(style, is_count):
    """The norm of a density from ``norm``, ``vmin`` and ``vmax`` of a style: of counts a logarithm where none is given."""
    norm = "log" if style["norm"] is None and is_count else style["norm"]
    is_log = isinstance(norm, str) and norm == "log"
    limits = [limit_number(name, style[name]) for name in ("vmin", "vmax")]
    norm = LogNorm(*limits) if is_log else find_norm(norm, *limits)
    check_log_limits(norm, norm.vmin, norm.vmax, "give norm='linear'")
    check_given_limits(norm)
    if is_log and is_count:
        norm._scale = CountScale(None)  # which a colorbar asks for
    return norm


def check_log_limits(norm, vmin, vmax, advice):
    """ValueError for limits of a density that a log norm cannot have; `advice` says how the norm becomes a linear one."""
    wrong = {name: limit for name, limit in (("vmin", vmin), ("vmax", vmax)) if limit is not None and not limit > 0}
    if type(norm) is LogNorm and wrong:
        given = " and ".join(f"{name}={limit:g}" for name, limit in wrong.items())
        raise ValueError("Invalid vmin or vmax: the colors of a density are on a log scale, as counts are by default, whose limits are "
                         f"above zero, not {given}: leave {' and '.join(wrong)} out, or {advice}")


class CountScale(LogScale):
    """The logarithmic scale of a colorbar of counts, which writes 20 and not 2 x 10^1."""

    def set_default_locators_and_formatters(self, axis):
        """Called by matplotlib when an axis gets this scale."""
        super().set_default_locators_and_formatters(axis)
        axis.set_major_formatter(CountFormatter(self.base))
        axis.set_minor_formatter(CountFormatter(self.base, minor_thresholds=LABELED_DECADES))


class CountFormatter(LogFormatterSciNotation):
    """matplotlib's choice of the ticks that have texts on a logarithmic axis, as plain numbers where these are short."""

    def __call__(self, x, pos=None):
        """The text of a tick; empty for those that have none."""
        text = super().__call__(x, pos)
        low, high = sorted(self.axis.get_view_interval())
        return f"{x:.0f}" if text and low > 0.5 and high < MAX_PLAIN else text


def density_cmap(cmap, color, alpha=None, is_one_color=False, background=None):
    """The colormap of a density: `cmap`, or the opacities of one color where that alone is given, or wanted.

    With `alpha`, from which the opacities of pixels rise to 1, the color is the same for all. A colormap by its name, or the default,
    begins where it can be told from the `background`, a color, if one is given.
    """
    if not is_one_color and (color is None or cmap is not None):
        found = find_cmap(cmap)
        return found if background is None or isinstance(cmap, Colormap) else _seen_on(background, found)
    red, green, blue, opacity = to_rgba(color or "black")
    least = opacity * (MIN_OPACITY if alpha is None else 1)
    return LinearSegmentedColormap.from_list("density", [(red, green, blue, least), (red, green, blue, opacity)])


def _seen_on(background, cmap):
    """The part of a colormap from the first color on that contrasts with a background; all of it where that would be less than half."""
    colors = cmap(np.linspace(0, 1, N_COLORS))
    background = to_rgba(background)
    if background[3] == 0:
        return cmap
    light, other = _luminance(colors[:, :3]), _luminance(np.array(background[:3]))
    contrast = (np.maximum(light, other) + 0.05) / (np.minimum(light, other) + 0.05)
    first = int(np.argmax(contrast >= MIN_CONTRAST))
    if not 0 < first <= N_COLORS // 2:
        return cmap
    part = ListedColormap(cmap(np.linspace(first / (N_COLORS - 1), 1, N_COLORS)), cmap.name)
    return part.with_extremes(bad=cmap.get_bad(), under=cmap.get_under(), over=cmap.get_over())


def _luminance(rgb):
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def ramp(norm, values, alpha):
    """Opacities of pixels by their counts: `alpha` at the lower limit of the norm and 1 at the upper one, where most marks overlap."""
    share = np.ma.filled(norm(np.ma.masked_invalid(values)), 0.0)
    return alpha + (1 - alpha) * np.clip(share, 0.0, 1.0)


def match_colorbar(colorbar, alpha, is_count):
    """Gives a colorbar the opacities of the pixels: by their counts, or, as other values have any, full ones.

    matplotlib's has the opacity `alpha` of the image throughout. Nothing is done where it has been done.
    """
    solids = colorbar.solids
    if alpha is None or solids is None or np.ndim(solids.get_alpha()) == 2:
        return
    values = solids.get_array()
    colors = solids.cmap(solids.norm(values))
    solids.set_alpha(colors[..., 3] * (ramp(solids.norm, values, alpha) if is_count else 1.0))
    for patch, opacity in zip(colorbar._extend_patches, (alpha, 1.0) if colorbar.extend in ("min", "both") else (1.0,), strict=False):
        patch.set_alpha(opacity if is_count else 1.0)
