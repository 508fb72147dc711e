"""The part of `Controller` that answers questions of pages about elements, and reports the pointer to Python."""

from ...plane.looks import PANEL
from ..model.hover import NOTHING
from . import messages
from .messages import MessageError
from .pages import UNANSWERED


class PageAnswers:
    """Handlers of messages, called with the lock held."""

    # ---- the pointer ---------------------------------------------------------------------------------------------------

    def _hover(self, page, message):
        if message.row is None:
            self._answer("hover", page, message, NOTHING)
            self._clear_pointer(page)
            return
        pointer = _pointer(page, message)
        found, cursor = self.scene.hover(*pointer), self.scene.cursor(*pointer)
        self._answer("hover", page, message, found)
        self._pointer_page = page.name
        self._events.put("cursor", cursor)

    def _click(self, page, message):
        cursor = self.scene.cursor(*_pointer(page, message))
        if cursor is not None:
            self._events.put("click", cursor)

    def _clear_pointer(self, page):
        """Sets the cursor to None where it was this page's."""
        if self._pointer_page == page.name:
            self._pointer_page = None
            self._events.put("cursor", None)

    def _note_raised(self, error):
        """Sends pages what an observer raised."""
        with self._locked():
            self._post_error(None, None, error)
        self._send()

    def _refuse_older(self, page, older):
        """Answers a question, None for none, whose place another one has taken."""
        if older is not None and not isinstance(older, UNANSWERED):
            self._post_error(older.seq, page.name, MessageError("a younger question took its place"))

    # ---- numbers and panels --------------------------------------------------------------------------------------------

    def _values(self, page, message):
        texts = self.scene.values(message.box, message.facet)
        self._answer("values", page, message, {"box": list(message.box), "facet": message.facet, "texts": texts})

    def _palettes(self, page, message):
        self._answer("palettes", page, message, {"palettes": self.scene.palettes()})

    def _panel(self, page, message):
        self._refuse_older(page, self._query_budget.displace(page, message))
        if not self._query_budget.postpone(page, message, self._clock(), self.scene.is_slow):
            self._answer_panel(page, message)

    def _answer_panel(self, page, message):
        self._attempt(page, message, self._answer_panel_now, PANEL)

    def _answer_panel_now(self, page, message):
        began = self._clock()
        try:
            _PANELS[type(message)](self, page, message)
        except Exception as error:
            self._post_error(message.seq, page.name, error)
        now = self._clock()
        self._query_budget.spend(now, now - began)

    def _histogram(self, page, message):
        histogram = self.scene.histogram(message.region, self.window(page))
        self._answer("histogram", page, message, {"region": message.region} | histogram)

    def _stats(self, page, message):
        stats = self.scene.stats(message.region, self.window(page))
        self._answer("stats", page, message, {"region": message.region} | stats)

    def _flags(self, page, message):
        self._answer("flags", page, message, self.scene.flags())

    def _search(self, page, message):
        found = self.scene.search()
        if found.pop("is_described_anew", False):
            self._put_state()
        self._answer("search", page, message, found)


_PANELS = {messages.Histogram: PageAnswers._histogram, messages.Stats: PageAnswers._stats, messages.Flags: PageAnswers._flags,
           messages.Search: PageAnswers._search}


def _pointer(page, message):
    """Arguments of `Scene.hover`: row, column, facet, and size and origin of the page's pixels in elements."""
    viewport = page.flow.viewport
    cell, origin = ((1.0, 1.0), None) if viewport is None else (viewport.pixel, viewport.window[::2])
    return message.row, message.col, message.facet, cell, origin
