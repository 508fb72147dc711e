"""Pictures, lines and points of arrays of dask, larger than memory: the same bits from each scheduler."""

import contextlib

import matplotlib.pyplot as plt
import numpy as np
import pytest
from dask_arrays import SCHEDULERS, Store, normal

import gpuplot
from gpuplot.arrays import lazy_arrays
from gpuplot.arrays.chunked_source import ChunkedSource
from gpuplot.arrays.describe import describe

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

pytestmark = [pytest.mark.host("chunks are read by the host"), pytest.mark.usefixtures("never_whole")]


def h5_file(folder):
    """A new file of h5py."""
    h5py = pytest.importorskip("h5py")
    return h5py.File(folder / f"{len(list(folder.iterdir()))}.h5", "w")


@pytest.mark.parametrize("agg", ["mean", "std", "max", "nearest"])
def test_every_scheduler_gives_the_same_bits(agg):
    array = normal(500, 600)
    X, bits = da.from_array(array, chunks=(37, 41)), []
    for how in SCHEDULERS:
        with dask.config.set(how):
            bits.append(gpuplot.downsample(X, (23, 29), agg=agg).tobytes())
    assert len(set(bits)) == 1
    np.testing.assert_allclose(np.frombuffer(bits[0]), gpuplot.downsample(array, (23, 29), agg=agg).ravel(), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(("axis", "options"), [
    (0, {}), (2, {}), (0, {"rgb": 0, "index": {0: slice(3, 6)}}), (0, {"rgb": 0, "index": {0: slice(6, 2, -1)}}),
], ids=["first", "last", "some of nine", "some of nine, reversed"])
def test_colors_of_bands_that_lie_in_chunks_of_their_own(axis, options):
    """Stores of satellites have one band a chunk, and the colors that the shape suggests were an error."""
    array = np.moveaxis(np.random.default_rng(1).random((9 if options else 3, 60, 80), "float32"), 0, axis)
    X = da.from_array(array, chunks=tuple(2 if len(array) == 9 else 1 if k == axis else 25 for k in range(3)))
    np.testing.assert_array_equal(gpuplot.to_rgba(X, (20, 30), **options), gpuplot.to_rgba(array, (20, 30), **options))
    shown = []
    for one in (X, array):
        figure = plt.figure()
        gpuplot.imshow(one, ax=figure.subplots(), **options)
        figure.canvas.draw()
        shown.append(np.asarray(figure.canvas.buffer_rgba()).copy())
        plt.close(figure)
    np.testing.assert_array_equal(*shown)


def test_colors_read_the_chunks_of_their_bands_alone():
    store = Store(np.random.default_rng(1).random((9, 60, 80), "float32"), None)
    gpuplot.to_rgba(da.from_array(store, chunks=(1, 30, 40)), (20, 30), rgb=0, index={0: slice(3, 6)})
    bands = [part[0].start for part in store.reads if part[0].stop]  # dask itself looks at no element once
    assert sorted(bands) == [3] * 4 + [4] * 4 + [5] * 4


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


@pytest.mark.parametrize("dtype, holder", [("int4", "int8"), ("uint2", "uint8"), ("float4_e2m1fn", "float32")])
def test_elements_of_fewer_than_8_bits_are_converted_chunk_by_chunk(dtype, holder):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.random.default_rng(0).integers(0, 4, (300, 400)).astype(getattr(ml_dtypes, dtype))
    X, want = da.from_array(array, chunks=(70, 90)), array.astype(holder)
    assert isinstance(describe(X), ChunkedSource) and describe(X).dtype == holder
    np.testing.assert_array_equal(gpuplot.downsample(X, (30, 20)), gpuplot.downsample(want, (30, 20)))
    np.testing.assert_array_equal(gpuplot.asnumpy(X), want, strict=True)
    assert gpuplot.stats(X).std == pytest.approx(want.std(ddof=1))
    assert gpuplot.compare(X, X).comparison.max_abs == 0


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


def test_lists_of_masked_arrays_are_masked():
    array = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    X = da.from_array(array, chunks=(1, 2), asarray=False)
    assert gpuplot.asnumpy([X, X]).tolist() == [array.tolist()] * 2
    assert gpuplot.asnumpy([[X[0]], [np.array([5, 6])]]).tolist() == [[[1, None]], [[5, 6]]]


@pytest.mark.parametrize("kinds", [("dask", "dask"), ("Store", "dask"), ("dask", "array"), ("h5py", "h5py")])
def test_lists_of_large_arrays_are_read_in_chunks(kinds, tmp_path):
    """NumPy read all of them whole, and failed for want of memory."""
    arrays = [normal(60, 70), normal(60, 70) + 1]
    with contextlib.ExitStack() as opened:
        make = {"dask": lambda array: da.from_array(array, chunks=(20, 30)), "Store": lambda array: Store(array, (20, 30)),
                "array": lambda array: array,
                "h5py": lambda array: opened.enter_context(h5_file(tmp_path)).create_dataset("x", data=array)}
        X = [make[kind](array) for kind, array in zip(kinds, arrays, strict=True)]
        assert isinstance(describe(X), ChunkedSource)
        np.testing.assert_array_equal(gpuplot.asnumpy(X), np.stack(arrays))
        options = {"index": {0: 1}, "agg": "max", "rgb": False}
        np.testing.assert_array_equal(gpuplot.downsample(X, (5, 6), **options), gpuplot.downsample(np.stack(arrays), (5, 6), **options))


def test_lists_of_large_arrays_that_do_not_stack_are_refused():
    X = da.from_array(normal(60, 70), chunks=(20, 30))
    with pytest.raises(ValueError, match=r"the arrays of the list differ in shape, \(60, 70\) and \(60, 60\): make them equal"):
        gpuplot.asnumpy([X, X[:, :60]])


@pytest.mark.parametrize("n_bytes", [0, 10**6], ids=["in chunks", "whole"])
def test_masked_chunks_of_float16_give_no_warning(n_bytes, recwarn, monkeypatch):
    """NumPy warns as it converts the default fill value, 1e20."""
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", n_bytes)
    array = np.ma.MaskedArray(np.ones((20, 40), "f2"), np.arange(800).reshape(20, 40) % 7 == 0)
    X = da.from_array(array, chunks=(10, 17), asarray=False)
    np.testing.assert_array_equal(gpuplot.imshow(X, progress=False).get_array().mask, array.mask)
    assert not recwarn.list


@pytest.mark.parametrize("scheduler, is_local", [("threads", True), ("synchronous", True), ("processes", False)])
def test_where_chunks_are_read(scheduler, is_local):
    with dask.config.set(scheduler=scheduler):
        assert describe(da.from_array(normal(200, 300), chunks=(60, 90))).is_local is is_local


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
