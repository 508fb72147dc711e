"""A cache of the chunks that were read last, for repeated reads of few elements, such as those under the pointer."""

from __future__ import annotations

import threading
from collections import OrderedDict

from .chunked_source import ChunkedSource

# Size of all cached chunks together; larger chunks are read again each time.
MAX_KEPT_BYTES = 64 * 2**20


class KeptChunks:
    """The engine of a `ChunkedSource` that caches chunks of another one.

    Parameters
    ----------
    source : ChunkedSource
    max_bytes : int
        Size of the cached chunks together.
    """

    def __init__(self, source, max_bytes=MAX_KEPT_BYTES):
        self._source, self._max_bytes = source, max_bytes
        self.chunks = source.chunks
        self._item_bytes = source.nbytes // source.size if source.size else 1
        self._kept, self._lock = OrderedDict(), threading.Lock()

    @classmethod
    def of(cls, source):
        """The same array as a source with a cache of chunks."""
        return ChunkedSource(source.owner, cls(source), source.shape, source.dtype, dims=source.dims, is_masked=source.is_masked)

    def run(self, tiles, work, join, watch):
        """See `ChunkedSource.run`. Few chunks are processed in this thread and cached; more go to the other source and its own watch."""
        every = [index for tile in tiles for index in tile]
        if sum(map(self._bytes_of, every)) > self._max_bytes:
            return self._source.run(tiles, work, join)
        found = {index: work(elements, index) for index, elements in self._read(every).items()}
        return [join([found[index] for index in tile]) for tile in tiles]

    def _read(self, indices):
        """{index: elements} of some chunks."""
        with self._lock:
            missing = [index for index in indices if index not in self._kept]
            if missing:
                [read] = self._source.run([missing], _listed, _joined)
                self._kept |= dict(zip(missing, read, strict=True))
            for index in indices:
                self._kept.move_to_end(index)
            found = {index: self._kept[index] for index in indices}
            while sum(map(self._bytes_of, self._kept)) > self._max_bytes:
                self._kept.popitem(last=False)
            return found

    def _bytes_of(self, index):
        n = self._item_bytes
        for sizes, k in zip(self.chunks, index, strict=True):
            n *= sizes[k]
        return n


def _listed(elements, index):
    return [elements]


def _joined(lists):
    return [one for part in lists for one in part]
