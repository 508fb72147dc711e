"""Chunks that are arrays on a GPU are processed there: pictures, lines and numbers equal those of the same chunks on the host."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from chunked_arrays import check_cells, numbers
from foreign_arrays import CupyArray, installed
from foreign_memory import Runtime
from on_device import there
from pieces import in_pieces
from scenes import scene_of

import gpuplot
from gpuplot import _native
from gpuplot.arrays import lazy_arrays
from gpuplot.arrays.describe import describe
from gpuplot.plane import series
from gpuplot.plane.native_plane import native_plane
from gpuplot.plane.view import choose


@pytest.fixture
def on_device(emulated, monkeypatch):
    """What makes an array in chunks of CuPy on the emulated device, and a source of the same chunks on the host."""
    runtime = installed(monkeypatch, Runtime(emulated))

    def cut(array, chunks):
        there, engine = in_pieces(array, chunks)
        read = engine.chunk
        engine.chunk = lambda index: CupyArray(runtime, np.ascontiguousarray(read(index)))
        return there, in_pieces(array, chunks)[0]

    yield cut
    plt.close("all")


@pytest.mark.parametrize("agg", ["mean", "std", "max", "count", "nearest"])
@pytest.mark.parametrize("dtype", ["float32", "int16", "float16"])
def test_cells(on_device, agg, dtype):
    array = numbers(np.random.default_rng(0), dtype, (120, 90), 0.01)
    there, here = on_device(array, (50, 40))
    got, want = (gpuplot.downsample(X, (11, 7), agg=agg, nan="skip") for X in (there, here))
    check_cells(got, want, array, agg)


@pytest.mark.parametrize("op", ["mean", "max", "std"])
def test_reduced_axes(on_device, op):
    array = numbers(np.random.default_rng(0), "float32", (3, 60, 50), 0.01)
    there, here = on_device(array, (1, 40, 40))
    got, want = (gpuplot.downsample(X, (11, 7), reduce={0: op}, nan="skip") for X in (there, here))
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"robust": True}, {"norm": "log"}])
def test_pixels(on_device, options):
    there, here = on_device(numbers(np.random.default_rng(0), "float32", (120, 90)), (50, 40))
    got, want = (gpuplot.to_rgba(X, (11, 7), **options) for X in (there, here))
    assert np.abs(got.astype(int) - want).max() <= 2


def test_numbers(on_device):
    array = numbers(np.random.default_rng(0), "float32", (120, 90), 0.01)
    there, here = on_device(array, (50, 40))
    got, want = (gpuplot.stats(X, bins=9) for X in (there, here))
    for name in ("nan", "pos_inf", "neg", "min", "max", "argmin", "argmax", "first_nan", "median"):
        assert getattr(got, name) == getattr(want, name), name
    np.testing.assert_array_equal(got.hist, want.hist)
    np.testing.assert_array_equal(gpuplot.asnumpy(there), array)


@pytest.mark.parametrize("dtype", ["float32", "float16", "complex64"])
@pytest.mark.parametrize("chunks", [(2, 60, 50), (2, 40, 20)])
def test_slices(on_device, dtype, chunks):
    """In one chunk each, and in several."""
    there, here = on_device(numbers(np.random.default_rng(0), dtype, (5, 60, 50), 0.01), chunks)
    got, want = (gpuplot.stats(X, dim=(1, 2), bins=5) for X in (there, here))
    for name in ("nan", "min", "max", "median", "argmin", "argmax", "first_nan", "hist", "bin_edges"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), err_msg=name)


def test_only_elements_in_ranges_are_copied(emulated):
    """8 bytes for each, and their number; the array itself has 240,000."""
    array = np.random.default_rng(0).normal(size=(300, 200)).astype("float32")
    inside = np.sort(array[(array >= 0.5) & (array <= 0.51)]).astype("float64")
    with describe(there(array)).borrow() as tensor:
        plane = native_plane(tensor, choose(array.shape, None, "float32"))
        before = _native.cuda_counts(0)["bytes_to_host"]
        found = _native.collect(plane, [0.5], [0.51], 1000)
        assert _native.cuda_counts(0)["bytes_to_host"] - before == 8 * (1 + len(inside))
        np.testing.assert_array_equal(np.sort(found), inside)
        assert _native.collect(plane, [0.5], [0.51], len(inside) - 1) is None


def test_lines(on_device, monkeypatch):
    monkeypatch.setattr(series, "MAX_COPIED_SAMPLES", 100)
    x, y = np.sort(np.random.default_rng(0).random(9000)), numbers(np.random.default_rng(1), "float32", (9000,), 0.001)
    pairs = [on_device(values, (1000,)) for values in (x, y)]
    drawn = []
    for found in zip(*pairs, strict=True):
        fig, ax = plt.subplots(figsize=(2, 2))
        line, = gpuplot.plot(*found, ax=ax)
        ax.set_xlim(0.2, 0.9)
        fig.canvas.draw()
        drawn.append(line.get_xydata())
    np.testing.assert_array_equal(*drawn)


def test_an_image_and_an_inspector(on_device):
    array = numbers(np.random.default_rng(0), "float32", (120, 90), 0.001)
    there, here = on_device(array, (50, 40))
    image = gpuplot.imshow(there, ax=plt.subplots()[1])
    image.figure.canvas.draw()
    scenes = [scene_of(X) for X in (there, here)]
    got, want = (scene.draw((0, 120, 0, 90), (12, 9)).pixels for scene in scenes)
    assert np.abs(got.astype(int) - want).max() <= 2
    assert scenes[0].hover(10.5, 10.5) == scenes[1].hover(10.5, 10.5)
    assert scenes[0].jump(1) == scenes[1].jump(1)


def test_a_dask_array_of_cupy(emulated, monkeypatch):
    da = pytest.importorskip("dask.array")
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 1000)
    runtime = installed(monkeypatch, Runtime(emulated))
    array = numbers(np.random.default_rng(0), "float32", (120, 90))
    X = da.from_array(array, chunks=(50, 40)).map_blocks(lambda chunk: CupyArray(runtime, np.ascontiguousarray(chunk)), dtype="f4",
                                                         meta=np.empty((0, 0), "f4"))
    np.testing.assert_array_equal(gpuplot.downsample(X, (11, 7), agg="max"), gpuplot.downsample(array, (11, 7), agg="max"))
    assert gpuplot.stats(X).argmax == gpuplot.stats(array).argmax


@pytest.mark.parametrize("chunks", [(30, 200), (30, 70)])
def test_densities_of_lines(on_device, chunks):
    """Lines that lie in one chunk each, and those that lie in several."""
    there, here = on_device(numbers(np.random.default_rng(0), "float32", (80, 200), 0.01), chunks)
    counts = []
    for X in (there, here):
        _, ax = plt.subplots()
        image = gpuplot.plot(X, x=1, density=True, ax=ax)
        image.figure.canvas.draw()
        counts.append(np.ma.filled(image.get_array(), 0))
    np.testing.assert_array_equal(*counts)
    assert counts[0].max() > 1
