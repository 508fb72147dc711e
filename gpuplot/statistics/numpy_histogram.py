"""Counts of a tensor's elements between edges, equal to numpy.histogram's, found where the tensor lives."""

from __future__ import annotations

import math
from contextlib import contextmanager
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .. import _native
from ..arrays.host_arrays import is_narrow
from ..plane.coalesce_axes import cover
from ..plane.reduce import Limits
from .measure import elements_at
from .summaries import NOTHING, extremes

__all__ = ["Dataset", "Kinds"]

# Integers up to this one are float64 numbers.
_EXACT = 2**53


class Kinds(NamedTuple):
    """How many elements of a tensor are of each kind, and the finite extremes.

    Attributes
    ----------
    finite, nan, pos_inf, neg_inf, masked : int
    low, high : int or float
        The smallest and the largest finite element; integers exactly. NaN where nothing is finite.
    """

    finite: int
    nan: int
    pos_inf: int
    neg_inf: int
    masked: int
    low: object
    high: object


class Dataset:
    """The elements of one tensor, all axes together, as `numpy.histogram` looks at them.

    Parameters
    ----------
    source : Source
        Of real numbers.

    Attributes
    ----------
    dtype : numpy.dtype
        What NumPy holds the elements in: float32 for bfloat16 and 8-bit floats, float64 for long doubles, uint8 for bool.
    """

    def __init__(self, source):
        self.source = source
        name = source.dtype
        self.dtype = np.dtype({"bool": "uint8", "longdouble": "float64"}.get(name, "float32" if is_narrow(name) else name))

    @cached_property
    def kinds(self):
        """What there is among the elements; found in one pass, once."""
        with self._elements() as elements:
            found = [Limits(*_native.limits(plane, _native.WANT_RANGE | _native.WANT_COUNTS)) for plane in elements.pooled]
            ends = [end for one in found for end in (one.min, one.max) if end == end]
            low, high = (min(ends), max(ends)) if ends else (math.nan, math.nan)
            if ends and elements.is_integer:
                # float64 rounds larger ones: these are compared as they are stored.
                low, high = (int(low), int(high)) if max(abs(low), abs(high)) < _EXACT else extremes(elements)
        counts = [sum(getattr(one, name) for one in found) for name in ("n_finite", "n_nan", "n_pos_inf", "n_neg_inf", "n_masked")]
        return Kinds(*counts, low, high)

    def count(self, edges, limits=None):
        """How many elements are in each bin, as `numpy.histogram` counts.

        Parameters
        ----------
        edges : ndarray, shape (n + 1,)
            Finite and not falling, of any dtype of real numbers. Elements are compared with them in the dtype that holds both.
        limits : (number, number), optional
            Where edges were computed between these; integer elements are compared with integer limits exactly.

        Returns
        -------
        ndarray of int64, shape (n,)
        """
        with self._elements() as elements:
            is_integer = np.result_type(self.dtype, edges.dtype).kind in "iu"
            if is_integer and max(abs(int(edges[0])), abs(int(edges[-1]))) > _EXACT:
                return _between_integers(elements, edges)
            is_exact = elements.is_integer and limits is not None and all(isinstance(end, (int, np.integer)) for end in limits)
            exact = (int(limits[0]), int(limits[1])) if is_exact else None
            return _between(elements, np.asarray(edges, np.float64), exact)

    @contextmanager
    def _elements(self):
        """The `Elements` while the tensor is borrowed."""
        source = self.source
        if not source.size:
            yield NOTHING
            return
        axes, spans = range(source.ndim), [range(n) for n in source.shape]
        with source.borrow() as tensor:
            covers = [cover(tensor, spans, axes, is_ordered) for is_ordered in (True, False)]
            yield elements_at(tensor, source.dtype, covers, "value", {})


def _between(elements, edges, exact):
    """Counts between float64 edges, which may repeat: a bin without width is empty, but for the last one, which is closed."""
    counts, has_width = np.zeros(len(edges) - 1, np.int64), np.diff(edges) > 0
    if has_width.any():
        rising = np.append(edges[:-1][has_width], edges[-1])
        counts[has_width] = sum(_native.histogram(plane, rising, exact) for plane in elements.pooled)
    if not has_width[-1]:
        n_last = _at(elements, edges[-1])
        counts[np.flatnonzero(has_width)[-1:]] -= n_last
        counts[-1] = n_last
    return counts


def _at(elements, value):
    """How many elements are equal to a number."""
    above = np.nextafter(value, math.inf)
    return sum(int(_native.histogram(plane, [value, above, np.nextafter(above, math.inf)])[0]) for plane in elements.pooled)


def _between_integers(elements, edges):
    """Counts of integers between integer edges of which some are no float64 numbers: a pass for each bin."""
    counts = np.zeros(len(edges) - 1, np.int64)
    for i in range(len(counts)):
        first, stop = int(edges[i]), int(edges[i + 1]) + (i == len(counts) - 1)
        if first < stop:
            counts[i] = sum(int(_native.histogram(plane, [0.0, 1.0], (first, stop - 1))[0]) for plane in elements.pooled)
    return counts
