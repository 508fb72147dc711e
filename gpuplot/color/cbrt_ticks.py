"""The scale of a colorbar with a `CbrtNorm`: its ticks are evenly spread over the colors, from zero on, at numbers with few digits."""

import numpy as np
from matplotlib.scale import FuncScale
from matplotlib.ticker import FuncFormatter, Locator

from .rank_ticks import MAX_TICKS, SLACK, shortest, tick_text


class CbrtScale(FuncScale):
    """Places values at their colors by a `CbrtNorm`. matplotlib's ticks, even in the values, would leave out most of the colors.

    Parameters
    ----------
    norm : CbrtNorm
    """

    def __init__(self, norm):
        super().__init__(None, functions=(norm, norm.inverse))

    def set_default_locators_and_formatters(self, axis):
        """Called by matplotlib when an axis gets this scale."""
        super().set_default_locators_and_formatters(axis)
        axis.set_major_locator(CbrtLocator())
        axis.set_major_formatter(FuncFormatter(tick_text))


class CbrtLocator(Locator):
    """Ticks at even steps of the cube root, of which one is zero where that is on the axis."""

    def __call__(self):
        """The ticks between the ends of the axis, in data units."""
        return self.tick_values(*self.axis.get_view_interval())

    def tick_values(self, vmin, vmax):
        """The ticks from `vmin` to `vmax`, in data units."""
        low, high = np.cbrt(sorted((float(vmin), float(vmax))))
        step = (high - low) / (int(np.clip(self.axis.get_tick_space(), 2, MAX_TICKS)) - 1)
        if not step > 0:
            return np.array([vmin])
        start = 0.0 if low <= 0 <= high else low
        roots = start + step * np.arange(np.ceil((low - start) / step), np.floor((high - start) / step * (1 + 1e-9)) + 1)
        lows, highs = (np.clip(roots + reach, low, high) ** 3 for reach in (-SLACK * step, SLACK * step))
        return np.array([shortest(*bounds) for bounds in zip(lows, roots**3, highs, strict=True)])
