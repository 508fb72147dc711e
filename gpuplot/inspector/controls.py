"""Traits that the scene checks, and their JSON."""

import traitlets


class Control(traitlets.Any):
    """A trait that the scene checks, read from it again after an `update`."""

    allow_none = False  # with True, traitlets would not check None, which is a value like others here

    def __init__(self, to_json=lambda value: value, from_json=lambda value: value):
        super().__init__()
        self.tag(sync=True, to_json=lambda value, _: to_json(value), from_json=lambda value, _: from_json(value))

    def get(self, obj, cls=None):
        # docstring inherited
        obj._sync_if_changed(self.name)
        return super().get(obj, cls)


def name_of(value):
    """The name of a colormap or norm."""
    return value if value is None or isinstance(value, str) else getattr(value, "name", type(value).__name__)


def index_to_json(index):
    """An index with axes as strings."""
    return {str(axis): element for axis, element in index.items()} if index else index


def index_from_json(value):
    """An index with numbers of axes as integers."""
    if not isinstance(value, dict):
        return value
    return {int(axis) if str(axis).isdecimal() else axis: element for axis, element in value.items()}
