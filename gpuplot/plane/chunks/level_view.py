"""A view of level 0 of a pyramid, and windows on it -> the same view and windows on another level."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..dims import AxisChoices, TensorAxes, slice_of
from ..view import AxisUse, View
from ..window import Window


def view_on_level(view, level, shape):
    """The `View` of a level, of shape `shape`, for a view of level 0: the elements in which those of level 0 lie.

    ValueError where the view takes every nth element of an axis, or some of the colors, and the level has others.
    """
    uses = tuple(_use(use, level, axis, n) for axis, (use, n) in enumerate(zip(view.uses, shape, strict=True)))
    sizes = {use.role: use.size for use in uses}
    plane_shape = view.shape if 0 in view.shape else (sizes.get("rows", 1), sizes.get("cols", 1))
    return replace(view, tensor_shape=tuple(shape), uses=uses, shape=plane_shape)


def _use(use, level, axis, n):
    """An `AxisUse` of level 0 on an axis of the level with `n` elements."""
    if (level.ratios[axis], level.offsets[axis], n) == (1.0, 0.0, level.shape[axis]):
        return use
    if use.role == "channels":
        raise ValueError(f"level={level.number}: the level has {n} of the {level.shape[axis]} color channels: choose one, or rgb=False")
    if use.role == "fixed":
        return use._replace(start=_element(level, axis, use.start, n))
    if use.size and abs(use.step) != 1:
        raise ValueError(f"level={level.number}: index gives every {abs(use.step)}th element of axis {axis}, which only level 0 has: leave "
                         "the step out")
    elements = _part(level, axis, use.elements, n)
    return use._replace(start=elements.start, step=elements.step, size=len(elements))


def _element(level, axis, element, n):
    """The element of a level with the center of an element of level 0."""
    return min(max(math.floor(level.place(axis, element + 0.5)), 0), n - 1)


def _part(level, axis, elements, n):
    """The elements of a level in which a range of elements of level 0, of step 1 or -1, lies."""
    if not elements or not n:
        return range(0)
    first, last = sorted(_element(level, axis, end, n) for end in (elements[0], elements[-1]))
    return range(first, last + 1) if elements.step > 0 else range(last, first - 1, -1)


def index_on_level(index, level, shape, dims):
    """`index`, {axis: int or slice} of level 0, for a level of shape `shape`; raises as `AxisChoices.read` and `view_on_level`."""
    choices = AxisChoices.read(TensorAxes(level.shape, dims), index, None)
    fixed = {axis: AxisUse("fixed", element) for axis, element in choices.fixed.items()}
    parts = {axis: AxisUse("rows", part.start, part.step, len(part)) for axis, part in choices.cropped.items()}
    uses = {axis: _use(use, level, axis, shape[axis]) for axis, use in (fixed | parts).items()}
    return {axis: use.start if use.role == "fixed" else slice_of(use.elements) for axis, use in uses.items()}


@dataclass(frozen=True)
class PlaneOnLevel:
    """Where the plane of a level lies in that of level 0."""

    full_view: View  # of level 0
    view: View  # of the level
    level: object  # Level

    @classmethod
    def of(cls, full_view, level, shape):
        """For a view of level 0 and a level of shape `shape`; raises as `view_on_level`."""
        return cls(full_view, view_on_level(full_view, level, shape), level)

    @property
    def ratios(self):
        """Elements of level 0 for each one of the level, along rows and columns."""
        return tuple(1.0 if axis is None else self.level.ratios[axis] for axis in (self.view.row_axis, self.view.col_axis))

    def box(self, view):
        """((row0, row1), (col0, col1)) of the plane of level 0 in elements of the level's plane."""
        axes = self.view.row_axis, self.view.col_axis
        return tuple(tuple(map(float, self._places(axis, np.array(ends, float)))) for axis, ends in zip(axes, view, strict=True))

    def window(self, window):
        """The window of the level's plane with the same cells as a window of the plane of level 0."""
        return Window(window.rows.mapped(partial(self._places, self.view.row_axis)),
                      window.cols.mapped(partial(self._places, self.view.col_axis)))

    def _places(self, axis, edges):
        """Element coordinates along an axis of the plane of level 0, in those of the level's plane."""
        if axis is None:
            return edges
        full, use = self.full_view.uses[axis], self.view.uses[axis]
        edges = full.start + edges if full.step > 0 else full.start + 1 - edges
        edges = self.level.place(axis, edges)
        return edges - use.start if use.step > 0 else use.start + 1 - edges
