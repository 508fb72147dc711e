"""`hist` with weights: sums of another tensor."""

import numpy as np
import pytest
from histograms import axes, drawn, sample
from matrix import matrix

import gpuplot
from gpuplot import _native
from gpuplot.errors import GpuplotWarning


def assert_sums_agree(n, a, weights, edges):
    """As definitions promise for sums: within 1e-6, or 1e-12 of the sum of magnitudes."""
    want = np.histogram(a, edges, weights=weights.astype(float))[0]
    size = np.histogram(a, edges, weights=abs(weights.astype(float)))[0]
    assert (abs(n - want) <= np.maximum(1e-6 * abs(want), 1e-12 * size)).all()


@matrix(dtype=("uint8", "int16", "float16", "float32", "int64"), weights=("bool", "int8", "float16", "float32", "float64", "uint64"),
        bins=(5, 300, "uneven"))
def test_weights_are_added_up(dtype, weights, bins):
    a = sample(dtype)
    w = sample(weights, seed=1) if weights != "bool" else sample("float32") > 0
    edges = np.histogram_bin_edges(a, bins) if bins != "uneven" else np.unique(a.ravel()[:40])
    n, found, _ = gpuplot.hist(a, edges if bins == "uneven" else bins, weights=w, ax=axes(), histtype="step")
    np.testing.assert_array_equal(found, edges)
    assert_sums_agree(n, a, w, edges)


def test_small_sums_beside_large_ones():
    a, w = np.arange(6.0), np.array([1e20, 1e-3, 1, -1e20, 3e-9, 0])
    n = gpuplot.hist(a, 6, weights=w, ax=axes()).n
    assert n.tolist() == w.tolist()


@matrix(density=(False, True), cumulative=(False, True, -1), stacked=(False, True), n_tensors=(1, 3))
def test_weighted_numbers_drawn_are_those_of_matplotlib(density, cumulative, stacked, n_tensors):
    a = [sample("float64", 500, seed) for seed in range(n_tensors)]
    w = [abs(sample("float64", 500, 9 + seed)) for seed in range(n_tensors)]
    options = {"density": density, "cumulative": cumulative, "stacked": stacked}
    n, bins, patches = gpuplot.hist(a, 12, weights=w, ax=axes(), **options)
    want_n, want_bins, want = axes().hist(a, 12, weights=w, **options)
    np.testing.assert_allclose(n, want_n, 1e-12)
    np.testing.assert_array_equal(bins, want_bins)
    for one, other in zip(drawn(patches), drawn(want), strict=True):
        np.testing.assert_allclose(one, other, 1e-12, 1e-14)


def test_weights_of_other_layouts_and_masked_ones():
    a, w = sample("float32", (40, 50)), sample("float64", (50, 40), 3).T
    want = np.histogram(a[::2, ::-1], 9, weights=w[::2, ::-1])[0]
    np.testing.assert_allclose(gpuplot.hist(a[::2, ::-1], 9, weights=w[::2, ::-1], ax=axes()).n, want, 1e-12)
    is_masked = w > 1
    found = gpuplot.hist(a, 9, range=(-9, 9), weights=np.ma.array(w, mask=is_masked), ax=axes())
    np.testing.assert_allclose(found.n, np.histogram(a[~is_masked], 9, (-9, 9), weights=w[~is_masked])[0], 1e-12)
    with pytest.warns(GpuplotWarning, match="1 NaN"):
        assert gpuplot.hist([1, 2, np.nan], 1, range=(0, 3), weights=[1, 2, 3], ax=axes()).n.tolist() == [3]


def test_sums_are_the_same_on_every_number_of_threads():
    a, w = np.random.default_rng(0).normal(size=(2, 3_000_000))
    before = _native.threads_limit()
    try:
        found = [gpuplot.hist(a, 50, weights=w, ax=axes()).n.tolist() for n in (1, 2, 5) if _native.threads_limit(n)]
    finally:
        _native.threads_limit(before)
    assert found[0] == found[1] == found[2]


def test_weights_that_do_not_fit():
    a = np.ones((3, 4))
    for weights, text in ((np.ones(12), "alike"), ([np.ones((3, 4))] * 2, "2 tensors"), (np.ones((3, 4), complex), "complex128")):
        with pytest.raises((ValueError, TypeError), match=text):
            gpuplot.hist(a, weights=weights, ax=axes())
