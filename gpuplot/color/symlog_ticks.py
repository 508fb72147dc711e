"""The scale of a colorbar with ``norm="symlog"``, which has other ticks where matplotlib's, zero and powers of ten, are few or overlap."""

import numpy as np
from matplotlib.scale import SymmetricalLogScale
from matplotlib.ticker import AutoLocator, FixedLocator, LogFormatterSciNotation, SymmetricalLogLocator

from .even_ticks import EvenLocator, tick_text

# Fewer ticks of matplotlib's than this do not tell which numbers the colors are.
MIN_TICKS = 3


class SymlogScale(SymmetricalLogScale):
    """matplotlib's scale, whose only ticks between -linthresh and linthresh are the ends, with six digits, and zero."""

    def set_default_locators_and_formatters(self, axis):
        """Called by matplotlib when an axis gets this scale."""
        super().set_default_locators_and_formatters(axis)
        axis.set_major_locator(SymlogLocator(self.get_transform()))
        axis.set_major_formatter(SymlogFormatter(self.base, linthresh=self.linthresh))


class SymlogLocator(SymmetricalLogLocator):
    """matplotlib's ticks where they suit; else even ones, in the linear part of the scale by numbers, beyond it by colors."""

    def __init__(self, transform):
        super().__init__(transform)
        self._even = EvenLocator(transform.transform, transform.inverted().transform)

    def set_axis(self, axis):
        """Called by matplotlib when an axis gets these ticks."""
        super().set_axis(axis)
        self._even.set_axis(axis)

    def tick_values(self, vmin, vmax):
        """The ticks from `vmin` to `vmax`, in data units."""
        if max(abs(vmin), abs(vmax)) <= self._linthresh:
            return AutoLocator().tick_values(vmin, vmax)
        return super().tick_values(vmin, vmax) if self.suits(vmin, vmax) else self._even.tick_values(vmin, vmax)

    def suits(self, vmin, vmax):
        """Whether at least `MIN_TICKS` of matplotlib's ticks are seen from `vmin` to `vmax`, and no more than have room."""
        low, high = sorted((vmin, vmax))
        ticks = np.asarray(super().tick_values(low, high))
        return MIN_TICKS <= np.count_nonzero((ticks >= low) & (ticks <= high)) <= max(MIN_TICKS, self.axis.get_tick_space())


class SymlogFormatter(LogFormatterSciNotation):
    """matplotlib's texts of ticks, and plain numbers where the ticks are not matplotlib's, or are given and no powers of ten."""

    def __call__(self, x, pos=None):
        """The text of a tick."""
        ends, locator = self.axis.get_view_interval(), self.axis.get_major_locator()
        is_plain = max(map(abs, ends)) <= self._linthresh or (isinstance(locator, SymlogLocator) and not locator.suits(*ends))
        text = "" if is_plain else super().__call__(x, pos)
        return tick_text(x, pos) if is_plain or (not text and isinstance(locator, FixedLocator)) else text
