"""The pages that show one inspector: what each sent last, and which is forgotten when they become too many."""

from __future__ import annotations

import math

from .flow import Flow
from .messages import Ack, Click, Gone, Hover, MessageError, PageViewport, Ready, Set

__all__ = ["ANY_VIEWPORT", "OutdatedMessage", "Page", "Pages"]

# Pages that one inspector remembers: windows, tabs and reloads of a notebook; the one silent for longest goes first.
MAX_PAGES = 16
# What a page says without waiting for an answer to it.
UNANSWERED = (Ready, Gone, PageViewport, Ack, Hover, Click)
# Of a page that has not spoken nothing is known but that it will be looked at: what it gets is decided when it is drawn.
ANY_VIEWPORT = PageViewport(None, None, (0.0, 1.0, 0.0, 1.0), (1, 1), moving=False, visible=True)


class OutdatedMessage(MessageError):
    """A younger message said the same or better before this one was read, and the page waits for no answer."""


class Page:
    """One page: its flow of frames, and what it said last.

    Messages of a page may arrive on two threads, those that wait behind a running cell after younger ones. So each kind of
    message has an order of its own, and each control that is set has, too.

    Attributes
    ----------
    name : str
    flow : Flow
    seq : int
        The newest that was handled, -1 before the first.
    """

    def __init__(self, name, flow):
        self.name, self.flow = name, flow
        self.seq = -1
        self.heard_at = -math.inf
        self._newest = {}

    def accept(self, message):
        """Notes a message in its order, unless a younger one came before it.

        Returns
        -------
        Message
            The same; of a `Set` what no younger one has set.

        Raises
        ------
        MessageError
            An `OutdatedMessage` where nobody has to be told.
        """
        if isinstance(message, Set):
            message = self._accept_settings(message)
        else:
            self._advance(type(message), message)
        self.seq = max(self.seq, message.seq)
        return message

    def _advance(self, key, message):
        if message.seq <= self._newest.get(key, -1):
            kind = OutdatedMessage if isinstance(message, UNANSWERED) else MessageError
            raise kind(f"message {message.seq} comes after message {self._newest[key]} of its kind and is out of date")
        self._newest[key] = message.seq

    def _accept_settings(self, message):
        fresh = {name: value for name, value in message.values.items() if message.seq > self._newest.get(name, -1)}
        if not fresh:
            raise OutdatedMessage(f"message {message.seq} sets what a younger message has set already")
        self._newest.update(dict.fromkeys(fresh, message.seq))
        return Set(message.seq, message.page, fresh)


class Pages:
    """All pages of one inspector, the one that spoke last at the end.

    Parameters
    ----------
    make_flow : callable
        A new Flow.

    Attributes
    ----------
    expected : Page or None
        Stands for whichever page is being made, and all others, while none has spoken since the inspector was displayed:
        what they say may wait behind the running cell. It has no name.
    """

    def __init__(self, make_flow=Flow):
        self._make_flow = make_flow
        self._pages = {}
        self.expected = None

    def __iter__(self):
        return iter(list(self._pages.values()))

    def __len__(self):
        return len(self._pages)

    def __contains__(self, name):
        return name in self._pages

    def get(self, name, now):
        """The page of that name, which spoke now; a new one in the place of the one silent for longest."""
        self.expected = None
        page = self._pages.pop(name, None) or Page(name, self._make_flow())
        while len(self._pages) >= MAX_PAGES:
            self._pages.pop(next(iter(self._pages)))
        page.heard_at = now
        page.flow.hear(now)
        self._pages[name] = page
        return page

    def expect(self):
        """The inspector is displayed: one more page will speak."""
        if self.expected is None:
            self.expected = Page(None, self._make_flow())
            self.expected.flow.viewport = ANY_VIEWPORT

    @property
    def audience(self):
        """Whoever may get frames."""
        return list(self) if self.expected is None else [self.expected]

    def forget(self, name):
        """The page shows the inspector no longer."""
        self._pages.pop(name, None)

    def clear(self):
        """There is no page, and none is expected."""
        self.expected = None
        self._pages.clear()

    @property
    def seqs(self):
        """{page: newest seq handled}."""
        return {page.name: page.seq for page in self if page.seq >= 0}
