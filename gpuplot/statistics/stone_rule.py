"""Stone's rule: the number of bins with the least estimated error among all candidates."""

import math
import warnings

import numpy as np

from ..errors import GpuplotWarning

# Numbers of bins that are tried at least; more are where the number of elements is more than the square of this.
MIN_TRIED = 100

# Edges of several numbers of bins are counted between in one pass, about so many.
PASS_EDGES = 2**22


def stone_width(n, span, ends, count):
    """The width of a bin that numpy.histogram_bin_edges finds for ``bins="stone"``, of the span's type.

    NumPy counts all elements again for each number of bins. Here one pass counts between the edges of many numbers together, of which
    each one's counts are sums.

    Parameters
    ----------
    n : int
        How many elements there are between the ends.
    span : numpy.floating
        The difference between the largest and the smallest of them.
    ends : (number, number)
    count : callable
        From rising edges, float64, how many elements are in each bin.
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
    """Ranges of numbers of bins, with about PASS_EDGES edges each."""
    first = 1
    while first <= n_most:
        stop, n_edges = first, 0
        while stop <= n_most and (stop == first or n_edges + stop + 1 <= PASS_EDGES):
            n_edges += stop + 1
            stop += 1
        yield range(first, stop)
        first = stop


def _losses(tried, ends, n, span, count):
    """NumPy's estimate of the error, but for what is the same for all, of some numbers of bins."""
    edges = [np.linspace(*ends, n_bins + 1, dtype=span.dtype).astype(float) for n_bins in tried]
    together = np.unique(np.concatenate(edges))
    n_below = np.append(0, np.cumsum(count(together)))
    losses = np.empty(len(tried))
    for i, own in enumerate(edges):
        shares = np.diff(n_below[np.searchsorted(together, own)]) / n
        losses[i] = (2 - (n + 1) * shares.dot(shares)) / (span / (len(own) - 1))
    return losses
