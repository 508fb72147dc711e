"""NamedRows: the results of several tensors by name, in a fixed order."""

from collections.abc import Mapping


class NamedRows(Mapping):
    """A mapping from name to result; `skipped` maps the names of what has none to the reason."""

    def __init__(self, rows, skipped=()):
        self._rows, self.skipped = dict(rows), dict(skipped)

    def __getitem__(self, name):
        return self._rows[name]

    def __iter__(self):
        return iter(self._rows)

    def __len__(self):
        return len(self._rows)
