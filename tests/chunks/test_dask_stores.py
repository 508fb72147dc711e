"""Stores of dask, zarr, HDF5 and xarray are read in whole chunks, where they are seen; one that is deleted is an error."""

import shutil

import matplotlib.pyplot as plt
import numpy as np
import pytest
from dask_arrays import Store, normal

import gpuplot
from gpuplot.arrays import dask_chunks, lazy_arrays
from gpuplot.arrays.chunked_source import ChunkedSource
from gpuplot.arrays.describe import describe
from gpuplot.errors import ChunkError, UnsupportedError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

pytestmark = [pytest.mark.host("chunks are read by the host"), pytest.mark.usefixtures("never_whole")]


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


def test_a_small_store_is_read_whole():
    """It need not have `__array__`: large ones are read by slices alone."""
    array = normal(10, 20)
    store = Store(array, (5, 5))
    assert gpuplot.stats(store).max == array.max()
    assert store.reads == [(slice(0, 10), slice(0, 20))]
    assert not np.shares_memory(gpuplot.asnumpy(store, copy=True), array)
    store.shape = (10, 21)
    with pytest.raises(ChunkError, match=r"Store of shape \(10, 21\) gave elements of shape \(10, 20\) for slices of all of it"):
        gpuplot.stats(store)


def test_lists_of_small_stores_and_of_numbers_in_files_are_stacked(monkeypatch):
    """NumPy reads neither: the errors were its own, or said that a list is to be made of the list."""
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 10**6)
    array = normal(10, 20)
    np.testing.assert_array_equal(gpuplot.asnumpy([Store(array, (5, 5)), array]), [array, array])
    zarr = pytest.importorskip("zarr")
    losses = [zarr.create_array({}, data=np.float32(loss)) for loss in (3, 2)]
    assert gpuplot.plot(losses, ax=plt.figure().subplots())[0].get_ydata().tolist() == [3, 2]


@pytest.mark.parametrize("n_bytes", [0, 10**6])
def test_sizes_of_a_store_may_be_integers_of_numpy(n_bytes, monkeypatch):
    """Such an array was refused as neither an array nor a tensor."""
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", n_bytes)
    store = Store(normal(10, 20), tuple(np.array([5, 5])))
    store.shape = tuple(np.array(store.shape))
    assert gpuplot.stats(store).max == normal(10, 20).max()


def test_a_small_store_has_the_dtype_that_it_announces():
    """Complex elements of an array of floats were shown by their size."""
    store = Store(normal(10, 20) * 1j, (5, 5))
    store.dtype = np.dtype("f4")
    with pytest.raises(ChunkError, match="the Store of dtype float32 gave elements of complex64: give it the dtype of its elements"):
        gpuplot.to_rgba(store)


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


def test_a_store_that_was_deleted(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        X = file.create_dataset("x", data=normal(300, 400), chunks=(100, 100))
        source = describe(X)
    with pytest.raises(ChunkError, match="cannot be read"):
        gpuplot.downsample(source, (3, 3))
