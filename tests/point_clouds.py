"""Clouds of points, and their images in Axes of known size: what the tests of `scatter` share."""

import numpy as np
from figures import axes_of

import gpuplot
from gpuplot.mpl.scatter import MAX_MARKERS

__all__ = ["N", "cloud", "shown"]

N = MAX_MARKERS + 10_000


def cloud(n=N, seed=0, dtype="float64"):
    return np.random.default_rng(seed).normal(size=(2, n)).astype(dtype)


def shown(x, y, *args, xlim=(-3, 3), ylim=(-2, 2), size=(90, 60), **keywords):
    """The image of points in an Axes of a given size in pixels."""
    ax = axes_of(*size)
    image = gpuplot.scatter(x, y, *args, ax=ax, **keywords)
    ax.set(xlim=xlim, ylim=ylim)
    return image
