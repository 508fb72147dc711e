"""The scale of a colorbar with an `EqHistNorm`: its ticks are evenly spread over the colors, at numbers with few digits."""

import math

import numpy as np
from matplotlib.scale import FuncScale
from matplotlib.ticker import AutoLocator, FuncFormatter, Locator

# Most ticks, as in matplotlib; and the part of their distance by which a tick may move to a number with fewer digits.
MAX_TICKS = 9
SLACK = 0.3

# Numbers with more characters are written with an exponent.
LONGEST_TEXT = 7

# Digits that distinguish any two float64, and the exponent of the smallest power of ten in float64.
MAX_DIGITS = 17
MIN_POWER = -323


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


def shortest(low, value, high):
    """The number with the fewest digits from `low` to `high`; of several the nearest to `value`."""
    size = max(abs(low), abs(high))
    exponent = math.floor(math.log10(size)) if size > 0 else 0
    for power in range(exponent, max(exponent - MAX_DIGITS, MIN_POWER) - 1, -1):
        unit = 10.0**power
        number = float(f"{min(max(round(value / unit), math.ceil(low / unit)), math.floor(high / unit))}e{power}")
        if low <= number <= high:
            return number
    return value


def tick_text(value, position):
    """The text of a tick, with an exponent where that is shorter than many digits."""
    text = f"{value:.12g}"
    if len(text) > LONGEST_TEXT:
        text = min(text, np.format_float_scientific(value, trim="-", exp_digits=1).replace("e+", "e"), key=len)
    return text.replace("-", "\N{MINUS SIGN}")
