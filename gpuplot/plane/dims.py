"""The axes of a tensor: their names, and which of them a caller fixes, crops or reduces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from ..advice import about_value
from ..arrays.scalars import integer_in
from ..errors import value_text

HIDDEN_OPS = ("mean", "max", "min", "sum", "std", "norm")

# More names are not read, as an object may have no last one.
MAX_NAMES = 1000


class TensorAxes:
    """The axes of a tensor by name, integer or negative integer.

    `dims` are names given by the caller, ``"batch head row col"`` or a sequence; they take precedence over `own_names`.
    `takes_dims` says whether the caller has that parameter, so that an error may name it.
    """

    def __init__(self, shape, dims=None, own_names=None, *, takes_dims=True):
        self.shape, self.takes_dims = tuple(shape), takes_dims
        self.names = self._read_names(dims, own_names)
        self.has_own_names = dims is None and self.names != ()

    def __len__(self):
        return len(self.shape)

    def _read_names(self, dims, own_names):
        if dims is None:
            names = tuple(own_names or ())
            # Names that a tensor brings along are a convenience: repeated ones cannot serve and are ignored.
            return names if len(names) == len(self) == len(set(names)) else ()
        given = dims.replace(",", " ").split() if isinstance(dims, str) else dims
        names = tuple(islice(given, MAX_NAMES)) if np.iterable(given) else None
        if names is None or not all(isinstance(name, str) for name in names):
            raise TypeError(f"dims names axes with text, such as 'batch row col'; got {value_text(dims)}")
        if len(names) != len(self):
            raise ValueError(f"dims={dims!r} names {len(names)} axes but the tensor has {len(self)}, shape {self.shape}")
        if len(set(names)) != len(names):
            raise ValueError(f"dims={dims!r} names an axis twice; every name has to be different")
        return names

    def number(self, axis, what):
        """The number of an axis, 0 <= n < ndim; `what` is the parameter that errors name."""
        if isinstance(axis, str):
            if axis in self.names:
                return self.names.index(axis)
            known = f"the axes are {', '.join(map(repr, self.names))}" if self.names else \
                f"the axes have no names: give an integer{', or names with dims=' if self.takes_dims else ''}"
            raise ValueError(f"{what}: there is no axis {axis!r}; {known}")
        number = integer_in(axis)
        if number is None:
            raise TypeError(f"{what}: an axis is an integer or a name, not {value_text(axis)}")
        if not -len(self) <= number < len(self):
            raise ValueError(f"{what}: axis {number} does not exist in a tensor of {len(self)} axes, shape {self.shape}")
        return number % len(self)

    def label(self, axis):
        """The axis for an error: its name in quotes, else its number."""
        return repr(self.names[axis]) if self.names else str(axis)


@dataclass
class AxisChoices:
    """The caller's choices for single axes, by axis number."""

    fixed: dict[int, int] = field(default_factory=dict)  # the element at which an axis is fixed
    cropped: dict[int, range] = field(default_factory=dict)  # the elements of an axis that take part, where a slice was given
    reduced: dict[int, str] = field(default_factory=dict)  # the operation that reduces an axis, in the caller's order

    @classmethod
    def read(cls, axes, index, reduce):
        """The checked choices of the `index` and `reduce` parameters."""
        choices = cls()
        for axis, where in _items(axes, index, "index"):
            if isinstance(where, slice):
                choices.cropped[axis] = _elements_of_slice(axes, axis, where)
            else:
                choices.fixed[axis] = _element(axes, axis, where)
        for axis, op in _items(axes, reduce, "reduce"):
            if not isinstance(op, str) or op not in HIDDEN_OPS:
                raise ValueError(f"reduce: {op!r} for axis {axes.label(axis)} is not one of {', '.join(HIDDEN_OPS)}"
                                 f"{about_value(op, HIDDEN_OPS)}")
            if axis in choices.fixed:
                raise ValueError(f"axis {axes.label(axis)} is both fixed by index and reduced by reduce: drop one of them, "
                                 "or give a slice in index to reduce a part")
            choices.reduced[axis] = op
        return choices

    def elements(self, axes, axis):
        """The elements of an axis that take part, as a range."""
        return self.cropped.get(axis, range(axes.shape[axis]))

    def cropped_slices(self):
        """`cropped` as slices."""
        return {axis: slice_of(part) for axis, part in self.cropped.items()}

    def stages(self):
        """Operations in order of first appearance; axes with the same operation are reduced together."""
        return tuple(dict.fromkeys(self.reduced.values()))


def slice_of(elements):
    """The slice that selects a range; a stop before element 0 is written as None."""
    return slice(elements.start, elements.stop if elements.stop >= 0 else None, elements.step)


def _items(axes, given, what):
    if given is None:
        return
    if not isinstance(given, Mapping):
        example = "{0: 5}" if what == "index" else "{0: 'mean'}"
        raise TypeError(f"{what} is a dict from axis to value, such as {what}={example}; got {type(given).__name__}")
    seen = set()
    for axis, value in given.items():
        number = axes.number(axis, what)
        if number in seen:
            raise ValueError(f"{what} names axis {axes.label(number)} twice")
        seen.add(number)
        yield number, value


def _element(axes, axis, where):
    element = integer_in(where)
    if element is None:
        may_be_coordinate = axes.has_own_names and isinstance(where, float)
        by_value = f"; what lies at a coordinate is X.sel({{{axes.label(axis)}: {where!r}}}) of xarray" if may_be_coordinate else ""
        raise TypeError(f"index of axis {axes.label(axis)} is an integer or a slice, not {where!r}{by_value}")
    size = axes.shape[axis]
    if not -size <= element < size:
        raise IndexError(f"index {element} is out of range for axis {axes.label(axis)} with {size} elements")
    return element % size


def _elements_of_slice(axes, axis, where):
    try:
        return range(*where.indices(axes.shape[axis]))
    except (TypeError, ValueError) as error:
        raise type(error)(f"index of axis {axes.label(axis)}, {where!r}: {error}") from None
