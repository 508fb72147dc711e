"""The scale of a colorbar with an `EqHistNorm`: its ticks are evenly spread over the colors, at numbers with few digits."""

import numpy as np
from matplotlib.scale import FuncScale
from matplotlib.ticker import AutoLocator, FuncFormatter, Locator

from .even_ticks import MAX_TICKS, SLACK, shortest, tick_text


class RankScale(FuncScale):
    """Places values at their colors by an `EqHistNorm`. matplotlib's ticks, even in the values, would overlap where values are rare.

    Parameters
    ----------
    norm : EqHistNorm
        Called at every draw, with the ranks of the picture.
    """

    def __init__(self, norm):
        super().__init__(None, functions=(norm, norm.inverse))
        self._norm = norm

    def set_default_locators_and_formatters(self, axis):
        """Called by matplotlib when an axis gets this scale."""
        super().set_default_locators_and_formatters(axis)
        axis.set_major_locator(RankLocator(self._norm))
        axis.set_major_formatter(FuncFormatter(tick_text))


class RankLocator(Locator):
    """Ticks at the values of evenly spread colors of an `EqHistNorm`; at every ranked value if these are few."""

    def __init__(self, norm):
        self._norm = norm

    def __call__(self):
        """The ticks between the ends of the axis, in data units."""
        return self.tick_values(*self.axis.get_view_interval())

    def tick_values(self, vmin, vmax):
        """The ticks from `vmin` to `vmax`, in data units."""
        n_ticks = int(np.clip(self.axis.get_tick_space(), 2, MAX_TICKS))
        ranked = self._norm.ranked
        if ranked.size < 2:
            return AutoLocator().tick_values(vmin, vmax)
        if ranked.size <= n_ticks:
            return ranked
        t, slack = np.linspace(0, 1, n_ticks), SLACK / n_ticks
        lows, values, highs = (self._norm.inverse(np.clip(t + step, 0, 1)) for step in (-slack, 0, slack))
        ticks = np.array([shortest(*bounds) for bounds in zip(lows, values, highs, strict=True)])
        return ticks[abs(self._norm(ticks) - t) <= slack]  # a value that many cells have covers several of these colors
