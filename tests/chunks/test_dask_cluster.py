"""Arrays larger than the memory of a cluster's workers: same bits as threads, also where a worker is killed; faults name the chunk."""

import os
import resource
import signal
import threading
import time

import matplotlib.pyplot as plt
import numpy as np
import pytest

import gpuplot
from gpuplot.arrays import dask_cluster, run_progress
from gpuplot.arrays.describe import describe
from gpuplot.arrays.pyramids import at_level
from gpuplot.errors import ChunkError, UnsupportedError
from gpuplot.plane import series
from gpuplot.plane.chunks.stored_preview import stored_preview
from gpuplot.plane.picture_size import window_of
from gpuplot.plane.tensor_plane import plane_of
from gpuplot.plane.view import choose

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.host("chunks are read by the host"), pytest.mark.usefixtures("never_whole")]


@pytest.fixture(scope="module")
def client():
    """A cluster of two processes with little memory, which must not write to the disk instead."""
    never = dict.fromkeys(("distributed.worker.memory.spill", "distributed.worker.memory.target"), False)
    with dask.config.set(never):
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="1GiB", dashboard_address=None)
        with cluster, distributed.Client(cluster) as client:
            yield client


def of_chunks(make, n=12, side=100):
    """An array of n x n chunks, each made by a function of its index."""
    def chunk(block_info):
        return make(block_info[None]["chunk-location"])

    return da.map_blocks(chunk, chunks=((side,) * n,) * 2, dtype="f4", meta=np.empty((0, 0), "f4"))


def numbers(index, side=100):
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

    with pytest.raises(ChunkError, match=r"chunk \(4, 9\), X\[400:500, 900:1000\] of 39.1 KB cannot be read: the disk is gone") as told:
        gpuplot.downsample(of_chunks(fails), (70, 90))
    assert told.value.index == (4, 9) and isinstance(told.value.__cause__, OSError)

    def other(index):
        return numbers(index)[:3] if index == (1, 2) else numbers(index)

    with pytest.raises(ChunkError, match=r"chunk \(1, 2\) has shape \(3, 100\)"):
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


def samples_of(make, note, n=12, size=1000):
    """Samples in chunks, each made from its positions; `note` is called with the number of each chunk that is read."""
    def chunk(block_info):
        k = block_info[None]["chunk-location"][0]
        note(k)
        return make(np.arange(k * size, (k + 1) * size, dtype="f8"))

    return da.map_blocks(chunk, chunks=((size,) * n,), dtype="f8", meta=np.empty(0))


def test_a_zoom_of_a_line_reads_x_once(client, tmp_path, monkeypatch):
    """Workers keep the x that is searched until its samples are taken; a chunk of it that cannot be read is named."""
    monkeypatch.setattr(series, "MAX_COPIED_SAMPLES", 100)

    def note(name):
        return lambda k: (tmp_path / f"{name}{k}").open("a").write(".")

    def take_reads():
        found = {path.name: len(path.read_text()) for path in tmp_path.iterdir()}
        for path in tmp_path.iterdir():
            path.unlink()
        return found

    def positions_but(broken):
        def make(positions):
            if positions[0] == broken and (tmp_path / "broken").exists():
                raise OSError("the disk is gone")
            return positions
        return make

    x, y = samples_of(positions_but(5000), note("x")), samples_of(np.sin, note("y"))
    figure, ax = plt.subplots()
    gpuplot.plot(x, y, ax=ax)
    ax.set_xlim(3100, 6800)
    figure.canvas.draw()
    take_reads()
    ax.set_xlim(2100, 5800)
    figure.canvas.draw()
    assert take_reads() == {f"{name}{k}": 1 for name in "xy" for k in range(2, 6)}
    (tmp_path / "broken").touch()
    ax.set_xlim(2200, 5900)
    with pytest.raises(ChunkError, match=r"chunk \(5,\), X\[5000:6000\] of 7\.81 KB cannot be read: the disk is gone") as told:
        figure.canvas.draw()
    assert nothing_is_left(client), f"what was read for {told} is still there"
    plt.close(figure)


# ---- versions ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def changed_worker(client):
    """A function that changes gpuplot on the first worker until the test is over: hides it, or gives it another version."""
    [worker, *_] = client.nthreads()

    def change(version):
        import sys

        import gpuplot

        if version is not None:
            gpuplot.__version__ = version
            return
        modules = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "gpuplot"}

        class Hidden:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] == "gpuplot":
                    raise ModuleNotFoundError(f"No module named {name!r}", name=name)

            def remove(self):
                sys.meta_path.remove(self)
                sys.modules.update(modules)

        sys.meta_path.insert(0, Hidden())

    def restore(version):
        import sys

        if hasattr(sys.meta_path[0], "remove"):
            sys.meta_path[0].remove()
        sys.modules["gpuplot"].__version__ = version

    yield lambda version: client.run(change, version, workers=[worker]) and worker
    client.run(restore, gpuplot.__version__, workers=[worker])


@pytest.mark.parametrize("version, text", [(None, r"none \(No module named 'gpuplot'\)"), ("0.99.1", r"0\.99\.1")])
def test_a_worker_without_gpuplot_or_with_another_version(client, monkeypatch, changed_worker, version, text):
    """It is named before anything is sent to any worker, and asked again once gpuplot is there."""
    monkeypatch.setattr(dask_cluster, "_checked", {})
    monkeypatch.setattr(client, "_graph_to_futures", lambda *args, **options: pytest.fail("chunks are asked for"))
    worker = changed_worker(version)
    ours = ".".join(gpuplot.__version__.split(".")[:2])
    expected = (rf"needs gpuplot {ours}\.\d+, as in this process, but has {worker}: {text}: install it there, .*"
                rf"PipInstall\(\['gpuplot=={ours}\.\*'\]\)")
    for _ in range(2):
        with pytest.raises(UnsupportedError, match=expected) as told:
            gpuplot.downsample(of_chunks(numbers), (70, 90), client=client)
        assert str(told.value).count("tcp://") == 1


def test_workers_that_come_later_are_asked_too():
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster, set_as_default=False) as client:
        gpuplot.downsample(of_chunks(numbers, 2), (7, 9), client=client)
        [first] = client.nthreads()
        asked, run = [], client.run
        client.run = lambda *args, workers, **how: asked.append(workers) or run(*args, workers=workers, **how)
        gpuplot.downsample(of_chunks(numbers, 2), (7, 9), client=client)
        assert asked == []
        cluster.scale(2)
        client.wait_for_workers(2, timeout=60)
        [later] = set(client.nthreads()) - {first}
        run(lambda: setattr(gpuplot, "__version__", "0.99.1"), workers=[later])
        with pytest.raises(UnsupportedError, match=rf"but has {later}: 0\.99\.1: install"):
            gpuplot.downsample(of_chunks(numbers, 2), (7, 9), client=client)
        assert asked == [[later]]


def test_a_scheduler_of_another_version(client, monkeypatch):
    monkeypatch.setattr(dask_cluster, "_checked", {})
    monkeypatch.setattr(gpuplot, "__version__", "0.99.1")  # of this process, which the scheduler runs in
    with pytest.raises(UnsupportedError, match=r"but has the scheduler: 0\.99\.1: install"):
        gpuplot.downsample(of_chunks(numbers, 2), (7, 9))


# ---- faults of the cluster -------------------------------------------------------------------------------------------------


def in_a_moment(seconds, function, *args):
    """Calls a function in a thread, later."""
    timer = threading.Timer(seconds, function, args)
    timer.start()
    return timer


def nothing_is_left(client):
    """Whether the workers have let go of all results within some seconds."""
    for _ in range(50):
        if not client.who_has() and not client.futures:
            return True
        time.sleep(0.1)
    return False


def test_a_chunk_that_ends_every_worker_is_named(client):
    def ends(index):
        if index == (4, 9):
            os._exit(1)
        return numbers(index)

    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    try:
        text = r"chunk \(4, 9\), X\[400:500, 900:1000\] of 39.1 KB ended each worker that read it, .*: give the workers more memory"
        with pytest.raises(ChunkError, match=text) as told:  # one chunk: chunks that wait on the same worker may be blamed, too
            gpuplot.downsample(of_chunks(ends), (7, 9), view=((410, 490), (910, 990)))
    finally:
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 3))
    assert told.value.index == (4, 9) and type(told.value.__cause__).__name__ == "KilledWorker"
    client.cluster.scale(2)  # the cluster may have taken a worker that ended for one that was given back
    client.wait_for_workers(2, timeout=60)
    assert nothing_is_left(client)


def test_an_error_is_raised_when_it_happens(client, tmp_path):
    """Once a chunk has failed, no other one ends before the error has been raised."""
    failed, raised, late = (tmp_path / name for name in ("failed", "raised", "late"))

    def fails(index):
        if index == (3, 3):
            failed.touch()
            raise OSError("the disk is gone")
        for _ in range(600 if failed.exists() else 0):
            if raised.exists():
                return numbers(index)
            time.sleep(0.1)
        if failed.exists() and not raised.exists():
            late.touch()
        return numbers(index)

    with pytest.raises(ChunkError, match=r"chunk \(3, 3\)"):
        gpuplot.downsample(of_chunks(fails, 8), (70, 90))
    raised.touch()
    assert not late.exists()
    assert nothing_is_left(client)


def test_a_busy_cluster_is_waited_for(client, monkeypatch, capsys):
    monkeypatch.setattr(run_progress, "LONG_SECONDS", 0.2)
    busy = client.map(time.sleep, [1.0 + 1e-3 * k for k in range(4)])
    X = of_chunks(numbers)
    assert gpuplot.downsample(X, (70, 90)).tobytes() == on_threads(X, (70, 90)).tobytes()
    assert "waiting, 0/36 tiles" in capsys.readouterr().err
    del busy


def test_an_interrupt_while_others_keep_all_workers_busy(client, ctrl_c, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(run_progress, "LONG_SECONDS", 0.2)
    done = tmp_path / "done"

    def wait(k):
        while not done.exists():
            time.sleep(0.05)

    busy = client.map(wait, range(2))
    interrupt = in_a_moment(1, ctrl_c)
    try:
        with pytest.raises(KeyboardInterrupt):
            gpuplot.downsample(of_chunks(numbers), (70, 90))
        assert not interrupt.is_alive()
        assert "waiting, 0/36 tiles" in capsys.readouterr().err
        for _ in range(50):
            left = client.run_on_scheduler(lambda dask_scheduler: sorted(dask_scheduler.tasks, key=str))
            if len(left) == len(busy):
                break
            time.sleep(0.1)
        assert left == sorted((future.key for future in busy), key=str)
    finally:
        done.touch()  # or the workers would never read for another test
    client.gather(busy)
    assert gpuplot.downsample(of_chunks(numbers), (70, 90)).tobytes() == on_threads(of_chunks(numbers), (70, 90)).tobytes()


@pytest.mark.parametrize("is_on_cluster", [True, False])
def test_an_interrupt_lets_everything_go(client, ctrl_c, is_on_cluster):
    begun = threading.Event() if not is_on_cluster else None

    def slow(index):
        if begun is not None:
            begun.set()
        time.sleep(0.2)
        return numbers(index)

    X = of_chunks(slow)
    interrupt = in_a_moment(1, ctrl_c)
    how = {"scheduler": client if is_on_cluster else "threads"}
    with dask.config.set(how), pytest.raises(KeyboardInterrupt):
        gpuplot.downsample(X, (70, 90))
    assert not interrupt.is_alive()
    assert nothing_is_left(client)
    X = of_chunks(numbers)
    assert gpuplot.downsample(X, (70, 90)).tobytes() == on_threads(X, (70, 90)).tobytes()


def test_the_client_that_is_given_reads(client):
    X, pids = of_chunks(lambda index: np.full((100, 100), os.getpid(), "f4"), 4), set(client.run(os.getpid).values())
    with dask.config.set(scheduler="threads"):
        assert set(gpuplot.downsample(X, (4, 4)).ravel()) == {os.getpid()}
        assert set(gpuplot.downsample(X, (4, 4), client=client).ravel()) <= pids


def test_a_client_that_is_closed(client):
    other = distributed.Client(client.scheduler.address, set_as_default=False)
    other.close()
    with pytest.raises(ChunkError, match=r"the distributed\.Client is closed, .*: make a new client, and call again"):
        gpuplot.downsample(of_chunks(numbers), (70, 90), client=other)


def test_a_cluster_that_is_closed_meanwhile():
    def slow(index):
        time.sleep(0.3)
        return numbers(index)

    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        client = distributed.Client(cluster, set_as_default=False)
        timer = in_a_moment(1, client.close)
        with pytest.raises(ChunkError, match="closed"):
            gpuplot.downsample(of_chunks(slow), (70, 90), client=client)
        timer.join()


def test_a_cluster_that_is_closed_between_draws():
    X = of_chunks(numbers, 2)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        client = distributed.Client(cluster, set_as_default=False)
        before = gpuplot.downsample(X, (7, 9), client=client)
    with pytest.raises(ChunkError, match=r"the distributed\.Client is closed, .*: make a new client, and call again"):
        gpuplot.downsample(X, (7, 9), client=client)
    assert before.tobytes() == on_threads(X, (7, 9)).tobytes()


def test_a_scheduler_that_does_not_answer(client, monkeypatch):
    def nthreads():
        raise OSError("Connection reset by peer")

    monkeypatch.setattr(client, "nthreads", nthreads)
    text = r"scheduler tcp://\S+ of the cluster does not answer: start it again, or make a client .*\(Connection reset by peer\)"
    with pytest.raises(ChunkError, match=text):
        gpuplot.downsample(of_chunks(numbers, 2), (7, 9), client=client)


def test_a_figure_of_a_cluster_that_is_gone_keeps_its_picture():
    X = of_chunks(lambda index: numbers(index, 200), 8, side=200)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        client = distributed.Client(cluster, set_as_default=False)
        figure, ax = plt.subplots()
        gpuplot.imshow(X, ax=ax, client=client)
        figure.canvas.draw()
        before = np.array(figure.canvas.buffer_rgba())
    figure.canvas.draw()
    np.testing.assert_array_equal(np.array(figure.canvas.buffer_rgba()), before)
    ax.set_xlim(100, 900)
    with pytest.raises(ChunkError, match="closed"):
        figure.canvas.draw()
    plt.close(figure)


def test_a_preview_is_read_by_the_workers_of_the_given_client(client):
    """Also where dask would read it elsewhere: nothing is read in this process."""
    def level(side):
        return da.map_blocks(lambda block_info: np.full((side, side), os.getpid(), "f4"), chunks=((side,) * 4,) * 2, dtype="f4",
                             meta=np.empty((0, 0), "f4"))

    source = describe(at_level([level(100), level(20)], 0)).run_by(client, progress=False)
    plane = plane_of(source, choose(source.shape, None, source.dtype))
    with dask.config.set(scheduler="threads"):
        preview = stored_preview(plane, window_of(source.shape, None, (40, 40)), "mean")
    assert preview.text == "preview, level 1 of 2"
    assert os.getpid() not in preview.frame.cells.numpy() and np.isfinite(preview.frame.cells.numpy()).all()
