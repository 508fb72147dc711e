"""One pass over the chunks of a dask array: the task graph, and the joined result of each tile of chunks."""

from __future__ import annotations

import contextlib
import functools
import threading

from .dask_cluster import collect

# Results that one task joins: a larger number keeps more in memory, a smaller one makes more tasks.
FAN_IN = 16


def _joining(layer, name, join, members):
    """Adds the tasks that join members in their order, `FAN_IN` at a time, to a layer of a graph, and returns the last key.

    A single member needs no task.
    """
    while len(members) > 1:
        groups = [members[i:i + FAN_IN] for i in range(0, len(members), FAN_IN)]
        members = []
        for group in groups:
            if len(group) == 1:
                members.append(group[0])
                continue
            key = (name, len(layer))
            layer[key] = (join, group)
            members.append(key)
    return members[0]


def _is_function_of_chunks(array):
    """Whether every chunk of a dask array is computed from one chunk of each other array, or is read."""
    from dask.blockwise import Blockwise

    return all(isinstance(layer, Blockwise) or len(layer) == 1 for layer in array.dask.layers.values())


def client_of(array, client=None):
    """The distributed.Client that computes a dask array, by default that of dask's current scheduler; None where that has none."""
    from dask.base import get_scheduler

    owner = client or getattr(get_scheduler(collections=[array]), "__self__", None)
    return owner if hasattr(owner, "gather") else None


@contextlib.contextmanager
def _pool_of_thread(get):
    """The keywords with which a scheduler of dask reads with as many threads in another thread as in the main one.

    By itself dask makes a pool of four threads more for each such thread, and keeps that of a thread whose pass was stopped.
    """
    from concurrent.futures import ThreadPoolExecutor  # not above: it cannot be loaded while a program ends

    import dask.threaded

    is_usual = get is dask.threaded.get and dask.config.get("pool", None) is None and dask.config.get("num_workers", None) is None
    if not is_usual or threading.current_thread() is threading.main_thread():
        yield {}
        return
    pool = getattr(dask.threaded, "ContextAwareThreadPoolExecutor", ThreadPoolExecutor)(dask.threaded.CPU_COUNT)
    try:
        yield {"pool": pool}
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


class Job:
    """One pass over chunks by a scheduler of dask.

    Parameters
    ----------
    array : dask.array.Array
    found : dask.array.Array
        The result for each of its chunks.
    name : str
        Name of the tasks that join.
    tiles, join
        As of `ChunkedSource.run`.
    """

    def __init__(self, array, found, name, tiles, join):
        from dask.highlevelgraph import HighLevelGraph

        self._array, self._name, self._join = array, found.name, join
        layer = {}
        self._tiles = [[(found.name, *index) for index in tile] for tile in tiles]
        self._keys = [_joining(layer, name, join, tile) for tile in self._tiles]
        self._graph = HighLevelGraph.from_collections(name, layer, dependencies=[found])
        self._optimize = type(found).__dask_optimize__
        # Layers that apply one function to each chunk become one task per chunk in any case; fusing would only rename these tasks.
        self._fuses = {"optimization.fuse.active": False} if _is_function_of_chunks(found) else {}
        self._begun, self._client, self._failed_tiles = {}, None, []
        self.error_of_watch = None

    def results(self, watch, client=None):
        """The joined result of each tile, by dask's current scheduler or a client's workers; `watch` is told of each."""
        from dask.base import get_scheduler

        self._client = client_of(self._array, client)
        self._tell(watch.begin, len(self._keys), self._client is not None)
        try:
            if self._client is None:
                return self._compute_here(get_scheduler(collections=[self._array]), watch)
            return collect(self._client, self._optimized(self._keys), self._keys, self._whole, functools.partial(self._tell, watch.tick),
                           functools.partial(self._tell, watch.tile), self._note_failed)
        finally:
            watch.end()

    def _tell(self, method, *args):
        """Calls a method of the watch; an exception of it, which may stop the pass, is not counted as an error of a chunk."""
        try:
            method(*args)
        except BaseException as error:
            self.error_of_watch = error
            raise

    def _whole(self, k, found):
        """The result to return for a tile: a tile of one chunk has no task that joins."""
        return found if self._keys[k][0] != self._name else self._join([found])

    def _note_failed(self, failed):
        self._failed_tiles = [self._tiles[k] for k in failed]

    def _optimized(self, keys):
        import dask

        with dask.config.set(self._fuses):
            return self._optimize(self._graph, keys)

    def _compute_here(self, get, watch):
        """The results, by a scheduler of this process; `_begun` holds the tasks that have begun and not ended."""
        from dask.callbacks import Callback

        places, thread = {key: k for k, key in enumerate(self._keys)}, threading.get_ident()

        def begin(key, dsk, state):
            if threading.get_ident() == thread:  # callbacks are called for every computation of the process
                self._tell(watch.tick)
                self._begun[key] = True

        def end(key, result, dsk, state, worker):
            if threading.get_ident() == thread:
                self._begun.pop(key, None)
                if key in places:
                    self._tell(watch.tile, places[key], self._whole(places[key], result))

        graph = self._optimized(self._keys)
        with Callback(pretask=begin, posttask=end), _pool_of_thread(get) as pool:
            found = get(graph, self._keys, **pool)
        return [self._whole(k, one) for k, one in enumerate(found)]

    def culprit(self, error):
        """The index of the chunk that failed; None where that is unknown, or none fails again.

        In this process it is one of the running tasks (at most one per thread), on a cluster one of a tile. If there are several
        candidates, each is run once more by itself, except those that ended their workers.
        """
        if type(error).__name__ == "KilledWorker":
            return next((key[1:] for tile in self._tiles for key in tile if str(error.task).endswith(str(key)[2:])), None)
        # dask gives longer names to fused tasks.
        begun = [(self._name, *key[1:]) for key in self._begun if isinstance(key, tuple) and key[0].endswith(self._name)]
        suspects = begun if self._client is None else [key for tile in self._failed_tiles[:1] for key in tile]
        if len(suspects) == 1 and len(self._begun) <= 1:
            return suspects[0][1:]
        return next((key[1:] for key in suspects if self._fails(key)), None)

    def _fails(self, key):
        """Whether the task of a chunk fails when it is run alone."""
        from dask.local import get_sync

        get = get_sync if self._client is None else self._client.get
        try:
            get(self._optimized([key]), key)
        except Exception:
            return True
        return False
