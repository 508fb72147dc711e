"""Ticks of colorbars that are evenly spread over the colors, from zero on, at numbers with few digits; scales that have such ticks."""

import math

import numpy as np
from matplotlib import scale as mscale
from matplotlib.ticker import FuncFormatter, Locator, NullLocator

# Most ticks, as in matplotlib; and the part of their distance by which a tick may move to a number with fewer digits.
MAX_TICKS = 9
SLACK = 0.3

# Numbers with more characters are written with an exponent.
LONGEST_TEXT = 7

# Digits that distinguish any two float64, and the exponent of the smallest power of ten in float64.
MAX_DIGITS = 17
MIN_POWER = -323


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


class AsinhScale(mscale.AsinhScale):
    """matplotlib's scale, whose ticks, all powers of ten, would overlap around zero, where the scale is linear."""

    def set_default_locators_and_formatters(self, axis):
        """Called by matplotlib when an axis gets this scale."""
        transform = self.get_transform()
        axis.set(major_locator=EvenLocator(transform.transform, transform.inverted().transform), minor_locator=NullLocator(),
                 major_formatter=FuncFormatter(tick_text))


class CbrtScale(mscale.FuncScale):
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
        axis.set_major_locator(EvenLocator(np.cbrt, _cubed))
        axis.set_major_formatter(FuncFormatter(tick_text))


def _cubed(roots):
    return roots**3


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
    if len(text) > LONGEST_TEXT or "e" in text:  # "5e-05" becomes "5e-5"
        text = min(text, np.format_float_scientific(float(text), trim="-", exp_digits=1).replace("e+", "e"), key=len)
    return text.replace("-", "\N{MINUS SIGN}")
