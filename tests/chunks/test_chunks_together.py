"""Arrays in equal chunks that are processed together: weights, pairs and points equal those of the whole arrays."""

import warnings
from dataclasses import asdict
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest
from chunked_arrays import numbers
from pieces import in_pieces

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.errors import UnsupportedError
from gpuplot.plane.points import PointAxis, Points
from gpuplot.statistics.comparison import compare_elements

pytestmark = pytest.mark.host("chunks are read by the host")

RNG = np.random.default_rng(0)


def cut(array, chunks=(13, 40)):
    return in_pieces(array, chunks[:array.ndim])[0]


def test_weights_of_a_histogram():
    x, w = RNG.normal(size=(2, 60, 70))
    w[3, 4], x[0, 0] = 5, np.nan
    with pytest.warns(gpuplot.GpuplotWarning):
        got, edges, _ = gpuplot.hist(cut(x), 20, range=(-2, 2), weights=cut(w))
    want, want_edges = np.histogram(x, 20, (-2, 2), weights=w)
    np.testing.assert_allclose(got, want, rtol=1e-12)
    np.testing.assert_array_equal(edges, want_edges)


@pytest.mark.parametrize("chunks", [(2, 2, 2, 2), (2, 2, 1, 2)])
def test_sums_of_both_infinities_give_no_warning_of_numpy(chunks):
    """A sum over planes of an array of four axes, and one over chunks."""
    x, w = np.zeros((2, 3, 3, 3, 3))[:, :2, :2, :2, :2]
    w[:, :, 0], w[:, :, 1] = np.inf, -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = gpuplot.hist(in_pieces(x, chunks)[0], 3, range=(-1, 1), weights=in_pieces(w, chunks)[0])[0]
    np.testing.assert_array_equal(found, [0, np.nan, 0])


@pytest.mark.usefixtures("never_whole")
def test_a_store_and_the_dask_array_of_its_chunks():
    """A store is read in groups of its chunks, so that those of the two differ."""
    zarr, da = pytest.importorskip("zarr"), pytest.importorskip("dask.array")
    x, w = RNG.normal(size=(2, 60, 70))
    store, lazy = zarr.create_array({}, data=x, chunks=(13, 40)), da.from_array(w, chunks=(13, 40))
    assert describe(store).chunks != describe(lazy).chunks
    want = np.histogram(x, 20, (-2, 2), weights=w)[0]
    np.testing.assert_allclose(gpuplot.hist(store, 20, range=(-2, 2), weights=lazy)[0], want, rtol=1e-12)
    want = np.histogram(w, 20, (-2, 2), weights=x)[0]
    np.testing.assert_allclose(gpuplot.hist(lazy, 20, range=(-2, 2), weights=store)[0], want, rtol=1e-12)
    figure = gpuplot.compare(store, lazy)
    figure.canvas.draw()
    assert figure.comparison.max_abs == np.abs(x - w).max()


@pytest.mark.parametrize("rule", ["scott", "doane", "auto", "stone"])
def test_rules_of_moments(rule):
    x = RNG.normal(size=(60, 70))
    np.testing.assert_array_equal(gpuplot.hist(cut(x), rule)[0], np.histogram(x, rule)[0])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", [{}, {"range": ((-1, 1), None)}, {"bins": ([-1, 0, 0, 2], 4)}])
def test_pairs(weighted, options):
    x, y, w = RNG.normal(size=(3, 60, 70))
    sources = [in_pieces(one, (13, 40)) for one in (x, y, w)]
    options = {"bins": (8, 9)} | options
    got = gpuplot.hist2d(sources[0][0], sources[1][0], weights=sources[2][0] if weighted else None, **options)
    want = gpuplot.hist2d(x, y, weights=w if weighted else None, **options)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-12)
    for k in (1, 2):
        np.testing.assert_array_equal(got[k], want[k])
    assert got.left_out == want.left_out
    for _, engine in sources[:2 + weighted]:
        assert max(engine.take_reads().values()) <= 3  # its range, the counts, and how many weights are in no bin


@pytest.mark.parametrize("nan", ["show", "skip", "auto"])
@pytest.mark.parametrize("agg", ["count", "sum", "min", "max", "mean"])
def test_points_with_values(agg, nan):
    x, y, c = RNG.normal(size=(3, 6000))
    c[::50], c[7::90], c[9::70], x[3] = np.nan, np.inf, -np.inf, np.nan
    axes = PointAxis(-2, 2, 30), PointAxis(-1, 3, 20)
    (want, n_want), (got, n_got) = (Points(*map(to, (x, y, c))).cells(*axes, agg, nan) for to in (describe, lambda one: cut(one, (777,))))
    want, got = want.numpy(), got.numpy()
    assert n_want == n_got
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
    is_empty = want.view(np.uint64) == _native.EMPTY_BITS
    np.testing.assert_array_equal(got.view(np.uint64) == _native.EMPTY_BITS, is_empty)
    assert is_empty.any()


def test_points_of_classes():
    x, y = RNG.normal(size=(2, 6000))
    k = RNG.integers(0, 4, 6000)
    axes = PointAxis(-2, 2, 30), PointAxis(-1, 3, 20)
    want, got = (Points(*map(to, (x, y, k))).counts_by_class(*axes, 0, 3) for to in (describe, lambda one: cut(one, (777,))))
    np.testing.assert_array_equal(got[0], want[0])
    assert got[1] == want[1]


@pytest.mark.parametrize("lowest", [-9.0, 0.5])
def test_ranges_of_points_that_are_not_all_finite_take_one_more_pass(lowest):
    x, y = RNG.normal(size=(2, 6000)).astype("float32")
    x[:1500], y[7], y[9] = np.nan, np.inf, 50  # the first chunk has no point
    y[3000], x[3000], y[4000], x[4000] = np.nan, -80, lowest, 60
    sources = [in_pieces(one, (1000,)) for one in (x, y)]
    assert Points(*(source for source, _ in sources)).limits == Points(describe(x), describe(y)).limits
    for _, engine in sources:
        assert set(engine.take_reads().values()) == {2}


def test_ranges_where_no_point_is_finite():
    x, y = np.array([1.0, np.nan, 3.0, np.nan]), np.array([np.nan, 2.0, np.inf, 5.0])
    assert np.isnan(Points(cut(x, (2,)), cut(y, (2,))).limits).all()


def test_an_image_of_points():
    x, y = RNG.normal(size=(2, 50_000)).astype("float32")
    pixels, engines = [], []
    for X in ((x, y), [in_pieces(one, (7000,)) for one in (x, y)]):
        engines = [one[1] for one in X] if pixels else []
        fig, ax = plt.subplots()
        gpuplot.scatter(*([one[0] for one in X] if pixels else X), ax=ax, density=True)
        fig.canvas.draw()
        pixels.append(np.asarray(fig.canvas.buffer_rgba()).copy())
    np.testing.assert_array_equal(*pixels)
    for engine in engines:
        assert max(engine.take_reads().values()) <= 3  # its range, and points for colors and for the picture


def test_few_points_are_matplotlibs():
    x, y = RNG.normal(size=(2, 300))
    np.testing.assert_array_equal(gpuplot.scatter(cut(x, (100,)), cut(y, (100,))).get_offsets(), np.column_stack([x, y]))


def test_what_cannot_be_looked_at_together_is_refused_before_a_chunk_is_read():
    x, engine = in_pieces(np.zeros((60, 70)), (13, 40))
    other, others = in_pieces(np.zeros((60, 70)), (20, 20))
    for draw in (gpuplot.hist2d, partial(gpuplot.hist2d, range=((0, 1), (0, 1))), partial(gpuplot.scatter, density=True)):
        with pytest.raises(UnsupportedError, match=r"x and y have different chunks.*y\.rechunk\(x\.chunks\)"):
            draw(x, other)
        with pytest.raises(UnsupportedError, match=r"x is in chunks and y in memory.*from_array\(y, chunks=x\.chunks\)"):
            draw(x, np.zeros((60, 70)))
    with pytest.raises(UnsupportedError, match=r"x and weights have different chunks"):
        gpuplot.hist2d(x, x, weights=other)
    with pytest.raises(UnsupportedError, match=r"x and weights have different chunks"):
        gpuplot.hist(x, weights=other)
    with pytest.raises(UnsupportedError, match=r"weights is in chunks and x in memory"):
        gpuplot.hist(np.zeros((60, 70)), 3, range=(0, 1), weights=x)
    with pytest.raises(UnsupportedError, match=r"x and c have different chunks"):
        gpuplot.scatter(x, x, c=other, density=True)
    with pytest.raises(UnsupportedError, match=r"agg='std' is not available for points that are read chunk by chunk"):
        gpuplot.scatter(x, x, c=x, agg="std", density=True)
    with pytest.raises(UnsupportedError, match=r"agg='std' is not available for points that are read chunk by chunk.*mean"):
        Points(x, x, x).cells(PointAxis(0, 1, 2), PointAxis(0, 1, 2), "std")
    assert engine.take_reads() == others.take_reads() == {}


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint64", "masked", "complex64"])
def test_comparisons(dtype):
    rng = np.random.default_rng(1)
    a = numbers(rng, dtype, (3, 60, 70), 0.05)
    b = a.copy()
    b[0, 3:9] = a[1, 3:9]
    found, engines = [], []
    for to in (lambda one: one, lambda one: in_pieces(one, (2, 25, 40))):
        made = [to(one) for one in (a, b)]
        engines = [one[1] for one in made] if found else []
        found.append(compare_elements(*(describe(one[0]) if engines else describe(one) for one in made)))
    for name, want in asdict(found[0]).items():
        got = getattr(found[1], name)
        assert got == want or (got != got and want != want), name
    for engine in engines:
        assert set(engine.take_reads().values()) == {1}


@pytest.mark.parametrize("is_masked", [False, True], ids=["", "masked"])
@pytest.mark.parametrize("options", [{}, {"agg": "mean"}, {"reduce": {0: "mean"}}, {"index": {0: 1}, "robust": True}])
def test_pictures_of_a_comparison(options, is_masked):
    rng = np.random.default_rng(1)
    a = numbers(rng, "float32", (2, 1200, 900))
    b = a + numbers(rng, "float32", a.shape) / 1000
    b[1, 700, 30] = np.nan
    a[:, 300:340] = b[:, 300:340] = -np.inf  # which differ by 0
    if is_masked:
        a = np.ma.array(a, mask=np.zeros(a.shape, bool))
        a[:, 600:, 400:600] = np.ma.masked
    pixels = []
    for to in (lambda one: one, lambda one: in_pieces(one, (1, 500, 400))[0]):
        figure = gpuplot.compare(to(a), to(b), **options)
        figure.canvas.draw()
        pixels.append(np.asarray(figure.canvas.buffer_rgba()).astype(int))
    assert np.abs(pixels[0] - pixels[1]).max() <= (2 if options.get("reduce") or options.get("agg") == "mean" else 0)


def test_a_comparison_of_different_chunks_is_refused():
    with pytest.raises(UnsupportedError, match=r"a and b have different chunks.*b\.rechunk\(a\.chunks\)"):
        gpuplot.compare(cut(np.zeros((60, 70))), cut(np.zeros((60, 70)), (20, 20)))
