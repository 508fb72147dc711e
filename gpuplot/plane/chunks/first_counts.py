"""Counts that come with the first pass over chunks: of every value of narrow integers, of ranges of 2^16 values of 32-bit numbers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ... import _native
from ...arrays.describe import describe
from ...arrays.dtypes import is_narrow
from ..native_plane import native_plane
from ..order_statistics import percentiles_by_rank

# 32-bit values of one range: those that share the upper half of their bits.
RANGE_VALUES = 2**16

# Ranges of finite float32 magnitudes; the next one begins with infinity.
N_RANGES = 0x7F80

# Beyond every float32, as the end of the last range.
BEYOND_FLOAT32 = 2.0**128


def has_every_value(dtype):
    """Whether each value of a dtype has a count of its own, as those of integers of at most 16 bits have."""
    return dtype in ("bool", "int8", "uint8", "int16", "uint16")


def n_counts(dtype):
    """Number of `first_counts`; 0 for dtypes without any, those of 64 bits and complex ones."""
    edges = counted_edges(dtype)
    return 0 if edges is None else len(edges) - 1


@lru_cache(maxsize=8)
def counted_edges(dtype):
    """Edges of the counted ranges, rising float64, not writable; None for dtypes without any."""
    if dtype == "bool":
        edges = np.arange(3.0)
    elif has_every_value(dtype) or dtype in ("int32", "uint32"):
        ends = np.iinfo(dtype)
        step = 1 if has_every_value(dtype) else RANGE_VALUES
        edges = np.arange(ends.min, ends.max + 1.0 + step, step)
    elif dtype in ("float16", "float32") or is_narrow(dtype):  # the narrow floats are among the values of float32
        edges = _float_edges()
    else:
        return None
    edges.flags.writeable = False
    return edges


def _float_edges():
    """Edges of ranges of float32 that share the upper half of their bits, float64; zero and the smallest of both signs share a range.

    An edge is the smallest number of its range, which below zero is that of the largest magnitude.
    """
    firsts = np.arange(1, N_RANGES, dtype=np.uint32) * np.uint32(RANGE_VALUES)
    lasts = np.append(firsts, np.uint32(N_RANGES * RANGE_VALUES)) - np.uint32(1)
    positive, negative = (bits.view(np.float32).astype(np.float64) for bits in (firsts, lasts[::-1]))
    return np.concatenate([-negative, positive, [BEYOND_FLOAT32]])


def first_counts(elements, source, view, nan):
    """How many finite elements of a plane of a chunk lie in each range between the `counted_edges` of its dtype.

    Parameters
    ----------
    elements : object
        The chunk.
    source : Source
        Of the chunk.
    view : View
        A plane of plain numbers, without reduced axes.
    nan : str
    """
    if isinstance(elements, np.ndarray) and view.dtype == "float32" and elements.dtype.itemsize == 4:
        return _counts_by_bits(elements, view, nan)
    with source.borrow() as tensor:
        return _native.histogram(native_plane(tensor, view, nan=nan), counted_edges(view.dtype))


def _counts_by_bits(elements, view, nan):
    """`first_counts` of float32 on the host: the bits as integers have even ranges, which are counted five times as fast."""
    with describe(elements.view(elements.dtype.str.replace("f", "i"))).borrow() as tensor:
        counts = _native.histogram(native_plane(tensor, view, nan=nan), counted_edges("int32"))
    negative, positive = counts[:N_RANGES], counts[RANGE_VALUES // 2:][:N_RANGES]
    return np.concatenate([negative[:0:-1], [negative[0] + positive[0]], positive[1:]])


def percentiles_of_counts(counts, percents, dtype, is_positive_only=False):
    """Exact percentiles (0 to 100) from counts of every value, as a list of floats; NaN where there are none."""
    values = counted_edges(dtype)[:-1]
    below = np.cumsum(np.where(values > 0, counts, 0) if is_positive_only else counts)
    return percentiles_by_rank(percents, int(below[-1]), lambda ranks: values[np.searchsorted(below, ranks, "right")].tolist())


def counts_of_positive(counts, dtype, min_positive):
    """The counts of positive elements alone; None where some of these lie in the range of zero, beside others that are not above it.

    `min_positive` is the smallest positive element.
    """
    edges = counted_edges(dtype)
    zero = int(np.searchsorted(edges, 0.0, "right")) - 1
    if counts[zero] and not min_positive >= edges[zero + 1]:
        return None
    return np.where(np.arange(len(counts)) > zero, counts, 0)
