"""Classes: the class numbers that occur in a plane, and those among them that are ignored."""

from itertools import islice

import numpy as np

from ..arrays.scalars import integer_in
from ..cached import cached_property

# Common numbers for "no class": 255 in PASCAL VOC and Cityscapes, -100 in the losses of torch.
USUALLY_IGNORED = (255, -100)

# Numbers that are certainly classes: a plane with two of them ignores USUALLY_IGNORED by default.
SURE_CLASSES = range(100)

# More ignored numbers are not read, as an object may have no last one.
MAX_IGNORED = 1_000_000

# The widest range in which class numbers are counted one by one, and the most classes that are listed.
MAX_LEVELS = 4096

# Most passes over the elements to find numbers in a wider range, and the largest magnitude whose bin edges float64 holds exactly.
MAX_PASSES, MAX_NUMBER = 64, 2**52


def check_ignore_index(ignore_index):
    """The ignored numbers as a frozenset, or None to guess them; TypeError for what is not an integer."""
    if ignore_index is None:
        return None
    is_several = np.iterable(ignore_index) and not isinstance(ignore_index, str)
    numbers = tuple(islice(ignore_index, MAX_IGNORED + 1)) if is_several else (ignore_index,)
    integers = frozenset(map(integer_in, numbers))
    if None in integers or len(numbers) > MAX_IGNORED:
        raise TypeError(f"ignore_index={ignore_index!r} must be an integer, or several: () for none")
    return integers


class Classes:
    """The class numbers of a plane, found by passes over its elements when an attribute is first used.

    Parameters
    ----------
    limits : Limits
        Limits of the elements; NaN if there are none.
    count : callable
        ``count(first, last, step) -> ndarray``: the number of elements in each group of `step` integers from first to last.
    ignore_index : int, sequence of int or None
        Numbers that are not classes; None guesses.
    max_passes : int, default: 64
        Most passes over the elements if the range is wider than MAX_LEVELS.
    """

    def __init__(self, limits, count, ignore_index=None, max_passes=MAX_PASSES):
        self._ends = None if np.isnan(limits.min) else (int(limits.min), int(limits.max))
        self._count, self._given, self._max_passes = count, check_ignore_index(ignore_index), max_passes

    @classmethod
    def of(cls, plane, limits, ignore_index=None):
        """The classes of a `TensorPlane`, or of a `TiledPlane`."""
        from ..statistics.plane_stats import count_integers  # which pictures without classes do not load

        tiles = getattr(plane, "tiles", (plane,))

        def count(first, last, step):
            return sum(count_integers(tile.source, tile.view, first, last, plane.nan, step) for tile in tiles)

        return cls(limits, count, ignore_index)

    @cached_property
    def _near_numbers(self):
        """All numbers of the plane, by one pass; None if their range is wider than MAX_LEVELS."""
        if self._ends is None:
            return ()
        first, last = self._ends
        if last - first >= MAX_LEVELS:
            return None
        return tuple((first + np.flatnonzero(self._count(first, last, 1))).tolist())

    def _far_numbers(self):
        """All numbers of a plane with a wide range; None if they are too many or take too many passes.

        A pass divides a part of the range into at most 4096 groups; those with elements are divided again, down to single numbers.
        """
        parts, numbers, n_passes = [self._ends], [], 0
        while parts and len(numbers) <= MAX_LEVELS:
            n_passes += 1
            if n_passes + len(parts) - 1 > self._max_passes or max(map(abs, self._ends)) > MAX_NUMBER:
                return None
            first, last = parts.pop()
            step = -(-(last - first + 1) // MAX_LEVELS)
            starts = (first + step * np.flatnonzero(self._count(first, last, step))).tolist()
            if step == 1:
                numbers += starts
            else:
                parts += _parts_of(starts, step, last)
        return tuple(sorted(numbers)) if len(numbers) <= MAX_LEVELS else None

    @cached_property
    def ignored(self):
        """The numbers that are drawn as empty cells."""
        if self._given is not None:
            return self._given
        if self._ends is None or not any(self._ends[0] <= number <= self._ends[1] for number in USUALLY_IGNORED):
            return frozenset()
        numbers = set(self._near_numbers or ())
        guessed = numbers.intersection(USUALLY_IGNORED)
        return frozenset(guessed if len((numbers - guessed).intersection(SURE_CLASSES)) >= 2 else ())

    @cached_property
    def present(self):
        """The classes of the plane in rising order; None if they cannot be listed."""
        numbers = self._far_numbers() if self._near_numbers is None else self._near_numbers
        return None if numbers is None else tuple(number for number in numbers if number not in self.ignored)

    @cached_property
    def ends(self):
        """(smallest, largest) class; (0, 0) if there are none."""
        if self._ends is None:
            return 0, 0
        if not self.ignored.intersection(self._ends) or self.present is None:
            return self._ends
        return (self.present[0], self.present[-1]) if self.present else (0, 0)

    @property
    def n_levels(self):
        """The number of integers from the smallest class to the largest."""
        return self.ends[1] - self.ends[0] + 1


def _parts_of(starts, step, end):
    """Starts of groups of `step` integers -> list of (first, last) that cover these groups up to `end`, a pass for each."""
    parts = []
    for start in starts:
        last = min(start + step - 1, end)
        if not parts or last - parts[-1][0] >= MAX_LEVELS:
            parts.append((start, last))
        else:
            parts[-1] = parts[-1][0], last
    return parts
