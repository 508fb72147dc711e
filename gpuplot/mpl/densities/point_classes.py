"""Points with class numbers -> for each pixel the number of points and the mean of their colors."""

from dataclasses import dataclass

import numpy as np
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.lines import Line2D
from matplotlib.scale import LinearScale
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ... import _native
from ...plane.frame import EMPTY
from ...plane.window import reversing
from ..images.class_bars import thinned
from .spread import growth_of

# Most classes: each takes an array of counts, and the colors of more cannot be told apart.
MAX_CLASSES = 64


@dataclass(frozen=True)
class PointClasses:
    """The classes of points and their colors.

    Attributes
    ----------
    first, last : int
        Values outside of these are of no class.
    colors : ndarray (last - first + 1, 4) float64
        Red, green, blue, alpha; a class that is transparent is ignored.
    labels : dict
        Texts of classes, where they have some.
    present : tuple of int
        The classes that there are.
    """

    first: int
    last: int
    colors: np.ndarray
    labels: dict
    present: tuple

    @property
    def first_color(self):
        """The color (4,) of the first class that occurs, None where none does."""
        return tuple(self.colors[self.present[0] - self.first]) if self.present else None

    def colors_of(self, numbers):
        """RGBA (n, 4) of class numbers (n,); numbers without a class are transparent."""
        is_class = (numbers >= self.first) & (numbers <= self.last)
        return np.where(is_class[:, None], self.colors[np.where(is_class, numbers - self.first, 0)], 0.0)

    def cells(self, points, columns, rows, n_pixels, is_turned):
        """Counts and colors of the pixels; `n_pixels` is as in `spread`, `is_turned` whether (rows, columns) are reversed.

        Returns
        -------
        Cells
            The number of points, empty where there are none.
        ndarray (rows, columns, 3) uint8
            The mean of the colors of these points.
        int
            How many points lie in no pixel or have no class.
        """
        counts, n_outside = points.counts_by_class(columns, rows, self.first, self.last)
        n_outside += int(counts[self.colors[:, 3] == 0].sum())
        counts[self.colors[:, 3] == 0] = 0.0
        total = _empty_for_zero(counts.sum(0))
        growth = growth_of(n_pixels, total)
        if not growth.is_none:
            counts = np.stack([np.nan_to_num(growth.grow(_empty_for_zero(one))) for one in counts])
            total = growth.grow(total)
        with np.errstate(invalid="ignore"):
            colors = np.tensordot(counts, self.colors[:, :3], (0, 0)) / counts.sum(0)[..., None]
        turn = reversing(is_turned)
        colors = np.rint(255 * np.nan_to_num(colors[turn])).astype(np.uint8)
        return _native.Cells.from_array(np.ascontiguousarray(total[turn])), colors, n_outside

    def legend_elements(self, **properties):
        """(handles, texts) of the classes that occur, for ``Axes.legend``."""
        handles = [Line2D([], [], ls="", marker="o", color=self.colors[number - self.first], **properties) for number in self.present]
        return handles, [self.name_of(number) for number in self.present]

    def name_of(self, number, _place=None):
        """The text of a class: its label, or its number; called by matplotlib for ticks."""
        return str(self.labels.get(int(number), int(number)))

    def put_scale(self, points):
        """Gives markers, which have a color each, the colormap and the norm from which `Figure.colorbar` makes a scale of classes."""
        norm = Normalize(self.first - 0.5, self.last + 0.5)
        norm._scale = ClassScale(self)  # for which a colorbar asks
        points.set_cmap(ListedColormap(self.colors, name="categories"))
        points.set_norm(norm)


class ClassScale(LinearScale):
    """The scale of a colorbar of classes: a tick with its name at each one that occurs, of many at some."""

    def __init__(self, classes):
        super().__init__(None)
        self._classes = classes

    def set_default_locators_and_formatters(self, axis):
        """Called by matplotlib when an axis gets this scale."""
        axis.set_major_locator(FixedLocator(thinned(self._classes.present, self._classes.labels)))
        axis.set_major_formatter(FuncFormatter(self._classes.name_of))
        axis.set_minor_locator(NullLocator())


def _empty_for_zero(counts):
    return np.where(counts > 0, counts, EMPTY)
