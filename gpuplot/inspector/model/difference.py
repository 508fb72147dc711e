"""The difference of two tensors of one shape as an item: computed from their cells, never stored."""

from __future__ import annotations

import itertools
import math
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np

from ... import _native
from ...arrays.describe import describe
from ...cached import cached_property
from ...dtype_classes import is_complex
from ...errors import reason_of
from ...plane.aggs import LINEAR
from ...plane.difference import DifferencePlane, check_ops, have_equal_infinities, subtracted_cells, subtracted_elements
from ...plane.frame import Frame
from ...plane.limits import limits_of_cells, nearest
from ...plane.view import choose
from ...statistics.comparison import compare_elements, comparing
from ...statistics.plane_stats import elements_shown
from .planes import InspectedChunks, InspectedPlane, inspected
from .shown_item import ShownItem
from .viewport import Viewport

# For larger planes limits and statistics are those of the differences of cells.
MAX_EXACT_ELEMENTS = 2**22


# Tensors up to MAX_COMPARED elements are compared at once for the panel; larger ones in steps, while a page asks.
MAX_COMPARED, COMPARED_AT_A_TIME = 2**20, 2**18


class Difference(ShownItem):
    """The item ``a − b``, shown beside the two tensors.

    Parameters
    ----------
    a, b : Item
        Of one shape; dtypes and devices may differ.
    """

    aggs = LINEAR
    center = 0.0
    takes_rgb = False
    is_difference = True
    is_searched = False

    def __init__(self, a, b):
        self.a, self.b = a, b
        self._steps = self._compared = self._problem = None
        self._n_compared = 0
        self.name = f"{a.name} − {b.name}"
        has_complex = any(is_complex(item.source.dtype) for item in (a, b))
        # Differences of amplitudes are not those of the tensors.
        self.complex_modes = ("real", "imaginary") if has_complex else ()
        source, labels = a.source, a.source.labels
        dtype = "complex128" if has_complex else "float64"
        # Described like a tensor's Source.
        self.source = SimpleNamespace(
            shape=source.shape, ndim=source.ndim, size=source.size, nbytes=0, dtype=dtype, dims=source.dims,
            labels=labels and labels.of_difference(b.source.labels), device=source.device, libraries=source.libraries,
            level=None, part_text=source.part_text, device_text=source.device_text)

    @property
    def is_slow(self):
        """Whether one of the two reads or computes its elements, as an array in chunks does."""
        return self.a.is_slow or self.b.is_slow

    @property
    def notes(self):
        """Lines for the panel, with the numbers of `compare` once they are known."""
        lines = ["computed as it is looked at"]
        if self.comparison is not None:
            lines += str(self.comparison).split(" \u00b7 ")
        elif self._problem is not None:
            lines.append(f"not all elements could be compared: {self._problem}")
        elif self._n_compared:
            lines.append(f"{100 * self._n_compared // self.source.size} % of the elements compared")
        if self.source.size > MAX_EXACT_ELEMENTS:
            lines.append("limits and statistics of large planes are those of cells")
        return lines

    @cached_property
    def _small_comparison(self):
        is_small = self.source.size <= MAX_COMPARED and not self.is_slow
        return compare_elements(self.a.source, self.b.source) if is_small else None

    @property
    def comparison(self):
        """The `Comparison` of the two; None before large ones are compared."""
        return self._small_comparison if self._compared is None else self._compared

    @property
    def is_comparing(self):
        """Whether the comparison is not complete."""
        return self._problem is None and self.comparison is None

    def compare(self, until, clock):
        """Compares some more elements, until a time; arrays in chunks all at once."""
        try:
            if self.is_slow:
                self._compared = compare_elements(self.a.source, self.b.source)
                return
            self._steps = self._steps or comparing(self.a.source, self.b.source, block=COMPARED_AT_A_TIME)
            while True:
                self._n_compared = next(self._steps)
                if clock() >= until:
                    return
        except StopIteration as end:
            self._compared = end.value
        except Exception as error:  # elements cannot be read
            self._problem = reason_of(error)
        self._steps = None

    def plane(self, view, nan):
        """A plane of the difference; ValueError if its cells cannot be subtracted."""
        if view.is_rgb:
            raise ValueError("a difference of colors is not a picture: look at one of the two, or leave rgb out")
        check_ops(view)
        planes = (inspected(item.source, _as_of(view, item.source.dtype), nan) for item in (self.a, self.b))
        return InspectedDifference(view, nan, *planes)


def _as_of(view, dtype):
    """The view for one of the two tensors."""
    has_parts = is_complex(dtype)
    if not has_parts and view.complex_mode == "imaginary":
        raise ValueError(f"{dtype} has no imaginary part: use complex_mode='real'")
    return replace(view, dtype=dtype, complex_mode=view.complex_mode if has_parts else None)


@dataclass(frozen=True)
class InspectedDifference:
    """A plane of a difference, with the methods of `InspectedPlane`.

    Attributes
    ----------
    view : View
    nan : str
    a, b : InspectedPlane or InspectedChunks
    """

    view: object
    nan: str
    a: InspectedPlane | InspectedChunks
    b: InspectedPlane | InspectedChunks

    dtype = "float64"
    # None: lowest and highest differences would need every element.
    series = None

    @property
    def key(self):
        return (self.a.key, self.b.key)

    @property
    def shape(self):
        return self.view.shape

    def reduce(self, window, agg, want=0, has_nan=None, is_sharp=False):
        """Differences of cells, exact for linear aggregations."""
        frames = [plane.reduce(window, agg, has_nan=has_nan, is_sharp=is_sharp) for plane in (self.a, self.b)]
        cells = [frame.cells.numpy() for frame in frames]
        limits, leaves_out_nan = self.limits(want) if want else None, any(frame.leaves_out_nan for frame in frames)
        if have_equal_infinities(*cells) and all(isinstance(plane, InspectedPlane) for plane in (self.a, self.b)):
            elements = DifferencePlane(self.a, self.b).under("infinite" if leaves_out_nan else self.nan)
            return Frame(elements.reduce(window, agg).cells, limits=limits, leaves_out_nan=leaves_out_nan)
        return Frame(_native.Cells.from_array(subtracted_cells(*cells)), limits=limits, leaves_out_nan=leaves_out_nan)

    def limits(self, want, box=None):
        """Limits of the differences of elements, or of cells in large planes."""
        return limits_of_cells(self._overview(box))

    def _overview(self, box):
        """Cells of a box: one for each element up to MAX_EXACT_ELEMENTS."""
        row0, row1, col0, col1 = (0, self.shape[0], 0, self.shape[1]) if box is None else box
        n_rows, n_cols = row1 - row0, col1 - col0
        scale = min(1.0, math.sqrt(MAX_EXACT_ELEMENTS / max(n_rows * n_cols, 1)))
        size = tuple(max(1, min(n, int(n * scale))) for n in (n_rows, n_cols))
        if scale < 1.0 and min(n_rows, n_cols) < math.sqrt(MAX_EXACT_ELEMENTS):
            size = tuple(min(n, MAX_EXACT_ELEMENTS // min(n_rows, n_cols)) for n in (n_rows, n_cols))
        viewport = Viewport((float(row0), float(row1), float(col0), float(col1)), size)
        return self.reduce(viewport.fit(), "mean").cells

    @contextmanager
    def elements_over(self, stacked_axes, box=None):
        """See `InspectedPlane.elements_over`; of large planes the cells."""
        indices = itertools.product(*stacked_axes.values())
        cells = [self.at(dict(zip(stacked_axes, index, strict=True)))._overview(box).numpy() for index in indices]
        source = describe(np.stack(cells))
        view = choose(source.shape, None, source.dtype, rgb=False)
        with elements_shown(source, view, stacked_axes={0: range(len(cells))}) as elements:
            yield elements

    def at(self, index):
        """See `InspectedPlane.at`."""
        return InspectedDifference(self.view.fixed_at(index), self.nan, self.a.at(index), self.b.at(index))

    def find(self, kinds, start, is_backwards):
        """See `InspectedPlane.find`."""
        return nearest([plane.find(kinds, start, is_backwards) for plane in (self.a, self.b)], is_backwards)

    def has_any(self, kinds, stacked_axes):
        """See `InspectedPlane.has_any`."""
        return self.a.has_any(kinds, stacked_axes) or self.b.has_any(kinds, stacked_axes)

    def skipping(self):
        """The plane with elements that are not finite left out."""
        return replace(self, nan="skip", a=self.a.skipping(), b=self.b.skipping())

    def decided(self, leaves_out_nan):
        """See `InspectedPlane.decided`."""
        return replace(self, a=self.a.decided(leaves_out_nan), b=self.b.decided(leaves_out_nan))

    def elements(self, box):
        """Differences of elements: exact Python ints for integers, else NumPy's float64 or complex128."""
        a, b = (plane.elements(box) for plane in (self.a, self.b))
        if a.dtype.kind in "iub" and b.dtype.kind in "iub":
            return a.astype(object) - b.astype(object)
        return subtracted_elements(a, b)

    def numbers(self, box):
        """The numbers of a box that are shown: a part of complex ones."""
        values = self.elements(box)
        if values.dtype.kind == "c":
            return values.imag if self.view.complex_mode == "imaginary" else values.real
        return values

    def index_text(self, rows, cols):
        """See `InspectedPlane.index_text`."""
        return self.a.index_text(rows, cols)

    def near_pointer(self, kept):
        """See `InspectedPlane.near_pointer`."""
        return replace(self, a=self.a.near_pointer(kept), b=self.b.near_pointer(kept))

    def elsewhere(self, box):
        """See `InspectedPlane.elsewhere`: there is no difference of arrays of which parts are elsewhere."""
        return []

    def parts(self, box):
        """Elements of a box in each of the two tensors."""
        return self.a.elements(box), self.b.elements(box)
