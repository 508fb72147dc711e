"""Decides when a page gets a frame, its resolution, and whether it is deflated, from measured times; callers pass the clock."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..model.viewport import at_most

# Seconds after which a frame without acknowledgement counts as lost.
LOST_AFTER = 1.0
# A page that acknowledges nothing may be gone, and its frames pile up in the notebook's server: the interval between its frames is this
# part of the time since its last message, up to LONGEST_WAIT seconds. In a loop, where messages may not be read, it grows more slowly.
SILENCE_SHARE, LONGEST_WAIT = 0.1, 30.0
LOOP_SILENCE_SHARE, LONGEST_WAIT_IN_LOOP = 0.01, 10.0
# Seconds without a new viewport after which a movement has ended.
REST_AFTER = 0.25
# Seconds from a viewport to its frame during a movement, for which resolution is reduced.
MOVING_TIME = 0.066
# By which resolution may be divided.
DIVISORS = (1, 2, 3, 4)
# Frames in flight that are remembered.
MAX_REMEMBERED = 64
# Approximate bytes per second of zlib's fastest level, and the ratio that is assumed until one is measured.
DEFLATE_SPEED, USUAL_RATIO = 60e6, 0.5
# Number of frames that are not deflated after one that did not shrink.
RETRY_AFTER = 30
# Smaller frames measure the latency of a message: they only raise the estimated speed.
MIN_MEASURED_BYTES = 50_000


@dataclass(frozen=True)
class Rate:
    """Budget for frames of `update`: frames and bytes per second, and a share of the time."""

    fps: float
    bytes_per_second: float
    share: float


# For buffers that travel as bytes; and as base64 text, which piles up on the way.
BINARY_RATE = Rate(15, 30e6, 0.1)
TEXT_RATE = Rate(5, 5e6, 0.1)
# For answers of panels while a loop runs.
PANEL_RATE = Rate(4, math.inf, 0.1)


class Budget:
    """Spaces frames of `update` so that they stay within a Rate.

    Parameters
    ----------
    rate : Rate

    Examples
    --------
    >>> budget = Budget(Rate(fps=10, bytes_per_second=1e6, share=0.1))
    >>> budget.spend(now=5.0, n_bytes=500_000, seconds=0.001)
    >>> budget.due, budget.allows(5.4)
    (5.5, False)
    """

    def __init__(self, rate):
        self.rate = rate
        self.due = -math.inf

    def allows(self, now):
        """Whether a frame may be drawn now."""
        return now >= self.due

    def spend(self, now, n_bytes, seconds):
        """Notes a frame's size and seconds."""
        rate = self.rate
        self.due = now + max(1 / rate.fps, n_bytes / rate.bytes_per_second, seconds / rate.share)


@dataclass(frozen=True)
class Plan:
    """A frame to draw now."""

    viewport: object  # PageViewport: what it answers
    size: tuple[int, int]  # height and width of a facet, at most the viewport's
    is_deflated: bool
    is_final: bool  # at full resolution, after a movement
    is_new_view: bool  # the last final frame had another window or size
    is_update: bool  # only a new tensor asks for it


@dataclass(frozen=True)
class _Sent:
    at: float
    n_bytes: int


class Flow:
    """The frames of one page: only for its newest viewport, and at most `max_buffered_frames` in flight.

    Parameters
    ----------
    max_buffered_frames : int
    throttle : float
        Seconds between frames during a movement.
    is_text : bool
        Buffers are known to travel as text.

    Attributes
    ----------
    viewport : PageViewport or None
        The newest.
    """

    def __init__(self, max_buffered_frames=2, throttle=0.033, is_text=False):
        self.max_buffered_frames, self.throttle, self.is_text = max_buffered_frames, throttle, is_text
        self.viewport = self._final_view = None
        self._n_facets = 1
        self._viewport_at = self._sent_at = self._heard_at = -math.inf
        self._unheard_since = math.inf
        self._is_requested = self._is_changed = False
        self._owes_final = self._is_postponed = False
        self._in_flight = {}
        self._channel = _Channel()
        self._drawing = _Drawing()

    # ---- events --------------------------------------------------------------------------------------------------------

    def hear(self, now):
        """Notes a message of the page."""
        self._heard_at, self._unheard_since = now, math.inf

    def take(self, viewport, now, n_facets=1):
        """Takes the page's newest viewport, for so many facets."""
        self.viewport, self._viewport_at, self._n_facets = viewport, now, n_facets
        self._is_requested = viewport.visible
        self.resume()
        self.hear(now)

    def change(self, is_update=False):
        """Notes that the picture has changed, by a user or by `update`."""
        self.resume()
        if is_update:
            self._is_changed = True
        else:
            self._is_requested = True

    def divide(self, n_facets):
        """Notes how many facets there are: until the page asks anew, more of them get no more pixels than those that it asked for."""
        if self.viewport is not None and n_facets > self._n_facets:
            size = at_most(self.viewport.size, math.prod(self.viewport.size) * self._n_facets / n_facets)
            if size != self.viewport.size:
                self.viewport = replace(self.viewport, size=size)
        self._n_facets = n_facets

    def acknowledge(self, frame, now, has_buffers=True):
        """Notes that a frame has arrived; returns whether it was in flight."""
        self.hear(now)
        self.is_text = self.is_text or not has_buffers
        sent = self._in_flight.pop(frame, None)
        if sent is None:
            return False
        self._channel.arrived(sent.at, sent.n_bytes, now)
        return True

    def sent(self, frame, plan, now, *, n_bytes, seconds, ratio=1.0):
        """Notes a frame that was drawn in `seconds` and sent."""
        self._in_flight[frame] = _Sent(now, n_bytes)
        while len(self._in_flight) > MAX_REMEMBERED:
            self._in_flight.pop(next(iter(self._in_flight)))
        self._sent_at = now
        self._unheard_since = min(self._unheard_since, now)
        self._owes_final = not plan.is_final
        self._final_view = _view_of(plan.viewport) if plan.is_final else self._final_view
        if plan.viewport is self.viewport:
            self._is_requested = False
        self._is_changed = False
        self._drawing.took(plan.size[0] * plan.size[1], math.prod(plan.viewport.size), seconds)
        self._channel.packed(ratio, plan.is_deflated)

    def failed(self):
        """Notes that the frame could not be drawn; the next change draws again."""
        self._is_requested = self._is_changed = self._owes_final = False

    def postpone(self):
        """Notes that the frame waits for chunks: none is due before `resume`, a change or another viewport."""
        self._is_postponed = True

    def resume(self):
        """Notes that more chunks are read."""
        self._is_postponed = False

    # ---- decisions -----------------------------------------------------------------------------------------------------

    @property
    def is_seen(self):
        """Whether the page shows a view."""
        return self.viewport is not None and self.viewport.visible

    def plan(self, now, is_paid=True, is_loop=False, is_slow=False):
        """The frame to draw at a time in monotonic seconds, or None.

        `is_paid` says whether the budget of `update` allows a frame; `is_loop` that `update` asks in a loop, which may keep
        acknowledgements from being read: without a message since the oldest frame in flight, the budget alone decides. `is_slow` says
        that a frame takes as long at a lower resolution.
        """
        due = self.due(now, is_paid_at=now if is_paid else math.inf, is_loop=is_loop)
        if due is None or due > now:
            return None
        is_update = not (self._is_requested or self._owes_final)
        divisor = 1 if is_slow else self._divisor(now)
        height, width = self.viewport.size
        size = (-(-height // divisor), -(-width // divisor))
        is_new_view = _view_of(self.viewport) != self._final_view
        return Plan(self.viewport, size, self._deflates(size[0] * size[1]), not self._is_moving(now), is_new_view, is_update)

    def due(self, now, is_paid_at=-math.inf, is_loop=False):
        """The time, maybe past, at which the next frame may be drawn; None without one."""
        self._drop_lost(now)
        if not self.is_seen or self._is_postponed:
            return None
        times = []
        if self._is_requested:
            times.append(self._sent_at + self.throttle if self._is_moving(now) else -math.inf)
        if self._is_changed:
            times.append(is_paid_at)
        if self._owes_final:
            times.append(self._viewport_at + REST_AFTER if self.viewport.moving else -math.inf)
        if not times:
            return None
        return max(min(times), self._buffer_free_at(is_loop), self._backoff_until(is_loop))

    def _buffer_free_at(self, is_loop):
        """The time at which one more frame may be in flight."""
        if len(self._in_flight) < self.max_buffered_frames:
            return -math.inf
        oldest = next(iter(self._in_flight.values())).at
        return -math.inf if is_loop and self._heard_at <= oldest else oldest + LOST_AFTER

    def _backoff_until(self, is_loop):
        """The time at which one more frame may be sent to a page that has not answered others."""
        if self._unheard_since == math.inf:
            return -math.inf
        share, longest = (LOOP_SILENCE_SHARE, LONGEST_WAIT_IN_LOOP) if is_loop else (SILENCE_SHARE, LONGEST_WAIT)
        return self._sent_at + min(share * (self._sent_at - self._unheard_since), longest)

    def _drop_lost(self, now):
        for frame, sent in list(self._in_flight.items()):
            if now - sent.at >= LOST_AFTER:
                del self._in_flight[frame]

    def _is_moving(self, now):
        return self.viewport.moving and now - self._viewport_at < REST_AFTER

    def _divisor(self, now):
        """The least division of the resolution that keeps up with a movement."""
        if not self._is_moving(now):
            return 1
        n_pixels = math.prod(self.viewport.size)
        for divisor in DIVISORS:
            n = n_pixels // divisor**2
            if self._drawing.seconds(n) + self._channel.seconds(n) <= MOVING_TIME:
                return divisor
        # 1 if fewer pixels are not faster.
        full, least = (self._drawing.seconds(n) + self._channel.seconds(n) for n in (n_pixels, n_pixels // DIVISORS[-1]**2))
        return DIVISORS[-1] if least < 0.7 * full else 1

    def _deflates(self, n_bytes):
        return self._channel.gains(n_bytes, self.is_text)


def _view_of(viewport):
    """(window, size) of a viewport."""
    return tuple(viewport.window), tuple(viewport.size)


class _Channel:
    """The speed of the channel, from times of sending and acknowledgement, and whether deflating pays."""

    def __init__(self):
        self._speed = None
        self._arrived_at = -math.inf
        self._ratio = USUAL_RATIO
        self._n_in_vain = 0

    def arrived(self, sent_at, n_bytes, now):
        # Frames travel one after the other: this one since the one before had arrived.
        seconds = max(now - max(sent_at, self._arrived_at), 1e-4)
        self._arrived_at = now
        speed = n_bytes / seconds
        if n_bytes < MIN_MEASURED_BYTES and (self._speed is None or speed < self._speed):
            return  # latency
        self._speed = speed if self._speed is None else 0.7 * self._speed + 0.3 * speed

    def packed(self, ratio, was_deflated):
        """Notes the ratio of the last frame."""
        if not was_deflated:
            self._n_in_vain = max(0, self._n_in_vain - 1)
            return
        self._ratio = ratio
        self._n_in_vain = RETRY_AFTER if ratio > 0.9 else 0

    def seconds(self, n_bytes):
        """Estimated seconds for so many bytes; 0 while the speed is unknown."""
        return 0.0 if self._speed is None else n_bytes / self._speed

    def gains(self, n_bytes, is_text):
        """Whether a frame arrives sooner deflated."""
        if self._n_in_vain:
            return False
        if self._speed is None:
            return is_text
        packed = n_bytes / DEFLATE_SPEED + self._ratio * n_bytes / self._speed
        return packed < (1.0 if is_text else 0.8) * n_bytes / self._speed


class _Drawing:
    """The seconds of drawing: a constant and a part per pixel, from frames of full and of reduced resolution."""

    def __init__(self):
        self._full = self._small = None

    def took(self, n_pixels, n_full, seconds):
        if n_pixels == n_full:
            self._full = _mixed(self._full, n_pixels, seconds)
        else:
            self._small = _mixed(self._small, n_pixels, seconds)

    def seconds(self, n_pixels):
        known = self._full or self._small
        if known is None:
            return 0.0
        most, longest = known
        per_pixel = 0.5 * longest / most
        if self._full and self._small and self._full[0] > self._small[0]:
            per_pixel = max(0.0, (self._full[1] - self._small[1]) / (self._full[0] - self._small[0]))
        return max(0.0, longest + (n_pixels - most) * per_pixel)


def _mixed(before, n_pixels, seconds):
    """A moving average of (pixels, seconds); restarts at another size."""
    if before is None or before[0] != n_pixels:
        return n_pixels, seconds
    return n_pixels, 0.7 * before[1] + 0.3 * seconds
