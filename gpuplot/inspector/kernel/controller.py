"""The kernel's side of an inspector: answers messages of pages, draws frames for them, and takes tensors from a loop."""

import threading
import time
from contextlib import contextmanager
from functools import partial

from ...notices import warn
from ...plane.answers import Pending
from ...plane.looks import NOBODY
from ..model.settings import check_window
from . import messages
from .answers import PageAnswers
from .background import BackgroundLooks
from .error_limit import ErrorRateLimiter, text_of
from .flow import BINARY_RATE, TEXT_RATE, Budget, Flow
from .frame_messages import draw_message
from .interrupts import uninterrupted
from .messages import address_of, parse
from .outbox import Outbox
from .pages import OutdatedMessage, Pages
from .query_budget import QueryBudget

# Seconds of the shortest timer.
MIN_WAIT = 0.005


class Controller(PageAnswers, BackgroundLooks):
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
        with self._locked(), NOBODY.attempt():
            return self._fixed | self.scene.state() | {"seq": self.pages.seqs}

    def ask(self, question, is_sync=False, seconds=None):
        """``question(scene)`` under the lock, after the queued changes; `is_sync` where it reads all traits.

        Chunks that it needs are waited for without the lock, and the question is asked again then; None after some `seconds`.
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
        """`Scene.change`, then the new state for pages."""
        with self._transaction():
            self.check_open()
            self.scene.change(values)
            self._note_change()
            self._put_state()

    @uninterrupted()
    def update(self, X, name=None):
        """Takes another tensor, and draws it if the budget of the caller's loop allows it; never waits.

        Raises for no tensor and unknown names; other errors are warnings, and the loop goes on.
        """
        self.check_open()
        self._query_budget.note_update(self._clock())
        self._apply_or_queue(name, partial(self.scene.update, X, name))

    @uninterrupted()
    def relist(self, forms, item):
        """`Scene.relist` without waiting, as a thread beside the loop calls it."""
        if not self.is_closed:
            self._apply_or_queue((self.relist,), partial(self.scene.relist, forms, item))

    @uninterrupted()
    def share(self, others):
        """`Scene.share` without waiting, as it may be called from the loop of a linked inspector."""
        if not self.is_closed:
            self._apply_or_queue((self.share,), partial(self.scene.share, others))

    def _apply_or_queue(self, key, change):
        """Makes a change now, or queues it for the thread that holds the lock; the newest one of a key replaces older ones."""
        with self._pending_lock:
            replaced = self._pending.pop(key, None)  # the newest comes last: a name and None may be one tensor
            self._pending[key] = change
        self.has_unsynced_update = True
        del replaced  # without the lock: a tensor's finalizer may call `update`, too
        if not self._lock.acquire(blocking=False):
            return
        try:
            self._depth += 1
            self.check_open()
            self._apply_pending()
            self._draw_due(is_loop=True)
        except Exception as error:
            if self.is_closed or isinstance(error, (TypeError, ValueError, LookupError)):
                raise
            self._warn_of_update(error)  # of the tensor's library, of the driver
        finally:
            self._release_and_flush()

    def close(self):
        """Tells pages and releases the scene; idempotent."""
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
        """The inspector is displayed: changes are drawn for any page until one sends a message."""
        with self._locked():
            self.pages.expect()
            self._budget.rate = self._rate()

    def window(self, page):
        """The window of a page; the whole plane before its first viewport."""
        if page.flow.viewport is not None:
            return page.flow.viewport.window
        rows, cols = self.scene.state()["plane"]
        return (0.0, float(rows), 0.0, float(cols))

    def last_viewport(self):
        """The viewport of the page that spoke last, or None."""
        with self._locked():
            return next((page.flow.viewport for page in reversed(list(self.pages)) if page.flow.viewport is not None), None)

    def check_open(self):
        """RuntimeError where the inspector was closed."""
        if self.is_closed:
            raise RuntimeError("this inspector was closed and has let its tensor go: call gpuplot.inspect again")

    @property
    def is_seen(self):
        """Whether a page shows the inspector, or is about to; asked without the lock, by loops."""
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
        is_new = message.page not in self.pages
        page = self.pages.get(message.page, self._clock())
        self._budget.rate = self._rate()
        if is_new:
            self._on_views(False)
        return page

    def _rate(self):
        """The Rate of `update`: the lower one where buffers travel as text, or no page has said how they do."""
        is_text = self.host.is_text or any(page.flow.is_text for page in self.pages)
        return TEXT_RATE if is_text or self.pages.expected is not None else BINARY_RATE

    def refuse(self, error):
        """Answers data on the comm that is not a message of a page."""
        with self._transaction():
            self._post_error(None, None, error)

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
        check_window(message.window)  # is drawn again at every change, so it is refused here
        page.flow.take(message, self._clock())
        if not message.visible:
            self._forget_looks(page)

    def _ack(self, page, message):
        page.flow.acknowledge(message.id, self._clock(), message.buffers)
        self._budget.rate = self._rate()

    def _set(self, page, message):
        self.scene.change(message.values)
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

    # ---- to pages ------------------------------------------------------------------------------------------------------

    def _answer(self, kind, page, message, fields):
        self._post(fields | {"k": kind, "seq": message.seq, "page": page.name})

    def _put_state(self):
        self._state_version = self.scene.version
        self._post({"k": "state", "state": self.state()})

    def _post_error(self, seq, page, error):
        """Sends a page an error, as often as `ErrorRateLimiter` allows."""
        if self._error_limiter.take(self._clock()):
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

    # ---- transactions: change the scene under the lock, draw the frames that are due, release the lock, send -----------------

    @contextmanager
    def _transaction(self):
        with uninterrupted():
            self._acquire()
            try:
                yield
                self._draw_due()
            finally:
                self._release_and_flush()
        self._events.drain()

    @contextmanager
    def _locked(self):
        """Holds the lock without drawing frames."""
        with uninterrupted():
            self._acquire()
            try:
                yield
            finally:
                self._release_and_flush(is_question=True)

    def _acquire(self):
        self._lock.acquire()
        self._depth += 1

    def _release_and_flush(self, is_question=False):
        """Releases the lock; after the outermost release, sends and applies what other threads have queued."""
        if self._release() and (not is_question or self._pending or self._must_schedule):
            self._flush()

    def _release(self):
        """Whether this was the outermost release."""
        self._depth -= 1
        is_last = not self._depth
        self._lock.release()
        return is_last

    def _flush(self):
        """Without the lock: sends, tells observers, applies queued changes, and sets the timer."""
        self._must_schedule = True
        while True:
            self._send()
            if self._is_changed:
                self._is_changed = False
                self._on_change()
            if not (self._pending or self._must_schedule) or not self._lock.acquire(blocking=False):
                return  # the thread that holds the lock does the rest
            self._depth += 1
            try:
                if self._pending:
                    self._apply_pending_of_others()
                    self._draw_due()
                self._must_schedule = False
                self._schedule()
            finally:
                self._release()

    def _note_change(self, is_update=False):
        """Marks pages for a new frame, and observers to be told: of an `update` when it is drawn, as finding limits takes time."""
        if not is_update:  # `_apply_or_queue` has set it, and who reads traits meanwhile applies what is queued first
            self.has_unsynced_update = self._is_changed = True
        for page in {*self.pages, *self.pages.audience}:
            page.flow.change(is_update)

    def _apply_pending(self):
        """Makes all queued changes, then raises the last error of one."""
        with self._pending_lock:
            pending, self._pending = self._pending, {}
        if self.is_closed:
            return
        problem = None
        for change in pending.values():
            try:
                change()
                self._note_change(is_update=True)
            except Exception as error:
                problem = error
        if problem is not None:
            raise problem

    def _apply_pending_of_others(self):
        """The same with a warning for an error, as the caller of `update` has returned."""
        try:
            self._apply_pending()
        except Exception as error:
            self._warn_of_update(error)

    def _warn_of_update(self, error):
        self._warn("update", f"the inspector cannot show the tensor of update(): {text_of(error)}")

    def _draw_due(self, is_loop=False):
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
            plan = page.flow.plan(self._clock(), is_paid, is_loop, self.scene.is_slow)
            if plan is not None:
                self._draw(page, plan)

    def _draw(self, page, plan):
        began, version = self._clock(), self.scene.version
        try:
            with self._picture_of(page).attempt():
                fields, encoded = draw_message(self.scene, plan)
            self._is_changed = self._picture_of(page).is_drawn() or self._is_changed
            if self._state_version != self.scene.version:
                self._put_state()
        except Pending as pending:
            page.flow.postpone()
            self._draw_known(page, plan, pending.question)
            return
        except Exception as error:
            page.flow.failed()
            self._post_error(plan.viewport.seq, page.name, error)
            if plan.is_update:
                self._warn("draw", f"the inspector cannot draw the tensor of update(): {text_of(error)}")
            return
        now = self._clock()
        # Limits may be others at another size of cells.
        self._is_changed = self._is_changed or self.has_unsynced_update or self.scene.version != version
        self._send_frame(page, plan, fields, encoded, now - began)
        if plan.is_update:
            self._budget.spend(now, encoded.n_bytes, now - began)

    def _send_frame(self, page, plan, fields, encoded, seconds):
        self._last_frame += 1
        self._post(fields | {"id": self._last_frame, "page": page.name}, encoded.buffers)
        page.flow.sent(self._last_frame, plan, self._clock(), n_bytes=encoded.n_bytes, seconds=seconds, ratio=encoded.ratio)

    # ---- timer -----------------------------------------------------------------------------------------------------------

    def _schedule(self):
        """Sets the timer to when the next frame or answer is due."""
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
        self._timer = due, self.host.call_later(due - now, self._on_timer)

    def _cancel_timer(self):
        if self._timer is not None:
            self._timer[1]()
            self._timer = None

    def _on_timer(self):
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
