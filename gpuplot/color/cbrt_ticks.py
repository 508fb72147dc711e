"""The scale of a colorbar with a `CbrtNorm`: its ticks are evenly spread over the colors, from zero on, at numbers with few digits."""

import numpy as np
from matplotlib.scale import FuncScale
from matplotlib.ticker import FuncFormatter

from .even_ticks import EvenLocator
from .rank_ticks import tick_text


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
        axis.set_major_locator(EvenLocator(np.cbrt, _cubed))
        axis.set_major_formatter(FuncFormatter(tick_text))


def _cubed(roots):
    return roots**3
