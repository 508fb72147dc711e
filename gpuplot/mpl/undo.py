"""Leaves Axes as they were, and no new figures, where drawing into them fails."""

import contextlib

from .data_limits import request_limits

# What an axis has for its ticks; a locator is set after its formatter, which keeps it.
_TICKS = ("major_formatter", "minor_formatter", "major_locator", "minor_locator")
_CHOSEN = ("isDefault_majfmt", "isDefault_minfmt", "isDefault_majloc", "isDefault_minloc")


@contextlib.contextmanager
def undone_on_failure(ax):
    """A context in which artists are added to an Axes; after a failure they are removed.

    Limits, aspect and units are then those of before.
    """
    artists, containers, limits, units = ax.get_children(), list(ax.containers), _limits_of(ax), _units_of(ax)
    try:
        yield
    except BaseException:
        earlier = set(map(id, artists))
        for artist in ax.get_children():
            if id(artist) not in earlier and artist.axes is ax:  # not removed with another one
                artist.remove()
        ax.containers[:] = containers
        _restore_units(units)
        _restore_limits(ax, *limits)
        raise


@contextlib.contextmanager
def units_undone_on_failure(ax):
    """A context in which an artist is given other data; after a failure the axes of its Axes, if any, have the units of before."""
    units = [] if ax is None else _units_of(ax)
    try:
        yield
    except BaseException:
        _restore_units(units)
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


def _units_of(ax):
    """The units of an Axes' axes and of those that share them, with the ticks that they bring, for `_restore_units`."""
    axes = {id(axis): axis for own in (ax.xaxis, ax.yaxis) for axis in (own, *own._get_shared_axis())}
    return [(axis, _converter_of(axis), axis.units, axis.get_label_text(), _ticks_of(axis)) for axis in axes.values()]


def _converter_of(axis):
    return axis._converter if hasattr(axis, "_converter") else axis.converter  # of matplotlib before 3.10


def _ticks_of(axis):
    """What finds and writes the ticks of an axis, and whether matplotlib chose it."""
    return {name: getattr(axis, f"get_{name}")() for name in _TICKS}, {name: getattr(axis, name) for name in _CHOSEN}


def _restore_units(before):
    """Gives axes the units that they had; dates and texts of a failed call would turn the ticks of numbers into dates and texts."""
    for axis, converter, units, label, ticks in before:
        if _converter_of(axis) is converter and axis.units is units:
            continue
        setattr(axis, "_converter" if hasattr(axis, "_converter") else "converter", converter)
        axis.units = units
        axis.label.set_text(label)
        for name, found in ticks[0].items():
            getattr(axis, f"set_{name}")(found)
        for name, is_default in ticks[1].items():
            setattr(axis, name, is_default)
