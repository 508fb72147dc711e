"""Pixels of one window resampled to another: a preview until the new window's pixels are complete."""

from __future__ import annotations

import numpy as np


def lay_over(rgba, above):
    """Writes the pixels of `above` that are not transparent into `rgba`."""
    np.copyto(rgba, above, where=above[..., 3:] > 0)


def stretched(rgba, old, new):
    """The pixels of window `old` resampled (nearest) to window `new`; transparent outside."""
    rows, cols = (_places(a, b) for a, b in ((old.rows, new.rows), (old.cols, new.cols)))
    out = np.zeros((*new.shape, 4), np.uint8)
    inside = np.ix_(rows >= 0, cols >= 0)
    out[inside] = rgba[np.ix_(rows[rows >= 0], cols[cols >= 0])]
    return out


def _places(old, new):
    """For each cell of span `new` the index of the cell of `old` at its center; -1 outside."""
    edges = new.edge_array()
    centers = (edges[:-1] + edges[1:]) / 2
    borders = old.edge_array()
    is_falling = borders[0] > borders[-1]
    places = np.searchsorted(borders[::-1] if is_falling else borders, centers, side="right") - 1
    places = len(borders) - 2 - places if is_falling else places
    return np.where((places >= 0) & (places < len(borders) - 1) & np.isfinite(centers), places, -1)
