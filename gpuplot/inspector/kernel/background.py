"""The part of `Controller` for arrays in chunks: a thread makes their passes, and requests are retried after each pass."""

import time
from dataclasses import replace

from ...arrays.run_progress import LONG_SECONDS, progress_text
from ...plane.chunks.answers import Pending
from ...plane.chunks.looks import PICTURE, POINTER, PYTHON, Look, Reader
from ...weak_methods import weakly
from .frame_messages import known_message
from .messages import Values
from .pages import UNANSWERED

# Seconds from a read tile of chunks to the frame that shows it, with all tiles read meanwhile.
TILE_SECONDS = 0.15


class _Picture(Look):
    """The look (see `plane/chunks/looks.py`) of a page at its frame.

    Attributes
    ----------
    shown : object
        What was known when the last frame was sent.
    began : float or None
        The time at which it first had to wait.
    """

    shown = began = None

    def is_drawn(self):
        """Notes that the whole frame was drawn; returns whether it had to wait."""
        has_waited = self.began is not None
        self.shown = self.began = None
        return has_waited


class BackgroundLooks:
    """Attempts requests of pages and Python, with the lock held; those that raise `Pending` are retried when a pass is over."""

    def _prepare_looks(self):
        self._reader, self._pictures, self._unanswered, self._has_news = Reader(weakly(self._note_news)), {}, {}, False

    def _close_looks(self):
        self._reader.close()
        self._pictures.clear()
        self._unanswered.clear()

    def _forget_looks(self, page):
        """Stops the reads for a page."""
        looks = [self._pictures.pop(page.name, None), *(self._unanswered.pop(slot)[0] for slot in list(self._unanswered)
                                                        if slot[0] == page.name)]
        for look in looks:
            if look is not None:
                look.close()

    def _take_over_look(self, page):
        """Gives a page that has come the look of the one that was expected: passes that it does not need end with its first frame."""
        expected = self._pictures.pop(None, None)
        if expected is not None and self._pictures.setdefault(page.name, expected) is not expected:
            expected.close()

    # ---- Python ----------------------------------------------------------------------------------------------------------

    def _waiting(self, ask, seconds=None):
        """Returns ``ask()`` after waiting in this thread for the chunks that it needs; None after `seconds`."""
        look, until = Look(self._reader, PYTHON), None if seconds is None else time.monotonic() + seconds
        try:
            while True:
                try:
                    with look.attempt():
                        return ask()
                except Pending:
                    if not look.wait(None if until is None else until - time.monotonic()):
                        return None
        finally:
            look.close()

    # ---- messages of pages -----------------------------------------------------------------------------------------------

    def _attempt(self, page, message, handle, rank=POINTER):
        """Calls ``handle(page, message)``, now or when its chunks are read; a newer message of its kind and region replaces it.

        Numbers are asked for once for each facet. Errors are sent to the page.
        """
        slot = page.name, type(message), message.facet if isinstance(message, Values) else getattr(message, "region", None)
        look, older, *_ = self._unanswered.pop(slot, (Look(self._reader, rank), None))
        if older is not message:
            self._replace_older(page, older, message)
        try:
            with look.attempt():
                handle(page, message)
        except Pending:
            self._unanswered[slot] = look, message, page, handle, rank
            if older is not message and not isinstance(message, UNANSWERED):
                self._post_later(page, message)
        except Exception as error:
            self._refuse(page, message, error)

    def _attempt_again(self):
        for look, message, page, handle, rank in list(self._unanswered.values()):
            if look.has_news:
                self._attempt(page, message, handle, rank)

    # ---- frames ----------------------------------------------------------------------------------------------------------

    def _picture_of(self, page):
        return self._pictures.setdefault(page.name, _Picture(self._reader, PICTURE))

    def _draw_known(self, page, plan, question):
        """Sends a frame of the results so far, if there are new ones, with the progress of the pass."""
        look, now = self._picture_of(page), self._clock()
        look.began = look.began or now
        n_done = 0 if question is None else len(question.tiles)
        if (question, n_done) != look.shown:
            look.shown = question, n_done
            self._send_known(page, plan, look, now)
        is_long = question is not None and now - look.began >= LONG_SECONDS
        texts = self.scene.preview_text, progress_text(n_done, question.n_tiles, question.is_queued) if is_long else ""
        if any(texts):
            self.scene.note_progress("; ".join(filter(None, texts)))
            if self._state_version != self.scene.version:
                self._put_state()

    def _send_known(self, page, plan, look, began):
        with look.peek():
            message = known_message(self.scene, plan)
        if message is not None:
            self._send_frame(page, replace(plan, is_final=False), *message, self._clock() - began)

    # ---- news ------------------------------------------------------------------------------------------------------------

    def _note_news(self, is_over):
        """Called by the reading thread: a tile of a pass is complete, or a pass is over."""
        if is_over or not self._has_news:
            self._has_news = True
            self.host.call_later(0.0 if is_over else TILE_SECONDS, self._on_news)

    def _on_news(self):
        self._has_news = False
        if self.is_closed:
            return
        with self._transaction():
            for page in self.pages.audience:
                page.flow.resume()
            self._attempt_again()
