"""The difference of two planes of one shape: computed on their device, from cells or from blocks of elements, never stored."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import _native
from ..arrays.describe import describe
from ..arrays.source import Source
from .aggs import LINEAR, native_nan
from .frame import HOST, Frame, is_empty
from .limits import UNKNOWN, find_limits, find_percentiles
from .native_plane import native_plane
from .partial_cells import PartialCells, reduce_piece
from .pooled_limits import joined
from .tensor_plane import TensorPlane
from .view import plain_view

# Operations over hidden axes that commute with the difference.
LINEAR_OPS = ("mean", "sum")

# Elements that are subtracted at a time.
BLOCK_ELEMENTS = 2**20

# Planes up to this size are subtracted whole where percentiles are asked for.
MAX_PERCENTILE_ELEMENTS = 2**24


def subtracted_cells(a, b):
    """Cells of one plane less those of another, float64 arrays; empty where the first is."""
    with np.errstate(invalid="ignore", over="ignore"):
        difference = a - b
    has_nothing = is_empty(a)
    difference[has_nothing] = a[has_nothing]
    return difference


def have_equal_infinities(a, b):
    """Whether cells of both planes are marked by the same infinity: their difference depends on which elements these are."""
    return bool((np.isinf(a) & (a == b)).any())


def subtracted_elements(a, b):
    """a - b of NumPy arrays in float64 or complex128; 0 where both are the same infinity, masked where either is.

    Integers are subtracted exactly before they are rounded.
    """
    if isinstance(a, np.ma.MaskedArray) or isinstance(b, np.ma.MaskedArray):
        mask = np.ma.mask_or(np.ma.getmask(a), np.ma.getmask(b))
        return np.ma.array(subtracted_elements(np.ma.getdata(a), np.ma.getdata(b)), mask=mask)
    kinds = a.dtype.kind + b.dtype.kind
    if set(kinds) <= set("biu"):
        return _subtracted_integers(*(x.astype("u1") if x.dtype == bool else x for x in (a, b)))
    kind = np.complex128 if "c" in kinds else np.float64
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(a == b, kind(0), a.astype(kind) - b.astype(kind))


def without_classes(elements, ignored):
    """An array, masked where its numbers are among the `ignored`."""
    return np.ma.array(elements, mask=np.isin(np.ma.getdata(elements), ignored), keep_mask=True) if ignored else elements


def _subtracted_integers(a, b):
    """a - b of integers of any two dtypes, rounded once."""
    kind = np.result_type(a, b)
    if kind.kind == "f":  # uint64 beside a signed one: the difference may need 65 bits
        return (a.astype(object) - b.astype(object)).astype(float)
    a, b = a.astype(kind), b.astype(kind)
    unsigned = f"u{kind.itemsize}"
    with np.errstate(over="ignore"):  # wraps around; exact where the smaller one is subtracted
        size = np.where(a >= b, a.astype(unsigned) - b.astype(unsigned), b.astype(unsigned) - a.astype(unsigned))
    return np.where(a >= b, 1.0, -1.0) * size.astype(float)


def check_ops(view):
    """Refuses reductions of hidden axes that cannot be done before the difference."""
    wrong = [op for op in view.stage_ops if op not in LINEAR_OPS]
    if wrong:
        raise ValueError(f"the {wrong[0]} of a difference is not the difference of the two: reduce with mean or sum")


@dataclass(frozen=True)
class DifferencePlane:
    """``a - b``, with the interface of a `TensorPlane`."""

    # a, b: of one shape, of numbers.
    a: TensorPlane
    b: TensorPlane
    ignored: tuple = ()  # numbers that count as masked

    dtype = "float64"

    @property
    def shape(self):
        """Rows and columns."""
        return self.a.shape

    @property
    def nan(self):
        """The policy about what is not finite."""
        return self.a.nan

    @property
    def view(self):
        """The view of both tensors, of numbers that are computed."""
        return replace(self.a.view, dtype="float64", complex_mode=None)

    def under(self, nan):
        """The same under another policy about what is not finite."""
        return replace(self, a=self.a.under(nan), b=self.b.under(nan))

    def reduce(self, window, agg, want=0, has_nan=None, is_sharp=False):
        """Cells of a window: the difference of both planes' cells where that is exact, else cells of the elements' differences."""
        limits = self.limits(want) if want else None
        if 0 in self.shape:
            return self.a.reduce(window, agg, want)
        if agg in LINEAR and self.nan != "skip" and not self._is_masked:
            cells = [plane.under("show").reduce(window, agg).cells.numpy() for plane in (self.a, self.b)]
            if not have_equal_infinities(*cells):
                return Frame(_native.Cells.from_array(subtracted_cells(*cells)), limits=limits)
        states = PartialCells.of_nothing(agg, window.shape)
        for source, origin in self._blocks(window):
            piece = reduce_piece(source, plain_view(source), window, agg, self.nan, whole=self.shape, origin=origin)
            if piece is not None:
                states.join(piece)
        return Frame(_native.Cells.from_array(np.array(states.finish(agg, self.nan, window.is_reversed))), limits=limits)

    def _blocks(self, window):
        """Yields (a source of differences, its first row and column), block by block, for the elements that a window touches."""
        touched = [span.fit(n, False).touched() for span, n in zip((window.rows, window.cols), self.shape, strict=True)]
        (row0, row1), (col0, col1) = ((max(first, 0), min(stop, n)) for (first, stop), n in zip(touched, self.shape, strict=True))
        for box in _boxes((row0, row1, col0, col1)):
            yield self._source(box), (box[0], box[2])

    def limits(self, want, box=None):
        """Facts about the differences of elements, or those of a half-open box."""
        box = box or (0, self.shape[0], 0, self.shape[1])
        if 0 in self.shape:
            return UNKNOWN
        sources = map(self._source, _boxes(box))
        return joined(find_limits(source, plain_view(source), want) for source in sources)

    def percentiles(self, percents, is_positive_only=False, box=None):
        """Exact percentiles of the finite differences; ValueError where there are very many."""
        box = box or (0, self.shape[0], 0, self.shape[1])
        if (box[1] - box[0]) * (box[3] - box[2]) > MAX_PERCENTILE_ELEMENTS:
            raise ValueError(f"percentiles of more than {MAX_PERCENTILE_ELEMENTS} differences are not found: give vmin and vmax")
        source = self._source(box)
        return find_percentiles(source, plain_view(source), percents, is_positive_only)

    def numbers(self, box=None):
        """Differences of the elements of a box as a host array; masked where either is."""
        row0, row1, col0, col1 = box or (0, self.shape[0], 0, self.shape[1])
        if row0 == row1 or col0 == col1:
            return np.empty((row1 - row0, col1 - col0))
        if self._is_masked:
            return self._masked((row0, row1, col0, col1))
        return self._subtracted((row0, row1, col0, col1)).numpy()

    @property
    def _is_masked(self):
        return self.a.source.is_masked or self.b.source.is_masked or bool(self.ignored)

    def _masked(self, box):
        """Differences of the elements of a box as a masked array: a result of the device has no mask."""
        return subtracted_elements(*(without_classes(plane.numbers(box), self.ignored) for plane in (self.a, self.b)))

    def _subtracted(self, box):
        """The same as cells, on the device of both planes."""
        (a, view_a, box_a), (b, view_b, box_b) = self._operands(box)
        with a.borrow() as left, b.borrow() as right:
            return _native.subtract(native_plane(left, view_a).crop(*box_a), native_plane(right, view_b).crop(*box_b))

    def _operands(self, box):
        """(source, view, box) of stored elements, of a and of b: on one device, or both brought to the host."""
        planes = (self.a, self.b)
        if on_one_device(self.a.source, self.b.source):
            return [_of_stored(plane, box) for plane in planes]
        on_host = [describe(plane.numbers(box)) for plane in planes]
        return [(source, plain_view(source), (0, source.shape[0], 0, source.shape[1])) for source in on_host]

    def _source(self, box):
        """The differences of a box as a source, where they were computed."""
        if self._is_masked:
            return describe(self._masked(box))
        return _source_of_cells(self._subtracted(box))


def on_one_device(a, b):
    """Whether one device reads the memory of two sources."""
    return a.device == b.device


def _of_stored(plane, box):
    """(source, view, box) of a plane; where axes are reduced, of the reduced elements."""
    if not plane.view.is_reduced:
        return plane.source, plane.view, box
    rows, cols = (_native.Axis(n, first, last, last - first) for n, (first, last) in zip(plane.shape, (box[:2], box[2:]), strict=True))
    with plane.source.borrow() as tensor:
        cells = _native.reduce(native_plane(tensor, plane.view), rows, cols, "nearest", native_nan(plane.nan))[0]
    source = _source_of_cells(cells)
    return source, plain_view(source), (0, source.shape[0], 0, source.shape[1])


def _source_of_cells(cells):
    device = cells.device if cells.device[0] != HOST else None
    return Source(cells, _native.Tensor.from_cells, cells.shape, "float64", device=device)


def _boxes(box):
    """A box of elements in parts of whole rows, or of one row, that are no larger than a block."""
    row0, row1, col0, col1 = box
    n_cols = max(1, min(col1 - col0, BLOCK_ELEMENTS))
    n_rows = max(1, BLOCK_ELEMENTS // n_cols)
    for row in range(row0, row1, n_rows):
        for col in range(col0, col1, n_cols):
            yield row, min(row1, row + n_rows), col, min(col1, col + n_cols)
