"""What a page hears of errors: each in one line, and no more of them than it listens to."""

from __future__ import annotations

from .messages import MessageError

__all__ = ["ERROR_BURST", "ErrorRateLimiter", "text_of"]

# Refusals that a page gets at once, and those that follow in a second; the rest of a flood is dropped without a word.
ERROR_BURST, ERRORS_PER_SECOND = 10, 2
MAX_TEXT = 300


class ErrorRateLimiter:
    """How many more refusals are listened to.

    Parameters
    ----------
    now : float
        Seconds of any clock that does not go back.
    """

    def __init__(self, now):
        self._left, self._at = float(ERROR_BURST), now

    def take(self, now):
        """Whether one more is, which then counts."""
        self._left = min(ERROR_BURST, self._left + (now - self._at) * ERRORS_PER_SECOND)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def text_of(error):
    """An exception in one line for a page: its own words, the kind in front where the words alone would not do."""
    text = " ".join(str(error).split())
    if not isinstance(error, (MessageError, ValueError, IndexError, TypeError)) or not text:
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT - 3] + "..."
