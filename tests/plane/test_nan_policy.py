"""`nan=` in every front end: how elements that are not finite affect hidden axes, limits, percentiles and colors."""

import io

import numpy as np
import pytest
from figures import axes_of, made
from matplotlib.colors import Normalize
from on_device import there
from scenes import pixels, scene_of

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane import reduce
from gpuplot.plane.view import choose
from gpuplot.plane.window import Window

SMALL, LARGE = (3, 40, 50), (3, 1100, 1000)
REDUCTIONS = {"mean": np.nanmean, "max": np.nanmax, "sum": np.nansum}


def tensor(shape):
    """Of three planes; the first of them is not finite at the smallest and largest elements of the others, and at others still."""
    X = np.random.default_rng(0).normal(size=shape).astype("f4")
    X[1:, 5, :20] *= 50
    X[0, 5, :20] = np.nan
    X[0, 20:30, 7] = np.inf
    return X


def expected_of(X, op, nan):
    """The plane and its finite elements."""
    X = np.where(np.isfinite(X), X, np.nan) if nan == "skip" else X
    with np.errstate(all="ignore"):
        plane = (REDUCTIONS[op] if nan == "skip" else getattr(np, op))(X.astype("f8"), axis=0)
    return plane, plane[np.isfinite(plane)]


def limits_of(function, X, **options):
    """The color limits that a front end found."""
    if function == "imshow":
        return gpuplot.imshow(X, ax=axes_of(100), **options).get_clim()
    if function == "inspect":
        state = scene_of(X, center=None, **options).state()
        return state["vmin"], state["vmax"]
    norm = Normalize()
    if function == "to_rgba":
        gpuplot.to_rgba(X, (20, 20), norm=norm, **options)
    else:
        gpuplot.imsave(io.BytesIO(), X, width=20, norm=norm, **options)
    return norm.vmin, norm.vmax


@pytest.mark.parametrize("robust", [False, 5])
@pytest.mark.parametrize("nan", ["show", "skip"])
@pytest.mark.parametrize("op", REDUCTIONS)
@pytest.mark.parametrize("shape", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("function", ["imshow", "to_rgba", "imsave", "inspect"])
def test_limits_and_percentiles(function, shape, op, nan, robust):
    """`imshow` found limits and percentiles as if nan="show" had been given, and drew the elements of small planes so, too."""
    X = tensor(shape)
    _, finite = expected_of(X, op, nan)
    expected = np.percentile(finite, [5, 95]) if robust else (finite.min(), finite.max())
    found = limits_of(function, X, reduce={0: op}, nan=nan, robust=robust, limits="elements")
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("nan", ["show", "skip"])
@pytest.mark.parametrize("region", ["slice", "view", "all"])
@pytest.mark.parametrize("shape", [SMALL, LARGE], ids=["small", "large"])
def test_limits_that_are_asked_for_later(shape, region, nan):
    X = tensor(shape)
    _, finite = expected_of(X, "mean", nan)
    im = gpuplot.imshow(X, ax=axes_of(100), reduce={0: "mean"}, nan=nan)
    im.autoscale(region=region, robust=10)
    np.testing.assert_allclose(im.get_clim(), np.percentile(finite, [10, 90]), rtol=1e-6)


@pytest.mark.parametrize("nan", ["show", "skip"])
def test_small_planes_are_drawn_and_read_alike(nan):
    """The elements of a small plane are copied: with what was left out, left out."""
    X = tensor(SMALL)
    plane, _ = expected_of(X, "mean", nan)
    im = gpuplot.imshow(X, ax=axes_of(50), reduce={0: "mean"}, nan=nan, interpolation="nearest")
    np.testing.assert_allclose(im.get_array().filled(np.nan), np.where(np.isfinite(plane), plane, np.nan), rtol=1e-6)
    rgba = gpuplot.to_rgba(X, reduce={0: "mean"}, nan=nan)
    np.testing.assert_array_equal(gpuplot.to_rgba(plane, nan=nan), rgba)
    drawn = made(gpuplot.imshow(plane, ax=axes_of(50), interpolation="nearest", vmin=-1, vmax=1))
    np.testing.assert_array_equal(made(gpuplot.imshow(X, ax=axes_of(50), reduce={0: "mean"}, nan=nan, interpolation="nearest",
                                                     vmin=-1, vmax=1)), drawn)
    value = scene_of(X, reduce={0: "mean"}, nan=nan).hover(5.5, 3.5, 0, (1, 1))["value"]
    np.testing.assert_allclose(float(value), plane[5, 3], rtol=1e-6)


@pytest.mark.parametrize("nan", ["show", "skip"])
def test_ranges_of_colors(nan):
    """denorm="minmax" stretched the colors between elements that nan="skip" had not left out, or left those that it had."""
    X = np.random.default_rng(0).random((2, 6, 7, 3)).astype("f4")
    X[0, 2, 3], X[1, 2, 3] = np.nan, 9
    plane = np.nanmean(X, 0) if nan == "skip" else X.mean(0)
    rgba = gpuplot.to_rgba(plane, rgb=True, denorm="minmax")
    options = {"reduce": {0: "mean"}, "rgb": 3, "denorm": "minmax", "nan": nan}
    np.testing.assert_allclose(gpuplot.to_rgba(X, **options).astype(int), rgba, atol=1)
    np.testing.assert_allclose(pixels(scene_of(X, **options), (6, 7))[..., :3].astype(int)[np.isfinite(plane).all(-1)],
                               rgba[..., :3][np.isfinite(plane).all(-1)], atol=1)


@pytest.mark.parametrize("n_channels", [3, 4])
def test_ranges_of_colors_are_those_of_each_channel_alone(n_channels):
    """A pixel with a NaN left the ranges of its other channels."""
    X = np.random.default_rng(0).random((5, 6, n_channels)).astype("f4")
    plain, X[2, 3, :2] = X.copy(), (np.nan, 9)
    plain[2, 3, :2] = plain[0, 0, 0], 9
    got, want = (gpuplot.to_rgba(colors, rgb=2, denorm="minmax") for colors in (X, plain))
    got[2, 3] = want[2, 3]
    np.testing.assert_array_equal(got, want)


def mostly_marked(shape):
    """(4, rows, columns), in most columns one NaN among the four."""
    X = np.random.default_rng(1).normal(size=(4, *shape)).astype("f4")
    X[2, :, : shape[1] * 3 // 4] = np.nan
    return X


@pytest.mark.filterwarnings("ignore:.* are NaN")
@pytest.mark.parametrize("robust", [False, 5])
@pytest.mark.parametrize("shape", [(30, 40), (1100, 1000)], ids=["small", "large"])
@pytest.mark.parametrize("function", ["imshow", "to_rgba", "imsave", "inspect"])
def test_limits_and_percentiles_of_auto(function, shape, robust):
    """Percentiles were those of the few elements without a NaN behind them; where there was none, the picture was blank."""
    X = mostly_marked(shape)
    plane = np.nanmean(X.astype("f8"), axis=0)
    expected = np.percentile(plane, [5, 95]) if robust else (plane.min(), plane.max())
    found = limits_of(function, X, reduce={0: "mean"}, robust=robust, limits="elements")
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("interpolation", [None, "nearest"])
@pytest.mark.parametrize("limits", ["elements", "pixels", "auto"])
def test_limits_of_auto_where_one_axis_is_magnified(limits, interpolation):
    """Limits of elements were found before "auto" had decided to leave NaN out."""
    X = np.random.default_rng(0).normal(size=(3, 2000, 20)).astype("f4")
    X[0, ::5] = np.nan
    X[:, 5, 7] = np.nan, 1000, 1000
    options = {"reduce": {0: "mean"}, "aspect": "auto", "limits": limits, "interpolation": interpolation}
    with pytest.warns(gpuplot.GpuplotWarning, match="so NaN is left out of them"):
        im = gpuplot.imshow(X, ax=axes_of(100), **options)
    skipped = gpuplot.imshow(X, ax=axes_of(100), nan="skip", **options)
    np.testing.assert_allclose(im.get_clim(), skipped.get_clim(), rtol=1e-14)


@pytest.mark.filterwarnings("ignore:.* are NaN")
@pytest.mark.parametrize("region", ["slice", "view", "all"])
@pytest.mark.parametrize("shape", [(30, 40), (1100, 1000)], ids=["small", "large"])
def test_limits_of_auto_that_are_asked_for_later(shape, region):
    X = mostly_marked(shape)
    im = gpuplot.imshow(X, ax=axes_of(100), reduce={0: "mean"})
    im.autoscale(region=region, robust=10)
    np.testing.assert_allclose(im.get_clim(), np.percentile(np.nanmean(X.astype("f8"), axis=0), [10, 90]), rtol=1e-6)
    im.set_norm("log")
    im.autoscale(region=region)
    plane = np.nanmean(X.astype("f8"), axis=0)
    np.testing.assert_allclose(im.get_clim(), (plane[plane > 0].min(), plane.max()), rtol=1e-6)
    assert (made(im)[..., 3] == 255).any()


@pytest.mark.filterwarnings("ignore:.* are NaN")
def test_ranges_of_colors_of_auto():
    X = np.random.default_rng(0).random((2, 6, 7, 3)).astype("f4")
    X[0], X[1, 2, 3] = np.nan, 0.2
    want = gpuplot.to_rgba(X[1], rgb=True, denorm="minmax")
    np.testing.assert_array_equal(gpuplot.to_rgba(X, reduce={0: "mean"}, rgb=3, denorm="minmax"), want)


@pytest.mark.parametrize("shape", [(30, 40), (1100, 1000)], ids=["small", "large"])
def test_auto_leaves_nan_out_of_hidden_axes_where_it_would_be_most_of_the_picture(shape):
    """Small planes were blank without a word: one NaN among those that are averaged marked every pixel."""
    X = mostly_marked(shape)
    ax = axes_of(100)
    with pytest.warns(gpuplot.GpuplotWarning, match=r"values that reduce= gives \(75 %\) are NaN") as caught:
        im = gpuplot.imshow(X, ax=ax, reduce={0: "mean"}, limits="elements")
    assert [warning.filename for warning in caught] == [__file__]
    low, high = im.get_clim()
    plane = np.nanmean(X.astype("f8"), axis=0)
    if im.plane.is_gathered:
        np.testing.assert_allclose((low, high), (plane.min(), plane.max()), rtol=1e-6)
    assert np.isfinite([low, high]).all() and low < high
    assert (made(im)[..., 3] == 255).all()
    im.axes.set(xlim=(-0.5, 9.5), ylim=(9.5, -0.5))
    assert (made(im)[..., 3] == 255).all()
    with pytest.warns(gpuplot.GpuplotWarning, match="75 %"):
        assert (gpuplot.to_rgba(X, shape, reduce={0: "mean"})[..., 3] == 255).all()


def test_the_warning_says_100_percent_of_all_elements_alone():
    X = np.full((200, 500), np.nan, "float32")
    X[0, 0] = 1
    with pytest.warns(gpuplot.GpuplotWarning, match=r"99,999 of 100,000 elements \(99.9 %\) are NaN"):
        gpuplot.to_rgba(X, (20, 50))


def test_elements_of_hidden_axes_are_computed_once(monkeypatch):
    """A magnified picture whose hidden axes may leave NaN out keeps what it has decided about."""
    from gpuplot.plane import reduce, tensor_plane

    im = gpuplot.imshow(mostly_marked((30, 40))[..., 20:], ax=axes_of(100), reduce={0: "mean"})
    first = made(im)
    for module, name in ((tensor_plane, "gather"), (reduce, "reduce_view")):
        monkeypatch.setattr(module, name, lambda *_, **__: pytest.fail("the tensor is read again"))
    np.testing.assert_array_equal(made(im), first)


def test_auto_shows_few_nan_of_hidden_axes():
    X = mostly_marked((30, 40))[..., 20:]
    im = gpuplot.imshow(X, ax=axes_of(100), reduce={0: "mean"})
    assert np.isnan(im.get_array().filled(np.nan)).sum() == 300
    X[:] = np.nan
    gpuplot.imshow(X, ax=axes_of(100), reduce={0: "mean"})


def looks_at_elements(monkeypatch):
    """The shapes of the planes whose elements native calls look at, a list that grows."""
    looks = []

    def watch(name):
        call = getattr(_native, name)

        def watched(plane, *arguments, **keywords):
            looks.append(plane.shape)
            return call(plane, *arguments, **keywords)

        monkeypatch.setattr(_native, name, watched)

    for name in ("reduce", "limits", "summarize", "histogram", "percentiles", "gather"):
        watch(name)
    return looks


@pytest.mark.parametrize("agg", ["mean", "max", "std", "count"])
@pytest.mark.parametrize("kind", ["plain", "turned", "complex", "masked", "sharp"])
@pytest.mark.parametrize("where", ["host", "device"])
def test_a_picture_of_mostly_nan_looks_at_its_elements_once(where, kind, agg, monkeypatch, request):
    """And its cells are those that leave NaN out: marks and finite sums come from one look."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 90)).astype("f4")
    X[rng.random(X.shape) < 0.7] = np.nan
    X[5, 5] = np.inf
    X[30:60] = np.nan
    X = {"turned": X.T, "complex": X * (1 + 2j), "masked": np.ma.array(X, mask=rng.random(X.shape) < 0.1)}.get(kind, X)
    source = describe(X)
    if where == "device":
        request.getfixturevalue("emulated")
        source = there(np.ma.getdata(X), X.mask if kind == "masked" else None)
    view = choose(X.shape, None, source.dtype, rgb=False)
    window = Window.whole(X.shape, tuple(n - 1 if kind == "sharp" else n // 6 for n in X.shape))
    want = reduce.reduce_view(source, view, window, agg, "infinite", _native.WANT_RANGE, is_sharp=kind == "sharp")
    looks = looks_at_elements(monkeypatch)
    got = reduce.reduce_view(source, view, window, agg, "auto", _native.WANT_RANGE, is_sharp=kind == "sharp")
    assert got.leaves_out_nan
    assert looks.count(X.shape) == 1
    assert got.cells.numpy().tobytes() == want.cells.numpy().tobytes()
    assert got.limits[:2] == want.limits[:2]
    assert got.limits.has & _native.HAS_NAN


# What is reduced, on how many cells: values (hidden axes, rows, columns) with NaN in some.
HIDDEN = {
    "mean": ((5, 120, 90), {0: "mean"}, (20, 15)),
    "extremes": ((5, 120, 90), {0: "max"}, (20, 15)),
    "spread": ((5, 120, 90), {0: "std"}, (20, 15)),
    "two stages": ((2, 3, 120, 90), {1: "mean", 0: "norm"}, (19, 14)),
    "turned": ((5, 90, 120), {0: "mean"}, (20, 15)),
    "masked": ((5, 120, 90), {0: "mean"}, (20, 15)),
    "complex": ((5, 120, 90), {0: "sum"}, (20, 15)),
    "magnified": ((5, 30, 20), {0: "mean"}, (60, 40)),
    "few elements": ((5, 30, 200), {0: "mean"}, (15, 20)),
    "tall cells": ((2, 330, 90), {0: "mean"}, (2, 15)),
    "wide cells": ((2, 40, 5000), {0: "mean"}, (20, 3)),
    "pieces of cells": ((2, 1500, 1400), {0: "mean"}, (1, 2)),
    "many tiles": ((2, 60, 5000), {0: "mean"}, (20, 1500)),
}


def spoiled(kind, share, infinities=1):
    """Values of a case, some of them NaN, which is scarce in the columns on the right, and a few infinite."""
    shape, operations, n_cells = HIDDEN[kind]
    rng = np.random.default_rng(4)
    X = rng.normal(size=shape).astype("f4")
    X[(rng.random(shape) < share) & (np.arange(shape[-1]) < 0.8 * shape[-1])] = np.nan
    X.reshape(-1, *shape[-2:])[:infinities, 5, 5] = np.inf
    X[..., 10:16, : shape[-1] // 2] = np.nan
    if kind == "turned":
        X = X.swapaxes(-2, -1)
    elif kind == "masked":
        X = np.ma.array(X, mask=rng.random(shape) < 0.3)
    elif kind == "complex":
        X = X * (1 + 2j)
    return X, operations, n_cells


@pytest.mark.parametrize("agg", ["mean", "max", "std", "count", "nearest"])
@pytest.mark.parametrize("kind", HIDDEN)
@pytest.mark.parametrize("where", ["host", "device"])
@pytest.mark.parametrize("share", [0.4, 0.0], ids=["much", "little"])
def test_hidden_axes_are_looked_at_once(share, where, kind, agg, monkeypatch, request):
    """What an element is without NaN is found beside what it is with it, and so are cells and limits."""
    if where == "device" and kind in ("pieces of cells", "many tiles"):
        pytest.skip("takes the emulated device long, and is another path on the host alone")
    X, operations, n_cells = spoiled(kind, share)
    source = describe(X)
    if where == "device":
        request.getfixturevalue("emulated")
        source = there(np.ma.getdata(X), X.mask if kind == "masked" else None)
    view = choose(X.shape, None, source.dtype, rgb=False, reduce=operations)
    window = Window.whole(X.shape[-2:], n_cells)
    shown, finite = (reduce.reduce_view(source, view, window, agg, nan, _native.WANT_RANGE) for nan in ("unmasked", "infinite"))
    looks = looks_at_elements(monkeypatch)
    got = reduce.reduce_view(source, view, window, agg, "auto", _native.WANT_RANGE)
    assert looks.count(X.shape[-2:]) == 1
    is_marked = np.isnan(shown.cells.numpy())
    assert got.leaves_out_nan == (is_marked.mean() > 0.5)
    assert got.leaves_out_nan == (share > 0) or agg == "nearest"
    want = np.where(is_marked, finite.cells.numpy(), shown.cells.numpy()) if got.leaves_out_nan else shown.cells.numpy()
    assert got.cells.numpy().tobytes() == want.tobytes()
    np.testing.assert_allclose(want[~is_marked], finite.cells.numpy()[~is_marked], rtol=1e-12)
    assert got.limits[:2] == (finite if got.leaves_out_nan else shown).limits[:2]
    assert got.limits.has & _native.HAS_NAN
