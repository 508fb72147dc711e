"""Facets: the planes of a tensor that are shown beside each other, and what is written at each row and column of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

__all__ = ["MOST_FACETS", "Facets"]

# Each is a picture of its own; more than that are too small to be looked at.
MOST_FACETS = 64


@dataclass(frozen=True)
class Facets:
    """Which planes are beside each other.

    Attributes
    ----------
    axes : tuple of int
        The facet axes that there are: rows first.
    counts : (int, int)
        Rows and columns of facets that are shown.
    sizes : (int, int)
        How many there would be.
    """

    axes: tuple
    counts: tuple
    sizes: tuple

    @classmethod
    def of(cls, roles):
        """The facets of roles; one where no axis is spread out."""
        sizes = tuple(1 if axis is None else roles.axes.shape[axis] for axis in (roles.rows, roles.columns))
        return cls(tuple(axis for axis in (roles.rows, roles.columns) if axis is not None), _fitting(*sizes), sizes)

    def __len__(self):
        return self.counts[0] * self.counts[1]

    def places(self, roles):
        """For each facet, row by row, its ``((axis, element), ...)``."""
        sides = [[] if axis is None else [(axis, i) for i in range(count)]
                 for axis, count in zip((roles.rows, roles.columns), self.counts, strict=True)]
        return list(itertools.product(*(side for side in sides if side))) if self.axes else [()]

    def labels(self, roles, source):
        """``{"rows": [text], "columns": [text]}``, None without facets."""
        if not self.axes:
            return None
        return {name: [] if axis is None else [element_text(roles, source, axis, i) for i in range(count)]
                for name, axis, count in zip(("rows", "columns"), (roles.rows, roles.columns), self.counts, strict=True)}

    @property
    def notice(self):
        """What is left out, as text; "" for nothing."""
        n_all = self.sizes[0] * self.sizes[1]
        return "" if n_all == len(self) else f"showing {len(self)} of {n_all} facets"


def _fitting(n_rows, n_cols):
    """Rows and columns of facets, at most MOST_FACETS in all, none of the directions crowded out by the other."""
    n_cols_shown = min(n_cols, max(8, MOST_FACETS // max(n_rows, 1)))
    return min(n_rows, MOST_FACETS // max(n_cols_shown, 1)), n_cols_shown


def element_text(roles, source, axis, i):
    """One element of an axis in words: by its coordinate where the tensor has them, ``"layer 3"`` or ``"axis 0: 3"``."""
    position = position_text(source, axis, i)
    name = roles.axes.names[axis] if roles.axes.names else None
    if name is None:
        return f"axis {axis}: {i}"
    return f"{name} {i if position is None else position}"


def position_text(source, axis, i):
    """The coordinate of an element of an axis as text; None where the tensor has none there."""
    axes = source.labels.axes if source.labels is not None and source.labels.axes else ()
    positions = axes[axis].positions if axis < len(axes) else None
    if positions is None or not 0 <= i < len(positions):
        return None
    value = positions[i]
    if positions.dtype.kind == "M":
        return str(np.datetime_as_string(value, unit="auto")).removesuffix("T00:00:00.000000000")
    return f"{value:.6g}" if positions.dtype.kind == "f" else str(value)
