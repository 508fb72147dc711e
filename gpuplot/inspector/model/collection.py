"""The tensors of an inspector by name: one, or those of a list, mapping or module."""

import copy

import numpy as np

from ...arrays.chunked_source import ChunkedSource
from ...arrays.describe import collectively, describe
from ...arrays.source import Source
from ...arrays.tensor_tree import describe_all, named_tensors, pairs_in_list
from ...cached import cached_property
from ...dtype_classes import is_complex
from ...plane.aggs import AGGS
from ...plane.chunks.looks import awaited
from ...plane.view import COMPLEX_MODES
from .difference import Difference
from .notes import layout_notes
from .planes import inspected
from .shown_item import ShownItem

# Skipped entries that the note names.
MAX_NAMED = 3


class Item(ShownItem):
    """One tensor that can be shown.

    Parameters
    ----------
    name : str
        "" for an only one.
    source : Source
    """

    aggs = AGGS
    # The item's own center of limits, which precedes the caller's; see `Difference`.
    center = None
    takes_rgb = True
    is_difference = False
    # Whether it is searched for NaN when a page asks for flags.
    is_searched = True
    # Whether all elements of two tensors are being compared, in steps.
    is_comparing = False

    def __init__(self, name, source):
        # Without a progress bar, which would appear below the cell: the page shows the progress.
        self.name, self.source = name, awaited(source.run_by(progress=False))

    @property
    def is_slow(self):
        """Whether a pass over all elements reads or computes them, as for arrays in chunks."""
        return isinstance(self.source, ChunkedSource)

    @cached_property
    def notes(self):
        """Notes about the tensor, made when it is shown."""
        return layout_notes(self.source)

    @property
    def complex_modes(self):
        """Modes that can be chosen, none for real dtypes."""
        return tuple(COMPLEX_MODES) if is_complex(self.source.dtype) else ()

    def plane(self, view, nan):
        """A plane of the tensor."""
        return inspected(self.source, view, nan)


class Collection:
    """The items in the given order, and the difference of two tensors of one shape.

    Parameters
    ----------
    X : array_like, or a mapping, list, tuple or module of them
    stream : int or object, optional
        The producer's.

    Raises
    ------
    UnsupportedError
        No entry is a tensor that can be read.
    """

    def __init__(self, X, stream=None):
        self._stream = stream
        X = pairs_in_list(X)
        named = named_tensors_in(X)
        if named is None:
            self.items, self.skipped = [Item("", describe(X, stream))], {}
            return
        sources, self.skipped = describe_all(named, lambda value: describe(value, stream))
        if not sources:
            raise ValueError(f"there is no tensor in the {type(X).__name__}: it is empty, or holds nothing but texts")
        self.items = [Item(name, source) for name, source in sources.items()]
        self._add_difference()

    def _add_difference(self):
        """Appends the difference if the items are two tensors of one shape, with axes, all of whose elements this process has."""
        pair = [item for item in self.items if item.source.ndim and item.source.is_complete]
        if len(pair) == 2 and pair[0].source.shape == pair[1].source.shape:
            self.items.append(Difference(*pair))

    @property
    def names(self):
        return [item.name for item in self.items]

    @property
    def first(self):
        """The position of the first tensor with axes, else 0."""
        return next((i for i, item in enumerate(self.items) if item.source.ndim), 0)

    @property
    def note(self):
        """Names of skipped entries as text, "" for none."""
        if not self.skipped:
            return ""
        names = ", ".join(map(repr, list(self.skipped)[:MAX_NAMED]))
        more = f" and {len(self.skipped) - MAX_NAMED} more" if len(self.skipped) > MAX_NAMED else ""
        return f"left out, no tensors: {names}{more}"

    def number(self, item):
        """The position of an item by its name or position; names of differences may be typed with a hyphen."""
        if isinstance(item, str):
            for name in (item, item.replace(" - ", " − ")):
                if name in self.names:
                    return self.names.index(name)
            known = f" among {len(self.items)}: {', '.join(self.names)}" if any(self.names) else ": one tensor was given, without a name"
            raise ValueError(f"there is no item {item[:60]!r}{known}"[:300])
        if isinstance(item, (bool, np.bool_)) or not isinstance(item, (int, np.integer)):
            raise TypeError(f"item is a name or a position, not {type(item).__name__}")
        if not -len(self.items) <= item < len(self.items):
            raise IndexError(f"item {int(item)} is out of range for {len(self.items)} items"[:100])
        return int(item) % len(self.items)

    def collectively(self):
        """The tensors alone, for calls that all processes make together."""
        return self._with_items([Item(item.name, collectively(item.source)) for item in self.items if not item.is_difference])

    def _with_items(self, items):
        """A copy with other items."""
        other = copy.copy(self)
        other.items = items
        return other

    def with_tensor(self, number, X):
        """A copy with another tensor for an item."""
        if self.items[number].is_difference:
            raise ValueError(f"{self.items[number].name!r} is computed: update one of the two tensors by name, update(X, name=...)")
        other = self._with_items([item for item in self.items if not item.is_difference])
        other.items[number] = Item(self.items[number].name, describe(X, self._stream))
        if len(self.items) > 1:
            other._add_difference()
        return other


def named_tensors_in(X):
    """``{name: tensor}`` for several tensors, None for one."""
    return None if issubclass(type(X), (Source, np.ndarray)) else named_tensors(X)
