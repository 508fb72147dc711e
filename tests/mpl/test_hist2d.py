"""`hist2d`: the counts of numpy.histogram2d and the picture of Axes.hist2d, for tensors of every dtype and layout."""

import pickle
import warnings

import matplotlib as mpl
import numpy as np
import pytest
import reference
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LogNorm
from matplotlib.dates import date2num
from matplotlib.figure import Figure
from matrix import matrix
from stored_tensors import CODED, as_source, storage_of

import gpuplot
from gpuplot.errors import GpuplotWarning, UnsupportedError

DTYPES = ("bool", "uint8", "int16", "int64", "float16", "float32", "float64")


def axes():
    return Figure().subplots()


def sample(dtype, seed, shape=(50, 60)):
    rng = np.random.default_rng(seed)
    return rng.random(shape) < 0.3 if dtype == "bool" else (rng.normal(size=shape) * 30).astype(dtype) + np.dtype(dtype).type(0)


def assert_same(found, x, y, **options):
    """The numbers of numpy.histogram2d, whose edges are NumPy's own."""
    h, xedges, yedges, _ = found
    want, want_x, want_y = np.histogram2d(x.ravel(), y.ravel(), **options)
    np.testing.assert_array_equal(xedges, want_x)
    np.testing.assert_array_equal(yedges, want_y)
    np.testing.assert_array_equal(h, want)
    assert (h.dtype, xedges.dtype, yedges.dtype) == (want.dtype, want_x.dtype, want_y.dtype)


# ---- counts: numpy.histogram2d's -----------------------------------------------------------------------------------------


@matrix(x=DTYPES[1:], y=DTYPES[1:], bins=(1, 10, (7, 300)), range=(None, ((-10, 20), (-5.5, 40))))
def test_counts_are_those_of_numpy(x, y, bins, range):
    x, y = sample(x, 0), sample(y, 1)
    assert_same(gpuplot.hist2d(x, y, bins, range=range, ax=axes()), x, y, bins=bins, range=range)


@matrix(bins=("even", "uneven", "repeated", "last", "mixed"), dtype=("int16", "float32"))
def test_edges_of_every_kind(bins, dtype):
    x, y = sample(dtype, 0), sample(dtype, 1)
    value = x.flat[3]
    bins = {"even": np.linspace(-20, 30, 9), "uneven": (np.unique(x.ravel()[:30]), [-100, 0, 5, 7.5]),
            "repeated": (np.sort(np.repeat(x.ravel()[:9], 2)), [-9, -9, 0, 0, 0, 9]),
            "last": ([x.min(), value, value], [y.min(), y.max(), y.max()]),
            "mixed": (5, [-40, 0, 40])}[bins]
    assert_same(gpuplot.hist2d(x, y, bins, ax=axes()), x, y, bins=bins)


@pytest.mark.parametrize("dtype", CODED)
def test_floats_that_numpy_lacks_are_float32(dtype):
    stored = [storage_of(np.random.default_rng(seed), dtype, (30, 40)) for seed in (3, 4)]
    x, y = (reference.load(one, dtype).astype("float32") for one in stored)
    assert_same(gpuplot.hist2d(*(as_source(one, dtype) for one in stored), 12, ax=axes()), x, y, bins=12)


def test_the_example_of_the_definition():
    x, y = [0, 0.5, 1, 0.5, np.nan, 0.2], [0, 0.5, 1, 0, 0.2, 1.1]
    with pytest.warns(GpuplotWarning, match="1 NaN of 12 elements"):
        found = gpuplot.hist2d(x, y, 2, range=((0, 1), (0, 1)), ax=axes())
    assert found.h.tolist() == [[1, 0], [1, 2]] and found.left_out == 2
    np.testing.assert_array_equal(found.image.get_array(), [[1, 1], [0, 2]])


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 0)])
def test_few_elements(shape):
    x, y = np.full(shape, 3.0), np.full(shape, -2.0)
    assert_same(gpuplot.hist2d(x, y, 4, ax=axes()), x, y, bins=4)


def test_layouts():
    x, y = sample("float32", 0, (40, 50, 6)), sample("float64", 1, (6, 50, 40)).T
    for part in (np.s_[:], np.s_[::2, ::-1, 1:4], np.s_[3], np.s_[:, 4, 2], np.s_[:, :, :1]):
        assert_same(gpuplot.hist2d(x[part], y[part], 9, ax=axes()), x[part], y[part], bins=9)
        assert_same(gpuplot.hist2d(x[part].T, y[part].T, 9, ax=axes()), x[part], y[part], bins=9)
    one = np.broadcast_to(x[:, :1], x.shape)
    assert_same(gpuplot.hist2d(one, y, 9, ax=axes()), one, y, bins=9)


@matrix(density=(False, True), weights=(None, "int8", "float32", "float64"))
def test_weights_and_density(density, weights):
    x, y = sample("float32", 0), sample("float32", 1)
    w = None if weights is None else abs(sample(weights, 2))
    found = gpuplot.hist2d(x, y, 8, density=density, weights=w, ax=axes())
    want = np.histogram2d(x.ravel(), y.ravel(), 8, density=density, weights=None if w is None else w.ravel().astype(float))[0]
    np.testing.assert_allclose(found.h, want, 1e-12)
    assert found.left_out == 0


def test_masked_pairs_are_left_out_silently():
    x, y = sample("float32", 0), sample("float32", 1)
    mask = np.random.default_rng(2).random((2, *x.shape)) < 0.2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = gpuplot.hist2d(np.ma.array(x, mask=mask[0]), np.ma.array(y, mask=mask[1]), 8, range=((-999, 999), (-999, 999)), ax=axes())
    is_seen = ~mask.any(axis=0)
    np.testing.assert_array_equal(found.h, np.histogram2d(x[is_seen], y[is_seen], 8, ((-999, 999), (-999, 999)))[0])
    assert found.left_out == mask.any(axis=0).sum()


# ---- drawing: Axes.hist2d's ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [
    {}, {"bins": (4, 9)}, {"density": True}, {"cmin": 2}, {"cmax": 9}, {"cmin": 2, "cmax": 9}, {"cmap": "magma", "vmax": 7},
    {"norm": "log", "cmin": 1}, {"alpha": 0.4, "zorder": 3, "edgecolors": "red"}, {"range": ((-9, 9), (0, 3))}, {"shading": "flat"}])
def test_drawing_is_that_of_matplotlib(options):
    x, y = sample("float32", 0), sample("float32", 1)
    figures = Figure(), Figure()
    (ours, theirs), pictures = (figure.subplots() for figure in figures), []
    found, want = gpuplot.hist2d(x, y, ax=ours, **options), theirs.hist2d(x.ravel(), y.ravel(), **options)
    for one, other in zip(found[:3], want[:3], strict=True):
        np.testing.assert_array_equal(one, other)
    assert type(found.image) is type(want[3]) and found.image in ours.collections
    for figure in figures:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        pictures.append(np.asarray(canvas.buffer_rgba()))
    np.testing.assert_array_equal(*pictures)


@pytest.mark.parametrize("norm", ["cbrt", "eq_hist", gpuplot.CbrtNorm(vmin=1)])
def test_norms_of_gpuplot(norm):
    figure = Figure()
    found = gpuplot.hist2d(sample("float32", 0), sample("float32", 1), 20, norm=norm, ax=figure.subplots())
    figure.colorbar(found.image)
    figure.canvas.draw()
    top = found.image.norm(found.h.max())
    assert top == 1 and found.image.norm(found.h.min()) <= 0


@pytest.mark.parametrize("norm", ["linear", "log", "cbrt", "eq_hist"])
def test_a_norm_by_name_takes_limits(norm):
    """Of a norm that matplotlib does not have, it said that limits go to the object."""
    image = gpuplot.hist2d(sample("float32", 0), sample("float32", 1), 20, norm=norm, vmin=0.5, vmax=3, ax=Figure().subplots()).image
    assert image.get_clim() == (0.5, 3)


@pytest.mark.parametrize(("x", "options", "limits"), [
    ([], {"norm": "log"}, (1, 10)), ([5.0], {"norm": "log", "cmin": 1, "range": ((0, 1), (0, 1))}, (1, 10)),
    ([], {"norm": LogNorm(vmin=3)}, (3, 10)), ([], {"norm": "log", "vmax": 100}, (1, 100))])
def test_a_log_norm_of_no_pair(x, options, limits):
    """matplotlib raises "Invalid vmin or vmax" when that is drawn."""
    figure = Figure()
    image = gpuplot.hist2d(x, x, ax=figure.subplots(), **options).image
    figure.colorbar(image)
    figure.draw_without_rendering()
    assert image.get_clim() == limits


def test_the_current_axes_of_pyplot():
    from matplotlib import pyplot

    figure = pyplot.figure()
    found = gpuplot.hist2d("a", "b", data={"a": [1, 2, 2], "b": [0, 1, 1]})
    assert pyplot.gci() is found.image and found.image.axes is figure.gca()
    pyplot.colorbar()
    pyplot.close(figure)


def test_what_is_returned_is_a_tuple_that_can_be_pickled():
    found = gpuplot.hist2d([1, 2, 9], [1, 2, 9], 3, range=((0, 3), (0, 3)), ax=axes())
    twin = pickle.loads(pickle.dumps(found))
    assert isinstance(found, tuple) and len(found) == 4 and twin.h.tolist() == found.h.tolist() and twin.left_out == 1


# ---- dates and texts -----------------------------------------------------------------------------------------------------


def test_dates_and_texts_are_converted_by_the_axes():
    """matplotlib refuses both, and counts their numbers."""
    days, names = np.datetime64("2026-01-01") + np.arange(6), ["a", "b", "a", "a", "c", "b"]
    ax = axes()
    found = gpuplot.hist2d(days, names, (3, [-0.5, 0.5, 1.5, 2.5]), ax=ax)
    want = np.histogram2d(date2num(days), [0, 1, 0, 0, 2, 1], (3, [-0.5, 0.5, 1.5, 2.5]))
    for got, numbers in zip(found[:3], want, strict=True):
        np.testing.assert_array_equal(got, numbers)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b", "c"]
    assert [text.get_text() for text in ax.get_xticklabels()][:2] == ["Jan", "02"]


def test_edges_and_ranges_may_be_dates():
    days = np.datetime64("2026-01-01") + np.arange(6)
    edges = days[[0, 2, 5]]
    found = gpuplot.hist2d(days, np.arange(6), (edges, 2), ax=axes())
    assert found.h.tolist() == [[2, 0], [1, 3]] and found.xedges.tolist() == date2num(edges).tolist()
    found = gpuplot.hist2d(days, np.arange(6), 1, range=(days[[1, 3]], None), ax=axes())
    assert found.h.tolist() == [[3]] and found.left_out == 3


# ---- mistakes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "error", "text"), [
    ({"bins": 0}, ValueError, "at least one bin"), ({"bins": (5000, 5000)}, ValueError, "25000000 bins"),
    ({"bins": "fd"}, ValueError, "fd"),
    ({"bins": (3, [2, 1])}, ValueError, "2 is before 1"), ({"bins": [1, 2, 0]}, ValueError, "fall"),
    ({"range": (0, 1)}, TypeError, r"range=\(0, 1\) must be two pairs"), ({"range": (None, 1)}, TypeError, "range=1 must be a pair"),
    ({"range": 3}, TypeError, "two pairs"), ({"range": ((1, 0), None)}, ValueError, "falls"), ({"colour": 3}, AttributeError, "colour"),
    ({"weights": [1, 2]}, ValueError, "alike"), ({"weights": [1j, 2, 3]}, UnsupportedError, "complex"), ({"ax": 3}, TypeError, "Axes")])
def test_mistakes(options, error, text):
    ax = axes()
    with pytest.raises(error, match=text):
        gpuplot.hist2d([1, 2, 3], [1.0, 2, 4], **{"ax": ax, **options})
    assert not ax.collections


def test_tensors_that_do_not_belong_together():
    with pytest.raises(ValueError, match="alike"):
        gpuplot.hist2d([1, 2], [1, 2, 3], ax=axes())
    with pytest.raises(UnsupportedError, match="complex"):
        gpuplot.hist2d([1j, 2], [1, 2], ax=axes())
    for x in ([1, np.nan], [1, np.inf]):
        with pytest.raises(ValueError, match="range of y is not finite: 1 of 2"):
            gpuplot.hist2d([1, 2], x, ax=axes())


def test_a_range_wider_than_float64():
    """Errors of NumPy, or of pcolormesh once the picture was half made, came through."""
    ax = axes()
    for options in ({}, {"range": ((-1.7e308, 1.7e308), None)}):
        with pytest.raises(ValueError, match="^the range of x, .* is beyond the largest number"):
            gpuplot.hist2d([-1.7e308, 1.7e308], [0, 1], ax=ax, **options)
    assert not ax.collections


@pytest.mark.parametrize("shading", ["nearest", "gouraud"])
def test_the_shading_of_other_meshes_does_not_count(shading):
    """Of rcParams it is for pcolormesh of values at points; the error was about dimensions of C, after the counting."""
    with mpl.rc_context({"pcolor.shading": shading}):
        assert gpuplot.hist2d([1, 2], [3, 4], 2, ax=Figure().subplots()).h.tolist() == [[1, 0], [0, 1]]
