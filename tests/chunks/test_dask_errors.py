"""Chunks of dask that cannot be read or are not as announced, far too many of them, interrupts: errors name the chunk."""

import os
import pickle
import subprocess
import sys
import textwrap
import threading

import matplotlib.pyplot as plt
import numpy as np
import pytest
from dask_arrays import SCHEDULERS, Store, counted_reads, normal

import gpuplot
from gpuplot.arrays import chunked_source, dask_chunks, lazy_arrays
from gpuplot.arrays.describe import describe
from gpuplot.errors import ChunkError, UnsupportedError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

pytestmark = [pytest.mark.host("chunks are read by the host"), pytest.mark.usefixtures("never_whole")]


def test_dates_in_chunks_are_not_computed_unasked():
    """`hist` and `hist2d` computed arrays of any size as a whole, in memory, for the units of an axis."""
    read = []
    times = counted_reads(read, "M8[s]")
    with pytest.raises(UnsupportedError, match=r"datetime64\[s\].*choose a unit first"):
        gpuplot.plot(times, np.zeros(2000))
    for X in (times, times.astype(object), times.astype("U30")):
        with pytest.raises(UnsupportedError, match="are not numbers"):
            gpuplot.hist(X)
    with pytest.raises(UnsupportedError, match="are not numbers"):
        gpuplot.hist2d(times, times)
    assert not read


@pytest.mark.parametrize("call", [gpuplot.plot, gpuplot.hist, lambda X: gpuplot.hist2d(X, X), lambda X: gpuplot.scatter(X, X)])
def test_an_array_of_unknown_shape_is_not_computed_unasked(call):
    read = []
    X = counted_reads(read, "f8")
    with pytest.raises(UnsupportedError, match=r"does not know its shape.*X\.compute_chunk_sizes\(\)"):
        call(X[X >= 0])
    assert not read


@pytest.mark.parametrize("how", SCHEDULERS, ids=str)
def test_a_chunk_that_raises_is_named(how):
    def fail(chunk, block_info=None):
        if block_info and block_info[0]["chunk-location"] == (2, 1):
            raise OSError("the disk is gone")
        return chunk

    X = da.from_array(normal(200, 300), chunks=(60, 90)).map_blocks(fail, dtype="f4", meta=np.empty((0, 0), "f4"))
    text = r"chunk \(2, 1\), X\[120:180, 90:180\] of 21.1 KB cannot be read: the disk is gone"
    with dask.config.set(how), pytest.raises(ChunkError, match=text) as told:
        gpuplot.downsample(X, (20, 20))
    assert told.value.index == (2, 1) and isinstance(told.value.__cause__, OSError)
    gpuplot.downsample(X, (20, 20), view=((0, 100), (0, 80)))  # other chunks can be looked at


def test_a_chunk_for_which_there_is_no_memory_is_named():
    def fail(chunk, block_info=None):
        if block_info and block_info[0]["chunk-location"] == (2, 1):
            raise MemoryError("Unable to allocate 5.00 GiB")
        return chunk

    X = da.from_array(normal(200, 300), chunks=(60, 90)).map_blocks(fail, dtype="f4", meta=np.empty((0, 0), "f4"))
    with pytest.raises(MemoryError, match=r"chunk \(2, 1\), X\[120:180, 90:180\] of 21.1 KB.*5.00 GiB; make the chunks smaller"):
        gpuplot.downsample(X, (20, 20))


def test_what_no_other_process_can_be_sent_is_told():
    """Files of h5py, locks and the like; the error was about a chunk, or had the first lines of the text of the graph."""
    lock = threading.Lock()
    X = da.from_array(normal(60, 50), chunks=(20, 25)).map_blocks(lambda chunk: chunk if lock else None, dtype="f4")
    assert gpuplot.downsample(X, (3, 3)).shape == (3, 3)
    with dask.config.set(scheduler="processes"), pytest.raises(ChunkError, match=r"shape \(60, 50\) cannot be sent to other processes: "
                                                               r"cannot pickle '_thread.lock' object; let threads read them"):
        gpuplot.downsample(X, (3, 3))


def test_chunks_that_are_not_as_announced():
    X = da.from_array(normal(200, 300), chunks=(60, 90))
    cut = X.map_blocks(lambda chunk: chunk[:5], dtype="f4", meta=np.empty((0, 0), "f4"))
    with pytest.raises(ChunkError, match=r"chunk \(\d, \d\) has shape \(5, \d+\) but dask expects \(\d+, \d+\)"):
        gpuplot.downsample(cut, (20, 20))
    with pytest.raises(ChunkError, match=r"chunk \(\d, \d\) is a list, and not an array: correct the function that makes the chunks"):
        gpuplot.downsample(X.map_blocks(lambda chunk: chunk.tolist(), dtype="f4", meta=np.empty((0, 0), "f4")), (20, 20))
    wide = X.map_blocks(lambda chunk: chunk.astype("f8"), dtype="f4", meta=np.empty((0, 0), "f4"))
    with pytest.raises(ChunkError, match="has elements of float64, but the array's dtype is float32"):
        gpuplot.downsample(wide, (20, 20))


def test_what_cannot_be_read_is_refused_before_a_chunk_is(monkeypatch):
    X = da.from_array(normal(200, 300), chunks=(60, 90))
    with pytest.raises(UnsupportedError, match=r"does not know its shape.*X\.compute_chunk_sizes\(\)"):
        gpuplot.downsample(X[X[:, 0] > 0], (3, 3))
    with pytest.raises(UnsupportedError, match="not numbers"):
        gpuplot.downsample(X.astype(object), (3, 3))
    with pytest.raises(UnsupportedError, match=r"draw a part, X\[:2048, :2048\], or compute it yourself, X\.compute\(\)"):
        describe(X).borrow()
    import builtins

    real = builtins.__import__

    def without_dask(name, *args, **keywords):
        if name.startswith("dask"):
            raise ImportError("no dask")
        return real(name, *args, **keywords)

    monkeypatch.setattr(builtins, "__import__", without_dask)
    with pytest.raises(UnsupportedError, match=r'pip install "gpuplot\[scale\]"'):
        gpuplot.downsample(Store(normal(200, 300), (100, 100)), (3, 3))


MANY_CALLS = {"imshow": lambda X: gpuplot.imshow(X), "stats": lambda X: gpuplot.stats(X), "slices": lambda X: gpuplot.stats(X, dim=1),
              "hist": lambda X: gpuplot.hist(X), "asnumpy": lambda X: gpuplot.asnumpy(X), "plot": lambda X: gpuplot.plot(X),
              "to_rgba": lambda X: gpuplot.to_rgba(X, (9, 9))}


@pytest.mark.parametrize("call", MANY_CALLS)
def test_far_too_many_chunks_are_refused_before_they_are_listed(call, monkeypatch):
    """Sixteen million chunks of one element, which dask would list for minutes; an array of few bytes, too, is not computed unasked."""
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 2**40)
    X = da.ones((4096, 4096), chunks=1)
    if call == "plot":
        monkeypatch.setattr(chunked_source, "MAX_CHUNKS", 50)
        monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 1000)
        X = da.ones(600, chunks=10)
    with pytest.raises(UnsupportedError, match=f"{X.npartitions:,} chunks would be read.*chunks='auto'"):
        MANY_CALLS[call](X)


def test_many_chunks_are_warned_about(monkeypatch):
    monkeypatch.setattr(dask_chunks, "MANY_CHUNKS", 8)
    X = da.ones((30, 30), chunks=10)
    with pytest.warns(gpuplot.errors.GpuplotWarning, match="9 chunks are read, .*about 100 MB"):
        gpuplot.downsample(X, (5, 5))
    gpuplot.downsample(X, (5, 5), view=((0, 9), (0, 30)))  # three of them


def test_errors_travel():
    error = pickle.loads(pickle.dumps(ChunkError("text", (1, 2))))
    assert (str(error), error.index) == ("text", (1, 2))


def test_an_interrupt_ends_the_draw():
    def interrupt(chunk):
        raise KeyboardInterrupt

    X = da.from_array(normal(200, 300), chunks=(60, 90)).map_blocks(interrupt, dtype="f4", meta=np.empty((0, 0), "f4"))
    with dask.config.set(scheduler="synchronous"), pytest.raises(KeyboardInterrupt):
        gpuplot.downsample(X, (20, 20))


def test_a_pass_in_another_thread_that_is_stopped_leaves_no_threads():
    """dask kept a pool for each thread whose pass was stopped, of more threads than the main thread has."""
    seen = set()

    def look(chunk):
        seen.add(threading.get_ident())
        return chunk

    X = da.zeros((400, 400), chunks=40).map_blocks(look, dtype="f8", meta=np.empty((0, 0)))

    def stop(n_done, n):
        if n_done == n:
            raise KeyboardInterrupt

    def read():
        with pytest.raises(KeyboardInterrupt):
            gpuplot.downsample(X, (20, 20), progress=stop)

    n_threads = threading.active_count()
    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    for one in threading.enumerate():
        if one.ident in seen:
            one.join(2)
    assert threading.active_count() == n_threads and 0 < len(seen) <= dask.system.CPU_COUNT


def test_small_arrays_are_of_the_shape_that_they_announce():
    """One whose function gives chunks of another shape was drawn as another array than ``X.shape`` says."""
    X = da.from_array(np.ones((4, 4)), chunks=2).map_blocks(lambda block: block[:1], dtype="f8")
    with pytest.raises(ChunkError, match=r"announced with shape \(4, 4\), and what was computed has \(2, 4\).*chunks="):
        gpuplot.stats(X)


def histogram_of(X):
    return gpuplot.hist(X, ax=plt.figure().subplots())


def lying(make, dtype="f4"):
    """A small array of four chunks, of which the last one is what `make` makes of its zeros, though it says `dtype`."""
    X = da.zeros((4, 4), chunks=2, dtype=dtype)
    return X.map_blocks(lambda block, block_id: make(block) if block_id == (1, 1) else block, dtype=dtype, meta=X._meta)


@pytest.mark.parametrize(("make", "words"), [
    (lambda block: block * 1j, r"chunk \(1, 1\) has elements of complex64, but the array's dtype is float32: give the array the dtype"),
    (lambda block: block.astype("f8"), r"chunk \(1, 1\) has elements of float64, but the array's dtype is float32"),
    (lambda block: block.astype(object), r"chunk \(1, 1\) has elements of object, but the array's dtype is float32"),
    (lambda block: block.astype(str), r"chunk \(1, 1\) has elements of <U32, but the array's dtype is float32"),
    (lambda block: block[..., None], r"chunk \(1, 1\) has shape \(2, 2, 1\) but dask expects \(2, 2\): correct the chunks="),
    (lambda block: None, r"chunk \(1, 1\) is a NoneType, and not an array: correct the function"),
    (lambda block: block.tolist(), r"chunk \(1, 1\) is a list, and not an array: correct the function"),
])
@pytest.mark.parametrize("function", [gpuplot.stats, gpuplot.asnumpy, gpuplot.to_rgba, histogram_of])
def test_small_arrays_are_of_the_dtype_that_they_announce(function, make, words):
    """Complex elements of an array of floats were shown by their size, and lost their imaginary parts beside floats."""
    with pytest.raises(ChunkError, match=words) as told:
        function(lying(make))
    assert told.value.index == (1, 1)


@pytest.mark.parametrize(("make", "words"), [
    (lambda block: np.vstack([block, block]), r"chunk \(1, 1\) has shape \(4, 2\) but dask expects \(2, 2\)"),
    (lambda block: None, r"chunk \(1, 1\) is a NoneType, and not an array"),
    (lambda block: 1 / 0, r"chunk \(1, 1\), X\[2:4, 2:4\] of 48 B cannot be read: division by zero"),
])
@pytest.mark.parametrize("is_first", [False, True])
def test_each_of_the_chunks_that_are_read_together_is_as_announced(make, words, is_first, monkeypatch):
    """Of weights in a larger chunk only the first ones were used, and what was no array was called `Together`."""
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 0)
    pair = [da.zeros((4, 4), chunks=2), lying(make)]
    x, weights = reversed(pair) if is_first else pair
    with pytest.raises(ChunkError, match=words):
        gpuplot.hist(x, [0, 1], weights=weights)


@pytest.mark.parametrize("n_bytes", [0, 10**6])
def test_masked_floats_that_numpy_makes_wider_are_read(monkeypatch, n_bytes):
    """numpy.ma makes float64 of ``float32 * 2``, which dask announces as float32: scaled data with a mask was refused."""
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", n_bytes)
    X = da.ma.masked_less(da.from_array(normal(40, 50), chunks=(17, 30)), 0)
    scaled = 2 * X + 0.5
    found, want = gpuplot.asnumpy(scaled), 2 * np.ma.masked_less(normal(40, 50), 0).astype("f8") + 0.5
    assert found.dtype == scaled.dtype == "f4"
    np.testing.assert_allclose(found, want.filled(np.nan), rtol=1e-6)
    assert gpuplot.stats(scaled).masked == want.mask.sum() and gpuplot.hist2d(X, scaled)[0].sum() == want.count()


@pytest.mark.parametrize("dtype", ["i2", "f4", "?"])
def test_one_number_that_is_masked_is_of_its_dtype(dtype):
    """numpy.ma reduces masked elements to a constant, which is float64: it was refused as a chunk of another dtype."""
    X = da.ma.masked_array(np.arange(5).astype(dtype), mask=[True] * 5).max()
    assert gpuplot.asnumpy(X, out=np.ma.empty((), dtype)).mask.all()
    found = gpuplot.stats(X)
    assert (found.dtype, found.masked) == (np.dtype(dtype).name, 1)


def test_dtypes_that_are_called_by_another_name():
    for make, dtype in ((lambda block: block.astype(">f4"), "f4"), (lambda block: block.astype("i8"), object)):
        np.testing.assert_array_equal(gpuplot.asnumpy(lying(make, dtype)[2:, 2:], "f8"), np.zeros((2, 2)))
    texts = lying(lambda block: np.full(block.shape, "longer"), "U1")
    assert gpuplot.plot(texts[2:, 2], ax=plt.figure().subplots())[0].get_ydata(orig=False).tolist() == [0, 0]


@pytest.mark.parametrize("function", [gpuplot.stats, gpuplot.asnumpy, gpuplot.to_rgba])
def test_a_chunk_of_a_small_array_that_cannot_be_computed_is_named(function):
    def fail(block, block_info=None):
        if block_info[None]["chunk-location"] == (1, 0):
            raise OSError("the disk is gone")
        return block

    X = da.from_array(np.ones((4, 4)), chunks=2).map_blocks(fail, dtype="f8", meta=np.empty((0, 0)))
    with pytest.raises(ChunkError, match=r"^chunk \(1, 0\), X\[2:4, 0:2\] of 32 B cannot be read: the disk is gone$") as caught:
        function(X)
    assert caught.value.index == (1, 0) and isinstance(caught.value.__cause__, OSError)


def test_arrays_of_expressions_are_read_by_their_graph():
    """dask makes them where its planning of queries is on, which the environment decides; they had no layers."""
    pytest.importorskip("dask.array._array_expr")
    lines = """
        import dask.array as da, numpy as np
        import gpuplot
        from gpuplot.arrays import lazy_arrays
        lazy_arrays.MAX_COMPUTED_BYTES = 1000
        A = np.arange(3000.0).reshape(50, 60)
        X, want = (da.from_array(A, chunks=(17, 25)) * 2)[::2], A[::2] * 2
        assert not hasattr(X, "layers") and not hasattr(X.dask, "layers")
        np.testing.assert_allclose(gpuplot.downsample(X, (5, 7)), gpuplot.downsample(want, (5, 7)))
        assert gpuplot.stats(X).median == gpuplot.stats(want).median
        np.testing.assert_array_equal(gpuplot.hist2d(X, X.rechunk(((9, 8, 4, 4), (25, 25, 10))))[0], gpuplot.hist2d(want, want)[0])
    """
    environment = {**os.environ, "DASK_ARRAY__QUERY_PLANNING": "True", "MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(lines)], capture_output=True, text=True, check=False,
                          env=environment)
    assert done.returncode == 0, done.stderr
