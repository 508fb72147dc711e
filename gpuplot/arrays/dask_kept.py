"""Chunks of a dask array that workers keep, for several questions about one view."""

from __future__ import annotations

import math
from contextlib import contextmanager

from .dask_chunks import DaskChunks
from .dask_cluster import let_go, submit
from .dask_job import client_of
from .kept_chunks import MAX_KEPT_BYTES


@contextmanager
def kept_by_workers(engine):
    """A context for the engine of the same chunks, which workers keep until it ends; the given one where no cluster reads them."""
    client = client_of(engine.array, engine.client) if isinstance(engine, DaskChunks) else None
    if client is None:
        yield engine
        return
    kept = KeptByWorkers(engine, client)
    try:
        yield kept
    finally:
        kept.let_go()


class KeptByWorkers:
    """The engine of a `ChunkedSource` whose chunks are read once, up to `max_bytes` of them; where more are needed none are kept.

    Parameters
    ----------
    engine : DaskChunks
    client : distributed.Client
        Whose workers read the chunks.
    max_bytes : int
        Size of the kept chunks together.
    """

    def __init__(self, engine, client, max_bytes=MAX_KEPT_BYTES):
        self._engine, self._client, self._max_bytes = engine, client, max_bytes
        self.chunks, self._futures = engine.chunks, {}

    def run(self, tiles, work, join, watch):
        """See `ChunkedSource.run`."""
        array = self._engine.array
        keys = dict.fromkeys((array.name, *index) for tile in tiles for index in tile)
        if sum(map(self._bytes_of, keys | self._futures)) > self._max_bytes:
            return self._engine.run(tiles, work, join, watch)
        missing = [key for key in keys if key not in self._futures]
        if missing:
            graph = type(array).__dask_optimize__(array.dask, missing)
            self._futures |= zip(missing, submit(self._client, graph, missing), strict=True)
        return self._engine.with_kept(self._futures, self._client).run(tiles, work, join, watch)

    def let_go(self):
        """Workers need not keep the chunks any longer, even if a traceback still holds this engine."""
        let_go(self._client, self._futures.values())

    def _bytes_of(self, key):
        return self._engine.array.dtype.itemsize * math.prod(sizes[k] for sizes, k in zip(self.chunks, key[1:], strict=True))
