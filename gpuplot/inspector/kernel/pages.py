"""The pages of one inspector: the order of their messages, and which one is dropped when there are too many."""

import math
from dataclasses import replace

from .flow import Flow
from .messages import Ack, Click, Gone, Hover, Limits, MessageError, PageViewport, Ready, Set

# Most pages (windows, tabs, reloads) of an inspector; the one that has been silent for longest is dropped first.
MAX_PAGES = 16
# Most axes of a control, by number or name, whose messages are put in order one by one.
MAX_AXES = 256
# Most questions that one answer is sent to.
MAX_JOINED = 8
# Messages that need no answer.
UNANSWERED = (Ready, Gone, PageViewport, Ack, Hover, Click, Limits)
# Viewport of a page that has sent none yet; its frames have a default size.
ANY_VIEWPORT = PageViewport(None, None, (0.0, 1.0, 0.0, 1.0), (1, 1), moving=False, visible=True)


class OutdatedMessage(MessageError):
    """A newer message of the same kind came first, and this one needs no answer."""


class Page:
    """One page: its flow of frames, and its newest message of each kind.

    Messages may arrive on two threads, those that waited for a running cell after newer ones. So the order is checked for each
    kind of message, and for each control, of each axis, that is set.

    Attributes
    ----------
    name : str
    flow : Flow
    seq : int
        Of the newest message, -1 before the first.
    """

    def __init__(self, name, flow):
        self.name, self.flow = name, flow
        self.seq = -1
        self.heard_at = -math.inf
        self._newest, self._newest_axes, self._joined = {}, {}, {}

    def accept(self, message):
        """Returns the message; a `Set` without the controls that newer ones have set.

        Raises
        ------
        MessageError
            A newer one of its kind came first; `OutdatedMessage` if it needs no answer.
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
        fresh = {}
        for name, value in message.values.items():
            if message.seq > self._newest.get(name, -1):
                if isinstance(value, dict):
                    value = self._accept_axes(name, value, message.seq)
                else:
                    self._newest[name] = message.seq
                if value != {}:
                    fresh[name] = value
        if not fresh:
            raise OutdatedMessage(f"message {message.seq} sets what a newer message has set already")
        return Set(message.seq, message.page, fresh)

    def _accept_axes(self, name, values, seq):
        """The values of axes, each of which is a control of its own, that no newer message has set."""
        newest = self._newest_axes.setdefault(name, {})
        fresh = {axis: value for axis, value in values.items() if seq > newest.get(axis, -1)}
        newest.update(dict.fromkeys(fresh, seq))
        if len(newest) > MAX_AXES:
            self._newest[name] = max(newest.values())
            newest.clear()
        return fresh

    def join(self, older, newer):
        """Has the answer to a question sent to an older one, too, if they ask the same; returns the numbers of those that get none."""
        seqs = self.take_seqs(older)
        if replace(older, seq=newer.seq) != newer:
            return seqs
        seqs = *seqs, newer.seq
        self._joined[newer.seq] = seqs[-MAX_JOINED:]
        return seqs[:-MAX_JOINED]

    def seqs_of(self, message):
        """Its number, and those of older questions that it was joined with."""
        return self._joined.get(message.seq, (message.seq,))

    def take_seqs(self, message):
        """Returns and forgets the numbers of `seqs_of`."""
        return self._joined.pop(message.seq, (message.seq,))


class Pages:
    """All pages, the one that sent the last message at the end.

    Parameters
    ----------
    make_flow : callable
        A new Flow.

    Attributes
    ----------
    expected : Page or None
        A page without a name that stands for all pages, from the display of the inspector until a page sends a message, which
        may wait for the running cell.
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
        """The page of that name, made if it is new; it becomes the last one in the order."""
        self.expected = None
        page = self._pages.pop(name, None) or Page(name, self._make_flow())
        while len(self._pages) >= MAX_PAGES:
            self._pages.pop(next(iter(self._pages)))
        page.heard_at = now
        page.flow.hear(now)
        self._pages[name] = page
        return page

    def expect(self):
        """Called when the inspector is displayed: sets `expected`."""
        if self.expected is None:
            self.expected = Page(None, self._make_flow())
            self.expected.flow.viewport = ANY_VIEWPORT

    @property
    def audience(self):
        """The pages that get frames."""
        return list(self) if self.expected is None else [self.expected]

    def forget(self, name):
        """Removes a page."""
        self._pages.pop(name, None)

    def clear(self):
        """Removes all pages."""
        self.expected = None
        self._pages.clear()

    @property
    def seqs(self):
        """``{name: newest seq}``."""
        return {page.name: page.seq for page in self if page.seq >= 0}
