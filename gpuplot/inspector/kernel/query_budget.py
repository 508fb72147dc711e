"""Questions that read every element, histogram and statistics: beside a loop they wait until that has been paid for."""

from __future__ import annotations

import math

from .flow import PANEL_RATE, Budget

__all__ = ["QueryBudget"]

# For so long after an `update` another one is expected; so long at most an answer is put off then.
LOOPING, MAX_PUT_OFF = 1.0, 3.0


class QueryBudget:
    """Which of them are answered at once, and which ones wait: of each page, kind and region the youngest."""

    def __init__(self):
        self._budget = Budget(PANEL_RATE)
        self._waiting = {}
        self._updated_at = -math.inf

    def note_update(self, now):
        """A loop gave another tensor."""
        self._updated_at = now

    def displace(self, page, message):
        """The older message whose place this one takes, or None."""
        *_, older = self._waiting.pop((page.name, type(message), message.region), (None,))
        return older

    def postpone(self, page, message, now):
        """Whether it has to wait; it is kept then."""
        if now - self._updated_at >= LOOPING or self._budget.allows(now):
            return False
        self._waiting[page.name, type(message), message.region] = min(self._budget.due, now + MAX_PUT_OFF), page, message
        return True

    def spend(self, now, seconds):
        """An answer took so long."""
        self._budget.spend(now, 0, seconds)

    def next(self, now, pages):
        """(page, message) of one whose time has come, or None; those of pages that have gone are forgotten."""
        for key, (due, page, message) in list(self._waiting.items()):
            if due <= now or page.name not in pages:
                del self._waiting[key]
                if page.name in pages:
                    return page, message
        return None

    def due(self):
        """When the ones that wait may be answered."""
        return [due for due, _, _ in self._waiting.values()]

    def clear(self):
        """Nobody asks any more."""
        self._waiting.clear()
