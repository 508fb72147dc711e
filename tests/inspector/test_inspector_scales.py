"""Evenly spaced values under a norm, and the round numbers of ticks."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import colors as mcolors

import gpuplot
from gpuplot.color.style import find_norm
from gpuplot.inspector.model.ticks import norm_edges, scale_ticks

pytestmark = pytest.mark.host("numbers of the kernel's side, no elements")

BENT = [mcolors.LogNorm(), mcolors.SymLogNorm(0.01), mcolors.AsinhNorm(0.1), mcolors.PowerNorm(0.5), gpuplot.CbrtNorm(),
        mcolors.TwoSlopeNorm(3), find_norm("symlog"), find_norm("asinh")]
STRAIGHT = [mcolors.Normalize(), find_norm("linear"), mcolors.CenteredNorm(), gpuplot.EqHistNorm(),
            mcolors.BoundaryNorm([0, 1], 256)]
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("norm", BENT, ids=lambda norm: type(norm).__name__)
def test_edges_are_even_in_the_norm(norm):
    edges = norm_edges(norm, 0.5, 600, 100)
    assert edges.shape == (101,) and (edges[0], edges[-1]) == (0.5, 600) and (np.diff(edges) > 0).all()
    own = type(norm)(norm.gamma) if isinstance(norm, mcolors.PowerNorm) else norm
    own.vmin, own.vmax = 0.5, 600
    assert np.allclose(own(edges), np.linspace(0, 1, 101), atol=1e-12)


@pytest.mark.parametrize("norm", STRAIGHT, ids=lambda norm: type(norm).__name__)
def test_what_leaves_even_numbers_even_needs_no_edges(norm):
    assert norm_edges(norm, 0.5, 600, 100) is None


def test_the_norm_itself_stays_as_it_is():
    norm = mcolors.LogNorm(2, 3)
    norm_edges(norm, 1, 10, 4)
    assert (norm.vmin, norm.vmax) == (2, 3)


@pytest.mark.parametrize(("norm", "low", "high"), [
    (mcolors.LogNorm(), -1, 5), (mcolors.LogNorm(), 0, 5), (find_norm("logit"), -3, 7), (mcolors.TwoSlopeNorm(3), 5, 6),
    (mcolors.LogNorm(), 5, 5), (mcolors.LogNorm(), 1, 1 + 2**-52)])
def test_a_norm_without_a_place_for_a_number_has_no_edges(norm, low, high):
    assert norm_edges(norm, low, high, 100) is None


@given(FINITE, FINITE, st.sampled_from(["linear", "log", "symlog", "asinh", "cbrt"]))
def test_ticks_are_numbers_of_the_scale_at_their_places(a, b, name):
    low, high = sorted((a, b))
    norm = find_norm(name)
    edges = norm_edges(norm, low, high, 64)
    ticks = scale_ticks(low, high, edges)
    shares = [share for share, _ in ticks]
    assert len(ticks) <= 8 and shares == sorted(shares) and all(0 <= share <= 1 for share in shares)
    values = [float(text) for _, text in ticks]
    assert values == sorted(values)
    for share, value in zip(shares, values, strict=True):
        place = np.interp(value / 4, np.linspace(low / 4, high / 4, 65) if edges is None else edges / 4, np.linspace(0, 1, 65))
        assert place == pytest.approx(share, abs=2e-4) or math.isclose(low, high, rel_tol=1e-9)


@pytest.mark.parametrize(("low", "high", "texts"), [
    (0, 1, "0 0.2 0.4 0.6 0.8 1"), (-1, 1, "-1 -0.5 0 0.5 1"), (0, 255, "0 50 100 150 200 250"), (-3.3, 7.1, "-2 0 2 4 6"),
    (1e6, 1e6 + 4, "1e6 1000001 1000002 1000003 1000004"), (2e-7, 9e-7, "2e-7 4e-7 6e-7 8e-7"), (4, 4, ""), (0, 5e-324, "")])
def test_ticks_of_even_numbers(low, high, texts):
    assert " ".join(text for _, text in scale_ticks(low, high)) == texts


@pytest.mark.parametrize(("name", "low", "high", "texts"), [
    ("log", 1, 1000, "1 10 100 1000"), ("log", 3, 40, "5 10 20"), ("log", 31, 38, "32 34 36 38"),
    ("log", 1e-12, 1, "1e-12 1e-10 1e-8 1e-6 0.0001 0.01 1"), ("symlog", -100, 100, "-100 -10 0 10 100"),
    ("cbrt", -0.001, 0.001, "-0.001 -0.0001 0 0.0001 0.001")])
def test_ticks_of_other_scales(name, low, high, texts):
    assert " ".join(text for _, text in scale_ticks(low, high, norm_edges(find_norm(name), low, high, 64))) == texts


def test_places_are_those_of_matplotlibs_colorbar():
    norm = mcolors.LogNorm(1, 1000)
    figure, ax = plt.subplots()
    bar = figure.colorbar(plt.cm.ScalarMappable(norm, "viridis"), cax=ax)
    low, high = bar.ax.transData.transform([[0, 1], [0, 1000]])[:, 1]
    for share, text in scale_ticks(1, 1000, norm_edges(norm, 1, 1000, 64)):
        at = bar.ax.transData.transform((0, float(text)))[1]
        assert (at - low) / (high - low) == pytest.approx(share, abs=1e-3)
    plt.close(figure)
