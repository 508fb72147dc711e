"""The next element that is not finite: in what is shown first, then at every other index, round to where the search began."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .. import _native

__all__ = ["Spot", "find_next"]

NOT_FINITE = _native.HAS_NAN | _native.HAS_POS_INF | _native.HAS_NEG_INF


@dataclass(frozen=True)
class Spot:
    """An element of one of the planes that there are.

    Attributes
    ----------
    index : tuple of int
        The element of each axis that is stepped through, in the order of `Roles.stepped`.
    facet : int
    row, col : int
    """

    index: tuple
    facet: int
    row: int
    col: int


def find_next(shown, step, last=None):
    """The next Spot, or None where all elements are finite.

    Parameters
    ----------
    shown : Shown
    step : {1, -1}
        Forwards or backwards in index order.
    last : Spot, optional
        Where the last search ended; it counts where the index is still there.
    """
    roles = shown.settings.roles
    stepped = roles.stepped()
    sizes = tuple(roles.axes.shape[axis] for axis in stepped)
    here = tuple(roles.index[axis] for axis in stepped)
    first = int(np.ravel_multi_index(here, sizes)) if sizes else 0
    after = last if last is not None and last.index == here else None
    n_places = math.prod(sizes)
    for k in range(n_places + 1):
        number = (first + k * step) % n_places
        index = tuple(int(i) for i in np.unravel_index(number, sizes)) if sizes else ()
        found = _search(shown, dict(zip(stepped, index, strict=True)), step, after if k == 0 else None)
        if found is not None:
            return Spot(index, *found)
    return None


def _search(shown, index, step, after):
    """(facet, row, col) of the first such element at one index, or the first one behind `after`."""
    n_rows, n_cols = shown.shape
    ends = (0, n_rows * n_cols - 1)
    facets = range(len(shown.planes))[::step]
    for facet in facets:
        start = ends[0] if step > 0 else ends[1]
        if after is not None:
            if (facet - after.facet) * step < 0:
                continue
            if facet == after.facet:
                start = after.row * n_cols + after.col + step
        if not ends[0] <= start <= ends[1]:
            continue
        position = shown.planes[facet].at(index).find(NOT_FINITE, start, step < 0)
        if position >= 0:
            return facet, *divmod(position, n_cols)
    return None


def kind_text(plane, row, col):
    """What an element is that was found."""
    has = plane.limits(_native.WANT_COUNTS, (row, row + 1, col, col + 1)).has
    names = ((_native.HAS_NAN, "NaN"), (_native.HAS_POS_INF, "+Inf"), (_native.HAS_NEG_INF, "-Inf"))
    return next((name for bit, name in names if has & bit), "not finite")
