"""`Stats` and `StatsTable`: statistics as attributes, one line of text, and a picture in notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import html, text
from .named_rows import NamedRows


@dataclass(frozen=True, eq=False, repr=False)
class Stats:
    """Statistics of a tensor, made by `stats`.

    Where `stats` was told axes to reduce, every field from `nan` on is an array with the shape of the axes that remain
    (`hist` and `bin_edges` have the bins as one more axis, the last; `percentiles` is a dict of arrays).

    Attributes
    ----------
    shape : tuple of int
    dtype : str
        Such as ``"float32"`` or ``"bfloat16"``.
    device : str
        ``"cpu"`` or ``"cuda:0"``.
    nbytes, numel : int
        Of the whole tensor.
    nan, neg_inf, neg, zero, pos, pos_inf, masked : int
        How many elements are of each kind; they sum to the number of elements that were looked at. A masked element, or a missing
        value of a column, is of no other kind.
    subnormal : int
        Elements nearer to zero than the smallest normal number of the dtype, but not zero.
    min, max, absmax : int, float or bool
        Of finite elements, exact: 64-bit integers are ints. Of complex elements the magnitudes count, here and below.
    mean, median, std, l2 : float
        Of finite elements; `median` is their percentile 50, whatever `percentiles` has; `std` with ``n - 1``, as torch's; `l2`
        is the root of the sum of squares.
    argmin, argmax, first_nan : tuple of int or None
        Index of the first such element, in row-major order.
    hist : ndarray of int64, shape (bins,)
        Numbers of finite elements in each bin; ``bin_edges[i] <= x < bin_edges[i + 1]``, the last bin closed.
    bin_edges : ndarray of float64, shape (bins + 1,)
    percentiles : dict of number to float
        Exact percentiles of finite elements, by percent.
    dim : tuple of int or None
        The axes that were reduced; None where all were.

    Examples
    --------
    >>> import gpuplot
    >>> gpuplot.stats([[0.5, 2.0], [float("nan"), -1.0]])
    float64 (2, 2) ... · -1 █   █  █ 2 · mean 0.5, median 0.5, std 1.5 · 1 NaN
    """

    shape: tuple
    dtype: str
    device: str
    nbytes: int
    numel: int
    nan: Any
    neg_inf: Any
    neg: Any
    zero: Any
    pos: Any
    pos_inf: Any
    masked: Any
    subnormal: Any
    min: Any
    max: Any
    mean: Any
    median: Any
    std: Any
    absmax: Any
    l2: Any
    argmin: Any
    argmax: Any
    first_nan: Any
    hist: np.ndarray
    bin_edges: np.ndarray
    percentiles: dict
    dim: tuple | None = None

    def __repr__(self):
        return text.line(self)

    def _repr_html_(self):
        return html.page(self)


class StatsTable(NamedRows):
    """Statistics of several tensors by name, worst first: most NaN, then most infinities.

    Parameters
    ----------
    rows : list of (str, Stats)
        In any order; those that are equally bad stay in it.
    skipped : dict of str to str, optional
        What was not a tensor that can be read, and why.

    Examples
    --------
    >>> import gpuplot
    >>> table = gpuplot.stats({"fine": [1.0, 2.0], "bad": [float("nan"), 2.0]})
    >>> list(table), table["bad"].nan
    (['bad', 'fine'], 1)
    """

    def __init__(self, rows, skipped=()):
        super().__init__(sorted(rows, key=lambda row: (-row[1].nan, -row[1].pos_inf - row[1].neg_inf)), skipped)

    def __repr__(self):
        return text.table(self)

    def _repr_html_(self):
        return html.table(self)
