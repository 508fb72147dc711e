"""Arrays larger than the memory of a cluster's workers: same bits as threads, also where a worker is killed; faults name the chunk."""

import os
import resource
import signal
import threading
import time

import numpy as np
import pytest

import gpuplot
from gpuplot.arrays import dask_chunks
from gpuplot.errors import ChunkError, UnsupportedError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.host("chunks are read by the host")


@pytest.fixture(scope="module")
def client():
    """A cluster of two processes with little memory, which must not write to the disk instead."""
    never = dict.fromkeys(("distributed.worker.memory.spill", "distributed.worker.memory.target"), False)
    with dask.config.set(never):
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="1GiB", dashboard_address=None)
        with cluster, distributed.Client(cluster) as client:
            yield client


def of_chunks(make, n=12, side=500):
    """An array of n x n chunks, each made by a function of its index."""
    def chunk(block_info):
        return make(block_info[None]["chunk-location"])

    return da.map_blocks(chunk, chunks=((side,) * n,) * 2, dtype="f4", meta=np.empty((0, 0), "f4"))


def numbers(index, side=500):
    values = np.random.default_rng(index).normal(size=(side, side)).astype("f4")
    if index == (3, 3):
        values[7, 7] = np.nan
    return values


def on_threads(X, shape):
    with dask.config.set(scheduler="threads"):
        return gpuplot.downsample(X, shape)


def test_workers_give_the_bits_of_threads_and_keep_nothing(client):
    X = of_chunks(numbers)
    got = gpuplot.downsample(X, (70, 90))
    assert got.tobytes() == on_threads(X, (70, 90)).tobytes()
    assert np.isnan(got).sum() == 1
    for _ in range(50):
        if not client.who_has():
            break
        time.sleep(0.1)
    assert client.who_has() == {}


def test_a_worker_that_is_killed(client):
    def slow(index):
        time.sleep(0.02)
        return numbers(index)

    X, pids = of_chunks(slow), list(client.run(os.getpid).values())
    want = on_threads(of_chunks(numbers), (70, 90))
    timer = threading.Timer(0.8, os.kill, (pids[0], signal.SIGKILL))
    timer.start()
    got = gpuplot.downsample(X, (70, 90))
    assert not timer.is_alive()
    assert got.tobytes() == want.tobytes()
    client.wait_for_workers(2, timeout=30)
    assert pids[0] not in client.run(os.getpid).values()


def test_faults_name_the_chunk(client):
    def fails(index):
        if index == (4, 9):
            raise OSError("the disk is gone")
        return numbers(index)

    with pytest.raises(ChunkError, match=r"chunk \(4, 9\), X\[2000:2500, 4500:5000\] of 977 KB cannot be read: the disk is gone") as told:
        gpuplot.downsample(of_chunks(fails), (70, 90))
    assert told.value.index == (4, 9) and isinstance(told.value.__cause__, OSError)

    def other(index):
        return numbers(index)[:3] if index == (1, 2) else numbers(index)

    with pytest.raises(ChunkError, match=r"chunk \(1, 2\) has shape \(3, 500\)"):
        gpuplot.downsample(of_chunks(other), (70, 90))


def test_memory_of_a_worker_holds_a_chunk(client):
    """8 GiB in chunks of 64 MiB: what a worker has at most is some chunks, not their sum."""
    before = max(client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss).values())
    X = of_chunks(lambda index: np.full((4096, 4096), sum(index), "f4"), n=11, side=4096)
    got = gpuplot.downsample(X, (11, 11))
    np.testing.assert_array_equal(got, np.add.outer(np.arange(11), np.arange(11)))
    after = max(client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss).values())
    print(f"resident memory of a worker at most: {before / 1024:.0f} MiB before, {after / 1024:.0f} MiB after")
    assert after - min(before, after) < 400 * 1024


def test_another_version_is_refused_before_anything_is_sent(client, monkeypatch):
    real = client.get_versions

    def versions(**options):
        found = real(**options)
        found["client"]["packages"]["gpuplot"] = "0.1.5"
        found["scheduler"]["packages"]["gpuplot"] = "0.1.0"
        for k, node in enumerate(found["workers"].values()):
            node["packages"]["gpuplot"] = ("0.1.7", "0.2.0")[k % 2]
        return found

    monkeypatch.setattr(client, "get_versions", versions)
    monkeypatch.setattr(dask_chunks, "_checked", set())
    with pytest.raises(UnsupportedError, match=r"needs gpuplot 0\.1\.5, as here, and has tcp://\S+: 0\.2\.0: install.*PipInstall"):
        gpuplot.downsample(of_chunks(numbers), (70, 90))
