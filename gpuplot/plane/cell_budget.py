"""Cells that pictures keep on devices between draws: at most 64 MB in all, those that were used longest ago go first."""

from __future__ import annotations

import os
import threading
import weakref

__all__ = ["keep_within_budget"]

# Bytes of cells on devices that all images together keep between draws: that memory is the user's.
MAX_DEVICE_BYTES = 64 * 2**20

# The images that may have cells on a device, the one that drew longest ago first.
_holders = weakref.WeakKeyDictionary()
_holders_lock = threading.RLock()  # a signal handler or a finalizer may draw, too


def keep_within_budget(image):
    """Notes that an image drew from the frame that it keeps, and drops the oldest frames where devices hold too many.

    What is dropped is reduced again when it is drawn.
    """
    with _holders_lock:
        _holders.pop(image, None)
        frame = image._frame  # update() in another thread may drop it at any time
        if frame is None or not frame.device_bytes:
            return
        _holders[image] = None
        holders = [reference() for reference in _holders.keyrefs()]  # a copy: whoever comes in between changes the list
        frames = [(holder, holder._frame) for holder in holders if holder is not None]
        kept = [(holder, frame.device_bytes) for holder, frame in frames if frame is not None]
        n_bytes = sum(size for _, size in kept)
        for holder, size in kept:
            if n_bytes <= MAX_DEVICE_BYTES:
                break
            holder._frame = holder._frame_key = None
            n_bytes -= size


def _forget_parents():
    """In a forked child: another thread of the parent may have held the lock, and cells on devices are the parent's."""
    global _holders, _holders_lock
    _holders, _holders_lock = weakref.WeakKeyDictionary(), threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parents)
