"""Colors of densities, of points and of lines: their norm, and the colormap of a single color."""

from __future__ import annotations

from matplotlib.colors import LinearSegmentedColormap, LogNorm, to_rgba

from ..color.style import find_cmap, find_norm

# The opacity of a pixel with one point or line, where all have one color: that of the fullest pixel is 1.
LEAST_OPACITY = 0.4


def density_norm(style, is_count):
    """The norm of a density from ``norm``, ``vmin`` and ``vmax`` of a style: of counts a logarithm where none is given."""
    norm = "log" if style["norm"] is None and is_count else style["norm"]
    return LogNorm(style["vmin"], style["vmax"]) if norm == "log" else find_norm(norm, style["vmin"], style["vmax"])


def density_cmap(cmap, color, is_one_color=False):
    """The colormap of a density: `cmap`, or the opacities of one color where that alone is given, or wanted."""
    return _opacities(color or "black") if is_one_color or (color is not None and cmap is None) else find_cmap(cmap)


def _opacities(color):
    red, green, blue, alpha = to_rgba(color)
    return LinearSegmentedColormap.from_list("density", [(red, green, blue, LEAST_OPACITY * alpha), (red, green, blue, alpha)])
