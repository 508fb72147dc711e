"""A memory budget, 64 MB, for cells that pictures keep on devices between draws; the least recently used are dropped first."""

import os
import threading
import weakref

# Maximum bytes of cells that all images together keep on devices between draws: device memory belongs to the user.
MAX_DEVICE_BYTES = 64 * 2**20

# Objects with a ``frame``, or None, which may have cells on a device, and a method ``drop_frame``; least recently drawn first.
_holders = weakref.WeakKeyDictionary()
_holders_lock = threading.RLock()  # a signal handler or a finalizer may draw, too


def keep_within_budget(holder):
    """Marks an image's frame as used now, and drops the oldest frames beyond the budget, which are reduced again when needed."""
    with _holders_lock:
        _holders.pop(holder, None)
        frame = holder.frame  # update() in another thread may drop it at any time
        if frame is None or not frame.device_bytes:
            return
        _holders[holder] = None
        holders = [reference() for reference in _holders.keyrefs()]  # a copy: other threads may change the dictionary
        frames = [(holder, holder.frame) for holder in holders if holder is not None]
        sizes = [(holder, frame.device_bytes) for holder, frame in frames if frame is not None]
        n_bytes = sum(size for _, size in sizes)
        for holder, size in sizes:
            if n_bytes <= MAX_DEVICE_BYTES:
                break
            holder.drop_frame()
            n_bytes -= size


def _forget_parents():
    """In a forked child: a new lock, as a thread of the parent may have held it; cells on devices belong to the parent."""
    global _holders, _holders_lock
    _holders, _holders_lock = weakref.WeakKeyDictionary(), threading.RLock()


os.register_at_fork(after_in_child=_forget_parents)
