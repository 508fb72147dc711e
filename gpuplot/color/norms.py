"""Two norms that matplotlib lacks: CbrtNorm, the cube root, and EqHistNorm, histogram equalization by ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import Normalize

from ..options import bare, like
from .even_ticks import CbrtScale
from .rank_ticks import RankScale

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def _cube(values):
    return values * values * values


class CbrtNorm(Normalize):
    """Maps values to 0..1 along their real cube root: gentle compression of both signs, steepest at zero.

    ``t = (c(v) - c(vmin)) / (c(vmax) - c(vmin))`` with ``c`` the cube root, negative for negative values.

    Parameters
    ----------
    vmin, vmax : float, optional
        Limits of the color range in data units. Default: the minimum and maximum of the first data seen.
    clip : bool, optional
        Whether values outside the limits take the first and last color instead of *under* and *over*. Default: False.

    Raises
    ------
    ValueError
        When called with vmin above vmax.

    Examples
    --------
    >>> import gpuplot
    >>> float(gpuplot.CbrtNorm(vmin=-8, vmax=27)(1.0))
    0.6
    """

    @like(Normalize.__call__)
    def __call__(self, value, clip=None):
        """Values of any shape to t, a masked float array of that shape (a float for a scalar)."""
        result, is_scalar = self.process_value(value)
        self.autoscale_None(result)
        _check_order(self.vmin, self.vmax)
        if not result.size:  # limits may be missing still
            return result
        data = result.data
        if self.clip if clip is None else clip:
            data = np.clip(data, self.vmin, self.vmax)
        low, high = np.cbrt([float(self.vmin), float(self.vmax)])
        t = np.zeros_like(data) if self.vmin == self.vmax else (np.cbrt(data) - low) / (high - low)
        t = np.ma.array(t, mask=result.mask, copy=False)
        return t[0] if is_scalar else t

    @like(Normalize.inverse)
    def inverse(self, value):
        """t of any shape back to data units."""
        if not self.scaled():
            raise ValueError("Not invertible until both vmin and vmax are set")
        low, high = np.cbrt([float(self.vmin), float(self.vmax)])
        return _cube(low + np.ma.asarray(value) * (high - low)) if np.iterable(value) else _cube(low + value * (high - low))

    @property
    def _scale(self):
        """The scale that matplotlib's colorbar takes from a norm."""
        return CbrtScale(self)

    @_scale.setter
    def _scale(self, scale):
        """Ignores the None that Normalize sets."""


@bare
class EqHistNorm(Normalize):
    """Histogram equalization by exact ranks: every color covers as many cells as any other.

    Over the m finite values inside ``[vmin, vmax]``, with ``C(v)`` the number of them that are at most v,
    ``t = (C(v) - C(smallest)) / (m - C(smallest))``; 0 if all are equal. No bins are involved.

    A picture is ranked anew each time it is drawn. The norm itself keeps the ranks of its last `fit`, so that it can be
    called on other values and inverted, as a colorbar does.

    Parameters
    ----------
    vmin, vmax : float, optional
        Values outside take no part and are *under* and *over*. In data units; default: the range of the first data seen.
    clip : bool, optional
        Whether values outside the limits take the first and last color instead. Default: False.

    Raises
    ------
    ValueError
        When fitted with vmin above vmax; when inverted before any data was seen.

    Examples
    --------
    >>> import gpuplot
    >>> gpuplot.EqHistNorm()([1.0, 1.0, 2.0, 100.0]).tolist()
    [0.0, 0.0, 0.5, 1.0]
    """

    def __init__(self, vmin: float | None = None, vmax: float | None = None, clip: bool = False) -> None:
        super().__init__(vmin, vmax, clip)
        self._values = self._t = None

    def fit(self, A: ArrayLike) -> EqHistNorm:
        """Rank the finite, unmasked values of A (any shape) inside the limits, setting limits that are None first.

        No 'changed' signal is sent for the ranks: the picture that calls this is being drawn already.
        """
        values = np.ma.masked_invalid(np.ma.asarray(A, dtype=np.float64)).compressed()
        if values.size:
            Normalize.autoscale_None(self, values)
        if self.scaled():
            _check_order(self.vmin, self.vmax)
            values = values[(values >= self.vmin) & (values <= self.vmax)]
        self._values, counts = np.unique(values, return_counts=True)
        ranks = np.cumsum(counts) - (counts[0] if counts.size else 0)
        self._t = ranks / ranks[-1] if ranks.size and ranks[-1] > 0 else np.zeros(ranks.size)
        return self

    def autoscale_None(self, A: ArrayLike) -> None:
        """Set limits that are None to the range of A; rank its values if none were ranked so far."""
        super().autoscale_None(A)
        if self._values is None:
            self.fit(A)

    def autoscale(self, A: ArrayLike) -> None:
        """Set the limits to the range of A and rank its values."""
        self._values = None
        super().autoscale(np.ma.masked_invalid(np.ma.asarray(A, dtype=np.float64)).compressed())

    @like(Normalize.__call__)
    def __call__(self, value, clip=None):
        """Values of any shape to t by the ranks of the last `fit`; the first call fits the values themselves."""
        result, is_scalar = self.process_value(value)
        if self._values is None or not self.scaled():
            self.fit(result)
        low, high = (0.0, 1.0) if not self.scaled() else (float(self.vmin), float(self.vmax))
        data = result.data.astype(np.float64)
        if self.clip if clip is None else clip:
            data = np.clip(data, low, high)
        t = np.ma.array(self._t_of(data, low, high), mask=np.ma.getmaskarray(result))
        return t[0] if is_scalar else t

    @property
    def _scale(self):
        """The scale that matplotlib's colorbar takes from a norm."""
        return RankScale(self)

    @_scale.setter
    def _scale(self, scale):
        """Ignores the None that Normalize sets."""

    @property
    def ranked(self) -> np.ndarray:
        """The different values that the last `fit` ranked, float64 in rising order; empty before the first."""
        return np.empty(0) if self._values is None else self._values

    @property
    def ranks(self) -> np.ndarray:
        """t of each of `ranked`, float64."""
        return np.empty(0) if self._t is None else self._t

    def _t_of(self, data, low, high):
        if low == high:
            return np.where(np.isnan(data), np.nan, 0.0)
        with np.errstate(invalid="ignore", over="ignore"):
            outside = (data - low) / (high - low)  # linear beyond the limits: below 0 and above 1
            if self._values.size < 2:
                start, end = self._span_of_one(low, high)
                t = np.maximum((data - start) / (end - start), 0.0)
                return np.where(data < low, outside, t)
        t = np.concatenate(([0.0], self._t))[np.searchsorted(self._values, data, side="right")]
        t = np.where((data < low) | (data > high), outside, t)
        return np.where(np.isnan(data), np.nan, t)

    def _span_of_one(self, low, high):
        """The values at t = 0 and 1 if all ranked values are equal, so that a colorbar has a range.

        They are the ranked value, which has the first color as in the picture, and vmax; without ranked values, the limits.
        """
        start = float(self._values[0]) if self._values.size else low
        return start, high if high > start else start + (high - low)

    @like(Normalize.inverse)
    def inverse(self, value):
        """t of any shape back to data units, straight between ranked values."""
        if not self.scaled():
            raise ValueError("Not invertible until both vmin and vmax are set")
        if self._values is None:
            return super().inverse(value)
        if self._values.size < 2:
            start, end = self._span_of_one(float(self.vmin), float(self.vmax))
            return start + (np.ma.asarray(value) if np.iterable(value) else value) * (end - start)
        result = np.interp(np.ma.filled(value, np.nan), self._t, self._values)
        return np.ma.array(result, mask=np.ma.getmask(value)) if np.iterable(value) else float(result)


def _check_order(vmin, vmax):
    if vmin is not None and vmax is not None and vmin > vmax:
        raise ValueError(f"vmin ({vmin}) must be less than or equal to vmax ({vmax}): exchange them, or use a reversed "
                         "colormap such as 'viridis_r'")
