"""Controller: the kernel's side of an inspector, between its pages, its scene, and a loop that calls `update`."""

import threading
import time
from functools import partial

from ...notices import warn
from ...plane.chunks.looks import KNOWN_ONLY
from ..model.scene import closed_error
from .background import BackgroundLooks
from .error_limit import ErrorRateLimiter, text_of
from .flow import BINARY_RATE, TEXT_RATE, Budget, Flow
from .handlers import Handlers
from .interrupts import uninterrupted
from .messages import address_of, parse
from .outbox import Outbox
from .pages import UNANSWERED, OutdatedMessage, Pages
from .query_budget import QueryBudget
from .transactions import Transactions


class Controller(Transactions, Handlers, BackgroundLooks):
    """The kernel's side of one inspector.

    One lock guards the scene and the pages. Messages are collected while it is held and sent, in order, after it is released.
    `update` never waits for it: where another thread holds it, that thread applies the tensor before it returns.

    Attributes
    ----------
    has_unsynced_update : bool
        Whether `update` was called since traits were last read from the scene; its tensor may still be queued.

    Parameters
    ----------
    scene : Scene
    host : Host
    send : callable
        Sends one message of the widget protocol: a dict, and a list of buffers or None.
    fixed : dict
        Constant fields of the state.
    max_buffered_frames : int
    throttle : float
        Seconds.
    on_change : callable, optional
        Called without the lock after the scene changed.
    on_views : callable, optional
        ``on_views(is_gone)``: called with False for each new page, with True when the last one is gone.
    on_event : callable, optional
        Called without the lock: ``("cursor", Cursor or None)``, ``("click", Cursor)``.
    clock : callable, optional
        Monotonic seconds.
    """

    def __init__(self, scene, host, send, *, fixed=None, max_buffered_frames=2, throttle=0.033, on_change=lambda: None,
                 on_views=lambda is_gone: None, on_event=lambda kind, cursor: None, clock=time.monotonic):
        self.scene, self.host = scene, host
        self.pages = Pages(lambda: Flow(max_buffered_frames, throttle, host.is_text))
        self.is_closed = False
        self._fixed = dict(fixed or {})
        self._on_change, self._on_views, self._clock = on_change, on_views, clock
        self._lock, self._depth = threading.RLock(), 0
        self._outbox = Outbox(send, self._note_unsent)
        self._events, self._pointer_page = Outbox(on_event, self._note_raised), None
        self._pending, self._pending_lock = {}, threading.Lock()
        self.has_unsynced_update = self._is_changed = False
        self._state_version = None
        self._last_frame = 0
        self._budget = Budget(self._rate())
        self._query_budget = QueryBudget()
        self._error_limiter = ErrorRateLimiter(clock())
        self._warned = set()
        self._timer, self._must_schedule = None, False
        self._prepare_looks()

    # ---- from Python ---------------------------------------------------------------------------------------------------

    def state(self):
        """The state of the front end's README, as JSON."""
        with self._locked(), KNOWN_ONLY.attempt():
            return self._fixed | self.scene.state() | {"seq": self.pages.seqs}

    def ask(self, question, is_sync=False, seconds=None):
        """Returns ``question(scene)``, called under the lock after the queued changes; `is_sync`: whether it reads all traits.

        If it needs chunks, they are waited for without the lock and it is called again; None after `seconds`.
        """
        return self._waiting(lambda: self._ask(question, is_sync), seconds)

    def _ask(self, question, is_sync):
        with self._locked():
            self.check_open()
            if is_sync:
                self.has_unsynced_update = False
            if self._pending and self._depth == 1:  # deeper, the scene is in the middle of a change
                self._apply_pending_of_others()
                self._draw_due()
                self._must_schedule = True
            return question(self.scene)

    def change(self, values):
        """Calls `Scene.change` and sends the new state to pages."""
        with self._transaction():
            self.check_open()
            self.scene.change(values)
            self._note_change()
            self._put_state()

    @uninterrupted()
    def update(self, X, name=None):
        """Shows another tensor, drawn at once if the budget of the caller's loop allows it; never waits.

        Raises for objects that are not tensors and for unknown names; other errors become warnings, so that the loop goes on.
        """
        self.check_open()
        self._query_budget.note_update(self._clock())
        self._apply_or_queue(name, partial(self.scene.update, X, name))

    @uninterrupted()
    def relist(self, forms, item):
        """Calls `Scene.relist`, or queues it: never waits."""
        if not self.is_closed:
            self._apply_or_queue((self.relist,), partial(self.scene.relist, forms, item))

    @uninterrupted()
    def share(self, others):
        """Calls `Scene.share`, or queues it: never waits, as the loop of a linked inspector may call this."""
        if not self.is_closed:
            self._apply_or_queue((self.share,), partial(self.scene.share, others))

    def close(self):
        """Tells pages and releases the scene; may be called twice."""
        with self._locked():
            if self.is_closed:
                return
            self.is_closed = True
            self._pending.clear()
            self.pages.clear()
            self._query_budget.clear()
            self._cancel_timer()
            self._close_looks()
            self.scene.close()
            self._post({"k": "closed"})
            self._events.put("cursor", None)
        self._send()
        self._events.drain()

    def expect_page(self):
        """Called when the inspector is displayed: changes are drawn for any page until one sends a message."""
        with self._locked():
            self.pages.expect()
            self._budget.rate = self._rate()

    def window(self, page):
        """The window of a page; the whole plane before its first viewport."""
        if page.flow.viewport is not None:
            return page.flow.viewport.shown
        rows, cols = self.scene.state()["plane"]
        return (0.0, float(rows), 0.0, float(cols))

    def last_viewport(self):
        """The viewport of the page that spoke last, or None."""
        with self._locked():
            return next((page.flow.viewport for page in reversed(list(self.pages)) if page.flow.viewport is not None), None)

    def check_open(self):
        """RuntimeError if the inspector was closed."""
        if self.is_closed:
            raise closed_error()

    @property
    def is_seen(self):
        """Whether a page shows the inspector, or is about to. Takes no lock, as loops call it."""
        return any(page.flow.is_seen for page in self.pages.audience)

    # ---- from pages ----------------------------------------------------------------------------------------------------

    def receive(self, content):
        """Handles a message of a page, on any thread; raises nothing."""
        if self.is_closed:
            return
        self.host.note_handler()
        with self._transaction():
            try:
                self.check_open()  # it may have been closed while this waited for the lock
                message = parse(content)
                page = self._page_of(message)
                self._attempt(page, page.accept(message), self._handle)
            except OutdatedMessage:
                pass
            except Exception as error:
                self._post_error(*address_of(content), error)

    def _page_of(self, message):
        is_new, before = message.page not in self.pages, list(self.pages)
        page = self.pages.get(message.page, self._clock())
        self._take_over_look(page)
        for dropped in (other for other in before if other.name not in self.pages):
            self._forget_looks(dropped)
            self._clear_pointer(dropped)
        self._budget.rate = self._rate()
        if is_new:
            self._on_views(False)
        return page

    def _rate(self):
        """The Rate of `update`: the lower one if buffers travel as text, or no page has said how they travel."""
        is_text = self.host.is_text or any(page.flow.is_text for page in self.pages)
        return TEXT_RATE if is_text or self.pages.expected is not None else BINARY_RATE

    def refuse(self, error):
        """Sends an error for data on the comm that is not a message of a page."""
        with self._transaction():
            self._post_error(None, None, error)

    # ---- to pages ------------------------------------------------------------------------------------------------------

    def _answer(self, kind, page, message, fields):
        """Answers a message, and those that it has replaced and that asked the same."""
        for seq in page.take_seqs(message):
            self._post(fields | {"k": kind, "seq": seq, "page": page.name})

    def _post_later(self, page, message):
        """Tells a page that the answer comes when it is known, however long that takes."""
        for seq in page.seqs_of(message):
            self._post({"k": "later", "seq": seq, "page": page.name})

    def _refuse(self, page, message, error):
        """Answers a message, and those that it has replaced and that asked the same, with an error."""
        for seq in page.take_seqs(message):
            self._post_error(seq, page.name, error, is_awaited=not isinstance(message, UNANSWERED))

    def _put_state(self):
        self._state_version = self.scene.version
        self._post({"k": "state", "state": self.state()})

    def _post_error(self, seq, page, error, is_awaited=False):
        """Sends a page an error, as often as `ErrorRateLimiter` allows, or always if the page waits for an answer."""
        if is_awaited or self._error_limiter.take(self._clock()):
            self._post({"k": "error", "seq": seq, "page": page, "text": text_of(error)})

    def put(self, message, buffers=None):
        """Sends a message of the widget protocol after those in the outbox."""
        self._outbox.put(message, buffers)
        self._send()

    def _post(self, content, buffers=None):
        """Puts a custom message into the outbox."""
        self._outbox.put({"method": "custom", "content": content}, buffers)

    def _send(self):
        if self._outbox:
            self.host.send(self._outbox.drain)

    def _note_unsent(self, error):
        self._warn("send", f"the notebook does not take the inspector's messages: {text_of(error)}")

    def _warn(self, about, text):
        """Warns once for each subject."""
        if about not in self._warned:
            self._warned.add(about)
            warn(text)
