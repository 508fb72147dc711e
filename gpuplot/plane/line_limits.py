"""The limits of lines: those of the samples that are finite, where matplotlib's lines have vertices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _native
from ..arrays.chunk_elements import source_of_chunk
from ..arrays.describe import describe
from ..cached import cached_property
from .chunks.chunk_grid import bounds
from .chunks.chunk_work import LimitsOfWholeChunk, joined_limits
from .coalesce_axes import cover
from .limits import UNKNOWN, WANT_FOR_AXES, Limits
from .line_planes import planes_of_lines
from .points import Points, lies_end_to_end
from .pooled_limits import joined, pooled_limits
from .series import Series


@dataclass(frozen=True)
class SharedX:
    """The x of all samples of several lines, which rises or falls; without a `series` they are 0, 1, 2, ...."""

    length: int
    series: Series | None = None
    is_falling: bool = False

    @cached_property
    def spans(self):
        """((first, stop) of all samples, the same of those with a positive x)."""
        whole, n = (0, self.length), self.length
        if self.series is None:
            return whole, (1, n)
        rising = self.series.reversed() if self.is_falling else self.series
        n_others = int(rising.search([np.nextafter(0.0, 1.0)])[0])
        return whole, ((0, n - n_others) if self.is_falling else (n_others, n))

    def limits(self, ends):
        """`Limits` of x, from the first and the last finite sample of each of the `spans`, or None."""
        whole, positive = ends
        if whole is None:
            return UNKNOWN
        low, high = sorted(self._at(whole))
        least = np.nan if positive is None else min(self._at(positive))
        return UNKNOWN._replace(min=low, max=high, min_positive=least)

    def _at(self, positions):
        return [float(x) for x in (positions if self.series is None else self.series.take(np.array(positions)))]


def ends_of_finite(y, axis, of_y, spans):
    """For each span (first, stop) of samples the first and the last of them that is finite in any line, or None.

    Parameters
    ----------
    y : Source
        In memory.
    axis : int
        Along which samples follow each other.
    of_y : Limits
        Of all of y; where these tell of finite elements alone, nothing is read.
    spans : iterable of (int, int)
    """
    if of_y.has == _native.HAS_FINITE:
        return [(first, stop - 1) if first < stop else None for first, stop in spans]
    with y.borrow() as tensor:
        planes = planes_of_lines(tensor, axis)

        def is_finite(begin, end):
            found = (_native.limits(plane.crop(0, plane.shape[0], begin, end), _native.WANT_RANGE) for plane in planes)
            return any(Limits(*limits).has & _native.HAS_FINITE for limits in found)

        return [_ends(is_finite, *span) for span in spans]


def _ends(is_finite, first, stop):
    """The first and the last position from `first` to `stop` - 1 with a finite sample, or None."""
    begin = _first(is_finite, first, stop)
    if begin is None:
        return None

    def is_finite_mirrored(a, b):  # position p is -p in the mirrored line, whose first finite sample is the last one
        return is_finite(1 - b, 1 - a)

    return begin, -_first(is_finite_mirrored, 1 - stop, 1 - begin)


def _first(is_finite, begin, end):
    """The first position from `begin` to `end` - 1 with a finite sample, or None: ranges are asked for that double, then bisected.

    ``is_finite(a, b)`` says whether a sample from `a` to `b` - 1 is finite.
    """
    width = 1
    while begin < end and not is_finite(begin, min(begin + width, end)):
        begin, width = begin + width, 2 * width
    if begin >= end:
        return None
    end = min(begin + width, end)
    while end - begin > 1:
        middle = (begin + end) // 2
        begin, end = (begin, middle) if is_finite(begin, middle) else (middle, end)
    return begin


@dataclass(frozen=True)
class LineLimitsOfChunk:
    """Finds (`PartialLimits` of the y of a chunk, its `ends_of_finite` in each of some spans of all samples).

    Attributes
    ----------
    dtype : str
    chunks : tuple of tuple of int
    axis : int
    spans : tuple of (int, int)
    """

    dtype: str
    chunks: tuple
    axis: int
    spans: tuple

    def __call__(self, elements, index):
        limits = LimitsOfWholeChunk(self.dtype, WANT_FOR_AXES)(elements, index)
        begin, end = bounds(self.chunks[self.axis], index[self.axis])
        spans = [(max(first, begin) - begin, min(stop, end) - begin) for first, stop in self.spans]
        ends = ends_of_finite(source_of_chunk(elements, self.dtype, index), self.axis, limits.finish(), spans)
        return limits, [None if one is None else (begin + one[0], begin + one[1]) for one in ends]

    @staticmethod
    def together(found):
        """The joined results of several chunks."""
        limits, ends = zip(*found, strict=True)
        return joined_limits(list(limits)), [_outermost(of_span) for of_span in zip(*ends, strict=True)]


def _outermost(ends):
    """The first and the last position of several such pairs, or None."""
    known = [one for one in ends if one is not None]
    return (min(first for first, _ in known), max(last for _, last in known)) if known else None


def paired_limits(x, y):
    """`Limits` of x and of y, of the samples that are finite in both; each alone where they lie in memory in two orders."""
    is_2d = x.ndim == y.ndim == 2
    if not (is_2d or (lies_end_to_end(x) and lies_end_to_end(y))):
        return all_limits(x), all_limits(y)
    return tuple(UNKNOWN._replace(min=low, max=high, min_positive=least) for low, high, least in Points(x, y).limits)


@dataclass(frozen=True)
class PairedLimitsOfChunk:
    """Finds `paired_limits` of a chunk of one line and a part of `x`, an array in memory."""

    dtype: str
    chunks: tuple
    x: np.ndarray

    def __call__(self, elements, index):
        part = slice(*bounds(self.chunks[0], index[0]))
        return paired_limits(describe(self.x[part]), source_of_chunk(elements, self.dtype, index))

    @staticmethod
    def together(found):
        """The joined results of several chunks."""
        return tuple(joined(of_axis) for of_axis in zip(*found, strict=True))


def all_limits(source):
    """`Limits` of all elements of a tensor: range and smallest positive one."""
    with source.borrow() as tensor:
        planes = cover(tensor, [range(size) for size in source.shape], range(source.ndim), is_ordered=False).planes(tensor, "value", {})
        return pooled_limits([plane for plane, _ in planes], WANT_FOR_AXES)
