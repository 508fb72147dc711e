"""Linked inspectors: they copy each other's view, index and limits."""

import traitlets


def follow(inspector, other, names):
    """Sets some of ``view`` and ``index`` to those of another inspector, if they differ and fit."""
    values = {name: getattr(other, name) for name in names}
    if "index" in values:
        present = inspector.index
        values["index"] = {axis: element for axis, element in values["index"].items() if present.get(axis, element) != element}
        if not values["index"]:
            del values["index"]
    for name, value in values.items():
        if getattr(inspector, name) == value:  # ends the loop of two that follow each other
            continue
        try:
            setattr(inspector, name, value)
        except (traitlets.TraitError, RuntimeError):  # no such element, or closed
            pass


def linked(inspector):
    """The inspector and all that are linked with it, directly or through others."""
    group, waiting = [], [inspector]
    while waiting:
        one = waiting.pop()
        if one not in group:
            group.append(one)
            waiting += one._peers
    return group


def share(inspectors):
    """Gives each inspector the ranges of the others."""
    for one in inspectors:
        one._controller.share(frozenset(other._range for other in inspectors if other is not one and other._range is not None))


def send_limits(inspector, peer, names):
    """Sets some of ``vmin, vmax, limits, robust`` of a linked inspector of the same unit to those of this one."""
    try:
        unit, given = inspector._limits_given()
        peer_unit, present = peer._limits_given()
        changed = {name: given[name] for name in names if present[name] != given[name]}
        if unit is None or unit != peer_unit or not changed:
            return
        if "limits" in changed:  # setting `limits` alone would reset the others
            changed = given
        peer._controller.change(changed)
    except (ValueError, TypeError, RuntimeError):  # limits that its norm cannot use, or it is closed
        pass
