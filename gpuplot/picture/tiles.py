"""TileGrid: the layout of tiles of one size in rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..choices import check_integer
from ..plane.picture_size import MAX_SIDE

# Tiles in a row, as in torchvision; how long a tile may be, as a multiple of its width or height, until a row has as many as fit best;
# and the height of the page that they are to fit on, as a multiple of its width.
USUAL_NROW, USUAL_RATIO, PAGE_RATIO = 8, 2, 1.5


def usual_nrow(n_tiles, tile_shape):
    """How many tiles a row has where nothing is said: 8, or for long tiles as many as let them be largest on a page.

    Eight spectrograms of 80 x 1000 in a row would be lines.

    Examples
    --------
    >>> usual_nrow(16, (28, 28)), usual_nrow(16, (80, 1000)), usual_nrow(64, (80, 1000)), usual_nrow(12, (200, 10))
    (8, 1, 2, 12)
    """
    height, width = (max(side, 1) for side in tile_shape)
    if max(height, width) <= USUAL_RATIO * min(height, width):
        return USUAL_NROW
    nrow = np.arange(1, n_tiles + 1)
    pages = np.maximum(nrow * width, -(-n_tiles // nrow) * height / PAGE_RATIO)  # the width of the page that they need
    return int(nrow[np.argmin(pages)])


@dataclass(frozen=True)
class TileGrid:
    """A grid of equal tiles, filled row by row; the last row may be filled in part.

    Lengths and positions are in pixels; pixel j covers [j, j + 1).

    Attributes
    ----------
    n_tiles : int
        At least 1.
    n_cols : int
        Tiles in a row.
    tile_shape : (int, int)
        Height and width of a tile.
    padding : int, default: 0
        Pixels between neighboring tiles.
    border : int, default: 0
        Pixels around all tiles.
    is_upward : bool, default: False
        Whether the first row of pixels, and of each tile, is at the bottom; the first row of tiles is at the top all the same.

    Examples
    --------
    >>> grid = TileGrid.from_nrow(5, (28, 28), nrow=3)
    >>> grid.shape, grid.offset(4)
    ((62, 92), (32, 32))
    >>> grid.tile_at(33.5, 40)
    (4, 1.5, 8)
    """

    n_tiles: int
    n_cols: int
    tile_shape: tuple[int, int]
    padding: int = 0
    border: int = 0
    is_upward: bool = False

    @classmethod
    def from_nrow(cls, n_tiles, tile_shape, nrow=8, padding=2, is_upward=False):
        """The grid of `torchvision.utils.make_grid`: padding between and around tiles, but none around a single one.

        A row has at most `nrow` tiles: fewer make a shorter row. TypeError where `nrow` or `padding` is not an integer, ValueError for
        no tiles, ``nrow < 1`` or ``padding < 0``.
        """
        nrow, padding = check_integer("nrow", nrow, 1), check_integer("padding", padding, 0, MAX_SIDE)
        if n_tiles < 1:
            raise ValueError("a grid needs at least one image")
        return cls(n_tiles, min(nrow, n_tiles), tuple(tile_shape), padding, padding if n_tiles > 1 else 0, is_upward)

    @property
    def n_rows(self):
        """Rows of tiles."""
        return math.ceil(self.n_tiles / self.n_cols)

    @property
    def shape(self):
        """Height and width of the whole picture."""
        return tuple(n * (side + self.padding) - self.padding + 2 * self.border
                     for n, side in zip((self.n_rows, self.n_cols), self.tile_shape, strict=True))

    def offset(self, k):
        """Row and column of the first pixel of tile k."""
        row, col = divmod(k, self.n_cols)
        row = self._from_start(row)
        return tuple(self.border + i * (side + self.padding) for i, side in zip((row, col), self.tile_shape, strict=True))

    def _from_start(self, row):
        """The place of a row of tiles, counted from the first row of pixels; and the other way round."""
        return self.n_rows - 1 - row if self.is_upward else row

    def origin(self, k, shape):
        """Row and column of the first pixel of an image of a shape, which lies at the top left of tile k."""
        row, col = self.offset(k)
        return row + self.tile_shape[0] - shape[0] if self.is_upward else row, col

    def corner(self, k):
        """Row and column of the top left corner of tile k, at the edge of its pixels."""
        row, col = self.offset(k)
        return row + self.tile_shape[0] if self.is_upward else row, col

    def tile_at(self, row, col):
        """The tile at a position, and the position in it: ``(k, row, col)``; None in padding, in unfilled tiles and outside."""
        (i, row), (j, col) = (divmod(at - self.border, side + self.padding)
                              for at, side in zip((row, col), self.tile_shape, strict=True))
        k = int(self._from_start(i) * self.n_cols + j)
        is_a_tile = 0 <= i < self.n_rows and 0 <= j < self.n_cols and k < self.n_tiles
        return (k, row, col) if is_a_tile and row < self.tile_shape[0] and col < self.tile_shape[1] else None

    def assemble(self, images, fill=0):
        """All tiles as one picture, (H, W, ...), with `fill` where no image is.

        The `n_tiles` images, (h, w, ...), have one dtype and number of channels; a smaller one lies at the top left of its tile.
        """
        picture = np.full((*self.shape, *images[0].shape[2:]), fill, images[0].dtype)
        for k, image in enumerate(images):
            top, left = self.origin(k, image.shape[:2])
            picture[top:top + image.shape[0], left:left + image.shape[1]] = image
        return picture


def largest_tile_side(side, n, padding):
    """The largest side of a tile such that n of them, with padding between, fit into `side` pixels; at least 1."""
    return max(1, (side + padding) // n - padding)
