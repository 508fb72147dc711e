"""The part of `Controller` that holds the lock: changes of the scene, queued changes, the frames that are due, and the timer."""

from contextlib import contextmanager

from ...plane.chunks.answers import Pending
from .error_limit import text_of
from .frame_messages import draw_message, request_preview
from .interrupts import uninterrupted

# Seconds of the shortest timer.
MIN_WAIT = 0.005


class Transactions:
    """Methods of `Controller` that change the scene under the lock, draw due frames, release the lock, and send."""

    @contextmanager
    def _transaction(self):
        """Holds the lock; at the end draws due frames, releases the lock and sends."""
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
        """Releases the lock once; returns whether this was the outermost release."""
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
        """Marks pages for a new frame, and observers for a call; after an `update` when it is drawn, as finding limits takes time."""
        if not is_update:  # for an update `_apply_or_queue` sets the flag, and reading traits first applies queued changes
            self.has_unsynced_update = self._is_changed = True
        for page in {*self.pages, *self.pages.audience}:
            page.flow.divide(self.scene.n_tiles)
            page.flow.change(is_update)

    # ---- queued changes ---------------------------------------------------------------------------------------------------

    def _apply_or_queue(self, key, change):
        """Makes a change now, or queues it for the thread that holds the lock; the newest one of a key replaces older ones."""
        with self._pending_lock:
            replaced = self._pending.pop(key, None)  # so that the newest comes last: a name and None may mean one tensor
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
            self._warn_of_update(error)  # such as one of the tensor's library or of the driver
        finally:
            self._release_and_flush()

    def _apply_pending(self):
        """Makes all queued changes, then raises the last error, if any."""
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
        """As `_apply_pending`, but an error becomes a warning, as the caller of `update` has returned."""
        try:
            self._apply_pending()
        except Exception as error:
            self._warn_of_update(error)

    def _warn_of_update(self, error):
        self._warn("update", f"the inspector cannot show the tensor of update(): {text_of(error)}")

    # ---- frames ----------------------------------------------------------------------------------------------------------

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
                request_preview(self.scene, plan)
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
        # Limits may depend on the size of cells.
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
