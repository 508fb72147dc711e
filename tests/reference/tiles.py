"""Where a grid of images puts its tiles, how it normalizes them, and the size of a saved picture."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TileLayout:
    """Size (rows, columns) of the whole picture and the top left (row, column) of each image."""

    size: tuple
    starts: list


def tile_layout(n_images, height, width, nrow=8, padding=2):
    """The layout of n_images tiles, `nrow` of them in a row; one image stands alone, without padding."""
    if n_images == 1:
        return TileLayout((height, width), [(0, 0)])
    n_columns = min(nrow, n_images)
    n_rows = math.ceil(n_images / n_columns)
    down, right = height + padding, width + padding
    starts = [(k // n_columns * down + padding, k % n_columns * right + padding) for k in range(n_images)]
    return TileLayout((n_rows * down + padding, n_columns * right + padding), starts)


def normalized(images, value_range=None, scale_each=False):
    """(clip(x, lo, hi) - lo) / max(hi - lo, 1e-5), with the finite limits of all images or of each."""
    if scale_each:
        return [normalized([image], value_range)[0] for image in images]
    if value_range is None:
        finite = np.concatenate([np.ravel(image)[np.isfinite(np.ravel(image))] for image in images])
        value_range = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    low, high = value_range
    return [(np.clip(image, low, high) - low) / max(high - low, 1e-5) for image in images]


def saved_shape(n_rows, n_columns, width=None):
    """(H, W) of a saved picture: one pixel per element, or `width` columns and rounded rows."""
    if width is None:
        return n_rows, n_columns
    return max(1, math.floor(n_rows * width / n_columns + 0.5)), width
