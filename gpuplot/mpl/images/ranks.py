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
    if not is_ranked(image) or np.ndim(values) != 2:
        return
    row0, row1, col0, col1 = geometry.touched
    rows = _visible(row0, row1, box[0], is_dense[0])
    cols = _visible(col0, col1, box[2], is_dense[1])
    _rank(image, values[rows, cols])


def _visible(first, stop, begin, is_dense):
    """The slice of an array that begins at element `begin` with elements ``first`` to ``stop - 1``; all of it where it has cells."""
    return slice(None) if is_dense else slice(int(first - begin), int(stop - begin))


def _rank(image, values):
    norm, colorbar = image.norm, image.colorbar
    before = norm.ranked, norm.ranks  # integers may be the same ones at other ranks
    norm.fit(values)
    if colorbar is not None and not all(map(np.array_equal, before, (norm.ranked, norm.ranks))):
        update_bar(colorbar, image)
