"""Arrays of dask, zarr, HDF5 and xarray that are larger than memory: the same bits from each scheduler, and errors that name the chunk."""

import pickle
import shutil
import threading

import matplotlib.pyplot as plt
import numpy as np
import pytest

import gpuplot
from gpuplot.arrays import chunked_source, dask_chunks, lazy_arrays
from gpuplot.arrays.chunked_source import ChunkedSource
from gpuplot.arrays.describe import describe
from gpuplot.errors import ChunkError, UnsupportedError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

pytestmark = pytest.mark.host("chunks are read by the host")

SCHEDULERS = ({"scheduler": "synchronous"}, {"scheduler": "threads", "num_workers": 1}, {"scheduler": "threads", "num_workers": 7})


@pytest.fixture(autouse=True)
def never_whole(monkeypatch):
    """No array of these tests is computed as a whole."""
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 1000)


class Store:
    """An array of an unknown library that is read by slices, and counts them."""

    def __init__(self, array, chunks):
        self._array, self.chunks = array, chunks
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim
        self.reads, self._lock = [], threading.Lock()

    def __getitem__(self, part):
        with self._lock:
            self.reads.append(part)
        return self._array[part]


def normal(*shape):
    return np.random.default_rng(1).normal(size=shape).astype("float32")


@pytest.mark.parametrize("agg", ["mean", "std", "max", "nearest"])
def test_every_scheduler_gives_the_same_bits(agg):
    array = normal(500, 600)
    X, bits = da.from_array(array, chunks=(37, 41)), []
    for how in SCHEDULERS:
        with dask.config.set(how):
            bits.append(gpuplot.downsample(X, (23, 29), agg=agg).tobytes())
    assert len(set(bits)) == 1
    np.testing.assert_allclose(np.frombuffer(bits[0]), gpuplot.downsample(array, (23, 29), agg=agg).ravel(), rtol=1e-9, atol=1e-13)


def test_a_chunk_is_read_and_looked_at_by_one_task():
    keys = []
    X = (da.from_array(Store(normal(200, 300), None), chunks=(50, 50)) * 2).astype("float64")
    with dask.config.set(scheduler="synchronous"), dask.callbacks.Callback(pretask=lambda key, *_: keys.append(key)):
        gpuplot.downsample(X, (8, 9))
    assert len(keys) == 24


def test_arrays_that_dask_computes():
    array = normal(300, 400)
    X = da.from_array(array, chunks=(70, 90))
    lazy = da.where(X > 2, np.nan, X)[10:-10:2].T.rechunk((77, 50))
    want = np.where(array > 2, np.nan, array)[10:-10:2].T
    np.testing.assert_array_equal(gpuplot.downsample(lazy, (30, 20), agg="max"), gpuplot.downsample(want, (30, 20), agg="max"))
    masked = da.ma.masked_greater(X, 1)
    want = np.ma.masked_greater(array, 1)
    np.testing.assert_array_equal(gpuplot.to_rgba(masked, (30, 20)), gpuplot.to_rgba(want, (30, 20)))
    assert isinstance(describe(masked), ChunkedSource) and describe(masked).is_masked


def test_small_arrays_are_computed_at_once(monkeypatch):
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 10**6)
    assert not isinstance(describe(da.from_array(normal(50, 60), chunks=20)), ChunkedSource)


def test_imshow_and_zoom():
    array = normal(1500, 1600)
    fig, axs = plt.subplots(1, 2)
    for ax, X in zip(axs, (array, da.from_array(array, chunks=(200, 300))), strict=True):
        gpuplot.imshow(X, ax=ax, robust=True)
    for limits in ((0, 1500), (100, 190)):
        plt.setp(axs, xlim=limits)
        fig.canvas.draw()
        pixels = np.asarray(fig.canvas.buffer_rgba())
        boxes = [ax.get_window_extent() for ax in axs]
        rows = [np.abs(pixels[int(480 - box.y1) + 2:int(480 - box.y0) - 2, int(box.x0) + 4:int(box.x0) + 200].astype(int)) for box in boxes]
        assert np.abs(rows[0].mean(axis=(0, 1)) - rows[1].mean(axis=(0, 1))).max() < 1


@pytest.mark.parametrize("op", ["mean", "max", "std"])
@pytest.mark.parametrize("n_pages", [3, 40])
def test_axes_that_are_reduced_over_many_chunks(op, n_pages):
    array = normal(n_pages, 60, 80)
    X = da.from_array(array, chunks=(1, 25, 80))
    bits = []
    for how in SCHEDULERS:
        with dask.config.set(how):
            bits.append(gpuplot.downsample(X, (9, 8), reduce={0: op}).tobytes())
    assert len(set(bits)) == 1
    np.testing.assert_allclose(np.frombuffer(bits[0]), gpuplot.downsample(array, (9, 8), reduce={0: op}).ravel(), rtol=1e-9, atol=1e-13)


def test_lines():
    x, y = np.arange(300_000) / 7, normal(300_000, 2)
    y[5000] = np.nan
    axs = []
    for found in ((x, y), (da.from_array(x, chunks=40_000), da.from_array(y, chunks=(30_000, 1)))):
        fig, ax = plt.subplots()
        gpuplot.plot(*found, ax=ax)
        ax.set_xlim(500, 900)
        fig.canvas.draw()
        axs.append(ax)
    for one, other in zip(axs[0].lines, axs[1].lines, strict=True):
        np.testing.assert_array_equal(other.get_xydata(), one.get_xydata())
    assert axs[0].get_ylim() == axs[1].get_ylim()


def counted_reads(read, dtype):
    """A dask array of 2000 elements; the chunks that are computed are appended to a list."""
    def note(chunk):
        read.append(chunk)
        return chunk.astype(dtype)

    return da.zeros(2000, chunks=500).map_blocks(note, dtype=dtype, meta=np.empty(0, dtype))


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


def test_masked_chunks_of_float16_give_no_warning(recwarn):
    """NumPy warns as it converts the default fill value, 1e20."""
    array = np.ma.MaskedArray(np.ones((20, 40), "f2"), np.arange(800).reshape(20, 40) % 7 == 0)
    X = da.from_array(array, chunks=(10, 17), asarray=False)
    np.testing.assert_array_equal(gpuplot.imshow(X, progress=False).get_array().mask, array.mask)
    assert not recwarn.list


# ---- stores --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["zarr", "dask", "xarray"])
def test_a_zarr_array_that_is_deleted_is_no_picture_of_its_fill_value(tmp_path, how):
    zarr = pytest.importorskip("zarr")
    array = normal(200, 300)
    store = zarr.create_array(str(tmp_path / "a.zarr"), shape=array.shape, chunks=(50, 100), dtype="f4")
    store[:] = array
    makers = {"zarr": lambda: store, "dask": lambda: da.from_zarr(store) + 0, "xarray": lambda: _in_xarray(tmp_path, array)}
    X = makers[how]()
    want = gpuplot.downsample(array, (10, 15), agg="max")
    np.testing.assert_array_equal(gpuplot.downsample(X, (10, 15), agg="max"), want)
    for name in ("a.zarr", "b.zarr"):
        shutil.rmtree(tmp_path / name, ignore_errors=True)
    with pytest.raises(gpuplot.ChunkError, match="the zarr array (?!'').*is gone, and its chunks would be read as the fill value"):
        gpuplot.downsample(X, (10, 15), agg="max")


def _in_xarray(folder, array):
    xr = pytest.importorskip("xarray")
    xr.DataArray(array, dims=("y", "x"), name="t").to_dataset().to_zarr(folder / "b.zarr", consolidated=False)
    return xr.open_zarr(folder / "b.zarr", consolidated=False).t


def test_a_zarr_array_that_goes_while_it_is_read(tmp_path):
    zarr = pytest.importorskip("zarr")
    store = zarr.create_array(str(tmp_path / "a.zarr"), shape=(200, 300), chunks=(50, 100), dtype="f4")
    store[:] = normal(200, 300)

    def delete(chunk):
        shutil.rmtree(tmp_path / "a.zarr", ignore_errors=True)
        return chunk

    with pytest.raises(gpuplot.ChunkError, match="is gone"):
        gpuplot.downsample(da.from_zarr(store).map_blocks(delete, dtype="f4", meta=np.empty((0, 0), "f4")), (10, 15))


def test_a_store_is_read_where_it_is_seen():
    array = normal(3, 400, 500)
    store = Store(array, (1, 100, 100))
    with dask.config.set(scheduler="threads"):
        want = gpuplot.downsample(array, (9, 8), index={0: 1}, view=((120, 180), (310, 420)))
        np.testing.assert_allclose(gpuplot.downsample(store, (9, 8), index={0: 1}, view=((120, 180), (310, 420))), want, rtol=1e-12)
    assert [[(part.start, part.stop) for part in read] for read in store.reads] == [[(1, 2), (0, 400), (0, 500)]]


def test_reads_are_whole_chunks_up_to_a_size(monkeypatch):
    monkeypatch.setattr(dask_chunks, "READ_BYTES", 10**6)
    assert dask_chunks.read_sizes((7, 4000, 5000), (1, 100, 100), 4) == (1, 100, 2500)
    assert dask_chunks.read_sizes((7, 4000, 5000), (1, 1000, 1000), 4) == (1, 1000, 1000)
    assert dask_chunks.read_sizes((70, 40, 50), None, 4) == (70, 40, 50)
    assert dask_chunks.read_sizes((70, 400, 500), None, 8) == (1, 250, 500)
    store = Store(normal(2, 300, 1000), (1, 100, 100))
    monkeypatch.setattr(dask_chunks, "READ_BYTES", 200_000)
    gpuplot.downsample(store, (9, 8), index={0: 1}, view=((120, 180), (310, 420)))
    assert [[(part.start, part.stop) for part in read] for read in store.reads] == [[(1, 2), (100, 200), (0, 500)]]


def test_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    array = normal(300, 400)
    X = zarr.create_array(str(tmp_path / "a.zarr"), shape=array.shape, chunks=(64, 100), dtype="f4")
    X[...] = array
    for lazy in (X, da.from_zarr(str(tmp_path / "a.zarr"))):
        np.testing.assert_array_equal(gpuplot.downsample(lazy, (30, 20), agg="max"), gpuplot.downsample(array, (30, 20), agg="max"))


def test_zarr_in_shards(tmp_path):
    zarr = pytest.importorskip("zarr", "3")
    array = normal(300, 400)
    X = zarr.create_array(str(tmp_path / "a.zarr"), shape=array.shape, chunks=(50, 50), shards=(150, 200), dtype="f4")
    X[...] = array
    np.testing.assert_array_equal(gpuplot.downsample(X, (30, 20), agg="max"), gpuplot.downsample(array, (30, 20), agg="max"))


def test_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    array = normal(300, 400)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, chunks in (("chunked", (64, 100)), ("contiguous", None)):
            X = file.create_dataset(name, data=array, chunks=chunks)
            np.testing.assert_array_equal(gpuplot.downsample(X, (30, 20), agg="max"), gpuplot.downsample(array, (30, 20), agg="max"))
    with pytest.raises((ChunkError, UnsupportedError, ValueError)):
        gpuplot.downsample(X, (30, 20))


def test_xarray_over_dask_has_its_names():
    xr = pytest.importorskip("xarray")
    array = normal(4, 300, 400)
    X = xr.DataArray(da.from_array(array, chunks=(1, 100, 100)), dims=("time", "lat", "lon"), name="t2m", attrs={"units": "K"},
                     coords={"time": np.arange("2026-01-01", "2026-01-05", dtype="M8[D]"), "lat": np.linspace(30, 59.9, 300)})
    image = gpuplot.imshow(X, index={"time": "2026-01-03"}, colorbar=True)
    assert image.axes.get_xlabel() == "lon" and image.axes.get_ylabel() == "lat" and "2026-01-03" in image.axes.get_title()
    assert image.colorbar.ax.get_ylabel() == "t2m [K]"
    want = gpuplot.downsample(array[2], (30, 20))
    np.testing.assert_allclose(gpuplot.downsample(X, (30, 20), index={"time": 2}), want, rtol=1e-12)


def test_an_inspector_steps_by_the_names_of_axes(tmp_path):
    xr = pytest.importorskip("xarray")
    pytest.importorskip("anywidget")
    array = normal(4, 300, 400)
    store = Store(array, (1, 100, 100))
    lazy = da.from_array(store, chunks=(1, 100, 200))
    X = xr.DataArray(lazy, dims=("time", "lat", "lon"), name="t2m", coords={"time": np.arange("2026-01-01", "2026-01-05", dtype="M8[D]")})
    with pytest.warns(gpuplot.GpuplotWarning), gpuplot.inspect(X) as widget:
        assert {read[0].stop for read in store.reads} <= {0}  # dask asks for no element, to learn the kind of array
        limits = widget.vmin, widget.vmax  # of the first page that is looked at, as those of arrays in memory
        widget.index = {"time": 2}
        widget.snapshot(tmp_path / "chunks.png")
        assert limits == (widget.vmin, widget.vmax)
        assert widget.index == {"time": 2}
        assert {read[0].start for read in store.reads} <= {0, 2}
    with pytest.warns(gpuplot.GpuplotWarning), gpuplot.inspect(array) as widget:
        widget.index = {0: 2}
        widget.snapshot(tmp_path / "whole.png")
        assert limits == (widget.vmin, widget.vmax)
    np.testing.assert_array_equal(plt.imread(tmp_path / "chunks.png"), plt.imread(tmp_path / "whole.png"))


@pytest.mark.parametrize("engine", ["zarr", "h5netcdf", "netcdf4"])
def test_xarray_that_is_still_in_its_file(tmp_path, engine):
    xr = pytest.importorskip("xarray")
    pytest.importorskip({"netcdf4": "netCDF4"}.get(engine, engine))
    array = normal(4, 300, 400)
    data = xr.Dataset({"t2m": (("time", "y", "x"), array)})
    encoding = {"t2m": {"scale_factor": 1e-3, "dtype": "int32", "_FillValue": -99999}}
    path = tmp_path / "a"
    data.to_zarr(path, encoding=encoding) if engine == "zarr" else data.to_netcdf(path, engine=engine, encoding=encoding)
    lazy = (xr.open_zarr(path, chunks=None) if engine == "zarr" else xr.open_dataset(path, engine=engine)).t2m
    source = describe(lazy)
    assert isinstance(source, ChunkedSource) and source.dims == ("time", "y", "x")
    np.testing.assert_allclose(gpuplot.downsample(lazy, (30, 20), index={"time": 2}), gpuplot.downsample(array[2], (30, 20)), atol=1e-3)


# ---- mistakes ------------------------------------------------------------------------------------------------------------


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


def test_a_store_that_was_deleted(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        X = file.create_dataset("x", data=normal(300, 400), chunks=(100, 100))
        source = describe(X)
    with pytest.raises(ChunkError, match="cannot be read"):
        gpuplot.downsample(source, (3, 3))


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


MANY_CALLS = {"imshow": lambda X: gpuplot.imshow(X), "stats": lambda X: gpuplot.stats(X), "hist": lambda X: gpuplot.hist(X),
              "asnumpy": lambda X: gpuplot.asnumpy(X), "plot": lambda X: gpuplot.plot(X), "to_rgba": lambda X: gpuplot.to_rgba(X, (9, 9))}


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


@pytest.mark.parametrize("scheduler, is_local", [("threads", True), ("synchronous", True), ("processes", False)])
def test_where_chunks_are_read(scheduler, is_local):
    with dask.config.set(scheduler=scheduler):
        assert describe(da.from_array(normal(200, 300), chunks=(60, 90))).is_local is is_local


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


@pytest.mark.parametrize("is_array", [False, True], ids=["dask", "NumPy"])
def test_arrays_of_which_some_are_read_at_once_are_read_together(is_array, monkeypatch):
    """float64 is above the size that is read chunk by chunk, and float32 of the same shape below it: the two were refused."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 50)), rng.normal(size=(40, 50)).astype("f4")
    classes = (Y > 0).astype("i1")
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", Y.nbytes)
    x, y, k = (one if is_array and one is not X else da.from_array(one, chunks=(13, 50)) for one in (X, Y, classes))
    assert isinstance(describe(x), ChunkedSource) and not isinstance(describe(y), ChunkedSource)
    for pair, want in (((x, y), (X, Y)), ((y, x), (Y, X))):
        np.testing.assert_array_equal(gpuplot.hist2d(*pair, 7)[0], gpuplot.hist2d(*want, 7)[0])
        found, wanted = gpuplot.compare(*pair).comparison, gpuplot.compare(*want).comparison
        assert found == wanted
        for options in ({}, {"x": 1}, {"x": 0}):
            images = [gpuplot.plot(*one, density=True, ax=plt.figure().add_subplot(), **options) for one in (pair, want)]
            cells = [np.ma.filled(drawn_array(image), 0) for image in images]
            np.testing.assert_array_equal(*cells)
    np.testing.assert_allclose(gpuplot.hist(x, 9, weights=y)[0], gpuplot.hist(X, 9, weights=Y)[0])
    for options, wanted in (({"c": y}, {"c": Y}), ({"c": k, "categorical": True}, {"c": classes, "categorical": True})):
        images = [gpuplot.scatter(*one, density=True, spread=0, ax=plt.figure().add_subplot(), **some)
                  for one, some in (((x, y), options), ((X, Y), wanted))]
        np.testing.assert_allclose(*(np.ma.filled(drawn_array(image), 0) for image in images), rtol=1e-12)
    plt.close("all")


def drawn_array(image):
    image.figure.canvas.draw()
    return image.get_array()


def test_points_of_chunks_that_are_parts_of_an_array_of_three_axes(monkeypatch):
    """Their elements do not lie end to end, and the draw failed."""
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 1000)
    X = np.random.default_rng(0).normal(size=(4, 30, 20))
    x = da.from_array(X, chunks=(2, 15, 10))
    images = [gpuplot.scatter(one, one * 2, density=True, spread=0, ax=plt.figure().add_subplot()) for one in (x, X)]
    np.testing.assert_array_equal(*(np.ma.filled(drawn_array(image), 0) for image in images))
    plt.close("all")


def test_bins_between_too_few_numbers_are_the_same_error_as_in_memory(monkeypatch):
    """A task found it, and the error was about a chunk that cannot be read."""
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 100)
    X = np.linspace(0, 1e-44, 100).astype("f4")
    for x in (X, da.from_array(X, chunks=50)):
        with pytest.raises(ValueError, match="the range of x, 0.0 to .* too few numbers of float32 for 10 bins: give fewer"):
            gpuplot.hist2d(x, x, ax=plt.figure().add_subplot())
    plt.close("all")
