"""Helpers for tests of grids of images: tensors, the artist, what its pointer says, and the pixels of files."""

import matplotlib.pyplot as plt
import numpy as np

import gpuplot
from gpuplot.options import CELLS, STREAM, STYLE, VIEW
from gpuplot.picture.grid_spec import GRID, GridSpec

OPTIONS = VIEW | CELLS | STYLE | STREAM


def spec_of(X, options=OPTIONS, **grid):
    return GridSpec(X, GRID | grid, options)


def noise(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def image_of(figure):
    [image] = figure.axes[0].images
    return image


def pointed_at(image, col, row):
    """What the tool bar says at an element of the grid."""
    image.figure.canvas.draw()
    event = type("Event", (), {})()
    event.x, event.y = image.axes.transData.transform((col, row))
    data = image.get_cursor_data(event)
    return None if data is None else image.format_cursor_data(data)


def saved(tmp_path, X, **keywords):
    gpuplot.imsave(tmp_path / "grid.png", X, **keywords)
    read = plt.imread(tmp_path / "grid.png")
    rgba = np.ones((*read.shape[:2], 4), read.dtype)
    rgba[..., :read.shape[2]] = read
    return np.round(rgba * 255).astype(np.uint8)
