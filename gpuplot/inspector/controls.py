"""The traits of the widget that the scene has the last word about, and what they are on their way to pages and back."""

from __future__ import annotations

import traitlets

__all__ = ["Control", "index_from_json", "index_to_json", "lists", "name_of"]


class Control(traitlets.Any):
    """A trait that the scene checks, and that is asked for again where the scene has changed unseen."""

    allow_none = False  # traitlets would take None without asking; here None is a choice as others are

    def __init__(self, to_json=lambda value: value, from_json=lambda value: value):
        super().__init__()
        self.tag(sync=True, to_json=lambda value, _: to_json(value), from_json=lambda value, _: from_json(value))

    def get(self, obj, cls=None):
        # docstring inherited
        obj._sync_if_changed()
        return super().get(obj, cls)


def name_of(value):
    """Colormaps and norms as a page may read them: by name."""
    return value if value is None or isinstance(value, str) else getattr(value, "name", type(value).__name__)


def index_to_json(index):
    """The keys of a mapping in JSON are texts."""
    return {str(axis): where for axis, where in index.items()} if index else index


def index_from_json(value):
    """Those of axes without names are numbers."""
    return {int(axis) if str(axis).isdecimal() else axis: where for axis, where in value.items()} \
        if isinstance(value, dict) else value


def lists(value):
    """A pair of pairs as JSON has it."""
    return value if value is None else [list(part) for part in value]
