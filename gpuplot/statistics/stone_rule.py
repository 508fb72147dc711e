"""Stone's rule: the number of bins with the least estimated error among all candidates."""

import math
import warnings

import numpy as np

from ..errors import GpuplotWarning

# As in NumPy, numbers of bins up to the square root of the number of elements are tried, and at least up to this one.
MIN_TRIED = 100

# About so many edges, of several numbers of bins, are counted between in one pass.
PASS_EDGES = 2**22


def stone_width(n, span, ends, count):
    """The width of a bin that numpy.histogram_bin_edges finds for ``bins="stone"``, in the type of `span`.

    NumPy counts all elements again for each number of bins. Here one pass counts between the edges of many numbers of bins; the counts
    for each number are sums of these.

    Parameters
    ----------
    n : int
        The number of elements between the ends.
    span : numpy.floating
        The largest of them minus the smallest.
    ends : (number, number)
    count : callable
        Rising edges, float64 -> number of elements in each bin.
    """
    if n <= 1 or not span:
        return 0.0
    n_most = max(MIN_TRIED, math.isqrt(n))
    losses = np.concatenate([_losses(tried, ends, n, span, count) for tried in _passes(n_most)])
    best = 1 + int(np.argmin(losses))
    if best == n_most:
        warnings.warn(f"bins='stone' chose {best} bins, the most that it tries for {n:,} elements: another number may be better",
                      GpuplotWarning, stacklevel=2)
    return span / best


def _passes(n_most):
    """Ranges of numbers of bins that one pass counts, with about PASS_EDGES edges each."""
    first = 1
    while first <= n_most:
        stop, n_edges = first, 0
        while stop <= n_most and (stop == first or n_edges + stop + 1 <= PASS_EDGES):
            n_edges += stop + 1
            stop += 1
        yield range(first, stop)
        first = stop


def _losses(tried, ends, n, span, count):
    """NumPy's estimate of the error for each of these numbers of bins, without a term that is the same for all."""
    edges = [np.linspace(*ends, n_bins + 1, dtype=span.dtype).astype(float) for n_bins in tried]
    together = np.unique(np.concatenate(edges))
    n_below = np.append(0, np.cumsum(count(together)))
    losses = np.empty(len(tried))
    for i, own in enumerate(edges):
        shares = np.diff(n_below[np.searchsorted(together, own)]) / n
        losses[i] = (2 - (n + 1) * shares.dot(shares)) / (span / (len(own) - 1))
    return losses
