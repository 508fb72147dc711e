"""Pictures by rank: each draw ranks the visible cells, and the colorbar shows the colors of these ranks."""

import numpy as np

from ..color.norms import EqHistNorm


def is_ranked(image):
    """Whether the color of a value depends on all others that are seen."""
    return type(image.norm) is EqHistNorm


def rank_cells(image, cells):
    """Ranks the native cells of a draw, which have their colors without the norm's ranks, where a colorbar asks for these."""
    if is_ranked(image) and image.colorbar is not None:
        _rank(image, cells.numpy())


def rank_elements(image, values, box, geometry, is_dense):
    """Ranks the visible part of an array that matplotlib colors by the norm; parameters as those of `resample.place`."""
    if is_ranked(image) and np.ndim(values) == 2:
        rows, cols = (slice(None) if dense else slice(int(first - start), int(stop - start)) for dense, first, stop, start in
                      zip(is_dense, geometry.touched[::2], geometry.touched[1::2], box[::2], strict=True))
        _rank(image, values[rows, cols])


def _rank(image, values):
    norm, colorbar = image.norm, image.colorbar
    before = norm.ranked
    norm.fit(values)
    if colorbar is not None and not np.array_equal(before, norm.ranked):
        colorbar.update_normal(image)
