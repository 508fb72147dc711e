"""Finds what the colorbar of an image shows before any Axes is drawn, where the Axes of the colorbar come before those of the image."""

import math

from matplotlib.artist import Artist

from ..figures import is_for_layout, root_figure


class LimitsAhead(Artist):
    """An artist of the figure, drawn before its Axes, that draws nothing."""

    zorder = -math.inf

    def __init__(self, image):
        super().__init__()
        self._image = image
        self.set_in_layout(False)

    def draw(self, renderer):
        """Finds limits and ranks; the image finds them again, but from the same cells."""
        image = self._image
        if image.axes is None:  # it was removed
            self.remove()
        elif not is_for_layout(renderer) and image.get_visible() and _bar_comes_first(image):
            image._find_limits_ahead(renderer.get_image_magnification())


def find_limits_ahead(image):
    """Adds the artist to the figure of an image that gets a colorbar, if other Axes come before its own, and it has none yet."""
    figure = None if image.axes is None else root_figure(image)
    if figure is None or figure.axes[:1] == [image.axes]:
        return
    if not any(isinstance(artist, LimitsAhead) and artist._image is image for artist in figure.artists):
        figure.add_artist(LimitsAhead(image))


def _bar_comes_first(image):
    """Whether the figure draws the colorbar before the image."""
    axes = root_figure(image).axes
    bar = None if image.colorbar is None else image.colorbar.ax
    own = image.axes
    if bar not in axes or own not in axes:
        return False
    return (bar.zorder, axes.index(bar)) < (own.zorder, axes.index(own))
