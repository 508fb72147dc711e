"""Frame: the cells of a view, before they are colored."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import _native
from .limits import UNKNOWN, Limits

# DLPack's kind of device for ordinary memory.
HOST = 1

# The value of a cell without elements, a NaN with bits that no computation gives.
EMPTY = np.array(_native.EMPTY_BITS, np.uint64).view(np.float64)


class Shaded:
    """Pixels that were made together with cells, for the one who asks for colors of this style first.

    Parameters
    ----------
    style : NativeStyle
    pixels : ndarray (H, W, 4) uint8
    """

    def __init__(self, style, pixels):
        self._style, self._pixels = style, pixels

    def take(self, style):
        """The pixels if they have this style, else None; they are let go in any case, so nobody else writes to them."""
        pixels, self._pixels = self._pixels, None
        return pixels if pixels is not None and style.is_like(self._style) else None


@dataclass(frozen=True)
class Frame:
    """Reduced cells, before they are colored."""

    cells: object  # Cells: the values; the amplitude in the combined complex modes; the first channel of RGB
    angle: object = None  # Cells or None: angles in radians of the combined complex modes
    channels: tuple = ()  # tuple of Cells: 3 or 4 grids of RGB(A), empty otherwise
    is_alpha_weighted: bool = False  # whether color channels hold color times alpha
    is_filtered: bool = False  # whether they are sums with some negative weights; see `mitchell`
    limits: Limits | None = None  # of the whole plane, if asked for
    leaves_out_nan: bool = False  # whether "auto" left NaN out, which would mark most of the picture
    shaded: Shaded | None = None  # the pixels of `cells`, where the device made them in the same call

    @property
    def device_bytes(self):
        """Bytes that the cells occupy on a device; 0 where they are in host memory."""
        grids = {id(grid): grid for grid in (self.cells, self.angle, *self.channels) if grid is not None}
        return sum(8 * grid.shape[0] * grid.shape[1] for grid in grids.values() if grid.device[0] != HOST)

    def on_host(self):
        """The frame in host memory: itself where it is there already."""
        if not self.device_bytes:
            return self
        return replace(self, cells=_copied(self.cells), angle=self.angle and _copied(self.angle),
                       channels=tuple(map(_copied, self.channels)))


def is_empty(values):
    """A mask of the cells, float64 values, without elements."""
    return values.view(np.uint64) == _native.EMPTY_BITS


def is_masked(values):
    """A mask of the cells, float64 values, whose elements are all masked."""
    return values.view(np.uint64) == _native.MASKED_BITS


def values_of(cells, out=None):
    """Cells as a float64 array: `out`, or the cells' own memory: the frame must not be used any more."""
    return np.asarray(cells) if cells.device[0] == HOST else cells.numpy(out)


def _copied(cells):
    return _native.Cells.from_array(cells.numpy())


def has_elements(cells):
    """A mask of the cells, a float64 array, with an element that is not masked."""
    return ~(is_empty(cells) | is_masked(cells))


def empty_frame(view, window):
    """A frame of empty cells."""
    cells = _native.Cells.from_array(np.full(window.shape, EMPTY))
    return Frame(cells, cells if view.is_hue else None, (cells,) * view.n_channels, limits=UNKNOWN)
