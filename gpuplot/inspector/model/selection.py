"""The selected box of elements: `Selection` for Python, with statistics, and the part of `Scene` that has it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...statistics.arguments import check_spec
from ...statistics.measure import device_name
from ...statistics.result import Stats
from ...statistics.summaries import measure
from .cursor import tensor_index

# Bins and percentiles as `gpuplot.stats` finds them.
USUAL = (64, None, (1, 2, 50, 98, 99))


@dataclass(frozen=True)
class Selection:
    """A box of elements of the plane; `Inspector.selection` has it.

    Attributes
    ----------
    index : tuple of int and slice
        One entry for each axis of the tensor: ``X[w.selection.index]`` are the selected elements, those of all facets and of
        reduced axes included.
    rows, columns : (int, int)
        Of the plane, half-open.
    item : str
        Name of the tensor, "" where there is one.
    """

    index: tuple
    rows: tuple
    columns: tuple
    item: str = ""
    _plane: tuple = field(default=(), repr=False, compare=False)  # (view, axes of facets, nan)
    _measure: Callable = field(default=None, repr=False, compare=False)

    @property
    def stats(self):
        """The `Stats` of the selected elements in the inspector's present tensor, computed at each access.

        Complex elements count as the part that is shown, reduced axes by their results.

        Raises
        ------
        RuntimeError
            The inspector was closed, or its tensor has another shape or dtype by now.
        """
        stats = self._measure(self)
        if stats is None:
            raise RuntimeError("the inspector of this selection is gone, and its tensor with it")
        return stats


class SelectionControls:
    """The part of `Scene` for the selected box.

    Attributes
    ----------
    measure : callable
        ``measure(selection) -> Stats`` that takes the scene's lock; default: `measured`.
    """

    measure = None

    @property
    def selection(self):
        """The selected box, or None."""
        view_state = self._view_state
        if view_state.settings.selection is None:
            return None
        rows, columns = view_state.settings.selection
        stacked_axes = view_state.stacked_axes("slice")
        index = tensor_index(view_state.view, range(*rows), range(*columns), stacked_axes)
        plane = view_state.view, stacked_axes, view_state.settings.nan
        return Selection(index, rows, columns, view_state.item.name, plane, self.measure or self.measured)

    def _check_selected(self, view_state, selection):
        """IndexError for a selection that does not lie in the plane."""
        if selection is not None and (view_state.settings.selection is None or view_state.kind == "text"):
            rows, columns = view_state.shape
            raise IndexError(f"selection={check_selection(selection)} reaches beyond the plane of {rows} x {columns} elements")

    def measured(self, selection):
        """The `Stats` of a selection."""
        self._check_open()
        view, stacked_axes, nan = selection._plane
        item = next((item for item in self._collection.items if item.name == selection.item), None)
        if item is None or (item.source.shape, item.source.dtype) != (view.tensor_shape, view.dtype):
            raise RuntimeError("the tensor of this selection has been replaced: read `selection` of the inspector again")
        with item.plane(view, nan).elements_over(stacked_axes, (*selection.rows, *selection.columns)) as elements:
            values = measure(elements, check_spec(*USUAL))
        source = item.source
        return Stats(source.shape, source.dtype, device_name(source), source.nbytes, source.size, *values)


def check_selection(value):
    """A `Selection`, pair of pairs or None -> ((row0, row1), (col0, col1)) of integers in rising order, or None."""
    if value is None:
        return None
    if isinstance(value, Selection):
        return value.rows, value.columns
    try:
        rows, columns = (tuple(_edge(edge) for edge in part) for part in value)
        (row0, row1), (col0, col1) = rows, columns
    except (TypeError, ValueError):
        raise TypeError("selection is ((row0, row1), (col0, col1)), elements of the plane as integers, or None") from None
    if not (0 <= row0 < row1 and 0 <= col0 < col1):
        raise ValueError(f"a selection of rows {row0} to {row1} and columns {col0} to {col1} has no elements: both begin at 0 or "
                         "later and end behind that")
    return rows, columns


def _edge(edge):
    if isinstance(edge, (bool, np.bool_)):
        raise TypeError
    return operator.index(edge)


def selection_to_json(selection):
    """Its rows and columns as JSON for pages."""
    return None if selection is None else [list(selection.rows), list(selection.columns)]
