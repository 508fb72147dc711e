"""The scale of a colorbar with ``norm="symlog"``, which has linear ticks where all of it is in the linear part of the scale."""

from matplotlib.scale import SymmetricalLogScale
from matplotlib.ticker import AutoLocator, LogFormatterSciNotation, SymmetricalLogLocator

from .rank_ticks import tick_text


class SymlogScale(SymmetricalLogScale):
    """matplotlib's scale, whose only ticks between -linthresh and linthresh are the ends, with six digits, and zero."""

    def set_default_locators_and_formatters(self, axis):
        """Called by matplotlib when an axis gets this scale."""
        super().set_default_locators_and_formatters(axis)
        axis.set_major_locator(SymlogLocator(self.get_transform()))
        axis.set_major_formatter(SymlogFormatter(self.base, linthresh=self.linthresh))


class SymlogLocator(SymmetricalLogLocator):
    """matplotlib's ticks, and even ones in the linear part of the scale."""

    def tick_values(self, vmin, vmax):
        """The ticks from `vmin` to `vmax`, in data units."""
        is_linear = max(abs(vmin), abs(vmax)) <= self._linthresh
        return AutoLocator().tick_values(vmin, vmax) if is_linear else super().tick_values(vmin, vmax)


class SymlogFormatter(LogFormatterSciNotation):
    """matplotlib's texts of ticks, and plain numbers in the linear part of the scale."""

    def __call__(self, x, pos=None):
        """The text of a tick."""
        is_linear = max(map(abs, self.axis.get_view_interval())) <= self._linthresh
        return tick_text(x, pos) if is_linear else super().__call__(x, pos)
