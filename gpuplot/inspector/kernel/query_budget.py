"""Postpones answers that read every element, such as histograms, while a loop calls `update`."""

import math

from .flow import PANEL_RATE, Budget

# Seconds after an `update` for which a loop is assumed; and the longest delay of an answer.
LOOPING, MAX_DELAY = 1.0, 3.0

# Seconds by which questions about a slow array wait, so that the page's picture comes first.
PICTURE_FIRST = 0.2


class QueryBudget:
    """Decides which questions are answered at once; the newest of each page, kind and region waits otherwise."""

    def __init__(self):
        self._budget = Budget(PANEL_RATE)
        self._waiting = {}
        self._updated_at = -math.inf

    def note_update(self, now):
        """Notes a call of `update`."""
        self._updated_at = now

    def displace(self, page, message):
        """Removes and returns a waiting message of the same kind and region, or None."""
        *_, older = self._waiting.pop((page.name, type(message), message.region), (None,))
        return older

    def postpone(self, page, message, now, is_slow=False):
        """Queues a message that has to wait; returns whether it has to. `is_slow`: whether elements are read from chunks."""
        if is_slow:
            self._waiting[page.name, type(message), message.region] = now + PICTURE_FIRST, page, message
            return True
        if now - self._updated_at >= LOOPING or self._budget.allows(now):
            return False
        self._waiting[page.name, type(message), message.region] = min(self._budget.due, now + MAX_DELAY), page, message
        return True

    def spend(self, now, seconds):
        """Notes the seconds of an answer."""
        self._budget.spend(now, 0, seconds)

    def next(self, now, pages):
        """(page, message) of one that is due, or None; those of removed pages are dropped."""
        for key, (due, page, message) in list(self._waiting.items()):
            if due <= now or page.name not in pages:
                del self._waiting[key]
                if page.name in pages:
                    return page, message
        return None

    def due(self):
        """The times at which waiting messages are due."""
        return [due for due, _, _ in self._waiting.values()]

    def clear(self):
        """Drops all waiting messages."""
        self._waiting.clear()
