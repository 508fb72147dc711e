"""Ticks of axes that become ones of dates by our calls: matplotlib's short texts, no more of them than have room."""

from contextlib import contextmanager

import matplotlib as mpl
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

# With fewer ticks at most, some ranges would have one tick, or none.
LEAST = 5


class RoomyDateLocator(AutoDateLocator):
    """matplotlib's places for dates, of which a short axis has fewer: its own locator has up to a dozen in the smallest subplot."""

    def __init__(self, locator):
        super().__init__(tz=locator.tz, interval_multiples=locator.interval_multiples)
        self._most, self._usual = dict(self.maxticks), self.minticks

    def get_locator(self, dmin, dmax):
        """See `AutoDateLocator.get_locator`."""
        n = self.axis.get_tick_space() + 1
        self.maxticks = {unit: max(LEAST, min(n, most)) for unit, most in self._most.items()}
        # The largest unit with so many places is taken, else half of it, as 12 hours: these are `maxticks` at most.
        self.minticks = min(self._usual, (max(LEAST, n) - 1) // 2)
        return super().get_locator(dmin, dmax)


@contextmanager
def short_dates(axis):
    """An axis that becomes one of dates meanwhile has short texts at its ticks: long ones overlap, unless the user chose them."""
    had_dates = isinstance(axis.get_major_locator(), AutoDateLocator)
    converter = mpl.rcParams["date.converter"]
    with mpl.rc_context({"date.converter": "concise" if converter == "auto" else converter}):
        yield
    locator = axis.get_major_locator()
    if type(locator) is AutoDateLocator and axis.isDefault_majloc and not had_dates:
        _set_defaults(axis, RoomyDateLocator(locator))


def _set_defaults(axis, locator):
    """Gives an axis these places and short texts in place of matplotlib's defaults; as these, they yield to those of new units."""
    axis.set_major_locator(locator)
    axis.isDefault_majloc = True
    if axis.isDefault_majfmt:
        axis.set_major_formatter(ConciseDateFormatter(locator))
        axis.isDefault_majfmt = True
