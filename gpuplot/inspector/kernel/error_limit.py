"""Errors for pages: one line each, at a limited rate."""

from .messages import MessageError

# Errors that are sent at once, and then per second; others are dropped.
ERROR_BURST, ERRORS_PER_SECOND = 10, 2
MAX_TEXT = 300


class ErrorRateLimiter:
    """A token bucket for errors; `now` are monotonic seconds."""

    def __init__(self, now):
        self._left, self._at = float(ERROR_BURST), now

    def take(self, now):
        """Whether one more error may be sent; it is then counted."""
        self._left = min(ERROR_BURST, self._left + (now - self._at) * ERRORS_PER_SECOND)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def text_of(error):
    """An exception in one line of at most 300 characters, with its type unless it is one that gpuplot raises."""
    text = " ".join(str(error).split())
    if not isinstance(error, (MessageError, ValueError, IndexError, TypeError)) or not text:
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT - 3] + "..."
