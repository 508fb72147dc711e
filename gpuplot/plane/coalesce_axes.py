"""The fewest planes that together hold all elements of some axes of a tensor, each element once."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from .. import _native


@dataclass(frozen=True)
class _Run:
    """Axes merged into one: `size` elements at a constant stride, with masks at a constant stride, too."""

    axes: tuple
    size: int
    stride: int
    mask_stride: int

    def is_around(self, inner):
        """Whether another run can be merged as the inner part of this one."""
        return (self.stride, self.mask_stride) == (inner.size * inner.stride, inner.size * inner.mask_stride)

    def joined(self, inner):
        return _Run(self.axes + inner.axes, self.size * inner.size, inner.stride, inner.mask_stride)


def cover(tensor, spans, axes, is_ordered=True):
    """Chooses planes for the elements of `axes`, a `Cover`; no element is read.

    `spans` has the range of selected elements of each axis of the tensor. `axes` are not empty; their order defines the order of
    elements. Where that does not matter (`is_ordered` is False) axes are sorted by their strides, so that a dense tensor is one
    plane whatever the order of its axes.
    """
    spans = list(spans)
    runs = [_run_of(tensor, spans, axis) for axis in axes if len(spans[axis]) > 1]
    repeated = tuple(run.axes[0] for run in runs if run.stride == run.mask_stride == 0)
    runs = [run for run in runs if run.axes[0] not in repeated]
    if not is_ordered:
        for run in runs:
            if run.stride < 0:
                spans[run.axes[0]] = spans[run.axes[0]][::-1]
        runs = sorted((_run_of(tensor, spans, run.axes[0]) for run in runs), key=lambda run: -run.stride)
    runs = _inner_two(_joined(runs))
    rows = runs[0].axes if len(runs) > 1 else ()
    return Cover(tuple(spans), tuple(axes), rows, runs[-1].axes if runs else (), repeated)


def cover_together(tensors, shape):
    """A `Cover` for several `_native.Tensor` of one shape, not empty, that puts elements of equal index at equal places.

    The strides of the first tensor decide the order of elements.
    """
    spans = [range(n) for n in shape]
    axes = [axis for axis, n in enumerate(shape) if n > 1]
    axes.sort(key=lambda axis: -abs(tensors[0].strides[axis]))
    together = []
    for runs in zip(*([_run_of(tensor, spans, axis) for axis in axes] for tensor in tensors), strict=True):
        if together and all(before.is_around(run) for before, run in zip(together[-1], runs, strict=True)):
            together[-1] = [before.joined(run) for before, run in zip(together[-1], runs, strict=True)]
        else:
            together.append(list(runs))
    firsts = _inner_two([runs[0] for runs in together])
    rows = firsts[0].axes if len(firsts) > 1 else ()
    return Cover(tuple(spans), tuple(range(len(shape))), rows, firsts[-1].axes if firsts else ())


def _run_of(tensor, spans, axis):
    step = spans[axis].step
    mask_stride = tensor.mask_strides[axis] if tensor.mask_strides is not None else 0
    return _Run((axis,), len(spans[axis]), step * tensor.strides[axis], step * mask_stride)


def _joined(runs):
    merged = []
    for run in runs:
        if merged and merged[-1].is_around(run):
            merged[-1] = merged[-1].joined(run)
        else:
            merged.append(run)
    return merged


def _inner_two(runs):
    """The two runs that make a plane: the one whose elements are nearest to each other, and the longest of the others."""
    if len(runs) <= 2:
        return runs
    dense = min(runs, key=lambda run: (abs(run.stride) or math.inf, -run.size))
    longest = max((run for run in runs if run is not dense), key=lambda run: run.size)
    return [run for run in runs if run is dense or run is longest]


@dataclass(frozen=True)
class Cover:
    """Which axes form the rows and columns of planes; there is one plane for each place along the other axes."""

    spans: tuple[range, ...]  # elements of each axis of the tensor
    axes: tuple[int, ...]  # the covered axes; their order defines the order of elements
    rows: tuple[int, ...]
    cols: tuple[int, ...]
    # repeated: axes whose elements share one address, which are read once and counted as often as they are there.
    repeated: tuple[int, ...] = ()

    @property
    def shape(self):
        """Rows and columns of each plane."""
        return tuple(math.prod(len(self.spans[axis]) for axis in axes) for axes in (self.rows, self.cols))

    def outer(self):
        """{axis: place} of each plane, of the covered axes that are not in it."""
        others = [axis for axis in self.axes if axis not in self.rows + self.cols + self.repeated]
        for places in itertools.product(*(range(len(self.spans[axis])) for axis in others)):
            yield dict(zip(others, places, strict=True))

    def planes(self, tensor, component, fixed):
        """(native plane, {axis: place} of the axes that are not in it) of each plane.

        `component` is the native name of the number per element, `fixed` the place along each axis that is not covered.
        """
        for places in self.outer():
            outer = fixed | places
            yield self.plane(tensor, component, outer), outer

    def plane(self, tensor, component, outer):
        """The native plane at a place along each axis that is not in it."""
        return _native.Plane(tensor, self._uses(outer), (), component)

    def _uses(self, outer):
        uses = [("fixed", span[outer[axis]], 1, 1, 0) if axis in outer else None for axis, span in enumerate(self.spans)]
        for role, axes in (("rows", self.rows), ("cols", self.cols), ("repeated", self.repeated)):
            for stage, axis in enumerate(axes):
                span = self.spans[axis]
                uses[axis] = (role, span.start, span.step, len(span), stage)
        return uses

    def place(self, position, outer):
        """The place of an element along each axis, in elements of the spans, from its row-major position in a plane."""
        places = dict(outer) | dict.fromkeys(self.repeated, 0)
        for axis in reversed(self.rows + self.cols):
            position, places[axis] = divmod(position, len(self.spans[axis]))
        return tuple(places[axis] for axis in range(len(self.spans)))

    def rank(self, position, outer):
        """The number of elements before one, in the order of `axes`; along repeated axes only the first element counts."""
        places, rank = self.place(position, outer), 0
        for axis in self.axes:
            rank = rank * self._size(axis) + places[axis]
        return rank

    def index(self, rank, fixed):
        """The tensor's own index of the element of a rank; `fixed` as in `planes`."""
        places = dict(fixed)
        for axis in reversed(self.axes):
            rank, places[axis] = divmod(rank, self._size(axis))
        return elements_of(self.spans, [places[axis] for axis in range(len(self.spans))])

    def _size(self, axis):
        return 1 if axis in self.repeated else len(self.spans[axis])


def elements_of(spans, index):
    """The index of the element at a place along each span."""
    return tuple(span[at] for span, at in zip(spans, index, strict=True))
