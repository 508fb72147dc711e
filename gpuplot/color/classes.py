"""Which class numbers a plane holds: those that have a color each, and those that are ignored."""

from __future__ import annotations

import operator

import numpy as np

from ..cached import cached_property
from ..statistics.plane_stats import count_integers

__all__ = ["MOST_LEVELS", "Classes", "check_ignore_index"]

# What stands for "no class" where nobody says so: 255 in PASCAL VOC and Cityscapes, -100 in the losses of torch.
USUALLY_IGNORED = (255, -100)

# Numbers that are surely classes: where two of them are there, one of the above is none.
SURE_CLASSES = range(100)

# Class numbers that lie farther apart are not counted one by one.
MOST_LEVELS = 4096


def check_ignore_index(ignore_index):
    """The numbers that are no classes, as a frozenset; None where they are to be guessed.

    Raises
    ------
    TypeError
        Neither an integer nor a sequence of integers.
    """
    if ignore_index is None:
        return None
    numbers = tuple(ignore_index) if np.iterable(ignore_index) and not isinstance(ignore_index, str) else (ignore_index,)
    try:
        if any(isinstance(number, (bool, np.bool_)) for number in numbers):
            raise TypeError
        return frozenset(operator.index(number) for number in numbers)
    except TypeError:
        raise TypeError(f"ignore_index={ignore_index!r} must be an integer, or several: () for none") from None


class Classes:
    """The class numbers of a plane; what takes a pass over its elements is found when it is asked for.

    Parameters
    ----------
    limits : Limits
        Of the elements; NaN where there are none.
    count : callable
        ``count(first, last)``: how many elements are each of these numbers, as an array.
    ignore_index : int, sequence of int or None
        Numbers that are no classes; None guesses.
    """

    def __init__(self, limits, count, ignore_index=None):
        self._ends = None if np.isnan(limits.min) else (int(limits.min), int(limits.max))
        self._count, self._given = count, check_ignore_index(ignore_index)

    @classmethod
    def of(cls, plane, limits, ignore_index=None):
        """Those of a `TensorPlane`."""
        return cls(limits, lambda first, last: count_integers(plane.source, plane.view, first, last, plane.nan), ignore_index)

    @cached_property
    def _numbers(self):
        """All numbers that are there, or None where they lie too far apart."""
        if self._ends is None:
            return ()
        first, last = self._ends
        if last - first >= MOST_LEVELS:
            return None
        return tuple((first + np.flatnonzero(self._count(first, last))).tolist())

    @cached_property
    def ignored(self):
        """The numbers that are drawn as empty cells."""
        if self._given is not None:
            return self._given
        if self._ends is None or not any(self._ends[0] <= number <= self._ends[1] for number in USUALLY_IGNORED):
            return frozenset()
        numbers = set(self._numbers or ())
        guessed = numbers.intersection(USUALLY_IGNORED)
        return frozenset(guessed if len((numbers - guessed).intersection(SURE_CLASSES)) >= 2 else ())

    @cached_property
    def present(self):
        """The classes that are there, in rising order, or None where they lie too far apart."""
        return None if self._numbers is None else tuple(number for number in self._numbers if number not in self.ignored)

    @cached_property
    def ends(self):
        """The smallest and the largest class; (0, 0) without any."""
        if self._ends is None:
            return 0, 0
        if not self.ignored.intersection(self._ends):
            return self._ends
        return (self.present[0], self.present[-1]) if self.present else self._ends if self.present is None else (0, 0)

    @property
    def n_levels(self):
        """How many numbers there are from the smallest class to the largest."""
        return self.ends[1] - self.ends[0] + 1
