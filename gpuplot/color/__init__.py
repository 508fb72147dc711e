"""Cells -> RGBA: norms, colormaps, limits of colors, classes, opacities."""
