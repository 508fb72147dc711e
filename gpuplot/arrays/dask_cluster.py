"""Checks a distributed.Client and its workers, and collects the workers' results as they arrive."""

from __future__ import annotations

import queue
import weakref

from ..errors import ChunkError, UnsupportedError

# Seconds between checks whether a pass is still wanted, and whether its cluster still exists.
TICK_SECONDS = 0.1

# Clients whose workers have been asked for their version of gpuplot.
_checked = weakref.WeakSet()


def check_client(client):
    """Returns the `client` parameter; TypeError if it is not a distributed.Client, or an asynchronous one."""
    if client is None:
        return None
    if not all(hasattr(client, name) for name in ("get", "gather", "get_versions", "status")):
        raise TypeError(f"client={client!r} is not a distributed.Client; leave it out for dask's current scheduler")
    if getattr(client, "asynchronous", False):
        raise TypeError(f"client={client!r} is asynchronous, which only coroutines can wait for: give distributed.Client(address)")
    return client


def collect(client, graph, keys, finish, tick, tell, note_failed):
    """Computes some keys of a graph on a client's workers; results no longer needed are released, after an interrupt too.

    Parameters
    ----------
    finish : callable
        ``finish(k, result)`` gives the value returned for key number `k`.
    tick, tell : callable
        ``tick()`` is called ten times a second, ``tell(k, finished)`` for each result as it arrives; an exception of either ends the pass.
    note_failed : callable
        Called with the numbers of the keys that failed, before their error is raised.
    """
    _check_open(client)
    check_versions(client)
    futures = client.get(graph, keys, sync=False)
    ended, found = queue.SimpleQueue(), {}

    def watch(k):
        futures[k].add_done_callback(lambda _: ended.put(k))

    try:
        for k in range(len(futures)):
            watch(k)
        while len(found) < len(futures):
            tick()
            states = {k: futures[k].status for k in _batch(ended)}
            failed = [k for k, state in states.items() if state in ("error", "cancelled")]
            if failed:
                note_failed(failed)
                _raise_of(client, futures[failed[0]])
            batch = [k for k, state in states.items() if state == "finished"]
            for k in states.keys() - set(batch):  # lost with a worker that ended; another one recomputes it
                watch(k)
            for k, result in zip(batch, client.gather([futures[k] for k in batch]) if batch else (), strict=True):
                found[k] = finish(k, result)
                tell(k, found[k])
            _check_open(client)
        return [found[k] for k in range(len(futures))]
    finally:
        _let_go(client, futures)


def _batch(ended):
    """The numbers of the keys that have ended meanwhile; none after a tenth of a second without any."""
    try:
        batch = [ended.get(timeout=TICK_SECONDS)]
    except queue.Empty:
        return []
    while not ended.empty():
        batch.append(ended.get())
    return batch


def _raise_of(client, future):
    if future.status == "error":
        future.result()  # raises
    _check_open(client)
    raise ChunkError("the cluster dropped the computation: it was restarted or closed; call again once it is running")


def _let_go(client, futures):
    if client.status == "running":
        client.cancel([future for future in futures if not future.done()])
    for future in futures:
        future.release()


def _check_open(client):
    """ChunkError where a client is closed."""
    if client.status in ("closing", "closed"):
        raise ChunkError("the distributed.Client is closed, and its workers cannot be reached: make a new client, and call again")


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
        raise UnsupportedError(f"the cluster needs gpuplot {ours}, as in this process, but has {listed}: install it there, for "
                               "example by client.register_plugin(distributed.PipInstall(['gpuplot']))")
    _checked.add(client)


def _minor(version):
    """The "major.minor" part of a version."""
    return None if version is None else str(version).split(".")[:2]
