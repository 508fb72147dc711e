"""The tensors that an inspector was given, by name, and how one of them is read."""

from __future__ import annotations

from ..source import Source
from ..tensor import describe
from .planes import TensorPlane

__all__ = ["Collection", "Item"]


class Item:
    """One tensor among those that can be shown.

    Parameters
    ----------
    name : str
        "" where it is the only one.
    source : Source
    """

    def __init__(self, name, source):
        self.name, self.source = name, source

    def plane(self, view, nan):
        """A plane of the tensor to read from."""
        return TensorPlane(self.source, view, nan)


class Collection:
    """The items, in the order in which they were given.

    Parameters
    ----------
    X : array_like
    stream : int or object, optional
        On which tensors are written.
    """

    def __init__(self, X, stream=None):
        self._stream = stream
        self.items = [Item("", X if isinstance(X, Source) else describe(X, stream))]
        self.notes = []

    @property
    def names(self):
        return [item.name for item in self.items]

    def replace(self, number, X):
        """Another tensor in the place of an item."""
        self.items[number] = Item(self.items[number].name, describe(X, self._stream))
