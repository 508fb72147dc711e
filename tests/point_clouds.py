"""Clouds of points, their images in Axes of known size, and the cells that were drawn: what the tests of `scatter` share."""

import numpy as np
from figures import axes_of

import gpuplot
from gpuplot.mpl.scatter import MAX_MARKERS

__all__ = ["N", "cloud", "drawn_cells", "shown"]

N = MAX_MARKERS + 10_000


def cloud(n=N, seed=0, dtype="float64"):
    return np.random.default_rng(seed).normal(size=(2, n)).astype(dtype)


def shown(x, y, *args, xlim=(-3, 3), ylim=(-2, 2), size=(90, 60), **keywords):
    """The image of points in an Axes of a given size in pixels."""
    ax = axes_of(*size)
    image = gpuplot.scatter(x, y, *args, ax=ax, **keywords)
    ax.set(xlim=xlim, ylim=ylim)
    return image


def drawn_cells(image):
    """The cell of each pixel after a draw, row 0 at the bottom; 0 for empty ones."""
    image.axes.figure.canvas.draw()
    return np.nan_to_num(image._cells.numpy())
