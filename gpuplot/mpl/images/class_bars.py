"""The colorbar of classes: one entry for each class that occurs, with its name."""

import math
from functools import partial

import matplotlib as mpl
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ...color.categories import MIXING, texts_of_classes
from ..name_ticks import LETTER_WIDTH
from .bar_updates import update_bar

# Maximum number of entries.
MAX_ENTRIES = 40

# Ticks at most where `Figure.colorbar` makes the colorbar and classes have no names, as matplotlib has of borders.
MAX_NUMBERS = 10

# Ratio of the text height of an entry to its box, and the smallest text in points unless the width requires less.
TEXT_PART, MIN_TEXT = 0.8, 4.0

# Text of which a reader sees the letters, in points: a colorbar of many entries is longer than its picture for it.
LEGIBLE_TEXT = 7.0


def add_class_bar(image, cax, keywords):
    """Fills an Axes with the colorbar of an image's classes, the first on top; `keywords` are for `Figure.colorbar`."""
    present = image._present_classes()
    alpha = image.get_alpha()
    usual = {"extend": "neither", "alpha": alpha if np.ndim(alpha) == 0 else None}
    image.colorbar = colorbar = image.axes.figure.colorbar(_entries(image, present), cax=cax, **usual | keywords)
    image._bar_classes = None if "ticks" in keywords else present
    if image._bar_classes is not None:
        _name_entries(image, present)
        locator = getattr(cax.get_tightbbox, "locator", None)
        if locator is not None:
            locator.on_height = _fit_entries
    if colorbar.ax.yaxis.get_visible() and not colorbar.ax.yaxis_inverted():
        colorbar.ax.invert_yaxis()
    return colorbar


def shows_classes(image):
    """Whether the colors are those of classes that a colorbar can list, not of numbers between them."""
    return bool(image._class_options) and image._cell_agg not in MIXING and image._present_classes() is not None


def put_ticks_at_classes(colorbar):
    """Gives a colorbar that `Figure.colorbar` makes of an image ticks at classes, where matplotlib has the borders between them."""
    colorbar._get_ticker_locator_formatter = partial(_choose_ticks, colorbar)  # matplotlib has no method for it


def _choose_ticks(colorbar):
    """Ticks and their texts, as far as the caller chose none; as usual where no classes are shown."""
    image = colorbar.mappable
    if isinstance(colorbar.norm, BoundaryNorm) and shows_classes(image):
        if colorbar._locator is None:
            colorbar._locator, colorbar._minorlocator = ClassLocator(image), NullLocator()
        if colorbar._formatter is None:
            colorbar._formatter = FuncFormatter(partial(_name_of, image))
    return type(colorbar)._get_ticker_locator_formatter(colorbar)


class ClassLocator(FixedLocator):
    """A tick at each class of an image that occurs at the time; of many at every second, third, ... of them."""

    def __init__(self, image):
        self._image, self.nbins = image, None

    @property
    def locs(self):
        return np.array(thinned(self._image._present_classes() or [], _texts_of(self._image)), float)


def thinned(present, labels):
    """The classes that have a tick: those that occur; of many, every second, third, ... of them."""
    most = MAX_ENTRIES if labels else MAX_NUMBERS
    return present[::max(math.ceil(len(present) / most), 1)]


def _name_of(image, number, _place=None):
    """The text of a class of an image; none for places between two of them."""
    return str(_texts_of(image).get(int(number), int(number))) if number == int(number) else ""


def _texts_of(image):
    return texts_of_classes(image.labels, image.plane.dtype)


def refresh_class_bar(image):
    """Gives the colorbar that `imshow` made entries for the present classes, unless the caller chose its ticks."""
    if image.colorbar is None or image._bar_classes is None:
        return
    present = image._present_classes()
    if present is None or present == image._bar_classes:
        return
    is_turned = image.colorbar.ax.yaxis_inverted()
    update_bar(image.colorbar, _entries(image, present))
    image._bar_classes = present
    _name_entries(image, present)
    if is_turned != image.colorbar.ax.yaxis_inverted():
        image.colorbar.ax.invert_yaxis()


def _entries(image, present):
    """A mappable with one color for each class, at most 40; without any class a transparent one."""
    shown = present[:MAX_ENTRIES]
    colors = image.cmap(image.norm(np.array(shown, float))) if shown else [(1.0, 1.0, 1.0, 0.0)]
    if len(shown) <= 1:
        return ScalarMappable(BoundaryNorm([-0.5, 0.5], 2), ListedColormap([colors[0]] * 2))
    return ScalarMappable(BoundaryNorm(np.arange(len(shown) + 1) - 0.5, len(shown)), ListedColormap(colors))


def _name_entries(image, present):
    """Writes the names beside the entries, and below them the number of classes without an entry."""
    colorbar, shown, names = image.colorbar, present[:MAX_ENTRIES], _texts_of(image)
    texts = [str(names.get(number, number)) for number in shown]
    colorbar.set_ticks(np.arange(len(shown)), labels=texts)
    if colorbar.orientation == "horizontal":
        _turn_wide(colorbar.ax, texts)
    colorbar.minorticks_off()
    colorbar.ax.tick_params(length=0)
    n_more = len(present) - len(shown)
    colorbar.ax.set_xlabel(f"and {n_more} more" if n_more else "", loc="left")
    locator = getattr(colorbar.ax.get_tightbbox, "locator", None)
    if locator is not None:
        locator.least_height = max(type(locator).least_height, _height_of(len(shown)))
    _fit_entries(colorbar.ax, colorbar.ax.bbox.height / image.axes.figure.dpi)


def height_of_names(image):
    """Height in inches of a colorbar in which the names of an image's classes are legible; 0 without one that stands beside it."""
    if image.colorbar is None or image._bar_classes is None or image.colorbar.orientation == "horizontal":
        return 0.0
    return _height_of(min(len(image._bar_classes), MAX_ENTRIES))


def _height_of(n_entries):
    return n_entries * LEGIBLE_TEXT / TEXT_PART / 72


def _turn_wide(cax, texts):
    """Turns names below or above their entries where they are wider than these."""
    size = FontProperties(size=mpl.rcParams["xtick.labelsize"]).get_size()
    entry = 72 * cax.bbox.width / cax.figure.dpi / max(len(texts), 1)
    if max(map(len, texts), default=0) * LETTER_WIDTH * size > entry:
        cax.tick_params(axis="x", rotation=90)


def _fit_entries(cax, height):
    """Sets the size of names in a colorbar of a height in inches: the usual one where they fit, else smaller."""
    usual = float(FontProperties(size=mpl.rcParams["ytick.labelsize"]).get_size())
    largest = getattr(getattr(cax.get_tightbbox, "locator", None), "largest_text", usual)
    size = min(usual, largest, max(MIN_TEXT, TEXT_PART * 72 * height / max(len(cax.get_yticks()), 1)))
    if cax.yaxis.get_tick_params().get("labelsize") != size:
        cax.tick_params(labelsize=size)
        cax.xaxis.label.set_size(size)
