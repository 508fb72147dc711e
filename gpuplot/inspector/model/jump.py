"""Finds the next element that is not finite: first in the shown planes, then at all other indices in order, wrapping around."""

from __future__ import annotations

from dataclasses import dataclass

from ... import _native

NOT_FINITE = _native.HAS_NAN | _native.HAS_POS_INF | _native.HAS_NEG_INF


@dataclass(frozen=True)
class FoundElement:
    """The place of an element."""

    index: tuple[int, ...]  # of the axes of `Roles.stepped`
    facet: int
    row: int
    col: int


def find_not_finite(view_state, step, last=None):
    """The next FoundElement, or None if all elements are finite; `step` is 1 or -1, forwards or backwards in index order.

    `last` is the result of the last search, after which this one starts if the index is still the same.
    """
    roles = view_state.settings.roles
    stepped = roles.stepped()
    here = tuple(roles.index[axis] for axis in stepped)
    element = _search(view_state, dict(zip(stepped, here, strict=True)), step, last if last is not None and last.index == here else None)
    if element is not None:
        return FoundElement(here, *element)
    for block in _blocks(here, [roles.axes.shape[axis] for axis in stepped], step):
        if _has_any(view_state, stepped, block):
            index = _first_index_in(view_state, stepped, block, step)
            return FoundElement(index, *_search(view_state, dict(zip(stepped, index, strict=True)), step))
    element = _search(view_state, {}, step)
    return None if element is None else FoundElement(here, *element)


def _search(view_state, index, step, after=None):
    """(facet, row, col) of the next element at one index, or of the next one after `after`."""
    n_rows, n_cols = view_state.shape
    last = n_rows * n_cols - 1
    for facet in range(len(view_state.planes))[::step]:
        start = 0 if step > 0 else last
        if after is not None and (facet - after.facet) * step < 0:
            continue
        if after is not None and facet == after.facet:
            start = after.row * n_cols + after.col + step
        if 0 <= start <= last:
            position = view_state.planes[facet].at(index).find(NOT_FINITE, start, step < 0)
            if position >= 0:
                return facet, *divmod(position, n_cols)
    return None


# ---- other indices: few blocks of them in order, each searched as a whole, then halved -----------------------------------------


def _blocks(index, sizes, step):
    """All indices but `here`, in the order in which they follow it, as blocks of one range for each axis."""
    for is_wrapped in (False, True):
        axes = range(len(sizes))
        for k in axes if is_wrapped else reversed(axes):
            before, behind = range(index[k]), range(index[k] + 1, sizes[k])
            part = behind if (step > 0) != is_wrapped else before
            if part:
                yield [*(range(i, i + 1) for i in index[:k]), part, *(range(size) for size in sizes[k + 1:])]


def _has_any(view_state, stepped, block):
    stacked_axes = view_state.stacked_axes("slice") | dict(zip(stepped, block, strict=True))
    return view_state.planes[0].has_any(NOT_FINITE, stacked_axes)


def _first_index_in(view_state, stepped, block, step):
    """The first index of a block with such an element, in the direction of the search."""
    block = list(block)
    for k in range(len(block)):
        while len(block[k]) > 1:
            middle = len(block[k]) // 2
            near, far = (block[k][:middle], block[k][middle:])[::step]
            block[k] = near
            if not _has_any(view_state, stepped, block):
                block[k] = far
    return tuple(part[0] for part in block)


def kind_text(plane, row, col):
    """"NaN", "+Inf" or "-Inf" for an element that was found."""
    has = plane.limits(_native.WANT_COUNTS, (row, row + 1, col, col + 1)).has
    names = ((_native.HAS_NAN, "NaN"), (_native.HAS_POS_INF, "+Inf"), (_native.HAS_NEG_INF, "-Inf"))
    return next((name for bit, name in names if has & bit), "not finite")
