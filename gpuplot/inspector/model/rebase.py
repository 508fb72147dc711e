"""Another tensor under the present choices: those that still make sense are kept, the others begin anew."""

from __future__ import annotations

from dataclasses import replace

from ...options import VIEW
from ...plane.dims import TensorAxes
from .axes import Roles
from .view_state import ViewState

__all__ = ["settings_after_update", "settings_for_item"]


def settings_after_update(item, before, options):
    """An updated item as the one before it was looked at.

    Parameters
    ----------
    item : Item
    before : ViewState
    options : dict
        The caller's; where the axes are others than before, they choose again.
    """
    settings = before.settings
    candidates = []
    if item.source.ndim == before.source.ndim:
        candidates.append(lambda: replace(settings, roles=settings.roles.clipped_to(_axes(item, options))))
    view_state = _first_valid(item, [*candidates, *_default_settings(item, settings, options)])
    if view_state.shape == before.shape:
        return view_state
    return ViewState.of(item, replace(view_state.settings, view=None, box=None))


def settings_for_item(item, before, options, remembered):
    """Another item of the collection: like the present one where the shapes are the same, else as it was looked at last.

    Parameters
    ----------
    remembered : dict of str to Settings
        How items were looked at last, by name.
    """
    settings, last = before.settings, remembered.get(item.name)
    if item.is_difference or before.item.is_difference:  # whose numbers are others
        settings = replace(settings, vmin=last and last.vmin, vmax=last and last.vmax)
    is_alike = item.source.shape == before.source.shape
    candidates = []
    if is_alike and before.item.is_difference:
        candidates += [lambda: _as_colours(settings, last or remembered.get(before.item.a.name))]
    if is_alike:
        candidates += [lambda: replace(settings, roles=settings.roles.clipped_to(_axes(item, options)))]
    elif last is not None and last.roles.axes.shape == item.source.shape:  # it may have been updated meanwhile
        candidates += [lambda: last]
    fresh = replace(settings, vmin=None, vmax=None, view=None, box=None).with_selection(None)
    return _first_valid(item, [*candidates, *_default_settings(item, fresh, options)])


def _as_colours(settings, last):
    """Back from a difference, which has no colours, to the picture that was one before."""
    if last is None or last.roles.rgb is None:
        raise ValueError("it was none")
    return replace(settings, roles=last.roles)


def _default_settings(item, settings, options):
    """Settings with the roles that the caller asked for, or else the usual ones."""
    options = options if item.takes_rgb else options | {"rgb": False}
    plain = VIEW | {"rgb": None if item.takes_rgb else False}
    return [lambda: replace(settings, roles=Roles.choose(item.source, options)),
            lambda: replace(settings, roles=Roles.choose(item.source, plain))]


def _first_valid(item, candidates):
    """The first of several settings that has a meaning for the item; what is wrong with the last one is raised."""
    for settings in candidates[:-1]:
        try:
            return ViewState.of(item, settings())
        except (ValueError, IndexError, TypeError):
            continue
    return ViewState.of(item, candidates[-1]())


def _axes(item, options):
    """The axes of an item, under the names that a caller gave to as many."""
    source, dims = item.source, options["dims"]
    try:
        return TensorAxes(source.shape, dims, source.dims)
    except ValueError:  # names for a tensor with more axes, or fewer
        return TensorAxes(source.shape, None, source.dims)
