"""Limits, percentiles and single elements of a plane, or of cells, found where these lie."""

from __future__ import annotations

import math
from typing import NamedTuple

from .. import _native
from .native_plane import native_plane, plane_of_cells


class Limits(NamedTuple):
    """Extremes of the finite elements, NaN where there are none, ``HAS_*`` bits, and counts.

    Counts that were not requested may be 0, or 1 where there is any such element.
    """

    min: float
    max: float
    min_positive: float
    has: int
    n_finite: int
    n_nan: int
    n_pos_inf: int
    n_neg_inf: int
    n_masked: int


# Beside these, for planes in chunks: percentiles will be asked for, too, whose counts may come with the cells.
WANT_RANKS = 2**16

# What limits of Axes follow from: the range, and on logarithmic ones the smallest positive number, where they begin.
WANT_FOR_AXES = _native.WANT_RANGE | _native.WANT_POSITIVE

WANT_ALL = WANT_FOR_AXES | _native.WANT_COUNTS

# Limits of no elements, or of elements that were not read.
UNKNOWN = Limits(math.nan, math.nan, math.nan, 0, 0, 0, 0, 0, 0)


def find_limits(source, view, want, box=None, nan="show"):
    """`Limits` of the elements of the plane, or of the half-open box ``(row0, row1, col0, col1)`` of it."""
    if 0 in view.shape:
        return UNKNOWN
    with source.borrow() as tensor:
        plane = native_plane(tensor, view, nan=nan)
        return Limits(*_native.limits(plane if box is None else plane.crop(*box), want))


def find_channel_ranges(source, view, nan="show"):
    """(smallest, largest) finite element of each color channel; those of a pixel with another channel that is not finite count, too."""
    return [find_limits(source, view.channel(k), _native.WANT_RANGE, nan=nan)[:2] for k in range(view.n_channels)]


def find_percentiles(source, view, percents, is_positive_only=False, box=None, nan="show"):
    """Exact percentiles (0 to 100) of the finite elements, or of the positive ones."""
    with source.borrow() as tensor:
        plane = native_plane(tensor, view, nan=nan)
        return _native.percentiles(plane if box is None else plane.crop(*box), percents, is_positive_only)


def n_nan_of(plane, limits):
    """Number of NaN in a plane: from its `Limits` where these have counted all, else by one pass over the elements."""
    is_reduced = plane.view is not None and plane.view.is_reduced
    is_known = limits is not None and not is_reduced and sum(limits[4:]) == math.prod(plane.shape)
    return (limits if is_known else plane.limits(_native.WANT_RANGE | _native.WANT_COUNTS)).n_nan


def find_element(source, view, kinds, start, is_backwards=False, nan="show"):
    """Row-major position of the first element at or after `start` of some kinds, ``HAS_*`` bits; -1 for none.

    With `is_backwards` the last such element at or before `start`. Any channel of colors counts.
    """
    if 0 in view.shape:
        return -1
    with source.borrow() as tensor:
        positions = [_native.find(native_plane(tensor, view, channel=k, nan=nan), kinds, start, is_backwards)
                 for k in range(max(view.n_channels, 1))]
    return nearest(positions, is_backwards)


def nearest(positions, is_backwards):
    """The first of several positions, or the last; -1 where there is none."""
    return max(positions) if is_backwards else min((position for position in positions if position >= 0), default=-1)


def limits_of_cells(cells, want=WANT_ALL):
    """`Limits` of cells instead of elements; cells on a device may have stored them."""
    return Limits(*(cells.limits or _native.limits(plane_of_cells(cells), want))) if all(cells.shape) else UNKNOWN


def percentiles_of_cells(cells, percents, is_positive_only=False):
    """`find_percentiles` for cells instead of elements."""
    return _native.percentiles(plane_of_cells(cells), percents, is_positive_only)


def lacks(limits, want):
    """Whether limits lack the smallest positive element that is wanted now."""
    return bool(want & _native.WANT_POSITIVE) and math.isnan(limits.min_positive) and limits.max > 0
