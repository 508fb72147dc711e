"""What a density adds to its Axes for legends: entries for its label or its classes, and where a legend would hide it."""

import numpy as np
from matplotlib.collections import Collection
from matplotlib.colors import to_rgba
from matplotlib.legend_handler import HandlerBase
from matplotlib.transforms import Bbox, IdentityTransform

from ...plane.frame import is_empty
from ..removal import remove_all

# Where in the colormap the color of the label's entry in legends is.
LEGEND_SHARE = 0.7

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


class LegendEntries:
    """What a density in Axes adds to their legends: an entry for its label, or else one for each of its classes that has a text.

    Legends of Axes have no entries for images, so that these are empty artists of the Axes.
    """

    def __init__(self, image):
        self._image = image
        self._places = self._entry = self._color = self._size = self._cmap = None
        self._of_classes = []

    def show(self, color, size):
        """Adds the entries, beside `color` or one of the map, with markers of the area `size`, None for the usual one."""
        classes = self._image.classes
        self._color = classes.first_color if color is None and classes is not None else color
        self._size, self._cmap = size, self._image.cmap
        self._places = self._image.axes.add_collection(OccupiedPlaces(self._image), autolim=False)
        self.follow_label()

    def follow_label(self):
        """Makes the entries those of the present label: one that begins with "_" has none."""
        image, label = self._image, self._image.get_label()
        if self._places is None or image.axes is None:
            return
        remove_all(self._of_classes)
        self._of_classes = []
        if not label.startswith("_"):
            self.sample()
        elif image.classes is not None:
            self._of_classes = add_class_entries(image.axes, image.classes, self._size)
        if self._entry is not None:
            self._entry.set_label(label)

    def sample(self):
        """The artist that stands for the density in a legend."""
        if self._entry is None:
            color = self._cmap(LEGEND_SHARE) if self._color is None else to_rgba(self._color)
            self._entry = self._image._make_legend_entry(color, self._size)
        return self._entry

    def follow_cmap(self):
        """Gives the entry of the label a color of the present colormap, if that is another one; classes keep theirs."""
        if self._places is not None and self._image.classes is None and self._image.cmap is not self._cmap:
            self._cmap = self._image.cmap
            self.set_color(self._cmap(LEGEND_SHARE))

    def set_color(self, color):
        """Changes the color of the label's entry."""
        self._color = color
        if self._entry is not None:
            self._entry.set_color(color)

    def remove(self):
        """Takes all of it out of the Axes."""
        remove_all([artist for artist in (self._entry, self._places, *self._of_classes) if artist is not None])


class DensityHandler(HandlerBase):
    """Draws the entry of a density that was handed to ``Axes.legend`` itself, as that of the artist that stands for it."""

    def legend_artist(self, legend, orig_handle, fontsize, handlebox):
        """Called by a legend for each density among its handles."""
        sample = orig_handle._legend.sample()
        handler = legend.get_legend_handler(legend.get_legend_handler_map(), sample)
        return handler.legend_artist(legend, sample, fontsize, handlebox)


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
