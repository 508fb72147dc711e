"""One inspector goes where another one is."""

from __future__ import annotations

import traitlets

__all__ = ["follow"]


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
