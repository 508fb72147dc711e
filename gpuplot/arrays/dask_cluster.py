"""Checks a distributed.Client and its workers, and collects the workers' results as they arrive."""

from __future__ import annotations

import pkgutil
import queue
import weakref
from contextlib import contextmanager

from .._version import __version__
from ..errors import ChunkError, UnsupportedError, reason_of

# Seconds between checks whether a pass is still wanted, and whether its cluster still exists.
TICK_SECONDS = 0.02

# The version of gpuplot, as `pkgutil.resolve_name` finds it.
VERSION = "gpuplot:__version__"

# Workers that an error names at most.
MAX_TOLD = 4

# Client -> the addresses of the workers that have the right version of gpuplot.
_checked = weakref.WeakKeyDictionary()


def check_client(client):
    """Returns the `client` parameter; TypeError if it is not a distributed.Client, or an asynchronous one."""
    if client is None:
        return None
    if not all(hasattr(client, name) for name in ("get", "gather", "run", "status")):
        raise TypeError(f"client={client!r} is not a distributed.Client; leave it out for dask's current scheduler")
    if getattr(client, "asynchronous", False):
        raise TypeError(f"client={client!r} is asynchronous, which only coroutines can wait for: give distributed.Client(address)")
    return client


def submit(client, graph, keys):
    """Futures of some keys of a graph; the workers are checked first."""
    _check_open(client)
    with _reached(client):
        check_versions(client)
        return client.get(graph, keys, sync=False)


def collect(client, graph, keys, finish, tick, tell, note_failed):
    """Computes some keys of a graph on a client's workers; results no longer needed are released, after an interrupt too.

    Parameters
    ----------
    finish : callable
        ``finish(k, result)`` gives the value returned for key number `k`.
    tick, tell : callable
        ``tick()`` is called fifty times a second, ``tell(k, finished)`` for each result as it arrives; their exceptions end the pass.
    note_failed : callable
        Called with the numbers of the keys that failed, before their error is raised.
    """
    futures = submit(client, graph, keys)
    ended, found = queue.SimpleQueue(), {}
    try:
        for k in range(len(futures)):
            _watch(futures, k, ended)
        while len(found) < len(futures):
            tick()
            batch = _finished(client, futures, ended, note_failed)
            for k, result in zip(batch, _gathered(client, [futures[k] for k in batch]), strict=True):
                found[k] = finish(k, result)
                tell(k, found[k])
            _check_open(client)
        return [found[k] for k in range(len(futures))]
    finally:
        let_go(client, futures)


def _watch(futures, k, ended):
    """Lets a queue get the number of a key when its future ends."""
    futures[k].add_done_callback(lambda _: ended.put(k))


def _finished(client, futures, ended, note_failed):
    """The numbers of the keys that have finished meanwhile; the error of one that failed is raised."""
    states = {k: futures[k].status for k in _batch(ended)}
    failed = [k for k, state in states.items() if state in ("error", "cancelled")]
    if failed:
        note_failed(failed)
        _raise_of(client, futures[failed[0]])
    finished = [k for k, state in states.items() if state == "finished"]
    for k in states.keys() - set(finished):  # lost with a worker that ended; another one recomputes it
        _watch(futures, k, ended)
    return finished


def _gathered(client, futures):
    """The results of some futures; straight from the workers where they run beside this process, else through the scheduler."""
    is_beside = type(getattr(client, "cluster", None)).__name__ == "LocalCluster"
    return client.gather(futures, direct=True if is_beside else None) if futures else []


def _batch(ended):
    """The numbers of the keys that have ended meanwhile; none after `TICK_SECONDS` without any."""
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


def let_go(client, futures):
    """Cancels what is still computed, and lets workers drop the rest."""
    if client.status == "running":
        client.cancel([future for future in futures if not future.done()])
    for future in futures:
        future.release()


def _check_open(client):
    """ChunkError where a client is closed."""
    if client.status in ("closing", "closed"):
        raise ChunkError("the distributed.Client is closed, and its workers cannot be reached: make a new client, and call again")


@contextmanager
def _reached(client):
    """A context for messages to the scheduler; ChunkError where it does not answer."""
    try:
        yield
    except OSError as error:
        raise ChunkError(f"the scheduler {client.scheduler.address} of the cluster does not answer: start it again, or make a client of "
                         f"another cluster, and call again ({reason_of(error)})") from error


def check_versions(client):
    """UnsupportedError where a worker, or the scheduler, cannot import gpuplot or has another minor version; asked once of each."""
    known = _checked.setdefault(client, set())
    new = sorted(set(client.nthreads()) - known)
    if known and not new:
        return
    # A function of Python's own: what is pickled from this package cannot be read where the package is missing.
    found = client.run(pkgutil.resolve_name, VERSION, workers=new, on_error="return") if new else {}
    if not known:
        found |= {"the scheduler": _version_of_scheduler(client)}
    wrong = {name: version for name, version in found.items() if not _is_ours(version)}
    if wrong:
        raise UnsupportedError(_versions_text(wrong))
    known.update(new)


def _version_of_scheduler(client):
    try:
        return client.run_on_scheduler(pkgutil.resolve_name, VERSION)
    except ImportError as error:
        return error


def _is_ours(version):
    """Whether a version, or the exception in its place, has the same "major.minor" as this process."""
    return isinstance(version, str) and version.split(".")[:2] == __version__.split(".")[:2]


def _versions_text(wrong):
    """What to say of {name of a node: its version, or the exception of the import}."""
    told = [f"{name}: {version if isinstance(version, str) else f'none ({reason_of(version)})'}" for name, version in wrong.items()]
    listed = told if len(told) <= MAX_TOLD else [*told[:MAX_TOLD], f"{len(told) - MAX_TOLD} more"]
    minor = ".".join(__version__.split(".")[:2])
    return (f"the cluster needs gpuplot {__version__}, as in this process, but has {', '.join(listed)}: install it there, "
            f"for example by client.register_plugin(distributed.PipInstall(['gpuplot=={minor}.*']))")
