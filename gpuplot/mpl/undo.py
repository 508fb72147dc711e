"""Leaves Axes as they were, and no new figures, where drawing into them fails."""

import contextlib

from .data_limits import request_limits


@contextlib.contextmanager
def undone_on_failure(ax):
    """A context in which artists are added to an Axes; after a failure they are removed, and limits and aspect are those of before."""
    artists, containers, limits = ax.get_children(), list(ax.containers), _limits_of(ax)
    try:
        yield
    except BaseException:
        earlier = set(map(id, artists))
        for artist in ax.get_children():
            if id(artist) not in earlier and artist.axes is ax:  # not removed with another one
                artist.remove()
        ax.containers[:] = containers
        _restore_limits(ax, *limits)
        raise


@contextlib.contextmanager
def closed_on_failure(figure):
    """A context in which a new figure of pyplot is drawn; after a failure it is closed."""
    try:
        yield
    except BaseException:
        from matplotlib import pyplot

        pyplot.close(figure)
        raise


def _limits_of(ax):
    """The aspect and the limits of an Axes, and which of these are to be found yet, for `_restore_limits`."""
    view = getattr(ax, "_viewLim", None)  # the property finds them, which may take a read of all data of another artist
    return ax.get_aspect(), ax.dataLim.frozen(), None if view is None else view.frozen(), dict(getattr(ax, "_stale_viewlims", {}))


def _restore_limits(ax, aspect, data, view, pending):
    """Gives an Axes the aspect and the limits that it had."""
    ax.set_aspect(aspect)
    ax.dataLim.set(data)
    if view is not None and (ax._viewLim.get_points() != view.get_points()).any():
        ax.set_xlim(view.intervalx, auto=None)
        ax.set_ylim(view.intervaly, auto=None)
        request_limits(ax, pending.get("x", False), pending.get("y", False))
    else:
        getattr(ax, "_stale_viewlims", {}).update(pending)  # else limits of nothing would be found
