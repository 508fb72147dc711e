"""Images with ``norm="eq_hist"``: each draw ranks the visible values, and the colorbar shows these ranks."""

import numpy as np

from ...color.norms import EqHistNorm
from .bar_updates import update_bar


def is_ranked(image):
    """Whether the image's colors are by rank among all visible values."""
    return type(image.norm) is EqHistNorm


def rank_ahead(image):
    """Gives the norm the ranks of the next draw for a colorbar that is being made.

    A layout measures its numbers before the first draw, and it may be drawn before the picture.
    """
    cells = image._cells_ahead() if is_ranked(image) and image.norm.scaled() else None
    if cells is not None:
        _rank(image, cells.numpy())


def rank_cells(image, cells):
    """Gives the norm the ranks of a draw's cells, for a colorbar; cells are colored in C, without the norm's ranks."""
    if is_ranked(image) and image.colorbar is not None:
        _rank(image, cells.numpy())


def rank_elements(image, values, box, geometry, is_dense):
    """Gives the norm the ranks of the visible part of an array, which matplotlib then colors by it; see `resample.place`."""
    if is_ranked(image) and np.ndim(values) == 2:
        rows, cols = (slice(None) if dense else slice(int(first - start), int(stop - start)) for dense, first, stop, start in
                      zip(is_dense, geometry.touched[::2], geometry.touched[1::2], box[::2], strict=True))
        _rank(image, values[rows, cols])


def _rank(image, values):
    norm, colorbar = image.norm, image.colorbar
    before = norm.ranked
    norm.fit(values)
    if colorbar is not None and not np.array_equal(before, norm.ranked):
        update_bar(colorbar, image)
