"""A budget for cells that pictures keep on devices between draws: 64 MB in all, those used longest ago are dropped first."""

import os
import threading
import weakref

# Bytes of cells that all images together keep on devices between draws: that memory is the user's.
MAX_DEVICE_BYTES = 64 * 2**20

# The objects with a `_frame` that may have cells on a device, the one that drew longest ago first.
_holders = weakref.WeakKeyDictionary()
_holders_lock = threading.RLock()  # a signal handler or a finalizer may draw, too


def keep_within_budget(holder):
    """Marks an image's frame as used now, and drops the oldest ones where devices hold too many: these are reduced again."""
    with _holders_lock:
        _holders.pop(holder, None)
        frame = holder._frame  # update() in another thread may drop it at any time
        if frame is None or not frame.device_bytes:
            return
        _holders[holder] = None
        holders = [reference() for reference in _holders.keyrefs()]  # a copy: other threads may change the dictionary
        frames = [(holder, holder._frame) for holder in holders if holder is not None]
        sizes = [(holder, frame.device_bytes) for holder, frame in frames if frame is not None]
        n_bytes = sum(size for _, size in sizes)
        for holder, size in sizes:
            if n_bytes <= MAX_DEVICE_BYTES:
                break
            holder._frame = holder._frame_key = None
            n_bytes -= size


def _forget_parents():
    """In a forked child: another thread of the parent may have held the lock, and cells on devices are the parent's."""
    global _holders, _holders_lock
    _holders, _holders_lock = weakref.WeakKeyDictionary(), threading.RLock()


os.register_at_fork(after_in_child=_forget_parents)
