"""Artists that leave their Axes together."""

from functools import partial


def remove_together(artist, others):
    """Makes the removal of an artist of matplotlib that of the others, too."""
    artist._remove_method = partial(_remove, artist._remove_method, others)


def _remove(remove, others, artist):
    remove_all(others)
    remove(artist)


def remove_all(artists):
    """Takes those of the artists out of their Axes that are still there."""
    for artist in artists:
        if artist.axes is not None:
            artist.remove()
