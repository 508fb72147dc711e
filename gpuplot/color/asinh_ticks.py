"""The scale of a colorbar with ``norm="asinh"``: its ticks are evenly spread over the colors, from zero on."""

from matplotlib import scale as mscale
from matplotlib.ticker import FuncFormatter, NullLocator

from .even_ticks import EvenLocator
from .rank_ticks import tick_text


class AsinhScale(mscale.AsinhScale):
    """matplotlib's scale, whose ticks, all powers of ten, would overlap around zero, where the scale is linear."""

    def set_default_locators_and_formatters(self, axis):
        """Called by matplotlib when an axis gets this scale."""
        transform = self.get_transform()
        axis.set(major_locator=EvenLocator(transform.transform, transform.inverted().transform), minor_locator=NullLocator(),
                 major_formatter=FuncFormatter(tick_text))
