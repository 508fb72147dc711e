"""What a density adds to its Axes for legends: entries for its label or its classes, and where a legend would hide it."""

import numpy as np
from matplotlib.collections import Collection
from matplotlib.transforms import Bbox, IdentityTransform

from ...plane.frame import is_empty

# Blocks of pixels along the longer side of an Axes that are said to be full or empty: a legend needs no finer places.
N_BLOCKS = 64


class OccupiedPlaces(Collection):
    """Where an image of a density has points, as offsets in display units; draws nothing.

    ``Axes.legend`` puts itself where it hides the fewest offsets of collections, and takes images for empty.
    """

    def __init__(self, image):
        super().__init__(offset_transform=IdentityTransform(), label="_places")
        self._image = image
        self.set_in_layout(False)

    def get_offsets(self):
        """(n, 2) centers of the blocks of pixels that had points in the last draw."""
        return np.empty((0, 2)) if self._image.axes is None else self._image._occupied_places()

    def get_paths(self):
        """None, so that nothing is drawn."""
        return []

    def draw(self, renderer):
        """Nothing."""

    def contains(self, mouseevent):
        """The pointer is never on it."""
        return False, {}

    def get_datalim(self, transData):
        """No limits: those of the Axes are the image's."""
        return Bbox.null()

    def get_window_extent(self, renderer=None):
        """No extent."""
        return Bbox.null()


def occupied_blocks(cells, box, magnification):
    """(n, 2) places of blocks of pixels with points, in display units; `box` is that of the (H, W) cells in pixels."""
    is_full = ~is_empty(cells)
    side = -(-max(is_full.shape) // N_BLOCKS)
    padded = np.pad(is_full, [(0, -n % side) for n in is_full.shape])
    blocks = padded.reshape(padded.shape[0] // side, side, -1, side).any((1, 3))
    rows, cols = np.nonzero(blocks)
    return (np.stack([cols, rows], 1) * side + side / 2 + np.array(box[:2])) / magnification


def add_class_entries(ax, classes, size):
    """Adds an entry to legends of the Axes for each class that occurs, if classes have texts; returns these artists.

    `size` is the area of their markers, None for the usual one.
    """
    if not classes.labels:
        return []
    handles, texts = classes.legend_elements(**({} if size is None else {"markersize": max(size, 0) ** 0.5}))
    for handle, text in zip(handles, texts, strict=True):
        handle.set_label(text)
        ax.add_artist(handle)
    return handles
