"""Inspectors that go together: one goes where another one is, and all have the same limits."""

from __future__ import annotations

import traitlets

__all__ = ["follow", "send_limits", "linked", "share"]


def follow(inspector, other, names):
    """Sets ``view`` and ``index`` of one inspector to what another one has, as far as it has such axes and elements.

    Each sets nothing that it has already, so two that follow each other come to rest.
    """
    wanted = {name: getattr(other, name) for name in names}
    if "index" in wanted:
        present = inspector.index
        wanted["index"] = {axis: where for axis, where in wanted["index"].items() if present.get(axis, where) != where}
        if not wanted["index"]:
            del wanted["index"]
    for name, value in wanted.items():
        if getattr(inspector, name) == value:
            continue
        try:
            setattr(inspector, name, value)
        except (traitlets.TraitError, RuntimeError):  # elements that it lacks; or it was closed
            pass


def linked(inspector):
    """The inspector and all that are linked with it, through others, too."""
    found, waiting = [], [inspector]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.append(one)
            waiting += one._peers
    return found


def share(inspectors):
    """Tells each of some inspectors the limits that the others found in their tensors."""
    for one in inspectors:
        one._controller.share(frozenset(other._range for other in inspectors if other is not one and other._range is not None))


def send_limits(inspector, peer, names):
    """Gives a linked inspector what a user chose about limits, some of ``vmin, vmax, limits, robust``, where the two share them."""
    try:
        unit, chosen = inspector._limits_given()
        unit_of_peer, present = peer._limits_given()
        changed = {name: chosen[name] for name in names if present[name] != chosen[name]}
        if unit is None or unit != unit_of_peer or not changed:
            return
        if "limits" in changed:  # which alone would let go of the others
            changed = chosen
        peer._controller.change(changed)
    except (ValueError, TypeError, RuntimeError):  # limits that its norm cannot have; or it was closed
        pass
