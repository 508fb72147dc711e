"""Which tensors have NaN or infinities, searched in steps of some milliseconds while a page asks."""

import time

from ... import _native
from ...dtype_classes import is_bool_or_integer, is_complex
from ...plane.coalesce_axes import cover

# Approximate seconds of one answer; and the number of elements that are searched between two readings of the clock.
ANSWER_SECONDS = 0.03
SEARCHED_AT_A_TIME = 2**21
# Most pieces in which a tensor is searched, as each answer has to skip those of earlier answers.
MAX_BLOCKS = 2**15

NOT_FINITE_NAMES = ((_native.HAS_NAN, "NaN"), (_native.HAS_POS_INF | _native.HAS_NEG_INF, "Inf"))


class Health:
    """The searches of some items.

    Examples
    --------
    >>> import numpy as np
    >>> from gpuplot.inspector.model.collection import Collection
    >>> Health().search(Collection({"fine": np.ones(3), "bad": np.full(3, np.nan)}).items)
    ({'bad': 'NaN'}, 0)
    """

    def __init__(self):
        self._searches = {}

    def clear(self):
        """Drops all searches, for other tensors."""
        self._searches.clear()

    def search(self, items, seconds=ANSWER_SECONDS, clock=time.monotonic):
        """Continues the searches for some seconds.

        Returns a dict with "NaN" or "Inf" for each item that has one, and the number of items whose search is not complete.
        """
        items = [item for item in items if item.is_searched]
        self.forget_others(items)
        self._searches |= {item: _Search(item.source) for item in items if item not in self._searches}
        until = clock() + seconds
        waiting = [search for search in self._searches.values() if not search.is_over]
        while waiting and clock() < until:
            waiting[0].step(until, clock)
            if waiting[0].is_over:
                waiting.pop(0)
        flags = {item.name: self._searches[item].text for item in items if self._searches[item].text}
        return flags, len(waiting)

    def search_item(self, item, seconds=ANSWER_SECONDS, clock=time.monotonic):
        """Continues the search of one item; returns as `known`."""
        if item.is_searched:
            search, until = self._searches.setdefault(item, _Search(item.source)), clock() + seconds
            if not search.is_over:
                search.step(until, clock)
        return self.known(item)

    def known(self, item):
        """"NaN", "Inf" or "finite"; None before the end of the search; "" for integers, and if elements could not be read."""
        search = self._searches.get(item) or _Search(item.source) if item.is_searched else None
        if search is None or search.has_none:
            return ""
        if not search.is_over:
            return None
        return search.text or ("finite" if search.is_complete else "")

    def forget_others(self, items):
        """Drops the searches of all items but these."""
        self._searches = {item: search for item, search in self._searches.items() if item in set(items)}


class _Search:
    """The search of one tensor, borrowed for each step."""

    def __init__(self, source):
        self._source, self._n_done, self._has = source, 0, 0
        self.has_none = not source.size or is_bool_or_integer(source.dtype)
        self.is_over, self.is_complete = self.has_none, True

    @property
    def text(self):
        """"NaN", else "Inf", or "" if none was found."""
        return next((name for bits, name in NOT_FINITE_NAMES if self._has & bits), "")

    def step(self, until, clock):
        """Reads at least one block; stops at a NaN, the end or `until`."""
        try:
            with self._source.borrow() as tensor:
                for k, block in enumerate(_blocks(tensor, self._source)):
                    if k < self._n_done:
                        continue
                    if k >= MAX_BLOCKS:
                        self.is_complete = False
                        break
                    self._has |= _has(block)
                    self._n_done += 1
                    if self._has & _native.HAS_NAN:
                        break
                    if clock() >= until:
                        return
        except Exception:  # elements cannot be read; the frame reports it
            self.is_complete = False
        self.is_over = True


def _has(block):
    """The HAS bits of a plane."""
    return _native.limits(block, _native.WANT_COUNTS)[3]


def _blocks(tensor, source):
    """All elements of a tensor as planes of at most SEARCHED_AT_A_TIME, always in the same order."""
    spans = [range(n) for n in source.shape]
    component = "abs" if is_complex(source.dtype) else "value"
    for plane, _ in cover(tensor, spans, range(source.ndim), is_ordered=False).planes(tensor, component, {}):
        n_rows, n_cols = plane.shape
        wide = min(n_cols, SEARCHED_AT_A_TIME)
        high = max(1, SEARCHED_AT_A_TIME // wide)
        for row in range(0, n_rows, high):
            for col in range(0, n_cols, wide):
                yield plane.crop(row, min(row + high, n_rows), col, min(col + wide, n_cols))
