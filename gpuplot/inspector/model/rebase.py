"""Applies the current settings to another tensor or item; settings that do not fit it are reset."""

from dataclasses import replace

from ...options import VIEW
from ...plane.dims import TensorAxes
from .axes import Roles
from .view_state import ViewState


def settings_after_update(item, before, options):
    """The ViewState of an item whose tensor was replaced, from the one before.

    The caller's options choose the axes again where the number of axes has changed.
    """
    settings = before.settings
    candidates = _default_settings(item, settings, options)
    if item.source.ndim == before.source.ndim:
        candidates.insert(0, lambda: replace(settings, roles=settings.roles.clipped_to(_axes(item, options))))
    view_state = _first_valid(item, candidates)
    if view_state.shape == before.shape:
        return view_state
    return ViewState.of(item, replace(view_state.settings, view=None, box=None))


def settings_for_item(item, before, options, last_settings):
    """The ViewState of another item: with the present settings if shapes are equal, else with its last ones, {name: Settings}."""
    settings, last = before.settings, last_settings.get(item.name)
    if item.is_difference or before.item.is_difference:  # limits of a difference fit no tensor
        settings = replace(settings, vmin=last and last.vmin, vmax=last and last.vmax)
    candidates = []
    if item.source.shape == before.source.shape:
        if before.item.is_difference:
            candidates.append(lambda: _with_rgb_of(settings, last or last_settings.get(before.item.a.name)))
        candidates.append(lambda: replace(settings, roles=settings.roles.clipped_to(_axes(item, options))))
    elif last is not None and last.roles.axes.shape == item.source.shape:  # else it was updated since
        candidates.append(lambda: last)
    fresh = replace(settings, vmin=None, vmax=None, view=None, box=None).with_selection(None)
    return _first_valid(item, [*candidates, *_default_settings(item, fresh, options)])


def _with_rgb_of(settings, last):
    """Settings with the roles of a picture of colors, which a difference cannot be; ValueError if `last` was none."""
    if last is None or last.roles.rgb is None:
        raise ValueError("not a picture of colors")
    return replace(settings, roles=last.roles)


def _default_settings(item, settings, options):
    """Functions that make settings with the caller's roles, and with the default ones."""
    options = options if item.takes_rgb else options | {"rgb": False}
    default = VIEW | {"rgb": None if item.takes_rgb else False}
    return [lambda: replace(settings, roles=Roles.choose(item.source, options)),
            lambda: replace(settings, roles=Roles.choose(item.source, default))]


def _first_valid(item, candidates):
    """The ViewState of the first settings that fit the item, of functions that make some; the last one may raise."""
    for make_settings in candidates[:-1]:
        try:
            return ViewState.of(item, make_settings())
        except (ValueError, IndexError, TypeError):
            continue
    return ViewState.of(item, candidates[-1]())


def _axes(item, options):
    """The item's axes, with the caller's names if their number fits."""
    source, dims = item.source, options["dims"]
    try:
        return TensorAxes(source.shape, dims, source.dims)
    except ValueError:
        return TensorAxes(source.shape, None, source.dims)
