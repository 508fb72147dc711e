"""``hist(bins="view")``: bins of the visible range, counted again at every zoom; other histograms count once and keep no tensor."""

import gc
import pickle
import weakref

import numpy as np
import pytest
from matplotlib.figure import Figure
from matrix import matrix

import gpuplot
from gpuplot import _native
from gpuplot.mpl.histograms.view_bins import bins_across
from gpuplot.plane.bin_edges import bin_edges


def sample(dtype="float32", seed=0):
    return (np.random.default_rng(seed).normal(size=20_000) * 9).astype(dtype)


def axes():
    return Figure().subplots()


@matrix(dtype=("float16", "float32", "int16"), histtype=("bar", "step", "stepfilled"), orientation=("vertical", "horizontal"),
        density=(False, True), n_tensors=(1, 2))
def test_a_zoom_counts_what_is_seen(dtype, histtype, orientation, density, n_tensors):
    tensors = [sample(dtype, seed) for seed in range(n_tensors)]
    ax, plain = axes(), axes()
    options = {"histtype": histtype, "orientation": orientation, "density": density}
    found = gpuplot.hist(tensors, "view", ax=ax, **options)
    n_bins = bins_across(ax, orientation)
    assert len(found.bins) == n_bins + 1 and np.shape(found.n)[-1] == n_bins
    getattr(ax, "set_xlim" if orientation == "vertical" else "set_ylim")(-3.25, 7.5)
    edges = bin_edges(-3.25, 7.5, n_bins)
    want, _, patches = plain.hist([a.astype(float) for a in tensors], edges, **options)
    np.testing.assert_array_equal(found.n, want)
    np.testing.assert_array_equal(found.bins, edges)
    for one, other in zip(outlines(found.patches), outlines(patches), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("dtype", "values"), [
    ("float16", (300, 300)), ("float16", (300, 301)), ("float32", (1e8, 1e8 + 8)), ("float64", (1e20, 1e20)), ("float64", (1, 1 + 2**-52)),
    ("float32", (-3e38, 3e38)), ("float16", (-6e4, 6e4))])
def test_elements_closer_than_the_bins_of_their_dtype(dtype, values):
    """A tensor of float16 that was constant had too many bins, which nobody had asked for."""
    for range in (None, values):
        found = gpuplot.hist(np.array([values[0], *values], dtype), "view", range=range, ax=axes())
        assert (np.diff(found.bins) > 0).all() and found.n.sum() == 3 and found.outside == 0


def outlines(patches):
    for one in patches:
        if hasattr(one, "get_path"):
            yield one.get_path().transformed(one.get_patch_transform()).vertices
        else:
            yield from outlines(one)


def test_heights_follow_where_the_axis_scales_itself():
    ax = axes()
    found = gpuplot.hist(sample(), "view", ax=ax)
    top = ax.get_ylim()[1]
    ax.set_xlim(-1, 1)
    assert ax.get_ylim()[1] < top and ax.get_ylim()[1] >= found.n.max() and ax.get_xlim() == (-1, 1)
    ax.set_ylim(0, 7)
    ax.set_xlim(-2, 1)
    assert ax.get_ylim() == (0, 7)


def test_the_view_is_that_of_the_data():
    """Where there is nothing, bins stay; beyond the data there are none."""
    a, ax = sample(), axes()
    found = gpuplot.hist(a, "view", ax=ax)
    whole = found.bins.copy()
    ax.set_xlim(1000, 2000)
    assert found.bins.tolist() == whole.tolist()
    ax.set_xlim(-500, 0)
    assert found.bins[[0, -1]].tolist() == [a.min(), 0]
    ax.set_xlim(0, -500)  # turned round
    assert found.bins[[0, -1]].tolist() == [a.min(), 0]
    ax.set_xlim(1, np.nextafter(np.float32(1), 2))  # as few numbers as there can be
    assert found.n.sum() == ((a >= 1) & (a <= np.nextafter(np.float32(1), 2))).sum()


@pytest.mark.parametrize("weights", [None, 2.0])
def test_what_is_in_no_bin_is_counted_again_with_the_view(weights):
    """`outside` was that of the first view, 0, beside the `n` of another."""
    a, ax = sample().copy(), axes()
    a[:3] = np.nan
    b = a[:100]
    with pytest.warns(gpuplot.GpuplotWarning, match="in no bin"):
        found = gpuplot.hist([a, b], "view", ax=ax, weights=weights and [np.full(a.shape, weights), np.full(b.shape, weights)])
    assert found.nan == (3, 3) and found.outside == (0, 0)
    for limits in ((0, 1), (-0.5, 1), (-500, 500)):
        ax.set_xlim(limits)
        assert found.nan == (3, 3)
        assert found.outside == tuple(int(((x < found.bins[0]) | (x > found.bins[-1])).sum()) for x in (a, b))
        counted = found.n.sum(axis=1) / (weights or 1)
        assert (counted + found.outside + found.nan == [a.size, b.size]).all()


@matrix(orientation=("vertical", "horizontal"), when=("before", "after", "after a draw"), scale=("log", "symlog", "asinh"))
def test_bins_are_even_on_the_scale_of_the_axis(orientation, when, scale):
    a, ax, axis = np.exp(sample() / 4), axes(), "x" if orientation == "vertical" else "y"
    change = getattr(ax, f"set_{axis}scale")
    if when == "before":
        change(scale)
    found = gpuplot.hist(a, "view", ax=ax, orientation=orientation)
    if when == "after a draw":
        ax.figure.draw_without_rendering()
    if when != "before":
        change(scale)
        ax.figure.draw_without_rendering()
    for limits in (None, (0.01, 20)):
        if limits is not None:
            getattr(ax, f"set_{axis}lim")(limits)
        steps = np.diff(getattr(ax, f"{axis}axis").get_transform().transform(found.bins))
        np.testing.assert_allclose(steps, steps.mean(), 1e-6)
        assert len(found.n) == bins_across(ax, orientation)
        np.testing.assert_array_equal(found.n, np.histogram(a.astype(float), found.bins)[0])
    assert found.bins[[0, -1]].tolist() == [max(0.01, float(a.min())), 20]


def test_limits_that_were_set_stay_on_another_scale():
    a = np.exp(sample() / 4)
    figure = Figure()
    first, second = figure.subplots(1, 2, sharex=True)
    found = [gpuplot.hist(a, "view", ax=ax) for ax in (first, second)]
    first.set_xlim(0.01, 20)
    second.set_xscale("log")
    for one in found:
        np.testing.assert_allclose(one.bins[1:] / one.bins[:-1], one.bins[1] / one.bins[0])
    assert first.get_xlim() == (0.01, 20)


def test_bins_of_what_a_logarithmic_axis_cannot_show():
    a, ax = sample(), axes()
    ax.set_xscale("log")
    found = gpuplot.hist(a, "view", ax=ax)
    assert found.bins[0] > 0 and found.n.sum() == (a.astype(float) >= found.bins[0]).sum()


def test_weights_and_a_range():
    a, w = sample(), abs(sample(seed=1)).astype(float)
    ax = axes()
    found = gpuplot.hist(a, "view", range=(-5, 5), weights=w, ax=ax)
    assert found.bins[[0, -1]].tolist() == [-5, 5]
    ax.set_xlim(-20, 20)
    np.testing.assert_allclose(found.n, np.histogram(a.astype(float), found.bins, weights=w)[0], 1e-9)
    assert found.n.sum() > np.sum(w[abs(a) <= 5])


def count_calls(monkeypatch):
    calls = []
    for name in ("histogram", "limits", "histogram_joint"):
        function = getattr(_native, name)
        monkeypatch.setattr(_native, name, lambda *args, f=function, n=name, **keywords: calls.append(n) or f(*args, **keywords))
    return calls


def test_how_often_elements_are_looked_at(monkeypatch):
    """Once where the range is given, twice where it is not; never at a zoom unless that was asked for, and once then."""
    calls, a, w, ax = count_calls(monkeypatch), sample(), sample(seed=1), axes()
    for options, wanted in (({"range": (-99, 99)}, ["histogram"]), ({}, ["limits", "histogram"]), ({"bins": [-99, 99]}, ["histogram"]),
                            ({"range": (-99, 99), "weights": w}, ["histogram_joint"]), ({"weights": w}, ["limits", "histogram_joint"])):
        gpuplot.hist(a, ax=ax, **options)
        assert calls == wanted
        calls.clear()
    ax.set_xlim(0, 1)
    assert calls == []
    gpuplot.hist2d(a, w, ax=axes())
    assert calls == ["limits", "limits", "histogram_joint"]
    calls.clear()
    gpuplot.hist(a, "view", ax=ax)
    assert calls == ["limits", "histogram"]
    ax.set_xlim(0, 2)
    ax.set_xlim(0, 2)
    assert calls == ["limits", "histogram", "histogram"]


class Owner:
    """A tensor of which can be told whether somebody still has it."""

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self._array = array


@pytest.mark.host("counts who keeps an object of the host")
@pytest.mark.parametrize("let_go", ["freeze", "remove", "clear", "figure", "plain"])
def test_tensors_are_let_go(let_go):
    owner = Owner(sample())
    gone = weakref.ref(owner)
    figure = Figure()
    ax = figure.subplots()
    found = gpuplot.hist(owner, 20 if let_go == "plain" else "view", ax=ax)
    del owner
    gc.collect()
    assert (gone() is None) == (let_go == "plain")
    if let_go == "freeze":
        found.freeze()
    elif let_go == "remove":
        found.patches.remove()
        assert not ax.artists
    elif let_go == "clear":
        ax.clear()
        ax.set_xlim(0, 1)
    elif let_go == "figure":
        del figure, ax, found
    gc.collect()
    assert gone() is None


def test_a_pickled_figure_keeps_its_bins_and_no_tensor():
    figure = Figure()
    ax = figure.subplots()
    found = gpuplot.hist(sample(), "view", ax=ax)
    stored = pickle.dumps(figure)
    twin = pickle.loads(stored)
    assert len(stored) < 500_000
    twin.axes[0].set_xlim(0, 1)
    assert [p.get_height() for p in twin.axes[0].patches] == found.n.tolist()
    assert pickle.loads(pickle.dumps(found)).n.tolist() == found.n.tolist()
