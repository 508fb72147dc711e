"""One inspector without its widget: answers pages, draws what they may have, and takes tensors from a running loop."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from functools import partial

from ...notices import warn
from ..model.settings import check_window
from . import messages
from .answers import PageAnswers
from .error_limit import ErrorRateLimiter, text_of
from .flow import BINARY_RATE, TEXT_RATE, Budget, Flow
from .frame_messages import draw_message
from .interrupts import uninterrupted
from .messages import address_of, parse
from .outbox import Outbox
from .pages import OutdatedMessage, Pages
from .query_budget import QueryBudget

__all__ = ["Controller"]

# The least time between two looks at what is due, so that no error makes a timer spin.
MIN_WAIT = 0.005


class Controller(PageAnswers):
    """The kernel's side of one inspector.

    One lock guards the scene and the pages. Messages are collected under it and sent after it, in order. `update` never
    waits for it: it leaves the tensor, and the timer, to whoever has the lock and looks for both when it lets go.

    Attributes
    ----------
    is_ahead : bool
        The scene was changed by `update` and nobody has asked since what it shows.

    Parameters
    ----------
    scene : Scene
    host : Host
    send : callable
        Sends one message of the widget protocol: a dict, and a list of buffers or None.
    fixed : dict
        Fields of the state that never change.
    max_buffered_frames : int
    throttle : float
        Seconds.
    on_change : callable, optional
        Called without the lock after the scene changed.
    on_views : callable, optional
        Called with False when a page shows itself for the first time, with True when the last one has gone.
    on_event : callable, optional
        Called without the lock with what the pointer does: ``("cursor", Cursor or None)``, ``("click", Cursor)``.
    clock : callable, optional
        Seconds that never go back.
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
        self._events, self._pointed_by = Outbox(on_event, self._note_raised), None
        self._pending, self._pending_lock = {}, threading.Lock()
        self.has_unsynced_update = self._is_changed = False
        self._state_version = None
        self._last_frame = 0
        self._budget = Budget(self._rate())
        self._query_budget = QueryBudget()
        self._error_limiter = ErrorRateLimiter(clock())
        self._warned = set()
        self._timer, self._is_to_arm = None, False

    # ---- from Python ---------------------------------------------------------------------------------------------------

    def state(self):
        """What a page needs to know, as JSON."""
        with self._locked():
            return self._fixed | self.scene.state() | {"seq": self.pages.seqs}

    def ask(self, question, is_sync=False):
        """What a function of the scene returns, under the lock; `is_catching_up` where it says all that has changed."""
        with self._locked():
            self.check_open()
            if is_sync:
                self.has_unsynced_update = False
            return question(self.scene)

    def change(self, values):
        """Changes fields of the state as `Scene.change`, which raises before anything is changed."""
        with self._transaction():
            self.check_open()
            self.scene.change(values)
            self._changed()
            self._put_state()

    @uninterrupted()
    def update(self, X, name=None):
        """Shows another tensor as soon as that costs the caller's loop no more than its budget; never waits.

        A tensor or a name that makes no sense raises; whatever else goes wrong is a warning, and the loop goes on.
        """
        self.check_open()
        self._query_budget.note_update(self._clock())
        self._leave_change(name, partial(self.scene.update, X, name))

    @uninterrupted()
    def share(self, others):
        """Takes the ranges of linked inspectors as `update` takes a tensor: the loop of another one may be what they come from."""
        if not self.is_closed:
            self._leave_change((self.share,), partial(self.scene.share, others))

    def _leave_change(self, key, change):
        """Changes the scene now, or leaves that to whoever has the lock; only the youngest change of a key is made."""
        with self._pending_lock:
            replaced = self._pending.pop(key, None)  # the youngest comes last: a name and None may be one tensor
            self._pending[key] = change
        del replaced  # without the lock: what runs when a tensor goes may call `update`, too
        if not self._lock.acquire(blocking=False):
            return  # whoever has the lock looks for it afterwards
        try:
            self._depth += 1
            self.check_open()
            self._take_pending()
            self._pump(is_loop=True)
        except Exception as error:
            if self.is_closed or isinstance(error, (TypeError, ValueError, LookupError)):
                raise
            self._warn_of_update(error)  # of the tensor's library, of the driver
        finally:
            self._let_go()

    def close(self):
        """Tells the pages and lets everything go; idempotent."""
        with self._locked():
            if self.is_closed:
                return
            self.is_closed = True
            self._pending.clear()
            self.pages.clear()
            self._query_budget.clear()
            self._cancel_timer()
            self.scene.close()
            self._say({"k": "closed"})
            self._events.put("cursor", None)
        self._send()
        self._events.drain()

    def expect_page(self):
        """The inspector is displayed: until a page speaks, what changes is drawn for whichever it will be."""
        with self._locked():
            self.pages.expect()
            self._budget.rate = self._rate()

    def window(self, page):
        """What a page shows; the whole plane where it has not looked."""
        if page.flow.viewport is not None:
            return page.flow.viewport.window
        rows, cols = self.scene.state()["plane"]
        return (0.0, float(rows), 0.0, float(cols))

    def last_viewport(self):
        """What the page shows that looked last, or None."""
        with self._locked():
            return next((page.flow.viewport for page in reversed(list(self.pages)) if page.flow.viewport is not None), None)

    def check_open(self):
        """RuntimeError where the inspector was closed."""
        if self.is_closed:
            raise RuntimeError("this inspector was closed and has let its tensor go: call gpuplot.inspect again")

    # ---- from pages ----------------------------------------------------------------------------------------------------

    def receive(self, content):
        """Handles whatever a page sent, on whichever thread; raises nothing."""
        if self.is_closed:
            return
        self.host.note_handler()
        with self._transaction():
            try:
                self.check_open()  # again: it may have been closed while this waited for the lock
                message = parse(content)
                page = self._page_of(message)
                self._handle(page, page.accept(message))
            except OutdatedMessage:
                pass
            except Exception as error:
                self._refuse(*address_of(content), error)

    def _page_of(self, message):
        is_new = message.page not in self.pages
        page = self.pages.get(message.page, self._clock())
        self._budget.rate = self._rate()
        if is_new:
            self._on_views(False)
        return page

    def _rate(self):
        """What `update` may cost: less where buffers are known to travel as text, or nobody has said how they do."""
        is_text = self.host.is_text or any(page.flow.is_text for page in self.pages)
        return TEXT_RATE if is_text or self.pages.expected is not None else BINARY_RATE

    def refuse(self, error):
        """Answers something on the channel that was no message of a page at all."""
        with self._transaction():
            self._refuse(None, None, error)

    def _handle(self, page, message):
        _HANDLERS[type(message)](self, page, message)

    def _ready(self, page, message):
        self._put_state()

    def _gone(self, page, message):
        self.pages.forget(page.name)
        self._leave_pointer(page)
        if not len(self.pages):
            self._on_views(True)

    def _viewport(self, page, message):
        check_window(message.window)  # here, where it can be refused: what was taken is drawn at every change
        page.flow.take(message, self._clock())

    def _ack(self, page, message):
        page.flow.acknowledge(message.id, self._clock(), message.buffers)
        self._budget.rate = self._rate()

    def _set(self, page, message):
        self.scene.change(message.values)
        if "view" in message.values and page.flow.viewport is not None:
            self.scene.note_page_view(page.flow.viewport.size)
        self._changed()
        self._put_state()

    def _limits(self, page, message):
        self.scene.set_limits(message.how, message.region, self.window(page))
        self._changed()
        self._put_state()

    def _next(self, page, message):
        version = self.scene.version
        found = self.scene.jump(message.step)
        if self.scene.version != version:
            self._changed()
        self._put_state()
        self._answer("jump", page, message, found)

    # ---- what goes out -------------------------------------------------------------------------------------------------

    def _answer(self, kind, page, message, fields):
        self._say(fields | {"k": kind, "seq": message.seq, "page": page.name})

    def _put_state(self):
        self._state_version = self.scene.version
        self._say({"k": "state", "state": self.state()})

    def _refuse(self, seq, page, error):
        """Tells a page what was wrong, unless it was told so often that it does not listen."""
        if self._error_limiter.take(self._clock()):
            self._say({"k": "error", "seq": seq, "page": page, "text": text_of(error)})

    def put(self, message, buffers=None):
        """Sends a message of the widget protocol, after those that wait."""
        self._outbox.put(message, buffers)
        self._send()

    def _say(self, content, buffers=None):
        """A custom message, for pages."""
        self._outbox.put({"method": "custom", "content": content}, buffers)

    def _send(self):
        if self._outbox:
            self.host.send(self._outbox.drain)

    def _note_unsent(self, error):
        self._warn("send", f"the notebook does not take the inspector's messages: {text_of(error)}")

    def _warn(self, about, text):
        """A warning, once for each thing it may be about."""
        if about not in self._warned:
            self._warned.add(about)
            warn(text)

    # ---- rounds: something happened, then frames are drawn, then everything is sent --------------------------------------

    @contextmanager
    def _transaction(self):
        with uninterrupted():
            self._take()
            try:
                yield
                self._pump()
            finally:
                self._let_go()
        self._events.drain()

    @contextmanager
    def _locked(self):
        """The lock, for a question."""
        with uninterrupted():
            self._take()
            try:
                yield
            finally:
                self._let_go(is_question=True)

    def _take(self):
        self._lock.acquire()
        self._depth += 1

    def _let_go(self, is_question=False):
        """Gives the lock back; then all is done that waited for it, by whomever it was left here."""
        if self._release() and (not is_question or self._pending or self._is_to_arm):
            self._leave()

    def _release(self):
        """Whether this was the last hold of this thread."""
        self._depth -= 1
        is_last = not self._depth
        self._lock.release()
        return is_last

    def _leave(self):
        """After the lock: sends, tells observers, takes tensors that came in the meantime, and sets the timer."""
        self._is_to_arm = True
        while True:
            self._send()
            if self._is_changed:
                self._is_changed = False
                self._on_change()
            if not (self._pending or self._is_to_arm) or not self._lock.acquire(blocking=False):
                return  # whoever has the lock comes by here after it
            self._depth += 1
            try:
                if self._pending:
                    self._take_pending_of_others()
                    self._pump()
                self._is_to_arm = False
                self._arm()
            finally:
                self._release()

    def _changed(self, is_update=False):
        """Observers hear of it after this round, of an `update` when it is drawn: to find its limits takes time."""
        self.has_unsynced_update = True
        self._is_changed = self._is_changed or not is_update
        for page in {*self.pages, *self.pages.audience}:
            page.flow.change(is_update)

    def _take_pending(self):
        """All changes that wait; what is wrong with one of them is raised when the others are taken."""
        with self._pending_lock:
            pending, self._pending = self._pending, {}
        if self.is_closed:
            return
        problem = None
        for change in pending.values():
            try:
                change()
                self._changed(is_update=True)
            except Exception as error:
                problem = error
        if problem is not None:
            raise problem

    def _take_pending_of_others(self):
        """The same where the caller of `update` has gone on: what is wrong with its tensor is a warning."""
        try:
            self._take_pending()
        except Exception as error:
            self._warn_of_update(error)

    def _warn_of_update(self, error):
        self._warn("update", f"the inspector cannot show the tensor of update(): {text_of(error)}")

    def _pump(self, is_loop=False):
        """Draws the frames that may be drawn now."""
        if self.is_closed:
            return
        if not is_loop:
            question = self._query_budget.next(self._clock(), self.pages)
            if question is not None:
                self._answer_panel(*question)
        is_paid = self._budget.allows(self._clock())
        is_loop = is_loop and not self.host.answers_beside_cells
        for page in self.pages.audience:
            plan = page.flow.plan(self._clock(), is_paid, is_loop)
            if plan is not None:
                self._draw(page, plan)

    def _draw(self, page, plan):
        began, version = self._clock(), self.scene.version
        try:
            fields, encoded = draw_message(self.scene, plan)
            if self._state_version != self.scene.version:
                self._put_state()
        except Exception as error:
            page.flow.failed()
            self._refuse(plan.viewport.seq, page.name, error)
            if plan.is_update:
                self._warn("draw", f"the inspector cannot draw the tensor of update(): {text_of(error)}")
            return
        now = self._clock()
        # Limits may be others at another size of cells.
        self._is_changed = self._is_changed or self.has_unsynced_update or self.scene.version != version
        self._last_frame += 1
        self._say(fields | {"id": self._last_frame, "page": page.name}, encoded.buffers)
        page.flow.sent(self._last_frame, plan, now, n_bytes=encoded.n_bytes, seconds=now - began, ratio=encoded.ratio)
        if plan.is_update:
            self._budget.spend(now, encoded.n_bytes, now - began)

    # ---- what is due later -----------------------------------------------------------------------------------------------

    def _arm(self):
        """Sees to it that somebody looks again when the next frame is due."""
        if self.is_closed:
            return
        now = self._clock()
        times = [page.flow.due(now, is_paid_at=self._budget.due) for page in self.pages.audience]
        times = [due for due in times if due is not None] + self._query_budget.due()
        if not times:
            return
        due = max(min(times), now + MIN_WAIT)
        if self._timer is not None and self._timer[0] <= due:
            return
        self._cancel_timer()
        self._timer = due, self.host.call_later(due - now, self._tick)

    def _cancel_timer(self):
        if self._timer is not None:
            self._timer[1]()
            self._timer = None

    def _tick(self):
        if self.is_closed:
            return
        with self._transaction():
            self._timer = None


_HANDLERS = {
    messages.Ready: Controller._ready, messages.Gone: Controller._gone, messages.PageViewport: Controller._viewport,
    messages.Ack: Controller._ack, messages.Set: Controller._set, messages.Hover: Controller._hover, messages.Click: Controller._click,
    messages.Values: Controller._values, messages.Histogram: Controller._panel, messages.Stats: Controller._panel,
    messages.Flags: Controller._panel, messages.Search: Controller._panel,
    messages.Palettes: Controller._palettes, messages.Next: Controller._next, messages.Limits: Controller._limits,
}
