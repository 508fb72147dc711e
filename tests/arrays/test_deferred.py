"""Arrays that are computed or read on demand: small ones are computed, large ones stay in chunks or are refused."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

import gpuplot
from gpuplot.arrays import lazy_arrays
from gpuplot.arrays.chunked_source import ChunkedSource
from gpuplot.arrays.describe import describe
from gpuplot.errors import size_text

pytestmark = pytest.mark.host("arrays that end up in host memory")


def values():
    return np.arange(12, dtype="float32").reshape(3, 4)


@pytest.fixture
def little(monkeypatch):
    """Nothing is computed that takes more than 40 bytes."""
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 40)


def refused(X, *words):
    with pytest.raises(gpuplot.UnsupportedError, match=".*".join(map(re.escape, words))):
        describe(X)


def in_chunks(X, *words):
    """A large array is one in chunks, which what wants its memory refuses."""
    source = describe(X)
    assert isinstance(source, ChunkedSource) and source.shape == tuple(X.shape)
    with pytest.raises(gpuplot.UnsupportedError, match=".*".join(map(re.escape, words))):
        source.borrow()


def test_the_limit_itself_is_still_computed(little):
    lazy_arrays.check_size(values(), (2, 5), 4, "take a part")
    with pytest.raises(gpuplot.UnsupportedError, match="is not in memory and would take 44 B there: take a part"):
        lazy_arrays.check_size(values(), (11,), 4, "take a part")


def test_dask(little):
    da = pytest.importorskip("dask.array")
    import dask

    X = da.from_array(values(), chunks=2)
    in_chunks(X, "shape (3, 4)", "48 B", "X[:2048, :2048]", "X.compute()")
    np.testing.assert_array_equal(gpuplot.asnumpy(X[:2]), values()[:2])
    assert describe(X[:2].astype("float16")).dtype == "float16"
    refused(X[X > 3], "does not know its shape", "X.compute()")
    refused(dask.delayed(values)(), "has not been computed", "X.compute()")
    in_chunks(da.ones((9, 300, 400)), "X[0, :2048, :2048]")


@pytest.mark.parametrize("draw", [gpuplot.asnumpy, gpuplot.stats, gpuplot.hist, gpuplot.grid, lambda X: gpuplot.compare(X, X)])
def test_a_list_of_delayed_results(draw):
    """dask refuses to say whether they are equal to anything."""
    delayed = pytest.importorskip("dask").delayed(values)
    with pytest.raises(gpuplot.UnsupportedError, match=r"Delayed .*: draw the result, dask.compute\(X\)\[0\]"):
        draw([delayed(), delayed()])
    with pytest.raises(gpuplot.UnsupportedError, match="a Delayed of dask has not been computed"):
        gpuplot.scatter([1, 2, 3], [1, 2, 3], c=delayed())
    with pytest.raises(gpuplot.UnsupportedError, match="a Delayed of dask has not been computed"):
        gpuplot.plot(delayed())


def test_dask_of_other_arrays():
    da, torch = pytest.importorskip("dask.array"), pytest.importorskip("torch")
    masked = da.ma.masked_greater(da.from_array(values(), chunks=2), 9)
    assert describe(masked).is_masked
    X = da.from_array(values(), chunks=2).map_blocks(torch.from_numpy, meta=np.empty((0, 0), "f4"))
    if isinstance(part := X.blocks[0, 0].compute(), torch.Tensor):
        assert describe(X.blocks[0, 0]).shape == tuple(part.shape)
        np.testing.assert_array_equal(gpuplot.downsample(X, X.shape), values())  # which dask cannot join
        np.testing.assert_array_equal(gpuplot.asnumpy(X), values())


def test_data_sets_in_files(little, tmp_path):
    h5py = pytest.importorskip("h5py")
    pytest.importorskip("dask.array")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        X = file.create_dataset("x", data=values())
        huge = file.create_dataset("huge", (10**6, 10**6), "f8", chunks=(100, 100))
        in_chunks(X, "48 B", "X[:2048, :2048]", "X[...]")
        in_chunks(huge, "8 TB")
        assert describe(huge).chunks[0][0] % 100 == 0
        refused(file, "a File of h5py holds values under names, choose one with X[name]; names: 'huge', 'x'")
        np.testing.assert_array_equal(gpuplot.asnumpy(file.create_dataset("y", data=values()[:2])), values()[:2])
        assert describe(file.create_dataset("n", data=3.5)).shape == ()
    for closed, kind in ((file, "File"), (X, "Dataset")):
        for function in (gpuplot.stats, gpuplot.hist, gpuplot.imshow, gpuplot.grid, gpuplot.inspect, lambda X: gpuplot.compare(X, X)):
            with pytest.raises(gpuplot.UnsupportedError, match=f"the file of a {kind} of h5py is closed: open it again"):
                function(closed)


def test_zarr_and_netcdf(little):
    zarr, netcdf = pytest.importorskip("zarr"), pytest.importorskip("netCDF4")
    pytest.importorskip("dask.array")
    X = zarr.create_array(store=zarr.storage.MemoryStore(), shape=(3, 4), dtype="f4")
    in_chunks(X, "X[...]")
    refused(zarr.group(), "X[name]")
    with netcdf.Dataset("in-memory.nc", "w", diskless=True) as file:
        file.createDimension("a", 3)
        X = file.createVariable("v", "f4", ("a",), fill_value=-1)
        X[:] = np.ma.masked_greater(np.arange(3.0), 1)
        assert describe(X).is_masked
        file.createDimension("b", 40)
        refused(file.createVariable("w", "f4", ("b",)), "X[:2048]", "xarray.open_dataset(file, chunks={})")
        refused(file, "X[name]")


@pytest.mark.parametrize("kind", ["csr_matrix", "coo_array", "dia_array", "csc_array", "bsr_array", "lil_array", "dok_array"])
def test_sparse_arrays_of_scipy(little, kind):
    sparse = pytest.importorskip("scipy.sparse")
    X = getattr(sparse, kind)(values())
    refused(X, "it is sparse", "X.toarray()")
    small = getattr(sparse, kind)(values()[:2])
    np.testing.assert_array_equal(gpuplot.asnumpy(small), values()[:2])


@pytest.mark.parametrize("kind", ["dok_array", "dok_matrix", "csr_array"])
@pytest.mark.parametrize("function", [gpuplot.stats, gpuplot.hist, gpuplot.plot, gpuplot.inspect])
def test_a_sparse_array_that_is_a_dict_is_one_tensor(kind, function):
    """stats took it for a dict of its elements, asnumpy for an array."""
    X = np.arange(6.0).reshape(2, 3)
    got, want = function(getattr(pytest.importorskip("scipy.sparse"), kind)(X)), function(X)
    plt.close("all")
    if function is gpuplot.hist:
        assert got[0].tolist() == want[0].tolist()
    elif function is gpuplot.plot:
        assert [line.get_ydata().tolist() for line in got] == [line.get_ydata().tolist() for line in want]
    else:
        assert repr(got) == repr(want)


@pytest.mark.parametrize("kind, name, wrong", [
    ("csr_array", "indices", 99), ("csc_array", "indices", -99), ("bsr_array", "indices", 10**6), ("csr_array", "indptr", 10**9),
    ("csc_array", "indptr", -1), ("coo_array", "coords", 10**6), ("coo_array", "coords", -1),
])
def test_wrong_indices_of_sparse_arrays_are_refused(kind, name, wrong):
    """SciPy wrote elements wherever they said, and crashed."""
    X = getattr(pytest.importorskip("scipy.sparse"), kind)(values()[:2])
    for part in getattr(X, name) if name == "coords" else [getattr(X, name)]:
        part[-1] = wrong
    with pytest.raises(ValueError, match="indices of an? ..._array of shape .* lie outside of it: create it again"):
        gpuplot.asnumpy(X)


@pytest.mark.parametrize("shape, block", [((4, 6), (2, 3)), ((6, 4), (3, 2)), ((0, 4), (1, 1)), ((4, 0), (1, 1))])
def test_right_indices_of_sparse_arrays_in_blocks(shape, block):
    X = pytest.importorskip("scipy.sparse").bsr_array(np.ones(shape), blocksize=block)
    np.testing.assert_array_equal(gpuplot.asnumpy(X), np.ones(shape))


class Coo:
    """As a COO of PyData: one array of coordinates, where SciPy has a tuple of them."""

    __module__ = "sparse.numba_backend"

    def __init__(self, array):
        self.shape, self.dtype, self.coords, self.array = array.shape, array.dtype, np.array(np.nonzero(array)), array

    def todense(self):
        return self.array


def test_coordinates_of_sparse_arrays_may_be_one_array():
    """Its truth value was asked for."""
    X = Coo(values())
    np.testing.assert_array_equal(gpuplot.asnumpy(X), values())
    X.coords[0, 0] = 10**6
    with pytest.raises(ValueError, match="the indices of a Coo of shape .* lie outside of it"):
        gpuplot.asnumpy(X)


class Gcxs(Coo):
    """As a GCXS of PyData: like CSR, but along any of its axes."""

    format = "gcxs"

    def __init__(self, array):
        super().__init__(array)
        self.data, (self.indices, places) = array.T[array.T != 0], np.nonzero(array.T)[::-1]
        self.indptr = np.searchsorted(places, np.arange(array.shape[1] + 1))
        del self.coords


def test_starts_of_sparse_arrays_may_be_along_any_axis():
    """They were taken for those of rows."""
    np.testing.assert_array_equal(gpuplot.asnumpy(Gcxs(values())), values())


def test_sparse_arrays_of_pydata():
    sparse = pytest.importorskip("sparse")
    np.testing.assert_array_equal(gpuplot.asnumpy(sparse.COO.from_numpy(values())), values())
    np.testing.assert_array_equal(gpuplot.asnumpy(sparse.GCXS.from_numpy(values(), compressed_axes=(1,))), values())


def test_a_large_one_takes_no_memory():
    sparse = pytest.importorskip("scipy.sparse")
    refused(sparse.eye(10**6, format="csr"), "8 TB", "X.toarray()")


@pytest.mark.parametrize("make", [lambda: (i for i in range(3)), lambda: map(int, "123"), lambda: {1: 2}.values(), lambda: {1, 2}])
def test_what_gives_its_elements_only_once_is_refused(make):
    with pytest.raises(gpuplot.UnsupportedError):
        describe(make())


@pytest.mark.parametrize("n_bytes, text", [
    (12, "12 B"), (1000, "1000 B"), (1536, "1.5 KB"), (1023 * 2**10, "1023 KB"), (80 * 2**20, "80 MB"), (2**43, "8 TB"),
    (2**50, "1024 TB"), (2**60, "1048576 TB"),
])
def test_sizes_in_words(n_bytes, text):
    assert size_text(n_bytes) == text


@pytest.mark.parametrize("draw", [gpuplot.plot, gpuplot.hist, lambda X: gpuplot.scatter(X, X), lambda X: gpuplot.hist2d(X, X)],
                         ids=["plot", "hist", "scatter", "hist2d"])
def test_a_bag_is_not_computed(draw, monkeypatch):
    """Graphs computed it, in processes of its own, before they refused it."""
    bag = pytest.importorskip("dask.bag", reason="pip install 'dask[bag]'")
    monkeypatch.setattr(bag.Bag, "compute", None)
    with pytest.raises(gpuplot.UnsupportedError, match=r"a Bag of dask has not been computed: draw its result, X.compute\(\)"):
        draw(bag.from_sequence([1.0, 2.0]))
    plt.close()
