"""The part of an inspector's controller that answers what pages ask about elements, and tells Python where the pointer is."""

from __future__ import annotations

from ..model.hover import NOTHING
from . import messages
from .messages import MessageError

__all__ = ["PageAnswers"]


class PageAnswers:
    """Handlers of questions, each called with the lock; they are methods of `Controller`."""

    # ---- the pointer ---------------------------------------------------------------------------------------------------

    def _hover(self, page, message):
        if message.row is None:
            self._answer("hover", page, message, NOTHING)
            self._leave_pointer(page)
            return
        place = _place(page, message)
        self._answer("hover", page, message, self.scene.hover(*place))
        self._pointed_by = page.name
        self._events.put("cursor", self.scene.cursor(*place))

    def _click(self, page, message):
        cursor = self.scene.cursor(*_place(page, message))
        if cursor is not None:
            self._events.put("click", cursor)

    def _leave_pointer(self, page):
        """The pointer is over no element any more, where it was on this page."""
        if self._pointed_by == page.name:
            self._pointed_by = None
            self._events.put("cursor", None)

    def _note_raised(self, error):
        """What an observer raised is told to pages, as they are told of all that goes wrong."""
        with self._locked():
            self._refuse(None, None, error)
        self._send()

    # ---- numbers and panels --------------------------------------------------------------------------------------------

    def _values(self, page, message):
        texts = self.scene.values(message.box, message.facet)
        self._answer("values", page, message, {"box": list(message.box), "facet": message.facet, "texts": texts})

    def _palettes(self, page, message):
        self._answer("palettes", page, message, {"palettes": self.scene.palettes()})

    def _panel(self, page, message):
        older = self._query_budget.displace(page, message)
        if older is not None:
            self._refuse(older.seq, page.name, MessageError("a younger question took its place"))
        if not self._query_budget.postpone(page, message, self._clock()):
            self._answer_panel(page, message)

    def _answer_panel(self, page, message):
        began = self._clock()
        try:
            _PANELS[type(message)](self, page, message)
        except Exception as error:
            self._refuse(message.seq, page.name, error)
        now = self._clock()
        self._query_budget.spend(now, now - began)

    def _histogram(self, page, message):
        found = self.scene.histogram(message.region, self.window(page))
        self._answer("histogram", page, message, {"region": message.region} | found)

    def _stats(self, page, message):
        found = self.scene.stats(message.region, self.window(page))
        self._answer("stats", page, message, {"region": message.region} | found)

    def _flags(self, page, message):
        self._answer("flags", page, message, self.scene.flags())


    def _search(self, page, message):
        self._answer("search", page, message, self.scene.search())


_PANELS = {messages.Histogram: PageAnswers._histogram, messages.Stats: PageAnswers._stats, messages.Flags: PageAnswers._flags,
           messages.Search: PageAnswers._search}


def _place(page, message):
    """Row, column and facet of a pointer, and the pixels of its page: what one of them is in elements, and where one begins."""
    viewport = page.flow.viewport
    cell, origin = ((1.0, 1.0), None) if viewport is None else (viewport.pixel, viewport.window[::2])
    return message.row, message.col, message.facet, cell, origin
