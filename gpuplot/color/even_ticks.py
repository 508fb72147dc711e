"""Ticks of a colorbar that are evenly spread over its colors, from zero on, at numbers with few digits."""

import numpy as np
from matplotlib.ticker import Locator

from .rank_ticks import MAX_TICKS, SLACK, shortest


class EvenLocator(Locator):
    """Ticks at even steps of a function of the values, of which one is zero where that is on the axis.

    Parameters
    ----------
    function, inverse : callable
        The function, which rises and is zero at zero, and its inverse.
    """

    def __init__(self, function, inverse):
        self._function, self._inverse = function, inverse

    def __call__(self):
        """The ticks between the ends of the axis, in data units."""
        return self.tick_values(*self.axis.get_view_interval())

    def tick_values(self, vmin, vmax):
        """The ticks from `vmin` to `vmax`, in data units."""
        low, high = self._function(np.sort([float(vmin), float(vmax)]))
        step = (high - low) / (int(np.clip(self.axis.get_tick_space(), 2, MAX_TICKS)) - 1)
        if not step > 0:
            return np.array([vmin])
        start = 0.0 if low <= 0 <= high else low
        places = start + step * np.arange(np.ceil((low - start) / step), np.floor((high - start) / step * (1 + 1e-9)) + 1)
        lows, highs = (self._inverse(np.clip(places + reach, low, high)) for reach in (-SLACK * step, SLACK * step))
        return np.array([shortest(*bounds) for bounds in zip(lows, self._inverse(places), highs, strict=True)])
