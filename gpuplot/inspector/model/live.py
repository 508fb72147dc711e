"""LiveCollection: tensors of a running program, of which all names are known but only the shown one has elements."""

from ...arrays.describe import describe
from ...arrays.source import Source
from ...errors import UnsupportedError
from .collection import Collection, Item

# Shape and dtype of tensors whose own are not known yet.
UNKNOWN = ((0,), "float32")


class WaitingItem(Item):
    """A tensor without elements yet.

    Parameters
    ----------
    name : str
    form : (tuple of int, str) or None
        Shape and dtype; None if unknown.
    why : callable
        Returns a text: when the tensor will come.
    """

    is_searched = False

    def __init__(self, name, form, why):
        shape, dtype = UNKNOWN if form is None else form
        self._why = why
        super().__init__(name, Source(None, self.check_there, shape, dtype))

    @property
    def why_missing(self):
        """When it will come."""
        return self._why()

    def check_there(self, owner=None):
        # docstring inherited
        raise UnsupportedError(f"nothing to draw of {self.name!r}: {self.why_missing}")

    @property
    def notes(self):
        """No notes, as there is no memory to describe."""
        return []


class LiveCollection(Collection):
    """Names with at most one tensor.

    Parameters
    ----------
    forms : dict of str to ((tuple of int, str) or None)
        Shapes and dtypes by name.
    why : callable
        See `WaitingItem`.
    """

    def __init__(self, forms, why):
        self._stream, self.skipped, self._why = None, {}, why
        self.items = [WaitingItem(name, form, why) for name, form in forms.items()]

    def with_tensor(self, number, X):
        """The collection with a tensor for one name, and none for the others."""
        other = self._with_items([self._waiting(item) for item in self.items])
        other.items[number] = Item(self.items[number].name, describe(X))
        return other

    def with_forms(self, forms):
        """The collection with other names; its tensor stays if its name does."""
        known = {item.name: item for item in self.items}
        return self._with_items([known[name] if name in known and not isinstance(known[name], WaitingItem)
                           else WaitingItem(name, form, self._why) for name, form in forms.items()])

    def _waiting(self, item):
        return item if isinstance(item, WaitingItem) else WaitingItem(item.name, (item.source.shape, item.source.dtype), self._why)
