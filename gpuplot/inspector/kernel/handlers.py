"""The part of `Controller` that handles messages of pages: settings, viewports, the pointer, and questions about elements."""

from ...plane.chunks.looks import PANEL
from ..model.hover import NOTHING
from ..model.settings import check_window
from ..model.viewport import pixel_sides
from . import messages
from .messages import MessageError
from .pages import UNANSWERED


class Handlers:
    """Handlers of messages, called with the lock held."""

    def _handle(self, page, message):
        _HANDLERS[type(message)](self, page, message)

    def _ready(self, page, message):
        self._put_state()

    def _gone(self, page, message):
        self.pages.forget(page.name)
        self._forget_looks(page)
        self._clear_pointer(page)
        if not len(self.pages):
            self._on_views(True)

    def _viewport(self, page, message):
        for window in (message.window, message.shown):
            check_window(window)  # before it is stored, as every change draws it again
        page.flow.take(message, self._clock(), self.scene.n_tiles)
        if not message.visible:
            self._forget_looks(page)

    def _ack(self, page, message):
        page.flow.acknowledge(message.id, self._clock(), message.buffers)
        self._budget.rate = self._rate()

    def _set(self, page, message):
        values = dict(message.values)
        # A view is of the plane that the page shows, which does not know that of axes chosen in the same message.
        view = {"view": values.pop("view")} if len(values) > 1 and "view" in values else None
        self.scene.change(values, view)
        if "view" in message.values and page.flow.viewport is not None:
            self.scene.note_page_view(page.flow.viewport.size)
        self._note_change()
        self._put_state()

    def _limits(self, page, message):
        self.scene.set_limits(message.how, message.region, self.window(page))
        self._note_change()
        self._put_state()

    def _next(self, page, message):
        version = self.scene.version
        fields = self.scene.jump(message.step)
        if self.scene.version != version:
            self._note_change()
        self._put_state()
        self._answer("jump", page, message, fields)

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
        """Sets the cursor to None if it was set by this page."""
        if self._pointer_page == page.name:
            self._pointer_page = None
            self._events.put("cursor", None)

    def _note_raised(self, error):
        """Sends pages an exception that an observer raised."""
        with self._locked():
            self._post_error(None, None, error)
        self._send()

    def _replace_older(self, page, older, newer):
        """A question (or None) that a newer one has replaced gets the answer to that one if it is the same, else an error."""
        if older is not None and not isinstance(older, UNANSWERED):
            for seq in page.join(older, newer):
                self._post_error(seq, page.name, MessageError("a younger question took its place"), is_awaited=True)

    # ---- numbers and panels --------------------------------------------------------------------------------------------

    def _values(self, page, message):
        texts = self.scene.values(message.box, message.facet, message.room)
        self._answer("values", page, message, {"box": list(message.box), "facet": message.facet, "texts": texts})

    def _palettes(self, page, message):
        self._answer("palettes", page, message, {"palettes": self.scene.palettes()})

    def _panel(self, page, message):
        self._replace_older(page, self._query_budget.displace(page, message), message)
        if not self._query_budget.postpone(page, message, self._clock(), self.scene.is_slow):
            self._answer_panel(page, message)

    def _answer_panel(self, page, message):
        self._attempt(page, message, self._answer_panel_now, PANEL)

    def _answer_panel_now(self, page, message):
        began = self._clock()
        try:
            _PANELS[type(message)](self, page, message)
        except Exception as error:
            self._refuse(page, message, error)
        now = self._clock()
        self._query_budget.spend(now, now - began)

    def _histogram(self, page, message):
        histogram = self.scene.histogram(message.region, message.seen or self.window(page))
        self._answer("histogram", page, message, {"region": message.region} | histogram)

    def _stats(self, page, message):
        stats = self.scene.stats(message.region, message.seen or self.window(page))
        self._answer("stats", page, message, {"region": message.region} | stats)

    def _flags(self, page, message):
        self._answer("flags", page, message, self.scene.flags())

    def _search(self, page, message):
        found = self.scene.search()
        if found.pop("is_described_anew", False):
            self._put_state()
        self._answer("search", page, message, found)


_PANELS = {messages.Histogram: Handlers._histogram, messages.Stats: Handlers._stats, messages.Flags: Handlers._flags,
           messages.Search: Handlers._search}
_HANDLERS = {
    messages.Ready: Handlers._ready, messages.Gone: Handlers._gone, messages.PageViewport: Handlers._viewport,
    messages.Ack: Handlers._ack, messages.Set: Handlers._set, messages.Hover: Handlers._hover, messages.Click: Handlers._click,
    messages.Values: Handlers._values, messages.Histogram: Handlers._panel, messages.Stats: Handlers._panel,
    messages.Flags: Handlers._panel, messages.Search: Handlers._panel,
    messages.Palettes: Handlers._palettes, messages.Next: Handlers._next, messages.Limits: Handlers._limits,
}


def _pointer(page, message):
    """Arguments of `Scene.hover`: row, column, facet, and size and origin of the page's pixels in elements."""
    viewport = page.flow.viewport
    cell, origin = ((1.0, 1.0), None) if viewport is None else (pixel_sides(viewport.shown, viewport.size), viewport.shown[::2])
    return message.row, message.col, message.facet, cell, origin
