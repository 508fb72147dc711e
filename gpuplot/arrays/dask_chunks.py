"""Chunks of a dask array, each looked at by one task of dask's current scheduler: threads, processes or a cluster."""

from __future__ import annotations

import itertools
import math
import uuid
import weakref

from ..errors import ChunkError, UnsupportedError, reason_of, size_text

# Reads of a store are as large as this, in whole chunks, where its own are smaller. Larger ones are put together from chunks, in
# memory that is new every time.
READ_BYTES = 8 * 2**20

# Results that are joined at a time: more wait in memory, fewer make more tasks.
FAN_IN = 16


def dask_array():
    """The module dask.array; UnsupportedError that says how to install it where it is missing."""
    try:
        import dask.array
    except ImportError as error:
        raise UnsupportedError('an array that is read chunk by chunk needs dask: pip install "gpuplot[scale]"') from error
    return dask.array


def open_store(X, chunks, is_locked):
    """The dask array of an object with ``shape``, ``dtype`` and ``__getitem__``, in pieces of whole chunks; nothing is read.

    Parameters
    ----------
    X : object
    chunks : tuple of int or None
        Those that the store itself has; None for elements that lie as in C.
    is_locked : bool
        Whether only one thread at a time may read.
    """
    import numpy as np

    sizes = read_sizes(X.shape, chunks, X.dtype.itemsize)
    return dask_array().from_array(X, sizes, name=f"store-{uuid.uuid4().hex}", lock=is_locked, asarray=False,
                                   meta=np.empty((0,) * len(X.shape), X.dtype))


def read_sizes(shape, chunks, item_bytes):
    """Sizes of reads along each axis: multiples of the chunks, wide before high, up to `READ_BYTES`."""
    sizes = [max(1, min(n, chunk)) for n, chunk in zip(shape, chunks or (1,) * len(shape), strict=True)]
    for axis in reversed(range(len(shape))):
        if len(shape) - axis > 2 and chunks is not None:
            break  # pages of a stack are looked at one by one
        room = READ_BYTES // max(1, item_bytes * math.prod(sizes))
        sizes[axis] = max(1, min(shape[axis], sizes[axis] * max(1, room)))
    return tuple(sizes)


class DaskChunks:
    """The engine of a `ChunkedSource` over a dask array.

    Parameters
    ----------
    array : dask.array.Array
        Of known shape.
    """

    def __init__(self, array):
        self.array, self.chunks = array, array.chunks

    def run(self, tiles, work, join):
        """See `ChunkedSource.run`."""
        name = f"gpuplot-{uuid.uuid4().hex}"
        job = _Job(self.array, self._looked_at(work, f"{name}-chunk"), f"{name}-tile", tiles, join)
        try:
            return job.results()
        except (ChunkError, MemoryError, UnsupportedError):
            raise
        except Exception as error:
            raise self._error(job.culprit(error), error) from error

    def _looked_at(self, work, name):
        """The dask array of what is found in each chunk; never computed as an array."""
        import numpy as np

        look = _Look(work, self.chunks)
        return dask_array().map_blocks(look, self.array, dtype=object, meta=np.empty((0,) * self.array.ndim, object), name=name)

    def _error(self, index, cause):
        """A `ChunkError`; `index` is None where nobody knows which chunk it was."""
        what = (f"the chunks of the {type(self.array).__name__} of shape {self.array.shape}" if index is None else
                chunk_text(self.chunks, index, self.array.dtype.itemsize))
        return ChunkError(f"{what} cannot be read: {reason_of(cause)}", index)


def slices_of(chunks, index):
    """The slices of a chunk, of sizes along each axis and the index in the grid."""
    begins = (sum(sizes[:k]) for sizes, k in zip(chunks, index, strict=True))
    return tuple(slice(begin, begin + sizes[k]) for begin, sizes, k in zip(begins, chunks, index, strict=True))


def chunk_text(chunks, index, item_bytes=0):
    """A chunk in words: its index, its slices, and its size where that of an element is given."""
    parts = slices_of(chunks, index)
    n_bytes = item_bytes * math.prod(part.stop - part.start for part in parts)
    inside = ", ".join(f"{part.start}:{part.stop}" for part in parts)
    return f"chunk {tuple(index)}, X[{inside}]" + (f" of {size_text(n_bytes)}" if item_bytes else "")


class _Look:
    """The function that dask calls with each chunk: checks that it is as announced, and looks at it."""

    def __init__(self, work, chunks):
        self._work, self._chunks = work, chunks

    def __call__(self, elements, block_id=None):
        if block_id is None:
            return None  # dask asks what kind of array comes out
        expected = tuple(sizes[k] for sizes, k in zip(self._chunks, block_id, strict=True))
        shape = tuple(getattr(elements, "shape", ()))
        if shape != expected:
            raise ChunkError(f"chunk {tuple(block_id)} has shape {shape} and was announced as {expected}: the function that makes it gives "
                             "another shape than dask was told", tuple(block_id))
        try:
            return self._work(elements, block_id)
        except (ChunkError, MemoryError):
            raise
        except Exception as error:
            raise ChunkError(f"{chunk_text(self._chunks, block_id)}: {reason_of(error)}", tuple(block_id)) from error


def _joining(layer, name, join, members):
    """The key of what joins members in their order, `FAN_IN` at a time; its tasks are added to a layer of a graph.

    One member needs no task.
    """
    while len(members) > 1:
        groups = [members[i:i + FAN_IN] for i in range(0, len(members), FAN_IN)]
        members = []
        for group in groups:
            key = (name, len(layer)) if len(group) > 1 else group[0]
            layer |= {key: (join, group)} if len(group) > 1 else {}
            members.append(key)
    return members[0]


def _is_function_of_chunks(array):
    """Whether every chunk of a dask array is computed from one chunk of each other array, or is read."""
    from dask.blockwise import Blockwise

    return all(isinstance(layer, Blockwise) or len(layer) == 1 for layer in array.dask.layers.values())


class _Job:
    """One pass over chunks by dask's current scheduler.

    Parameters
    ----------
    array : dask.array.Array
    found : dask.array.Array
        What is found in each of its chunks.
    name : str
        Of the tasks that join.
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
        # Layers that are one function of each chunk become one task a chunk in any case, which fusing would only give another name.
        self._fuses = {"optimization.fuse.active": False} if _is_function_of_chunks(found) else {}
        self._begun, self._client, self._failed_tiles = {}, None, []

    def results(self):
        """What `join` gives for each tile."""
        from dask.base import get_scheduler

        get = get_scheduler(collections=[self._array])
        owner = getattr(get, "__self__", None)
        self._client = owner if hasattr(owner, "gather") else None
        graph = self._optimized(self._keys)
        found = self._compute_here(get, graph, self._keys) if self._client is None else self._compute_on_cluster(graph, self._keys)
        return [one if key[0] != self._name else self._join([one]) for key, one in zip(self._keys, found, strict=True)]

    def _optimized(self, keys):
        import dask

        with dask.config.set(self._fuses):
            return self._optimize(self._graph, keys)

    def _compute_here(self, get, graph, keys):
        """The results by a scheduler of this process; `_begun` has the tasks that have begun and not ended."""
        from dask.callbacks import Callback

        with Callback(pretask=lambda key, dsk, state: self._begun.__setitem__(key, True),
                      posttask=lambda key, result, dsk, state, worker: self._begun.pop(key, None)):
            return list(get(graph, keys))

    def _compute_on_cluster(self, graph, keys):
        """The results by a cluster's workers; what is not needed any more, after an interrupt too, is let go."""
        check_versions(self._client)
        futures = self._client.get(graph, keys, sync=False)
        try:
            return self._client.gather(futures)
        except Exception:
            self._failed_tiles = [tile for tile, future in zip(self._tiles, futures, strict=True) if future.status == "error"]
            raise
        finally:
            self._client.cancel([future for future in futures if not future.done()])
            for future in futures:
                future.release()

    def culprit(self, error):
        """The index of the chunk that failed; None where that cannot be told, or none fails again.

        In this process it is one of the tasks that had begun, of which there are no more than threads; on a cluster one of a tile.
        Where they are several, each is done once more by itself, but not those that ended their workers.
        """
        if type(error).__name__ == "KilledWorker":
            return next((key[1:] for tile in self._tiles for key in tile if str(error.task).endswith(str(key)[2:])), None)
        # dask gives tasks that it fuses longer names.
        begun = [(self._name, *key[1:]) for key in self._begun if isinstance(key, tuple) and key[0].endswith(self._name)]
        suspects = begun if self._client is None else [key for tile in self._failed_tiles[:1] for key in tile]
        if len(suspects) == 1 and len(self._begun) <= 1:
            return suspects[0][1:]
        return next((key[1:] for key in suspects if self._fails(key)), None)

    def _fails(self, key):
        """Whether a chunk fails by itself."""
        from dask.local import get_sync

        try:
            (get_sync if self._client is None else self._client.get)(self._optimized([key]), key)
        except Exception:
            return True
        return False


# Clients whose workers have been asked for their version of gpuplot.
_checked = weakref.WeakSet()


def check_versions(client):
    """UnsupportedError where a worker, or the scheduler, has no gpuplot or another minor version; asked once for each client."""
    if client in _checked:
        return
    versions = client.get_versions(packages=["gpuplot"])
    ours = versions["client"]["packages"].get("gpuplot")
    others = {"the scheduler": versions["scheduler"], **versions["workers"]}
    found = {name: (node or {}).get("packages", {}).get("gpuplot") for name, node in others.items()}
    wrong = {name: version for name, version in found.items() if _minor(version) != _minor(ours)}
    if wrong:
        listed = ", ".join([f"{name}: {version or 'none'}" for name, version in wrong.items()][:4] + ["..."] * (len(wrong) > 4))
        raise UnsupportedError(f"the cluster needs gpuplot {ours}, as here, and has {listed}: install it there, for "
                               "example by client.register_plugin(distributed.PipInstall(['gpuplot']))")
    _checked.add(client)


def _minor(version):
    """Major and minor number of a version."""
    return None if version is None else str(version).split(".")[:2]


def check_array(X):
    """The shape of a dask array as integers; UnsupportedError where it is not known before it is computed."""
    if not all(isinstance(n, int) or hasattr(n, "__index__") for n in itertools.chain(X.shape, *X.chunks)):
        raise UnsupportedError(f"the {type(X).__name__} of dask does not know its shape before it is computed: find it with "
                               "X.compute_chunk_sizes(), or draw its result, X.compute()")
    return tuple(int(n) for n in X.shape)
